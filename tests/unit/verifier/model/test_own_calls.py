"""Methods that somebody else should call, and those that an agent calls itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier.model.held import Held
from verifier.model.held_guesses import held
from verifier.model.own_calls import changes, outermost, used_by


class Agent:
    """An agent of one action, which learns nothing."""

    def __init__(self, n_states: int) -> None:
        self.Q = np.zeros(n_states)

    def act(self, state: int) -> int:
        """The only action."""
        return 0

    def update(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn nothing."""


class InPhases(Agent):
    """An agent that plans where its data have doubled, as UCRL2 does."""

    def start_episode(self) -> None:
        """Plan if it is time."""
        if self.Q.sum() > 1:
            self.replan()

    def replan(self) -> None:
        """Plan."""
        self.Q[:] = [sum(self.Q[n] for _ in range(2)) for n in range(3)]


class ByEpisode(Agent):
    """An agent that learns from an episode, step by step."""

    def observe(self, trajectory: Any) -> None:
        """Learn from each step."""
        for step in trajectory:
            self.update(*step)


class AtEnd(Agent):
    """An agent that keeps its steps, and learns and plans at the end."""

    def record(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Keep a step."""

    def end_episode(self) -> None:
        """Learn, and plan."""
        self.update(0, 0, 0.0, 0)
        self.plan()

    def plan(self) -> None:
        """Plan."""
        self.Q = self.Q + 1


class Unguessed(Agent):
    """An agent whose way to plan has a name that nobody knows."""

    def solve_mdp(self) -> None:
        """Plan."""
        self.Q[0] = 1.0

    def reset(self) -> None:
        """Begin anew, between two experiments."""
        self.Q = np.zeros(3)

    def values(self) -> Any:
        """What it has."""
        return self.Q


def calls(found: Held) -> tuple[str | None, str | None, str | None]:
    """Names of what learns from a step, plans, and is called at the end of an episode."""
    update, before, after = (call.name if call is not None else None for call in (found.update, found.before, found.after))
    return update, before, after


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (InPhases, ("update", "start_episode", None)),
        (ByEpisode, (None, None, "observe")),
        (AtEnd, ("record", None, "end_episode")),
    ],
)
def test_what_an_agent_calls_itself_is_called_by_nobody_else(agent: type[Agent], told: tuple[str | None, ...]) -> None:
    """Its data would be counted twice, or planned with where they are not."""
    assert calls(held(agent)) == told


def test_an_agent_that_may_have_to_plan_is_not_run_without() -> None:
    """An agent that never plans acts on its first table for ever, and would be called wrong."""
    with pytest.raises(UsageError, match=r"nothing calls solve_mdp\(\) of Unguessed; if it plans .*: --before 'solve_mdp\(\)'"):
        held(Unguessed)
    assert calls(held(Unguessed, before="solve_mdp()")) == ("update", "solve_mdp", None)
    assert calls(held(Unguessed, before="none")) == ("update", None, None)


def test_attributes_are_those_of_the_agent_itself() -> None:
    assert used_by(InPhases, "replan") == {"Q"}, "in the functions inside as well"
    assert used_by(InPhases, "start_episode") == {"Q", "replan"}
    assert used_by(InPhases, "nothing") == frozenset()
    assert changes(InPhases, "replan")
    assert not changes(InPhases, "start_episode")


class Circle(Agent):
    """Two methods that call each other."""

    def plan(self) -> None:
        """Plan."""
        self.replan()

    def replan(self) -> None:
        """Plan."""
        self.plan()


def test_of_methods_that_call_each_other_all_are_left() -> None:
    assert outermost(Circle, ["plan", "replan", "nothing"]) == ["plan", "replan"]
