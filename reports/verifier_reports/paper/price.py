"""Price of the published constant: regret at three widths, as `verifier tight` measured it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from verifier.record import AlgorithmEntry, PriceEntry
from verifier_reports.paper import style
from verifier_reports.paper.figure import COLUMN, PaperFigure, Table
from verifier_reports.paper.mathtext import literal
from verifier_reports.plots import price_marks
from verifier_reports.plots.plot import file_name
from verifier_reports.screen import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _REST = 0.16, 0.5


def figure(algorithm: AlgorithmEntry) -> PaperFigure | None:
    """The figure of an algorithm; None where no regret was compared."""
    price = price_marks.compared(algorithm)
    if price is None:
        return None
    return PaperFigure(
        name=file_name(algorithm.name, "price"),
        short="price",
        claim="",
        title=f"Regret of {clean(algorithm.name)} at smaller widths",
        caption=tuple(price_marks.caption(algorithm, price)),
        width=COLUMN,
        height=_REST + _ROW * len(price.lines),
        draw=lambda axes: _draw(axes, price),
        table=_table(price),
    )


def _table(price: PriceEntry) -> Table:
    columns = ("width", "runs (number)", "mean (reward)", "low (reward)", "high (reward)", "event failed (runs)")
    return Table(
        columns,
        [(line.regime, line.runs, line.mean, *map(_known, (line.low, line.high)), line.broken) for line in price.lines],
    )


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _draw(axes: Axes, price: PriceEntry) -> None:
    style.plain_frame(axes)
    price_marks.draw(axes, price, style.VERMILLION, style.BLACK, width=1.0)
    axes.set_yticks(range(len(price.lines)), [literal(price_marks.label(line)) for line in price.lines], fontsize=style.SMALL)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("regret of a run")
