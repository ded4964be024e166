"""Constants of RLSVI (Russo 2019), its lemmas as they are used here, and the bound of its theorem written out.

What is taken for granted of the paper: the MDP, whose transitions and random rewards in [0, 1] may depend on the step; the
pseudo-code, in which an episode is planned with the estimates R, P (sums over n + 1) and noise N(0, beta_k / (n + 1)),
independent over steps, states, actions and episodes; beta_k = (1/2) S H^3 log(2 H S A k); a set of plausible models, in which
|R - r + (P - P*) V*_{h+1}| <= e at all steps and pairs, and in which the estimates are at all but a number of episodes of mean
at most pi^2/6; stochastic optimism, P(V_1 >= V*_1 | past) >= Phi(-1) while they are; and mean regret of O(H^3 S^{3/2} sqrt(AK))
up to logarithms. The text was not at hand. What follows is a reconstruction from these.

The set. Stochastic optimism, as below, needs H S e^2 <= beta_k / (n + 1), so that e = H sqrt(log(2HSAk) / (2 (n + 1))) here.
But then the mean number is more than pi^2/6 for some MDPs, whatever the set is: V_1 is below the truth p of one coin with a
probability above Phi(1) where p - R > sqrt(beta_k / k), which is in no set for which optimism holds, and for p = 0.6 that is so
1.753 times in ten episodes in the mean. With e = H sqrt(log(2HSAk) / (n + 1)) the proof of optimism gives Phi(-sqrt 2) = 0.0786
only. So the factor 1/2 of beta_k, or a constant of the two lemmas, is not what is printed, or not true: only the published text
could settle which. The number is claimed here for instances for which a union bound proves it, see
`verifier_properties.episodic.randomised_values.union`.

Optimism. Let V' be the value of the optimal policy pi* in the model with noise, and d(h,s) the probability with which it is at s
at step h under the kernel P, from s_1. As V_1 is the largest value of all policies there, the lemma on value differences gives

    V_1 - V*_1 >= V'_1 - V*_1 = sum_{h,s} d(h,s) [w + R - r + (P - P*) V*_{h+1}] >= sum_{h,s} d(h,s) (w - e),

at the actions of pi*. Given the past the last sum is normal, with mean -sum d e >= -sqrt(HS sum d^2 e^2) and variance
sum d^2 beta_k / (n + 1) = HS sum d^2 e^2. So it is not negative with a probability of at least Phi(-1).

Regret. Let V~ be values with other noise w~ of the same law, independent of all else given the past. While the estimates
are plausible, P(V_1 >= V*_1) >= Phi(-1) gives E[V*_1 - V_1] <= E(V_1 - E V_1)^+ / Phi(-1) <= E(V_1 - V~_1)^+ / Phi(-1), and V~_1
is at least the value of the policy pi_k there. So

    E[V*_1 - V^{pi_k}_1] <= (1 + 1/Phi(-1)) E D_k + E D~_k / Phi(-1),

where D_k = |V_1 - V^{pi_k}_1|, and D~_k is the same for the value of pi_k with the noise w~. Along the episode that is played

    D_k <= E sum_h [|w| + |R - r| + ||P - P*||_1 (H - h) (1 + max |w|)],

as |V_{h+1}| <= (H - h)(1 + max |w|). Visits of a pair number n = 0, 1, ..., so that sum_{k,h} 1/(n+1) <= H S A L, L = 1 + log
K. And as n and what is seen at the n-th visit are independent, sum_{k,h} E |R - r|^2 <= H S A L and sum_{k,h} E ||P - P*||_1^2
<= S H S A L: a mean of n numbers in [0, 1], divided by n + 1, is off by at most sqrt(max(n, 1)) / (n + 1) <= 1/sqrt(n+1) in
quadratic mean. The largest of H S A squared standard normal numbers has a mean of at most m = 2 log(HSA) + 2. By Cauchy and
Schwarz

    sum_k E D_k <= (1 + sqrt(beta_K m)) sqrt(H S A K L) [sqrt(H) + sqrt(S H (H-1) (2H-1) / 6)] = B(K),

and the same for D~. Episodes that are not plausible lose at most H each: E R_K <= H pi^2/6 + (1 + 2/Phi(-1)) B(K). Up to
logarithms that is H^{7/2} S^{3/2} sqrt(AK) = H^3 S^{3/2} sqrt(AT), T = KH, a factor sqrt(H) more than what is quoted: whether
that has T or K under the root only the published text could settle.
"""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier_properties.episodic.randomised_values import FAILURES, LEAST, noise_error
from verifier_properties.episodic.value_noise import Noise
from verifier_settings.episodic import Public


def beta(public: Public, k: Array | float) -> Array:
    """(1/2) S H^3 log(2 H S A k)."""
    return 0.5 * public.S * public.H**3 * np.log(2.0 * public.H * public.S * public.A * np.asarray(k, dtype=float))


NOISE = Noise(beta)
NoiseError = noise_error(NOISE)


def regret(public: Public, K: float, scale: float = 1.0) -> float:
    """H pi^2/6 + (1 + 2/Phi(-1)) B(K); `scale` multiplies the noise."""
    S, A, H = public.S, public.A, public.H
    largest = 1 + scale * math.sqrt(float(beta(public, K)) * (2 * math.log(H * S * A) + 2))
    visits = math.sqrt(H * S * A * K * (1 + math.log(K)))
    steps = math.sqrt(H) + math.sqrt(S * H * (H - 1) * (2 * H - 1) / 6)
    return H * FAILURES + (1 + 2 / LEAST) * largest * visits * steps
