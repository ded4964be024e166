"""Price of the published constant, for the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.record import AlgorithmEntry, PriceEntry
from verifier_reports.numbers import numeral
from verifier_reports.plots import price_marks
from verifier_reports.plots.axes import calm
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _REST, _ROW = 440, 56, 26
_NAMES = 116


def plot(algorithm: AlgorithmEntry) -> Plot | None:
    """The figure of an algorithm; None where no regret was compared."""
    price = price_marks.compared(algorithm)
    if price is None:
        return None
    means = ", ".join(f"{numeral(line.mean)} at {price_marks.label(line)}" for line in price.lines)
    return Plot(
        name=file_name(algorithm.name, "price"),
        kind="price",
        claim="",
        title="Regret at smaller widths",
        caption=tuple(price_marks.caption(algorithm, price)),
        alt=f"Mean regret with intervals: {means}.",
        width=_WIDTH,
        height=_REST + _ROW * len(price.lines),
        draw=lambda target: _draw(target, price),
    )


def _draw(target: Figure, price: PriceEntry) -> None:
    width, height = target.get_size_inches() * target.dpi
    axes = target.add_axes((_NAMES / width, 44 / height, (width - _NAMES - 24) / width, (height - _REST) / height))
    calm(axes)
    price_marks.draw(axes, price, COLORS["claim"], COLORS["ink"], width=1.5)
    axes.set_yticks(range(len(price.lines)), [price_marks.label(line) for line in price.lines])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("regret of a run")
