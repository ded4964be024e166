"""Bounds of values of BPI-UCRL: red where a statement is made false, else green."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodic import value_bounds
from verifier_properties.episodic.error_bounds import TotalVariation
from verifier_reference.bpi_ucrl.algorithm import BPIUCRL
from verifier_settings.episodic import Instance, Phases, Run, generators

from ....installed import guaranteed
from ...settings.episodic.runs import play, small, with_plans
from ...settings.lifelong.runs import generator

ORACLES = {"divergence": TotalVariation}


def views_of(instance: Instance, regime: str = "oracle", batch: int = 10**6) -> tuple[list[Phases], Run]:
    """Views on a run of BPI-UCRL."""
    return play(BPIUCRL, instance, regime, batch=batch, oracles=ORACLES)


@pytest.mark.parametrize("regime", BPIUCRL.regimes)
def test_nothing_is_violated(regime: str) -> None:
    stopped = 0
    for instance in (small(K=30), generators.stages(generator(2), S=3, A=2, H=3, K=30), generators.fork(K=40, epsilon=1.5)):
        views, run = views_of(instance, regime, batch=7)
        stopped += run.stopped
        for claim in claims_in(guaranteed(BPIUCRL), Regime.parse(regime)):
            for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                measured = measure(claim.property(view))
                assert measured.holds, (claim.name, measured)
    assert bool(stopped) == (regime != "published")


def test_the_gap_of_the_output_is_at_most_epsilon() -> None:
    (view,), run = views_of(generators.fork(K=3000, epsilon=1.5), "published")
    assert run.stopped
    assert 100 < len(run.actions) < 3000
    at_start = value_bounds.gap(view)[:, 0, 0]
    assert at_start[-1] <= 1.5 < at_start[1:-1].min()


Change = Callable[[Any], Any]
RED: dict[str, tuple[Any, dict[str, Change]]] = {
    "upper-bound": (value_bounds.upper_bound, {"Q": lambda plan: plan.Q * 0.0}),
    "lower-formula": (value_bounds.lower_formula, {"lower": lambda plan: plan.lower + 0.001}),
    "lower-bound": (value_bounds.lower_bound, {"lower": lambda plan: plan.lower + 3.0}),
    "bounds-in-order": (value_bounds.bounds_in_order, {"lower": lambda plan: plan.lower - 1.0}),
    "policy-loss": (value_bounds.policy_loss, {"V": lambda plan: plan.V * 0.0, "policy": lambda plan: plan.Q.argmin(axis=2)}),
    "gap-recursion": (value_bounds.gap_recursion, {"lower": lambda plan: plan.lower - 9.0 * (np.arange(3) == 0)[:, None]}),
}


@pytest.mark.parametrize("name", RED)
def test_red_where_a_statement_is_made_false(name: str) -> None:
    made, change = RED[name]
    (view,), _run = views_of(small(K=30))
    assert measure(made(view)).holds
    assert not measure(made(with_plans(view, **change))).holds


def test_only_the_output_is_certified() -> None:
    (view,), run = views_of(generators.fork(K=40, epsilon=0.7, success=1.0))
    assert run.stopped
    assert (measure(value_bounds.certified(view)).holds, measure(value_bounds.certified(view)).comparisons) == (True, 1)
    other = with_plans(view, policy=lambda plan: 1 - plan.policy)
    assert not measure(value_bounds.certified(other)).holds
