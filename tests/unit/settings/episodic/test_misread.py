"""Views on data that are off: what is said of them is true of means of rewards, too."""

from __future__ import annotations

import numpy as np
import pytest

from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import Phases, generators

from ..lifelong.runs import generator
from .runs import play

S, A = 3, 2


@pytest.fixture(scope="module")
def view() -> Phases:
    """Phases of a run whose rewards are drawn."""
    (view,), _ = play(HoeffdingUCBVI, generators.coins(generator(3), S=S, A=A, H=3, K=30), "published")
    assert view.drawn.size
    return view


def sums_of_states(view: Phases, array: np.ndarray) -> np.ndarray:
    """(p, X) sums over the actions of each state."""
    return np.repeat(array.reshape(len(view.plans), S, A).sum(axis=2), A, axis=1)


def test_means_of_a_state_are_of_its_rewards_and_its_visits(view: Phases) -> None:
    earned, visits = sums_of_states(view, view.earned.sum(axis=1)), sums_of_states(view, view.visits)
    off = view.altered["of the state, whatever the action"]()
    np.testing.assert_array_equal(off.mean_reward, earned / np.maximum(visits, 1.0))
    np.testing.assert_array_equal(off.kernel.sum(axis=2), (visits > 0).astype(float))


def test_visits_of_a_state_are_told_apart_from_data_of_a_state(view: Phases) -> None:
    visits = sums_of_states(view, view.visits)
    off = view.altered["with N of the state for that of the pair"]()
    np.testing.assert_array_equal(off.visits, visits)
    np.testing.assert_array_equal(off.mean_reward, view.earned.sum(axis=1) / np.maximum(visits, 1.0))
    np.testing.assert_array_equal(off.step_visits.sum(axis=1), visits)


@pytest.mark.parametrize(
    ("said", "steps"),
    [
        ("without the last step of each episode", slice(0, 2)),
        ("without the first step of each episode", slice(1, 3)),
        ("of the first step alone", slice(0, 1)),
    ],
)
def test_rewards_of_some_steps_belong_to_visits_of_these(view: Phases, said: str, steps: slice) -> None:
    off = view.altered[said]()
    visits, earned = view.step_visits[:, steps].sum(axis=1), view.earned[:, steps].sum(axis=1)
    np.testing.assert_array_equal(off.visits, visits)
    np.testing.assert_array_equal(off.mean_reward, earned / np.maximum(visits, 1.0))


def test_rewards_of_all_steps(view: Phases) -> None:
    off = view.altered["of all steps"]()
    visits, earned = view.step_visits.sum(axis=1), view.earned.sum(axis=1)
    np.testing.assert_array_equal(off.step_mean_reward[:, 1], earned / np.maximum(visits, 1.0))
    np.testing.assert_array_equal(off.mean_reward, view.mean_reward)


def test_rewards_of_the_last_episodes_alone(view: Phases) -> None:
    off = view.altered["with the rewards of the last plan's episodes alone"]()
    np.testing.assert_allclose(off.earned.cumsum(axis=0), view.earned, atol=1e-12)
    np.testing.assert_array_equal(off.visits, view.visits)
