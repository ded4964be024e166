"""Episodic MDPs whose rewards are random."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier.campaign.selection import scenarios_of
from verifier.model.measurement import measure
from verifier.plugins.registry import registry
from verifier_properties.episodic import assumptions, planning, tabular_model
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC, EpisodicPlan, Instance, RewardLaw, bernoulli, generators, make
from verifier_settings.episodic.strategies import EpisodicRecipe

from ....power.harness import check, violated
from ..lifelong.runs import generator
from .runs import play, session, small, with_plans

NOISY = ("coins", "coins-by-step", "graded-rewards")


def coins(**sizes: Any) -> Instance:
    return generators.coins(generator(4), **({"S": 3, "A": 2, "H": 3, "K": 30} | sizes))


def test_rewards_follow_their_law() -> None:
    """Some 1500 visits of each pair: frequencies within 5 standard deviations, false alarm below 1e-4 for all 60 of them."""
    law = RewardLaw(np.array([-1.0, 0.5, 2.0]), generator(1).dirichlet(np.ones(3), size=(2, 4)))
    opened = session(make(np.full((4, 2), 0.5), law, H=2, K=6000), HoeffdingUCBVI)
    env, rng = opened.environment, generator(2)
    seen = np.zeros((2, 4, 3))
    for _k in range(6000):
        state = env.begin_episode()
        for h in range(2):
            action = int(rng.integers(2))
            following, reward = env.step(action)
            seen[h, 2 * state + action, int(np.searchsorted(law.support, reward))] += 1
            state = following
    n = seen.sum(axis=2, keepdims=True)
    assert (np.abs(seen - n * law.law) <= 5 * np.sqrt(n * law.law * (1 - law.law)) + 1e-9).all()
    earned = opened._earned()
    assert np.allclose(earned, seen @ law.support)


def test_truth_is_that_of_the_means() -> None:
    noisy = coins()
    plain = make(noisy.truth.P, noisy.truth.reward, H=3, K=30)
    assert np.array_equal(noisy.truth.V, plain.truth.V)
    assert np.array_equal(noisy.public.reward, plain.public.reward)
    assert np.array_equal(noisy.truth.reward, bernoulli(noisy.truth.reward).mean)


def test_transitions_do_not_depend_on_whether_rewards_are_drawn() -> None:
    """The law of the transcript is the same; an algorithm that never reads a reward shows it where the first episode is."""
    noisy = coins(K=1)
    (one,), _ = play(HoeffdingUCBVI, noisy)
    (other,), _ = play(HoeffdingUCBVI, make(noisy.truth.P, noisy.truth.reward, H=3, K=1))
    assert np.array_equal(one.states, other.states)


def test_the_hash_of_a_run_is_of_its_rewards_too() -> None:
    sure, random = (make(np.ones((1, 1)), bernoulli(np.array([p])), H=4, K=8) for p in (1.0, 0.5))
    digests = []
    for instance in (sure, random):
        opened = session(instance, LSVIUCB)
        for _k in range(8):
            opened.environment.begin_episode()
            for _h in range(4):
                opened.environment.step(0)
        digests.append(opened.digest())
    assert digests[0] != digests[1]


class Noisy(LSVIUCB):
    """Regresses on the rewards it was given."""

    handles = frozenset({"noisy-rewards", "step-dependent"})


class Means(Noisy):
    """Regresses on the expected rewards, which it cannot know."""

    hidden = frozenset()

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        super().learn(h, state, action, float(self.public.reward[state * self.public.A + action]), following)


def test_a_regression_is_on_the_rewards_that_were_seen() -> None:
    """The oracle's width covers their noise, so that its claims hold; what is regressed on the means is found out."""
    (view,), _ = play(Noisy, coins(K=60))
    for found in (planning.regression(view), planning.confidence(view), planning.optimism(planning.regression_event)(view)):
        assert measure(found).holds
    (view,), _ = play(Means, coins(K=60))
    assert measure(planning.regression(view)).violations > 0


def test_an_algorithm_for_rewards_with_noise_is_right_on_them() -> None:
    """The error budget is 1e-3."""
    entry = check(Noisy, ("coins", "coins-by-step"), ("oracle",), trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert "regression" in violated(check(Means, ("coins",), ("oracle",), trials=1))


class Estimating(HoeffdingUCBVI):
    """Reports the mean of the rewards seen."""

    yields = HoeffdingUCBVI.yields | {"reward"}

    def __init__(self, *args: Any, **options: str) -> None:
        super().__init__(*args, **options)
        self.sums = np.zeros(self.public.S * self.public.A)

    def plan(self) -> EpisodicPlan:
        plan = super().plan()
        return replace(plan, reward=self.sums / np.maximum(plan.visits, 1.0))

    def play(self, env: Any, plan: EpisodicPlan, state: int) -> None:
        states, actions = [state], []
        for h in range(self.public.H):
            actions.append(int(plan.policy[h, states[-1]]))
            following, reward = env.step(actions[-1])
            self.sums[states[-1] * self.public.A + actions[-1]] += reward
            states.append(following)
        self.learn(np.array(states), np.array(actions))


@pytest.mark.parametrize("instance", [coins(), coins(stages=True), small(K=30)], ids=["noisy", "by step", "plain"])
def test_estimated_rewards_are_means_of_those_seen(instance: Instance) -> None:
    known = replace(instance, public=replace(instance.public, reward=np.zeros(6)))
    (view,), _ = play(Estimating, known)
    found = measure(tabular_model.rewards(view))
    assert found.holds
    assert found.powered
    assert measure(tabular_model.rewards(with_plans(view, reward=lambda plan: plan.reward * 0.99))).violations > 0


def test_the_true_means_are_no_estimate() -> None:
    instance = coins()
    (view,), _ = play(Estimating, instance)
    changed = with_plans(view, reward=lambda plan: instance.truth.reward)
    assert measure(tabular_model.rewards(changed)).violations > 0


@pytest.mark.parametrize("scenario", EPISODIC.catalogue, ids=lambda scenario: scenario.name)
def test_the_catalogue_says_where_rewards_are_random(scenario: Any) -> None:
    instance = scenario.draw(0)
    if "adversarial" not in scenario.extends:  # an adversary may pay the same in every round, and agents cannot know it
        assert measure(assumptions.noiseless(instance)).holds == ("noisy-rewards" not in scenario.extends)
    if instance.truth.law is not None:
        support = instance.truth.law.support
        assert instance.public.low <= support.min() <= support.max() <= instance.public.high


def test_the_range_assumed_is_that_of_what_may_be_drawn() -> None:
    """All means lie in [0, 1], but not all rewards."""
    inside, outside = (make(np.ones((1, 1)), bernoulli(np.array([0.5]), low, 1.0), H=2, K=2) for low in (0.0, -1.0))
    assert measure(assumptions.reward_range(inside)).holds
    assert measure(assumptions.reward_range(outside)).violations == 1
    assert (outside.public.low, outside.public.high) == (-1.0, 1.0)
    with pytest.raises(ContractError, match=r"outside the declared range \[0, 1\]"):
        make(np.ones((1, 1)), bernoulli(np.array([0.5]), -1.0, 1.0), H=2, K=2, span=(0.0, 1.0))


def test_others_are_not_run_on_them() -> None:
    assert not {scenario.name for scenario in scenarios_of(HoeffdingUCBVI, registry())} & set(NOISY)
    assert {scenario.name for scenario in scenarios_of(Noisy, registry())} >= set(NOISY)


@pytest.mark.parametrize(
    ("support", "law", "words"),
    [
        (np.zeros(2), np.ones((3, 1)), "expected"),
        (np.array([0.0, np.inf]), np.full((3, 2), 0.5), "finite"),
        (np.zeros(2), np.full((3, 2), 0.4), "no probability law"),
    ],
)
def test_laws_that_are_none(support: Any, law: Any, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        RewardLaw(support, law)


def test_recipes_with_noise() -> None:
    recipe = EpisodicRecipe(2, 1, 2, 2, ((1, 1), (0, 0)), (1, 2), offset=2, noisy=True)
    law = recipe.build().truth.law
    assert law is not None
    assert law.support.tolist() == [2.0, 3.0]
    assert law.law.tolist() == [[0.5, 0.5], [0.0, 1.0]]
    assert "rewards are 2 or 3, with mean r" in recipe.tables()
    while (following := next(recipe.smaller(), None)) is not None:
        recipe = following
    assert not recipe.noisy
