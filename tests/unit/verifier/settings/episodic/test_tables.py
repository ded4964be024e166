"""Transition tables of gymnasium as instances."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier.settings.episodic import EPISODIC
from verifier.settings.episodic.tables import from_table, instance_of

TABLE: Any = {
    0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, False)], 1: [(1.0, 2, 0.25, True)]},
    1: {0: [(1.0, 0, 0.0, False)], 1: [(0.5, 1, 0.0, False), (0.5, 1, 1.0, True)]},
    2: {0: [(1.0, 2, 9.0, False)], 1: [(1.0, 2, 9.0, False)]},
}


def test_a_table_by_hand() -> None:
    """State 2 is entered by transitions only that end the episode, so it is never left; its rewards do not count."""
    instance = from_table(TABLE, np.array([1.0, 0.0, 0.0]), H=2, K=5)
    public, truth = instance.public, instance.truth
    assert (public.S, public.A, public.H, public.K) == (3, 2, 2, 5)  # 0, 1 and the end
    assert truth.P.tolist() == [[0.5, 0.5, 0], [0, 0, 1], [1, 0, 0], [0, 0.5, 0.5], [0, 0, 1], [0, 0, 1]]
    assert truth.reward.tolist() == [0.5, 0.25, 0.0, 0.5, 0.0, 0.0]
    # From 0: action 0 earns 1/2, then 1/2 from either state.
    assert truth.V[0].tolist() == [1.0, 0.75, 0.0]
    assert instance.start.tolist() == [1.0, 0.0, 0.0]


def test_a_table_that_never_ends_has_no_end() -> None:
    table: Any = {0: {0: [(1.0, 1, 0.0, False)]}, 1: {0: [(1.0, 0, 1.0, False)]}}
    assert from_table(table, np.array([1.0, 0.0]), H=2, K=1).public.S == 2


def test_gymnasium_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    instance_of.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "gymnasium", None)
    with pytest.raises(UsageError, match=r"pip install 'rl-verifier\[gymnasium\]'"):
        EPISODIC.scenario("gym:FrozenLake-v1")


def test_environments_of_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    for name, low, high in (("FrozenLake", 0.0, 1.0), ("CliffWalking", -100.0, 1.0), ("Taxi", -10.0, 20.0)):
        instance = instance_of(max(key for key in gymnasium.registry if re.fullmatch(rf"{name}-v\d+", key)))
        assert (instance.public.low, instance.public.high) == (low, high)
        assert instance.truth.V[0] @ instance.start > low
    frozen = instance_of("FrozenLake-v1").truth
    assert 0 < frozen.V[0, 0] < 1


def test_the_value_of_a_lake_that_is_not_slippery() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    inner = gymnasium.make("FrozenLake-v1", is_slippery=False).unwrapped
    for H, value in ((5, 0.0), (6, 1.0)):
        assert from_table(inner.P, inner.initial_state_distrib, H=H, K=1).truth.V[0, 0] == value


@pytest.mark.parametrize(("name", "words"), [("CartPole-v1", "no transition table"), ("Nope-v0", "cannot make")])
def test_environments_that_do_not_do(name: str, words: str) -> None:
    pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    with pytest.raises(UsageError, match=words):
        EPISODIC.scenario(f"gym:{name}")
