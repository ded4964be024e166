"""Figures as files: PDF with its fonts, SVG, PNG; each time the same bytes."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from verifier_reports.paper import style
from verifier_reports.paper.figure import PaperFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINE = 0.145
"""Inches that a line of the legend takes."""

_LEGEND: dict[str, Any] = {
    "frameon": False,
    "handletextpad": 0.5,
    "columnspacing": 1.2,
    "labelspacing": 0.25,
    "borderaxespad": 0.1,
    "borderpad": 0.1,
}


def file(figure: PaperFigure, ending: str) -> bytes:
    """The figure as the content of a file.

    Parameters
    ----------
    figure : PaperFigure
    ending : {"pdf", "svg", "png"}
    """
    target = io.BytesIO()
    with _in_style(figure.name):
        _composed(figure).canvas.print_figure(target, format=ending, dpi=style.DPI, metadata=_metadata(figure, ending))
    content = target.getvalue()
    return _described(content, figure) if ending == "svg" else content


def drawn(figure: PaperFigure) -> Figure:
    """A matplotlib figure of the size that it has in a paper, with the legend below the axes; no pyplot knows of it."""
    with _in_style(figure.name):
        made = _composed(figure)
        made.draw_without_rendering()  # ticks are made here, in this style and not in that of whoever shows the figure
    return made


def _composed(figure: PaperFigure) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    made = _figure_class()(figsize=(figure.width, figure.height), layout="constrained")
    canvas = FigureCanvasAgg(made)
    axes = made.add_subplot()
    figure.draw(axes)
    if entries := _entries(axes):
        columns, lines = _legend_shape(canvas, entries)
        made.set_size_inches(figure.width, figure.height + _LINE * lines)
        made.legend(loc="outside lower center", ncols=columns, **entries)
    return made


@cache
def _figure_class() -> type[Figure]:
    """A figure that is saved as it was drawn, whatever matplotlib is set to; made here, since matplotlib is imported late."""
    from matplotlib.figure import Figure

    class StyledFigure(Figure):
        def savefig(self, *arguments: Any, **options: Any) -> None:
            """Save the figure, with fonts of type 42 in a PDF, and 300 dots per inch unless another `dpi` is given."""
            with _in_style("figure"):
                super().savefig(*arguments, **options)

    return StyledFigure


def into(figure: PaperFigure, axes: Axes) -> None:
    """Draw into axes of somebody's own figure, in that figure's fonts; the legend stands where the axes have room."""
    with _quiet():
        figure.draw(axes)
    if entries := _entries(axes):
        axes.legend(handles=entries["handles"], labels=entries["labels"], fontsize="small")


def _entries(axes: Axes) -> dict[str, Any]:
    """Arguments of a legend: means with intervals come first; empty where nothing has a label."""
    from matplotlib.container import Container

    pairs = sorted(zip(*axes.get_legend_handles_labels(), strict=True), key=lambda pair: not isinstance(pair[0], Container))
    if not pairs:
        return {}
    handles, labels = zip(*pairs, strict=True)
    lines = any(isinstance(handle, Container) or handle.get_linestyle() != "None" for handle in handles)
    return {**_LEGEND, "handles": handles, "labels": labels, "handlelength": 2.3 if lines else 1.0}


def _legend_shape(canvas: Any, entries: dict[str, Any]) -> tuple[int, int]:
    """The most columns, of four at most, with which the legend is no wider than the figure, and the lines it then has."""
    number = len(entries["labels"])
    for columns in range(min(number, 4), 0, -1):
        lines = -(-number // columns)
        if -(-number // lines) < columns:  # a column would be empty
            continue
        legend = canvas.figure.legend(ncols=columns, **entries)
        across = legend.get_window_extent(canvas.get_renderer()).width
        legend.remove()
        if across <= canvas.figure.bbox.width:
            return columns, lines
    return 1, number


@contextmanager
def _in_style(name: str) -> Iterator[None]:
    from matplotlib import rc_context, rcParamsDefault

    kept = ("backend", "interactive", "toolbar")  # what a session has chosen to show figures with
    defaults: dict[Any, Any] = {key: value for key, value in rcParamsDefault.items() if not key.startswith(kept)}
    with _quiet(), rc_context(defaults | style.settings(name)):
        yield


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        # A character that no font has is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _metadata(figure: PaperFigure, ending: str) -> dict[str, Any]:
    """The title alone: a date would differ each time, and the name of the program with its version."""
    if ending == "pdf":
        return {"Title": figure.title, "CreationDate": None, "Creator": None, "Producer": None}
    if ending == "svg":
        return {"Title": figure.title, "Date": None, "Creator": None, "Format": None, "Type": None}
    return {"Title": figure.title, "Software": None}


def _described(svg: bytes, figure: PaperFigure) -> bytes:
    """An SVG with a role and with its caption for those who cannot see it."""
    from html import escape

    text = svg.decode("utf-8")
    label = escape(" ".join(figure.caption))
    text = re.sub(r"<svg ", lambda _: f'<svg role="img" aria-label="{label}" ', text, count=1)
    return text.encode("utf-8", "backslashreplace")
