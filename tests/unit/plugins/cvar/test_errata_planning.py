"""The counterexamples to the planner: the lower clip, the choice of a round, the budgets."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier_cvar.errata.planning import Bonuses, SureReward, one_step
from verifier_cvar.least_squares import CVaRLeastSquares
from verifier_cvar.shared import constants
from verifier_settings.cvar import Instance, augmented
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.simulator import Simulator

from ...settings.cvar.runs import generator, small_instances


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_state_after_n_episodes_by_simulation(n: int) -> None:
    problem = Bonuses()
    model = problem.model
    regression = CVaRLeastSquares(model, lambda h, V: 3.0, 1.0, -8.0)
    simulator = Simulator(np.ones((7, 2, 1)), model.reward, model.grid, 0, generator(0))
    for _ in range(n):
        regression.learn(simulator.trajectory(regression.plan().policy, 0))
    plan, found = regression.plan(), problem.after(n, -8.0, 3.0)
    np.testing.assert_array_equal(plan.V, found.V)
    np.testing.assert_array_equal(plan.policy, found.policy)


@pytest.mark.parametrize(("n", "floor"), [(0, -8.0), (10**4, -8.0), (10**4, -12.0)])
def test_the_estimates_by_scalars(n: int, floor: float) -> None:
    problem, beta = Bonuses(), constants.beta(8, 1, 1.0, n + 1, 0.1)
    V = 0.0
    for h in reversed(range(8)):
        shrunk = n / (n + 1) * V - beta / math.sqrt(n + 1)
        V = min(min(max(shrunk - b, floor), 8.0) for b in problem.model.bonus[h])
    assert problem.after(n, floor, beta).V[0, 0, 0] == pytest.approx(V)


def test_the_least_value_by_dynamic_programming() -> None:
    problem = Bonuses()
    V, _ = augmented.optimal(np.ones((7, 2, 1)), problem.model.reward, problem.model.bonus, problem.model.grid, 1)
    assert V[0, 0, 0] == problem.least == -12.0


@given(st.integers(0, 10**9), st.floats(0.0, 1e6))
def test_a_clip_above_v_is_above_it_for_every_beta(n: int, beta: float) -> None:
    problem = Bonuses(5)
    assert problem.least == -6.0
    assert problem.excess(problem.after(n, -5.0, beta)) >= 1.0


@given(st.integers(0, 10**9), st.floats(1.0, 1e3))
def test_a_lower_clip_is_optimistic_for_a_beta_that_covers_the_ridge(n: int, times: float) -> None:
    """The only error is that of the ridge, |V| sqrt(n+1)/(n+1) <= 12/sqrt(n+1) <= beta in the norm of Lambda."""
    problem = Bonuses()
    assert problem.excess(problem.after(n, -12.0, 12.0 * times)) <= 1e-9


def test_one_step_by_hand() -> None:
    """At first both are at -1. Then Q(0) = 1/2 - 1/sqrt 2 > -1 = Q(1): action 1, and from then on always."""
    assert list(one_step(6)) == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("tau", [0.3, 1.0])
@pytest.mark.parametrize(("m", "q"), [(10, 3), (5, 2), (12, 5), (3, 2), (2, 1), (7, 3)])
def test_sure_rewards_by_dynamic_programming(m: int, q: int, tau: float) -> None:
    case, grid = SureReward(2, Fraction(q, m)), Grid(2, m, q)
    law = np.zeros((2, 1, m + 1))
    law[..., m] = 1.0
    V, _ = augmented.optimal(np.ones((1, 1, 1)), grid.round_up(law), None, grid, 1)
    objective = grid.levels - V[0, 0] / tau
    assert grid.initial == case.indices[1]
    assert case.indices[2] == grid.N
    for largest in case.indices:
        assert objective[: largest + 1].max() == pytest.approx(float(case.objective(largest)))
    assert float(case.rounded) == pytest.approx(objective.max())
    assert case.objective(case.indices[1]) - case.H >= 0
    assert case.H - case.objective(case.indices[0]) <= case.ups


@settings(max_examples=60, deadline=None)
@given(small_instances())
def test_which_budgets_are_enough(instance: Instance) -> None:
    """Up to ceil(H/ups) the objective of the rounded problem is at least CVaR*; up to floor(H/ups), up to ups may be missing."""
    public, truth = instance.public, instance.truth
    objective, slack = truth.coarse.objective, 1e-9
    assert objective[: public.coarse.initial + 1].max() >= truth.fine.cvar - slack
    assert objective[: public.H * public.m // public.q + 1].max() >= truth.fine.cvar - public.ups - slack
    assert objective.max() >= objective[: public.coarse.initial + 1].max()


def test_float_ceilings_are_not_to_be_trusted() -> None:
    assert math.floor(0.3 / 0.1) == 2
    assert math.ceil(0.3 / 0.1) == 3
    assert math.ceil((5 / 6) / (1 / 6)) == 6
    assert int(Grid(1, 6).rounded(5)) == 5
