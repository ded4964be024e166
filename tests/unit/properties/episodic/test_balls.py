"""Balls of kernels, extended value iteration, plans kept until counts double: red where a statement is made false, else green."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from verifier.base.arrays import Array
from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodic import balls, doubling
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_settings.episodic import Instance, Phases, Run, generators, make
from verifier_settings.episodic.balls import largest_mean, radius

from ....installed import guaranteed
from ...settings.episodic.runs import play, small, with_plans
from ...settings.lifelong.runs import generator


def by_programme(q: Array, d: float, V: Array) -> float:
    """max p V as a linear programme: |p - q| <= u, sum u <= d, by a general solver."""
    n = len(q)
    eye = np.eye(n)
    upper = np.block([[eye, -eye], [-eye, -eye], [np.zeros(n), np.ones(n)]])
    limits = np.concatenate([q, -q, [d]])
    found = linprog(np.append(-V, np.zeros(n)), upper, limits, np.append(np.ones(n), np.zeros(n))[None], [1.0])
    return float(-found.fun)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_the_largest_mean_is_that_of_the_programme_and_of_the_algorithm(n: int) -> None:
    """Three routes: duality, a general solver, and the mass that the algorithm moves. Some values are equal, some laws sure."""
    rng = generator(n)
    public = make(np.eye(n).repeat(2, axis=0), np.zeros(2 * n), H=2, K=2).public
    agent = UCRL2(public, None)  # type: ignore[arg-type]  # no width is asked for
    for _ in range(12):
        q = rng.dirichlet(np.full(n, 0.5)) if rng.random() < 0.7 else np.eye(n)[rng.integers(n)]
        V, d = rng.integers(4, size=n) / 2.0, float(rng.choice([0.0, 0.3, 1.1, 2.0]))
        found = largest_mean(q[None], np.array([d]), V)[0]
        assert found == pytest.approx(by_programme(q, d, V), abs=1e-9)
        p = agent.best(q[None, None], np.array([[d]]), agent.order(0, V))[0, 0]
        assert found == pytest.approx(p @ V, abs=1e-12)
        assert p.sum() == pytest.approx(1.0)
        assert np.abs(p - q).sum() <= d + 1e-12


def test_every_law_is_plausible_where_nothing_was_seen() -> None:
    assert largest_mean(np.zeros((1, 3)), np.array([2.0]), np.array([1.0, 3.0, 2.0])).tolist() == [3.0]


def test_the_radius_by_hand() -> None:
    """S = 3, A = 2, delta = 0.1; the third episode of three steps begins at t = 7."""
    public = small().public
    found = radius(public.S, public.A, 7, public.delta, np.array([0.0, 1.0, 4.0]))
    one = np.sqrt(14 * 3 * np.log(2 * 2 * 7 / 0.1))
    assert found.tolist() == pytest.approx([np.inf, one, one / 2])


@pytest.mark.parametrize("regime", UCRL2.regimes)
def test_nothing_is_violated(regime: str) -> None:
    for instance in (small(K=40), generators.cycle(S=3, H=4, K=20), generators.arms(rewards=(0.0, 1.0), H=2, K=10)):
        views, run = play(UCRL2, instance, regime, batch=7)
        for claim in claims_in(guaranteed(UCRL2), Regime.parse(regime)):
            for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                found = measure(claim.property(view))
                assert found.holds, (claim.name, found)


Change = Callable[[Any], Any]
RED: dict[str, dict[str, Change]] = {
    "radius-formula": {"radius": lambda plan: 0.999 * plan.radius},
    "plausible": {"optimistic_kernel": lambda plan: 1.001 * plan.optimistic_kernel},
    "attained": {"Q": lambda plan: plan.Q + 1e-9},
    "q-formula": {"Q": lambda plan: plan.Q - 1e-9},
    "confidence-event": {"radius": lambda plan: 1e-3 * plan.radius},
    "kernel-distance": {"optimistic_kernel": lambda plan: 1.0 - plan.optimistic_kernel},
    "optimism": {"Q": lambda plan: 0.5 * plan.Q},
}


@pytest.mark.parametrize("claim", RED)
def test_statements_about_plans_can_fail(claim: str) -> None:
    (view,), _ = play(UCRL2, small(K=60))
    statement = guaranteed(UCRL2).claim(claim).property
    assert measure(statement(view)).violations == 0
    assert measure(statement(view)).comparisons > 0
    assert measure(statement(with_plans(view, **RED[claim]))).violations > 0


def test_a_kernel_outside_the_ball_is_not_plausible() -> None:
    """Rows are laws all the same: what fails is the distance."""
    (view,), _ = play(UCRL2, small(K=60))
    sure = np.zeros((3, 6, 3))
    sure[..., 0] = 1.0
    found = measure(balls.plausible(balls.POOLED)(with_plans(view, optimistic_kernel=lambda plan: sure)))
    assert found.violations > 0
    assert found.bound == 0
    assert found.value <= 2


def test_nothing_follows_where_the_truth_is_outside() -> None:
    (view,), _ = play(UCRL2, small(K=60), "scaled(0.0001)")
    assert 0 < view.inside.sum() < view.inside.size
    found = measure(guaranteed(UCRL2).claim("optimism").property(view))
    assert found.excluded > 0
    assert found.violations == 0


RUN: dict[str, Callable[[Run], dict[str, Any]]] = {
    "plans-when-doubled": lambda run: {"plans": np.delete(run.plans, 2)},
    "planning-calls": lambda run: {"plans": np.arange(len(run.actions)).repeat(2)},
    "visit-sum": lambda run: {"series": replace(run.series, reported_visits=0.0 * run.series.reported_visits)},
    "regret-recursion": lambda run: {"series": replace(run.series, radius=0.0 * run.series.radius)},
    "pathwise-regret": lambda run: {"series": replace(run.series, regret=run.series.regret + 9.0)},
}


@pytest.mark.parametrize("claim", RUN)
def test_statements_about_runs_can_fail(claim: str) -> None:
    _, run = play(UCRL2, small(K=300, S=2), "oracle")
    statement = guaranteed(UCRL2).claim(claim).property
    assert measure(statement(run)).violations == 0
    assert measure(statement(replace(run, **RUN[claim](run)))).violations > 0


def test_when_counts_have_doubled_by_hand() -> None:
    """One pair, one step: plans before the visits 1, 2, 3, 5, 9, 17 of 20."""
    _, run = play(UCRL2, generators.arms(rewards=(0.5,), H=1, K=20))
    assert (run.plans + 1).tolist() == [1, 2, 3, 5, 9, 17]
    assert np.flatnonzero(doubling.due(run)).tolist() == run.plans.tolist()
    assert len(run.plans) <= doubling.planning_bound(run.public, 20) == pytest.approx(np.log2(160))


# Kernels of each step -----------------------------------------------------------------------------------------------


def by_step() -> Instance:
    """Kernels of each step their own, all rows sure: frequencies of visits at any step mix them."""
    P = np.stack([np.roll(np.eye(3), h, axis=1).repeat(2, axis=0) for h in range(3)])
    return make(P, np.linspace(0.0, 1.0, 6), H=3, K=30)


def of_each_step() -> Phases:
    """A run under plans made with counts of each step: radii as of that step, and Q from the balls."""
    (view,), _ = play(UCRL2, by_step())
    Q = (view.truth.reward + largest_mean(view.step_kernel, view.step_radius, view.V[:, 1:])).reshape(view.Q.shape)
    index = {id(plan): p for p, plan in enumerate(view.plans)}
    return with_plans(
        view,
        step_kernel=lambda plan: view.step_kernel[index[id(plan)]],
        radius=lambda plan: view.step_radius[index[id(plan)]],
        Q=lambda plan: Q[index[id(plan)]],
    )


@pytest.mark.parametrize("statement", [balls.radius_formula, balls.extended_values])
def test_balls_of_each_step_are_not_those_of_all(statement: Callable[[balls.Ball], Any]) -> None:
    view = of_each_step()
    right = measure(statement(balls.BY_STEP)(view))
    assert right.violations == 0
    assert right.comparisons > 0
    assert measure(statement(balls.POOLED)(view)).violations > 0


def test_the_kernel_of_a_step_is_near_its_own_frequencies() -> None:
    """All its rows are sure, so that these are exact."""
    view = with_plans(of_each_step(), radius=lambda plan: np.full((3, 6), 1e-6))
    assert measure(balls.confidence(balls.BY_STEP)(view)).violations == 0
    assert measure(balls.confidence(balls.POOLED)(view)).violations > 0
