"""Episodic MDPs whose transitions and rewards depend on the step."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import IntArray
from verifier.base.errors import ContractError, UsageError
from verifier.campaign.selection import scenarios_of
from verifier.model.measurement import measure
from verifier.plugins.registry import registry
from verifier_properties.episodic import assumptions, tabular_confidence, tabular_model
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.lsvi_ucb.mutants import PooledGram
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC, EpisodicPlan, Instance, generators, make
from verifier_settings.episodic.strategies import EpisodicRecipe

from ....installed import guaranteed
from ....power.harness import check, violated
from ..forward import occupancy
from ..lifelong.runs import generator
from .runs import play, small, with_plans

WIDER = ("other-steps", "switch")


def other_steps(**sizes: int) -> Instance:
    return generators.stages(generator(3), **({"S": 3, "A": 2, "H": 3, "K": 12} | sizes))


def test_optimal_values_by_trying_every_policy() -> None:
    instance = other_steps(S=2)
    best = -np.inf
    for choice in product(range(2), repeat=6):
        policy = np.array(choice).reshape(3, 2)
        mass = occupancy(instance.truth.kernel, policy, 0)
        best = max(best, float((mass * instance.truth.rewards).sum()))
    assert instance.truth.V[0, 0] == pytest.approx(best)


def test_regret_from_occupancies() -> None:
    (view,), run = play(LSVIUCB, other_steps())
    truth = view.truth
    for k in range(view.public.K):
        mass = occupancy(truth.kernel, view.policy[k], 0)
        assert run.series.regret[k] == pytest.approx(truth.V[0, 0] - (mass * truth.rewards).sum())


@pytest.mark.parametrize("algorithm", [LSVIUCB, HoeffdingUCBVI])
def test_tables_repeated_at_every_step_are_the_same_instance(algorithm: type[Any]) -> None:
    """Same seeds, same transcript, and what is derived of it to rounding."""
    one = small(K=30)
    P, reward = np.repeat(one.truth.P[None], 3, axis=0), np.repeat(one.truth.reward[None], 3, axis=0)
    written_out = make(P, reward, H=3, K=30)
    known = replace(written_out, public=one.public)  # UCBVI reads one table of rewards
    (view,), run = play(algorithm, one)
    (other,), same = play(algorithm, known)
    assert np.array_equal(run.states, same.states)
    assert np.array_equal(run.actions, same.actions)
    for name in ("PV", "V_policy", "kernel_error", "parameter", "noise_norm", "estimate_replay", "step_kernel"):
        assert np.allclose(getattr(view, name), getattr(other, name), atol=1e-12), name
    assert np.allclose(run.series.expected_gap, same.series.expected_gap, atol=1e-12)
    assert np.allclose(run.series.model_error, same.series.model_error, atol=1e-12)


def test_one_kernel_is_shared_by_all_steps_where_it_does_not_depend_on_them() -> None:
    assert small().truth.kernel.strides[0] == 0
    assert small().truth.rewards.strides[0] == 0
    assert other_steps().truth.kernel.strides[0] > 0


def test_transitions_are_those_of_the_step() -> None:
    """1000 visits of each step and pair or so: frequencies within 5 standard deviations, false alarm below 1e-4 in all."""
    instance = generators.switch(H=2, K=4000)
    (view,), _ = play(_Uniform, instance)
    counts = view.counts[-1]
    n, P = counts.sum(axis=2, keepdims=True), instance.truth.kernel
    assert (np.abs(counts - n * P) <= 5 * np.sqrt(n * P * (1 - P)) + 1e-9).all()
    assert np.abs(view.kernel[-1, :2] - P[:, :2]).min() > 0.2, "pooled counts are of neither step"
    assert np.abs(view.step_kernel[-1, :, :2] - P[:, :2]).max() < 0.07


class _Uniform(HoeffdingUCBVI):
    """Plays at random, and plans once."""

    def run(self, env: Any) -> Any:
        for k in range(self.public.K):
            env.begin_episode()
            if k in (0, self.public.K - 1):
                yield self.plan()
            for _h in range(self.public.H):
                env.step(int(env.rng.integers(self.public.A)))


# Which algorithms are run on them ---------------------------------------------------------------------------------------------


class StepwiseLSVI(LSVIUCB):
    """Its theorem is about kernels and rewards that depend on the step; what is shipped is run on plain problems."""

    handles = frozenset({"step-dependent"})


class PooledLSVI(PooledGram):
    handles = frozenset({"step-dependent"})


def test_an_algorithm_for_kernels_that_depend_on_the_step_is_right_on_them() -> None:
    """The error budget is 1e-3."""
    entry = check(StepwiseLSVI, WIDER, (), trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert {item.name for item in entry.instances} == set(WIDER)
    conforms = {claim.id.split("/")[1] for claim in entry.claims if claim.verdict == "conforms"}
    assert {"regression", "gram", "q-formula", "regret-recursion"} <= conforms


def test_one_that_pools_all_steps_is_not() -> None:
    assert {"gram", "regression"} <= violated(check(PooledLSVI, ("switch",), ("oracle",), trials=1))


def test_others_are_not_run_on_them() -> None:
    names = {scenario.name for scenario in scenarios_of(HoeffdingUCBVI, registry())}
    assert not names & set(WIDER)
    assert "random" in names
    with pytest.raises(UsageError, match=r"'switch' is not known\. It is step-dependent, which no selected algorithm handles"):
        check(HoeffdingUCBVI, ("switch",), ("oracle",), trials=1)


@pytest.mark.parametrize("scenario", EPISODIC.catalogue, ids=lambda scenario: scenario.name)
def test_the_catalogue_says_which_instances_depend_on_the_step(scenario: Any) -> None:
    instance = scenario.draw(0)
    assert measure(assumptions.stationary(instance)).holds == ("step-dependent" not in scenario.extends)
    assert (instance.truth.P.ndim == 2) == ("step-dependent" not in scenario.extends)


def test_a_statement_about_one_kernel_does_not_apply() -> None:
    (view,), _ = play(HoeffdingUCBVI, other_steps_with_known_rewards())
    with pytest.raises(ContractError, match="one kernel for all steps"):
        tabular_confidence.entry_confidence(view)


def other_steps_with_known_rewards() -> Instance:
    return make(other_steps().truth.P, np.linspace(0, 1, 6), H=3, K=12)


@pytest.mark.parametrize(
    ("P", "reward"),
    [(np.full((2, 4, 2), 0.5), np.zeros(4)), (np.full((4, 2), 0.5), np.zeros((2, 4))), (np.full(4, 0.25), np.zeros(4))],
)
def test_tables_for_another_number_of_steps(P: Any, reward: Any) -> None:
    with pytest.raises(ContractError, match="a first axis of H = 3 steps"):
        make(P, reward, H=3, K=2)


# Counts of each step ----------------------------------------------------------------------------------------------------------


class Stepwise(HoeffdingUCBVI):
    """Counts of each step reported beside those of all."""

    yields = HoeffdingUCBVI.yields | {"step_visits", "step_kernel"}

    def __init__(self, *args: Any, **options: str) -> None:
        super().__init__(*args, **options)
        self.counts = np.zeros((self.public.H, self.public.S * self.public.A, self.public.S))

    def plan(self) -> EpisodicPlan:
        visits = self.counts.sum(axis=2)
        kernel = self.counts / np.maximum(visits, 1.0)[..., None]
        return replace(super().plan(), step_visits=visits, step_kernel=kernel)

    def learn(self, states: IntArray, actions: IntArray) -> None:
        super().learn(states, actions)
        rows = states[:-1] * self.public.A + actions
        np.add.at(self.counts, (np.arange(len(actions)), rows, states[1:]), 1.0)


def test_counts_of_each_step() -> None:
    (view,), _ = play(Stepwise, small(K=30))
    for check_of in (tabular_model.step_visits, tabular_model.step_kernel):
        found = measure(check_of(view))
        assert found.holds
        assert found.powered
    pooled = with_plans(view, step_visits=lambda plan: np.tile(plan.visits, (3, 1)))
    assert measure(tabular_model.step_visits(pooled)).violations > 0
    pooled = with_plans(view, step_kernel=lambda plan: np.tile(plan.kernel, (3, 1, 1)))
    assert measure(tabular_model.step_kernel(pooled)).violations > 0


def test_the_search_draws_them_for_algorithms_that_handle_them() -> None:
    from hypothesis import find, settings

    handled = EpisodicRecipe.strategy(StepwiseLSVI.handles)
    quiet = settings(database=None, derandomize=True)
    drawn = find(handled, lambda recipe: recipe.turned and recipe.H > 1 and recipe.A > 1, settings=quiet)
    assert drawn.build().truth.P.ndim == 3
    assert "at steps 2, 4, ..." in drawn.tables()
    assert guaranteed(LSVIUCB).algorithm.handles == frozenset()


def test_simplified_recipes_end_on_a_plain_one() -> None:
    recipe = EpisodicRecipe(2, 2, 3, 2, ((0, 1),) * 4, (1, 0, 2, 0), turned=True)
    truth = recipe.build().truth
    assert np.array_equal(truth.rewards, [[0.5, 0.0, 1.0, 0.0], [0.0, 0.5, 0.0, 1.0], [0.5, 0.0, 1.0, 0.0]])
    while (following := next(recipe.smaller(), None)) is not None:
        recipe = following
    assert not recipe.turned
