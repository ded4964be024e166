"""Factors against the size of a family, drawn into axes: the same for the page and for a paper, in other colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from verifier_reports.factor_growth import MOST_CURVES, Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^v"
_APART = 1.015
"""Curves are put so far apart along the axis of the size, that bars at one size can be told from one another."""


def span(shown: Sequence[Curve]) -> tuple[float, float]:
    """The range of factors above zero of some curves, with room at both ends."""
    marks = [mark for curve in shown for mark in curve.marks]
    values = [value for mark in marks for value in (mark.low, mark.high, mark.largest) if value and 0.0 < value < float("inf")]
    low, high = min(values, default=0.1), max(values, default=1.0)
    room = max((high / low) ** 0.06, 1.15)
    return low / room, high * room


def draw(axes: Axes, shown: Sequence[Curve], labels: Sequence[str], colors: Sequence[str], width: float) -> None:
    """Draw intervals as bars, the largest factors as hollow marks, and a thin line through the marks of each claim.

    An arrow is at the end of a bar without an upper bound. The axes are logarithmic; ticks and names are left to the caller.
    """
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = span(shown)
    axes.set_ylim(low, high)
    for number, (curve, label) in enumerate(zip(shown[:MOST_CURVES], labels, strict=False)):
        color = colors[number]
        aside = _APART ** (number - (min(len(shown), MOST_CURVES) - 1) / 2)
        for mark in curve.marks:
            if mark.low is None:
                continue
            at, top = mark.place * aside, high if mark.high is None else mark.high
            axes.plot([at, at], [max(mark.low, low), max(top, low)], color=color, linewidth=2.4 * width, alpha=0.65,
                      solid_capstyle="butt", zorder=3)  # fmt: skip
            if mark.high is None:
                axes.plot([at], [high], marker="^", color=color, markersize=4.0 * width, clip_on=False, zorder=3)
        points = [(mark.place * aside, mark.largest) for mark in curve.marks if 0.0 < mark.largest < float("inf")]
        look: dict[str, Any] = {"marker": MARKERS[number], "markersize": 3.6 * width, "markerfacecolor": "none", "zorder": 4}
        axes.plot(*zip(*points, strict=True), color=color, linewidth=0.6 * width, linestyle=(0, (1, 2)), label=label, **look)


def ticks(axes: Axes, shown: Sequence[Curve]) -> None:
    """Put the sizes below the axis."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    places = {mark.size: mark.place for curve in shown for mark in curve.marks}
    sizes = sorted(places)
    first, last = places[sizes[0]], places[sizes[-1]]
    room = max((last / first) ** 0.06, 1.06)
    axes.set_xlim(first / room, last * room)
    axes.xaxis.set_major_locator(FixedLocator([places[size] for size in sizes]))
    axes.xaxis.set_major_formatter(FixedFormatter([str(size) for size in sizes]))
    axes.xaxis.set_minor_locator(NullLocator())
