"""Figure before it is drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 72
"""Figures are measured in CSS pixels at this resolution: one point is one pixel."""


@dataclass(frozen=True)
class Plot:
    """A figure and its words.

    Parameters
    ----------
    name : str
        File name without ending, e.g. ``ucblvd-looseness``.
    kind : {"looseness", "scaling", "kill-matrix", "factor-growth", "price", "overlay", "figure"}
        What it shows.
    claim : str
        Id of the claim it belongs to; empty for figures of a whole algorithm.
    title : str
        One line, as text beside the figure.
    caption : tuple of str
        Sentences below the figure, in the order of importance.
    alt : str
        What the figure says, for those who cannot see it.
    width, height : float
        CSS pixels.
    draw : callable
        Draws into an empty matplotlib figure of that size.
    narrow : Plot or None
        The same figure for a screen too narrow for this one.
    """

    name: str
    kind: str
    claim: str
    title: str
    caption: tuple[str, ...]
    alt: str
    width: float
    height: float
    draw: Callable[[Figure], None]
    narrow: Plot | None = None


def file_name(*parts: str) -> str:
    """``ucblvd-scaling-regret-published-lock``: words joined by dashes, fit for every file system.

    Parts are shortened to 60 characters; letters are lower-case, everything else but letters, digits and dots is a dash.
    """
    words = (re.sub(r"[^a-z0-9.]+", "-", part.lower()).strip("-.")[:60] for part in parts)
    return "-".join(word for word in words if word) or "figure"
