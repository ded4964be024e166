"""Policies that draw their actions, as where ties are broken at random."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier.model.measurement import measure
from verifier_properties.episodes import play as played
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodic import random_play
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EpisodicPlan, Instance, generators

from ....power.harness import check, violated
from ..lifelong.runs import generator
from .runs import play, session, small, with_plans


class RandomTies(HoeffdingUCBVI):
    """Each action of largest Q with the same probability."""

    def plan(self) -> EpisodicPlan:
        plan = super().plan()
        best = np.equal(plan.Q, plan.Q.max(axis=2, keepdims=True)).astype(float)
        return replace(plan, policy=best / best.sum(axis=2, keepdims=True))

    def play(self, env: Any, plan: EpisodicPlan, state: int) -> None:
        states, actions = [state], []
        for h in range(self.public.H):
            actions.append(self.drawn(env.rng, plan.policy[h, states[-1]]))
            following, _reward = env.step(actions[-1])
            states.append(following)
        self.learn(np.array(states), np.array(actions))

    def drawn(self, rng: np.random.Generator, chance: Any) -> int:
        return int(rng.choice(len(chance), p=chance))


class FirstOfTies(RandomTies):
    """Says that it draws, and takes the first."""

    def drawn(self, rng: np.random.Generator, chance: Any) -> int:
        return int(chance.argmax())


def ties(K: int = 40) -> Instance:
    return generators.constant(generator(3), S=3, A=3, H=3, K=K, reward=1.0)


def test_claims_hold_where_ties_are_broken_at_random() -> None:
    """The error budget is 1e-3."""
    entry = check(RandomTies, ("anywhere", "all-rewards", "cycle"), (), trials=1)
    assert not violated(entry)
    assert not entry.errors
    conforms = {claim.id.split("/")[1] for claim in entry.claims if claim.verdict == "conforms"}
    assert {"greedy", "plays-policy", "regret-recursion"} <= conforms


def test_values_are_means_over_what_may_be_played() -> None:
    """Against the mean over all deterministic policies, with the product of their probabilities."""
    instance = small(S=2, A=2, H=2, K=3)
    (view,), _ = play(RandomTies, instance)
    chances = generator(1).dirichlet(np.ones(2), size=(2, 2))
    changed = with_plans(view, policy=lambda plan: chances)
    expected = 0.0
    for code in range(16):
        policy = np.array([(code >> i) & 1 for i in range(4)]).reshape(2, 2)
        weight = math.prod(chances[h, s, policy[h, s]] for h in range(2) for s in range(2))
        sure = with_plans(view, policy=lambda plan, policy=policy: policy)
        expected = expected + weight * sure.V_policy
    assert np.allclose(changed.V_policy, expected, atol=1e-12)


def test_sure_and_random_plans_in_one_batch() -> None:
    (view,), _ = play(HoeffdingUCBVI, small())
    mixed = with_plans(view, policy=lambda plan: np.eye(2)[plan.policy] if plan is view.plans[0] else plan.policy)
    assert mixed.policy.ndim == 4
    assert np.allclose(mixed.V_policy, view.V_policy, atol=1e-12)
    assert np.array_equal(mixed.played_chances, view.played_chances)


def test_an_action_that_is_never_drawn_is_not_the_policys() -> None:
    (view,), _ = play(RandomTies, ties())
    assert view.episode.agrees.all()
    never = with_plans(view, policy=lambda plan: np.eye(3)[np.zeros((3, 3), dtype=int)])
    assert not never.episode.agrees.all()
    _, run = play(RandomTies, ties())
    assert measure(played.plays_policy(run)).holds


def test_no_action_that_is_not_best_may_be_drawn() -> None:
    (view,), _ = play(RandomTies, small(K=40))
    assert measure(tabular_planning.greedy(view)).holds
    mixed = with_plans(view, policy=lambda plan: 0.99 * plan.policy + 0.01 / 2)
    assert measure(tabular_planning.greedy(mixed)).violations > 0


def test_evidence_that_actions_are_drawn() -> None:
    """An e-value above 1000 has probability below 1e-3 if they are; for 10 runs 1e-2, with these seeds not met."""
    for seed in range(10):
        _, run = play(RandomTies, ties(), seed=seed)
        assert random_play.drawn_actions(run).value < 1000
    _, run = play(FirstOfTies, ties())
    found = random_play.drawn_actions(run)
    assert found.value > 1000
    assert found.trivial == pytest.approx(found.value)


def test_the_evidence_has_mean_one() -> None:
    """One state, one step, three actions: over all that may be drawn, weighted with its probability."""
    _, run = play(RandomTies, ties(K=1))
    p = np.array([0.5, 0.3, 0.2])
    total = 0.0
    for action in range(3):
        shape = run.series.chance.shape
        series = replace(
            run.series,
            chance=np.where(np.arange(3) == 0, p[action], 1.0) * np.ones(shape),
            likeliest=np.where(np.arange(3) == 0, p[0], 1.0) * np.ones(shape),
            favourite=np.full(shape, action == 0),
        )
        total += p[action] * float(np.asarray(random_play.drawn_actions(replace(run, series=series)).value))
    assert total == pytest.approx(1.0)


def test_a_sure_policy_gives_no_evidence() -> None:
    _, run = play(HoeffdingUCBVI, small())
    found = random_play.drawn_actions(run)
    assert (found.value, found.trivial) == (1.0, 1.0)


@pytest.mark.parametrize("row", [[0.5, 0.6], [-0.5, 1.5], [0.9, 0.0]])
def test_a_policy_that_is_no_law(row: list[float]) -> None:
    opened = session(small(), HoeffdingUCBVI)
    opened._yields = frozenset()
    opened.environment.begin_episode()
    plan = EpisodicPlan(Q=np.zeros((3, 3, 2)), V=np.zeros((4, 3)), policy=np.tile(row, (3, 3, 1)))
    with pytest.raises(ContractError, match="`policy` has a row that is no probability law"):
        opened.observe(plan, {})


def test_single_precision_is_enough() -> None:
    opened = session(small(), HoeffdingUCBVI)
    opened._yields = frozenset()
    opened.environment.begin_episode()
    plan = EpisodicPlan(Q=np.zeros((3, 3, 2)), V=np.zeros((4, 3)), policy=np.tile(np.float32([0.1, 0.9]), (3, 3, 1)))
    assert opened.observe(plan, {}) is None
    kept = opened._pending[0].plan.policy
    assert kept.sum(axis=2) == pytest.approx(1.0, abs=1e-15)
