"""The simulator. Counts are compared with binomial quantiles, each missed with probability 1e-9."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from verifier.base.errors import ContractError
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import DiscountedEnvironment, Instance, generators, make
from verifier_settings.discounted.environment import Transcript
from verifier_settings.simulator import cumulative

from ..lifelong.runs import generator
from .runs import session

ALARM = 1e-9


def example(T: int = 4, gamma: float = 0.8) -> Instance:
    return generators.random(generator(0), X=3, A=2, gamma=gamma, T=T)


def opened(instance: Instance, seed: int = 0) -> tuple[DiscountedEnvironment, Transcript]:
    transcript = Transcript()
    return DiscountedEnvironment(instance, transcript, generator(seed, 0), generator(seed, 1)), transcript


def assert_drawn_from(counts: np.ndarray, law: np.ndarray) -> None:
    n = int(counts.sum())
    assert (counts[law == 0] == 0).all()
    assert (counts >= binom.ppf(ALARM, n, law)).all()
    assert (counts <= binom.isf(ALARM, n, law)).all()


def test_a_run_by_the_book() -> None:
    instance = example(T=4)
    env, transcript = opened(instance)
    seen = []
    for action in (0, 1, 1, 0):
        before = env.state
        following = env.step(action)
        assert env.state == following
        seen.append((before, action, following))
        if action == 1:
            assert env.reset() == env.state
    assert env.steps == len(transcript) == 4
    assert list(zip(transcript.states, transcript.actions, transcript.successors, strict=True)) == seen
    assert transcript.resets == [2, 3]
    assert transcript.reset_flags().tolist() == [False, True, True, False]
    assert transcript.resets_in(np.arange(6), np.arange(6)).tolist() == [0, 0, 1, 1, 0, 0]
    assert transcript.resets_in(np.array([1]), np.array([3])).tolist() == [2]
    assert transcript.rows(2, slice(1, 3)).tolist() == [2 * s + a for s, a, _ in seen[1:3]]
    assert transcript.next_states(slice(1, 3)).tolist() == [s for _, _, s in seen[1:3]]


def test_the_successor_is_recorded_and_not_the_state_after_the_reset() -> None:
    """On a path that starts in 0 they differ: a reset always leads to 0, a step never does."""
    env, transcript = opened(generators.path(X=3, gamma=0.5, T=20))
    for _ in range(10):
        env.step(0)
        env.reset()
    assert transcript.successors.tolist() == [1] * 10
    assert transcript.states.tolist() == [0] * 10


def test_first_states_and_states_after_resets_are_drawn_from_the_start() -> None:
    law = np.array([0.0, 0.25, 0.0, 0.75, 0.0])
    instance = make(P=np.tile(np.eye(5)[2], (5, 1)), reward=np.zeros((5, 1)), start=law, gamma=0.5, T=5000)
    first = np.bincount([opened(instance, seed)[0].state for seed in range(300)], minlength=5)
    assert_drawn_from(first, law)
    env, transcript = opened(instance)
    after = np.zeros(5)
    for _ in range(5000):
        env.step(0)
        after[env.reset()] += 1
    assert_drawn_from(after, law)
    assert set(transcript.successors) == {2}


def test_transitions_follow_the_kernel() -> None:
    law = np.array([0.0, 0.2, 0.0, 0.8, 0.0])
    instance = make(P=np.tile(law, (5, 1)), reward=np.zeros((5, 1)), start=np.eye(5)[0], gamma=0.5, T=5000)
    env, _ = opened(instance)
    assert_drawn_from(np.bincount([env.step(0) for _ in range(5000)], minlength=5), law)


@pytest.mark.parametrize("action", [-1, 2, 0.5, 1.0, float("nan"), "0", None])
def test_actions_that_do_not_exist(action: object) -> None:
    env, _ = opened(example())
    with pytest.raises(ContractError, match=r"after 0 steps: expected an action 0\.\.1"):
        env.step(action)
    assert env.steps == 0


@pytest.mark.parametrize("action", [1, np.int64(1), np.uint8(1), True])
def test_integers_of_any_sort_are_actions(action: int) -> None:
    env, transcript = opened(example())
    env.step(action)
    assert transcript.actions.tolist() == [1]
    assert type(transcript.actions[0]) is int


def test_no_step_after_the_last() -> None:
    env, _ = opened(example(T=1))
    env.step(0)
    with pytest.raises(ContractError, match="step 2, but the run has T = 1; stop there"):
        env.step(0)
    env.reset()
    assert env.steps == 1


def test_no_reset_without_a_step() -> None:
    env, transcript = opened(example())
    with pytest.raises(ContractError, match="before the first step"):
        env.reset()
    env.step(0)
    env.reset()
    with pytest.raises(ContractError, match="twice without a step between, after 1 steps"):
        env.reset()
    assert transcript.resets == [1]


# The rest of the last epoch -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("flips", [False, True])
def test_the_last_epoch_is_played_to_its_end_under_its_policy(flips: bool) -> None:
    """The steps added are geometric from 0, whether the algorithm flips a coin after its last step or not.

    The mean is gH = 4 over 500 runs with deviation g^(1/2) H = 4.5, within 6 standard errors (2e-9 each).
    """
    instance, added, actions = example(T=1), [], np.zeros(2)
    policy = np.tile([0.3, 0.7], (3, 1))
    for seed in range(500):
        env, transcript = opened(instance, seed)
        env.step(0)
        if flips and generator(seed, 3).random() < 0.2:
            env.reset()
        added.append(env.pad(policy, generator(seed, 2)))
        assert len(transcript) == 1 + added[-1]
        assert transcript.resets == [len(transcript)]
        actions += np.bincount(transcript.actions[1:], minlength=2)
        assert transcript.states[1:] == transcript.successors[:-1]
    assert min(added) == 0
    assert np.mean(added) == pytest.approx(4.0, abs=6 * np.sqrt(0.8) * 5 / np.sqrt(500))
    assert_drawn_from(actions, policy[0])


def test_padding_draws_from_its_own_generator() -> None:
    """The run up to T is the same if more is added to it."""
    states = []
    for seed in (1, 2):
        env, transcript = opened(example(T=50))
        for _ in range(50):
            env.step(0)
        env.pad(np.full((3, 2), 0.5), generator(seed))
        states.append(transcript.states[:50])
    assert states[0] == states[1]


# Laws, digests ------------------------------------------------------------------------------------------------------


def test_distribution_functions_end_at_one_after_the_last_possible_value() -> None:
    """No uniform number below 1 leads to a value without mass, rounded or not."""
    third = np.array([1 / 3, 0.0, 1 / 3, 1 / 3 - 1e-12, 0.0])
    assert cumulative(third)[3:].tolist() == [1.0, 1.0]
    assert cumulative(third)[0] == cumulative(third)[1] > 0
    assert cumulative(np.array([-1e-17, 1.0])).tolist() == [0.0, 1.0]
    assert cumulative(np.array([1.0 + 1e-16])).tolist() == [1.0]


def test_the_digest_tells_runs_apart_and_is_the_same_for_the_same() -> None:
    def digest(seed: int, resets: bool) -> str:
        opened = session(example(T=5), TabularRaviUCB, seed)
        for _ in range(5):
            opened.environment.step(0)
            if resets:
                opened.environment.reset()
        return opened.digest()

    digests = [digest(seed, resets) for seed, resets in ((0, True), (0, True), (1, True), (0, False))]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
    assert all(len(text) == 16 for text in digests)
