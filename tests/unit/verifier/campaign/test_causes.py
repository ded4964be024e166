"""Causes: a violated claim is a consequence of another one only if the repair of that could mend it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier import Claim, Kind, Property
from verifier.base.difference import Comparison, Difference
from verifier.campaign.causes import Evidence, Seen, causes
from verifier.model.proof import graph_of

LINE = "pseudo-code"


def _claim(
    name: str, *follows: str, reads: str = "", recomputed: str = "", kind: Kind = Kind.IDENTITY, chance: float = 0.0
) -> Claim:
    needs = frozenset(reads.split())
    found = Property(name, "phase", lambda view: view, needs, "Nothing.", recomputed=frozenset(recomputed.split()))
    return Claim(name, found, "Lemma 1", "Theorem 1", "1 = 1", kind, follows=follows, chance=chance)


CLAIMS = (
    _claim("count", LINE, reads="visits"),
    _claim("bonus", LINE, "count", reads="bonus"),
    _claim("backup", LINE, "bonus", reads="bonus"),
    _claim("again", LINE, "bonus", reads="bonus", recomputed="bonus"),
    _claim("values", LINE, "count"),
    _claim("largest", LINE, "values"),
    _claim("cap", "largest", kind=Kind.ALWAYS),
    _claim("likely", "largest", kind=Kind.PROBABILITY, chance=0.1),
    _claim("optimism", "bonus", kind=Kind.ALWAYS),
)


def _seen(start: int = 1, axis: str = "plan", own: bool = False, failures: int = 1, trials: int = 1) -> Seen:
    """A claim that fails first at a plan."""
    place = Comparison({axis: start, "h": 1})
    return Seen(trials, failures, 10, Difference(first=place, own=own) if failures else None)


def _causes(holding: tuple[str, ...] = (), **seen: Seen) -> tuple[str, ...]:
    evidence: Evidence = {name: {("oracle", "small"): found} for name, found in seen.items()}
    return causes(CLAIMS, graph_of(CLAIMS), evidence, holding)


def test_what_is_recomputed_is_a_consequence() -> None:
    """The bonus of the harness is that of its own counts; a line that recomputes a field that it may read is no exception."""
    assert _causes(count=_seen(), bonus=_seen()) == ("count",)
    assert _causes(bonus=_seen(), again=_seen()) == ("bonus",)
    assert _causes(count=_seen(), again=_seen()) == ("count",)


def test_a_line_made_of_what_was_reported_is_a_cause() -> None:
    """The backup reads the bonus that is reported: neither that nor what it is made of explains its failure."""
    assert _causes(bonus=_seen(), backup=_seen()) == ("bonus", "backup")
    assert _causes(count=_seen(), backup=_seen()) == ("count", "backup")
    assert _causes(bonus=_seen(), optimism=_seen()) == ("bonus",), "it follows from the bonus, whatever it reads"


def test_a_line_that_reports_do_not_mend_is_a_cause() -> None:
    assert _causes(count=_seen(), values=_seen(own=True)) == ("count", "values")


def test_the_earliest_failure_comes_first() -> None:
    """Labels of different axes are not compared: an update of episode 1 is reported in plan 2."""
    assert _causes(count=_seen(5), values=_seen(3)) == ("values", "count")
    assert _causes(count=_seen(5), values=_seen(5)) == ("count",)
    assert _causes(count=_seen(5), values=_seen(7)) == ("count",)
    assert _causes(count=_seen(5), values=_seen(3, axis="episode")) == ("count",)
    assert _causes(bonus=_seen(5), optimism=_seen(3)) == ("bonus",), "sums of inequalities may fail before their summands do"


def test_the_earliest_failure_of_several_trials_is_not_known() -> None:
    """First is the first comparison of the first trial that fails, which may be another one."""
    assert _causes(count=_seen(5, failures=1, trials=2), values=_seen(3, failures=1, trials=2)) == ("count",)


@pytest.mark.parametrize(("below", "found"), [(0, ("count", "values")), (2, ("count", "values")), (3, ("count",))])
def test_a_line_that_fails_in_more_trials_is_a_cause(below: int, found: tuple[str, ...]) -> None:
    count = _seen(failures=below, trials=4)
    assert _causes(count=count, values=_seen(failures=3, trials=4)) == found


def test_what_was_not_compared_is_no_evidence() -> None:
    """In another cell, in fewer trials, or without a comparison."""
    nothing = replace(_seen(failures=0), comparisons=0)
    assert _causes(count=nothing, values=_seen()) == ("count",)
    cells: Evidence = {"count": {("oracle", "large"): _seen()}, "values": {("oracle", "small"): _seen()}}
    assert causes(CLAIMS, graph_of(CLAIMS), cells) == ("count",)


def test_what_follows_from_lines_that_hold_is_a_cause() -> None:
    """What is wrong below them does not reach it; of what may fail by chance nothing is known."""
    assert _causes(("largest",), count=_seen(), cap=_seen()) == ("count", "cap")
    assert _causes((), count=_seen(), cap=_seen()) == ("count",)
    assert _causes(("largest",), count=_seen(), likely=_seen()) == ("count",)
