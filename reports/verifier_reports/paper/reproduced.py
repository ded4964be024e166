"""A figure of a paper, drawn again as it is there: the same axes, the same algorithms, the same quantity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifier.record import FigureCurve, FigureEntry
from verifier_reports.numbers import numeral, plural
from verifier_reports.paper import style
from verifier_reports.paper.figure import COLUMN, PaperFigure
from verifier_reports.paper.mathtext import formula, literal
from verifier_reports.paper.overlay import Line, draw_lines, table
from verifier_reports.paper.scaling import Mean
from verifier_reports.plots.plot import file_name
from verifier_reports.reproduction import line, measured, wanted
from verifier_reports.screen import clean, clip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 2.2


def figure(found: FigureEntry) -> PaperFigure | None:
    """The figure of an entry; None where no curve was measured."""
    curves = lines(found)
    if not curves:
        return None
    return PaperFigure(
        name=file_name(found.algorithm, "figure", found.key),
        short=f"figure-{clean(found.key)}",
        claim="",
        title=clean(f"{found.up} against {found.across}: Figure {found.key}, drawn again"),
        caption=tuple(_caption(found)),
        width=COLUMN,
        height=_HEIGHT,
        draw=lambda axes: _draw(axes, found, curves),
        table=table(curves, clean(found.across), found.up),
    )


def lines(found: FigureEntry) -> list[Line]:
    """Curves of a figure that were measured."""
    return [Line(_named(curve), _means(curve, found.measured), at) for at, curve in enumerate(found.curves) if curve.points]


def _means(curve: FigureCurve, seeds: int) -> tuple[Mean, ...]:
    return tuple(Mean(point.at, point.value, point.low, point.high, seeds) for point in curve.points)


def _named(curve: FigureCurve) -> str:
    name = clean(curve.title).partition(" (")[0]
    return f"{name} ({clean(curve.beside)})" if curve.beside else name


def _caption(found: FigureEntry) -> Iterator[str]:
    yield f"Figure {clean(found.key)} of {clean(found.paper)}, drawn again: {line(found)}."
    yield f"Marks: means over {plural(found.measured, 'seed')} with pointwise 95% intervals of Student."
    for entry in found.statements:
        shown = f"{clean(entry.compared)} is {measured(entry)}, wanted: {wanted(entry)}"
        yield f'"{clean(entry.words)}" ({clean(entry.source)}): {entry.verdict}; {shown}.'
    yield f"Printed of the experiment: {clean(found.printed)}."
    yield f"{clean(found.missing)[:1].upper()}{clean(found.missing)[1:]}."
    yield f"The limits of the statements hold together with confidence {numeral(100 * found.confidence)}%, which is nominal."


def _draw(axes: Axes, found: FigureEntry, lines: list[Line]) -> None:
    style.plain_frame(axes)
    if found.logarithmic:
        axes.set_xscale("log")
    draw_lines(axes, lines)
    if found.logarithmic:
        style.log_axis(axes.xaxis, *axes.get_xlim())
    axes.set_xlabel(_across(found))
    axes.set_ylabel(literal(clip(clean(found.up), 48)))


def _across(found: FigureEntry) -> str:
    """The horizontal label; a size is a letter behind its unit: episodes K."""
    words, _, symbol = clean(found.across).rpartition(" ")
    return f"{literal(words)} {formula(symbol)}" if found.logarithmic and words else literal(clean(found.across))
