"""UCB1: radius of its proof, and the bounds of Theorem 1; KL-UCB: its level, and what the proof of Theorem 2 adds up.

OFUL: the radius of Theorem 2, its largest value, and the bound of Theorem 3 with all constants. EXP3: gamma, and both bounds.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import comb
from types import SimpleNamespace
from typing import Any

import numpy as np

from .exact import D, ln, power, root
from .writing import Writing

FORMULAS = "verifier_bandits.shared.formulas"
DIVERGENCES = "verifier_bandits.kl_ucb.formulas"
OFUL = "verifier_bandits.oful.formulas"
ELLIPSOIDS = "verifier_properties.episodic.ellipsoids"
EXP3 = "verifier_bandits.exp3.formulas"
PI = Decimal("3.14159265358979323846264338")
GAPS = tuple({"gaps": np.array(gaps), "K": K} for gaps in ([0.7], [0.1, 0.25, 0.6]) for K in (40.0, 1000.0))


def radius(n: Any, N: Any) -> Decimal:
    return root(ln(n) * 2 / D(N))


def far_means(A: float) -> Decimal:
    """Twice A zeta(3), by the series of Apery: 5/2 sum (-1)^{k+1} / (k^3 (2k over k))."""
    series = sum((D((-1) ** (k + 1)) / (k**3 * comb(2 * k, k)) for k in range(1, 40)), D(0))
    return 5 * D(A) * series


def _plays(gap: float, K: float) -> Decimal:
    return ln(K) / (D(gap) / 2) ** 2 * 2 + (3 + PI**2) / 3


def plays(gaps: Any, K: float) -> list[Decimal]:
    return [_plays(gap, K) for gap in gaps]


def regret(gaps: Any, K: float) -> Decimal:
    """Loss of each play times the plays of each arm."""
    return sum((D(gap) * _plays(gap, K) for gap in gaps), D(0))


def level(t: Any) -> Decimal:
    return ln(D(t)) + ln(ln(D(t))) * 3


def misses(K: float) -> Decimal:
    """Chances of Theorem 10, e ceil(L ln t) exp(-L), added up from round 3 on."""
    E = Decimal(1).exp()
    return sum((E * (level(t) * ln(t)).to_integral_value(ROUND_CEILING) * (-level(t)).exp() for t in range(3, int(K) + 1)), D(0))


def underestimates(A: float, K: float) -> Decimal:
    return D(A) * misses(K)


def divergence(p: Decimal, q: Decimal) -> Decimal:
    """d(p, q) of numbers between 0 and 1, as the logarithm of a quotient of products."""
    return ln(power(p, p) * power(1 - p, 1 - p) / power(q, p) / power(1 - q, 1 - p))


def plays_of(mean: float, best: float, K: float) -> Decimal:
    """The least of 99 bounds: r is a hundredth of the way from the mean of the arm to the best one, two hundredths, and so on."""
    found = []
    for part in range(1, 100):
        r = (D(mean) * (100 - part) + D(best) * part) / 100
        early = (level(K) / divergence(r, D(best))).to_integral_value(ROUND_FLOOR)
        rate = divergence(r, D(mean))
        found.append(early + (-rate * early).exp() / (1 - (-rate).exp()))
    return min(found) + misses(K) + 1


def plays_by_level(means: Any, K: float) -> list[Decimal]:
    return [plays_of(mean, best, K) for mean, best in means]


def regret_by_level(means: Any, K: float) -> Decimal:
    return sum(((D(best) - D(mean)) * plays_of(mean, best, K) for mean, best in means), D(0))


MEANS = tuple({"means": np.array(means), "K": K} for means in ([[0.2, 0.9]], [[0.5, 0.6], [0.25, 0.6]]) for K in (40.0, 300.0))

# OFUL -------------------------------------------------------------------------------------------------------------------

LINEAR = tuple(
    SimpleNamespace(d=d, ridge=ridge, B=B, delta=delta) for d, ridge, B, delta in ((3, 0.6, 1.3, 0.1), (1, 4.0, 0.7, 0.02))
)
GRAMS = (np.array([[2.0, 0.5, 0.0], [0.5, 3.0, 0.25], [0.0, 0.25, 1.5]]), np.array([[9.5]]))
SPREAD = ({"delta": 0.1, "G": 0.0}, {"delta": 0.02, "G": 7.5})
ROUNDS = tuple({"public": p, "n": n} for p in LINEAR for n in (1.0, 300.0, 54321.0))
SCALED = (*ROUNDS, *({**case, "scale": 0.02} for case in ROUNDS))


def determinant(gram: Any) -> Decimal:
    """Determinant by its first row."""
    if len(gram) == 1:
        return D(gram[0, 0])
    minors = (np.delete(gram[1:], j, axis=1) for j in range(len(gram)))
    return sum((D((-1) ** j) * D(gram[0, j]) * determinant(minor) for j, minor in enumerate(minors)), D(0))


def growth_of_noise(delta: float, G: float) -> Decimal:
    """Theorem 1: (1/2) sqrt(2 ln(e^(G/2) / delta)), noise of rewards in [0, 1]."""
    return root(D(2) * (D(G) / 2 - ln(delta))) / 2


def ellipsoid(public: Any, gram: Any) -> Decimal:
    """Theorem 2: R sqrt(2 ln(det(V)^(1/2) det(lambda I)^(-1/2) / delta)) + lambda^(1/2) B, R = 1/2."""
    ratio = root(determinant(gram)) / root(power(D(public.ridge), D(public.d))) / D(public.delta)
    return root(2 * ln(ratio)) / 2 + root(public.ridge) * D(public.B)


def largest_growth(public: Any, n: float) -> Decimal:
    """Lemma 11: d ln((d lambda + n) / d) - ln(lambda^d), features at most 1 long."""
    return public.d * (ln((public.d * D(public.ridge) + D(n)) / public.d) - ln(public.ridge))


def largest_radius(public: Any, n: float) -> Decimal:
    return root((2 * ln(1 / D(public.delta)) + largest_growth(public, n)) / 4) + root(public.ridge) * D(public.B)


def linear_regret(public: Any, n: float, scale: float = 1.0) -> Decimal:
    """sqrt(8 n G) times the radius, or half of that root where the radius is below 1/2: sqrt(2 n G)."""
    loss = root(8 * D(n) * largest_growth(public, n))
    return max(loss * D(scale) * largest_radius(public, n), loss / 2)


def rounds_above(public: Any, n: float, epsilon: float, scale: float = 1.0) -> Decimal:
    """m such that m epsilon is the bound of m rounds, with n in its logarithm."""
    return power(linear_regret(public, n, scale) / D(epsilon), D(2)) / D(n)


# EXP3 -------------------------------------------------------------------------------------------------------------------

E = Decimal("2.71828182845904523536028747")
WEIGHED = tuple({"A": A, "K": K, "most": most} for A, K, most in ((2.0, 1000.0, 900.0), (5.0, 300.0, 0.0), (5.0, 3.0, 2.5)))


def explored(A: float, K: float) -> Decimal:
    """Corollary 3.2 with g = K: the root of A ln A over (e - 1) K, and at most 1."""
    return min(D(1), root(D(A) * ln(A)) / root((E - 1) * D(K)))


def weighed_regret(A: float, K: float, most: float) -> Decimal:
    """Theorem 3.1: gamma (e G - G) + ln(A^A) / gamma."""
    gamma = explored(A, K)
    return gamma * (E * D(most) - D(most)) + D(A) * ln(A) / gamma


def tuned_regret(A: float, K: float, most: float) -> Decimal:
    """Corollary 3.2: the root of 4 (e - 1) K A ln A."""
    return root(4 * (E - 1) * D(K) * D(A) * ln(A))


WRITINGS = (
    Writing(EXP3, "regret", weighed_regret, WEIGHED),
    Writing(EXP3, "tuned_regret", tuned_regret, WEIGHED),
    Writing(OFUL, "log_growth", largest_growth, ROUNDS),
    Writing(OFUL, "largest_radius", largest_radius, ROUNDS),
    Writing(OFUL, "regret", linear_regret, SCALED),
    Writing(OFUL, "rounds_above", rounds_above, tuple({**case, "epsilon": much} for case in SCALED for much in (0.75, 0.2))),
    Writing(ELLIPSOIDS, "radius", ellipsoid, tuple({"public": p, "gram": gram} for p, gram in zip(LINEAR, GRAMS, strict=True))),
    Writing(ELLIPSOIDS, "noise_bound", growth_of_noise, SPREAD),
    Writing(FORMULAS, "radius", radius, ({"n": 3.0, "N": 2.0}, {"n": 900.0, "N": 40.0})),
    Writing(FORMULAS, "far_means", far_means, ({"A": 2.0}, {"A": 5.0})),
    Writing(FORMULAS, "plays", plays, GAPS),
    Writing(FORMULAS, "regret", regret, GAPS),
    Writing(DIVERGENCES, "level", level, ({"t": 3.0}, {"t": 900.0})),
    Writing(DIVERGENCES, "misses", misses, ({"K": 3.0}, {"K": 120.0})),
    Writing(DIVERGENCES, "underestimates", underestimates, ({"A": 2.0, "K": 60.0},)),
    Writing(DIVERGENCES, "plays", plays_by_level, MEANS),
    Writing(DIVERGENCES, "regret", regret_by_level, MEANS),
)
