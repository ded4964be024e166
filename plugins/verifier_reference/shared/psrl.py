"""Constants of PSRL (Osband, Russo and Van Roy 2013), with the bound of its theorem written out.

Let M* be drawn from the prior and M_k from the posterior at the start of episode k, with optimal policies mu* and mu_k. Given the
history both have the same law, so that E V*_1 = E V^{M_k}_{mu_k, 1} (Lemma 1), and with the simulation lemma

    E R_K = E sum_k (V^{M_k}_{mu_k} - V^{M*}_{mu_k})_1 = E sum_{k,h} [(P_k - P*) V^{M_k}_{mu_k, h+1}](s_h, a_h).

A difference of laws has sum 0, so that a term is at most (H-h)/2 ||P_k - P*||_1, and never more than H - h. For n visits of a
pair ||Phat - P*||_1 > beta(n) = sqrt(2 (S log 2 + log(1/d)) / n) with probability at most d (Weissman et al. 2003), for all
pairs and n <= KH together S A K H d, which is 1/(KH) for d = 1/(S A K^2 H^2). Whether it holds is a function of the history and
the kernel; so M_k fails as often as M*. An episode in which either fails loses at most H: E of these is at most 2 K H / (KH) =
2. In the others ||P_k - P*||_1 <= 2 beta(N_k), and the last step has no term:

    E R_K <= 2 + (H-1) c sum_{k, h<H} 1 / sqrt(max(1, N_k)),   c = sqrt(2 (S log 2 + log(S A K^2 H^2))) >= 1,
    sum_{k, h<H} 1 / sqrt(max(1, N_k)) <= 2 (H-1) S A + 2 sqrt(2 S A K (H-1)),

as counts are frozen for an episode, and those of its first H-1 steps alone are as large as is needed. The paper has
O(H S sqrt(A T log(SAT))); the rewards, which it estimates too, are known here.
"""

from __future__ import annotations

import math

from verifier_settings.episodic import Public

PRIOR = 1.0
"""The parameter of every next state a priori."""


def regret(public: Public, K: float, scale: float = 1.0) -> float:
    """The bound above; there is no width to scale."""
    S, A, H = public.S, public.A, public.H
    c = math.sqrt(2 * (S * math.log(2) + math.log(S * A * K**2 * H**2)))
    return 2 + (H - 1) * c * (2 * (H - 1) * S * A + 2 * math.sqrt(2 * S * A * K * (H - 1)))
