"""Curves of several algorithms in one plot: the same quantity in the same kind of regime on the same family of instances."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from verifier.record import AlgorithmEntry, Record, Scaling
from verifier_reports.numbers import plural
from verifier_reports.paper import style
from verifier_reports.paper.figure import COLUMN, Cell, PaperFigure, Table
from verifier_reports.paper.mathtext import literal, words_or_formula
from verifier_reports.paper.naming import called
from verifier_reports.paper.scaling import Mean, labelled, means, named, size_label
from verifier_reports.plots.plot import file_name
from verifier_reports.scaling import Scaled, scaled, verdict_line
from verifier_reports.screen import clean, clip
from verifier_reports.summary import grouped, short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 2.2
_COLORS = (style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE, style.BLACK, style.GREY)
_MARKERS = "osD^vP"
_DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = ("-", (0, (4, 1.2)), (0, (1, 1.2)), (0, (4, 1.2, 1, 1.2)))


@dataclass(frozen=True)
class Line:
    """A curve with its name in the legend, and its place among those of a figure, which its look follows from."""

    name: str
    points: tuple[Mean, ...]
    place: int


class Own(NamedTuple):
    """An algorithm with one of its quantities that were measured."""

    algorithm: AlgorithmEntry
    one: Scaled


def overlays(record: Record) -> Iterator[PaperFigure]:
    """A figure for each quantity that was measured of several algorithms, in the record's order."""
    return map(_figure, measured_together(record))


def measured_together(record: Record) -> Iterator[list[Own]]:
    """Algorithms of which the same quantity was measured, on the same family and in regimes of one kind."""
    every = [Own(algorithm, one) for algorithm in record.algorithms for one in scaled(algorithm)]
    for several in grouped(every, _key).values():
        if len({own.algorithm.name for own in several}) > 1:
            yield several


def lines(several: Sequence[Own]) -> list[Line]:
    """A curve of each algorithm, with the regime in its name where that is not the same for all."""
    named_curves = zip(_names(several), several, strict=True)
    return [Line(name, tuple(means(own.one.scaling.points)), place) for place, (name, own) in enumerate(named_curves)]


def _key(own: Own) -> tuple[str, ...]:
    claim, entry, found = own.one
    return short_name(claim), kind(entry.regime), entry.instance, found.quantity, found.quantity_unit, found.size


def kind(regime: str) -> str:
    """A regime without its number: each algorithm may have a scale of its own."""
    return regime.partition("(")[0]


def _names(several: Sequence[Own]) -> list[str]:
    """Names in the legend, with the regime where that is not the same for all."""
    same = len({own.one.entry.regime for own in several}) == 1
    return [called(own.algorithm) if same else f"{called(own.algorithm)}, {own.one.entry.regime}" for own in several]


def _figure(several: Sequence[Own]) -> PaperFigure:
    claim, entry, found = several[0].one
    curves = lines(several)
    return PaperFigure(
        name=file_name("overlay", short_name(claim), kind(entry.regime), entry.instance),
        short=f"overlay-{short_name(claim)}",
        claim="",
        title=clean(f"{found.quantity} against {found.size}: {', '.join(line.name for line in curves)}"),
        caption=tuple(_caption(several)),
        width=COLUMN,
        height=_HEIGHT,
        draw=lambda axes: _draw(axes, found, curves),
        table=table(curves, named(found.size, found.size_unit), found.quantity, found.quantity_unit),
    )


def _caption(several: Sequence[Own]) -> Iterator[str]:
    _, entry, found = several[0].one
    quantity, names = clean(found.quantity), _names(several)
    yield (
        f"{quantity[:1].upper()}{quantity[1:]} of {', '.join(names[:-1])} and {names[-1]} against {clean(found.size)} on the "
        f"instance {clean(entry.instance)}, in the regime {clean(kind(entry.regime))}; both axes are logarithmic."
    )
    seeds = {plural(len({point.seed for point in own.one.scaling.points}), "seed") for own in several}
    yield f"Marks: means over {' or '.join(sorted(seeds))} with pointwise 95% intervals of Student."
    for own, name in zip(several, names, strict=True):
        yield f"{name}: {verdict_line(own.one.entry, own.one.scaling)}."


def table(lines: Sequence[Line], across: str, up: str, unit: str = "") -> Table:
    """The numbers behind curves; the column of places is called `across`, that of means `up`."""
    rows: list[tuple[Cell, ...]] = [
        (clean(line.name), mean.size, mean.seeds, mean.value, mean.low, mean.high) for line in lines for mean in line.points
    ]
    return Table(("series", across, "seeds (number)", *(named(up, unit, end) for end in ("", " low", " high"))), rows)


def draw_lines(axes: Axes, lines: Sequence[Line]) -> None:
    """Draw curves with marks and intervals, which differ in colour, mark and dashes."""
    for line in lines:
        floor = 0.1 if axes.get_yscale() == "log" else -math.inf  # an interval down to zero has no end on a logarithmic axis
        below = [mean.value - max(mean.low, floor * mean.value) if mean.low is not None else 0.0 for mean in line.points]
        above = [mean.high - mean.value if mean.high is not None else 0.0 for mean in line.points]
        color = _COLORS[line.place % len(_COLORS)]
        axes.errorbar(
            [mean.size for mean in line.points],
            [mean.value for mean in line.points],
            yerr=[below, above],
            color=color,
            marker=_MARKERS[line.place % len(_MARKERS)],
            markersize=3.0,
            markerfacecolor="white" if line.place % 2 else color,
            linestyle=_DASHES[line.place % len(_DASHES)],
            linewidth=1.0,
            elinewidth=0.7,
            capsize=1.4,
            label=literal(clip(clean(line.name), 48)),
        )


def _draw(axes: Axes, found: Scaling, lines: Sequence[Line]) -> None:
    shown = [Line(line.name, tuple(mean for mean in line.points if mean.value > 0), line.place) for line in lines]
    axes.set_xscale("log")
    axes.set_yscale("log")
    style.plain_frame(axes)
    draw_lines(axes, shown)
    if sizes := sorted({mean.size for line in shown for mean in line.points}):
        style.log_axis(axes.xaxis, *axes.get_xlim(), labelled(sizes), sizes)
        style.log_axis(axes.yaxis, *axes.get_ylim())
    axes.set_xlabel(size_label(found))
    axes.set_ylabel(words_or_formula(clip(clean(found.quantity), 40)))
