"""Texts nobody could read are cut on screens and pages, and only there."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from verifier.record import ErrorEntry, Record
from verifier_reports.board import BoardWriter
from verifier_reports.ci_summary import SummaryWriter
from verifier_reports.json_report import JsonWriter
from verifier_reports.junit import JunitWriter
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.sarif import SarifWriter
from verifier_reports.shortened import LONGEST, LONGEST_BLOCK, short, shortened
from verifier_reports.terminal import TerminalWriter
from verifier_reports.text_writer import TextWriter

from .sample import odd_records, sample
from .scalings import scaling_record

LONG = "first " + "boom " * 400_000 + "last"
LINES = "first line\n" + "boom\n" * 200_000 + "last line"


def _loud() -> Record:
    """Two megabytes wherever a plugin may have put them."""
    (whole,) = sample().algorithms
    claim, other, *rest = whole.claims
    entries = tuple(replace(entry, reason=LONG) for entry in claim.regimes)
    claim = replace(claim, verdict="error", reason=LONG, regimes=entries)
    other = replace(other, counterexample=LINES, difference=LONG)
    errors = (ErrorEntry("exception", "lock, oracle, trial 3", LONG, LINES),)
    told = replace(whole, claims=(claim, other, *rest), errors=errors, settings={"given": [LONG]})
    return replace(sample(), algorithms=(told,))


WRITERS: list[type[TextWriter]] = [
    BoardWriter,
    HtmlWriter,
    JunitWriter,
    MarkdownWriter,
    SarifWriter,
    SummaryWriter,
    TerminalWriter,
]


@pytest.mark.parametrize("writer", WRITERS)
def test_a_message_of_megabytes_is_cut_with_a_note_of_what_is_missing_and_where_it_is(writer: type[TextWriter]) -> None:
    text = writer().render(_loud())
    assert len(text) - len(writer().render(sample())) < 8 * (LONGEST + LONGEST_BLOCK)
    note = f"{len(LONG) - LONGEST:,} of {len(LONG):,} characters are left out here; the JSON record has them all"
    told = " ".join(text.split())
    assert note in told
    assert "first boom boom" in told
    assert "boom last" in told


def test_the_record_has_it_whole() -> None:
    stored = json.loads(JsonWriter().render(_loud()))["algorithms"][0]
    assert stored["errors"][0]["message"] == LONG
    assert stored["errors"][0]["traceback"] == LINES
    assert stored["settings"] == {"given": [LONG]}


@pytest.mark.parametrize("given", [sample(), scaling_record(), *odd_records().values()])
def test_other_records_stay_the_same_object(given: Record) -> None:
    assert shortened(given) is given


def test_lines_have_more_room_than_one_line() -> None:
    assert short("x" * LONGEST) == "x" * LONGEST
    assert len(short("x" * (LONGEST + 1))) < LONGEST + 150
    assert short("x\n" * LONGEST) == "x\n" * LONGEST
    cut = short("x\n" * LONGEST_BLOCK)
    assert len(cut) < LONGEST_BLOCK + 150
    assert "20,000 of 40,000 characters are left out here" in cut
