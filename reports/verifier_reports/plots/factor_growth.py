"""Growth of factors with the size of a family of instances, or with 1/delta, for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifier.record import AlgorithmEntry
from verifier_reports.factor_growth import MOST_CURVES, Curve, argument, curves, exponent, growth_head
from verifier_reports.paper.factor_growth import caption
from verifier_reports.plots.axes import calm, log_axis
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.factor_curves import draw, span, ticks
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.screen import clean, clip

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT, _LEGEND_LINE = 440, 270, 17
_NAME = 30
_COLORS = tuple(COLORS[name] for name in ("data", "claim", "bound", "ink", "soft"))


def plot(algorithm: AlgorithmEntry) -> Plot | None:
    """The figure of an algorithm; None where no family was measured, or every factor is 0."""
    found = algorithm.tightness
    every = curves(found) if found else ()
    if found is None or not every:
        return None
    shown = every[:MOST_CURVES]
    title = clean(growth_head(found))
    told = (f"{clean(curve.claim)}: exponent of {clean(argument(curve.growth))} {exponent(curve.growth)}." for curve in shown)
    return Plot(
        name=file_name(algorithm.name, "factor-growth", every[0].growth.family),
        kind="factor-growth",
        claim="",
        title=title,
        caption=tuple(caption(algorithm, found, every)),
        alt=f"Log-log plot: {title}. {' '.join(told)}",
        width=_WIDTH,
        height=_HEIGHT + _LEGEND_LINE * len(shown),
        draw=lambda target: _draw(target, shown),
    )


def _draw(target: Figure, shown: Sequence[Curve]) -> None:
    width, height = target.get_size_inches() * target.dpi
    bottom = 48 + _LEGEND_LINE * len(shown)
    axes = target.add_axes((60 / width, bottom / height, (width - 60 - 24) / width, (height - bottom - 12) / height))
    calm(axes)
    draw(axes, shown, [clip(clean(curve.claim), _NAME) for curve in shown], _COLORS, width=1.5)
    log_axis(axes.yaxis, *span(shown))
    ticks(axes, shown)
    axes.set_xlabel(clean(shown[0].growth.symbol))
    axes.set_ylabel("factor")
    handles, labels = axes.get_legend_handles_labels()
    target.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.0, 0.0), frameon=False, fontsize=10, handlelength=1.9,
                  labelspacing=0.45, borderaxespad=0.2)  # fmt: skip
