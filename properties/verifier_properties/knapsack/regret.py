"""Regret: the recursion of its proof at the visited states and budgets, and its pathwise form.

Views: `verifier_settings.knapsack.Run`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most
from verifier_settings.knapsack import Run

TOPIC = "Regret"


@at_most("fall", on=Run, scope="run", local=(
    Quantity(
        lambda view: view.series.gap[:, :-1] - view.series.expected_gap, "fall", "episode h",
        "(V_h − V^π_h) − E[(V − V^π)_{h+1}]", -np.inf, "H", lambda view: view.regret_rounding[:, None] + view.series.rounding,
    ),
    Quantity(lambda view: view.series.excess, "excess", "episode h", "R̂ + CB + P̂V_{h+1} − R − PV_{h+1}"),
))  # fmt: skip
def recursion(excess: Any) -> Any:
    """(V_h - V^pi_h)(s_h, b_h) - E[(V_{h+1} - V^pi_{h+1})(s', b - c)] against the excess of the optimistic backup.

    Values of the plan and of its policy, both at the visited states and budgets; the excess is over the true backup, and
    the harness's.
    """
    return excess


@at_most("regret", on=Run, scope="run", where="event", local=(
    Quantity(
        lambda view: np.cumsum(view.series.regret), "regret", "episode", "Σ_{j≤k} (V*_1 − V^π_1)", -np.inf,
        lambda view: np.cumsum(view.series.optimal),
        lambda view: np.cumsum(view.regret_rounding + view.series.rounding.sum(axis=1)),
    ),
    Quantity(lambda view: np.logical_and.accumulate(view.series.event), "event", "episode", "all bonuses so far cover"),
    Quantity(
        lambda view: np.cumsum((view.series.expected_gap - view.series.gap[:, 1:]).sum(axis=1)), "noise", "episode", "Σ_{j≤k,h} ξ"
    ),
    Quantity(
        lambda view: np.cumsum(view.series.excess.sum(axis=1)), "excess", "episode", "Σ_{j≤k,h} (R̂ + CB + P̂V − R − PV)"
    ),
))  # fmt: skip
def pathwise(noise: Any, excess: Any) -> Any:
    """Regret of every prefix against martingale differences and excesses, where all bonuses so far covered the errors."""
    return noise + excess
