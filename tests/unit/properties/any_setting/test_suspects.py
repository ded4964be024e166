"""Suspects of actions: the worst of two is not told apart from the other one."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.base.difference import Difference, merged
from verifier.model.inequality import Inequality
from verifier.model.measurement import measure
from verifier.record.sentence import explained
from verifier.trials.differences.explained import Explained
from verifier_properties.any_setting.suspects import other_choices, worst_action


def difference(values: np.ndarray, taken: np.ndarray) -> Difference | None:
    """Difference of actions (p,) from those of largest value (p, A)."""
    chosen, best, least = np.take_along_axis(values, taken[:, None], axis=1)[:, 0], values.max(axis=1), values.min(axis=1)
    rounding = np.full(len(values), 1e-12)
    inequality = Inequality(
        best - chosen, 0.0, ("plan",), trivial=best - least, tolerance=rounding, identity=True,
        explanations=worst_action(chosen, least, rounding, values.shape[1]),
    )  # fmt: skip
    told = Explained()
    told.add(inequality, measure(inequality), None)
    return told.difference()


THREE, TWO = np.random.default_rng(4).random((9, 3)), np.random.default_rng(4).random((9, 2))
OTHER = "Everywhere: another action than the greedy one."


@pytest.mark.parametrize(
    ("values", "rank", "said"),
    [
        (THREE, 0, "Everywhere: the worst action."),
        (THREE, 1, "Everywhere: cause not recognised."),
        (TWO, 0, OTHER),
    ],
    ids=["worst of three", "second of three", "worst of two"],
)
def test_of_two_actions_none_is_the_worst(values: np.ndarray, rank: int, said: str) -> None:
    found = difference(values, values.argsort(axis=1)[:, rank])
    assert found is not None
    assert explained(found) == said


@pytest.mark.parametrize(("rank", "said"), [(0, "Everywhere: the worst action."), (1, "Everywhere: cause not recognised.")])
def test_an_instance_with_more_actions_decides(rank: int, said: str) -> None:
    more, two = difference(THREE, THREE.argsort(axis=1)[:, rank]), difference(TWO, TWO.argmin(axis=1))
    for both in (merged(more, two), merged(two, more)):
        assert both is not None
        assert explained(both) == said


Q = np.random.default_rng(5).random((4, 3, 3, 3))
GREEDY = Q.argmax(axis=3)
CHOICES = {
    "the first action, whatever Q is": np.zeros_like(GREEDY),
    "greedy for Q of the plan before": np.concatenate([GREEDY[:1], GREEDY[:-1]]),
    "greedy for Q of step h + 1": np.concatenate([GREEDY[:, 1:], GREEDY[:, -1:]], axis=1),
    "greedy for Q of step h − 1": np.concatenate([GREEDY[:, :1], GREEDY[:, :-1]], axis=1),
    "the second action": np.argsort(Q, axis=3)[..., 1],
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_by_other_values_is_told_and_no_other_one(name: str) -> None:
    found = other_choices(Q, CHOICES[name], np.full(GREEDY.shape, 1e-12))
    assert [said for said, holds in found.items() if holds().all()] == [said for said in found if said == name]


@pytest.mark.parametrize(("most", "said"), [(0.5, "greedy for Q cut at H"), (0.0, "the first action, as if Q were cut at H")])
def test_a_choice_by_values_that_are_cut_is_told(most: float, said: str) -> None:
    found = other_choices(Q, np.minimum(Q, most).argmax(axis=3), np.full(GREEDY.shape, 1e-12), most)
    assert [text for text, holds in found.items() if holds().all()] == [said]


def test_of_a_single_plan_no_plan_before_is_told() -> None:
    assert not other_choices(Q[:1], GREEDY[:1], np.full(GREEDY[:1].shape, 1e-12))["greedy for Q of the plan before"]().any()
