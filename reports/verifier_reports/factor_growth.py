"""Growth of factors over a family of instances: exponents in words, and the curves that figures show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from verifier.record import FactorEntry, GrowthEntry, TightnessEntry
from verifier_reports.numbers import numeral, outwards

GROWTH_HEADS = ("claim", "smallest", "largest", "exponent", "that is")
_LEAST_POWER = 0.01
"""Powers are printed with two digits; less than this is told as none."""

MOST_CURVES = 5
"""Claims in one figure."""


# Words ------------------------------------------------------------------------------------------------------------


def growth_head(found: TightnessEntry) -> str:
    """``How the factor grows on horizons, from H = 2 to 8``; empty where no family was measured."""
    grown = [entry.growth for entry in found.claims if entry.growth]
    if not grown:
        return ""
    first, last = _ends(grown)
    return f"How the factor grows on {grown[0].family}, from {grown[0].symbol} = {first} to {last}"


def _ends(grown: Sequence[GrowthEntry]) -> tuple[int, int]:
    """The smallest and the largest size of those at which the exponents of some claims are measured."""
    sizes = [size for each in grown for size in each.sizes]
    return min(sizes, default=0), max(sizes, default=0)


def argument(growth: GrowthEntry) -> str:
    """Quantity that an exponent is of: ``H``, ``ln(1/delta)``."""
    return growth.argument or growth.symbol


def of_delta(growth: GrowthEntry) -> bool:
    """Whether the sizes are those of 1/delta: then the quantile differs from one to the next, too."""
    return argument(growth) != growth.symbol


def growth_note(found: TightnessEntry) -> str:
    """Sentences on what the exponents are, for which instances they hold, and which sizes were left out."""
    growth = next((entry.growth for entry in found.claims if entry.growth), None)
    if growth is None:
        return ""
    of = argument(growth)
    if not of_delta(growth):
        return (
            "The factor at the largest size over that at the smallest, as a power of the size; its bounds follow from the "
            f"certified intervals at both ends and hold with their confidence. {of}^0.5 too many: the bound grows at least so "
            f"much faster with {of} than this family needs; other families may need all of it."
        )
    note = (
        "At each delta the algorithm is run at the width for it, and the factor is the quantile that a claim promises at it. The "
        f"factor at the smallest delta over that at the largest, as a power of {of}; its bounds follow from the certified "
        "intervals at both ends and hold with their confidence. Power 0.5 too many: the bound grows at least by that power of "
        f"{of} faster than this instance needs between the two; smaller delta, and other instances, may need all of it."
    )
    if growth.left_out:
        sizes = ", ".join(map(str, growth.left_out))
        note += f" Left out: {growth.symbol} = {sizes}, where {found.runs} runs bound no such quantile from above."
    return note


def grown(found: TightnessEntry) -> Iterator[tuple[str, ...]]:
    """A row for each claim that has a factor on a family: certified at both ends, the exponent, and what that means."""
    for entry in found.claims:
        growth = entry.growth
        if growth is None:
            continue
        by_name = {each.instance: each for each in entry.lines}
        at = (by_name.get(member(growth, size)) for size in (growth.sizes[0], growth.sizes[-1]))
        shown = tuple("" if end is None else outwards(end.low, end.high) or numeral(end.largest) for end in at)
        yield entry.claim, *shown, exponent(growth), meaning(growth)


def other_ends(found: TightnessEntry) -> Iterator[str]:
    """A sentence for each claim whose exponent is not between the sizes that the heading names."""
    measured = [(entry, entry.growth) for entry in found.claims if entry.growth]
    ends = _ends([growth for _, growth in measured])
    for entry, growth in measured:
        if (own := (growth.sizes[0], growth.sizes[-1])) != ends:
            yield f"`{entry.claim}`: from {growth.symbol} = {own[0]} to {own[1]}; elsewhere it may fail with probability 1."


def member(growth: GrowthEntry, size: int) -> str:
    """Name of the instance of a size: ``horizons[H=2]``."""
    return f"{growth.family}[{growth.symbol}={size}]"


def exponent(growth: GrowthEntry) -> str:
    """``-1.04 to -0.96``, rounded outwards; of what is not certified the one seen, ``-1.00 seen``."""
    if math.isnan(growth.low) or math.isnan(growth.high):
        return "" if math.isnan(growth.seen) else f"{growth.seen:z.2f} seen"
    return f"{_hundredths(growth.low, math.floor)} to {_hundredths(growth.high, math.ceil)}"


def _hundredths(value: float, rounded: Callable[[float], int]) -> str:
    return f"{rounded(100 * value) / 100:z.2f}" if math.isfinite(value) else "?"


def meaning(growth: GrowthEntry) -> str:
    """Words for an exponent: the bound grows faster than this family needs, or the family needs more and more, or neither."""
    if math.isnan(growth.low) or math.isnan(growth.high):
        return growth.why
    if growth.high <= -_LEAST_POWER:
        power = _hundredths(-growth.high, math.floor)
        return f"power {power} too many" if of_delta(growth) else f"{growth.symbol}^{power} too many here"
    if growth.low >= _LEAST_POWER:
        return "more at smaller delta" if of_delta(growth) else f"more needed at larger {growth.symbol}"
    return growth.why or "cannot tell"


# Curves -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mark:
    """Factor at a size, at a place on the axis of the argument: the certified interval, and the largest of all runs.

    `low` and `high` are None where nothing is certified, and `high` alone where there is no upper bound.
    """

    size: int
    place: float
    largest: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Curve:
    """A claim over the sizes of a family."""

    claim: str
    growth: GrowthEntry
    marks: tuple[Mark, ...]

    @property
    def certified(self) -> bool:
        """Whether bounds on the exponent are."""
        return math.isfinite(self.growth.low) or math.isfinite(self.growth.high)


def curves(found: TightnessEntry) -> tuple[Curve, ...]:
    """Every claim with a factor above zero at some size of a family; those first whose exponent is surely not 0."""
    every = (_curve(entry, entry.growth) for entry in found.claims if entry.growth)
    drawn = [curve for curve in every if any(0.0 < mark.largest < math.inf for mark in curve.marks)]
    return tuple(sorted(drawn, key=lambda curve: (not _telling(curve.growth), not curve.certified)))


def _telling(growth: GrowthEntry) -> bool:
    return growth.high <= -_LEAST_POWER or growth.low >= _LEAST_POWER


def _curve(entry: FactorEntry, growth: GrowthEntry) -> Curve:
    by_name = {each.instance: each for each in entry.lines}
    marks = []
    for size in growth.sizes:
        if (line := by_name.get(member(growth, size))) is not None:
            low = None if math.isnan(line.low) else line.low
            high = line.high if math.isfinite(line.high) else None
            marks.append(Mark(size, place(growth, size), line.largest, low, high))
    return Curve(entry.claim, growth, tuple(marks))


def place(growth: GrowthEntry, size: int) -> float:
    """Place of a size on the axis of the argument: ln of it where it is 1/delta, so that powers are straight lines."""
    return math.log(size) if of_delta(growth) else float(size)
