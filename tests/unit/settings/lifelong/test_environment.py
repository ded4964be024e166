from __future__ import annotations

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_settings.lifelong import LifelongEnvironment, generators, make
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from .runs import generator, session


def opened(K: int = 2) -> LifelongEnvironment:
    instance = generators.onehot(generator(0), S=3, A=2, d=2, m=2, H=2, K=K)
    return session(instance, UCBlvd).environment


def test_a_run_by_the_book() -> None:
    env = opened()
    for k in range(2):
        assert env.episode == k
        state, context = env.begin_episode()
        assert env.at_start
        for h in range(2):
            following, reward = env.step(1)
            assert reward == env.public.reward[h, state * 2 + 1, context]
            state = following
        assert not env.at_start
    assert env.episode == 2


def test_episodes_must_be_finished_before_the_next_begins() -> None:
    env = opened()
    env.begin_episode()
    with pytest.raises(ContractError, match="after 0 of 2 steps of episode 1"):
        env.begin_episode()
    env.step(0)
    with pytest.raises(ContractError, match="after 1 of 2 steps"):
        env.begin_episode()


def test_no_step_outside_an_episode() -> None:
    env = opened()
    with pytest.raises(ContractError, match="call begin_episode"):
        env.step(0)
    env.begin_episode()
    env.step(0)
    env.step(0)
    with pytest.raises(ContractError, match="call begin_episode"):
        env.step(0)


def test_no_episode_after_the_last() -> None:
    env = opened(K=1)
    env.begin_episode()
    env.step(0)
    env.step(0)
    with pytest.raises(ContractError, match="K = 1"):
        env.begin_episode()


@pytest.mark.parametrize("action", [-1, 2, 0.5, 1.0, float("nan"), "0", None])
def test_actions_that_do_not_exist(action: object) -> None:
    env = opened()
    env.begin_episode()
    with pytest.raises(ContractError, match="expected an action"):
        env.step(action)


@pytest.mark.parametrize("action", [1, np.int64(1), np.uint8(1), True])
def test_integers_of_any_sort_are_actions(action: int) -> None:
    env = opened()
    env.begin_episode()
    env.step(action)


def test_transitions_follow_the_kernel() -> None:
    rng = generator(3)
    mu = np.array([[[0.0, 0.2, 0.0, 0.8, 0.0]]])
    instance = make(phi=np.ones((5, 1)), mu=mu, rho=np.eye(1), E=np.zeros((1, 1, 1)), K=4000, A=1)
    env = LifelongEnvironment(instance, session(instance, UCBlvd)._transcript, lambda k: (0 * k, 0 * k), rng, rng)
    seen = np.zeros(5)
    for _ in range(4000):
        env.begin_episode()
        seen[env.step(0)[0]] += 1
    assert seen[[0, 2, 4]].sum() == 0
    assert seen[1] / 4000 == pytest.approx(0.2, abs=0.03)
