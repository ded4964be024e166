"""The oracle regime of agents of somebody else: each plan gets the width that covers the errors of its estimates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import verifier
from verifier.commands.hold import oracle_left_out
from verifier.plugins.registry import registry

from .test_held import BUGS, LEGAL, Foreign, changed, verdict

READS_ONCE = ("bonus = self.c * self.H", "self.first = getattr(self, 'first', self.c); bonus = self.first * self.H")
PLANS_LAST = (
    "        self.Nsas[state, action, next_state] += 1\n",
    "        self.Nsas[state, action, next_state] += 1\n        if h == self.H - 1: self.plan()\n",
)


SAID = {"half the bonus": "1/2 times b", "K for T": "K for T in L"}
"""Where the width is the error of the run, the formula in the agent's code is looked into nevertheless."""


def mine(name: str, bugs: dict[str, tuple[str, str]], **options: Any) -> verifier.Guarantees:
    """The class of the thesis with a change, whose bonus has a knob."""
    return verifier.hold(changed(*bugs[name]), **{"to": "ucbvi-ch", "read": {"Q": "Q"}, "knob": "c", **options})


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_variation_conforms_with_the_error_for_its_width(name: str) -> None:
    entry = verdict(mine(name, LEGAL), ("random",), ("oracle",))
    told = {claim.name: claim.verdict for claim in entry.claims}
    assert not entry.errors
    assert "violated" not in told.values()
    assert told["q-formula"] == told["optimism"] == told["bonus-validity"] == "conforms"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["half the bonus", "K for T", "divided by N + 1"])
def test_a_bug_is_found_with_the_error_for_the_width(name: str) -> None:
    entry = verdict(mine(name, BUGS), ("random",), ("oracle",))
    assert entry.first_broken == ("q-formula",)
    (broken,) = (claim for claim in entry.claims if claim.name == "q-formula")
    assert SAID.get(name, "") in broken.difference


def test_the_knob_may_be_a_function_of_the_width() -> None:
    def constant(width: float, p: Any) -> float:
        return width / (p.H * float(np.log(5 * p.S * p.A * p.T / p.delta)))

    entry = verdict(mine("as it is", LEGAL, knob=("c", constant)), ("random",), ("oracle",))
    assert {claim.name: claim.verdict for claim in entry.claims}["q-formula"] == "conforms"


@pytest.mark.parametrize("change", [READS_ONCE, PLANS_LAST])
def test_an_agent_that_does_not_plan_with_its_knob_is_not_given_the_error(change: tuple[str, str]) -> None:
    """An oracle regime would compare such an agent with a width that it does not have."""
    kind = changed(*change)
    if change is PLANS_LAST:  # and not before an episode
        kind = type("MyUCBVI", (kind,), {"replan": kind.plan, "plan": lambda self: None, "update": _last})
    given = verifier.hold(kind, to="ucbvi-ch", read={"Q": "Q"}, knob="c")
    assert given.algorithm.regimes == ("published", "scaled(0.1)", "scaled(0.01)")
    assert oracle_left_out(given, "ucbvi-ch") == "no change of c before an episode has changed its next table"


def _last(self: Any, h: int, state: int, action: int, reward: float, next_state: int) -> None:
    self.N[state, action] += 1
    self.Nsas[state, action, next_state] += 1
    if h == self.H - 1:
        self.replan()


def test_why_an_algorithm_has_no_oracle_regime_here_is_told() -> None:
    original = registry().guarantees["ucbvi-bf"].algorithm
    made = type("Foreign", (Foreign,), {})
    given = verifier.hold(made, to="ucbvi-bf", read={"Q": "Q"}, knob="c", new=lambda public: made(original, public))
    assert "oracle" not in given.algorithm.regimes
    assert oracle_left_out(given, "ucbvi-bf").startswith("the width of bernstein is known after the plan")
    bare = verifier.hold(changed("", ""), to="ucbvi-ch", read={"Q": "Q"})
    assert oracle_left_out(bare, "ucbvi-ch") == "", "nobody asked for one"
