"""Quantities of scaling claims about regret and epochs, exact: one number for each run."""

from __future__ import annotations

from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier_properties.any_setting.quantity import quantity
from verifier_settings.discounted import Run


@run_property()
def discounted_regret(view: Run) -> Inequality:
    """sum_t <mu* - mu^{pi_t}, r>, from exact occupancies."""
    return quantity(view.regret)


@run_property()
def epochs(view: Run) -> Inequality:
    """K(T), the number of planning steps, counted by the harness: plans yielded, and passes in secret."""
    return quantity(view.planning_steps)
