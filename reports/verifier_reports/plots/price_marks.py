"""Regret at the published width, at the certified factor and at the error of the run, drawn into axes for the page or a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifier.record import AlgorithmEntry, PriceEntry, RegretLine
from verifier_reports.numbers import numeral
from verifier_reports.screen import clean
from verifier_reports.tightness import NO_THEOREM

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 1.06
_LEAST = 2


def compared(algorithm: AlgorithmEntry) -> PriceEntry | None:
    """The comparison of an algorithm; None where fewer than two widths were run."""
    price = algorithm.tightness.price if algorithm.tightness else None
    return price if price is not None and len(price.lines) >= _LEAST else None


def label(line: RegretLine) -> str:
    """Name of a width on the axis: ``published``, ``0.000811 of it``, ``error of the run``."""
    source, _, factor = line.regime.partition("(")
    if source == "scaled":
        return f"{numeral(float(factor.rstrip(')')))} of it"
    return "error of the run" if source == "oracle" else clean(line.regime)


def caption(algorithm: AlgorithmEntry, price: PriceEntry) -> Iterator[str]:
    """Sentences below the figure."""
    yield (
        f"Regret of {clean(algorithm.title)} on {clean(price.instance)}: at the published width, at the certified factor of "
        f"{clean(price.claim)} (its upper bound), and at the error of the run."
    )
    yield "Circles: means over runs. Bars: their intervals, together with confidence 99%."
    for line in price.lines:
        if line.broken is not None:
            yield f"At {label(line)} the event failed in {line.broken} of {line.runs} runs."
    yield NO_THEOREM


def draw(axes: Axes, price: PriceEntry, bar: str, ring: str, width: float) -> None:
    """Draw a row for each width: the interval as a bar, the mean as a hollow circle. Names and frames are left to the caller."""
    ends = [value for line in price.lines for value in (line.mean, line.low, line.high) if math.isfinite(value)]
    low, high = min(0.0, *ends) * _ROOM, max(ends) * _ROOM or 1.0
    axes.set_xlim(low, high)
    axes.set_xticks([tick for tick in axes.get_xticks() if low <= tick <= high])
    axes.set_ylim(len(price.lines) - 0.4, -0.6)
    for row, line in enumerate(price.lines):
        if math.isfinite(line.low) and math.isfinite(line.high):
            axes.plot([line.low, line.high], [row, row], color=bar, linewidth=2.2 * width, solid_capstyle="butt", zorder=3)
        axes.plot([line.mean], [row], linestyle="none", marker="o", markersize=3.5 * width, markerfacecolor="white",
                  markeredgecolor=ring, markeredgewidth=0.8 * width, clip_on=False, zorder=4)  # fmt: skip
