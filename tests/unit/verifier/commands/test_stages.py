"""Findings from a record: what fails, what is an error, what is only worth a warning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.reports.sample import clean_sample
from verifier.commands.gate import determinism, speed, stages
from verifier.commands.gate.determinism import Repeats, chosen
from verifier.model.measurement import Measurement
from verifier.model.result import TrialError, TrialResult, TrialSpec
from verifier.record import AlgorithmEntry, ErrorEntry, MutantEntry, PowerEntry


def algorithm(**changes: Any) -> AlgorithmEntry:
    """A clean algorithm of the sample record, with some fields changed."""
    return replace(clean_sample().algorithms[0], **changes)


def with_claim(**changes: Any) -> AlgorithmEntry:
    return algorithm(claims=(replace(algorithm().claims[0], **changes),))


def outcomes(findings: Any) -> dict[str, str]:
    return {finding.id.partition("/")[2] or finding.id.partition(":")[2]: finding.outcome for finding in findings}


@pytest.mark.parametrize(
    ("verdict", "kind", "outcome"),
    [
        ("conforms", "identity", "passed"),
        ("violated", "identity", "failed"),
        ("error", "always", "error"),
        ("vacuous", "always", "warning"),
        ("not applicable", "given", "warning"),
        ("inconclusive", "probability", "warning"),
        ("inconclusive", "identity", "error"),
    ],
)
def test_what_a_verdict_means_for_the_gate(verdict: str, kind: str, outcome: str) -> None:
    (first, *_) = stages.claims(with_claim(verdict=verdict, kind=kind))
    assert first.outcome == outcome


def test_a_plugin_whose_claims_say_nothing_has_not_passed() -> None:
    assert outcomes(stages.claims(with_claim(verdict="vacuous", kind="always")))["evidence"] == "failed"
    assert outcomes(stages.claims(with_claim(verdict="conforms", kind="assumption")))["evidence"] == "failed"
    assert outcomes(stages.claims(with_claim(verdict="conforms", kind="always")))["evidence"] == "passed"


def test_the_contract_covers_errors_of_contract_and_empty_declarations() -> None:
    broken = (ErrorEntry("contract", "x", "wrong shape"),) * 2
    (finding,) = stages.contract(algorithm(errors=broken))
    assert (finding.outcome, finding.message) == ("error", "wrong shape")
    (finding,) = stages.contract(algorithm(claims=(), errors=()))
    assert "makes no claim" in finding.message
    (finding, *_) = stages.contract(with_claim(source=" ", statement=""))
    assert "has no source and no statement" in finding.message
    crashed = (ErrorEntry("timeout", "x", "too slow"),)
    assert [finding.outcome for finding in stages.contract(algorithm(errors=crashed))] == ["passed", "error"]


def test_coverage_wants_clauses_and_says_which_are_covered_in_name_only() -> None:
    assert outcomes(stages.coverage(algorithm(clauses_total=0, clauses_checked=0))) == {"coverage": "failed"}
    assert outcomes(stages.coverage(algorithm(clauses_total=3, clauses_checked=0)))["coverage"] == "failed"
    empty = replace(with_claim(clause="C1", verdict="vacuous"), clauses_total=2, clauses_checked=1)
    assert outcomes(stages.coverage(empty)) == {"coverage": "passed", "clause-C1": "warning"}


def test_power_wants_planted_bugs_that_are_found() -> None:
    (finding,) = stages.power(algorithm(power=None))
    assert (finding.outcome, finding.id.partition(":")[2]) == ("failed", "power")
    for outcome, expected in {"survived": "failed", "error": "error", "equivalent": "passed", "killed": "passed"}.items():
        (finding,) = stages.power(algorithm(power=PowerEntry((MutantEntry("b", "d", outcome, "why", ("c",), (), 3, ()),), ())))
        assert finding.outcome == expected


# Determinism and speed ----------------------------------------------------------------------------------------------


def result(digest: str, value: float = 1.0, index: int = 0, error: TrialError | None = None) -> TrialResult:
    spec = TrialSpec("mine", "onehot", "oracle", index, 0)
    return TrialResult(spec, {} if error else {"gram": Measurement(comparisons=1, value=value)}, digest, 0.1, error)


def found_in(first: list[TrialResult], second: list[TrialResult]) -> dict[str, str]:
    return outcomes(determinism.findings("mine", Repeats(tuple(first), tuple(second), {})))


def test_the_same_bits_pass() -> None:
    a, b = result("a"), result("b", index=1)
    assert found_in([a, b, a], [a, b]) == {"determinism": "passed", "isolation": "passed"}


def test_what_differs_in_a_fresh_process_is_no_determinism_and_what_differs_later_no_isolation() -> None:
    a, b, c = result("a"), result("b", index=1), result("c")
    assert found_in([a, b, a], [c, b]) == {"determinism": "failed", "isolation": "passed"}
    assert found_in([a, b, c], [a, b]) == {"determinism": "passed", "isolation": "failed"}
    assert found_in([a, b, a], [a, result("x", index=1)]) == {"determinism": "passed", "isolation": "failed"}


def test_measurements_and_failures_count_as_differences() -> None:
    failed = result("a", error=TrialError("crash", "boom"))
    assert determinism.difference(result("a"), result("a", 2.0)) == "what claim 'gram' measures differs"
    assert "boom" in determinism.difference(result("a"), failed)
    assert determinism.difference(result("a"), replace(result("a"), seconds=9.0)) == ""


def test_a_process_that_gives_no_results_is_an_error() -> None:
    (finding,) = determinism.findings("mine", Repeats(failure="it died"))
    assert finding.outcome == "error"


def test_trials_that_fail_each_time_have_shown_nothing() -> None:
    failed, fine = result("", error=TrialError("crash", "boom")), result("b", index=1)
    (finding,) = determinism.findings("mine", Repeats((failed, fine, failed), (failed, fine)))
    assert (finding.outcome, "boom" in finding.message) == ("error", True)
    assert found_in([failed, fine, failed], [result("a"), fine])["determinism"] == "failed"


def test_trials_of_every_regime_are_run_again() -> None:
    specs = chosen(algorithm(), 5)
    regimes = {entry.regime for claim in algorithm().claims for entry in claim.regimes if entry.trials} - {""}
    assert {spec.regime for spec in specs} == regimes
    assert len(specs) <= determinism.TRIALS
    assert all((spec.index, spec.seed) == (0, 5) for spec in specs)


def test_slower_than_the_stated_ratio_fails_and_only_common_trials_count() -> None:
    before = {"oracle@a": 10.0, "oracle@b": 10.0, "oracle@gone": 5.0}
    now = {"oracle@a": 15.0, "oracle@b": 45.0, "oracle@new": 99.0}
    assert speed.slowdown(now, before) == pytest.approx(3.0)
    fine, slow = speed.finding("mine", now, before, 3.5), speed.finding("mine", now, before, 2.0)
    assert fine is not None
    assert fine.outcome == "passed"
    assert slow is not None
    assert slow.outcome == "failed"
    assert "3.00 times the processor time" in slow.message
    assert speed.finding("mine", {}, before, 2.0) is None


def test_what_is_unfinished_is_neither_failed_nor_passed() -> None:
    cut = replace(with_claim(verdict="inconclusive", kind="identity"), unfinished="9 of 9 had no trial", clauses_checked=0)
    found = outcomes([*stages.claims(cut), *stages.coverage(cut)])
    assert set(found.values()) == {"unfinished"}
    mutant = MutantEntry("m", "a bug", "not run", "the budget is spent", ("gram",), ("gram",), 0, ())
    (finding,) = stages.power(algorithm(power=PowerEntry((mutant,), ())))
    assert (finding.outcome, finding.message) == ("unfinished", "not run: the budget is spent")
