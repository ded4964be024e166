"""Quantities of scaling claims about regret and calls of oracles, exact: one number for each run."""

from __future__ import annotations

from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier_properties.any_setting.quantity import quantity
from verifier_settings.cvar import Run, planning


@run_property()
def cvar_regret(view: Run) -> Inequality:
    """sum_k CVaR* - CVaR(R(pi^k, c^k)), from exact laws of the return."""
    return quantity(view.regret[-1])


@run_property()
def cvar_gap(view: Run) -> Inequality:
    """The mean over k of CVaR* - CVaR(R(pi^k, c^k)), from exact laws of the return."""
    return quantity(view.average_gap)


@run_property()
def likelihood_calls(view: Run) -> Inequality:
    """Calls of the likelihood oracle, metered by the harness."""
    return quantity(view.meters.mle_calls.sum())


@run_property()
def planner_calls(view: Run) -> Inequality:
    """Simulators opened, one for each call of the planner, metered by the harness."""
    return quantity(view.meters.planner_calls)


@run_property()
def rounds_regret(view: planning.Run) -> Inequality:
    """sum_t V^{pi_t}_1 - V*_1 of a planner's rounds, both by dynamic programming."""
    return quantity(view.regret[-1])
