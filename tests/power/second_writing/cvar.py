"""CVaR in low-rank MDPs: alpha, beta, T2, Theorem 4.1 and Lemma D.4, with the constants of their proofs."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np

from .exact import D, ln, root
from .writing import Writing

MODULE = "verifier_cvar.shared.constants"
RISK = "verifier_properties.cvar.risk_planning"
PLANNING = "verifier_properties.cvar.simulated_planning"


def _sizes(H: int, A: int, d: int, M: int, K: int) -> SimpleNamespace:
    spent = float(ln(M, H, K) - ln(0.1))
    return SimpleNamespace(H=H, A=A, d=d, M=M, K=K, delta=0.1, log_class=spent, ridge=0.7 * d * spent, tau=0.3)


def _planner(H: int, d: int, T1: int) -> SimpleNamespace:
    return SimpleNamespace(H=H, d=d, D=d * 8, T1=T1, delta=0.1, grid=SimpleNamespace(q=2, m=7), lowest=-1.5 * H)


SIZES = (_sizes(5, 3, 4, 6, 100), _sizes(2, 2, 3, 5, 20))
PLANNERS = (_planner(4, 3, 60), _planner(2, 2, 1))
EACH = tuple({"public": p} for p in SIZES)


def alpha(H: int, A: int, d: int, ridge: float, log_class: float) -> Decimal:
    """(5/3) H^2 (16 A L + 4 lambda d + 16 L) under the root."""
    return root(D(5) / 3 * H**2 * (16 * (A + 1) * D(log_class) + 4 * D(ridge) * d))


def alpha_printed(public: Any, k: int) -> Decimal:
    return root(public.H**2 * (public.A + public.d**2), ln(public.M, public.H, k) - ln(public.delta))


def cap(H: int, reading: str) -> int:
    return 2 if reading == "printed" else H + H


def lowest_value(H: int) -> int:
    return min(-H, -2 * H * (H - 2))


def beta(H: int, d: int, ups: Any, T1: int, delta: float, lowest: Any = None) -> Decimal:
    """H^(3/2) d iota^(1/4) / ups, iota the square of a logarithm, times the length of the interval of values over 2H."""
    logarithm = ln(H, d, T1) - ln(ups) - ln(delta)
    length = D(2 * H) if lowest is None else H - D(lowest)
    return length / (2 * H) * root(D(H) ** 3 * d**2 * logarithm) / D(ups)


def likelihood_error(public: Any, k: int) -> Decimal:
    return 8 * D(public.log_class) / k


def rounding_step(H: int, epsilon: float) -> Decimal:
    return D(epsilon) / H / 3


def evaluation_episodes(H: int, T1: int, delta: float, epsilon: float) -> Decimal:
    """Hoeffding's inequality for values in an interval of length 3H, each mean within epsilon/4: (3H)^2 l / (2 (epsilon/4)^2)."""
    log = ln(4, T1) - ln(delta)
    return ((3 * H) ** 2 * log * 16 / (2 * D(epsilon) ** 2)).to_integral_value(ROUND_CEILING)


def regret_bound(public: Any, K: Any) -> Decimal:
    """Three sums over k, as in the docstring of the first writing; sums of 1/sqrt(k) are at most 2 sqrt(K)."""
    H, A, d, ridge, n = public.H, public.A, public.d, D(public.ridge), D(K)
    L = ln(public.M, H, max(n, D(1))) - ln(public.delta)
    square = D(5) / 3 * H * H * (16 * (A + 1) * L + 4 * ridge * d)
    met = 2 * d * n * (ln(d * ridge + n) - ln(d * ridge))
    bonuses = root(12 * n * A * d, square) + (H - 3) * root(met * d * (3 * A * square + 4 * H * H * ridge))
    errors = root(32 * n * A * L) + (H - 2) * root(met * (8 * A * L + 4 * ridge * d))
    longest = H + 2 * H * (H - 2 if H > 2 else 0)
    return (H * root(32 * n * A * L) + max(bonuses, D(0)) + longest * max(errors, D(0))) / D(public.tau)


def rounds_bound(public: Any, T1: Any, scale: Any = 1) -> Decimal:
    H, size, n = public.H, public.D, D(T1)
    width = D(scale) * beta(H, public.d, D(public.grid.q) / public.grid.m, max(1, round(T1)), public.delta, public.lowest)
    sums = root(2 * size * n * (ln(size + n) - ln(size))) + root(-2 * n * ln(public.delta))
    return 2 * H * width * sums


def hoeffding(means: int, each: int, delta: float) -> Decimal:
    return root((ln(2, means) - ln(delta)) / 2 / each)


def squared_noise_bound(R: float, growth: Any, N: int, H: int, delta: float) -> list[Decimal]:
    return [D(R) ** 2 * (D(float(x)) + 2 * (ln(N + 1, H) - ln(delta))) / 4 for x in growth]


_BETA: dict[str, Any] = {"H": 3, "d": 4, "ups": 0.05, "T1": 70, "delta": 0.1}
WRITINGS = (
    Writing(RISK, "hoeffding", hoeffding, ({"means": 30, "each": 40, "delta": 0.1},)),
    Writing(
        PLANNING, "squared_noise_bound", squared_noise_bound,
        ({"R": 5.5, "growth": np.array([0.0, 7.5]), "N": 9, "H": 4, "delta": 0.1},),
    ),
    Writing(MODULE, "alpha", alpha, ({"H": 5, "A": 3, "d": 4, "ridge": 2.5, "log_class": 9.0},)),
    Writing(MODULE, "alpha_printed", alpha_printed, tuple({**case, "k": 9} for case in EACH)),
    Writing(MODULE, "cap", cap, ({"H": 4, "reading": "printed"}, {"H": 4, "reading": "corrected"})),
    Writing(MODULE, "lowest_value", lowest_value, ({"H": 2}, {"H": 5})),
    Writing(MODULE, "beta", beta, (_BETA, {**_BETA, "lowest": -4.5})),
    Writing(MODULE, "likelihood_error", likelihood_error, tuple({**case, "k": 9} for case in EACH)),
    Writing(MODULE, "rounding_step", rounding_step, ({"H": 4, "epsilon": 0.2},)),
    Writing(MODULE, "evaluation_episodes", evaluation_episodes, ({"H": 4, "T1": 70, "delta": 0.1, "epsilon": 0.2},)),
    Writing(MODULE, "regret_bound", regret_bound, tuple({**case, "K": K} for case in EACH for K in (0.5, 300))),
    Writing(
        MODULE, "rounds_bound", rounds_bound,
        tuple({"public": p, "T1": T1, **more} for p in PLANNERS for T1 in (0.4, 50) for more in ({}, {"scale": 0.5})),
    ),
)  # fmt: skip
