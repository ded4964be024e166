"""Parts of a formula on which what was compared depends, found by changing one after the other.

A comparison says nothing of a part that cannot change it: of the second argument of a minimum whose first is always smaller,
or of the case for pairs without data where every pair has some. A mistake in such a part would not have been seen. Nor does it
say what a quantity is made of that is at an end of its range wherever it is compared, as a mean of values that are all cut at H.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.expression import (
    CONDITIONS,
    FUNCTIONS,
    Expression,
    Name,
    Operation,
    Path,
    evaluations,
    names_in,
    nodes,
)  # fmt: skip
from verifier.formulas.ranges import Range

Shows = Callable[[Array], bool]
"""Whether another value of the formula would have been told from what was reported."""

AT_AN_END = 32 * EPS
"""Share of an end of a range within which a quantity is there: a mean of values that are all at the end is, up to rounding."""

SHARE = 0.5
"""Share by which a part is made larger, and smaller. A part that is 0 is made 1."""


def bits_tested(tree: Expression, values: Mapping[str, Array], shows: Shows, known: int = 0) -> int:
    """Quantities, numbers and conditions that a change of would have been seen, as bits: bit i is that of node i of `nodes`.

    Parameters
    ----------
    tree : Expression
        The formula.
    values : mapping of str to array
        Of its quantities; they broadcast against each other.
    shows : callable
    known : int
        What is known of it, and is not tried again.

    Examples
    --------
    >>> from verifier.formulas.expression import tree_of
    >>> tree = tree_of("min(2 * x, H)")
    >>> found = bits_tested(tree, {"x": np.array([1.0, 2.0]), "H": np.array(9.0)}, lambda y: bool((y != [2.0, 4.0]).any()))
    >>> [part for part, _ in untested(tree, found)]
    [Name(name='H')]
    """
    unknown = [(number, at) for number, at in tried(tree) if not known >> number & 1]
    if not unknown:
        return known
    every, before = dict(nodes(tree)), evaluations(tree, values)
    for number, at in unknown:
        if any(shows(_with(every, before, at, other)) for other in _others(before[at])):
            known |= 1 << number
    return known


@cache  # a formula is asked in every batch of every trial
def tried(tree: Expression) -> tuple[tuple[int, Path], ...]:
    """Numbers and places of what is changed: quantities, numbers, and conditions as a whole, whose cases are changed besides."""
    within: list[Path] = []
    found: list[tuple[int, Path]] = []
    for number, (at, node) in enumerate(nodes(tree)):
        if any(at[: len(outer)] == outer for outer in within):
            continue
        if isinstance(node, Operation) and node.name in CONDITIONS:
            within.append(at)
        if not node.parts or at in within:
            found.append((number, at))
    return tuple(found)


def _with(every: Mapping[Path, Expression], before: Mapping[Path, Array], at: Path, value: Array) -> Array:
    """Value of the formula where a part has another one; only what it is a part of is evaluated again."""
    with np.errstate(all="ignore"):  # as in `evaluate`
        for length in reversed(range(len(at))):
            place = at[:length]
            node = every[place]
            if isinstance(node, Operation):
                parts = [before[*place, number] for number in range(len(node.parts))]
                parts[at[length]] = value
                value = np.asarray(FUNCTIONS[node.name](*parts))
    return value


def bits_inside(
    tree: Expression, values: Mapping[str, Array], range_of: Callable[[str], Range], where: BoolArray, known: int = 0
) -> int:
    """Quantities of a formula that are inside of their ranges somewhere, as bits in the order of `names_in`."""
    for number, name in enumerate(names_in(tree)):
        if not known >> number & 1 and _inside(values[name], *range_of(name), where):
            known |= 1 << number
    return known


def _inside(value: Array, low: Array, high: Array, where: BoolArray) -> bool:
    if (low == high).all() or not (np.isfinite(low).all() and np.isfinite(high).all()):
        return True  # a number, or a quantity whose range has no ends
    inside = (value > low + AT_AN_END * np.abs(low)) & (value < high - AT_AN_END * np.abs(high))
    return bool((where & inside).any())


def at_an_end(tree: Expression, known: int) -> tuple[Name, ...]:
    """The quantities of a formula that are not among those."""
    return tuple(Name(name) for number, name in enumerate(names_in(tree)) if not known >> number & 1)


def untested(tree: Expression, known: int) -> tuple[tuple[Expression, Expression], ...]:
    """The largest parts nothing of which is among those tested, each with the operation that it stands in.

    There are none where nothing is tested, as where nothing was compared.
    """
    counted = {at[:length] for number, at in tried(tree) if known >> number & 1 for length in range(len(at) + 1)}
    if not counted:
        return ()
    within = [at for _, at in tried(tree)]
    dead = [
        (at, node) for at, node in nodes(tree) if at not in counted and any(at == each[: len(at)] for each in within)
    ]  # what a condition is made of is not tried, and no part by itself
    places, every = {at for at, _ in dead}, dict(nodes(tree))
    return tuple((node, every[at[:-1]]) for at, node in dead if at[:-1] not in places)


def _others(value: Array) -> Iterator[Array]:
    """Values that are not this one anywhere."""
    if value.dtype == bool:
        yield ~value
        return
    yield np.where(value == 0, 1.0, value * (1 + SHARE))
    yield np.where(value == 0, -1.0, value * (1 - SHARE))
