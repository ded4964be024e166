"""Agents of which nothing is known but what they do: bugs are found by decisions, ties may fall either way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import verifier
from verifier.base.errors import UsageError
from verifier.model.regime import Regime
from verifier.plugins.registry import registry
from verifier.record import UNCOMPARED, AlgorithmEntry, ClaimEntry
from verifier.trials.search.bench import replay
from verifier.trials.search.hunt import examine
from verifier_reports import cause

from .held_agents import BUGS, LEGAL, changed, verdict
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


def test_a_refuted_decision_is_shrunk_to_the_smallest_run() -> None:
    """Few decisions of a small instance depend on the bonus: where one was refuted, long runs are drawn, and shortened again."""
    mine = verifier.hold(changed(*BUGS["half the bonus"]), to="ucbvi-ch", knob="c")
    claims = [claim for claim in mine.claims if claim.name == "decisions"]
    here = registry("ucbvi-ch").setting("episodic")
    (witness,) = examine(mine, here, claims, Regime.parse("scaled(0.01)"), 0, 40).witnesses
    assert witness.measurement is not None
    assert witness.measurement.difference is not None
    assert [witness.recipe[name] for name in "SA"] == [1, 2]
    assert witness.recipe["K"] <= 8, "drawn with 100 episodes"
    again = replay(witness, mine, here)
    assert again.measurement == witness.measurement


def test_the_screen_says_why_there_is_no_smaller_run() -> None:
    entry = verdict(verifier.hold(changed(*BUGS["half the bonus"]), to="ucbvi-ch", knob="c"), ("random",), ("scaled(0.01)",))
    (claim,) = (claim for claim in entry.claims if claim.name == "decisions")
    assert "smaller case" not in _facts(claim), "nothing was drawn here"
    kept = tuple(found for found in claim.regimes if found.instance != "drawn")
    none = "no failure on 59 drawn instances"
    drawn = replace(kept[0], instance="drawn", verdict="conforms", violations=0, reason=none, replay="")
    alone = replace(claim, regimes=(*kept, drawn), counterexample="", decisive=0)
    assert _facts(alone)["smaller case"] == f"none found: {none}"


def _facts(claim: ClaimEntry) -> dict[str, str]:
    return dict(cause._facts(claim, cause.witness(claim), []))
