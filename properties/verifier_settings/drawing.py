"""Recipes as declarations: a field says what it holds and within which bounds, and everything but `build` follows.

A point ``(e_i + e_j)/2`` of a simplex is written as the pair (i, j) of small numbers: a feature vector, a measure, a law. So an
instance is a short list of small integers that fits on a page, and its numbers are exact in binary. The simplest choice always
comes first: one state, one action, one step, a chain that never moves and rewards of zero. `verifier_settings.parts` has what
fields may hold.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError
from verifier.model.recipe import InstanceT, Recipe
from verifier_settings import printed
from verifier_settings.parts import NONE, Corner, Draw, Extent, Nested, Number, Option, Part, Point, Size, Table, Together, Values

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

COSINE, SINE = 0.6, 0.8

LARGEST, LONGEST = 9, 1000
"""Largest size that a user may fix, and longest run. An instance is printed as tables, and simplices have at most 13 corners."""


# Fields: sizes and tables have to be given; anything else has its plain value by default, and is given by its name ------------


def _field(part: Part) -> Any:
    return field(default=part.plain, kw_only=True, metadata={"part": part})


def _part(declared: Any) -> Part | None:
    """Part that a field, or what else stands in the body of a class, declares."""
    return declared if isinstance(declared, Part) else getattr(declared, "metadata", {}).get("part")


def _required(declared: Any) -> Part:
    """Part of a table or of several together; a mistake in a declaration shows when its module is imported."""
    if (part := _part(declared)) is None:
        raise TypeError(f"{declared!r} says nothing about what to draw; expected number(...), point(...) or the like")
    return part


def size(most: int, limit: int = LARGEST) -> Any:
    """A size, drawn from 1 on."""
    return field(metadata={"part": Size(most, limit)})


def run(most: int, of: str = "") -> Any:
    """The length of a run, in steps or in episodes of so many steps."""
    return field(metadata={"part": Size(most, LONGEST, run=True, of=of)})


def counted(most: int = 1, limit: int = LARGEST, least: int = 1, inside: str = "", handles: frozenset[str] = NONE) -> Any:
    """A size that is no field but the length of a table; without `most` a fixed number, and with `limit` 0 no user fixes it."""
    return Size(most, limit, least, inside, plain=least, handles=handles)


def number(most: Extent, least: int = 0, handles: frozenset[str] = NONE) -> Any:
    """An integer; the least one is the plain one."""
    return _field(Number(most, least, plain=least, handles=handles))


def index(of: str) -> Any:
    """Index of one that a size counts."""
    return _field(Number(f"{of}-1", index=of, plain=0))


def point(corners: Extent) -> Any:
    """A point of a simplex with so many corners."""
    return _field(Corner(corners, plain=(0, 0)))


def flag(handles: frozenset[str] = NONE, where: str = "", unless: str = "") -> Any:
    """Whether something is so; not so where the algorithm does not handle it, or the size `where` is 1, or `unless` is."""
    return _field(Option((False, True), flag=True, plain=False, handles=handles, where=where, unless=unless))


def option(options: Sequence[Any], handles: frozenset[str] = NONE, where: str = "", plain: Any = None) -> Any:
    """Choice among several values, the plain one first unless another is named."""
    return _field(Option(options, plain=options[0] if plain is None else plain, handles=handles, where=where))


def table(*axes_and_entry: Any, plain: tuple[()] | None = None) -> Any:
    """Nested tuples: an extent for each axis, and then what an entry is."""
    *axes, entry = axes_and_entry
    declared = Table(tuple(axes), replace(_required(entry), plain=None), plain=plain)  # no entry is too plain to be checked
    return field(metadata={"part": declared}) if plain is None else _field(declared)


def together(*members: Any) -> Any:
    """Several parts of one thing."""
    return Together(tuple(map(_required, members)))


class DrawnRecipe(Recipe[InstanceT]):
    """A recipe that is declared: subclasses are frozen dataclasses whose fields are made with the functions above, and `build`.

    Parts are drawn in the order of the declaration, and each may depend on those before.
    """

    declared: ClassVar[dict[str, Part]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.declared = cls.declared | {name: part for name, value in vars(cls).items() if (part := _part(value)) is not None}
        for name, kind in inspect.get_annotations(cls).items():
            if name not in cls.declared and "ClassVar" not in str(kind):
                expected = f"`{name}: int = size(3)` or the like"
                raise TypeError(f"{cls.__name__}.{name} says nothing about what to draw; expected {expected}")

    @classmethod
    def suited(cls, handles: frozenset[str]) -> type[DrawnRecipe[InstanceT]]:
        """Recipes for an algorithm that handles problems beyond the plain one: these, unless a subclass knows others."""
        return cls

    @classmethod
    def size_limits(cls, handles: frozenset[str] = NONE) -> Mapping[str, int]:
        """Sizes that may be fixed, each with the largest it may be."""
        return {name: part.limit for name, part in cls.suited(handles).sizes().items() if part.most > 1 and part.limit}

    @classmethod
    def runs(cls, handles: frozenset[str] = NONE) -> tuple[str, ...]:
        """Names of the sizes that are lengths of runs."""
        return tuple(name for name, part in cls.suited(handles).sizes().items() if part.run)

    @classmethod
    def sizes(cls) -> dict[str, Size]:
        """Parts that are sizes."""
        return {name: part for name, part in cls.declared.items() if isinstance(part, Size)}

    @classmethod
    def strategy(cls, handles: frozenset[str] = NONE, sizes: Mapping[str, int] | None = None) -> SearchStrategy[Self]:
        """The hypothesis strategy to draw from, the simplest recipe first; with some sizes fixed.

        Raises
        ------
        UsageError
            If no instance has all of them.
        """
        from hypothesis import strategies

        suited: Any = cls.suited(handles)
        given = sizes or {}
        for outer in given:
            if given[outer] == 1 and (inner := suited._inside(outer, given)):
                told = ", ".join(f"{name} = {size}" for name, size in inner.items())
                raise UsageError(f"{outer} = 1 with {told}: these sizes belong to one {outer} less; give a larger {outer}")
        return strategies.composite(lambda draw: suited.drawn(Draw(draw, given, handles)))()

    @classmethod
    def _inside(cls, outer: str, given: Mapping[str, int]) -> dict[str, int]:
        """Sizes above 1 that are fixed and can only be so where another is above 1, too."""
        return {name: n for name, n in given.items() if n > 1 and getattr(cls.declared[name], "inside", "") == outer}

    @classmethod
    def drawn(cls, draw: Draw) -> Self:
        """A recipe."""
        return cls.of(cls.filled(draw, {}, cls.declared))

    @classmethod
    def filled(cls, draw: Draw, values: Values, names: Iterable[str]) -> Values:
        """The values, and those of these names that are missing, which are drawn in this order."""
        for name in names:
            if name not in values:
                part = cls.declared[name]
                value = draw.given[name] if name in draw.given else part.value(draw, values)
                values[name] = 2 if value == 1 and cls._inside(name, draw.given) else value  # else what is fixed has no place
        return values

    @classmethod
    def of(cls, values: Values) -> Self:
        """The recipe of these values, within the bounds."""
        return cls(**{item.name: cls.declared[item.name].fitted(values[item.name], values) for item in fields(cls)})  # type: ignore[arg-type]  # a dataclass

    @property
    def size(self) -> int:
        """Numbers in its tables, steps of the run, and one for each complication."""
        amounts = {name: part.amount(getattr(self, name)) for name, part in self.declared.items()}
        for name, part in self.sizes().items():
            amounts[name] *= getattr(self, part.of) if part.of else 1
        return sum(amounts.values())

    def smaller(self) -> Iterator[Self]:
        """Smaller recipes: shorter runs, less of everything in turn, fewer complications, then simpler numbers."""
        values: Values = {name: getattr(self, name) for name in self.declared}
        counts = frozenset(chain.from_iterable(part.counts for part in self.declared.values()))
        sizes = self.sizes()
        for name in sorted(sizes, key=lambda name: (not sizes[name].run, name not in counts)):
            n = values[name] if values[name] > sizes[name].least else 0
            for i in range(n if name in counts else 0):
                left = {other: part.without(values[other], name, i, values) for other, part in self.declared.items()}
                yield self.of({**left, name: n - 1})
            for less in dict.fromkeys((1, n // 2, n - 1)) if name not in counts else ():
                yield from (self.of({**values, name: less}),) if 0 < less < n else ()
        yield from self._simplified(values, lambda part: not part.counts)
        yield from self._simplified(values, lambda part: bool(part.counts))

    def _simplified(self, values: Values, which: Callable[[Part], bool]) -> Iterator[Self]:
        """Recipes with one part simplified."""
        for name, part in self.declared.items():
            if which(part):
                yield from (self.of({**values, name: simpler}) for simpler in part.simpler(values[name], values))

    def tables(self) -> str:
        """Sizes and numbers, and the rows of tables; a subclass shows the instance in the notation of its paper."""
        nested = [name for name, part in self.declared.items() if isinstance(part, Nested)]
        facts = ", ".join(f"{name} = {getattr(self, name)}" for name in self.declared if name not in nested)
        rows = [[f"{name}[{i}]", str(row)] for name in nested for i, row in enumerate(getattr(self, name))]
        return f"{facts}\n{printed.table(['', 'as drawn'], rows)}"

    def transcript(self, run: Any) -> str:
        """Table with a row per episode, the path s -a-> s', or per entry of the arrays that the view on the run has."""
        return printed.episodes(run) if hasattr(run, "states") else printed.arrays(run)


# What they stand for ------------------------------------------------------------------------------------------------------


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
