"""Quantities whose growth scaling claims are about: one number for each run, exact where it can be.

Views: `verifier.settings.lifelong.Run` and `verifier.settings.discounted.Run`.
"""

from __future__ import annotations

from typing import Any

from verifier.measurement import Inequality
from verifier.property import run_property
from verifier.settings import discounted, lifelong


def _quantity(value: Any) -> Inequality:
    """A value with nothing to compare it with."""
    return Inequality(float(value), float("inf"))


@run_property()
def planning_calls(view: lifelong.Run) -> Inequality:
    """The number of plans yielded after the first, counted by the harness."""
    return _quantity(view.replans)


@run_property()
def all_planning_calls(view: lifelong.Run) -> Inequality:
    """The number of plans yielded, counted by the harness."""
    return _quantity(len(view.plans))


@run_property()
def regret(view: lifelong.Run) -> Inequality:
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
