"""Constants of Q-learning with UCB-Bernstein (Jin, Allen-Zhu, Bubeck and Jordan 2018, Algorithm 2), with c_1 and c_2 written out.

The paper only says that some c_1, c_2 work. Ours come from a shorter way than its own (Lemmas C.1 to C.3): the noise is
compared with the variance of V*, which is fixed, and not with that of the values of the run.

*Three events*, for a fixed (x, a, h) and t visits, whose next states are independent draws of P_h(.|x, a). With iota' = 2 iota =
2 log(SAT/p), noise N_t = sum_i alpha_t^i [V*_{h+1}(x_i) - P V*_{h+1}], s^2 the variance of V*_{h+1} under P and s_t^2 that of
the t draws, divided by t - 1:

    |N_t| <= sqrt(2) sqrt(H^3 iota / t)                          (Azuma, Hoeffding; as for UCB-Hoeffding),
    |N_t| <= 2 sqrt(2 H iota / t) s + 4 H^2 iota / (3t)          (Bernstein, with Lemma 4.1 (b): weights and their squares 2H/t),
    |s_t - s| <= (H - h) sqrt(4 iota / (t-1)), t > 1             (Maurer and Pontil 2009, Theorem 10, either side).

They fail with probability (2 + 2 + 2) exp(-2 iota), for all (x, a, h) and t <= K together 6 p^2 / (SAT). That is at most p/2
where SAT >= 12 p. Where it is not, there is hardly a visit: S = 1 or H = 1 have no noise.

*The first arm of beta.* Let D_t = sum_i (V_{h+1}^{k_i} - V*_{h+1})(x_i), with no negative terms. Deviations are seminorms, and
(V - V*)^2 <= H (V - V*), so that s_t <= sqrt(t/(t-1)) (sqrt(W_t) + sqrt(H D_t / t)), and for t > 1, where t <= 2 (t-1),

    |N_t| <= 4 sqrt(H W_t iota / t) + 8 H^{3/2} iota / t + 4 H sqrt(iota D_t) / t + 4 H^2 iota / (3t).

D_t is a sum over t episodes at the next step, to which Lemma 4.3 applies, and so on to the last step: with weights of at most
w_j = (1 + 1/H)^j of each episode and t in all after j steps,

    D_t <= sum_{j < H-h} [S A H w_j + 2 c_2 sqrt(H^3 iota) sqrt(w_j S A t)]
        <= (e - 1) S A H^2 + 4 (sqrt(e) - 1) c_2 sqrt(S A H^5 iota t),

as a pair with weights of at most w and of m in all adds at most 2 sqrt(w m) to sum w_k / sqrt(n_k). The paper has D_t in its
Lemma C.2. With X = sqrt(H^2 iota / t), Y = sqrt(H^7 S A) iota / t the root of the second part of D_t gives a multiple of sqrt(X
Y), which is at most (l X + Y / l) / 2 for any l. The other terms are multiples of Y, as sqrt(SA) >= sqrt(2) and H, exp(iota) /
2 >= 2 where there is noise. With c_2 = 16 this leaves |N_t| <= c_1 / 2 (sqrt(H (W_t + H) iota / t) + Y) for c_1 = 30 (a test
does the sums; for t = 1 the noise is at most H), and c_2 / 2 >= sqrt(2) has room: a larger c_2 lets c_1 grow with its root
only, so that the first arm can be the smaller one from H = 4 on. With c_2 = 2 sqrt(2), the least, it would need H > 30.

*The regret.* The recursion of Section 4.2 gives, with w_h = (1 + 1/H)^{h-1} and n the visits before,

    R_K <= sum_h w_h (S A H + sum_k beta_{n_h^k} + sum_k xi_{h+1}^k),

and the second arm sum_k beta <= 2 c_2 sqrt(H^3 iota S A K) for each h. For the first arm, sqrt(W_n) <=
sqrt((n-1)/n) s_n + sqrt(H D_n / n) <= s + (H - h) sqrt(4 iota / n) + sqrt(H D_n / n) by the same events, and with sqrt(W + H) <=
sqrt(W) + sqrt(H), for each h,

    sum_k beta / c_1 <= sqrt(H iota) [2 sqrt(S A sum_k s^2) + 2 sqrt(H S A K) + 2 H sqrt(iota) S A L
                        + sqrt(H) sum_k sqrt(D_n) / n] + sqrt(H^7 S A) iota S A L,   L = 1 + log K,
    sum_k sqrt(D_n) / n <= sqrt((e-1) S A) H S A L + 2 sqrt((sqrt(e) - 1) c_2) (S A H^5 iota)^{1/4} 4 (S A)^{3/4} K^{1/4},

where s belongs to the pair, so that sum_k s / sqrt(n) <= 2 sqrt(S A sum_k s^2) without a logarithm. The variances: Var V* <= 2
Var V^pi + 2 H P (V* - V^pi), the first sum to at most H^2 in the mean of an episode (law of total variance) and H^3 always, and
V* <= V, so that with l = log(4H/p) and probability 1 - p/2 (H - 1 + H + 1 martingales)

    sum_{h,k} s^2 <= 2 (K H^2 + H^3 sqrt(K l / 2)) + 2 H sum_h [G + H sqrt(K l / 2)],
    G = sum_h w_h (S A H + 2 c_2 sqrt(H^3 iota S A K)) + H sqrt(K sum_h w_h^2 l / 2) >= sum_k (V_{h+1} - V^pi)_{h+1}.

The bound is the smaller of those of both arms. The printed O(sqrt(H^3 S A T iota)) is its first term for K without end.
"""

from __future__ import annotations

import math

import numpy as np

from verifier_properties.episodic.bernstein_updates import BernsteinError, BernsteinUpdates
from verifier_reference.shared.q_learning import iota
from verifier_settings.episodic import Public

C1, C2 = 30.0, 16.0
"""The absolute constants c_1 and c_2 of beta."""


class ReferenceUpdates(BernsteinUpdates):
    """Updates with the constants of the paper."""

    c1, c2 = C1, C2


class ReferenceUpdateError(BernsteinError):
    """Error of updates with the constants of the paper."""

    c1, c2 = C1, C2


def logarithm(public: Public) -> float:
    """iota of the theorem."""
    return iota(public, public.K)


def _growth(public: Public, power: int) -> float:
    """sum_h w_h, or of another power of it."""
    return float(((1 + 1 / public.H) ** (power * np.arange(public.H))).sum())


def _noise(public: Public, K: float) -> float:
    """H sqrt(K sum_h w_h^2 l / 2), l = log(4H/p)."""
    return public.H * math.sqrt(K * _growth(public, 2) * math.log(4 * public.H / public.delta) / 2)


def second_arm(public: Public, K: float, scale: float = 1.0) -> float:
    """Bound on sum_h w_h sum_k beta by the second arm; `scale` multiplies the iota in beta."""
    S, A, H = public.S, public.A, public.H
    return _growth(public, 1) * 2 * C2 * math.sqrt(H**3 * scale * iota(public, K) * S * A * K)


def first_arm(public: Public, K: float, scale: float = 1.0) -> float:
    """Bound on sum_h w_h sum_k beta by the first arm; sum_h w_h sqrt(sum_k s^2) <= sqrt(sum_h w_h^2 sum_{h,k} s^2)."""
    S, A, H, log = public.S, public.A, public.H, iota(public, K)
    total, L, least = _growth(public, 1), 1 + math.log(K), math.sqrt(K * math.log(4 * H / public.delta) / 2)
    gap = total * S * A * H + second_arm(public, K, scale) + _noise(public, K)
    variance = 2 * (K * H**2 + H**3 * least) + 2 * H**2 * (gap + H * least)
    quarter = (S * A * H**5 * scale * log) ** 0.25
    leads = math.sqrt((math.e - 1) * S * A) * H * S * A * L
    leads += 2 * math.sqrt((math.sqrt(math.e) - 1) * C2) * quarter * 4 * (S * A) ** 0.75 * K**0.25
    others = 2 * math.sqrt(H * S * A * K) + 2 * H * math.sqrt(log) * S * A * L + math.sqrt(H) * leads
    inside = 2 * math.sqrt(S * A * _growth(public, 2) * variance) + total * others
    return C1 * (math.sqrt(H * scale * log) * inside + total * math.sqrt(H**7 * S * A) * scale * log * S * A * L)


def regret(public: Public, K: float, scale: float = 1.0) -> float:
    """sum_h w_h S A H + H sqrt(K sum_h w_h^2 l / 2), and the smaller bound of sum_h w_h sum_k beta."""
    bonuses = min(first_arm(public, K, scale), second_arm(public, K, scale))
    return _growth(public, 1) * public.S * public.A * public.H + bonuses + _noise(public, K)
