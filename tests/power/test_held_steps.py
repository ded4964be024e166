"""Agents whose steps begin at 1: a guess that counts from 0 is told where it may have to do with a failure."""

from __future__ import annotations

from typing import Any

import pytest

import verifier

from .held_agents import changed, verdict

FIRST_IS_1 = ("return int(self.Q[h, state].argmax())", "return int(self.Q[h - 1, state].argmax())")


def test_how_steps_are_counted_is_told_where_actions_fail() -> None:
    agent = changed(*FIRST_IS_1)
    guessed = verifier.hold(agent, to="ucbvi-ch", read={"Q": "Q"}, knob="c")
    entry = verdict(guessed, ("random",), ("scaled(0.01)",))
    (broken,) = (claim for claim in entry.claims if claim.name == "greedy")
    assert entry.first_broken == ("greedy",)
    assert broken.why == (
        "steps h are counted from 0 in choose_action(h=h, state=s); if yours begin at 1: --act 'choose_action(h=h + 1, state=s)'"
    )
    said = verifier.hold(agent, to="ucbvi-ch", read={"Q": "Q"}, knob="c", act="choose_action(h=h + 1, state=s)")
    entry = verdict(said, ("random",), ("scaled(0.01)",))
    assert "violated" not in {claim.verdict for claim in entry.claims}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"to": "ucb-hoeffding", "read": {"Q": "Q"}}, {"greedy", "q-formula"}),
        ({"to": "ucbvi-ch", "read": {"Q": "Q"}}, {"greedy"}),
        ({"to": "ucbvi-ch"}, {"decisions"}),
    ],
)
def test_it_is_told_of_claims_that_steps_have_to_do_with(options: dict[str, Any], told: set[str]) -> None:
    given = verifier.hold(changed("", ""), **options)
    assert {claim.name for claim in given.claims if "counted from 0" in claim.why} == told
