"""Constants and the explicit bound of optimistic Q-learning (Jin, Allen-Zhu, Bubeck and Jordan 2018), with c written out.

The event of Lemma 4.3 with c = sqrt(2). For a fixed (x, a, h) and t visits the terms alpha_t^i [V*_{h+1}(x_{h+1}) - P V*_{h+1}]
are martingale differences, each in an interval of length at most H alpha_t^i given what was seen before, since V*_{h+1} lies in
[0, H]. By the inequality of Azuma and Hoeffding, and by Lemma 4.1 (b), their sum exceeds c sqrt(H^3 iota / t) in absolute value
with probability at most

    2 exp(-2 c^2 H^3 iota / (t H^2 sum_i (alpha_t^i)^2)) <= 2 exp(-c^2 iota) = 2 exp(-2 iota) = 2 (p / SAT)^2,

and over all (x, a, h) and t <= K, which are SAT, with probability at most 2 p^2 / (SAT). That is at most p/2 where SAT >= 4p.
Where it is not, S = 1 or H = 1 and V*_{h+1} has no noise. The weighted bonuses cover that: by Lemma 4.1 (a) they are at least as
large.

The regret. With w_h = (1 + 1/H)^{h-1} the recursion of Section 4.2 gives

    R_K <= sum_h w_h (S A H + sum_k beta_{n_h^k} + sum_k xi_{h+1}^k),   beta_n <= 4 c sqrt(H^3 iota / n), beta_0 = 0.

A pair that is visited N times at a step has sum_{n < N} 1/sqrt(n) <= 2 sqrt(N), in all at most 2 sqrt(SAK) at each step. The xi
are martingale differences in intervals of length H, so that sum_h w_h sum_k xi <= H sqrt(K sum_h w_h^2 log(2/p) / 2), but for a
probability of p/2. With the p/2 of the event the bound fails with probability at most p.
"""

from __future__ import annotations

import math

import numpy as np

from verifier_settings.episodic import Public

C_BONUS = math.sqrt(2.0)
"""The absolute constant c of the bonus."""


def iota(public: Public, K: float) -> float:
    """log(S A T / p)."""
    return math.log(public.S * public.A * K * public.H / public.delta)


def hoeffding_width(public: Public, K: float | None = None) -> float:
    """c sqrt(H^3 iota), the bonus of the first update."""
    return C_BONUS * math.sqrt(public.H**3 * iota(public, public.K if K is None else K))


def regret(public: Public, K: float, scale: float = 1.0) -> float:
    """sum_h w_h [S A H + 8 c sqrt(H^3 iota) sqrt(S A K)] + H sqrt(K sum_h w_h^2 log(2/p) / 2); `scale` multiplies c."""
    S, A, H = public.S, public.A, public.H
    growth = (1 + 1 / H) ** np.arange(H)
    bonuses = 8 * scale * hoeffding_width(public, K) * math.sqrt(S * A * K)
    noise = H * math.sqrt(K * float((growth**2).sum()) * math.log(2 / public.delta) / 2)
    return float(growth.sum()) * (S * A * H + bonuses) + noise
