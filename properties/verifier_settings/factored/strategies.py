"""Recipes of small factored MDPs, drawn and shrunk when counterexamples are searched for, see `verifier_settings.drawing`.

Each row of a factor's law is a value or halfway between two; each reward is 0, 1/2 or 1, or one of two of these with probability
1/2 each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from verifier_settings import drawing, printed
from verifier_settings.drawing import DrawnRecipe, counted, run, size, table
from verifier_settings.factored.instance import Instance, RewardPart, Scope, make
from verifier_settings.factored.phases import Run
from verifier_settings.parts import Corner, Draw, Number, Part, Row, Table, Values

LEVELS = np.array([0.0, 0.5, 1.0])

Piece: TypeAlias = tuple[Scope, Row]
"""The scope of a factor or of a reward, and a point for each of its cells."""


@dataclass(frozen=True)
class Coordinate(Number):
    """Number of values of a factor; less of them are other laws, see `FactoredRecipe.smaller`."""

    def simpler(self, value: int, values: Values) -> Iterator[int]:
        """No other size alone."""
        yield from ()


@dataclass(frozen=True)
class Pieces(Part):
    """A scope and a point for each of its cells; drawn with the corners that the recipe says."""

    def drawn(self, draw: Draw, values: Values) -> Piece:
        """A piece."""
        sizes = _sizes(values)
        scope = tuple(i for i in range(len(sizes)) if draw.flag())
        return scope, tuple(draw.point(values["corners"]) for _ in range(prod(sizes[i] for i in scope)))

    def simpler(self, value: Piece, values: Values) -> Iterator[Piece]:
        """A smaller scope, or a simpler point."""
        scope, row = value
        yield from (_fixed(value, _sizes(values), i) for i in scope)
        yield from ((scope, simpler) for simpler in Table(("cells",), Corner(0)).simpler(row, values))

    def amount(self, value: Piece) -> int:
        """Number of cells."""
        return len(value[1])

    def without(self, value: Piece, size: str, i: int, values: Values) -> Piece:
        """The piece where a factor of the state that is left out is 0."""
        scope, row = _fixed(value, _sizes(values), i) if size == "n" else value
        return tuple(at - (size == "n" and at > i) for at in scope), row


@dataclass(frozen=True)
class FactoredRecipe(DrawnRecipe[Instance]):
    """A small factored MDP; every episode starts in state 0."""

    n = counted(2, limit=3)  # a scope may have all factors, and a law for each of their values
    state_sizes: tuple[int, ...] = table("n", Coordinate(3, least=1))
    A = counted(2)
    action_sizes: tuple[int, ...] = table("actions", Coordinate(2, least=1))
    H: int = size(3)
    K: int = run(6, of="H")
    factors: tuple[Piece, ...] = table("n", Pieces())  # of the next state: (i, j) goes to i or to j with probability 1/2 each
    p = counted(2, limit=0)
    parts: tuple[Piece, ...] = table("p", Pieces())  # of the reward: (i, j) pays i/2 or j/2 with probability 1/2 each
    actions = counted()  # one factor of the action is drawn; instances may have more

    legend: ClassVar[str] = "coordinates s1, s2, a1, ... and their values counted from 0; h and episodes from 1"

    @classmethod
    def drawn(cls, draw: Draw) -> Self:
        """A recipe with one factor of the action; the law of a factor has a corner for each of its values."""
        values = cls.filled(draw, {}, ["n", "state_sizes", "A", "H", "K"])
        values["action_sizes"], piece = (values["A"],), Pieces()
        values["factors"] = tuple(piece.drawn(draw, {**values, "corners": size}) for size in values["state_sizes"])
        return cls.of(cls.filled(draw, values | {"corners": len(LEVELS)}, cls.declared))

    def smaller(self) -> Iterator[Self]:
        """Smaller recipes; also with a value of a coordinate less."""
        yield from super().smaller()
        for i, values in enumerate(_sizes(vars(self))):
            yield from (self._without_value(i, value) for value in range(values if values > 1 else 0))

    def _without_value(self, i: int, value: int) -> Self:
        """Recipe with a value of a coordinate less; laws that led there lead to the others, or to value 0."""
        sizes = (*self.state_sizes, *self.action_sizes)
        factors, parts = ([_dropped(piece, sizes, i, value) for piece in pieces] for pieces in (self.factors, self.parts))
        if i < len(self.state_sizes):
            scope, row = factors[i]
            corner = Corner("values")
            factors[i] = scope, tuple(corner.without(point, "values", value, {}) for point in row)
        fewer = tuple(size - (at == i) for at, size in enumerate(sizes))
        n = len(self.state_sizes)
        return replace(self, state_sizes=fewer[:n], action_sizes=fewer[n:], factors=tuple(factors), parts=tuple(parts))

    def build(self) -> Instance:
        """The instance."""
        factors = [
            (scope, drawing.coordinates(row, size)) for (scope, row), size in zip(self.factors, self.state_sizes, strict=True)
        ]
        parts = [(scope, RewardPart(LEVELS, drawing.coordinates(row, len(LEVELS)))) for scope, row in self.parts]
        return make(self.state_sizes, self.action_sizes, factors, parts, H=self.H, K=self.K)

    def tables(self) -> str:
        """Sizes, and one row per cell of each scope: the law of the factor, or of the part of the reward."""
        public, n = self.build().public, len(self.state_sizes)
        names = [f"s{j + 1}" for j in range(n)] + [f"a{i + 1}" for i in range(len(self.action_sizes))]
        head = f"{printed.facts(public, 'H K delta')}, sizes of {', '.join(names)}: {printed.shown(public.sizes)}, starts in 0"
        blocks = [head]
        for j, (scope, row) in enumerate(self.factors):
            columns = [f"P(s{j + 1}={v})" for v in range(self.state_sizes[j])]
            blocks.append(self._block(scope, drawing.coordinates(row, self.state_sizes[j]), names, columns))
        for i, (scope, row) in enumerate(self.parts):
            columns = [f"P(r{i + 1}={printed.number(level)})" for level in LEVELS]
            blocks.append(self._block(scope, drawing.coordinates(row, len(LEVELS)), names, columns))
        return "\n".join(blocks)

    def _block(self, scope: Scope, laws: Any, names: list[str], columns: list[str]) -> str:
        sizes = _sizes(vars(self))
        return printed.listed({names[i]: range(sizes[i]) for i in scope}, dict(zip(columns, laws.T, strict=True)))

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: the path s -a-> s' of flat states and actions, and the rewards of each step."""
        rewards = [" ".join(printed.shown(LEVELS[drawn]) for drawn in outcomes) for outcomes in run.outcomes]
        return printed.episodes(run, after={"rewards": rewards})


def _sizes(values: Values) -> tuple[int, ...]:
    """Sizes of all coordinates."""
    return (*values["state_sizes"], *values["action_sizes"])


def _grid(piece: Piece, sizes: tuple[int, ...]) -> Any:
    """The cells of a piece by the values of its coordinates, as numbers of its points."""
    scope, row = piece
    return np.arange(len(row)).reshape([sizes[i] for i in scope])


def _fixed(piece: Piece, sizes: tuple[int, ...], i: int) -> Piece:
    """The piece where coordinate i is 0, which it then does not depend on."""
    scope, row = piece
    if i not in scope:
        return piece
    kept = np.take(_grid(piece, sizes), 0, axis=scope.index(i))
    return tuple(at for at in scope if at != i), tuple(row[cell] for cell in kept.ravel())


def _dropped(piece: Piece, sizes: tuple[int, ...], i: int, value: int) -> Piece:
    """The piece without the cells of a value of coordinate i."""
    scope, row = piece
    if i not in scope:
        return piece
    kept = np.delete(_grid(piece, sizes), value, axis=scope.index(i))
    return scope, tuple(row[cell] for cell in kept.ravel())
