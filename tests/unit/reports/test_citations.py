"""Every report cites the same entry of a claim: the decisive one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from verifier.adapters import pytest_plugin
from verifier.commands.gate import stages
from verifier.record import ClaimEntry, Record, RegimeEntry
from verifier_reports.ci_summary import SummaryWriter
from verifier_reports.junit import JunitWriter
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.plots import room
from verifier_reports.sarif import SarifWriter
from verifier_reports.summary import regimes
from verifier_reports.terminal import TerminalWriter

from .entries import VERDICTS, claim, entry
from .sample import algorithm, record


def contested(verdict: str) -> ClaimEntry:
    """A claim in which the entry that is cited is neither the first, nor the one with the largest ratio of all."""
    name = verdict.replace(" ", "-")
    broken = {"violations": 1, "failures": 1} if verdict == "violated" else {}

    def at(place: str, ratio: float, margin: float, **changes: object) -> RegimeEntry:
        told = {"replay": f"ucblvd/{name}:{place.partition('@')[2]}:oracle:3:0", "reason": f"for a reason at {place}"}
        return entry(name, place, verdict, 3.0, 2.0, ratio=ratio, margin=margin, **(told | broken | changes))

    return claim(
        name, "Lemma 1", "Theorem 1", "x <= y", "given",
        entry(name, "published@onehot", "not applicable", 9.0, 1.0),
        at("oracle@first", 0.5, 0.2),
        at("oracle@cited", 0.5, 0.1),
        at("oracle@nowhere", 7.0, 0.0, replay=""),
        at("published@number", float("nan"), float("nan")),
    )  # fmt: skip


RECORD = record(algorithm([contested(verdict) for verdict in VERDICTS], instances=()))
CLAIMS = RECORD.algorithms[0].claims
CITED = {found.id: f"{found.deciding.regime}@{found.deciding.instance}" for found in CLAIMS if found.deciding}


def in_sentence(text: str) -> str:
    """The place in what `verifier.record.sentence` says."""
    found = re.search(r"\((\w+@\w+)", text)
    assert found is not None, text
    return found[1]


def on_screen(whole: Record) -> dict[str, str]:
    numbers = regimes(whole.algorithms[0])
    rows = re.findall(r"^  \S [a-z ]+?  +\S+ +([a-z-]+) +Lemma 1 +(\d)@(\w+) ", TerminalWriter().render(whole), re.MULTILINE)
    return {f"ucblvd/{name}": f"{numbers[int(number) - 1]}@{instance}" for name, number, instance in rows}


def in_markdown(whole: Record) -> dict[str, str]:
    row = r"^\| \S [a-z ]+ \| `([a-z-]+)` \| Lemma 1 \| .*? \| given \| `(\w+@\w+)` "
    rows = re.findall(row, MarkdownWriter().render(whole), re.MULTILINE)
    return {f"ucblvd/{name}": place for name, place in rows}


def on_the_page(whole: Record) -> dict[str, str]:
    row = r'id="claim-ucblvd-([a-z-]+)">.*?<td class="p">(\w*@?(?:<wbr>)?\w*)'
    rows = re.findall(row, HtmlWriter().render(whole), re.DOTALL)
    return {f"ucblvd/{name}": place.replace("<wbr>", "") for name, place in rows if place}


def in_junit(whole: Record) -> dict[str, str]:
    root = ElementTree.fromstring(JunitWriter().render(whole))  # our own text
    cases = {case.attrib["name"]: [*case] for case in root.iter("testcase")}
    found = {name: cases[f"{name}[{place.partition('@')[0]}]"] for name, place in CITED.items()}
    return {name: in_sentence(details[0].attrib["message"]) for name, details in found.items() if details}


def in_sarif(whole: Record) -> dict[str, str]:
    (run,) = json.loads(SarifWriter().render(whole))["runs"]
    told = {one["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: one["message"]["text"] for one in run["results"]}
    cases = {name: f"{name}[{place.partition('@')[0]}]" for name, place in CITED.items()}
    return {name: in_sentence(told[case]) for name, case in cases.items() if case in told}


def in_the_summary(whole: Record) -> dict[str, str]:
    text = SummaryWriter().render(whole).replace("\u200b", "")
    lines = {name: rf"`{re.escape(name)}\[{place.partition('@')[0]}\]` \| (.*) \|" for name, place in CITED.items()}
    found = {name: re.search(line, text) for name, line in lines.items()}
    return {name: in_sentence(line[1]) for name, line in found.items() if line}


def in_findings(whole: Record) -> dict[str, str]:
    found = stages.claims(whole.algorithms[0])
    return {finding.id: in_sentence(finding.message) for finding in found if finding.id in CITED}


def in_tests(whole: Record) -> dict[str, str]:
    found = {}
    for name, place in CITED.items():
        check = pytest_plugin.ClaimCheck(pytest_plugin.Run(("ucblvd",)), name, place.partition("@")[0])
        found[name] = in_sentence(check.verdict()[1])
    return found


SAID_OF = {
    on_screen: {"not-applicable"},
    in_markdown: set(),
    on_the_page: {"not-applicable"},
    in_junit: {"conforms"},
    in_sarif: {"conforms"},
    in_the_summary: set(),
    in_findings: set(),
    in_tests: set(),
}
"""Per format the claims that it says no place of: what does not apply has none, and what passes is not told in some."""


@pytest.mark.parametrize("cited", SAID_OF, ids=lambda function: function.__name__)
def test_every_report_cites_the_decisive_entry(
    cited: Callable[[Record], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytest_plugin, "_record", lambda run: RECORD)
    silent = {f"ucblvd/{name}" for name in SAID_OF[cited]}
    assert cited(RECORD) == {name: place for name, place in CITED.items() if name not in silent}
    assert set(CITED.values()) == {"oracle@cited"}


@pytest.mark.parametrize("writer", [TerminalWriter, MarkdownWriter, HtmlWriter, JunitWriter, SarifWriter, SummaryWriter])
def test_every_report_replays_a_violation_at_the_decisive_entry(writer: Callable[[], MarkdownWriter]) -> None:
    text = writer().render(record(algorithm([contested("violated")])))
    assert "verifier replay ucblvd/violated:cited:oracle:3:0" in text
    assert "verifier replay ucblvd/violated:first" not in text.partition("Regimes and instances")[0]


def test_the_gate_replays_a_violation_at_the_decisive_entry() -> None:
    (finding, *_) = stages.claims(algorithm([contested("violated")]))
    assert finding.replay == "ucblvd/violated:cited:oracle:3:0"


def test_the_reason_of_a_claim_is_that_of_the_decisive_entry() -> None:
    assert all(found.deciding and found.deciding.reason == "for a reason at oracle@cited" for found in CLAIMS)


def test_the_dots_of_the_page_are_at_the_entries_that_are_cited() -> None:
    ratios = {row.name: {dot.regime: dot.ratio for dot in row.dots} for row in room.rows(RECORD.algorithms[0])}
    cited = {found.id.partition("/")[2]: found.deciding for found in CLAIMS}
    assert {"violated", "conforms", "vacuous"} <= set(ratios)
    for name, dots in ratios.items():
        entry = cited[name]
        assert entry is not None
        assert dots[entry.regime] == entry.ratio
