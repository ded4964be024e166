"""A figure of a paper that was drawn again: plain data, part of the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

FigureVerdict: TypeAlias = Literal["reproduced", "differs", "cannot tell"]
StatementVerdict: TypeAlias = Literal["holds", "does not hold", "cannot tell"]


@dataclass(frozen=True)
class CurvePoint:
    """Mean over the seeds at a place of the horizontal axis, with a pointwise 95% interval of Student."""

    at: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class FigureCurve:
    """Curve of an algorithm; `beside` is what the paper states next to it, such as ``26.3 planning calls``, and may be empty."""

    algorithm: str
    title: str
    beside: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class StatementEntry:
    """A sentence of the paper about a figure, and what was measured for it.

    `words` are the paper's, at `source`; `compared` says what is compared. It is to be between `lowest` and `highest`. `value`
    and its limits `low` and `high` are those of the part of the runs that decides, `part`, of `parts`; `part` is empty where
    whole runs are compared. They are not numbers where nothing could be measured, for `reason`.
    """

    words: str
    source: str
    compared: str
    verdict: StatementVerdict
    reason: str
    value: float
    low: float
    high: float
    lowest: float
    highest: float
    part: str
    parts: int


@dataclass(frozen=True)
class FigureEntry:
    """A figure of a paper that was drawn again, and whether it shows what the paper says.

    It is reproduced if every statement holds, differs if one does not, else nobody can tell. The limits of all statements hold
    together with `confidence`, which is nominal: they are Student's over `measured` seeds. `seeds` are those of the paper, 0
    where it does not say. `across` and `up` name the axes; `logarithmic` is the horizontal one where it is a size. `printed` and
    `missing` are what the paper prints of the setting, and what it does not.
    """

    key: str
    algorithm: str
    paper: str
    caption: str
    printed: str
    missing: str
    seeds: int
    measured: int
    across: str
    up: str
    logarithmic: bool
    curves: tuple[FigureCurve, ...]
    statements: tuple[StatementEntry, ...]
    confidence: float
    verdict: FigureVerdict
    reason: str
