"""Baselines: what is worse, what is accepted, and files that cannot be meant."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from verifier.base.errors import UsageError
from verifier.commands.gate.baseline import Accepted, Baseline, Standing, accept, compare, news, read
from verifier.record.finding import Finding

BEFORE = Standing(
    "p", {"optimism": "conforms", "regret": "vacuous", "event": "inconclusive"}, {"half": "killed"}, 3, {"a@b": 2.0}
)
TODAY = date(2026, 5, 1)


def standing(claims: Mapping[str, str] | None = None, **changes: Any) -> Standing:
    values = {"plugin": "p", "claims": {**BEFORE.claims, **(claims or {})}, "mutants": BEFORE.mutants, "clauses_checked": 3}
    return Standing(**{**values, **changes})


def outcomes(now: Standing) -> dict[str, str]:
    return {finding.id: finding.outcome for finding in compare("mine", now, BEFORE)}


def test_nothing_worse_is_one_finding_that_passed() -> None:
    assert outcomes(standing()) == {"mine:baseline": "passed"}
    better = standing({"regret": "conforms", "event": "conforms"}, mutants={"half": "killed", "new": "killed"}, clauses_checked=4)
    assert outcomes(better) == {"mine:baseline": "passed"}


@pytest.mark.parametrize(
    ("now", "finding", "outcome"),
    [
        (standing({"optimism": "vacuous"}), "mine/optimism:lost", "failed"),
        (standing({"optimism": "not applicable"}), "mine/optimism:lost", "failed"),
        (standing({"optimism": "inconclusive"}), "mine/optimism:lost", "warning"),
        (standing({"regret": "not applicable"}), "mine/regret:lost", "failed"),
        (standing(claims=None, mutants={}), "mine~half:lost", "failed"),
        (standing(clauses_checked=2), "mine:clauses-lost", "failed"),
    ],
)
def test_what_is_worse_is_found(now: Standing, finding: str, outcome: str) -> None:
    assert outcomes(now) == {finding: outcome}


def test_a_claim_that_is_not_made_any_more_is_found() -> None:
    fewer = Standing("p", {"regret": "vacuous", "event": "inconclusive"}, BEFORE.mutants, 3)
    assert outcomes(fewer) == {"mine/optimism:lost": "failed"}


def test_a_violation_is_left_to_its_own_stage_which_says_that_it_is_new() -> None:
    assert outcomes(standing({"optimism": "violated"})) == {"mine:baseline": "passed"}
    failed = [Finding("mine/optimism", "claims", "failed", "1 <= 0 is false"), Finding("mine/other", "claims", "failed", "x")]
    first, second = news(failed, {"mine": BEFORE})
    assert first.message == "1 <= 0 is false; new: in the baseline it was conforms"
    assert second.message == "x"


FINDINGS = [
    Finding("mine/optimism", "claims", "failed", "false"),
    Finding("mine/gram", "claims", "passed", "fine"),
    Finding("mine:run", "claims", "error", "crashed"),
]


def accepted(name: str, expires: str = "2026-05-01") -> Accepted:
    return Accepted(name, "known", "me", expires)


def test_a_failure_is_accepted_until_its_last_day() -> None:
    (first, *_) = accept(FINDINGS, [accepted("mine/optimism")], TODAY, "b.json")
    assert first.outcome == "accepted"
    assert "accepted until 2026-05-01 (me: known)" in first.message
    (first, *_) = accept(FINDINGS, [accepted("mine/optimism", "2026-04-30")], TODAY, "b.json")
    assert first.outcome == "failed"
    assert "it was accepted until 2026-04-30" in first.message


def test_an_error_cannot_be_accepted() -> None:
    found = accept(FINDINGS, [accepted("mine:run")], TODAY, "b.json")
    assert found[2].outcome == "error"
    assert "cannot be accepted" in found[2].message


def test_entries_that_are_unknown_or_not_needed_are_reported() -> None:
    found = accept(FINDINGS, [accepted("mine/optimsm"), accepted("mine/gram")], TODAY, "b.json")[3:]
    assert [finding.outcome for finding in found] == ["warning", "warning"]
    assert "Did you mean 'mine/optimism'" in found[0].message
    assert "does not fail any more" in found[1].message


def test_a_baseline_survives_its_file(tmp_path: Path) -> None:
    baseline = Baseline("quick", 7, {"mine": BEFORE}, (accepted("mine/optimism"),))
    (tmp_path / "b.json").write_text(baseline.to_text())
    assert read(tmp_path / "b.json") == baseline


def test_names_without_a_form_in_utf_8_survive_the_file(tmp_path: Path) -> None:
    baseline = Baseline("quick", 7, {"mine\ud800": BEFORE})
    (tmp_path / "b.json").write_text(baseline.to_text(), encoding="utf-8")
    assert read(tmp_path / "b.json") == baseline


GOOD = json.loads(Baseline("quick", 0, {"mine": BEFORE}, (accepted("mine/x"),)).to_text())


def mine(**changes: Any) -> dict[str, Any]:
    return {"algorithms": {"mine": {**GOOD["algorithms"]["mine"], **changes}}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("[1", "is not valid JSON"),
        ([], "has schema 'list'"),
        ({"schema": "verifier.baseline/2"}, "has schema 'verifier.baseline/2', expected 'verifier.baseline/1'"),
        ({"algorithms": {"mine": {"surprise": 1}}}, "is damaged"),
        (mine(claims={"optimism": "confroms"}), "algorithms.mine.claims.optimism is 'confroms', expected one of 'violated'"),
        (mine(mutants={"half": "kiled"}), "algorithms.mine.mutants.half is 'kiled', expected one of 'killed'"),
        (mine(work={"a@b": "nan"}), "work of 'a@b' is nan, expected a number of yardsticks"),
        (mine(work={"a@b": -1}), "work of 'a@b' is -1"),
        (mine(clauses_checked=-1), "clauses_checked is -1, expected a number of clauses"),
        (mine(wrok={}), "algorithms.mine: unknown key 'wrok'. Did you mean 'work'?"),
        ({"acepted": []}, "unknown key 'acepted'. Did you mean 'accepted'"),
        ({"profile": "quik"}, "profile is 'quik', expected one of 'quick'"),
        ({"seed": 10**400}, "more than 100 digits"),
        ("[" * 100_000, "nested more than"),
        ({"accepted": [{"id": "a/b"}]}, "'reason' is missing or empty"),
        ({"accepted": [{"id": "a/b", "reason": "r", "owner": " ", "expires": "2026-01-01"}]}, "'owner' is missing or empty"),
        ({"accepted": [{"id": "a", "reason": "r", "owner": "o", "expires": "soon"}]}, "expires = 'soon'; expected a date"),
        ({"accepted": [{"id": "a", "reason": "r", "owner": "o", "expiry": "2026-01-01"}]}, "Did you mean 'expires'?"),
        ({"accepted": ["a"]}, "expected an object"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    text = change if isinstance(change, str) else json.dumps({**GOOD, **change} if isinstance(change, dict) else change)
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(UsageError, match=re.escape(message)):
        read(tmp_path / "b.json")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--update-baseline"):
        read(tmp_path / "b.json")
