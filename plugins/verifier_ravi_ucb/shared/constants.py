"""The paper's constants and explicit bounds, each as a function of the number of steps T.

Theorem, lemma and equation numbers are those of Moulin and Neu, "Optimistic Planning by Regularized Dynamic Programming" (ICML
2023), arXiv 2302.14004. H = 1/(1-g) throughout. K(T) is the epoch that contains step T and T+ its last step had the run gone
on: E K(T) = 1 + (1-g)(T-1), E T+ = T + gH. Bonuses are summed to T+, as in the proof of Lemma 4.4.

Every bound is evaluated at any T > 0, not only at the run's, so that one can ask from which T on it is below the trivial one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verifier_settings.discounted.instance import Public

RARE = 1.0 + math.sqrt(2.0)
"""n/sqrt(N) <= RARE (sqrt(N+n) - sqrt(N)) for 0 <= n <= N."""

DOUBLING = 2.0 + math.sqrt(2.0)
"""1 + 2^(-1/2) + 2^(-1) + ..., the sum of 1/sqrt(N) over epochs that each double N >= 1."""


# The run ------------------------------------------------------------------------------------------------------------


def delta_at(public: Public, T: float) -> float:
    """The failure probability for T steps: T delta stays as declared, as in the paper's delta = 1/T; at most 1."""
    return min(1.0, public.delta * public.T / T)


def eta(public: Public, T: float) -> float:
    """Theorem 4.1: the learning rate eta = sqrt(2 log A / (H^2 T)).

    A = 1 would give 0, by which Algorithm 1 divides; V = Q and the one policy do not depend on eta then, and 1 is returned.
    The root is lost in some renderings of the paper; the optimisation term of Theorem 4.1 needs it.
    """
    return math.sqrt(2.0 * math.log(public.A) / T) / public.H if public.A > 1 else 1.0


ETA = "where(A > 1, sqrt(2 * log(A) / T) / H, 1)"
"""Formula of the learning rate."""


def expected_epochs(public: Public, T: float) -> float:
    """E K(T) = 1 + (1-g)(T-1): epoch 1, and one more for each of the T - 1 coins before step T that end an epoch.

    Section 4.3 has (1-g) T (erratum `expected-epochs`).
    """
    return 1.0 + (1.0 - public.gamma) * (T - 1.0)


def expected_steps(public: Public, T: float) -> float:
    """E T+ = T + gH = H E K(T): after step T the epoch continues for a geometric number of steps from 0, of mean gH."""
    return T + public.gamma * public.H


def longest_epoch(public: Public, T: float) -> float:
    """Lemma A.4, inside its proof: E max_{k <= K(T)} L_k <= H (2 + log T).

    K(T) <= T and the L_k are independent with Pr(L > i) = g^i, so the mean is at most m + T g^m H for each integer m >= 0; m =
    ceil(H log T) and log g <= -(1-g) give 1 + H log T + H.
    """
    return public.H * (2.0 + math.log(T))


def length_factor(public: Public, T: float) -> float:
    """Lemma A.4: E max_{k <= K(T)} L_k / log(1 + L_k) <= H (4 + 2 log T), as log(1 + L) >= log 2 > 1/2."""
    return 2.0 * longest_epoch(public, T)


# Theorem 4.1 ---------------------------------------------------------------------------------------------------------


def optimisation(public: Public, T: float, epochs: float | None = None, entropy: float | None = None) -> float:
    """Section 4.3: H [ H(pi*||pi_0)/eta + K(T) eta H^3/2 ], with eta = eta(T).

    With K(T) = (1-g)T it would be the printed sqrt(2 H^4 log(A) T); E K(T) adds g eta H^4/2 = g H^3 sqrt(log(A)/(2T)).

    Parameters
    ----------
    public : Public
    T : float
        Steps, which set eta.
    epochs : float, optional
        K(T) of a run, or a mean of it; E K(T) by default.
    entropy : float, optional
        H(pi*||pi_0) = <nu*, KL(pi*||pi_0)>; log A by default, which covers the uniform pi_0 (and no other in general). Infinite
        where pi_0 excludes an action that pi* takes.

    Returns
    -------
    float
        0 for A = 1, where the bound holds for every eta > 0.
    """
    if public.A == 1:
        return 0.0
    rate = eta(public, T)
    divergence = math.log(public.A) if entropy is None else entropy
    K = expected_epochs(public, T) if epochs is None else epochs
    return public.H * (divergence / rate + K * rate * public.H**3 / 2.0)


def regret_bound(
    public: Public,
    T: float,
    bonus_sum: float,
    *,
    epochs: float | None = None,
    entropy: float | None = None,
    failure: float | None = None,
) -> float:
    """Theorem 4.1, corrected: R_T <= 2 E sum_{t<=T+} CB_t + H E[log(A)/eta + K(T) eta H^3/2 + 2H] + T Pr(not valid).

    Let the sum of gaps run to the end of epoch K(T) and stop it before the first epoch with an invalid bonus; whether epoch k is
    played and which bonuses up to k are valid is known before it starts, so Wald's identity replaces steps by H times epochs,
    Lemma 4.3 bounds the sum over epochs on every path, and Lemma 4.4 holds with equality for sums to T+. The steps dropped
    cost at most 1 each, with the probability that some bonus is invalid.

    The paper has no T delta, which is 1 for its delta = 1/T, and E K(T) = (1-g)T (erratum `expected-epochs`). For valid
    bonuses, a uniform pi_0 and E K(T) its statement still holds: Lemma 4.3 is true with eta H^3/8 and H in place of eta H^3/2 and
    2H, which leaves 3 eta H^3 T/8 + H^2 for g eta H^4/8 where T >= gH/3, and R_T <= T <= 2H^2 below; H^2 >= 1 = T delta.

    Parameters
    ----------
    public : Public
    T : float
    bonus_sum : float
        E sum_{t <= T+} CB_t(X_t, A_t), or a bound on it.
    epochs, entropy : float, optional
        As in `optimisation`.
    failure : float, optional
        The probability that some bonus is invalid; `delta_at` by default.
    """
    chance = delta_at(public, T) if failure is None else failure
    return 2.0 * bonus_sum + optimisation(public, T, epochs, entropy) + 2.0 * public.H**2 + T * chance


def printed_regret_bound(public: Public, T: float, bonus_sum: float) -> float:
    """Theorem 4.1 as printed: 2 E sum_{t<=T+} CB_t + sqrt(2 H^4 log(A) T) + 2 H^2."""
    return 2.0 * bonus_sum + public.H**2 * (math.sqrt(2.0 * math.log(public.A) * T) + 2.0)


# Section 5.1: tabular ------------------------------------------------------------------------------------------------


def tabular_beta(public: Public, T: float) -> float:
    """Lemma 5.1: beta = 8 H sqrt(X log(X A T / delta)).

    Where the root starts is lost in some renderings; it must cover X for the stated rate, and not H. The width is ample: a count
    N holds n = N - 1 visits, so |P V - Phat V| <= (n/N) (H/2) ||P - Pbar||_1 + H/N, and with L = log(X A T / delta), by
    Weissman's inequality for all x, a and n < T at once, this is at most H sqrt((X log 2 + L)/(2N)) + H/N.
    """
    return 8.0 * public.H * math.sqrt(public.X * math.log(public.X * public.A * T / delta_at(public, T)))


TABULAR_BETA = "8 * H * sqrt(X * L)"
"""Formula of the width, with L = log(X A T / delta)."""


def log_term(X: float, A: float, T: float, delta: float) -> Any:
    """L of Lemma 5.1."""
    return np.log(X * A * T / delta)


def tabular_bonus_pathwise(public: Public, steps: float, longest: float, beta: float) -> float:
    """Lemma 5.2, explicit, on every path: beta [ (1+sqrt 2) sqrt(XA (T+ + XA)) + (2+sqrt 2) XA max_k L_k ].

    For one pair let an epoch find the count N and add n. Epochs with n <= N cost n/sqrt(N) <= (1+sqrt 2)(sqrt(N+n) -
    sqrt(N)), which telescopes to the root of the final count; the final counts add up to T+ + XA, and Cauchy-Schwarz over the XA
    pairs gives the first term. Each other epoch more than doubles N >= 1 and costs at most L_k/sqrt(N): a geometric series.

    The paper has O(beta sqrt(XAT)), which fails for large H (erratum `frozen-counts`).

    Parameters
    ----------
    public : Public
    steps : float
        T+.
    longest : float
        max_k L_k, k <= K(T).
    beta : float
        The coefficient of the bonus, CB = beta/sqrt(N).
    """
    pairs = public.X * public.A
    return beta * (RARE * math.sqrt(pairs * (steps + pairs)) + DOUBLING * pairs * longest)


def tabular_bonus_sum(public: Public, T: float, beta: float) -> float:
    """Lemma 5.2, explicit, in expectation: `tabular_bonus_pathwise` at E T+ (Jensen) and at Lemma A.4's bound on E max L_k."""
    return tabular_bonus_pathwise(public, expected_steps(public, T), longest_epoch(public, T), beta)


def regret_bound_tabular(public: Public, T: float, scale: float = 1.0) -> float:
    """Section 5.1, explicit: `regret_bound` with `tabular_bonus_sum` at scale times Lemma 5.1's beta.

    Of order X H sqrt(AT) + H^2 sqrt(T log A) up to logarithms; section 5.1 leaves the second term out.
    """
    return regret_bound(public, T, tabular_bonus_sum(public, T, scale * tabular_beta(public, T)))


# Section 5.2: linear mixtures (d >= 1 and B finite) -----------------------------------------------------------------


def log_growth(public: Public, steps: float) -> float:
    """log(1 + B^2 H^2 steps / (lambda d)): 1/d of what log det Lambda grows by in that many steps of ||phi|| <= BH."""
    return math.log1p((public.B * public.H) ** 2 * steps / (public.ridge * public.d))


def mixture_beta(public: Public, T: float) -> float:
    """Lemma 5.4: beta = H sqrt( 2 ( (d/2) log(1 + T B^2 H^2/(lambda d)) + log(1/delta) ) ) + sqrt(lambda) B.

    The noise of the estimate, by Theorem C.2 with sigma = H, and its bias lambda ||theta||_{Lambda^-1} <= sqrt(lambda) B. What
    epoch k <= K(T) uses was seen before step T.
    """
    inside = public.d / 2.0 * log_growth(public, T) + math.log(1.0 / delta_at(public, T))
    return public.H * math.sqrt(2.0 * inside) + math.sqrt(public.ridge) * public.B


MIXTURE_BETA = "H * sqrt(2 * (d / 2 * growth + log(1 / delta))) + sqrt(ridge) * B"
"""Formula of the width, with the growth log(1 + T B^2 H^2/(lambda d))."""


def growth(T: float, B: float, H: float, ridge: float, d: float) -> Any:
    """The growth in Lemma 5.4."""
    return np.log(1 + T * B**2 * H**2 / (ridge * d))


def log_potential(public: Public, steps: float) -> float:
    """Lemma A.2: sum_k (1/L_k) sum_{t in epoch k} log(1 + L_k ||phi_{k,t}||^2) <= d log(1 + B^2 H^2 steps/(lambda d)).

    Norms in Lambda_k^-1; steps counts those of the epochs summed over, T+ for k <= K(T). The paper has T.
    """
    return public.d * log_growth(public, steps)


def bad_epochs(public: Public, steps: float) -> float:
    """Lemma A.3: at most (d/log 2) log(1 + B^2 H^2 steps/(lambda d)) epochs have a step with ||phi_{k,t}||_{Lambda_k^-1} >= 1.

    steps as in `log_potential`.
    """
    return log_potential(public, steps) / math.log(2.0)


def bad_steps_bound(public: Public, beta: float, steps: float) -> float:
    """Lemma 5.5, appendix A.4: C_1 = beta d B H^2/(sqrt(lambda) log 2) log(1 + B^2 H^2 steps/(lambda d)).

    Printed with steps = T. From its first bad step on, an epoch lasts H more steps in the mean (including that one), each with a
    norm of at most BH/sqrt(lambda); the steps before are in the other sum. The logarithm is concave: steps = E T+.
    """
    return beta * public.B * public.H**2 / math.sqrt(public.ridge) * bad_epochs(public, steps)


def root_coefficient(public: Public, T: float, beta: float, steps: float) -> float:
    """Lemma 5.5, appendix A.4: C_2 = beta sqrt( H (4 + 2 log T) d log(1 + B^2 H^2 steps/(lambda d)) ); printed with steps = T."""
    return beta * math.sqrt(length_factor(public, T) * log_potential(public, steps))


def mixture_bonus_sum(public: Public, T: float, beta: float) -> float:
    """Lemma 5.5, explicit: E sum_{t<=T+} CB_t <= C_1 + sqrt(T + gH) C_2, logarithms at T + gH in C_1, at T + 2gH in C_2.

    The paper has T in all three places, though its sums run to T+. By Cauchy-Schwarz, with M = max_k L_k/log(1+L_k),
    E sqrt(T+ M l(T+)) <= sqrt(E[M] E[T+ l(T+)]) for l(x) = d log(1 + B^2 H^2 x/(lambda d)). As x l(x) is convex, T+ may not be
    replaced by its mean; Jensen for the law of T+ weighted by T+ gives E[T+] l(E[T+^2]/E[T+]), and
    E[T+^2]/E[T+] = T + gH + g H^2/(T + gH) <= T + 2gH, because T + gH >= 1 + gH = H.
    """
    later = public.gamma * public.H
    root = root_coefficient(public, T, beta, T + 2.0 * later)
    return bad_steps_bound(public, beta, T + later) + math.sqrt(T + later) * root


def regret_bound_mixture(public: Public, T: float, scale: float = 1.0) -> float:
    """Theorem 5.6, explicit: `regret_bound` with `mixture_bonus_sum` at scale times Lemma 5.4's beta."""
    return regret_bound(public, T, mixture_bonus_sum(public, T, scale * mixture_beta(public, T)))
