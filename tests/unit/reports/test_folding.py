"""One finding for the cause: what fails because of a broken claim is folded under it, in every format."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

from verifier.commands.gate.stages import claims
from verifier.record import Record
from verifier.record.finding import GateEntry
from verifier_reports.cases import cases
from verifier_reports.ci_summary import SummaryWriter
from verifier_reports.headline import headline
from verifier_reports.junit import JunitWriter
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.sarif import SarifWriter
from verifier_reports.terminal import TerminalWriter

from .sample import diagnosed, sample

CAUSE, CONSEQUENCE = "ucblvd/value-formula", "ucblvd/distillation-error"


def gate(accepted: bool = False) -> Record:
    """The gate's record of the same, with the cause accepted by a baseline or not."""
    found = [
        replace(finding, outcome="accepted") if accepted and finding.id == CAUSE else finding
        for finding in claims(diagnosed().algorithms[0])
    ]
    return replace(diagnosed(), gate=GateEntry("ucblvd", "", tuple(found), {}))


def _failures(record: Record) -> set[str]:
    suites = ElementTree.fromstring(JunitWriter().render(record))
    return {case.attrib["name"].partition("[")[0] for case in suites.iter("testcase") if case.find("failure") is not None}


def _results(record: Record) -> dict[str, str]:
    (run,) = json.loads(SarifWriter().render(record))["runs"]
    texts: dict[str, str] = {}
    for result in run["results"]:
        if result["level"] == "error":
            texts[result["ruleId"]] = texts.get(result["ruleId"], "") + result["message"]["text"]
    return texts


def test_the_bottom_line_begins_with_the_first_broken_claim() -> None:
    found = headline(diagnosed().algorithms[0])
    assert found.startswith("First broken: value-formula (eq. 7). 2 violated (1 of them resting on it)")
    assert not headline(sample().algorithms[0]).startswith("First")


def test_ci_formats_tell_the_cause_and_name_its_consequences_there() -> None:
    for record in (diagnosed(), gate()):
        assert _failures(record) == {CAUSE}
        assert _results(record).keys() == {CAUSE}
        assert f"Because of it fail: {CONSEQUENCE}" in _results(record)[CAUSE]
        assert "Because of it fail" in SummaryWriter().render(record)
        assert f"fails because of {CAUSE}" in JunitWriter().render(record)


def test_what_fails_because_of_an_accepted_failure_is_told_and_keeps_the_gate_red() -> None:
    """A baseline accepts one claim, not whatever rests on it."""
    record = gate(accepted=True)
    assert [finding.id for finding in record.gate.findings if finding.outcome == "failed"] == [CONSEQUENCE]
    assert _failures(record) == {CONSEQUENCE}
    assert CONSEQUENCE in _results(record)
    assert f"✗ {CONSEQUENCE}" in TerminalWriter().render(record)


def test_the_screen_of_a_gate_folds_them_too() -> None:
    text = TerminalWriter().render(gate())
    assert f"✗ {CAUSE}" in text
    assert f"✗ {CONSEQUENCE}" not in text
    assert f"1 claim fails because of it: {CONSEQUENCE}" in text


def test_pages_fold_the_numbers_of_consequences_under_the_cause() -> None:
    page, text = HtmlWriter().render(diagnosed()), MarkdownWriter().render(diagnosed())
    assert page.index("First broken") < page.index("1 claim fails because of it")
    assert text.index("### First broken") < text.index("1 claim fails because of it: distillation-error")
    assert "regret (Theorem 2), steps checked with power: 1 of 5 at oracle" in text


def test_without_a_proof_every_case_stands_for_itself() -> None:
    assert not any(case.because or case.consequences for case in cases(sample()))
