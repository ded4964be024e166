"""Tightness of bounds: the multiple of each with which the runs would have held, as `verifier tight` measured it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from verifier.record import AlgorithmEntry, FactorEntry, FactorLine, TightnessEntry
from verifier_reports.numbers import plural
from verifier_reports.paper import style
from verifier_reports.paper.figure import COLUMN, PaperFigure, Table
from verifier_reports.paper.mathtext import literal
from verifier_reports.plots.plot import file_name
from verifier_reports.screen import clean, clip
from verifier_reports.tightness import NO_THEOREM, confidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAME = 24
_ROW, _REST = 0.14, 0.55
_FLOOR, _CEILING = 1e-9, 1e3
"""Ends of the axis at the most; marks beyond stand at the edge."""


def figure(algorithm: AlgorithmEntry) -> PaperFigure | None:
    """The figure of an algorithm; None where no claim has a factor."""
    found = algorithm.tightness
    shown = [(entry, entry.worst) for entry in found.claims if entry.worst is not None] if found else []
    lines = [(entry, worst) for entry, worst in shown if worst is not None]
    if found is None or not lines:
        return None
    lines.sort(key=lambda pair: -pair[1].largest)
    return PaperFigure(
        name=file_name(algorithm.name, "factors"),
        short="factors",
        claim="",
        title=f"How tight the bounds of {clean(algorithm.name)} are",
        caption=(
            f"The least multiple of each bound of {clean(algorithm.title)} with which every comparison of the runs would have "
            f"held, at the published width, on the instance where it is largest; {plural(found.runs, 'run')} on each instance.",
            "Circles: the largest factor of a run. Bars: certified intervals; an arrow has no upper end. A mark at the left edge "
            "is zero, or beyond it.",
            confidence(found),
            NO_THEOREM,
        ),
        width=COLUMN,
        height=_REST + _ROW * len(lines),
        draw=lambda axes: _draw(axes, lines),
        table=_table(found),
    )


def _table(found: TightnessEntry) -> Table:
    unit = "multiple of the bound"
    columns = (
        "claim",
        "kind",
        "instance",
        "runs (number)",
        f"largest ({unit})",
        f"certified low ({unit})",
        f"certified high ({unit})",
    )
    return Table(
        columns,
        [
            (entry.claim, entry.kind, each.instance, each.runs, each.largest, *(_known(end) for end in (each.low, each.high)))
            for entry in found.claims
            for each in entry.lines
        ],
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _draw(axes: Axes, lines: list[tuple[FactorEntry, FactorLine]]) -> None:
    known = [value for _, line in lines for value in (line.largest, line.low, line.high) if _FLOOR <= value <= _CEILING]
    low, high = min([*known, 0.1]) / 2, max([*known, 1.0]) * 2
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    style.log_axis(axes.xaxis, low, high)
    style.plain_frame(axes)
    axes.set_yticks(range(len(lines)), [literal(clip(clean(entry.claim), _NAME)) for entry, _ in lines], fontsize=style.SMALL)
    axes.tick_params(axis="y", length=0)
    axes.hlines(range(len(lines)), low, high, color=style.LIGHT, linewidth=0.4, zorder=1)
    axes.axvline(1, color=style.BLACK, linewidth=0.8, zorder=2)
    axes.set_xlabel("factor (multiple of the bound)")
    label = "certified interval"
    for row, (_, line) in enumerate(lines):
        if not math.isnan(line.low):
            ends = max(line.low, low), min(line.high, high)
            axes.plot(ends, [row, row], color=style.VERMILLION, linewidth=2.2, solid_capstyle="butt", label=label, zorder=3)
            label = "_"
            if line.high > high:
                axes.plot([high], [row], marker=">", color=style.VERMILLION, markersize=3.5, clip_on=False, zorder=3)
    axes.plot([min(max(line.largest, low), high) for _, line in lines], list(range(len(lines))), linestyle="none", marker="o",
              markersize=3.5, markerfacecolor="white", markeredgecolor=style.BLACK, markeredgewidth=0.8, clip_on=False,
              label="largest of all runs", zorder=4)  # fmt: skip
