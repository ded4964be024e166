"""Growth of the regret, with the episodes and with the number of budgets."""

from __future__ import annotations

import math
from functools import partial

from verifier import Status
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier_properties.episodes import scaling as episodes_scaling
from verifier_settings.knapsack import Public

REGIME = "scaled(0.001)"
WHY = "the theorem is about the published logarithm, with which every value stays at its cap for any feasible K"


def log_term(public: Public, K: float, units: float) -> float:
    """log(SAT) + d log(Bm), with the constants and the delta that are missing in it; B = 3 in both families."""
    return math.log(18 * (public.d + 1) * K * public.H * public.X * (3 * units + 1) ** public.d / public.delta)


def regret_scaling() -> tuple[ScalingClaim, ...]:
    """Theorem 4."""
    regret = partial(
        ScalingClaim, property=episodes_scaling.regret, source="Theorem 4", theorem="Theorem 4: regret", clause="T4",
        quantity="regret", unit="reward", follows=("pathwise-regret",), regimes=(REGIME,), status=Status.OURS, why=WHY,
    )  # fmt: skip
    return (
        regret(
            "regret-growth", statement="R_K = O(√(dHSAT L))", family="toll-road",
            rate=Rate("√(K L)", 0.5, 0.5, lambda public, K: math.sqrt(K * log_term(public, K, 1.0))),
            sizes={"quick": (100, 200, 400, 800, 1600), "deep": (100, 200, 400, 800, 1600, 3200, 6400)}, alternative="greedy",
        ),
        regret(
            "regret-in-units", statement="R_K = O(√(log(SAT) + d log(Bm))) in m, all else fixed", family="finer-units",
            rate=Rate("√L", 0.0, 0.5, lambda public, m: math.sqrt(log_term(public, 300, m))),
            sizes={"quick": (1, 2, 4, 8, 16), "deep": (1, 2, 4, 8, 16, 32)}, alternative="budgets-in-bonus",
            burn_in=BurnIn.none("the problem is the same for every m"),
            remark="costs are learned for each (s,a), whatever is left: there is nothing more to learn where units are finer",
        ),
    )  # fmt: skip


SCALING = regret_scaling()
