"""Growth of factors with the size of a family of instances, or with 1/delta, as `verifier tight --growth` measured it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from verifier.record import AlgorithmEntry, TightnessEntry
from verifier_reports.factor_growth import MOST_CURVES, Curve, argument, curves, exponent, growth_head, of_delta, place
from verifier_reports.numbers import plural
from verifier_reports.paper import style
from verifier_reports.paper.figure import COLUMN, Cell, PaperFigure, Table
from verifier_reports.paper.mathtext import formula, literal
from verifier_reports.plots.plot import file_name
from verifier_reports.screen import clean, clip
from verifier_reports.tightness import NO_THEOREM, confidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 2.1
_NAME = 24
_COLORS = (style.BLUE, style.VERMILLION, style.GREEN, style.BLACK, style.ORANGE)


def figure(algorithm: AlgorithmEntry) -> PaperFigure | None:
    """The figure of an algorithm; None where no family was measured, or every factor is 0."""
    found = algorithm.tightness
    every = curves(found) if found else ()
    if found is None or not every:
        return None
    growth = every[0].growth
    return PaperFigure(
        name=file_name(algorithm.name, "factor-growth", growth.family),
        short="factor-growth",
        claim="",
        title=f"{clean(growth_head(found))}: {clean(algorithm.name)}",
        caption=tuple(caption(algorithm, found, every)),
        width=COLUMN,
        height=_HEIGHT,
        draw=lambda axes: _draw(axes, every),
        table=_table(found, every),
    )


def caption(algorithm: AlgorithmEntry, found: TightnessEntry, every: Sequence[Curve]) -> Iterator[str]:
    """Sentences below the figure, on the page, too."""
    growth = every[0].growth
    family = clean(growth.family)
    where = (
        f"on the instance {family} against {growth.symbol}; the size is placed at its logarithm"
        if of_delta(growth)
        else f"on the family {family} against {clean(growth.symbol)}"
    )
    yield (
        f"The least multiple of each bound of {clean(algorithm.title)} with which every comparison of the runs would have held, "
        f"at the published width, {where}; both axes are logarithmic. {plural(found.runs, 'run')} at each size."
    )
    yield "Bars: certified intervals; an arrow has no upper end. Marks: the largest factor of a run, joined for the eye."
    certified = [curve for curve in every if curve.certified]
    of = clean(argument(growth))
    for curve in certified[:MOST_CURVES]:
        yield f"{clean(curve.claim)}: exponent of {of} {exponent(curve.growth)}, certified."
    if len(certified) < min(len(every), MOST_CURVES):
        yield "Of the other claims no exponent is certified."
    if len(every) > MOST_CURVES:
        yield f"Not drawn: {', '.join(clean(curve.claim) for curve in every[MOST_CURVES:])}."
    yield confidence(found)
    yield f"No curve is fitted, and nothing is said of other sizes or instances. {NO_THEOREM}"


def _table(found: TightnessEntry, every: Sequence[Curve]) -> Table:
    growth, unit = every[0].growth, "multiple of the bound"
    size, of = clean(growth.symbol), clean(argument(growth))
    columns = (
        "claim",
        size,
        *((of,) if of != size else ()),
        f"largest ({unit})",
        f"certified low ({unit})",
        f"certified high ({unit})",
        f"exponent of {of} low",
        f"exponent of {of} high",
        f"exponent of {of} seen",
    )
    return Table(columns, list(_rows(every, of != size)))


def _rows(every: Sequence[Curve], logarithm: bool) -> Iterator[tuple[Cell, ...]]:
    for curve in every:
        growth = curve.growth
        exponents = tuple(None if value != value else value for value in (growth.low, growth.high, growth.seen))
        for mark in curve.marks:
            at: tuple[Cell, ...] = (mark.size, place(growth, mark.size)) if logarithm else (mark.size,)
            yield curve.claim, *at, mark.largest, mark.low, mark.high, *exponents


def _draw(axes: Axes, every: Sequence[Curve]) -> None:
    from verifier_reports.plots.factor_curves import draw, span, ticks

    shown = every[:MOST_CURVES]
    style.plain_frame(axes)
    labels = [literal(clip(clean(curve.claim), _NAME)) for curve in shown]
    draw(axes, shown, labels, _COLORS, width=1.0)
    style.log_axis(axes.yaxis, *span(shown))
    ticks(axes, shown)
    axes.set_xlabel(formula(clean(shown[0].growth.symbol)))
    axes.set_ylabel("factor (multiple of the bound)")
