"""Garbage agents play what they report, in every setting, and are planted in every algorithm."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier.plugins.registry import registry
from verifier_settings.garbage import HABITS, Garbage, Habit

KINDS = {habit.name for habit in HABITS}


@pytest.mark.parametrize("name", sorted(registry().guarantees))
def test_every_algorithm_has_the_garbage_agents_of_its_setting(name: str) -> None:
    known = registry().guarantees[name]
    planted = {mutant.name: mutant for mutant in registry().with_garbage(name).mutants if mutant.garbage}
    assert set(planted) == KINDS
    for mutant in planted.values():
        assert issubclass(mutant.algorithm, Garbage)
        assert issubclass(mutant.algorithm, known.algorithm)
        assert mutant.algorithm.run is not known.algorithm.run
    full = registry().guarantees_of(f"{name}~garbage-zero")
    assert full.claims == known.claims
    assert full.algorithm.name == f"{name}~garbage-zero"


def test_a_misspelt_one_is_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="garbage-random"):
        registry().guarantees_of("ucblvd~garbage-randm")


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_habits_give_what_contracts_accept(habit: Habit) -> None:
    rng = np.random.default_rng(0)
    numbers = habit.numbers(rng, (3, 4), 5.0)
    indices = habit.actions(rng, (3, 4), 2)
    assert numbers.shape == indices.shape == (3, 4)
    assert np.isfinite(numbers).all()
    assert set(np.unique(indices)) <= {0, 1}
    assert indices.dtype.kind == "i"


def test_habits_differ() -> None:
    rng = np.random.default_rng(0)
    first, alternating = (habit for habit in HABITS if habit.name in ("garbage-first", "garbage-alternating"))
    assert not first.actions(rng, (2, 3), 4).any()
    assert np.array_equal(alternating.actions(rng, (2, 3), 2), [[0, 1, 0], [1, 0, 1]])
    assert np.abs(alternating.numbers(rng, (100,), 1.0)).max() > 10


def test_an_agent_reports_the_fields_that_the_algorithm_declares() -> None:
    class Declares(Garbage):
        habit = HABITS[0]
        yields = frozenset({"kernel"})

        def run(self, env: object) -> Iterator[None]:
            yield

        @classmethod
        def published_width(cls, public: object, of: str) -> float:
            return 1.0

    agent = Declares(None, None)  # type: ignore[arg-type]  # it is asked for nothing it was given
    shapes = {"Q": (2,), "policy": (3,), "kernel": (4,), "gram": (5,)}
    given = agent.fields(np.random.default_rng(0), shapes, {"policy": 2}, ("Q", "policy"), 1.0)
    assert {name: value.shape for name, value in given.items()} == {"Q": (2,), "policy": (3,), "kernel": (4,)}
