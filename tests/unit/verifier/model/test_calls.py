"""Calls of somebody's agent: as they are written, and as they are guessed from names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier.model.calls import LOOP, STEP, template, with_arguments
from verifier.model.held import held


class Arms:
    """An agent whose parameters have the names of bandits."""

    def __init__(self, n_arms: int) -> None:
        self.n = n_arms

    def select_arm(self) -> int:
        """The first one."""
        return 0

    def update(self, arm: int, reward: float) -> None:
        """Learn nothing."""


class Maker:
    """An owner whose method returns its arguments."""

    def made(self, *given: Any) -> tuple[Any, ...]:
        """All arguments."""
        return given


def test_an_argument_may_be_what_a_method_of_an_array_returns() -> None:
    call = template("made(phi.reshape(S, A, d), list(range(A)), ridge)", LOOP, "new")
    phi, actions, ridge = call.on(Maker(), phi=np.zeros((6, 4)), S=3, A=2, d=4, ridge=1.0)
    assert (phi.shape, actions, ridge) == ((3, 2, 4), [0, 1], 1.0)


@pytest.mark.parametrize(
    ("text", "told"), [("made(nA)", "names 'nA'; known are S, A"), ("made(S", "is no call"), ("made(open(S))", "names 'open'")]
)
def test_a_call_of_something_else_is_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        template(text, LOOP, "new")


def test_parameters_of_bandits_are_guessed() -> None:
    mine = held(Arms)
    assert mine.act is not None
    assert mine.update is not None
    assert [mine.new.text, mine.act.text, mine.update.text] == ["Arms(n_arms=A)", "select_arm()", "update(arm=a, reward=r)"]


def test_a_parameter_that_nobody_knows_is_told_with_the_option_that_says_it() -> None:
    def agent(bandits: int) -> None:
        """Nothing."""

    with pytest.raises(UsageError, match=r"'bandits' of agent.* is; write the call, with s, h, a"):
        with_arguments(agent, "agent", STEP)
    made = type("Made", (Arms,), {"__init__": lambda self, bandits: None})
    with pytest.raises(UsageError, match=r"what makes it: .*: --new '...'"):
        held(made)
