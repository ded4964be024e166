"""Line of somebody's code that a violated claim leads to, where tables are set several times or made by a property."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.campaign.code import code_of


def loop(env: Any, num_episodes: int, c: float = 1.0) -> None:
    """A function whose table gets first values, before the loop and in it."""
    Q = np.ones((env.H + 1, env.observation_space.n, env.action_space.n))
    Q[env.H] = 0.0
    for _ in range(num_episodes):
        for h in reversed(range(env.H)):
            for s in range(len(Q[h])):
                Q[h, s] = env.H
                Q[h, s] = np.minimum(Q[h, s], c + Q[h + 1].max())


class Flat:
    """An agent with a table of rows, which a property shows as it is read."""

    def __init__(self, n_states: int, n_actions: int, horizon: int) -> None:
        self.S, self.A, self.H = n_states, n_actions, horizon
        self.rows = np.ones((horizon * n_states, n_actions))

    @property
    def Q(self) -> Any:
        """The table by step."""
        return self.rows.reshape(self.H, self.S, self.A)

    def act(self, state: int, h: int) -> int:
        """The best action."""
        return int(self.rows[h * self.S + state].argmax())

    def update(self, state: int, action: int, reward: float, h: int) -> None:
        """Learn a little."""
        self.rows[h * self.S + state, action] = reward


class Computed(Flat):
    """An agent that computes what is read."""

    @property
    def table(self) -> Any:
        """One number for each pair."""
        return self.values()

    def values(self) -> Any:
        """Nothing."""
        return np.zeros((self.H, self.S, self.A))


@pytest.mark.parametrize(
    ("agent", "read", "owner", "text"),
    [
        (loop, "Q", loop, "np.minimum"),
        (Flat, "Q", Flat, "= reward"),
        (Computed, "table", Computed, "def values"),
    ],
)
def test_the_line_is_the_one_that_computes_the_table(agent: Any, read: str, owner: Any, text: str) -> None:
    mine = verifier.hold(agent, to="ucbvi-ch", read={"Q": read})
    source, first = inspect.getsourcelines(owner)
    (line,) = (first + n for n, each in enumerate(source) if text in each)
    place = code_of(mine.algorithm, mine.claim("q-formula"))
    assert place is not None
    assert place.line == line
