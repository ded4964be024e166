"""The table of claims on the screen: one line per claim, grouped by theorem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verifier_reports.figures import figure, plural, short_comparison, short_ratio
from verifier_reports.screen import Screen, Span, cells, clean, clip, pad
from verifier_reports.summary import (
    STATUS_MARKS,
    VERDICTS,
    decisive,
    mark,
    regime_marks,
    regimes,
    short_name,
    theorems,
    where,
)
from verifier_reports.wording import caught_sentence

Data = Mapping[str, Any]
Row = tuple[str, ...]
"""Verdict, one mark per regime, claim, source, place, worst comparison, ratio, number of trials."""

_INDENT = 2
_MOST_REGIMES = 9
_MARKS, _CLAIM, _SOURCE, _PLACE, _WORST = 1, 2, 3, 4, 5
_NUMBERS = (6, 7)
_KEEP = {_PLACE: "@", _SOURCE: " "}
_NARROWEST = {_PLACE: 18, _SOURCE: 15, _WORST: 16, _CLAIM: 24}
"""Where the line is too long, columns give way in this order, first down to these widths."""


def claim_table(screen: Screen, algorithm: Data, verbose: bool) -> None:
    """Draw the table of an algorithm's claims.

    Parameters
    ----------
    screen : Screen
        What to draw on.
    algorithm : mapping
        An algorithm of the JSON record.
    verbose : bool
        Below each claim, one line per regime and instance.
    """
    names = regimes(algorithm)[:_MOST_REGIMES]
    names = names if len(names) > 1 else []
    digits = "".join(str(number) for number in range(1, len(names) + 1))
    header = ("verdict", digits, "claim", "source", "decided at", "worst case", "ratio", "n")
    rows = {claim["id"]: _row(claim, names) for claim in algorithm["claims"]}
    widths, gap = _layout([header, *rows.values()], screen.width - _INDENT)
    screen.line((" " * _INDENT, ""), *_spans(header, widths, gap, ["dim"] * len(header)))
    for theorem, claims in theorems(algorithm).items():
        screen.line((clean(theorem), "strong"))
        for claim in claims:
            screen.line((" " * _INDENT, ""), *_spans(rows[claim["id"]], widths, gap, _styles(claim["verdict"])))
            for entry in claim["regimes"] if verbose else ():
                _entry(screen, entry, claim["kind"], widths, gap)
    _legend(screen, algorithm, names, verbose or any("≲" in row[_WORST] for row in rows.values()))


def _row(claim: Data, names: list[str]) -> Row:
    verdict, entry = claim["verdict"], decisive(claim)
    note = STATUS_MARKS.get(claim["status"], "")
    source = f"{clean(claim['source'])} {note}"
    first = (f"{mark(verdict)} {verdict}", regime_marks(claim, names), clean(short_name(claim)), source)
    return (*first, *(_numbers(entry, claim["kind"]) if entry else ("", "", "", "")))


def _numbers(entry: Data, kind: str) -> Row:
    if entry["verdict"] == "not applicable":
        return "", "", "", ""
    trials = str(entry["trials"]) if entry["trials"] < 10_000 else figure(entry["trials"], 2)
    return clean(where(entry)), short_comparison(entry, kind), short_ratio(entry, kind), trials


def _layout(rows: list[Row], room: int) -> tuple[list[int], int]:
    """Widths of the columns and of the gaps between them: natural ones if they fit."""
    widths = [
        max(cells(row[column]) for row in rows if not _spans_marks(row, column)) for column in range(len(rows[0]))
    ]
    gaps = sum(width > 0 for width in widths) - 1
    gap = 2 if sum(widths) + 2 * gaps <= room else 1
    overflow = max((cells(row[0]) for row in rows if _spans_marks(row, 0)), default=0) - sum(widths[: _MARKS + 1]) - gap
    widths[0] += max(0, overflow)
    floors: Sequence[Mapping[int, int]] = (_NARROWEST, dict.fromkeys(_NARROWEST, 4))
    for floor in floors:
        for column, least in floor.items():
            excess = sum(widths) + gap * gaps - room
            widths[column] -= max(0, min(excess, widths[column] - least))
    return widths, gap


def _spans_marks(row: Row, column: int) -> bool:
    """`not applicable` is the longest verdict and makes the marks redundant: it runs over their column."""
    return column == 0 and not row[_PLACE] and bool(row[_MARKS])


def _spans(row: Row, widths: list[int], gap: int, styles: list[str]) -> list[Span]:
    spans: list[Span] = []
    first = 0
    if _spans_marks(row, 0):
        spans.append((pad(row[0], widths[0] + gap + widths[_MARKS]), styles[0]))
        spans.append((" " * gap, ""))
        first = 2
    for column in range(first, len(row)):
        if widths[column] > 0:
            text = _shortened(row[column], widths[column], _KEEP.get(column, ""))
            spans.append((pad(text, widths[column], right=column in _NUMBERS), styles[column]))
            spans.append((" " * gap, ""))
    return spans


def _shortened(text: str, width: int, separator: str) -> str:
    """A text cut before its last part, so that the instance of a place and the mark of a source stay."""
    head, between, tail = text.rpartition(separator) if separator else (text, "", "")
    room = width - cells(between + tail)
    return clip(head, room) + between + tail if cells(text) > width and head and room >= 3 else text


def _styles(verdict: str) -> list[str]:
    return [verdict, "dim", "strong" if verdict in ("violated", "error") else "", "", "dim", "", "", "dim"]


def _entry(screen: Screen, entry: Data, kind: str, widths: list[int], gap: int) -> None:
    note = clean(entry["reason"] or (caught_sentence(entry) if entry["verdict"] == "conforms" else ""))
    left = pad(
        f"  {mark(entry['verdict'])} {note or entry['verdict']}",
        sum(widths[:_PLACE]) + gap * sum(w > 0 for w in widths[:3]),
    )
    _, *numbers = _numbers(entry, kind)
    row = ("", "", "", "", clean(where(entry)), *numbers)
    right = _spans(row, [0, 0, 0, 0, *widths[_PLACE:]], gap, ["dim"] * len(row))
    screen.line((" " * _INDENT, ""), (left, "dim"), (" " * gap, ""), *right)


def _legend(screen: Screen, algorithm: Data, names: list[str], rounded: bool) -> None:
    if names:
        each = ", ".join(f"{number} {name}" for number, name in enumerate(names, start=1))
        more = len(regimes(algorithm)) - len(names)
        each += f" and {plural(more, 'regime')} more" if more else ""
        told = {claim["verdict"] for claim in algorithm["claims"]}
        shown = {entry["verdict"] for claim in algorithm["claims"] for entry in claim["regimes"]} - told
        marks = [f"{mark(verdict)} {verdict}" for verdict in VERDICTS if verdict in shown]
        _note(screen, "regimes", "; ".join([f"verdict in each: {each}", *marks]))
    present = {claim["status"] for claim in algorithm["claims"]}
    meaning = {"corrected": "corrected: the printed form is wrong", "ours": "ours: not in the paper"}
    notes = [f"{STATUS_MARKS[status]} {text}" for status, text in meaning.items() if status in present]
    if notes:
        _note(screen, "sources", "; ".join(notes))
    text = "value <= bound where it is worst" + (" (≲ up to rounding)" if rounded else "")
    _note(screen, "numbers", f"{text}, their ratio, n trials there")


def _note(screen: Screen, label: str, text: str) -> None:
    screen.text(text, _INDENT, "dim", ((f"{label}  ", "dim"),), _INDENT + len(label) + 2)
