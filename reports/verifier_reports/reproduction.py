"""Figures of papers that were drawn again: whether they show what the papers say, for screen, Markdown and page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from verifier.record import FigureEntry, StatementEntry
from verifier_reports.markup import code, prose, table
from verifier_reports.numbers import numeral, plural
from verifier_reports.screen import Screen, clean, clip, pad
from verifier_reports.summary import mark

STYLES = {
    "reproduced": "conforms",
    "holds": "conforms",
    "differs": "violated",
    "does not hold": "violated",
    "cannot tell": "inconclusive",
}
"""Verdicts of claims whose mark and colour verdicts on figures have."""

HEADS = ("verdict", "the paper says", "compared", "measured", "wanted")

_CELL, _MOST, _FEWEST = 9, 7, 3
"""Width of a cell of the table of curves; most and fewest of them in a line."""


def symbol(verdict: str) -> str:
    """The mark of a verdict on a figure or a statement."""
    return mark(STYLES[verdict])


def title(found: FigureEntry) -> str:
    """``Figure 1a with ucblvd``."""
    return clean(f"Figure {found.key} with {found.algorithm}")


def line(found: FigureEntry) -> str:
    """The bottom line: ``reproduced; 4 of 4 statements hold``."""
    return clean(f"{found.verdict}; {found.reason}")


def bottom_line(found: Sequence[FigureEntry]) -> tuple[str, str]:
    """Figures of a record in one sentence, and the verdict it is coloured with: that of the worst."""
    worst = min((STYLES[each.verdict] for each in found), key=("violated", "inconclusive", "conforms").index)
    return "; ".join(f"{title(each)}: {line(each)}" for each in found) + ".", worst


def measured(entry: StatementEntry) -> str:
    """``0.946 (0.921 to 0.973) in episode 51 to 100, the part of 20 closest to a limit``; or why there is nothing."""
    if entry.reason:
        return clean(entry.reason)
    low, high = numeral(entry.low), numeral(entry.high)
    between = f" ({low} to {high})" if low != high else ""
    decides = f" in {entry.part}, the part of {entry.parts} closest to a limit" if entry.part else ""
    return clean(f"{numeral(entry.value)}{between}{decides}")


def wanted(entry: StatementEntry) -> str:
    """``0.9 to 1.1``, ``at most 0.1``."""
    low, high = f"{entry.lowest:.5g}", f"{entry.highest:.5g}"
    if math.isinf(entry.lowest) or math.isinf(entry.highest):
        return f"at most {high}" if math.isinf(entry.lowest) else f"at least {low}"
    return f"{low} to {high}"


def confidence(found: FigureEntry) -> str:
    """Sentence on what the limits are worth."""
    here = plural(found.measured, "seed")
    paper = f"{found.seeds} in the paper" if found.seeds else "the paper does not say how many it has"
    return (
        f"All limits hold together with confidence {found.confidence:.0%}, after Bonferroni, which is nominal: Student over "
        f"{here} here, {paper}. A figure that differs violates no claim, and does not change the exit code."
    )


def facts(found: FigureEntry) -> Iterator[tuple[str, str]]:
    """Facts on the experiment, as printed and as missing in the paper, and on what the limits are worth."""
    if found.caption:
        yield "caption", found.caption
    yield "printed", found.printed
    yield "missing", found.missing
    yield "chance", confidence(found)


def curves(found: FigureEntry, most: int | None) -> list[tuple[str, ...]]:
    """A row of places on the horizontal axis, at most so many, and one for each curve."""
    drawn = [curve for curve in found.curves if curve.points]
    if not drawn:
        return []
    count = len(drawn[0].points)
    chosen = range(count) if most is None or count <= most else np.unique(np.linspace(0, count - 1, most).round().astype(int))
    head = (clean(found.across), *(numeral(drawn[0].points[i].at) for i in chosen))
    rows = [(_named(curve.title, curve.beside), *(numeral(curve.points[i].value) for i in chosen)) for curve in drawn]
    return [head, *rows]


def _named(name: str, beside: str) -> str:
    short = clean(name).partition(" (")[0]
    return f"{short}, {beside}" if beside else short


# The screen -----------------------------------------------------------------------------------------------------


def screen_line(screen: Screen, found: FigureEntry) -> None:
    """Draw the bottom line of a figure."""
    style = STYLES[found.verdict]
    screen.text(f"{line(found)}.", 0, style, ((f"{symbol(found.verdict)} ", style), (f"{title(found)}: ", "strong")), 2)


def screen_section(screen: Screen, found: FigureEntry, verbose: bool) -> None:
    """Draw a figure: the verdict, each statement with its numbers, the curves, and what is known of the experiment."""
    screen.blank()
    screen_line(screen, found)
    for entry in found.statements:
        lead = ((f"{symbol(entry.verdict)} {entry.verdict}  ", STYLES[entry.verdict]),)
        screen.text(f'"{entry.words}" ({entry.source})', 2, "", lead, 4)
        screen.text(f"{entry.compared}: {measured(entry)}; wanted: {wanted(entry)}", 4, "", hang=6)
    _curves(screen, found, verbose)
    for label, text in facts(found):
        screen.text(text, 2, "", ((f"{label:<10}", "dim"),), 12)


def _curves(screen: Screen, found: FigureEntry, verbose: bool) -> None:
    """The table of the curves, in several where it is wider than the screen."""
    rows = curves(found, None if verbose else _MOST)
    if not rows:
        return
    screen.line(("  " + clip(clean(found.up), screen.width - 2), "dim"))
    label_width = min(max(len(row[0]) for row in rows), max(screen.width - 2 - _FEWEST * _CELL, _CELL))
    most = max(min(_MOST, (screen.width - label_width - 2) // _CELL), 1)
    for start in range(1, len(rows[0]), most):
        for label, *cells in rows:
            shown = "".join(cell.rjust(_CELL) for cell in cells[start - 1 : start - 1 + most])
            screen.line(("  " + pad(label, label_width), "dim"), (shown, ""))


# Markdown and the page ------------------------------------------------------------------------------------------


def statements(found: FigureEntry) -> list[tuple[str, ...]]:
    """A row for each statement, in the columns of `HEADS`."""
    return [
        (
            f"{symbol(entry.verdict)} {entry.verdict}",
            f'"{clean(entry.words)}" ({clean(entry.source)})',
            clean(entry.compared),
            measured(entry),
            wanted(entry),
        )
        for entry in found.statements
    ]


def markdown_section(found: FigureEntry) -> str:
    """Section of a figure in Markdown."""
    parts = [f"## {symbol(found.verdict)} {prose(title(found))}\n", f"**{prose(line(found))}**\n"]
    parts.append(table(HEADS, [tuple(map(prose, row)) for row in statements(found)]))
    if rows := curves(found, None):
        parts.append(f"{prose(found.up)}, means over seeds:\n")
        parts.append(table(tuple(map(prose, rows[0])), [tuple(map(prose, row)) for row in rows[1:]], range(1, len(rows[0]))))
    parts += [f"- **{prose(label)}**: {prose(text)}" for label, text in facts(found)]
    return "\n".join([*parts, f"\nDrawn by {code('--output pdf=DIR')}.\n"])
