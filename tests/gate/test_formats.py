"""JUnit XML and SARIF fit the schemas that others publish for them, for every record."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

from tests.unit.reports.gated import gated
from tests.unit.reports.sample import clean_sample, odd_records, sample
from verifier.record import Record, schema
from verifier.record.finding import Source
from verifier_reports.annotations import AnnotationsWriter
from verifier_reports.cases import cases
from verifier_reports.ci_summary import SummaryWriter
from verifier_reports.junit import JunitWriter
from verifier_reports.sarif import SarifWriter
from verifier_reports.terminal import TerminalWriter

SCHEMAS = Path(__file__).parent / "schemas"
SARIF = jsonschema.validators.validator_for(json.loads((SCHEMAS / "sarif-2.1.0.json").read_text()))(
    json.loads((SCHEMAS / "sarif-2.1.0.json").read_text())
)
JUNIT = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))


RECORDS: dict[str, Record] = {
    "gate": gated(),
    "sample": sample(),
    "clean": clean_sample(),
    **odd_records(),
}


def test_the_record_of_a_gate_fits_its_schema() -> None:
    jsonschema.Draft202012Validator(schema()).validate(RECORDS["gate"].to_json())


@pytest.mark.parametrize("name", RECORDS)
def test_sarif_fits_its_schema(name: str) -> None:
    log = json.loads(SarifWriter().render(RECORDS[name]))
    SARIF.validate(log)
    (run,) = log["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


@pytest.mark.parametrize("name", RECORDS)
def test_junit_fits_its_schema(name: str) -> None:
    text = JunitWriter().render(RECORDS[name])
    JUNIT.validate(text)
    found = ElementTree.fromstring(text)  # our own text
    assert len(list(found.iter("testcase"))) == len(cases(RECORDS[name]))


def test_the_schemas_can_be_failed() -> None:
    log = json.loads(SarifWriter().render(RECORDS["gate"]))
    log["runs"][0]["results"][0]["level"] = "terrible"
    assert not SARIF.is_valid(log)
    text = JunitWriter().render(RECORDS["gate"]).replace("<failure", "<catastrophe").replace("</failure", "</catastrophe")
    assert not JUNIT.is_valid(text)


def test_sarif_links_claims_to_their_theorem_and_findings_to_their_file() -> None:
    (run,) = json.loads(SarifWriter().render(RECORDS["gate"]))["runs"]
    by_rule = {result["ruleId"]: result for result in run["results"]}
    assert by_rule.keys() == {"lsvi/optimism", "lsvi/regret", "lsvi~half", "lsvi/old"}
    failed = by_rule["lsvi/optimism"]
    assert failed["level"] == "error"
    assert failed["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/my%20plugin/a.py"},
        "region": {"startLine": 71},
    }
    assert "verifier replay" in failed["message"]["text"]
    assert by_rule["lsvi/old"]["suppressions"][0]["kind"] == "external"
    assert by_rule["lsvi/regret"]["level"] == "none"
    rules = [rule for found in RECORDS.values() for rule in _rules(found)]
    assert any(rule["properties"].get("theorem") for rule in rules)


def _rules(record: Record) -> list[Any]:
    rules: list[Any] = json.loads(SarifWriter().render(record))["runs"][0]["tool"]["driver"]["rules"]
    return rules


def test_junit_counts_failures_errors_and_what_was_skipped() -> None:
    root = ElementTree.fromstring(JunitWriter().render(RECORDS["gate"]))  # our own text
    totals = {name: sum(int(suite.attrib[name]) for suite in root) for name in ("tests", "failures", "errors", "skipped")}
    assert totals == {"tests": 5, "failures": 1, "errors": 1, "skipped": 2}
    (failure,) = root.iter("failure")
    assert "2 <= 1 is false" in failure.attrib["message"]


def test_the_summary_says_what_failed_first() -> None:
    text = SummaryWriter().render(RECORDS["gate"])
    assert "Gate red: 1 failure and 1 error among 5 findings; 1 failure accepted by the baseline." in text
    assert text.index("lsvi/optimism") < text.index("lsvi/regret")
    assert "## verifier\n" in SummaryWriter().render(RECORDS["sample"])


def test_the_screen_of_a_gate_is_short_unless_it_is_asked_for_more() -> None:
    short, long = TerminalWriter().render(RECORDS["gate"]), TerminalWriter().render(RECORDS["gate"], detail="verbose")
    assert "✗ lsvi/optimism" in short
    assert "lsvi:contract" not in short
    assert "lsvi:contract" in long
    assert len(long) > 2 * len(short)
    assert all(len(line) <= 100 for line in (short + long).splitlines())


def test_annotations_are_one_line_for_each_finding_beside_its_file() -> None:
    told = AnnotationsWriter().render(RECORDS["gate"]).splitlines()
    assert [line.split(" ")[0] for line in told] == ["::error", "::notice", "::error", "::warning"]
    first, _, broken, _ = told
    assert first.startswith("::error file=src/my plugin/a.py,line=71,title=lsvi/optimism::violated")
    assert first.endswith("%0ARun `verifier replay a/b:c:d:0:0` to see it again.")
    assert broken.startswith("::error file=src/my plugin/a.py,line=12,title=lsvi~half::")
    assert broken.endswith("::could not be run �")


def test_annotations_of_any_record_are_commands_on_one_line_each() -> None:
    for found in RECORDS.values():
        told = [case for case in cases(found) if case.outcome != "passed" and not case.because]
        lines = AnnotationsWriter().render(found).split("\n")
        assert len(lines) == len(told) + 1
        assert all(re.fullmatch(r"::(error|warning|notice) [^\x00-\x1f]+?::[^\x00-\x1f]*", line) for line in lines[:-1])


def test_what_would_end_a_property_or_a_command_is_escaped() -> None:
    (finding, *_) = (item for item in RECORDS["gate"].gate.findings if item.outcome == "failed")
    odd = replace(finding, id="a,b::c%", message="1: 2,%")
    gate = replace(RECORDS["gate"].gate, findings=(odd,))
    (line,) = AnnotationsWriter().render(replace(RECORDS["gate"], gate=gate)).splitlines()
    assert "title=a%2Cb%3A%3Ac%25::1: 2,%25" in line


def test_files_are_named_from_the_top_of_the_repository() -> None:
    gate = replace(RECORDS["gate"].gate, within="some/where")
    found = replace(RECORDS["gate"], gate=gate)
    assert "file=some/where/src/my plugin/a.py," in AnnotationsWriter().render(found)
    assert '"uri": "some/where/src/my%20plugin/a.py"' in SarifWriter().render(found)
    outside = replace(found, gate=replace(gate, sources={"lsvi": Source("/usr/lib/a.py", 12)}))
    assert "file=" not in AnnotationsWriter().render(outside), "it has no page there"
    assert '"uri": "file:///usr/lib/a.py"' in SarifWriter().render(outside)
