"""Instances as environments of gymnasium."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.adapters.gymnasium_env import make
from verifier.base.errors import UsageError
from verifier_settings.episodic import EPISODIC

pytest.importorskip("gymnasium", reason="needs the extra gymnasium")

EVERY = [
    ("episodic", "river"),
    ("lifelong", "onehot"),
    ("discounted", "random-point"),
    ("cvar", "beta-rewards"),
    ("cvar", "low-rank"),
    ("factored", "in-turn"),
    ("reward-free", "lock"),
    ("knapsack", "two-budgets"),
]


@pytest.mark.parametrize(("setting", "instance"), EVERY)
def test_gymnasium_accepts_it(setting: str, instance: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(make(setting, instance), skip_render_check=True)


def test_it_follows_the_tables() -> None:
    """Frequencies of 4000 steps within 5 standard deviations: false alarm below 1e-5 for each of 20 entries."""
    env, instance = make("episodic", "river"), next(s for s in EPISODIC.catalogue if s.name == "river").draw(0)
    counts = np.zeros(instance.truth.P.shape)
    state, _ = env.reset(seed=7)
    h = 0
    for t in range(4000):
        action = t % 3 > 0
        following, reward, terminated, truncated, _ = env.step(int(action))
        row = state * 2 + action
        assert reward == instance.truth.reward[row]
        counts[row, following] += 1
        h += 1
        assert not terminated
        assert truncated == (h == instance.public.H)
        state = following
        if truncated:
            state, h = env.reset()[0], 0
    n = counts.sum(axis=1, keepdims=True)
    P = instance.truth.P
    assert (np.abs(counts - n * P) <= 5 * np.sqrt(n * P * (1 - P)) + 1e-9).all()


def test_what_does_not_exist() -> None:
    with pytest.raises(UsageError, match="has no gymnasium environment"):
        make("episodik", "river")
    with pytest.raises(UsageError, match="Did you mean 'river'"):
        make("episodic", "rivers")


def test_random_rewards_are_drawn_anew() -> None:
    """2000 rewards of 0 or 1: their mean within 5 standard deviations of the law's, false alarm below 1e-6."""
    env, instance = make("episodic", "coins"), next(s for s in EPISODIC.catalogue if s.name == "coins").draw(0)
    rewards, means, state, over = [], [], 0, True
    for t in range(2000):
        if over:
            state, _ = env.reset(seed=7 if t == 0 else None)
        means.append(instance.truth.reward[2 * state + t % 2])
        state, reward, _, over, _ = env.step(t % 2)
        rewards.append(reward)
    assert set(rewards) == {0.0, 1.0}
    mean = np.array(means)
    assert abs(np.sum(rewards) - mean.sum()) <= 5 * np.sqrt((mean * (1 - mean)).sum())
