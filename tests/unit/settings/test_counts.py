"""Episodes that are read wrongly: which actions, states, pairs and rewards stand in the place of those that were seen."""

from __future__ import annotations

import numpy as np
import pytest

from verifier_settings.counts import Seen, rewards_of_others

S, A, H = 3, 2, 3
STATES, ACTIONS = np.array([[0, 2, 1], [1, 0, 2]]), np.array([[1, 0, 1], [0, 1, 1]])
FOLLOWING = np.array([[2, 1, 0], [0, 2, 2]])


def seen(steps: int = H, inner: int = 1, within: int = 0) -> Seen:
    """Two episodes, each under a plan of its own, of the first steps; rows are pairs, or one of some rows for each pair."""
    row = (STATES * A + ACTIONS)[:, :steps] * inner + within
    return Seen(np.zeros((steps, S * A * inner, S)), 3, np.arange(2), row, FOLLOWING[:, :steps])


@pytest.mark.parametrize(
    ("said", "states", "actions"),
    [
        ("with a_{h−1} for a_h", STATES, [[1, 1, 0], [0, 0, 1]]),
        ("with a_{h+1} for a_h", STATES, [[0, 1, 1], [1, 1, 1]]),
        ("with a_{h−1} for a_h, the last for the first", STATES, [[1, 1, 0], [1, 0, 1]]),
        ("with a_{h+1} for a_h, the first for the last", STATES, [[0, 1, 1], [1, 1, 0]]),
        ("with s_{h−1} for s_h", [[0, 0, 2], [1, 1, 0]], ACTIONS),
        ("with s_{h+1} for s_h", FOLLOWING, ACTIONS),
    ],
)
def test_what_belongs_to_another_step(said: str, states: np.ndarray, actions: np.ndarray) -> None:
    np.testing.assert_array_equal(seen().misread(A)[said].row, np.asarray(states) * A + actions)


def test_a_row_of_the_transposed_table_and_the_tasks_within_it() -> None:
    np.testing.assert_array_equal(seen().misread(A)["at row a·S + s for s·A + a"].row, ACTIONS * S + STATES)
    off = seen(inner=4, within=3).misread(A, 4)["at row a·S + s for s·A + a"]
    np.testing.assert_array_equal(off.row, (ACTIONS * S + STATES) * 4 + 3)


def test_with_one_step_another_episode_is_meant() -> None:
    others = seen(steps=1).misread(A)
    assert not [said for said in others if "_h" in said]
    np.testing.assert_array_equal(others["with a_{k+1} for a_k"].row % A, [[0], [0]])


def test_of_a_later_batch_no_episode_is_read_wrongly() -> None:
    later = Seen(np.ones((H, S * A, S)), 3, np.arange(2), STATES * A + ACTIONS, FOLLOWING)
    assert later.misread(A) == {}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("with r_{h+1} for r_h", [[2, 3, 0], [5, 6, 0]]),
        ("with r_{h−1} for r_h", [[1, 1, 2], [4, 4, 5]]),
        ("with r_{h−1} for r_h, 0 for the first", [[0, 1, 2], [0, 4, 5]]),
        ("with r_{h−1} for r_h, the last for the first", [[3, 1, 2], [6, 4, 5]]),
        ("with r_{h+1} for r_h, the first for the last", [[2, 3, 1], [5, 6, 4]]),
    ],
)
def test_rewards_of_another_step(said: str, expected: list[list[int]]) -> None:
    rewards = np.arange(1.0, 7.0).reshape(2, 3)
    np.testing.assert_array_equal(rewards_of_others(rewards)[said], expected)
    of_episodes = rewards_of_others(rewards[0, :, None])[said.replace("_h", "_k").replace("{h", "{k")]
    np.testing.assert_array_equal(of_episodes[:, 0], expected[0])
