"""Quantities whose growth scaling claims are about: one number for each run, exact where it can be.

Views: `verifier.settings.lifelong.Run`, `verifier.settings.episodic.Run`, `verifier.settings.discounted.Run`,
`verifier.settings.cvar.Run` and `verifier.settings.cvar.planning.Run`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.model.measurement import Inequality
from verifier.model.property import run_property
from verifier.settings import cvar, discounted, episodic, lifelong
from verifier.settings.cvar import planning


def _quantity(value: Any) -> Inequality:
    """A value with nothing to compare it with."""
    return Inequality(float(value), float("inf"))


@run_property()
def planning_calls(view: lifelong.Run) -> Inequality:
    """The number of plans yielded after the first, counted by the harness."""
    return _quantity(view.replans)


@run_property()
def planning_level(view: lifelong.Run) -> Inequality:
    """The number of plans yielded after the first over d log(1 + K/(d lambda)), the bound of Theorem 2 without its factor H."""
    public = view.public
    return _quantity(view.replans / (public.d * np.log1p(public.K / (public.d * public.ridge))))


@run_property()
def all_planning_calls(view: lifelong.Run) -> Inequality:
    """The number of plans yielded, counted by the harness."""
    return _quantity(len(view.plans))


@run_property()
def regret(view: lifelong.Run | episodic.Run) -> Inequality:
    """sum_k V*_1 - V^pi_k_1, both by dynamic programming."""
    return _quantity(view.series.regret.sum())


@run_property()
def return_per_episode(view: lifelong.Run) -> Inequality:
    """The mean over episodes of V^pi_k_1 at the initial state and task of the episode, by dynamic programming."""
    return _quantity((view.series.optimal - view.series.regret).mean())


@run_property()
def discounted_regret(view: discounted.Run) -> Inequality:
    """sum_t <mu* - mu^{pi_t}, r>, from exact occupancies."""
    return _quantity(view.regret)


@run_property()
def epochs(view: discounted.Run) -> Inequality:
    """K(T), the number of planning steps, counted by the harness."""
    return _quantity(view.epochs)


@run_property()
def cvar_regret(view: cvar.Run) -> Inequality:
    """sum_k CVaR* - CVaR(R(pi^k, c^k)), from exact laws of the return."""
    return _quantity(view.regret[-1])


@run_property()
def cvar_gap(view: cvar.Run) -> Inequality:
    """The mean over k of CVaR* - CVaR(R(pi^k, c^k)), from exact laws of the return."""
    return _quantity(view.average_gap)


@run_property()
def likelihood_calls(view: cvar.Run) -> Inequality:
    """Calls of the likelihood oracle, metered by the harness."""
    return _quantity(view.meters.mle_calls.sum())


@run_property()
def planner_calls(view: cvar.Run) -> Inequality:
    """Simulators opened, one for each call of the planner, metered by the harness."""
    return _quantity(view.meters.planner_calls)


@run_property()
def rounds_regret(view: planning.Run) -> Inequality:
    """sum_t V^{pi_t}_1 - V*_1 of a planner's rounds, both by dynamic programming."""
    return _quantity(view.regret[-1])
