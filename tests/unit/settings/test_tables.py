"""Transition tables of gymnasium as instances."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier_settings.episodic import EPISODIC, Instance
from verifier_settings.episodic.instance import from_chain
from verifier_settings.factored import FACTORED
from verifier_settings.reward_free.generators import of_chain
from verifier_settings.tables import chain, registered

TABLE: Any = {
    0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, False)], 1: [(1.0, 2, 0.25, True)]},
    1: {0: [(1.0, 0, 0.0, False)], 1: [(0.5, 1, 0.0, False), (0.5, 1, 1.0, True)]},
    2: {0: [(1.0, 2, 9.0, False)], 1: [(1.0, 2, 9.0, False)]},
}


def instance(table: Any, start: Any, *, H: int, K: int) -> Instance:
    return from_chain(chain(table, start), H=H, K=K)


def drawn(setting: Any, name: str) -> Any:
    return setting.scenario(f"gym:{name}").draw(0)


def test_a_table_by_hand() -> None:
    """State 2 is entered by transitions only that end the episode, so it is never left; its rewards do not count."""
    read = instance(TABLE, np.array([1.0, 0.0, 0.0]), H=2, K=5)
    public, truth = read.public, read.truth
    assert (public.S, public.A, public.H, public.K) == (3, 2, 2, 5)  # 0, 1 and the end
    assert truth.P.tolist() == [[0.5, 0.5, 0], [0, 0, 1], [1, 0, 0], [0, 0.5, 0.5], [0, 0, 1], [0, 0, 1]]
    assert truth.reward.tolist() == [0.5, 0.25, 0.0, 0.5, 0.0, 0.0]
    # From 0: action 0 earns 1/2, then 1/2 from either state.
    assert truth.V[0].tolist() == [1.0, 0.75, 0.0]
    assert read.start.tolist() == [1.0, 0.0, 0.0]


def test_a_table_that_never_ends_has_no_end() -> None:
    table: Any = {0: {0: [(1.0, 1, 0.0, False)]}, 1: {0: [(1.0, 0, 1.0, False)]}}
    assert instance(table, np.array([1.0, 0.0]), H=2, K=1).public.S == 2


def test_gymnasium_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    registered.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "gymnasium", None)
    with pytest.raises(UsageError, match="pip install 'gymnasium>="):
        EPISODIC.scenario("gym:FrozenLake-v1")


def test_environments_of_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    for name, low, high in (("FrozenLake", 0.0, 1.0), ("CliffWalking", -100.0, 1.0), ("Taxi", -10.0, 20.0)):
        read = drawn(EPISODIC, max(key for key in gymnasium.registry if re.fullmatch(rf"{name}-v\d+", key)))
        assert (read.public.low, read.public.high) == (low, high)
        assert read.truth.V[0] @ read.start > low
    frozen = drawn(EPISODIC, "FrozenLake-v1").truth
    assert 0 < frozen.V[0, 0] < 1


def test_the_value_of_a_lake_that_is_not_slippery() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    inner = gymnasium.make("FrozenLake-v1", is_slippery=False).unwrapped
    for H, value in ((5, 0.0), (6, 1.0)):
        assert instance(inner.P, inner.initial_state_distrib, H=H, K=1).truth.V[0, 0] == value


@pytest.mark.parametrize(("name", "words"), [("CartPole-v1", "no transition table"), ("Nope-v0", "cannot make")])
def test_environments_that_do_not_do(name: str, words: str) -> None:
    pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    with pytest.raises(UsageError, match=words):
        EPISODIC.scenario(f"gym:{name}")


def test_a_lake_has_the_same_values_as_a_factored_problem() -> None:
    """One factor and one reward, which is 0 or 1: the goal is reached or not."""
    pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    plain, factored = (drawn(setting, "FrozenLake-v1") for setting in (EPISODIC, FACTORED))
    assert pytest.approx(plain.truth.V, abs=1e-15) == factored.truth.V
    assert factored.truth.reward == pytest.approx(plain.truth.reward)
    assert factored.truth.parts[0].support.tolist() == [0.0, 1.0]
    assert (factored.public.n, factored.public.m, factored.public.A) == (1, 1, 4)


def test_a_table_whose_rewards_leave_the_range_of_the_setting() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    name = max(key for key in gymnasium.registry if re.fullmatch(r"CliffWalking-v\d+", key))
    with pytest.raises(UsageError, match=r"lie in \[-100, 0\], expected \[0, 1\]; the setting 'episodic' takes others"):
        FACTORED.scenario(f"gym:{name}")


def test_a_table_without_its_rewards_until_they_are_revealed() -> None:
    found = chain(TABLE, np.array([1.0, 0.0, 0.0]))
    plain, read = from_chain(found, H=2, K=5), of_chain(found, H=2, K=5)
    assert np.array_equal(read.truth.P, plain.truth.kernel)
    own = read.fixed["own"][None]
    assert read.reward(own)[0].tolist() == [plain.truth.reward.tolist()] * 2
    assert np.array_equal(read.optimal(own)[1][0], plain.truth.V)
    assert read.start.tolist() == plain.start.tolist()
    costs: Any = {s: {a: [(p, y, -9 * r, end) for p, y, r, end in steps] for a, steps in TABLE[s].items()} for s in TABLE}
    scaled = of_chain(chain(costs, np.array([1.0, 0.0, 0.0])), H=2, K=5)
    assert (scaled.fixed["own"].min(), scaled.fixed["own"].max()) == (0.0, 1.0)
    assert np.argsort(scaled.fixed["own"][0], kind="stable").tolist() == np.argsort(-plain.truth.reward, kind="stable").tolist()


def test_horizon_and_episodes_are_asked_for_by_name() -> None:
    pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    plain, asked = drawn(EPISODIC, "FrozenLake-v1").public, drawn(EPISODIC, "FrozenLake-v1?H=30&K=500").public
    assert ((plain.H, plain.K), (asked.H, asked.K)) == ((15, 60), (30, 500))
    assert drawn(EPISODIC, "FrozenLake-v1?K=7").public.K == 7


@pytest.mark.parametrize("options", ["H=0", "H=-3", "H=3.5", "T=3", "H", "H=3&H=4", "K=x", "H=3;K=4"])
def test_options_that_are_none(options: str) -> None:
    with pytest.raises(UsageError, match="is not understood; expected H"):
        EPISODIC.scenario(f"gym:FrozenLake-v1?{options}")


def test_no_horizon_beyond_the_end_of_the_environment() -> None:
    pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    with pytest.raises(UsageError, match="ends after 100 steps; expected H of at most 100"):
        EPISODIC.scenario("gym:FrozenLake-v1?H=101")
