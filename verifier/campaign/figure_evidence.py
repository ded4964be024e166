"""Evidence of ladders on what a paper says that its figure shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from verifier import record
from verifier.base.arrays import Array
from verifier.campaign.ladder import Ladder
from verifier.model.figure import Figure, FigureStatement, Reading
from verifier.model.scaling import LEAST
from verifier.statistics.quotient import quotient
from verifier.statistics.scaling import Interval, student

CONFIDENCE = 0.99
"""Nominal probability with which the limits of all means of a figure hold together."""

_POINTWISE = 0.025
"""Level of either limit at a point of a curve."""

NOT_MEASURED = Interval(math.nan, math.nan, math.nan)
ONE = Interval(1.0, 1.0, 1.0)


class Column(NamedTuple):
    """Values of the seeds, shape (n,), in a part of the runs; the part is empty where they are of whole runs."""

    part: str
    values: Array


@dataclass(frozen=True)
class FigureEvidence:
    """Evidence on a figure: the ladders that were run for it, by algorithm and claim.

    Parameters
    ----------
    figure : Figure
    algorithm : str
        The algorithm that declares it.
    ladders : mapping of (str, str) to Ladder
    titles : mapping of str to str
        Titles of algorithms by name.
    """

    figure: Figure
    algorithm: str
    ladders: Mapping[tuple[str, str], Ladder]
    titles: Mapping[str, str]

    # What is read -----------------------------------------------------------------------------------------------

    def _ladder(self, reading: Reading) -> Ladder | None:
        return self.ladders.get((reading.algorithm or self.algorithm, reading.claim))

    def _why_not(self, reading: Reading) -> str:
        """Reason why nothing is read; empty if something is."""
        ladder = self._ladder(reading)
        if ladder is None:
            return f"{reading.algorithm or self.algorithm}/{reading.claim} was not measured in this run"
        if reason := ladder.not_applicable or ladder.error:
            return reason
        if not ladder.complete:
            return f"{ladder.trials} of {ladder.seeds * len(ladder.sizes)} trials finished within the budget"
        if ladder.seeds < LEAST:
            return f"{ladder.seeds} seed{'s' * (ladder.seeds != 1)}: at least {LEAST} are needed"
        if reading.along and not all(ladder.curves[-1].values()):
            return f"the quantity of {reading.claim} has no curve along the run"
        return ""

    def _columns(self, reading: Reading) -> list[Column]:
        """The values of the seeds in each part of the runs, or in whole runs."""
        ladder, at = self._ladder(reading), 0 if reading.at == "first" else -1
        assert ladder is not None  # there is a reason why not
        rate = ladder.claim.rate.at(ladder.publics[at], ladder.sizes[at]) if reading.relative else 1.0
        if not reading.along:
            return [Column("", np.array(list(ladder.points[at].values())) / rate)]
        curves = np.array(list(ladder.curves[at].values())) / rate
        parts = _parts(ladder.sizes[at], curves.shape[1])
        return [
            Column(f"{self.figure.across} {first} to {last}", values)
            for (first, last), values in zip(parts, curves.T, strict=True)
        ]

    # What is said of it -----------------------------------------------------------------------------------------

    @cached_property
    def _readable(self) -> list[FigureStatement]:
        return [each for each in self.figure.statements if not any(map(self._why_not, _sides(each)))]

    @cached_property
    def _level(self) -> float:
        """Level of either limit of a mean, after Bonferroni over all means that are compared."""
        means = sum(len(self._columns(reading)) for each in self._readable for reading in _sides(each))
        return (1.0 - CONFIDENCE) / (2.0 * max(means, 1))

    def _intervals(self, statement: FigureStatement) -> list[tuple[str, Interval]]:
        """The quotient of the two means, or the mean, in each part of the runs."""
        top = self._columns(statement.top)
        below = [ONE] * len(top)
        if statement.bottom is not None:
            below = [self._mean(column) for column in self._columns(statement.bottom)]
        return [(column.part, quotient(self._mean(column), under)) for column, under in zip(top, below, strict=True)]

    def _mean(self, column: Column) -> Interval:
        return student(column.values, self._level, self._level)

    def _statement(self, statement: FigureStatement) -> record.StatementEntry:
        if reason := next(filter(None, map(self._why_not, _sides(statement))), ""):
            return _entry(statement, "cannot tell", reason, "", NOT_MEASURED, 0)
        found = self._intervals(statement)
        verdict = verdict_of([interval for _, interval in found], statement.low, statement.high)
        part, interval = min(found, key=lambda pair: _room(pair[1], statement, verdict))
        return _entry(statement, verdict, "", part, interval, len(found))

    # The record -------------------------------------------------------------------------------------------------

    def entry(self, paper: str) -> record.FigureEntry:
        """The record's entry of the figure."""
        figure = self.figure
        statements = tuple(map(self._statement, figure.statements))
        verdict, reason = _overall(statements)
        ladders = [ladder for reading in figure.drawn if (ladder := self._ladder(reading)) is not None]
        across, up = _axes(figure, ladders)
        return record.FigureEntry(
            key=figure.key,
            algorithm=self.algorithm,
            paper=paper,
            caption=figure.caption,
            printed=figure.printed,
            missing=figure.missing,
            seeds=figure.seeds,
            measured=min((len(values) for ladder in ladders for values in ladder.points), default=0),
            across=across,
            up=up,
            logarithmic=not figure.across,
            curves=tuple(map(self._curve, filter(self._ladder, figure.drawn))),
            statements=statements,
            confidence=CONFIDENCE,
            verdict=verdict,
            reason=reason,
        )

    def _curve(self, reading: Reading) -> record.FigureCurve:
        name = reading.algorithm or self.algorithm
        points = () if self._why_not(reading) else tuple(self._points(reading))
        return record.FigureCurve(name, self.titles.get(name, name), self._beside(name), points)

    def _points(self, reading: Reading) -> Iterator[record.CurvePoint]:
        """Means over the seeds along the run, or at each size."""
        ladder = self._ladder(reading)
        assert ladder is not None  # there is a reason why not
        if reading.along:
            columns = self._columns(reading)
            places = [(first + last) / 2 for first, last in _parts(ladder.sizes[-1], len(columns))]
            samples = [column.values for column in columns]
        else:
            places = list(map(float, ladder.sizes))
            samples = [np.array(list(values.values())) for values in ladder.points]
        for place, sample in zip(places, samples, strict=True):
            mean = student(sample, _POINTWISE, _POINTWISE)
            yield record.CurvePoint(place, mean.estimate, mean.low, mean.high)

    def _beside(self, algorithm: str) -> str:
        """Number and quantity that stand next to the curve of an algorithm: ``26.3 planning calls``."""
        reading = Reading(self.figure.beside, algorithm)
        ladder = self._ladder(reading)
        if not self.figure.beside or ladder is None or self._why_not(reading):
            return ""
        return f"{float(np.mean(self._columns(reading)[0].values)):.4g} {ladder.claim.quantity}"


def verdict_of(intervals: Sequence[Interval], low: float, high: float) -> record.StatementVerdict:
    """Whether estimates are between two limits: all of their intervals are, or one is outside, or nobody can tell."""
    if any(each.low > high or each.high < low for each in intervals):
        return "does not hold"
    return "holds" if all(low <= each.low and each.high <= high for each in intervals) else "cannot tell"


def _sides(statement: FigureStatement) -> list[Reading]:
    return [statement.top] if statement.bottom is None else [statement.top, statement.bottom]


def _room(interval: Interval, statement: FigureStatement, verdict: str) -> float:
    """Room of an interval inside the limits; of one that is outside, less than of any other."""
    room = min(interval.low - statement.low, statement.high - interval.high, key=lambda x: math.inf if math.isnan(x) else x)
    outside = interval.low > statement.high or interval.high < statement.low
    return -math.inf if verdict == "does not hold" and outside else room


def _parts(size: int, count: int) -> list[tuple[int, int]]:
    """The first and the last episode, from 1, of each part of a run."""
    return [(int(part[0]), int(part[-1])) for part in np.array_split(np.arange(1, size + 1), count)]


def _axes(figure: Figure, ladders: Sequence[Ladder]) -> tuple[str, str]:
    """Labels of the two axes."""
    if not ladders:
        return figure.across, figure.up
    claim, family = ladders[0].claim, ladders[0].family
    up = f"{claim.quantity} ({claim.unit})" if claim.unit else claim.quantity
    return figure.across or f"{family.unit} {family.symbol}".strip(), figure.up or up


def _entry(
    statement: FigureStatement, verdict: record.StatementVerdict, reason: str, part: str, interval: Interval, parts: int
) -> record.StatementEntry:
    return record.StatementEntry(
        words=statement.words,
        source=statement.source,
        compared=statement.compared,
        verdict=verdict,
        reason=reason,
        value=interval.estimate,
        low=interval.low,
        high=interval.high,
        lowest=statement.low,
        highest=statement.high,
        part=part,
        parts=parts,
    )


def _overall(statements: Sequence[record.StatementEntry]) -> tuple[record.FigureVerdict, str]:
    """The verdict of the figure, and why."""
    verdicts = [each.verdict for each in statements]
    several, against = len(verdicts) != 1, verdicts.count("does not hold")
    counted = f"{verdicts.count('holds')} of {len(verdicts)} statement{'s' * several} hold{'s' * (not several)}"
    if against:
        return "differs", f"{counted}, {against} {'does' if against == 1 else 'do'} not"
    if not statements or "cannot tell" in verdicts:
        undecided = f"{counted}, {verdicts.count('cannot tell')} undecided"
        why = next((each.reason for each in statements if each.reason), "more seeds would tell")
        return "cannot tell", f"{undecided}: {why}" if statements else "the paper says nothing that could be compared"
    return "reproduced", counted
