"""The logarithm and the explicit bound on the regret of MVP (Zhang, Ji and Du 2021), with their derivation.

The paper has iota = log(2/delta) for one inequality, and counts them at the end; its bound is printed without constants, as
O(sqrt(SAK iota) + S^2 A iota) up to logarithms, with rewards that add up to at most 1. Here values are in [0, H], and delta is
the chance of all failures together: iota = log(9 S^2 A H D / delta), D = 1 + log2 T, where D is at least the number of powers
of two that a count can reach. In units of H, so that values lie in [0, 1], and with sums over S A pairs and D powers:

    (1)  |(Phat - P) V*_{h+1}| <= 2 sqrt(Var(Phat, V*) iota/n) + 14 iota/(3n)   4 S A (H - 1) D exp(-iota)
    (2)  |(Phat - P) V*_{h+1}| <= sqrt(2 Var(P, V*) iota/n) + iota/(3n)         2 S A (H - 1) D exp(-iota)
    (3)  |rhat - r| <= 2 sqrt(2 rhat iota/n) + 28 iota/(3n)                     4 S A D exp(-iota)
    (4)  |Phat(y) - P(y)| <= sqrt(2 P(y) iota/n) + iota/(3n)                    2 S^2 A D exp(-iota)
    (5)  four sums of martingale differences, below                             4 exp(-iota)

(see `verifier_properties.episodic.doubled_confidence`) fail with probability at most delta, as 6H - 2 + 2S + 4 <= 9SH for H >
1, and 2S + 4 <= 9S for H = 1, where (1), (2) and (5) have no noise. By (1) and (3) all V_h of all plans are optimistic (see
`verifier_properties.episodic.monotone_bonus`).

*Counting.* A count N reaches 1 + floor(log2 N) powers of two, all of them together at most G = S A log2(8T/(SA)) (for T >= SA).
A step is *good* if its pair was known to the plan and has had fewer than 2n visits before it. With each power n = 2^i a pair
has at most n good steps, so that sum 1/n <= G over good steps. If an episode has a step that is not good, some count reaches a
power of two in it: that is so in at most G episodes. They are followed up to their first such step, where what is left is at
most 1.

*One step.* With e = (rhat - r)^+ + b + ((Phat - P) V_{h+1})^+ at a good step, V_h - V^pi_h <= e + P (V_{h+1} - V^pi_{h+1}). So
with B = sum e over good steps and the noise xi of V - V^pi at the next state, R_K <= B + sum xi + G.

*Noise.* For differences of at most 1, sum xi <= (e-2) l sum Var(xi) + iota/l but for exp(-iota), for each l <= 1. For X_h in
[0, 1] with X_h - P X_{h+1} <= e the variances of X_{h+1} sum up to at most

    sum [P X^2 - X^2(s')] + G + sum (X_h + P X_{h+1}) (X_h - P X_{h+1})^+ <= (sum Var)/2 + 8 (e-2) iota + G + 2B,

by the same inequality for X^2, whose variance is at most 4 times that of X, with l = 1/(8 (e-2)). So Z = sum Var(P, V - V^pi)
and M = sum Var(P, V - V*) are at most F + 4B, F = 2G + 16 (e-2) iota, and M' = sum Var(P, V) <= F + 4K + 4B, since V_h - P
V_{h+1} <= r + e. Where a plan is not optimistic, X is not in [0, 1]; such episodes, known when they begin, are left out, and
there are none. With l = 1/(4 (e-2)) for xi:  sum xi <= Z/4 + 4 (e-2) iota,  R_K <= 2B + 3G/2 + 8 (e-2) iota.

*B.* By (4), Phat <= 3P/2 + 4 iota/(3n), hence Var(Phat, V) <= 3/2 Var(P, V) + 4 S iota/(3n), and |(Phat - P)(V - V*)| <= sqrt(2
S Var(P, V - V*) iota/n) + S iota/(3n). By (2), and Var V* <= 2 Var V + 2 Var(V - V*), |(Phat - P) V*| <= 2 sqrt(Var(P, V)
iota/n) + 2 sqrt(Var(P, V - V*) iota/n) + iota/(3n). By (3), rhat <= 2r + 80 iota/(3n), and sum r <= K. With Cauchy and Schwarz

    B <= 2 c_2 sqrt(iota G (2K + 80 iota G/3)) + a sqrt(iota G M') + a' sqrt(iota G M) + a'' iota G,
    a = c_1 sqrt(3/2) + 2,   a' = 2 + sqrt(2S),   a'' = 28/3 + c_1 sqrt(4S/3) + (S + 1)/3 + c_3,

and as M' <= F + 4K + 4B and M <= F + 4B this is an inequality B <= x + 2y sqrt(B), so that sqrt(B) <= y + sqrt(y^2 + x). With
all of the confidence intervals at iota and the bonus at another one, as in the scaled regimes, c_1 and c_2 count with the root
of the factor and c_3 with the factor. For K without end the bound is (4a + 16) H sqrt(iota G K).
"""

from __future__ import annotations

import math

from verifier_properties.episodic.doubling import planning_bound
from verifier_properties.episodic.monotone_bonus import C_REWARD, C_SMALL, C_VARIANCE
from verifier_settings.episodic import Public

_E2 = math.e - 2.0


def logarithm(public: Public, K: float | None = None) -> float:
    """iota = log(9 S^2 A H (1 + log2 T) / delta)."""
    T = (public.K if K is None else K) * public.H
    return math.log(9 * public.S**2 * public.A * public.H * (1 + math.log2(T)) / public.delta)


def reached(public: Public, K: float) -> float:
    """G, how many powers of two all counts together can reach."""
    return planning_bound(public, max(K * public.H, public.X))


def regret(public: Public, K: float, scale: float = 1.0) -> float:
    """H (2B + 3G/2 + 8 (e-2) iota); `scale` multiplies the iota in the bonus."""
    S, iota, G = public.S, logarithm(public, K), reached(public, K)
    root = math.sqrt(scale)
    a = root * C_VARIANCE * math.sqrt(1.5) + 2
    other = 2 + math.sqrt(2 * S)
    small = 28 / 3 + root * C_VARIANCE * math.sqrt(4 * S / 3) + (S + 1) / 3 + scale * C_SMALL
    fixed = 2 * G + 16 * _E2 * iota
    rewards = (1 + root) * C_REWARD * math.sqrt(iota * G * (2 * K + 80 * iota * G / 3))
    each = math.sqrt(iota * G)
    x = rewards + each * (a * math.sqrt(4 * K + fixed) + other * math.sqrt(fixed)) + small * iota * G
    y = each * (a + other)
    return public.H * (2 * (y + math.sqrt(y**2 + x)) ** 2 + 1.5 * G + 8 * _E2 * iota)
