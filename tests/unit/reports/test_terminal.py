from __future__ import annotations

import re
from typing import Any

import pytest
from rich.cells import cell_len

from verifier.record.writer import Writer
from verifier_reports import verifier_report_writers
from verifier_reports.terminal import Detail, TerminalWriter

from .entries import VERDICTS, claim, entry, identity
from .sample import algorithm, clean_sample, odd_records, record, sample

RECORDS = {"sample": sample(), "clean": clean_sample(), **odd_records()}
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def screen(*claims: object, **options: Any) -> str:
    return TerminalWriter().render(record(algorithm(list(claims))), **options)


NAMES = [
    "annotations", "board", "board-html", "csv", "html", "json", "junit", "markdown", "markdown-full", "markdown+png",
    "markdown+svg", "pdf", "png", "sarif", "summary", "svg", "terminal",
]  # fmt: skip


def test_writers_are_found_and_satisfy_the_protocol() -> None:
    writers = verifier_report_writers()
    assert [writer.name for writer in writers] == NAMES
    assert all(isinstance(writer, Writer) and writer.description for writer in writers)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("detail", ["quiet", "first", "table", "verbose"])
@pytest.mark.parametrize("width", [60, 100])
def test_no_line_is_wider_than_the_screen_or_ends_in_blanks(name: str, detail: Detail, width: int) -> None:
    text = TerminalWriter().render(RECORDS[name], detail=detail, width=width)
    assert text.endswith("\n")
    for line in text.split("\n"):
        assert cell_len(line) <= width, line
        assert line == line.rstrip()


def test_colour_changes_no_character() -> None:
    data = sample()
    coloured = TerminalWriter().render(data, color=True)
    assert "\x1b[" in coloured
    assert ESCAPE.sub("", coloured) == TerminalWriter().render(data)


def test_text_of_a_plugin_cannot_move_the_cursor() -> None:
    text = TerminalWriter().render(odd_records()["hostile text"], detail="verbose")
    assert "\x1b" not in text
    assert "\r" not in text
    text.encode()


def test_every_claim_has_one_line_with_mark_and_word() -> None:
    data = sample()
    lines = TerminalWriter().render(data).splitlines()
    marks = dict(zip(VERDICTS, "✗!?✓◇○–", strict=True))
    for found in data.algorithms[0].claims:
        name = found.id.partition("/")[2]
        pattern = rf"^  {re.escape(marks[found.verdict])} {found.verdict}\b.* {re.escape(name)} "
        assert len([line for line in lines if re.search(pattern, line)]) == 1, name


def test_first_and_last_lines_of_the_table_say_what_matters_and_once() -> None:
    lines = TerminalWriter().render(clean_sample()).splitlines()
    told = "ucblvd: nothing violated; 4 inconclusive, 21 conform, 3 vacuous, 2 not applicable."
    assert len([line for line in lines if told in line]) == 1
    assert lines[-1] == f"{told} Exit 0."
    assert "seed 20250301" in lines[0]


def test_violation_shows_the_broken_inequality_and_how_to_replay_it() -> None:
    text = TerminalWriter().render(sample())
    assert "oracle@onehot, at episode 17, h 2, s 3, a 1, w 0: 3.21 <= 2.10 is false" in text
    assert "    verifier replay ucblvd/distillation-error:onehot:oracle:3:20250301\n" in text


def test_replay_command_is_quoted_for_a_shell() -> None:
    text = screen(
        claim("x", "eq. 1", "T", "x <= y", "always", entry("x", "scaled(0.1)@lock", "violated", 2.0, 1.0, violations=1))
    )
    assert "verifier replay 'ucblvd/x:lock:scaled(0.1):3:20250301'" in text


def test_vacuous_claims_say_from_when_they_would_mean_something() -> None:
    text = " ".join(TerminalWriter().render(sample()).split())
    assert "above the trivial bound 5000; not before K = 1.2e9" in text
    assert "no size would change that" in text


def test_identities_show_the_rounding_they_were_allowed() -> None:
    text = screen(identity("gram", "eq. 5", "x = y", 0.5, 2e-9))
    assert "off by 0.714; rounding explains at most 2e-9" in text


def test_a_tie_that_is_broken_shows_enough_digits() -> None:
    text = screen(
        claim("x", "eq. 1", "T", "x <= y", "always", entry("x", "oracle@lock", "violated", 2.1 + 1e-9, 2.1, violations=1))
    )
    assert "2.100000001 <= 2.100000000 is false" in text
    assert "over by 1e-9" in text


def test_what_passes_within_rounding_is_not_shown_as_an_inequality_that_is_false() -> None:
    text = screen(
        claim("x", "eq. 1", "T", "x <= y", "always", entry("x", "oracle@lock", "conforms", 3e-12, 0.0, ratio=0.0, tolerance=1e-9))
    )
    assert "0 (rounding)" in text
    assert "(rounding): equal up to rounding" in " ".join(text.split())


def test_conforms_shows_the_regime_with_power_and_marks_the_others() -> None:
    found = (
        entry("x", "published@lock", "vacuous", 9.0, 9.5, powered=0),
        entry("x", "oracle@lock", "conforms", 0.2, 1.0),
        entry("x", "oracle@onehot", "conforms", 0.9, 1.0),
    )
    line = next(
        line for line in screen(claim("x", "eq. 1", "T", "x <= y", "always", *found)).splitlines() if "✓ conforms" in line
    )
    assert line.split() == ["✓", "conforms", "○✓", "x", "eq.", "1", "2@onehot", "0.900", "<=", "1", "0.90", "8"]


def test_an_unevaluated_claim_makes_the_run_an_error() -> None:
    text = TerminalWriter().render(odd_records()["cut short"])
    assert "2 selected, but only 1 evaluated" in text
    assert text.endswith("1 not evaluated; 0 conform, 1 not applicable. Exit 4.\n")


@pytest.mark.parametrize(
    ("name", "code"), [("no algorithms", 0), ("no claims", 0), ("only errors", 4), ("cut short", 4), ("odd numbers", 1)]
)
def test_exit_codes(name: str, code: int) -> None:
    assert TerminalWriter().render(odd_records()[name]).endswith(f"Exit {code}.\n")


def test_inconclusive_is_an_exit_code_under_strict_only() -> None:
    strict = record(*clean_sample().algorithms, command=("verifier", "check", "--strict"))
    assert TerminalWriter().render(strict).endswith("Exit 3.\n")


def test_verbose_unfolds_everything() -> None:
    data = odd_records()["many of everything"]
    assert "more: --verbose" in TerminalWriter().render(data)
    verbose = TerminalWriter().render(data, detail="verbose")
    assert " more" not in verbose
    assert all(f"✗ ucblvd/violated-{number}" in verbose for number in range(9))


def test_every_format_of_the_table_has_its_writer() -> None:
    for format in verifier_report_writers():
        assert {"render", "write"} <= set(dir(format._writer)), format.name
