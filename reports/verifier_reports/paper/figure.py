"""Figure for a paper before it is drawn: words, numbers, and a function that draws it into axes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMN = 3.25
"""Inches: the width of a column in a paper of two columns."""

PAGE = 6.75
"""Inches: the width of a page of two columns, for what a column has no room for."""

Cell = str | float | None


@dataclass(frozen=True)
class Table:
    """Numbers behind a figure.

    Parameters
    ----------
    columns : tuple of str
        Names, with units in parentheses.
    rows : list of tuple
        Texts and numbers, as many as there are columns; None where there is none.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]

    def csv(self) -> str:
        """The table as CSV with a header line; numbers have all their digits."""
        target = io.StringIO()
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_text(cell) for cell in row] for row in self.rows)
        return target.getvalue()


@dataclass(frozen=True)
class PaperFigure:
    """A figure, its caption and its numbers.

    Parameters
    ----------
    name : str
        File name without ending, e.g. ``ucblvd-scaling-regret-growth-published-lock``.
    short : str
        Name to ask for it by, where no other figure of the record has it: of a claim, or ``looseness``.
    claim : str
        Id of the claim it belongs to; empty for figures of a whole algorithm.
    title : str
        One line for the metadata of the file; no figure has a title inside.
    caption : tuple of str
        Sentences, in the order of importance.
    width, height : float
        Inches; the legend comes on top of the height.
    draw : callable
        Draws into empty axes, everything but the legend.
    table : Table
    """

    name: str
    short: str
    claim: str
    title: str
    caption: tuple[str, ...]
    width: float
    height: float
    draw: Callable[[Axes], None]
    table: Table


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else repr(cell)
