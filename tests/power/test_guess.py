"""Where an agent keeps its tables is found by what they hold; what is off is said, and never mended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier.commands.guess import Guessed, guess

from .held_agents import Linear, changed
from .test_held_loops import LOOPS


def named(found: Guessed) -> dict[str, str]:
    """Attributes by what they hold, wrong axes and entries included."""
    return {
        each.attribute: " ".join(filter(None, (each.holding.field, each.holding.axes, each.holding.off))) for each in found.found
    }


def test_tables_and_knobs_of_a_class_are_found() -> None:
    found = guess(changed("", ""), to="ucbvi-ch", target="thesis.py:MyUCBVI")
    assert named(found) == {"Q": "Q", "N": "visits"}
    assert list(found.knobs) == ["c", "L"]
    assert found.command == "verifier check thesis.py:MyUCBVI --as ucbvi-ch --read Q=Q --read visits=N --knob c"
    assert found.unknown.keys() == {"r", "Nsas"}
    assert "in 600 decisions" in found.text()


def test_a_table_of_one_number_is_no_table_of_action_values() -> None:
    """Where Q is at its cap every action is a largest entry of such a table, too; with less width it has nothing to say."""
    dummy = (
        "self.N = np.zeros((self.S, self.A))",
        "self.alpha = np.ones((self.H, self.S, self.A)); self.N = np.zeros((self.S, self.A))",
    )
    found = guess(changed(*dummy), to="ucbvi-ch", target="thesis.py:MyUCBVI")
    assert named(found) == {"Q": "Q", "N": "visits"}
    assert list(found.knobs) == ["c", "L"]
    assert "alpha" in found.unknown


def test_the_width_stands_in_the_place_of_a_beta() -> None:
    """A share of its own beta would be called wrong where its constant is another one."""
    assert "--knob beta=width" in guess(Linear, to="lsvi-ucb", target="linear.py:Linear").command


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("self.N = np.zeros((self.S, self.A))", "self.N = np.ones((self.S, self.A))", {"N": "visits one more than there were"}),
        ("self.N[state, action] += 1", "self.N[state, action] += 2", {"N": None}),
        ("return int(self.Q[h, state].argmax())", "return int(self.Q[0, state].argmin())", {"N": "visits"}),
    ],
)
def test_what_is_off_is_said(old: str, new: str, told: dict[str, str | None]) -> None:
    found = named(guess(changed(old, new), to="ucbvi-ch"))
    assert {name: found.get(name) for name in told} == told


class Turned:
    """A table by state, action and step, in another object."""

    def __init__(self, n_states: int, n_actions: int, horizon: int) -> None:
        self.tables = Tables(n_states, n_actions, horizon)

    def act(self, state: int, h: int) -> int:
        """The best action of its table."""
        return int(self.tables.values[state, :, h].argmax())

    def update(self, state: int, action: int, h: int, reward: float) -> None:
        """Anything will do."""
        self.tables.values[state, action, h] = 0.9 * self.tables.values[state, action, h] + 0.1 * reward
        self.tables.seen[h][state][action] += 1


class Tables:
    """An array and lists."""

    def __init__(self, S: int, A: int, H: int) -> None:
        self.values = np.ones((S, A, H))
        self.seen = [[[0] * A for _ in range(S)] for _ in range(H)]


def test_tables_with_other_axes_are_found_in_other_objects_and_are_not_proposed() -> None:
    found = guess(Turned, to="ucb-hoeffding")
    assert named(found) == {"tables.values": "Q s a h", "tables.seen": "step_visits"}
    assert "--read" not in found.command
    assert "its axes are s a h" in found.text()


@pytest.mark.parametrize(
    ("name", "to", "read"), [("q_learning", "ucb-hoeffding", {"Q": "Q", "step_visits": "N"}), ("Tabular", "ucbvi-ch", {"Q": "Q"})]
)
def test_variables_of_loops_are_found(name: str, to: str, read: dict[str, str]) -> None:
    space: dict[str, Any] = {"__name__": "loops"}
    exec(compile(LOOPS.read_text(), str(LOOPS), "exec"), space)
    found = guess(space[name], to=to)
    assert found.read == read
    assert next(iter(found.knobs)) == "c"


def test_settings_that_cannot_be_looked_into_are_told() -> None:
    with pytest.raises(UsageError, match="ucblvd is of the setting lifelong, for which agents cannot be held yet"):
        guess(changed("", ""), to="ucblvd")


def test_calls_that_were_given_are_in_the_command_and_tables_that_cannot_be_held_are_not() -> None:
    given = guess(changed("", ""), to="ucbvi-ch", act="choose_action(h, s)", target="thesis.py:MyUCBVI")
    assert given.command.endswith("--knob c --act 'choose_action(h, s)'")
    other = guess(changed("", ""), to="ucrl2")
    assert "--read" not in other.command
    assert "Tables cannot be held against ucrl2 yet" in other.text()


class IndexTable:
    """UCB1 with a table of indices, infinite for arms that were never played."""

    def __init__(self, n_arms: int) -> None:
        self.n_pulls, self.sums, self.index = np.zeros(n_arms), np.zeros(n_arms), np.full(n_arms, np.inf)

    def select_arm(self) -> int:
        return int(self.index.argmax())

    def update(self, arm: int, reward: float) -> None:
        self.n_pulls[arm] += 1
        self.sums[arm] += reward
        n = np.maximum(self.n_pulls, 1)
        self.index = np.where(self.n_pulls > 0, self.sums / n + np.sqrt(2 * np.log(self.n_pulls.sum()) / n), np.inf)


def test_tables_of_bandits_are_found_on_bandits() -> None:
    found = guess(IndexTable, to="ucb1", target="arms.py:IndexTable")
    assert named(found) == {"n_pulls": "step_visits", "index": "Q"}
    assert found.command == (
        "verifier check arms.py:IndexTable --as ucb1 --read Q=index --read step_visits=n_pulls --read visits=n_pulls"
    )


def test_what_check_would_refuse_is_not_proposed() -> None:
    with pytest.raises(UsageError, match="actions alone cannot be held against exp3: what it plays is drawn"):
        guess(IndexTable, to="exp3")
