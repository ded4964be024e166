"""Relations between two arrays of numbers: what the values that a quantity would need are of the values that it has."""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.typeset import number

CLOSE = 1e-7
"""Relative distance within which a relation is proposed. The values needed are solved for, and what cancels on the way takes
digits away; whether the relation holds is decided by the formula that is evaluated with it, at the rounding of the comparison."""

_PRECISION = 1e-5
"""Distance from 1 up to which a factor is no factor: what is computed in single precision is off by as much."""

LARGE = 1e-3
"""Part of the largest value from which on values are large enough for their ratios: what is solved for is off by some 1e-15 of
the largest, so that ratios of such values agree to 1e-12, well within `CLOSE`."""

EXACT, NAMED, FITTED = 1.0, 2.0, 4.0
"""Ranks: of two explanations the one of the lower rank is told. A fitted number explains more than one that has a name, and so
says less."""

SMALL = 10
"""Largest whole number that people write down for another one, 8 for 7; 18 for 2 under a root is rather a factor of 3."""

WRITTEN = (2.0, math.sqrt(2.0), 1 / math.log(2))
"""Factors that are put, or forgotten, as numbers; and their reciprocals."""

UNCLEAR = 2.0
"""Rank that an explanation loses in which a size, or what is made of sizes, is such a number on this instance, as A is for A = 2,
and ln A. Then the number is told, which is true. Another instance tells which it is."""

_MOST_BY_CHANCE = 3
"""Different whole numbers up to which they may be those of whole parts by chance."""

_DISCOUNT = "γ"
"""Symbol of the number that values of later steps are multiplied by."""

_MOST_NAMES = 8
"""Names of a factor that are kept."""


@dataclass(frozen=True)
class Relation:
    """Proposal for what stands in the place of a quantity.

    Parameters
    ----------
    text : str
        With ``{}`` where the quantity is named.
    value : array
        What stands in its place, everywhere.
    rank : float
    plain : bool
        Whether it is a number or a size, whatever the quantity is.
    """

    text: str
    value: Array
    rank: float
    plain: bool = False

    def of(self, name: str) -> str:
        """Text of it, of a quantity of some name; a quotient or a sum of which a power is taken has brackets."""
        inner = f"({name})" if " " in name and name != "the formula" else name
        return re.sub(r"(?<=[/√]){}|{}(?=²)", lambda _: inner, self.text).replace("{}", name)


def close(one: Array, other: Array) -> bool:
    """Whether two arrays are the same numbers, as far as solving for them shows.

    What is solved for in a sum has the rounding of its largest term: a 0 is off by that.
    """
    sizes = np.abs(np.asarray(other, dtype=float))
    largest = float(sizes.max(initial=0.0, where=np.isfinite(sizes)))
    return bool(np.allclose(one, other, rtol=CLOSE, atol=CLOSE * max(1e-3, 0.1 * largest)))


def varies(values: Array) -> bool:
    """Whether there is more than one number among them."""
    values = np.asarray(values, dtype=float)  # truth values have no difference
    with np.errstate(invalid="ignore"):  # of infinite values there is no range; a quantity that is infinite explains nothing
        return bool(np.ptp(values) > CLOSE * np.abs(values).max(initial=0.0))


def relations(
    needed: Array, has: Array, everywhere: Array, sizes: Mapping[str, float], within: Collection[str]
) -> Iterator[Relation]:
    """Simple functions of one array that are the other.

    Parameters
    ----------
    needed, has : (n,) array
        The values needed and the values there are, where both are known.
    everywhere : array
        The values there are, at all comparisons.
    sizes : mapping of str to float
        Numbers of the problem, which constants are told in terms of.
    within : collection of str
        Those that stand in the formula.
    """
    with np.errstate(all="ignore"):
        yield from _shifted(needed, has, everywhere)
        yield from _whole(needed, has, everywhere)
        yield from _powers(needed, has, everywhere)
        yield from _factors(needed, has, everywhere, sizes, within)
        yield from _constants(needed, has, everywhere, sizes)


def _shifted(needed: Array, has: Array, everywhere: Array) -> Iterator[Relation]:
    for text, change in (("{} + 1", lambda x: x + 1), ("{} − 1", lambda x: x - 1), ("max({} − 1, 1)", _less)):
        if close(needed, change(has)) and (change is not _less or varies(needed)):
            odd = 0.0 if varies(has) else UNCLEAR * is_written(float(needed[0] / has[0]))
            yield Relation(f"{text} for {{}}", change(everywhere), EXACT + odd)
    if varies(needed) and close(needed, 1 - has):  # of frequencies and means of rewards, costs
        yield Relation("1 − {} for {}", 1 - everywhere, EXACT)
    added = needed - has
    if not varies(added) and varies(has) and not close(added, np.zeros(1)):
        constant = float(np.median(added))
        sign = "+" if constant > 0 else "−"
        yield Relation(f"{{}} {sign} {number(abs(constant))} for {{}}", everywhere + constant, FITTED)


def _whole(needed: Array, has: Array, everywhere: Array) -> Iterator[Relation]:
    """Whole numbers in the place of numbers, as a division of integers leaves them."""
    for text, change in (("⌊{}⌋", np.floor), ("⌈{}⌉", np.ceil), ("{} rounded to a whole number", np.rint)):
        # of a few numbers, as 0 and 1, a whole part is one by chance
        if len(np.unique(np.round(needed, 6))) > _MOST_BY_CHANCE and close(needed, change(has)):
            # data that are off, of which there are few, may have whole values, as budgets are
            yield Relation(f"{text} for {{}}", change(everywhere), EXACT + 0.45)


def _less(values: Array) -> Array:
    return np.maximum(values - 1, 1.0)


def _powers(needed: Array, has: Array, everywhere: Array) -> Iterator[Relation]:
    if not varies(has) and close(needed, has):
        return
    told = (has > 0) & (needed > 0) & (np.abs(np.log(has)) > 1e-6)
    if not told.all() or has.size == 0:
        return
    slopes = np.log(needed) / np.log(has)
    if np.ptp(slopes) > CLOSE * 10:
        return
    slope = float(np.median(slopes))
    names = {2.0: "{}² for {}", 0.5: "√{} for {}", -1.0: "1/{} for {}", -0.5: "1/√{} for {}"}
    named = next((text for power, text in names.items() if abs(power - slope) < CLOSE * 10), "")
    if min(abs(slope - 1), abs(slope)) < CLOSE * 10:  # the power 0 is the number 1
        return
    if named or varies(has):
        power = next((power for power, text in names.items() if text == named), slope)
        said = named or f"{{}} to the power {number(round(slope, 6))} for {{}}"
        yield Relation(said, everywhere**power, NAMED if named else FITTED)


def _factors(
    needed: Array, has: Array, everywhere: Array, sizes: Mapping[str, float], within: Collection[str]
) -> Iterator[Relation]:
    if has.size == 0 or (has == 0).any():
        return
    large = np.abs(has) >= LARGE * np.abs(has).max()  # what is solved for has lost the digits of the small ones
    ratio = needed[large] / has[large]
    if varies(ratio) or not np.isfinite(ratio).all():
        return
    factor = float(np.median(ratio))
    if (
        abs(factor - 1) < _PRECISION or factor == 0 or (not varies(has) and close(needed, np.ones(1)))
    ):  # 1 for H is not 1/H times H
        return
    for name, rank in _names(factor, sizes, within):
        yield Relation(f"{name} times {{}}", factor * everywhere, rank)
    yield Relation(f"{number(round(factor, 6))} times {{}}", factor * everywhere, FITTED)


def _names(factor: float, sizes: Mapping[str, float], within: Collection[str]) -> Iterator[tuple[str, float]]:
    """Names of a factor with their ranks.

    Many numbers can be made of the sizes of an instance, and some of these are round by chance. So a round factor is told as a
    number, and not as δ², unless it is a size that stands in the formula, or one over it; and a size that several symbols have is
    told by none of them. Another instance may tell which it is, so that these names are kept, behind the number.
    """
    odd = 0.2 * (not simple(factor))  # then chance is no reason
    matching = [name for name, value in named(sizes) if abs(value - factor) <= CLOSE * abs(factor)]
    alone = [name for name in matching if name.removeprefix("1/") in sizes]
    pairs = _of_two(sizes)
    for place, name in enumerate(matching[:_MOST_NAMES]):
        part = name.removeprefix("1/")
        vague = len(alone) > 1 if name in alone else False
        base = part.removeprefix("√").removesuffix("²")
        vague |= base != part and base in sizes and base not in within  # a root or a square of what stands nowhere in the formula
        own = part in within and sizes[part] == round(sizes[part])
        # nobody writes 0.9 down where the discount is 0.9; of one half nobody knows
        own |= part == _DISCOUNT and not math.isclose(sizes[part], 0.5)
        vague |= name in pairs and not {*pairs[name][:2]} <= {*within}  # many numbers are a quotient of sizes by chance
        vague |= simple(factor) and not part.isdigit() and not own
        yield name, (FITTED + 0.1 if vague else NAMED - odd) + 0.1 * place


def is_written(factor: float) -> bool:
    """Whether a factor is one of those that are put, or forgotten, as numbers."""
    return any(abs(each - factor) <= CLOSE * each for each in (*WRITTEN, *(1 / each for each in WRITTEN)))


def simple(factor: float) -> bool:
    """Whether a factor is a round number or one over a whole number, neither of them 1: one that people write down."""
    if not 0 < abs(factor) < np.inf or abs(factor - 1) < CLOSE:
        return False
    size = abs(factor)
    whole = min(abs(size - round(size)) / size, abs(1 / size - round(1 / size)) * size) <= CLOSE
    return whole or abs(float(f"{factor:.1e}") - factor) <= CLOSE * abs(factor)


def _constants(needed: Array, has: Array, everywhere: Array, sizes: Mapping[str, float]) -> Iterator[Relation]:
    if varies(needed):
        return
    constant, full = float(np.median(needed)), np.ones(np.shape(everywhere))
    if abs(constant) < CLOSE * max(1.0, np.abs(has).max(initial=0.0)):
        constant = 0.0
    if abs(constant - round(constant)) <= CLOSE * abs(constant):  # what is solved for is whole but for rounding
        constant = float(round(constant))
    if not varies(has) and abs(constant - has[0]) <= CLOSE * abs(constant):
        return
    for name, value in sizes.items():
        if abs(value - constant) <= CLOSE * abs(constant):
            odd = by_chance(value, has) + 0.5 * varies(has)  # values at a cap are equal, too
            yield Relation(f"{name} for {{}}", value * full, EXACT + odd, plain=True)
    if constant == round(constant) or varies(has):
        odd = 0.5 * (constant != round(constant) and not simple(constant))  # nobody writes such a number down
        yield Relation(f"{number(round(constant, 6))} for {{}}", constant * full, NAMED + 1 + odd, plain=True)


def by_chance(value: float, has: Array) -> float:
    """Rank that a number of a problem loses in the place of others, since it may be there by chance.

    A size is mistaken for a size, seldom for a probability; and a probability of 0.1 is no reason for every 0.1. Nor is A = 2 a
    reason for every 2: in the place of a width it is told as a number, unless it is A on another instance, too, where A is not 2.
    """
    large = abs(value) >= 2 and float(value).is_integer()
    if large and bool((has >= 2).all() and (has == np.round(has)).all()):
        return 0.0
    if large and abs(value) > SMALL:
        return 0.5
    return 2.2 if simple(value) else 0.5  # a number in place of what varies has rank 3, and 3.1 in all places of it


def named(sizes: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Numbers that a factor may be, by name, the simplest first."""
    own = {name: value for name, value in sizes.items() if value > 0 and value != 1.0 and not is_written(value)}
    yield from own.items()
    yield from ((f"1/{name}", 1 / value) for name, value in own.items())
    yield from ((str(n), float(n)) for n in range(2, 11))
    yield from ((f"1/{n}", 1 / n) for n in range(2, 11))
    yield from (("√2", math.sqrt(2)), ("1/√2", math.sqrt(0.5)), ("1/ln 2", 1 / math.log(2)), ("1/ln 10", 1 / math.log(10)))
    yield from (("e", math.e), ("1/e", 1 / math.e))
    yield from ((f"√{name}", math.sqrt(value)) for name, value in own.items())
    yield from ((f"1/√{name}", 1 / math.sqrt(value)) for name, value in own.items())
    yield from ((f"{name}²", value**2) for name, value in own.items())
    yield from ((name, factor(own[a], own[b])) for name, (a, b, factor) in _of_two(own).items())


def _of_two(sizes: Collection[str]) -> dict[str, tuple[str, str, Callable[[float, float], float]]]:
    """Names of the quotients and the products of two sizes, with these."""
    found = {f"{a}/{b}": (a, b, operator.truediv) for a, b in itertools.permutations(sizes, 2)}
    return found | {f"{a}{b}": (a, b, operator.mul) for a, b in itertools.combinations(sizes, 2)}
