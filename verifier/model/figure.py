"""Figures of papers that are drawn again, and what the papers say that these show, as statements about the measured curves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from verifier.base.errors import ContractError


@dataclass(frozen=True)
class Reading:
    """The quantity of a scaling claim in the runs of one algorithm, as it is read off a figure.

    Parameters
    ----------
    claim : str
        Name of the scaling claim.
    algorithm : str
        Name of the algorithm; empty for the one that declares the figure.
    at : {"last", "first"}
        Whether it is read at the largest or at the smallest size.
    along : bool
        Whether it is read in each part of a run (`Inequality.curve`) instead of in the whole run.
    relative : bool
        Whether it is divided by the claimed rate at that size.
    """

    claim: str
    algorithm: str = ""
    at: Literal["last", "first"] = "last"
    along: bool = False
    relative: bool = False


@dataclass(frozen=True)
class FigureStatement:
    """A sentence of the paper about a figure, as limits on a mean over seeds, or on a quotient of two such means.

    Parameters
    ----------
    words, source : str
        The sentence as printed, and where it stands.
    compared : str
        What is compared, in words or as a formula.
    top : Reading
    bottom : Reading, optional
        What the mean of `top` is divided by.
    low, high : float
        Limits. Where the paper has no number for them, they are this project's, and `compared` says so.
    """

    words: str
    source: str
    compared: str
    top: Reading
    bottom: Reading | None = None
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        along = {reading.along for reading in (self.top, self.bottom) if reading is not None}
        if not self.low < self.high or len(along) > 1:
            raise ContractError(
                f"the statement {self.compared!r} of a figure has the limits {self.low:g} and {self.high:g} and "
                f"{'readings of whole and of parts of runs' if len(along) > 1 else 'readings of one kind'}; expected low < high, "
                "and readings of one kind"
            )


@dataclass(frozen=True)
class Figure:
    """A figure of a paper: what is printed of it, what is drawn again, and what the paper says that it shows.

    Parameters
    ----------
    key : str
        As in the paper, ``"1a"``; that of the scaling claims whose runs it shows.
    caption : str
        As printed.
    printed : str
        What the paper prints of the setting of the experiment.
    missing : str
        What it does not print, or prints illegibly, and what stands in for it.
    seeds : int
        Runs that the figure of the paper is made of; 0 where it does not say.
    across : str
        The horizontal axis of curves along a run, in the singular, ``"episode"``; the size of the instance where it is empty.
    drawn : tuple of Reading
        The curves.
    statements : tuple of FigureStatement
        What the paper says that it shows.
    up : str
        The vertical axis as printed; the quantity of the first curve's claim where it is empty.
    beside : str
        Name of a scaling claim whose mean stands beside each curve; may be empty.

    Examples
    --------
    >>> from verifier.model.figure import Figure, FigureStatement, Reading
    >>> calls = Reading("figure-1a-calls")
    >>> few = FigureStatement("∼ 20 planning calls", "§4.5", "planning calls at K = 1000", calls, low=10, high=40)
    >>> Figure("1a", "UCBlvd vs Lifelong-LSVI", "d = 5", "S", 50, "episode", (calls,), (few,)).statements[0].high
    40
    """

    key: str
    caption: str
    printed: str
    missing: str
    seeds: int
    across: str
    drawn: tuple[Reading, ...]
    statements: tuple[FigureStatement, ...]
    up: str = ""
    beside: str = ""
