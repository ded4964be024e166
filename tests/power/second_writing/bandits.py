"""UCB1: radius of its proof, and the bounds of Theorem 1."""

from __future__ import annotations

from decimal import Decimal
from math import comb
from typing import Any

import numpy as np

from .exact import D, ln, root
from .writing import Writing

FORMULAS = "verifier_bandits.shared.formulas"
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


WRITINGS = (
    Writing(FORMULAS, "radius", radius, ({"n": 3.0, "N": 2.0}, {"n": 900.0, "N": 40.0})),
    Writing(FORMULAS, "far_means", far_means, ({"A": 2.0}, {"A": 5.0})),
    Writing(FORMULAS, "plays", plays, GAPS),
    Writing(FORMULAS, "regret", regret, GAPS),
)
