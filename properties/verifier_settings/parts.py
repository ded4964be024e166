"""Parts of recipes: how content of one kind is drawn, simplified, cut when a size becomes smaller, and measured.

Lengths, bounds and numbers of corners are *extents*: a number, or text about sizes of the recipe, such as ``"S*A"`` (one for each
pair, row ``s*A + a``), ``"H-1"`` or ``"m+1"``.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Point: TypeAlias = tuple[int, int]
"""(i, j) stands for (e_i + e_j)/2, counted from 0; (i, i) for e_i."""

Row: TypeAlias = tuple[Point, ...]

Values: TypeAlias = dict[str, Any]
"""Parts of one recipe by name, and its sizes."""

Extent: TypeAlias = int | str | Callable[[Values], int]

NONE: frozenset[str] = frozenset()


class Draw:
    """Source of the parts of a recipe, the simplest of each first.

    Only booleans and integers below 100 are drawn: what hypothesis draws from a seed then does not depend on the constants it
    collects from the source files that happen to be loaded.

    Parameters
    ----------
    draw : callable
        Hypothesis's own, which draws from a strategy.
    given : mapping of str to int
        Sizes that are fixed, by name.
    handles : frozenset of str
        What the algorithm handles beyond the plain problem.
    """

    def __init__(self, draw: Callable[[SearchStrategy[Any]], Any], given: Mapping[str, int], handles: frozenset[str]) -> None:
        from hypothesis import strategies

        self._draw, self._strategies, self.given, self.handles = draw, strategies, given, handles

    def number(self, least: int, largest: int) -> int:
        """An integer."""
        return int(self._draw(self._strategies.integers(least, largest))) if largest > least else least

    def flag(self) -> bool:
        """A boolean."""
        return bool(self._draw(self._strategies.booleans()))

    def one_of(self, options: Sequence[Any]) -> Any:
        """Option drawn from several."""
        return self._option(options) if len(options) > 1 else options[0]

    def point(self, corners: int) -> Point:
        """Corner, of at most 13, or midpoint of an edge of a simplex."""
        point: Point = self._option([*((i, i) for i in range(corners)), *((i, j) for j in range(corners) for i in range(j))])
        return point

    def _option(self, options: Sequence[Any]) -> Any:
        return self._draw(self._strategies.sampled_from(options))


# Extents ------------------------------------------------------------------------------------------------------------------


def _read(text: str) -> tuple[list[str], int]:
    """Factors and the number added to their product.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    read = re.fullmatch(r"(\w+(?:\*\w+)*)([+-]\d+)?", text)
    if read is None:
        raise ValueError(f"{text!r} is no extent; it has to be a product of sizes, plus or minus a number, like 'S*A' or 'H-1'")
    return read[1].split("*"), int(read[2] or 0)


def extent(of: Extent, values: Values) -> int:
    """Number that an extent stands for."""
    if not isinstance(of, str):
        return of(values) if callable(of) else of
    factors, more = _read(of)
    return math.prod(int(values[name]) for name in factors) + more


def _left(axis: str, size: str, i: int, values: Values) -> Sequence[int]:
    """Indices along an axis that stay when the i-th of what a size counts is left out."""
    factors, more = _read(axis)
    length = extent(axis, values)
    if size not in factors:
        return range(length)
    if more:  # one less than there are steps: the last one has none
        return [x for x in range(length) if x != min(i, length - 1)]
    places = np.indices([values[name] for name in factors])[factors.index(size)].ravel()
    return [int(x) for x in np.flatnonzero(places != i)]


# Parts --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Part(ABC):
    """Content of a field of a recipe, or of an entry of a table.

    Parameters
    ----------
    plain : object
        The simplest value.
    handles : frozenset of str
        Features that an algorithm has to handle for another value to be drawn.
    where : str
        Size that has to be larger than 1 for another value to be drawn.
    unless : str
        Part that has to have its plain value for another value to be kept.
    """

    plain: Any = None
    handles: frozenset[str] = NONE
    where: str = ""
    unless: str = ""

    def value(self, draw: Draw, values: Values) -> Any:
        """A value that is drawn where it may be, given the parts before."""
        if not draw.handles >= self.handles or values.get(self.where, 2) == 1:
            return self.plain
        drawn = self.drawn(draw, values)
        return self.plain if values.get(self.unless) else drawn

    @abstractmethod
    def drawn(self, draw: Draw, values: Values) -> Any:
        """A value, given the parts before."""

    def simpler(self, value: Any, values: Values) -> Iterator[Any]:
        """Simpler values, the boldest first."""
        yield from ()

    def without(self, value: Any, size: str, i: int, values: Values) -> Any:
        """Rest of a value without the i-th of what a size counts."""
        return value

    def fitted(self, value: Any, values: Values) -> Any:
        """Nearest value within the bounds that sizes set."""
        return value

    @property
    def counts(self) -> frozenset[str]:
        """Sizes whose i-th can be left out."""
        return NONE

    def measured(self, value: Any, size: str) -> int | None:
        """A size, read off the value; None if it does not show."""
        return None

    def amount(self, value: Any) -> int:
        """Numbers in it that are to be checked by hand."""
        return int(value != self.plain)


@dataclass(frozen=True)
class Size(Part):
    """A size, from `least` to `most` if it is drawn, and up to `limit` if a user fixes it.

    Where it is no field (`counted`), it is read off the arrays that it is a length of. Where there is `inside`, it can only be
    larger than 1 where that size is. A `run` has so many steps, or episodes `of` so many steps.
    """

    most: int
    limit: int
    least: int = 1
    inside: str = ""
    run: bool = False
    of: str = ""
    name: str = field(default="", init=False, compare=False)

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "name", name)  # frozen, and told its name by Python

    def __get__(self, recipe: Any, owner: type) -> Any:
        if recipe is None:
            return self
        measured = (part.measured(getattr(recipe, name), self.name) for name, part in recipe.declared.items() if part.counts)
        return next((size for size in measured if size is not None), 1)

    def drawn(self, draw: Draw, values: Values) -> int:
        """A size."""
        return draw.number(self.least, self.most)

    def amount(self, value: int) -> int:
        """Length of a run; the numbers that other sizes stand for are those of tables."""
        return value if self.run else 0


@dataclass(frozen=True)
class Number(Part):
    """An integer from `least` to `most`; smaller is simpler. An `index` is one of what a size counts."""

    most: Extent
    least: int = 0
    index: str = ""

    def drawn(self, draw: Draw, values: Values) -> int:
        """A number."""
        return draw.number(self.least, extent(self.most, values))

    def simpler(self, value: int, values: Values) -> Iterator[int]:
        """All smaller ones."""
        yield from range(self.least, value)

    def without(self, value: int, size: str, i: int, values: Values) -> int:
        """The index of the same one of those that are left; 0 if it is left out."""
        return value if size != self.index else 0 if value == i else value - (i < value)

    def fitted(self, value: int, values: Values) -> int:
        """The largest there may be, if it is larger and sizes bound it."""
        return value if isinstance(self.most, int) else min(value, extent(self.most, values))


@dataclass(frozen=True)
class Corner(Part):
    """A corner of a simplex, or the midpoint of two."""

    corners: Extent

    def drawn(self, draw: Draw, values: Values) -> Point:
        """A point."""
        return draw.point(extent(self.corners, values))

    def simpler(self, value: Point, values: Values) -> Iterator[Point]:
        """The ends of a midpoint, and the corners before a corner."""
        i, j = value
        yield from ((i, i), (j, j)) if i != j else ((k, k) for k in range(i))

    def without(self, value: Point, size: str, i: int, values: Values) -> Point:
        """Rest of the point without a corner: the first corner where nothing is left."""
        if size != self.corners:
            return value
        left = [k - (k > i) for k in value if k != i] or [0]
        return left[0], left[-1]

    def fitted(self, value: Point, values: Values) -> Point:
        """The last corner in place of those that are no more."""
        last = extent(self.corners, values) - 1
        return min(value[0], last), min(value[1], last)

    @property
    def counts(self) -> frozenset[str]:
        """The size that is its number of corners."""
        return frozenset({self.corners}) if isinstance(self.corners, str) and self.corners.isidentifier() else NONE


@dataclass(frozen=True)
class Option(Part):
    """Choice among several values, the simplest first; drawn as a boolean if it is a `flag`."""

    options: Sequence[Any]
    flag: bool = False

    def drawn(self, draw: Draw, values: Values) -> Any:
        """Option drawn from all."""
        return draw.flag() if self.flag else draw.one_of(self.options)

    def simpler(self, value: Any, values: Values) -> Iterator[Any]:
        """The options before it."""
        yield from dict.fromkeys(self.options[: self.options.index(value)] if value in self.options else ())


class Nested(Part):
    """Tuple whose members are parts."""

    @abstractmethod
    def members(self, value: tuple[Any, ...]) -> list[tuple[Part, Any]]:
        """Parts, each with what it holds."""

    def simpler(self, value: tuple[Any, ...], values: Values) -> Iterator[tuple[Any, ...]]:
        """One member simplified."""
        for i, (part, member) in enumerate(self.members(value)):
            yield from ((*value[:i], simpler, *value[i + 1 :]) for simpler in part.simpler(member, values))

    def without(self, value: tuple[Any, ...], size: str, i: int, values: Values) -> tuple[Any, ...]:
        """Rest of each member."""
        return tuple(part.without(member, size, i, values) for part, member in self.members(value))

    def fitted(self, value: tuple[Any, ...], values: Values) -> tuple[Any, ...]:
        """All members fitted."""
        return tuple(part.fitted(member, values) for part, member in self.members(value))

    def measured(self, value: tuple[Any, ...], size: str) -> int | None:
        """A size, read off the first member that shows it."""
        sizes = (part.measured(member, size) for part, member in self.members(value))
        return next((size for size in sizes if size is not None), None)

    def amount(self, value: tuple[Any, ...]) -> int:
        """The sum over all members."""
        return sum(part.amount(member) for part, member in self.members(value))


@dataclass(frozen=True)
class Table(Nested):
    """Nested tuples of one part, with an extent for each axis."""

    axes: tuple[str, ...]
    entry: Part

    @property
    def row(self) -> Part:
        """Part for each index along the first axis."""
        return Table(self.axes[1:], self.entry) if len(self.axes) > 1 else self.entry

    def members(self, value: tuple[Any, ...]) -> list[tuple[Part, Any]]:
        """All rows."""
        return [(self.row, row) for row in value]

    def drawn(self, draw: Draw, values: Values) -> tuple[Any, ...]:
        """All entries, row by row."""
        return tuple(self.row.drawn(draw, values) for _ in range(extent(self.axes[0], values)))

    def without(self, value: tuple[Any, ...], size: str, i: int, values: Values) -> tuple[Any, ...]:
        """The rows that do not belong to what is left out, without it."""
        return super().without(tuple(value[x] for x in _left(self.axes[0], size, i, values)), size, i, values)

    @property
    def counts(self) -> frozenset[str]:
        """Factors of its axes, and what entries count."""
        return frozenset(_read(self.axes[0])[0]) | self.row.counts

    def measured(self, value: tuple[Any, ...], size: str) -> int | None:
        """Length of the axis that has just this name."""
        return len(value) if size == self.axes[0] else super().measured(value, size)


@dataclass(frozen=True)
class Together(Nested):
    """Several parts of one thing, such as the features and the measures of a model."""

    parts: tuple[Part, ...]

    def members(self, value: tuple[Any, ...]) -> list[tuple[Part, Any]]:
        """Each part with its value."""
        return list(zip(self.parts, value, strict=True))

    def drawn(self, draw: Draw, values: Values) -> tuple[Any, ...]:
        """All parts."""
        return tuple(part.drawn(draw, values) for part in self.parts)

    @property
    def counts(self) -> frozenset[str]:
        """Sizes that any part counts."""
        return frozenset(chain.from_iterable(part.counts for part in self.parts))
