"""Which entry of a claim is cited."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.reports.entries import INF, NAN, claim, entry
from tests.unit.reports.sample import odd_records, sample
from verifier.record import Record, RegimeEntry
from verifier.record.decisive import decisive, telling


def at(place: str, verdict: str = "conforms", ratio: float = 0.5, **changes: Any) -> RegimeEntry:
    return entry("x", f"oracle@{place}", verdict, 1.0, 2.0, ratio=ratio, **changes)


def cited(*entries: RegimeEntry, verdict: str = "") -> str:
    index = decisive(entries, verdict or entries[0].verdict)
    assert index is not None
    return entries[index].instance


@pytest.mark.parametrize(
    ("rule", "entries"),
    [
        ("the verdict of the claim", [at("here", ratio=0.1), at("there", "vacuous", ratio=0.9)]),
        ("one that can be replayed", [at("here", ratio=0.1), at("there", ratio=0.9, replay="")]),
        ("one in which something failed", [at("here", ratio=0.1, failures=1), at("there", ratio=0.9)]),
        ("one that could have failed", [at("here", "vacuous", 0.1, powered=1), at("there", "vacuous", 0.9, powered=0)]),
        ("the larger ratio", [at("here", "violated", INF, violations=1), at("there", "violated", 7.0, violations=1)]),
        ("a ratio that is a number", [at("here", ratio=-INF, margin=3.0), at("there", ratio=NAN, margin=NAN)]),
        ("the smaller margin", [at("here", margin=0.1), at("there", margin=0.2)]),
        ("a margin that is a number", [at("here", margin=0.1), at("there", margin=NAN)]),
    ],
)
def test_the_entry_that_is_cited_is(rule: str, entries: list[RegimeEntry]) -> None:
    assert cited(*entries) == "here", rule
    assert cited(*reversed(entries), verdict=entries[0].verdict) == "here", rule


def test_of_entries_alike_the_first_is_cited() -> None:
    assert cited(at("a"), at("b")) == "a"


def test_a_claim_that_was_evaluated_nowhere_cites_nothing() -> None:
    assert decisive([], "not applicable") is None
    assert claim("x", "eq. 1", "T", "x <= y", "always").deciding is None


def test_a_verdict_that_no_entry_has_is_cited_all_the_same() -> None:
    assert cited(at("here", ratio=0.9), at("there"), verdict="violated") == "here"


def test_the_most_telling_entry_is_the_decisive_one() -> None:
    for record in (sample(), *odd_records().values()):
        for found in (found for algorithm in record.algorithms for found in algorithm.claims if found.regimes):
            assert telling(found.regimes, found.verdict)[0] is found.deciding


def test_the_record_keeps_the_entry_that_was_cited_when_it_was_written() -> None:
    record = sample()
    data = record.to_json()
    written = [found["decisive"] for found in data["algorithms"][0]["claims"]]
    assert written == [found.decisive for found in record.algorithms[0].claims]
    data["algorithms"][0]["claims"][0]["decisive"] = 3
    assert Record.from_json(data).algorithms[0].claims[0].decisive == 3


def test_a_record_from_before_the_field_existed_gets_it() -> None:
    data = sample().to_json()
    for found in data["algorithms"][0]["claims"]:
        del found["decisive"]
    assert Record.from_json(data).to_json() == sample().to_json()


def test_other_entries_are_chosen_among_anew_when_told_so() -> None:
    whole = claim("x", "eq. 1", "T", "x <= y", "always", at("a"), at("b", ratio=0.9))
    assert whole.decisive == 1
    assert replace(whole, regimes=whole.regimes[:1], decisive=None).decisive == 0
    with pytest.raises(ValueError, match="decisive is 1, expected the index of one of 1 regimes"):
        replace(whole, regimes=whole.regimes[:1])
