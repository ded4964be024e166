"""What an agent does says which algorithm it is, or which planted bug it has; nothing else is named."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.errors import ExitCode, UsageError
from verifier.commands.identify import DRAWS

from .held_agents import BUGS, changed

PLACES = ("one-state", "cycle", "lock", "anywhere", "random")
SAME = {"plans-in-secret", "boastful", "forgets-previous", "terminal-value"}
"""Planted bugs of UCBVI-CH that change no decision on these problems."""


def named(agent: Any, *among: str, knob: str = "") -> set[str]:
    """Names that are told."""
    calls = {"knob": knob} if knob else {}
    return {each.name for each in verifier.identify(agent, among, instances=PLACES, **calls).answer}


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("bug", "same"),
    [
        ("ucbvi-ch~off-by-one", ()),
        ("ucbvi-ch~wrong-log", ()),
        ("ucbvi-ch~unseen-is-zero", ("greedy",)),
        ("ucb-hoeffding~average-rate", ()),
        ("ucrl2~half-radius", ()),
        ("mvp~triples", ()),
        ("lsvi-ucb~next-step", ()),
    ],
)
def test_a_planted_bug_is_named(bug: str, same: tuple[str, ...]) -> None:
    base = bug.partition("~")[0]
    assert named(bug, base) == {bug, *(f"{base}~{other}" for other in same)}


@pytest.mark.full
def test_a_class_is_named_and_what_cannot_be_told_apart_from_it() -> None:
    found = named(changed("", ""), "ucbvi-ch", "ucb-hoeffding", knob="c")
    assert "ucbvi-ch" in found
    assert found <= {"ucbvi-ch", *(f"ucbvi-ch~{bug}" for bug in SAME)}


@pytest.mark.full
def test_the_bug_of_a_class_is_named() -> None:
    assert named(changed(*BUGS["N + 1 for N"]), "ucbvi-ch", "ucbvi-bf", knob="c") == {"ucbvi-ch~off-by-one"}
    assert named(changed(*BUGS["5 forgotten"]), "ucbvi-ch", knob="c") == {"ucbvi-ch~wrong-log"}


class Wanderer:
    """Plays what nobody here would."""

    def __init__(self, n_actions: int, seed: int) -> None:
        self.A, self.rng = n_actions, np.random.default_rng(seed)

    def act(self, state: int) -> int:
        """Any action."""
        return int(self.rng.integers(self.A))


@pytest.mark.full
def test_an_agent_that_is_none_of_these_is_not_named() -> None:
    found = verifier.identify(Wanderer, ["ucbvi-ch", "ucb-hoeffding", "mvp"], instances=PLACES, update="none")
    assert found.answer == ()
    assert found.exit_code == ExitCode.VIOLATED
    assert "None of these: each is refuted." in found.text()


def test_an_algorithm_that_was_hardly_asked_is_not_refuted() -> None:
    """On one step of one state the algorithm has no say in any of 60 decisions, while some of its bugs are refuted."""
    found = verifier.identify("ucbvi-ch", ["ucbvi-ch"], instances=["one-step"])
    assert any(each.refuted for each in found.candidates)
    assert found.exit_code == ExitCode.INCONCLUSIVE
    assert "Not told: too few decisions" in found.text()
    assert "None of these" not in found.text()


@pytest.mark.full
def test_with_another_width_what_is_named_is_refuted() -> None:
    found = verifier.identify("ucb-hoeffding", ["ucb-hoeffding"], instances=PLACES)
    low, high = found.wrong_widths["ucb-hoeffding"]
    assert 0.95 < low < 1.0 < high < 1.05
    assert f"not with {low:.4f} or {high:.4f} times its width" in found.text()


@pytest.mark.full
def test_a_constant_of_the_bonus_is_an_interval_of_multiples() -> None:
    """6.9 for 7 is no planted bug: what is told is between which multiples of the width the agent's is."""
    mine = changed("self.c = 7.0", "self.c = 6.9")
    found = verifier.identify(mine, ["ucbvi-ch"], instances=("lock", "anywhere"), knob="c")
    assert (found.answer, found.exit_code) == ((), ExitCode.VIOLATED)
    (low, high) = found.multiples["ucbvi-ch"]
    assert 0.97 < low < 6.9 / 7 < high < 1.0
    assert f"ucbvi-ch with another width is not: one between {low:.4f} and {high:.4f} times its own." in found.text()


@pytest.mark.parametrize(
    ("agent", "among", "told"),
    [
        ("ucbvi-ch", ["cvar-lsvi"], "'cvar-lsvi' cannot follow an agent: the setting"),
        ("ucbvi-ch", ["ucbvi-hc"], "'ucbvi-hc' is not here"),
        ("ucblvd", ["ucbvi-ch"], "ucblvd is of the setting lifelong"),
    ],
)
def test_what_cannot_be_asked_is_told(agent: str, among: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        verifier.identify(agent, among, instances=PLACES)


@pytest.mark.full
@pytest.mark.parametrize(("agent", "among", "place"), [("ucb1", ["ucb1", "exp3"], "bandit-two")])
def test_what_plans_a_law_is_neither_named_nor_refuted(agent: str, among: list[str], place: str) -> None:
    found = verifier.identify(agent, among, instances=[place])
    by_name = {each.name: each for each in found.candidates}
    names = {each.name for each in found.answer}
    assert agent in names
    for name in among[1:]:
        assert (by_name[name].refuted, by_name[name].lost) == (None, DRAWS)
        assert name not in names
        assert not any(each.startswith(f"{name}~") for each in by_name), "bugs of what draws would only repeat this"
        assert re.search(rf"^Not told\n(.*\n)*  {name} +it draws: ", found.text(), re.MULTILINE)


def test_an_agent_that_may_draw_is_not_called_none_of_these() -> None:
    """UCB1 is refuted, and the agent may yet be Exp3: exit 3, and not 1."""
    found = verifier.identify("thompson", ["ucb1", "exp3"], instances=["bandit-two"])
    assert (found.answer, found.exit_code) == ((), ExitCode.INCONCLUSIVE)
    assert "None of these" not in found.text()
    alone = verifier.identify("exp3", ["exp3"], instances=["bandit-two"])
    assert (alone.answer, alone.exit_code) == ((), ExitCode.INCONCLUSIVE)
    assert "Not told: none of these can follow." in alone.text()
