"""Episodes in blocks are the episodes that are played one by one, bit for bit, however long the blocks are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.algorithm import Algorithm
from verifier.model.fork import arrays_of
from verifier.model.result import TrialSpec
from verifier.trials.trial import run
from verifier_settings import blocks
from verifier_settings.lifelong import LIFELONG, Instance, LifelongEnvironment, generators
from verifier_settings.lifelong.tasks import RULES
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing
from verifier_ucblvd.ucblvd.algorithm import UCBlvd
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards

from ....installed import guaranteed
from ..playing import played_at_the_wrong_time_is_refused
from .runs import generator, play, session

LENGTHS = {"1": (1, 1), "2": (2, 2), "7": (7, 7), "doubling": (1, 4), "long": (64, 64)}


class OneByOne(Algorithm):
    """Planted before an algorithm: line 4 is looked at in every episode, and every step is asked for."""

    def run(self: Any, env: Any) -> Iterator[Any]:
        plan, planned = None, self.log_det()
        for _k in range(self.public.K):
            state, context = env.begin_episode()
            if plan is None or (self.log_det() - planned > 1.0).any():
                plan, planned = self.plan(), self.log_det()
                yield plan
            states, actions, rewards = [state], [], []
            for h in range(self.public.H):
                actions.append(int(plan.policy[h, states[-1], context]))
                following, reward = env.step(actions[-1])
                states.append(following)
                rewards.append(reward)
            self.learn(np.array([context]), np.array([states]), np.array([actions]), np.array([rewards]))


def drawn(tasks: str, K: int, seed: int) -> Instance:
    return generators.onehot(generator(seed), S=4, A=2, d=3, m=2, H=3, K=K, tasks=tasks)


def played(algorithm: type[Algorithm], instance: Instance, regime: str, seed: int) -> tuple[Any, ...]:
    """What of a run can be told from another one: transcript, plans, and widths."""
    (view,), whole = play(algorithm, instance, regime, seed)
    plans = [arrays_of(plan) for plan in view.plans]
    return whole.states, whole.actions, whole.contexts, whole.plans, view.width, *[a for plan in plans for a in plan.values()]


def same(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return len(left) == len(right) and all(a.tobytes() == b.tobytes() for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("algorithm", [UCBlvd, UCBlvdUnknownRewards, LifelongLSVISharing])
@settings(max_examples=12, deadline=None)
@given(
    tasks=st.sampled_from(sorted(RULES)),
    regime=st.sampled_from(["published", "oracle"]),
    K=st.integers(1, 90),
    seed=st.integers(0, 10**6),
)
def test_runs_in_blocks_are_those_one_by_one(algorithm: type[Algorithm], tasks: str, regime: str, K: int, seed: int) -> None:
    instance = drawn(tasks, K, seed)
    plain = played(type("Plain", (OneByOne, algorithm), {}), instance, regime, seed)
    for first, largest in LENGTHS.values():
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(blocks, "FIRST", first)
            changed.setattr(blocks, "LARGEST", largest)
            assert same(played(algorithm, instance, regime, seed), plain)


def test_verdicts_in_blocks_are_those_one_by_one() -> None:
    plain = replace(guaranteed(UCBlvd), algorithm=type("Plain", (OneByOne, UCBlvd), {}))
    for regime in ("published", "oracle"):
        spec = TrialSpec("ucblvd", "few-episodes", regime, 0, 0)
        left, right = run(spec, guaranteed(UCBlvd), LIFELONG), run(spec, plain, LIFELONG)
        assert (left.error, left.unmeasured, right.error) == (None, {}, None)
        assert left.digest == right.digest
        assert left.measurements == right.measurements


def test_a_run_is_played_in_few_calls() -> None:
    """Or else it would be no faster: between two plans the bound on what is left is reached in some steps."""
    calls: list[int] = []

    class Counted(UCBlvd):
        def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
            calls.append(len(contexts))
            super().learn(contexts, states, actions, rewards)

    _, whole = play(Counted, drawn("iid", 3000, 0), "published")
    assert sum(calls) == 3000
    assert len(calls) <= 6 * len(whole.plans)


# What a weight says -----------------------------------------------------------------------------------------------


def begun(K: int = 40, seed: int = 0) -> LifelongEnvironment:
    env = session(drawn("iid", K, 1), UCBlvd, seed).environment
    env.begin_episode()
    return env


POLICY = np.zeros((3, 4, 2), dtype=np.int64)


@pytest.mark.parametrize(("weight", "episodes"), [(np.inf, 1), (2.0, 1), (1.0, 2), (0.5, 3), (0.3, 4), (0.11, 10), (0.0, 40)])
def test_play_ends_with_the_episode_after_which_the_weights_exceed_one(weight: float, episodes: int) -> None:
    env = begun()
    contexts, states, actions, rewards = env.play(POLICY, weight)
    assert [len(array) for array in (contexts, states, actions, rewards)] == [episodes] * 4
    assert env.episode == episodes
    assert not env.at_start
    assert rewards[0, 0] == env.public.reward[0, states[0, 0] * 2, contexts[0]]


def test_weights_count_by_step_pair_and_context() -> None:
    """In a weight of one entry, play goes on until that pair has been met at that step in that context."""
    for seed in range(20):
        weight = np.zeros((3, 8, 2))
        weight[1, 2 * 2, 1] = 2.0
        contexts, states, _, _ = begun(seed=seed).play(POLICY, weight)
        met = (states[:, 1] == 2) & (contexts == 1)
        assert met[-1] or len(contexts) == 40
        assert not met[:-1].any()


def test_visits_count_in_all_contexts() -> None:
    contexts, states, _, _ = begun().play(POLICY, weight=0.0, visits=5)
    before = np.bincount(states[:-1, :-1].ravel())
    assert np.bincount(states[:, :-1].ravel()).max() >= 5 > before.max()
    assert len(set(contexts.tolist())) > 1


def test_what_was_played_ahead_and_not_kept_is_nowhere() -> None:
    """After a call the transcript has zeros where later episodes will be, and what they become is what they would have been."""
    env, plain = begun(), begun()
    env.play(POLICY, 0.11)
    for array in (env._transcript.states, env._transcript.actions, env._transcript.contexts):
        assert not array[10:].any()
    other = 1 - POLICY
    for _ in range(10):
        plain.play(POLICY)
        plain.begin_episode()
    env.begin_episode()
    for left, right in zip(env.play(other, 0.0), plain.play(other, 0.0), strict=True):
        np.testing.assert_array_equal(left, right)


def test_what_is_returned_is_no_part_of_the_transcript() -> None:
    env = begun()
    before = env._transcript.digest()
    for array in env.play(POLICY, 0.5):
        array[...] = 0
    assert env._transcript.digest() != before
    assert env._transcript.states[:3].any()


@pytest.mark.parametrize(
    ("policy", "weight", "message"),
    [
        (POLICY[:, :, 0], 1.0, r"policy of shape \(3, 4\)"),
        (POLICY[:2], 1.0, r"\(H, S, W\) = \(3, 4, 2\)"),
        (POLICY + 2, 1.0, "expected actions 0..1"),
        (POLICY - 1, 1.0, "expected actions 0..1"),
        (POLICY.astype(float), 1.0, "type float64"),
        (POLICY, -1.0, "expected numbers >= 0"),
        (POLICY, np.nan, "expected numbers >= 0"),
        (POLICY, np.ones((3, 5)), r"shape \(3, 5\); expected .* \(H, S\*A, W\) = \(3, 8, 2\)"),
    ],
)
def test_what_cannot_be_played_is_refused(policy: Any, weight: Any, message: str) -> None:
    env = begun()
    with pytest.raises(ContractError, match=message):
        env.play(policy, weight)
    assert env.episode == 0


def test_play_needs_an_episode_that_has_just_begun() -> None:
    played_at_the_wrong_time_is_refused(begun(), POLICY)


@given(sizes=st.lists(st.integers(1, 150), max_size=8), looked=st.lists(st.integers(0, 300), min_size=8, max_size=8))
def test_rows_are_those_of_the_stream(sizes: list[int], looked: list[int]) -> None:
    rows, stream = blocks.Rows(generator(7), 3), generator(7).random((1300, 3))
    taken = [0, *np.cumsum(sizes).tolist()]
    for (start, stop), n in zip(pairwise(taken), looked, strict=False):
        np.testing.assert_array_equal(rows.ahead(n), stream[start : start + n])
        np.testing.assert_array_equal(rows.ahead(stop - start), stream[start:stop])
        rows.take(stop - start)


def test_a_plan_that_comes_late_is_found() -> None:
    """Weights that are half of what they must be: play goes on where line 4 may ask for a plan."""

    class Late(UCBlvd):
        def patience(self, growth: Array) -> Any:
            return 0.5 * super().patience(growth)

    late = replace(guaranteed(UCBlvd), algorithm=Late)
    found = run(TrialSpec("ucblvd", "onehot", "published", 0, 0), late, LIFELONG)
    assert found.measurements["trigger"].violations > 0
