"""The logarithms and the bonus of Algorithm 1, for the counterexamples; the algorithms have their own."""

from __future__ import annotations

import math
from collections.abc import Sequence


def log_transition(n: int, T: float, S: int, A: int, delta: float) -> float:
    """L^P = log(18 n T S A / delta)."""
    return math.log(18 * n * T * S * A / delta)


def log_reward(m: int, T: float, X: float, delta: float) -> float:
    """L^R_i = log(18 m T X_i / delta)."""
    return math.log(18 * m * T * X / delta)


def log_good_set(n: int, X: float, H: int, delta: float) -> float:
    """log(18 n X_i H / delta), of the events (15) and of the good set."""
    return math.log(18 * n * X * H / delta)


def radius(size: int, L: float, visits: float) -> float:
    """phi_j = sqrt(4 |S_j| L / N_j) + 4 |S_j| L / (3 N_j)."""
    return math.sqrt(4 * size * L / visits) + 4 * size * L / (3 * visits)


def bracket(sizes: Sequence[int], L: float, visits: Sequence[float]) -> float:
    """sum_j [2 sqrt(|S_j| L / N_j) + 4 |S_j| L / (3 N_j)], the right side of (9) over the factors."""
    return math.fsum(2 * math.sqrt(s * L / N) + 4 * s * L / (3 * N) for s, N in zip(sizes, visits, strict=True))


def reward_bonus(variance: float, L: float, visits: float) -> float:
    """Bonus of a reward, eq. (3)."""
    return math.sqrt(2 * variance * L / visits) + 8 * L / (3 * visits)


def further(sizes: Sequence[int], H: int, L: float, visits: Sequence[float], i: int) -> float:
    """eta_i, the second and third lines of (4) and (5)."""
    roots = math.fsum((4 * s * L / N) ** 0.25 + math.sqrt(4 * s * L / (3 * N)) for s, N in zip(sizes, visits, strict=True))
    radii = [radius(s, L, N) for s, N in zip(sizes, visits, strict=True)]
    return math.sqrt(16 * H**2 * L / visits[i]) * roots + H * radii[i] * math.fsum(radii)


def transition_bonus(
    variances: Sequence[float], u: Sequence[float], sizes: Sequence[int], H: int, L: float, visits: Sequence[float]
) -> float:
    """Eqs. (4), (5), summed over the factors."""
    return math.fsum(
        math.sqrt(4 * variances[i] * L / N) + math.sqrt(2 * u[i] * L / N) + further(sizes, H, L, visits, i)
        for i, N in enumerate(visits)
    )


def long_enough(H: int, cells: Sequence[float], T: float) -> dict[str, bool]:
    """T >= X_i >= H, which the paper assumes throughout, for these X_i."""
    return {"T ≥ X_i ≥ H": all(H <= X <= T for X in cells)}
