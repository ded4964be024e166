"""Agents of which nothing is known but what they do: bugs are found by decisions, ties may fall either way."""

from __future__ import annotations

from typing import Any

import pytest

import verifier
from verifier.base.errors import UsageError
from verifier.record import UNCOMPARED, AlgorithmEntry

from .test_held import BUGS, LEGAL, changed, verdict
from .test_held_loops import LOOP_BUGS, LOOPS, TO

PLACES = ("random", "lock", "one-state", "cycle")


def by_actions(
    mine: Any, to: str = "ucbvi-ch", knob: str = "c", places: tuple[str, ...] = PLACES, constant: float | None = None
) -> AlgorithmEntry:
    """Check of what an agent does, and of nothing else, in this process."""
    return verdict(verifier.hold(mine, to=to, knob=knob, constant=constant), places)


TOLD = {
    "half the bonus": "with half its width",
    "N + 1 for N": "with this bug: N + 1 in the bonus",
    "K for T": "with less width",
    "H forgotten": "with this bug: the bonus not scaled by H",
    "unseen is 0": "cause not recognised",
    "state for successor": "with this bug: s_h counted for s_{h+1}",
    "V of the last step": "with this bug: steps planned from first to last",
    "table of the first step": "cause not recognised",
}
"""What decisions say of a bug; of one with which the agent always does the same nothing, though other bugs would do that, too."""

UNSEEN = "not monotone"
"""The minimum with the plan before: no decision on these problems depends on it."""


@pytest.mark.one_in(13)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_found_by_actions_alone(name: str) -> None:
    entry = by_actions(changed(*BUGS[name]))
    assert not entry.errors
    assert entry.first_broken == (() if name == UNSEEN else ("decisions",))
    (claim,) = (claim for claim in entry.claims if claim.name == "decisions")
    assert TOLD.get(name, "") in claim.difference


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_variation_decides_as_the_algorithm(name: str) -> None:
    entry = by_actions(changed(*LEGAL[name]))
    assert not entry.errors
    assert {claim.name: claim.verdict for claim in entry.claims}["decisions"] == "conforms"


@pytest.mark.one_in(10)
@pytest.mark.parametrize(("shape", "name"), [(shape, name) for shape, bugs in LOOP_BUGS.items() for name in bugs])
def test_what_a_loop_plays_is_compared(shape: str, name: str) -> None:
    old, new = LOOP_BUGS[shape][name]
    space: dict[str, Any] = {"__name__": "loops"}
    exec(compile(LOOPS.read_text().replace(old, new, 1), str(LOOPS), "exec"), space)
    open_there = TO[shape] == "ucb-hoeffding"  # the paper has "for some constant c": without it half the bonus is no mistake
    entry = by_actions(space[shape], TO[shape], constant=1.0 if open_there else None)
    assert not entry.errors
    assert entry.first_broken == (() if name == "right" else ("decisions",))


def test_a_knob_is_needed_where_all_actions_would_do() -> None:
    entry = by_actions(changed("", ""), knob="", places=("random",))
    (claim,) = (claim for claim in entry.claims if claim.name == "decisions")
    assert claim.verdict == "vacuous"
    assert entry.unfinished.startswith(UNCOMPARED)
    assert not entry.can_go_on


def test_a_crash_on_one_instance_is_not_said_to_be_the_lack_of_a_knob() -> None:
    class Refusing(changed("", "")):  # type: ignore[misc]  # a class that is made from a file
        def __init__(self, n_states: int, n_actions: int, horizon: int, n_episodes: int, delta: float, rewards: Any) -> None:
            if n_states == 1:
                raise ValueError("two states at least")
            super().__init__(n_states, n_actions, horizon, n_episodes, delta, rewards)

    entry = by_actions(Refusing, knob="", places=("random", "one-state"))
    (claim,) = (claim for claim in entry.claims if claim.name == "decisions")
    assert claim.verdict == "error"
    assert entry.errors
    assert not entry.unfinished.startswith(UNCOMPARED)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "found"), [("K for T", True), ("N + 1 for N", True), ("half the bonus", True), ("as it is", False)]
)
def test_at_the_constants_of_the_paper_bugs_change_decisions_in_the_end(name: str, found: bool) -> None:
    entry = by_actions(changed(*{**BUGS, **LEGAL}[name]), knob="", places=("leaves-the-cap",))
    (claim,) = (claim for claim in entry.claims if claim.name == "decisions")
    assert claim.verdict == ("violated" if found else "conforms")


def test_the_decision_is_named() -> None:
    entry = by_actions(changed(*BUGS["half the bonus"]), places=("random",))
    (claim,) = (claim for claim in entry.claims if claim.name == "decisions")
    worst = [found.difference.worst for found in claim.regimes if found.verdict == "violated" and found.difference]
    assert all({"episode", "h", "s", "a", "own"} == place.place.keys() for place in worst), worst
    assert worst


def test_what_draws_cannot_be_followed() -> None:
    with pytest.raises(UsageError, match="actions alone cannot be held against exp3: what it plays is drawn"):
        verifier.hold(changed("", ""), to="exp3")
