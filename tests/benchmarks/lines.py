"""Lines of the table of benchmarks, and how what they say is measured."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Work = Callable[[], Any]
Clock = Callable[[Work], float]

ROUNDS = 5
"""How often two pieces of work are done in turns, unless that would take too long."""


@dataclass(frozen=True)
class Target:
    """What a line is meant to reach: at most, or at least, so much."""

    bound: float
    least: bool = False

    def met(self, value: float) -> bool:
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"{'at least' if self.least else 'at most'} {self.bound:g}"


@dataclass(frozen=True)
class Result:
    """What was measured for a line.

    Parameters
    ----------
    this : float
        In the line's unit.
    other : float, optional
        What it is compared with.
    ratio : float, optional
        Other over this: the median over the rounds, and not the ratio of the medians, so that what slows a whole round is in
        neither.
    low, high : float
        The least and the greatest ratio of a round, or value where there is no ratio; of an exponent its confidence interval.
    """

    this: float
    low: float
    high: float
    other: float | None = None
    ratio: float | None = None

    @property
    def value(self) -> float:
        """What a target is about."""
        return self.this if self.ratio is None else self.ratio


@dataclass(frozen=True)
class Line:
    """A line of the table.

    Parameters
    ----------
    quantity : str
        What is measured, in words; no other line has the same.
    measure : callable
        Measures it.
    target : Target, optional
        Of the ratio, or of the value where nothing is compared.
    unit : str
        Of both sides: s, ms or MB; empty for a plain number.
    by_clock : bool
        Whether time is by the clock, and so says something on idle processors only; else it is processor time.
    fitted : bool
        Whether the value is an exponent, of which the interval decides: the target is missed where all of that is above it.
    """

    quantity: str
    measure: Callable[[], Result]
    target: Target | None = None
    unit: str = "ms"
    by_clock: bool = False
    fitted: bool = False

    def met(self, result: Result) -> bool | None:
        """Whether a result reaches the target, if there is one."""
        return None if self.target is None else self.target.met(result.low if self.fitted else result.value)


def processor(work: Work) -> float:
    """Milliseconds of processor time of a call, all threads of this process together."""
    started = time.process_time()
    work()
    return 1e3 * (time.process_time() - started)


def by_clock(work: Work) -> float:
    """Seconds that a call takes by the clock."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def in_turns(this: Work, other: Work, clock: Clock = processor, rounds: int = ROUNDS, warm: bool = True) -> Result:
    """Both sides of a ratio, in turns, so that a busy machine is busy for both; every second round begins with the other one.

    Parameters
    ----------
    this, other : callable
    clock : callable
        What is counted.
    rounds : int
    warm : bool
        Whether each is done once before, so that imports and caches are paid for.
    """
    if warm:
        this(), other()
    pairs = []
    for number in range(rounds):
        if number % 2:
            second = clock(other)
            pairs.append((clock(this), second))
        else:
            pairs.append((clock(this), clock(other)))
    ratios = [second / first for first, second in pairs]
    first, second = (statistics.median(side) for side in zip(*pairs, strict=True))
    return Result(first, min(ratios), max(ratios), second, statistics.median(ratios))


def alone(work: Work, each: float = 1.0, clock: Clock = processor, rounds: int = ROUNDS, warm: bool = True) -> Result:
    """What a call takes, divided by the number of things it does."""
    if warm:
        work()
    found = [clock(work) / each for _ in range(rounds)]
    return Result(statistics.median(found), min(found), max(found))
