"""Regret: the recursion of its proof at the visited states and budgets, and its pathwise form.

Views: `verifier_settings.knapsack.Run`.
"""

from __future__ import annotations

import numpy as np

from verifier.model.measurement import Inequality
from verifier.model.property import run_property
from verifier_settings.knapsack import Run

TOPIC = "Regret"


@run_property()
def recursion(view: Run) -> Inequality:
    """(V_h - V^pi_h)(s_h, b_h) - E[(V_{h+1} - V^pi_{h+1})(s', b - c)] against the excess of the optimistic backup.

    Values of the plan and of its policy, both at the visited states and budgets; the excess is over the true backup, and
    the harness's.
    """
    series = view.series
    return Inequality(
        series.gap[:, :-1] - series.expected_gap, series.excess, ("episode", "h"), trivial=float(view.public.H),
        tolerance=view.regret_rounding[:, None] + series.rounding, labels=view.labels,
    )  # fmt: skip


@run_property()
def pathwise(view: Run) -> Inequality:
    """Regret of every prefix against martingale differences and excesses, where all bonuses so far covered the errors."""
    series = view.series
    noise = (series.expected_gap - series.gap[:, 1:]).sum(axis=1)
    rounding = view.regret_rounding + series.rounding.sum(axis=1)
    return Inequality(
        np.cumsum(series.regret), np.cumsum(noise + series.excess.sum(axis=1)), ("episode",), trivial=np.cumsum(series.optimal),
        tolerance=np.cumsum(rounding), labels={"episode": view.labels["episode"]},
        premise=np.logical_and.accumulate(series.event),
    )  # fmt: skip
