"""Agents, options and targets that are refused, and mistakes of agents, each told in the words of their code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.errors import UsageError
from verifier.commands.agent_file import agent_in

from .held_agents import FILE, Linear, changed, verdict


class ByTemplate:
    """Names that nobody guesses."""

    def __init__(self, size: tuple[int, int], stop: int) -> None:
        self.table = np.full((stop + 1, *size), float(stop))

    def go(self, where: int, when: int) -> int:
        """The first of the best."""
        return int(self.table[when, where].argmax())


def test_calls_may_be_written() -> None:
    with pytest.raises(UsageError, match="'size' of ByTemplate"):
        verifier.hold(ByTemplate, to="ucbvi-ch", read={"Q": "table"})
    with pytest.raises(UsageError, match=r"no method that could choose an action .* or drive an environment"):
        verifier.hold(ByTemplate, to="ucbvi-ch", read={"Q": "table"}, new="ByTemplate((S, A), H)")
    calls = {"new": "ByTemplate((S, A), H)", "act": "go(s, h)"}
    with pytest.raises(UsageError, match=r"ByTemplate has no method that learns .*; say which one does: --update"):
        verifier.hold(ByTemplate, to="ucbvi-ch", read={"Q": "table"}, **calls)
    given = verifier.hold(ByTemplate, to="ucbvi-ch", read={"Q": "table"}, **calls, update="none")
    entry = verdict(given, ("random",))
    assert not entry.errors, entry.errors
    assert entry.name == "by-template"


class Told(Linear):
    """An agent that wants to be told the rewards."""

    def __init__(self, S: int, A: int, H: int, T: int, delta: float, reward: Any) -> None:
        super().__init__(S, A, H, T, delta)


def test_an_agent_is_not_made_with_rewards_that_its_algorithm_has_to_learn() -> None:
    entry = verdict(verifier.hold(Told, to="lsvi-ucb", knob="beta"), ("random",), ("published",))
    assert "is made with `reward`, which its algorithm has to learn" in str(entry.errors)


@pytest.mark.parametrize(
    ("knob", "told"),
    [
        ("beta = width /", "the knob 'beta = width /' is no formula; expected ATTRIBUTE, or ATTRIBUTE=FORMULA of width, S, A"),
        ("beta = width * L", "the knob 'beta = width * L' names L; expected ATTRIBUTE, or"),
    ],
)
def test_a_formula_of_a_knob_that_is_none_is_told(knob: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        verifier.hold(Linear, to="lsvi-ucb", knob=knob)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"to": "ucbvi"}, "no algorithm 'ucbvi' to hold it against. Did you mean"),
        ({"to": "cvar-lsvi"}, "for which agents cannot be held yet"),
        ({"read": {"visits": "N"}}, "visits cannot be compared without the table of action values"),
        ({"to": "ucrl2"}, "tables cannot be held against ucrl2 yet"),
        ({"read": {"Q": "Q", "visit": "N"}}, "no field 'visit' that could be read. Did you mean 'visits'"),
        ({"act": "choose_action(h, s"}, "is no call"),
        ({"act": "choose_action(h, state)"}, "names 'state'; known are s, h"),
    ],
)
def test_what_cannot_be_held_is_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        verifier.hold(changed("", ""), **{"to": "ucbvi-ch", "read": {"Q": "Q"}, **changes})


@pytest.mark.parametrize(
    ("read", "knob", "told"),
    [
        ({"Q": "QQ"}, "", "Q is read from the attribute 'QQ', which the agent does not have. Did you mean 'Q'"),
        ({"Q": "N"}, "", "Q is read from 'N', of shape (6, 3); expected (5, 6, 3)"),
        ({"Q": "Q"}, "cc", "the knob 'cc' is no attribute of the agent. Did you mean 'c'"),
    ],
)
def test_what_is_not_there_is_told(read: dict[str, str], knob: str, told: str) -> None:
    given = verifier.hold(changed("", ""), to="ucbvi-ch", read=read, knob=knob)
    entry = verifier.check(given, instances=["random"], regimes=["published"], budget=2.0, jobs=1, keep=False).record.algorithms[
        0
    ]
    messages = {re.sub(r"\d+", "n", error.message) for error in entry.errors}
    assert any(re.sub(r"\d+", "n", told) in message for message in messages), messages


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        (
            "None",
            "returned None; expected an action, a whole number from 0 to 1; is a `return` missing? "
            "(thesis.py:29, in choose_action)",
        ),
        ("99", "returned 99; expected an action, a whole number from 0 to 1 (thesis.py:29, in choose_action)"),
        (
            "self.Q[h + 9, state].argmax()",
            "IndexError: index 9 is out of bounds for axis 0 with size 4 (thesis.py:31, in choose_action)",
        ),
    ],
)
def test_what_an_agent_does_wrong_is_told_with_its_line(chosen: str, told: str) -> None:
    mine = changed("int(self.Q[h, state].argmax())", chosen)
    entry = verdict(verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q"}), ("random",))
    said = {error.message.removeprefix(f"{error.where}: ").removeprefix("choose_action(h=h, state=s) ") for error in entry.errors}
    assert said == {told}


def test_a_target_is_a_file_and_a_class(tmp_path: Path) -> None:
    for target, told in (
        ("MyUCBVI", "names no agent"),
        ("none.py:A", "no file none.py"),
        (f"{FILE}:MyUCBV", "Did you mean 'MyUCBVI'"),
    ):
        with pytest.raises(UsageError, match=re.escape(told)):
            agent_in(target)
    broken = tmp_path / "broken.py"
    broken.write_text("import nowhere_at_all\n")
    with pytest.raises(UsageError, match="cannot be imported: ModuleNotFoundError"):
        agent_in(f"{broken}:A")
    broken.write_text("raise SystemExit(2)\n")
    with pytest.raises(UsageError, match="cannot be imported: SystemExit: 2"):
        agent_in(f"{broken}:A")
    taken = tmp_path / "json.py"
    taken.write_text("class A: pass\n")
    with pytest.raises(UsageError, match="has the name of the module 'json', which is in use"):
        agent_in(f"{taken}:A")
