"""The table of claims on the screen: one line per claim, grouped by theorem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verifier.record import AlgorithmEntry, ClaimEntry, RegimeEntry
from verifier_reports.numbers import numeral, plural, short_comparison, short_ratio
from verifier_reports.screen import Screen, Span, cells, clean, clip, pad
from verifier_reports.summary import (
    CAVEAT,
    STATUS_MARKS,
    VERDICTS,
    mark,
    regime_marks,
    regimes,
    short_name,
    theorems,
    where,
)
from verifier_reports.wording import CAVEAT_MEANS, beyond_reach, caught, emptiness, holds_at, left_out, untested

Row = tuple[str, ...]
"""Verdict, one mark per regime, claim, source, place, worst comparison, ratio, number of trials."""

HEADER = ("verdict", "claim", "source", "decided at", "worst case", "ratio", "n")
"""Heads of the columns; those of the marks are the numbers of the regimes."""

_INDENT = 2
_MOST_REGIMES = 9
_MARKS, _CLAIM, _SOURCE, _PLACE, _WORST, _RATIO, _TRIALS = 1, 2, 3, 4, 5, 6, 7
_NUMBERS = (_RATIO, _TRIALS)
_NARROWEST = {_PLACE: 12, _SOURCE: 14, _WORST: 15, _CLAIM: 23, _TRIALS: 0}
"""Least widths, to which columns give way in this order where the line is too long; where that is not enough some go."""


def claim_table(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    """Draw the table of an algorithm's claims.

    Parameters
    ----------
    screen : Screen
        What to draw on.
    algorithm : AlgorithmEntry
    verbose : bool
        Below each claim, one line per regime and instance.
    """
    names = regimes(algorithm)[:_MOST_REGIMES]
    names = names if len(names) > 1 else []
    digits = "".join(str(number) for number in range(1, len(names) + 1))
    header = (HEADER[0], digits, *HEADER[1:])
    rows = {claim.id: _row(claim, names) for claim in algorithm.claims}
    widths, gap = _layout([header, *rows.values()], screen.width - _INDENT)
    screen.line((" " * _INDENT, ""), *_spans(header, widths, gap, ["dim"] * len(header)))
    for theorem, claims in theorems(algorithm).items():
        screen.line((clean(theorem), "strong"))
        for claim in claims:
            _claim(screen, rows[claim.id], widths, gap, _styles(claim))
            for entry in claim.regimes if verbose else ():
                _entry(screen, claim, entry, names, widths, gap)
    if names:
        _regimes(screen, algorithm, names)
    if widths[_SOURCE]:
        _sources(screen, algorithm)
    if any(claim.broken_by for claim in algorithm.claims):
        _legend(screen, "verdicts", "(in brackets): rests on a broken claim, so that this is no evidence either way")
    if any(row[_PLACE].endswith(CAVEAT) for row in rows.values()) or (verbose and _caveats(algorithm)):
        _legend(screen, "places", f"{CAVEAT} {CAVEAT_MEANS}")
    for claim in algorithm.claims:
        if claim.untested:
            _legend(screen, "not tested", f"{short_name(claim)}: {untested(claim)}")
    scaling = any(entry.scaling for claim in algorithm.claims for entry in claim.regimes)
    _numbers_legend(screen, [row[_WORST] for row in rows.values()], widths[_TRIALS] > 0, scaling)


def _claim(screen: Screen, row: Row, widths: list[int], gap: int, styles: list[str]) -> None:
    """Line of a claim; the worst comparison has a line of its own where its column is too narrow for the numbers."""
    wide = cells(row[_WORST]) > widths[_WORST]
    cut = tuple("" if wide and column in (_WORST, _RATIO) else text for column, text in enumerate(row))
    screen.line((" " * _INDENT, ""), *_spans(cut, widths, gap, styles))
    if wide:
        before = sum(widths[:_CLAIM]) + gap * sum(width > 0 for width in widths[:_CLAIM])
        ratio = f", ratio {row[_RATIO]}" if row[_RATIO] else ""
        screen.text(f"{row[_WORST]}{ratio}", _INDENT + before + 2, styles[_CLAIM])


def _row(claim: ClaimEntry, names: list[str]) -> Row:
    entry = claim.deciding
    source = clean(claim.source) + STATUS_MARKS.get(claim.status, "")
    first = (_verdict(claim), regime_marks(claim, names), clean(short_name(claim)), source)
    if entry is None or entry.verdict == "not applicable":
        return (*first, "", "", "", "")
    return (*first, holds_at(claim) or _place(entry, names), *_numbers(claim, entry))


def _verdict(claim: ClaimEntry) -> str:
    """Verdict with its symbol; in brackets where the claim rests on a broken one."""
    text = f"{mark(claim.verdict)} {claim.verdict}"
    return f"({text})" if claim.broken_by else text


def _place(entry: RegimeEntry, names: list[str]) -> str:
    """``3@onehot``: the number of the regime where there are several; with the mark of an entry that has caveats."""
    place = where(entry) if entry.regime not in names else f"{names.index(entry.regime) + 1}@{entry.instance}"
    return clean(place) + CAVEAT * bool(entry.caveats)


def _numbers(claim: ClaimEntry, entry: RegimeEntry) -> tuple[str, str, str]:
    trials = str(entry.trials) if entry.trials < 10_000 else numeral(entry.trials, 2)
    return short_comparison(claim, entry), short_ratio(claim, entry), trials


def _layout(rows: list[Row], room: int) -> tuple[list[int], int]:
    """Widths of the columns and of the gaps between them: natural ones if they fit."""
    widths = [max(cells(row[column]) for row in rows if not _spans_marks(row, column)) for column in range(len(rows[0]))]
    gaps = sum(width > 0 for width in widths) - 1
    gap = 2 if sum(widths) + 2 * gaps <= room else 1
    overflow = max((cells(row[0]) for row in rows if _spans_marks(row, 0)), default=0) - sum(widths[: _MARKS + 1]) - gap
    widths[0] += max(0, overflow)
    floors: Sequence[Mapping[int, int]] = (_NARROWEST, {_SOURCE: 0, _PLACE: 0}, {_WORST: 4, _CLAIM: 4})
    for floor in floors:
        for column, least in floor.items():
            excess = sum(widths) + gap * gaps - room
            if excess > 0 and least == 0:
                widths[column], gaps = 0, gaps - 1
            else:
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
            text = _shortened(row[column], widths[column])
            spans.append((pad(text, widths[column], right=column in _NUMBERS), styles[column]))
            spans.append((" " * gap, ""))
    return spans[:-1]


def _shortened(text: str, width: int) -> str:
    """A text cut so that the mark at its end stays."""
    marked = text.endswith((*STATUS_MARKS.values(), CAVEAT)) and width > 1
    return clip(text[:-1], width - 1) + text[-1] if marked else clip(text, width)


def _styles(claim: ClaimEntry) -> list[str]:
    if claim.broken_by:
        return ["dim"] * 8
    verdict = claim.verdict
    return [verdict, "dim", "strong" if verdict in ("violated", "error") else "", "", "dim", "", "", "dim"]


def _entry(screen: Screen, claim: ClaimEntry, entry: RegimeEntry, names: list[str], widths: list[int], gap: int) -> None:
    left = pad(
        f"  {mark(entry.verdict)} {clean(_note(claim, entry))}",
        sum(widths[:_PLACE]) + gap * sum(width > 0 for width in widths[:_SOURCE]),
    )
    numbers = _numbers(claim, entry) if entry.verdict != "not applicable" else ("", "", "")
    row = ("", "", "", "", _place(entry, names), *numbers)
    right = _spans(row, [0, 0, 0, 0, *widths[_PLACE:]], gap, ["dim"] * len(row))
    screen.line((" " * _INDENT, ""), (left, "dim"), (" " * gap, ""), *right)
    if told := left_out(entry):
        screen.text(told, _INDENT + 4, "dim")


def _note(claim: ClaimEntry, entry: RegimeEntry) -> str:
    if entry.verdict == "vacuous":
        large = claim.kind != "scaling" and entry.bound > entry.trivial
        return beyond_reach(entry) if large else emptiness(claim, entry)
    if entry.verdict != "conforms":
        return entry.reason or entry.verdict
    tight = claim.kind in ("always", "given") and entry.margin > 0 and not entry.detectable.value > 1.005
    room = f"margin {numeral(entry.margin, 2)}" if tight else ""
    return "; ".join(text for text in (room, caught(entry)) if text) or entry.reason or entry.verdict


def _regimes(screen: Screen, algorithm: AlgorithmEntry, names: list[str]) -> None:
    each = ", ".join(f"{number} {name}" for number, name in enumerate(names, start=1))
    more = len(regimes(algorithm)) - len(names)
    each += f" and {plural(more, 'regime')} more" if more else ""
    told = {claim.verdict for claim in algorithm.claims}
    shown = {entry.verdict for claim in algorithm.claims for entry in claim.regimes} - told
    marks = [f"{mark(verdict)} {verdict}" for verdict in VERDICTS if verdict in shown]
    _legend(screen, "regimes", "; ".join([f"{each}: a mark for each, and 2@x is regime 2 on instance x", *marks]))


def _caveats(algorithm: AlgorithmEntry) -> bool:
    return any(entry.caveats for claim in algorithm.claims for entry in claim.regimes)


def _sources(screen: Screen, algorithm: AlgorithmEntry) -> None:
    present = {claim.status for claim in algorithm.claims}
    meaning = {"corrected": "corrected: the printed form is wrong", "ours": "ours: not in the paper in this form"}
    notes = [f"{STATUS_MARKS[status]} {text}" for status, text in meaning.items() if status in present]
    if notes:
        _legend(screen, "sources", "; ".join(notes))


def _numbers_legend(screen: Screen, shown: list[str], trials: bool, scaling: bool) -> None:
    notes = ["value <= bound where it is worst, their ratio" + (", n trials there" if trials else "")]
    notes += ["value: the exponent of growth, bound: the largest that counts as claimed"] if scaling else []
    notes += ["slack is bound - value"] if any(text.startswith("slack") for text in shown) else []
    notes += ["mean: of both sides over n trials"] if any(text.startswith("mean") for text in shown) else []
    notes += ["(rounding): equal up to rounding"] if any(text.endswith("(rounding)") for text in shown) else []
    _legend(screen, "numbers", "; ".join(notes))


def _legend(screen: Screen, label: str, text: str) -> None:
    screen.text(text, _INDENT, "dim", ((f"{label}  ", "dim"),), _INDENT + len(label) + 2)
