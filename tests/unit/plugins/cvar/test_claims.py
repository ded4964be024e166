"""Claims whose bound is sharp, or that no planted bug of the catalogue breaks alone: they hold, and can fail."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.model.inequality import Inequality
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_properties.cvar import low_rank_optimism, model_learning, risk_planning
from verifier_settings.cvar import augmented, edges
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.planner_calls import PlannerCall, is_best, least_values, planner_error, wrong_models
from verifier_settings.cvar.simulator import Episodes, Evaluation, Rehearsal

from ...settings.cvar.runs import generator, play


def excess(found: Inequality) -> Array:
    """Value minus bound and tolerance where the premise holds."""
    over = np.asarray(found.value) - found.bound - found.tolerance
    return over[np.broadcast_to(found.premise, over.shape)]


def discretised(name: str) -> Inequality:
    build = {"tiny": edges.tiny_rewards, "switch": partial(edges.coarse_switch, K=5)}[name]
    (view,), _ = play(ELLA, build(generator(0)), "scaled(0.01)", batch=10**6)
    return risk_planning.discretised_return.function(view)


# Rounding rewards ---------------------------------------------------------------------------------------------------


def test_the_discretisation_bound_is_attained_within_five_percent() -> None:
    found = discretised("tiny")
    assert excess(found).max() <= 0
    assert (np.asarray(found.value) >= 0.9 * np.asarray(found.bound)).all()  # of the distance from the middle of [0, H ups]


@pytest.mark.full
def test_rounding_down_breaks_the_discretisation_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    assert excess(discretised("switch")).max() <= 0
    monkeypatch.setattr(Grid, "rounded", lambda self, j: np.asarray(j) // self.q)
    assert excess(discretised("switch")).max() > 0.1


# Bonuses in expectation ---------------------------------------------------------------------------------------------


class Saturated(ELA):
    """The bonus is at its cap, no matter what was visited."""

    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        return np.where(h < self.public.H - 2, 2.0 * self.public.H, super().bonus(phi, gram, h))


@pytest.mark.parametrize(("algorithm", "broken"), [(ELA, False), (Saturated, True)])
def test_bonuses_shrink_in_expectation(algorithm: type[ELA], broken: bool) -> None:
    """At step 1 by one inequality, later by another."""
    (view,), _ = play(algorithm, edges.small(generator(0), H=5, K=250), "scaled(0.01)", batch=10**6)
    found = low_rank_optimism.expected_bonus(model_learning.concentrated).function(view)
    over = np.where(found.premise, np.asarray(found.value) - found.bound - found.tolerance, -np.inf)
    assert over.shape == (250, 3)
    assert list(over.max(axis=0) > 0) == [broken] * 3


# What a planner simulated -------------------------------------------------------------------------------------------


FIRST, SECOND = np.zeros((1, 1, 3), dtype=np.int64), np.ones((1, 1, 3), dtype=np.int64)
TABLES = {"a": FIRST, "b": SECOND}
NOTHING = Episodes(*np.zeros((3, 1, 1), dtype=np.int64))


def call(
    played: str = "ab", evaluated: str = "ab", values: tuple[float, ...] = (0.5, 0.25), budget: int = 1, n: int = 5
) -> PlannerCall:
    public = edges.small(generator(0), S=1, A=2, H=1, d=1, m=2, T1=2, T2=5).public
    rehearsals = tuple(Rehearsal(TABLES[letter], budget, NOTHING, {}) for letter in played)
    met = np.zeros((1, 2))
    evaluations = tuple(Evaluation(TABLES[letter], budget, n, v, met) for letter, v in zip(evaluated, values, strict=True))
    return PlannerCall(public, np.zeros(0, dtype=np.int64), np.zeros((1, 2)), rehearsals, evaluations)


def test_least_values_and_the_policy_they_belong_to() -> None:
    calls = (call(), call(values=(1.0, 2.0), budget=2))
    np.testing.assert_array_equal(least_values(calls, 3), [np.inf, 0.25, 1.0])
    assert is_best(calls, 1, SECOND, 0.0)
    assert is_best(calls, 2, FIRST, 0.0)
    assert not is_best(calls, 1, FIRST, 0.2)
    assert is_best(calls, 1, FIRST, 0.3)
    assert not is_best(calls, 0, FIRST, 1.0)
    assert is_best(calls, 1, SECOND.astype(np.int32), 0.0)


def test_evaluations_are_matched_with_what_was_played() -> None:
    assert call().unmatched == 0
    assert call(evaluated="ba").unmatched == 0
    assert call(evaluated="bb").unmatched == 2
    assert call(evaluated="abb", values=(0.0,) * 3).unmatched == 1
    assert call(played="").budget == -1


def test_batches_of_one_policy_are_one_evaluation() -> None:
    halves = call(evaluated="aabb", values=(1.0, 2.0, 3.0, 5.0), n=3)
    assert halves.unmatched == 0
    assert sorted(halves.values.values()) == [1.5, 4.0]
    assert call(evaluated="aabb", values=(1.0, 2.0, 3.0, 5.0), n=5).unmatched == 2


def test_a_policy_is_what_it_does_where_it_comes_to() -> None:
    other = FIRST.copy()
    other[0, 0, 0] = 1  # no episode from the budget 1 comes there at the first step
    calls = (call(values=(0.1, 0.25)),)
    assert is_best(calls, 1, other, 0.0)
    other[0, 0, 1] = 1
    assert not is_best(calls, 1, other, 0.0)


def test_the_error_of_a_planner_is_about_the_policy_of_the_plan() -> None:
    """Estimates tie at 1/4 where true values, with bonuses, differ: each policy has an error of its own."""
    tied = replace(call(values=(0.25, 0.25)), bonus=np.array([[0.0, 1.0]]))
    least = np.zeros((2, 1, 3))  # the part at the compared budget is the estimate, 1/4, for every policy
    grid = tied.public.coarse
    first, second = (planner_error((tied,), policy, 1, 1, least, grid) for policy in (FIRST, SECOND))
    worth = [augmented.evaluate(tied.P, tied.public.coarse_reward, tied.bonus, p, grid)[0, 0, 1] for p in (FIRST, SECOND)]
    assert worth[0] != worth[1]
    np.testing.assert_allclose((first, second), worth, atol=1e-15)


def test_a_policy_that_was_not_evaluated_has_the_error_of_the_planner_s_own() -> None:
    """So that a plan of another policy than the planner's is still found by the decomposition."""
    alone = replace(call(played="b", evaluated="b", values=(0.25,)), bonus=np.array([[0.0, 1.0]]))
    least, grid = np.zeros((2, 1, 3)), alone.public.coarse
    assert planner_error((alone,), FIRST, 1, 1, least, grid) == planner_error((alone,), SECOND, 1, 1, least, grid)


def test_models_are_compared_step_by_step() -> None:
    none: tuple[PlannerCall, ...] = ()
    one = replace(call(), models=np.array([2, 0]))
    assert list(wrong_models((one, one), np.array([2, 1]))) == [False, True]
    assert list(wrong_models(none, np.array([2, 1]))) == [False, False]
