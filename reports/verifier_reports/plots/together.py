"""Curves of several algorithms in one plot of the page: a quantity that was measured of each, or a figure of a paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from verifier.record import FigureEntry, Record
from verifier_reports.numbers import plural
from verifier_reports.paper import overlay, reproduced
from verifier_reports.paper.overlay import Line, Own
from verifier_reports.paper.scaling import Mean
from verifier_reports.plots.axes import calm, log_axis
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.reproduction import line, title
from verifier_reports.scaling import verdict_line
from verifier_reports.screen import clean, clip
from verifier_reports.summary import short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT, _LEGEND_LINE = 360, 270, 17
_LONGEST = 44
_COLORS = ("data", "claim", "conforms", "bound", "violated", "ink")
_MARKERS = "osD^vP"
_DASHES = ("-", "--", ":", "-.")


def figures(record: Record) -> dict[int, Plot]:
    """Figures of papers that were drawn again, by their place in the record; those without a curve are left out."""
    curves = {number: reproduced.lines(found) for number, found in enumerate(record.figures)}
    return {number: _figure(record.figures[number], lines) for number, lines in curves.items() if lines}


def overlays(record: Record) -> list[Plot]:
    """A figure for each quantity that was measured of several algorithms."""
    return list(map(_overlay, overlay.measured_together(record)))


def _figure(found: FigureEntry, lines: Sequence[Line]) -> Plot:
    return Plot(
        name=file_name(found.algorithm, "figure", found.key),
        kind="figure",
        claim="",
        title=clean(f"{found.up} against {found.across}"),
        caption=(f"Means over {plural(found.measured, 'seed')}, with pointwise 95% intervals.",),
        alt=f"{title(found)}: {line(found)}. {clean(found.up)} against {clean(found.across)}.",
        width=_WIDTH,
        height=_HEIGHT + _LEGEND_LINE * len(lines),
        draw=_drawing(lines, clean(found.across), clean(found.up), found.logarithmic, False),
    )


def _overlay(several: Sequence[Own]) -> Plot:
    claim, entry, found = several[0].one
    lines = overlay.lines(several)
    subject = clean(f"{short_name(claim)}: {found.quantity} against {found.size}, {overlay.kind(entry.regime)}@{entry.instance}")
    pairs = zip(lines, several, strict=True)
    verdicts = [f"{curve.name}: {verdict_line(own.one.entry, own.one.scaling).rstrip('.')}." for curve, own in pairs]
    return Plot(
        name=file_name("overlay", short_name(claim), overlay.kind(entry.regime), entry.instance),
        kind="overlay",
        claim="",
        title=subject,
        caption=(*verdicts, "Means over seeds, with pointwise 95% intervals."),
        alt=f"Log-log plot: {subject}. {' '.join(verdicts)}",
        width=_WIDTH,
        height=_HEIGHT + _LEGEND_LINE * len(lines),
        draw=_drawing(lines, clean(found.size), clean(found.quantity), True, True),
    )


def _drawing(lines: Sequence[Line], across: str, up: str, log_x: bool, log_y: bool) -> Callable[[Figure], None]:
    def draw(target: Figure) -> None:
        width, height = target.get_size_inches() * target.dpi
        bottom = 48 + _LEGEND_LINE * len(lines)
        axes = target.add_axes((56 / width, bottom / height, (width - 56 - 24) / width, (height - bottom - 12) / height))
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        calm(axes)
        for one in lines:
            _curve(axes, one, log_y)
        for axis, limits, used in ((axes.xaxis, axes.get_xlim(), log_x), (axes.yaxis, axes.get_ylim(), log_y)):
            if used:
                log_axis(axis, *limits)
        axes.set_xlabel(clip(across, _LONGEST))
        axes.set_ylabel(clip(up, _LONGEST))
        target.legend(
            loc="lower left", bbox_to_anchor=(0.0, 0.0), frameon=False, fontsize=10, labelspacing=0.45, borderaxespad=0.2
        )

    return draw


def _curve(axes: Axes, one: Line, log: bool) -> None:
    shown = [mean for mean in one.points if mean.value > 0 or not log]
    color, place = COLORS[_COLORS[one.place % len(_COLORS)]], one.place
    look: dict[str, Any] = {"color": color, "marker": _MARKERS[place % len(_MARKERS)], "linestyle": _DASHES[place % len(_DASHES)]}
    axes.errorbar(
        [mean.size for mean in shown],
        [mean.value for mean in shown],
        yerr=[[_below(mean, log) for mean in shown], [0.0 if mean.high is None else mean.high - mean.value for mean in shown]],
        markersize=4.5,
        markerfacecolor=COLORS["paper"] if place % 2 else color,
        linewidth=1.6,
        elinewidth=1.0,
        label=clip(clean(one.name), _LONGEST),
        **look,
    )


def _below(mean: Mean, log: bool) -> float:
    """Length of an interval below its mean; one that reaches zero has no end on a logarithmic axis."""
    if mean.low is None:
        return 0.0
    return mean.value - (max(mean.low, 0.1 * mean.value) if log else mean.low)
