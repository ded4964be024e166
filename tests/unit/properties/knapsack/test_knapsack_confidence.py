"""Confidence intervals of the model of an algorithm with knapsacks: when they hold, and what leaves them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier.formulas.quantity import quantity
from verifier_properties.knapsack import confidence

LAWS = (np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([[0.9, 0.1], [0.3, 0.7]]), np.array([[0.1, 0.3, 0.6], [1.0, 0.0, 0.0]]))
"""Of the next state and of two costs, at two pairs."""
MEANS = np.array([0.4, 0.7])
PUBLIC = SimpleNamespace(sizes=(2, 2, 3), X=2, T=400, H=4, delta=0.5)


class Model(SimpleNamespace):
    """What these properties read of a batch of plans."""

    @quantity("N", "plan pair", low=0.0, high=np.inf)
    def visits(self) -> Any:
        """(p, X) N_{k-1}(s,a)."""
        return self.seen

    def once(self, function: Any) -> Any:
        """What a function of the view returns."""
        return function(self)


def view(visits: int, laws: Any = LAWS, reward: Any = MEANS, seen: Any = (1, 1)) -> Any:
    """One plan after so many visits to each pair, with this model."""
    most = max(law.shape[1] for law in laws[1:])
    told = {
        "kernel": laws[0][None],
        "costs": np.stack([np.pad(law, ((0, 0), (0, most - law.shape[1]))) for law in laws[1:]])[None],
        "reward": np.asarray(reward)[None],
    }
    return Model(
        public=PUBLIC, truth=SimpleNamespace(rows=LAWS, reward=MEANS), seen=visits * np.array([seen], dtype=float),
        start=np.array([0]), labels={}, reported=told.__getitem__,
    )  # fmt: skip


def outside(found: Any) -> set[tuple[int, ...]]:
    """Where a comparison fails."""
    fails = (found.value > found.bound + found.tolerance) & found.premise
    return {tuple(map(int, place[1:])) for place in np.argwhere(np.broadcast_to(fails, np.shape(found.value)))}


def test_each_value_has_an_interval_of_its_own() -> None:
    """Next states, then costs: 8 of 7 values and a mean, 2 pairs, 400 steps, twice, over delta = 0.5 is the logarithm."""
    l = np.log(2 * 8 * 2 * 400 / 0.5)  # noqa: E741  # as it is called in the derivation
    found = confidence.laws(view(100))
    assert found.bound[0, 0, 4] == pytest.approx(np.sqrt(2 * 0.1 * 0.9 * l / 100) + l / 300)
    assert found.bound[0, 1, 5] == pytest.approx(l / 300)  # a value that never occurs
    assert confidence.rewards(view(100)).bound[0] == pytest.approx(np.sqrt(l / 200))
    assert outside(found) == outside(confidence.rewards(view(100))) == set()


def test_another_law_leaves_it_once_there_is_data() -> None:
    """The costs of the other pair: after enough visits, and never before the first."""
    swapped = (LAWS[0], LAWS[1][::-1], LAWS[2])
    assert outside(confidence.laws(view(1, swapped))) == set()
    assert outside(confidence.laws(view(300, swapped))) == {(0, 2), (0, 3), (1, 2), (1, 3)}
    assert outside(confidence.laws(view(300, swapped, seen=(1, 0)))) == {(0, 2), (0, 3)}
    assert outside(confidence.rewards(view(300, reward=(0.7, 0.7)))) == {(0,)}


@pytest.mark.full
def test_the_intervals_hold_as_often_as_they_say() -> None:
    """Frequencies of n samples, in 300 runs for each n: a failure anywhere in at most half of them, and in fact in none.

    At one n each of 14 values and 2 means fails with probability 2 exp(-l) = delta / (8 X T) at most, a run with 16 of these:
    0.00125, so that more than 9 of 1200 runs fail with probability below 10^-5.
    """
    rng = np.random.default_rng(7)
    failed = 0
    for n in (1, 5, 30, 200):
        for _ in range(300):
            laws = tuple(np.stack([rng.multinomial(n, row) / n for row in law]) for law in LAWS)
            now = view(n, laws, rng.binomial(n, MEANS) / n)
            failed += bool(outside(confidence.laws(now)) | outside(confidence.rewards(now)))
    assert failed <= 9
