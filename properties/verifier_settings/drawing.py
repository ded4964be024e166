"""Parts of recipes: points of a simplex with few corners, and how they are drawn, simplified and printed.

A point ``(e_i + e_j)/2`` is written as the pair (i, j) of small numbers: a feature vector, a measure, a law. So an instance is a
short list of small integers that fits on a page, and its numbers are exact in binary. The simplest choice always comes first:
hypothesis shrinks towards one state, one action, one step, a chain that never moves and rewards of zero.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from verifier.base import tables
from verifier.base.arrays import Array, IntArray
from verifier.model.setting import InstanceT, Recipe

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Point: TypeAlias = tuple[int, int]
"""(i, j) stands for (e_i + e_j)/2, counted from 0; (i, i) for e_i."""

Row: TypeAlias = tuple[Point, ...]

COSINE, SINE = 0.6, 0.8

RUNS = frozenset({"K", "T", "T1"})
"""Sizes that are lengths of a run."""

LARGEST, LONGEST = 9, 1000
"""Largest size that a user may fix, and longest run. An instance is printed as tables, and simplices have at most 13 corners."""

# How they are drawn -------------------------------------------------------------------------------------------------------


class Draw:
    """Source of the parts of a recipe, the simplest of each first.

    Only booleans and integers below 100 are drawn: what hypothesis draws from a seed then does not depend on the constants it
    collects from the source files that happen to be loaded.

    Parameters
    ----------
    draw : callable
        Hypothesis's own, which draws from a strategy.
    given : mapping of str to int, optional
        Sizes that are fixed, by name.
    """

    def __init__(self, draw: Callable[[SearchStrategy[Any]], Any], given: Mapping[str, int] | None = None) -> None:
        from hypothesis import strategies

        self._draw, self._strategies, self._given = draw, strategies, given or {}
        self.asked: dict[str, None] = {}

    def number(self, least: int, largest: int) -> int:
        """An integer."""
        return int(self._draw(self._strategies.integers(least, largest))) if largest > least else least

    def size(self, largest: int) -> int:
        """A size, at least 1."""
        return self.number(1, largest)

    def given(self, name: str) -> int | None:
        """A size that is fixed; None if it is not. The name is then one of those that may be (`asked`)."""
        self.asked[name] = None
        return self._given.get(name)

    def sizes(self, **largest: int) -> tuple[int, ...]:
        """Sizes by name, in this order: those that are fixed, and draws of the others with the largest of each."""
        fixed = {name: self.given(name) for name in largest}
        return tuple(self.size(most) if (size := fixed[name]) is None else size for name, most in largest.items())

    def flag(self) -> bool:
        """A boolean."""
        return bool(self._draw(self._strategies.booleans()))

    def one_of(self, options: Sequence[Any]) -> Any:
        """Option drawn from several."""
        return self._option(options) if len(options) > 1 else options[0]

    def numbers(self, length: int, largest: int) -> tuple[int, ...]:
        """Integers, not negative."""
        return tuple(self.number(0, largest) for _ in range(length))

    def points(self, length: int, corners: int) -> Row:
        """Corners, at most 13, and midpoints of edges of a simplex."""
        middles = [(i, j) for j in range(corners) for i in range(j)]
        options = [*((i, i) for i in range(corners)), *middles]
        return tuple(self._option(options) for _ in range(length))

    def _option(self, options: Sequence[Any]) -> Any:
        return self._draw(self._strategies.sampled_from(options))


class Simplest(Draw):
    """Source of the simplest parts, without hypothesis: to learn which sizes a recipe asks for, and whether it takes some.

    Parameters
    ----------
    given : mapping of str to int, optional
        Sizes that are fixed, by name.
    """

    def __init__(self, given: Mapping[str, int] | None = None) -> None:
        self._given, self.asked = given or {}, dict[str, None]()

    def number(self, least: int, largest: int) -> int:
        """The least integer."""
        return least

    def flag(self) -> bool:
        """The boolean that comes first, false."""
        return False

    def _option(self, options: Sequence[Any]) -> Any:
        return options[0]


# How they are simplified --------------------------------------------------------------------------------------------------


def several(n: int) -> range:
    """Indices of n parts of which one can be left out: none if there is only one."""
    return range(n if n > 1 else 0)


def without(row: tuple[Any, ...], i: int) -> tuple[Any, ...]:
    """A tuple without its entry i."""
    return row[:i] + row[i + 1 :]


def without_state(row: tuple[Any, ...], A: int, s: int) -> tuple[Any, ...]:
    """A row with one item for each pair ``s*A + a``, without those of a state."""
    return tuple(item for x, item in enumerate(row) if x // A != s)


def without_action(row: tuple[Any, ...], A: int, a: int) -> tuple[Any, ...]:
    """Row without the entries of an action."""
    return tuple(item for x, item in enumerate(row) if x % A != a)


def dropped(row: Row, corner: int) -> Row:
    """Points without a corner of the simplex: what is left of each, the first corner where nothing is."""
    left = ([i - (i > corner) for i in point if i != corner] or [0] for point in row)
    return tuple((corners[0], corners[-1]) for corners in left)


def ends(point: Point) -> Iterator[Point]:
    """A midpoint replaced by one of its ends."""
    i, j = point
    yield from ((i, i), (j, j)) if i != j else ()


def variants(value: Any, rule: Callable[[Any], Iterable[Any]], depth: int) -> Iterator[Any]:
    """Nested tuples with one item of this depth simplified: `rule` gives the simplifications of an item."""
    if depth == 0:
        yield from rule(value)
        return
    for i, item in enumerate(value):
        for simpler in variants(item, rule, depth - 1):
            yield (*value[:i], simpler, *value[i + 1 :])


class DrawnRecipe(Recipe[InstanceT]):
    """A recipe that is drawn part by part, with what its simplifications are made of; subclasses are frozen dataclasses.

    Attributes
    ----------
    most : mapping of str to int
        The largest that sizes may be, of those that may not be `LARGEST` or `LONGEST`.
    """

    most: ClassVar[Mapping[str, int]] = {}

    @classmethod
    def strategy(cls, sizes: Mapping[str, int] | None = None, **limits: Any) -> SearchStrategy[Self]:
        """The hypothesis strategy to draw from, the simplest recipe first; with some sizes fixed, and limits as for `drawn`."""
        from hypothesis import strategies

        return strategies.composite(lambda draw: cls.drawn(Draw(draw, sizes), **limits))()

    @classmethod
    def strategy_for(cls, handles: frozenset[str]) -> SearchStrategy[Self]:
        """Strategy for problems with what the algorithm handles beyond the plain one."""
        return cls.strategy(**cls.limits(handles))

    @classmethod
    def strategy_of_sizes(cls, handles: frozenset[str], sizes: Mapping[str, int]) -> SearchStrategy[Self]:
        """Strategy for such problems with some sizes fixed.

        Raises
        ------
        UsageError
            If no instance has all of them.
        """
        cls.drawn(Simplest(sizes), **cls.limits(handles))
        return cls.strategy(sizes, **cls.limits(handles))

    @classmethod
    def size_limits(cls, handles: frozenset[str]) -> Mapping[str, int]:
        """Sizes that may be fixed, each with the largest it may be."""
        draw = Simplest()
        cls.drawn(draw, **cls.limits(handles))
        return {name: cls.most.get(name, LONGEST if name in RUNS else LARGEST) for name in draw.asked}

    @classmethod
    def limits(cls, handles: frozenset[str]) -> dict[str, Any]:
        """Further arguments of `drawn` for an algorithm that handles problems beyond the plain one; none by default."""
        return {}

    @classmethod
    @abstractmethod
    def drawn(cls, draw: Draw) -> Self:
        """A recipe; further arguments, all optional, limit what it is drawn from."""

    def _simplified(self, name: str, rule: Callable[[Any], Iterable[Any]], depth: int = 0) -> Iterator[Self]:
        """Recipes with one item in a field simplified, see `variants`."""
        for simpler in variants(getattr(self, name), rule, depth):
            yield replace(self, **{name: simpler})  # type: ignore[type-var]  # a dataclass

    def _shorter(self, name: str) -> Iterator[Self]:
        """Recipes with one of what a field counts, with half of it, with one less."""
        return self._simplified(name, lambda n: (less for less in dict.fromkeys((1, n // 2, n - 1)) if 0 < less < n))

    def _earlier(self, name: str, options: Sequence[Any]) -> Iterator[Self]:
        """Recipes with an option that comes before that of a field."""
        return self._simplified(name, lambda now: options[: options.index(now)] if now in options else ())

    def _plain(self, name: str, value: Any) -> Iterator[Self]:
        """Recipe with the plain value of a field, where it has another."""
        return self._simplified(name, lambda now: () if now == value else (value,))


# What they stand for, and how they are printed ----------------------------------------------------------------------------


def coordinates(pairs: Sequence[Point], size: int) -> Array:
    """Points as rows of an array, shape (number of points, size)."""
    corners = np.eye(size)
    return np.array([(corners[i] + corners[j]) / 2 for i, j in pairs])


def rotation(size: int) -> Array:
    """The (size, size) rotation of the first two coordinates by the angle with cosine 3/5; the identity for size 1."""
    turned = np.eye(size)
    if size > 1:
        turned[:2, :2] = [[COSINE, SINE], [-SINE, COSINE]]
    return turned


def number(x: Any) -> str:
    """Text of a number: a fraction where it is one of small numbers."""
    from fractions import Fraction

    fraction = Fraction(float(x)).limit_denominator(25)
    return str(fraction) if abs(float(fraction) - x) < 1e-12 else f"{x:.4g}"


def shown(value: Any) -> str:
    """A word as it is, a number, or a row of numbers in brackets."""
    if isinstance(value, str):
        return value
    return f"({', '.join(map(number, value))})" if np.ndim(value) else number(value)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of such cells."""
    return tables.table(head, (list(map(shown, row)) for row in rows))


def facts(problem: object, names: str) -> str:
    """Attributes by name, e.g. ``S = 3, lambda = 1`` for ``"S lambda=ridge"``."""
    pairs = (name.split("=") for name in names.split())
    return ", ".join(f"{pair[0]} = {shown(getattr(problem, pair[-1]))}" for pair in pairs)


def path(states: IntArray, actions: IntArray) -> str:
    """An episode as s -a-> s'."""
    return str(states[0]) + "".join(f" -a{a}-> {s}" for a, s in zip(actions, states[1:], strict=True))
