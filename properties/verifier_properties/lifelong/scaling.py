"""Quantities of scaling claims about planning calls and returns, exact: one number for each run."""

from __future__ import annotations

import numpy as np

from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier_properties.any_setting.quantity import mean_of, quantity
from verifier_settings.lifelong import Run


@run_property()
def planning_calls(view: Run) -> Inequality:
    """Number of times the algorithm planned after the first time, counted by the harness: plans yielded, and passes in secret."""
    return quantity(view.replans)


@run_property()
def planning_level(view: Run) -> Inequality:
    """Planning calls after the first, as above, over d log(1 + K/(d lambda)), the bound of Theorem 2 without its factor H."""
    public = view.public
    return quantity(view.replans / (public.d * np.log1p(public.K / (public.d * public.ridge))))


@run_property()
def all_planning_calls(view: Run) -> Inequality:
    """Number of times the algorithm planned, counted by the harness: plans yielded, and passes in secret."""
    return quantity(view.planning_calls)


@run_property()
def return_per_episode(view: Run) -> Inequality:
    """V^pi_k_1 at the initial state and task of episode k, by dynamic programming: its mean over the run, and in parts of it."""
    return mean_of(view.series.optimal - view.series.regret)
