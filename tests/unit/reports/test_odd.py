"""Random records of odd content: no writer fails, no line is too wide."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from verifier import record as shapes
from verifier.record import schema
from verifier_reports.json_report import JsonWriter
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.screen import Screen
from verifier_reports.terminal import Detail, TerminalWriter

from .entries import VERDICTS

VALIDATOR = jsonschema.Draft202012Validator(schema())
ODD = [
    "",
    " ",
    "\x1b[2J",
    "a\nb",
    "\ud800",
    "漢" * 70,
    "é" * 120,
    "👩‍👩‍👧 ⚠️",
    "x" * 300,
    "a|b`c",
    "\u202e",
    "0",
    "e\u0301" * 90,
]

text = st.one_of(st.sampled_from(ODD), st.text(max_size=30))
numbers = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, 1e-300, 1e300, 5e-324, 999.96, 0.0049]))
counts = st.integers(0, 2**40)
verdicts = st.sampled_from(VERDICTS)
names = st.sampled_from(["onehot", "lock", "漢" * 40, ""])
places = st.sampled_from(["published", "scaled(0.1)", "oracle", "oracle[minimiser=farthest]", "", "x" * 80])


def some(strategy: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(strategy, max_size=most).map(tuple)


entries = st.builds(
    shapes.RegimeEntry,
    regime=places,
    instance=names,
    verdict=verdicts,
    reason=text,
    **dict.fromkeys(("trials", "failures", "comparisons", "powered", "excluded", "violations"), counts),
    **dict.fromkeys(("value", "bound", "trivial", "ratio", "margin", "tolerance"), numbers),
    witness=st.dictionaries(text, st.integers(-(2**60), 2**60), max_size=4),
    detectable=st.builds(shapes.Detectable, st.sampled_from(["factor", "difference", "rate", "mean", "none"]), numbers),
    interval=st.none() | st.tuples(numbers, numbers),
    nonvacuous_from=st.none() | numbers,
    unit=text,
    replay=text,
)
claims = st.builds(
    shapes.ClaimEntry,
    id=text,
    kind=st.sampled_from(["assumption", "identity", "always", "given", "probability", "expectation", "law", "scaling"]),
    status=st.sampled_from(["as printed", "corrected", "ours"]),
    assumes=some(names),
    verdict=verdicts,
    regimes=some(entries, 6),
    **dict.fromkeys(("source", "theorem", "statement", "clause", "given", "why", "reason"), text),
)
ledgers = st.builds(
    shapes.Ledger,
    **dict.fromkeys(("budget", "spent", "certify_level"), numbers),
    entries=some(st.builds(shapes.LedgerEntry, text, text, text, st.sampled_from(["reject", "certify"]), numbers)),
)
free = st.dictionaries(text, st.one_of(text, st.integers(-9, 9), numbers, st.lists(text, max_size=2)), max_size=3)
algorithms = st.builds(
    shapes.AlgorithmEntry,
    **dict.fromkeys(("name", "title", "paper", "plugin", "version", "source_hash"), text),
    settings=free,
    instances=some(
        st.builds(
            shapes.InstanceEntry,
            name=names,
            description=text,
            showcase=text,
            parameters=st.dictionaries(text, text | numbers, max_size=2),
            failed_assumptions=st.dictionaries(names, text, max_size=2),
        )
    ),
    claims=some(claims, 5),
    clauses_unchecked=some(st.builds(shapes.ClauseEntry, text, text, text, text)),
    counts=st.fixed_dictionaries({"selected": counts, "evaluated": counts}),
    ledger=ledgers,
    errors=some(st.builds(shapes.ErrorEntry, text, text, text, text)),
    **dict.fromkeys(("clauses_total", "clauses_checked", "trials_planned", "trials_finished", "trials_reused"), counts),
)
records = st.builds(
    shapes.Record,
    verifier=text,
    exit_code=st.sampled_from([0, 1, 3, 4]),
    command=some(text),
    seed=st.integers(0, 2**128),
    seconds=numbers,
    environment=free,
    profile=free,
    algorithms=some(algorithms, 2),
    started=text,
    finished=text,
    schema=st.just(shapes.SCHEMA),
)


@pytest.mark.full
@settings(max_examples=60, deadline=None, database=None)
@given(records, st.sampled_from(["quiet", "first", "table", "verbose"]), st.sampled_from([60, 100]))
def test_terminal(record: shapes.Record, detail: Detail, width: int) -> None:
    screen = TerminalWriter().render(record, detail=detail, width=width)
    screen.encode()
    assert "\x1b" not in screen
    for line in screen.split("\n"):
        assert cell_len(line) <= width
        assert line.isprintable()


@pytest.mark.parametrize("name", ["漢" * 70, "é" * 120, "x" * 161])
@pytest.mark.parametrize("width", [60, 100])
def test_a_name_that_nobody_types_makes_no_long_line(name: str, width: int) -> None:
    screen = Screen(width)
    screen.text(name, 6, "command")
    screen.line((name, "command"))
    assert all(cell_len(line) <= width for line in screen.render(color=False).split("\n")[:-2])
    assert cell_len(screen.render(color=False).split("\n")[-2]) <= (160 if name.isascii() else width)


@pytest.mark.full
@settings(max_examples=40, deadline=None, database=None)
@given(records)
def test_markdown(record: shapes.Record) -> None:
    MarkdownWriter().render(record).encode()


@settings(max_examples=40, deadline=None, database=None)
@given(records)
def test_json_round_trips_and_conforms(record: shapes.Record) -> None:
    data = record.to_json()
    written = JsonWriter().render(record)
    written.encode()
    assert json.loads(written) == data
    VALIDATOR.validate(json.loads(written))
