"""Recipes of small factored MDPs, drawn and shrunk when counterexamples are searched for, see `verifier_settings.drawing`.

Each row of a factor's law is a value or halfway between two; each reward is 0, 1/2 or 1, or one of two of these with probability
1/2 each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, TypeAlias

import numpy as np

from verifier_settings import drawing
from verifier_settings.drawing import Draw, DrawnRecipe, Row
from verifier_settings.factored.instance import Instance, RewardPart, Scope, make
from verifier_settings.factored.phases import Run

LEVELS = np.array([0.0, 0.5, 1.0])

Piece: TypeAlias = tuple[Scope, Row]
"""The scope of a factor or of a reward, and a point for each of its cells."""


@dataclass(frozen=True)
class FactoredRecipe(DrawnRecipe[Instance]):
    """A small factored MDP; every episode starts in state 0.

    Parameters
    ----------
    state_sizes, action_sizes : tuple of int
        Numbers of values of the factors.
    H, K : int
        Steps and episodes.
    factors : tuple of Piece
        Of each factor of the next state: the point (i, j) goes to i or to j with probability 1/2 each.
    parts : tuple of Piece
        Of each part of the reward: the point (i, j) pays i/2 or j/2 with probability 1/2 each.
    """

    state_sizes: tuple[int, ...]
    action_sizes: tuple[int, ...]
    H: int
    K: int
    factors: tuple[Piece, ...]
    parts: tuple[Piece, ...]

    most: ClassVar[Mapping[str, int]] = {"n": 3}  # a scope may have all factors, and a law for each of their values
    legend: ClassVar[str] = "coordinates s1, s2, a1, ... and their values counted from 0; h and episodes from 1"

    @classmethod
    def drawn(cls, draw: Draw) -> FactoredRecipe:
        """Recipe drawn with up to two factors of three values, two actions, two rewards, three steps and six episodes."""
        (n,) = draw.sizes(n=2)
        states = tuple(draw.size(3) for _ in range(n))
        actions = draw.sizes(A=2)
        H, K = draw.sizes(H=3, K=6)
        sizes = (*states, *actions)
        factors = tuple(_piece(draw, sizes, size) for size in states)
        parts = tuple(_piece(draw, sizes, len(LEVELS)) for _ in range(draw.size(2)))
        return cls(states, actions, H, K, factors, parts)

    @property
    def size(self) -> int:
        """Cells of all scopes, steps of the run."""
        return sum(len(row) for _, row in (*self.factors, *self.parts)) + self.H * self.K

    def smaller(self) -> Iterator[FactoredRecipe]:
        """Smaller recipes: less of everything in turn, then simpler numbers."""
        yield from self._shorter("K")
        if self.H > 1:
            yield replace(self, H=self.H - 1)
        for i in drawing.several(len(self.parts)):
            yield replace(self, parts=drawing.without(self.parts, i))
        for j in drawing.several(len(self.state_sizes)):
            yield self._without_factor(j)
        sizes = (*self.state_sizes, *self.action_sizes)
        for i, size in enumerate(sizes):
            for value in drawing.several(size):
                yield self._without_value(i, value)
        for name in ("factors", "parts"):
            yield from self._simplified(name, lambda piece: _narrower(piece, sizes), 1)
            yield from self._simplified(name, _plainer, 1)

    def _without_factor(self, j: int) -> FactoredRecipe:
        """Recipe without a factor of the state, whose value is taken to be 0 where others depend on it."""
        sizes = (*self.state_sizes, *self.action_sizes)
        factors, parts = (
            tuple((tuple(i - (i > j) for i in scope), row) for scope, row in (_fixed(piece, sizes, j) for piece in pieces))
            for pieces in (drawing.without(self.factors, j), self.parts)
        )
        return replace(self, state_sizes=drawing.without(self.state_sizes, j), factors=factors, parts=parts)

    def _without_value(self, i: int, value: int) -> FactoredRecipe:
        """Recipe with a value of a coordinate less; laws that led there lead to the others, or to value 0."""
        sizes = (*self.state_sizes, *self.action_sizes)
        factors, parts = (tuple(_dropped(piece, sizes, i, value) for piece in pieces) for pieces in (self.factors, self.parts))
        if i < len(self.state_sizes):
            scope, row = factors[i]
            factors = (*factors[:i], (scope, drawing.dropped(row, value)), *factors[i + 1 :])
        fewer = tuple(size - (at == i) for at, size in enumerate(sizes))
        n = len(self.state_sizes)
        return replace(self, state_sizes=fewer[:n], action_sizes=fewer[n:], factors=factors, parts=parts)

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
        head = f"{drawing.facts(public, 'H K delta')}, sizes of {', '.join(names)}: {drawing.shown(public.sizes)}, starts in 0"
        blocks = [head]
        for j, (scope, row) in enumerate(self.factors):
            columns = [f"P(s{j + 1}={v})" for v in range(self.state_sizes[j])]
            blocks.append(self._block(scope, drawing.coordinates(row, self.state_sizes[j]), names, columns))
        for i, (scope, row) in enumerate(self.parts):
            columns = [f"P(r{i + 1}={drawing.number(level)})" for level in LEVELS]
            blocks.append(self._block(scope, drawing.coordinates(row, len(LEVELS)), names, columns))
        return "\n".join(blocks)

    def _block(self, scope: Scope, laws: Any, names: list[str], columns: list[str]) -> str:
        sizes = (*self.state_sizes, *self.action_sizes)
        cells = np.ndindex(*(sizes[i] for i in scope))
        return drawing.table(
            [*(names[i] for i in scope), *columns], ([*cell, *law] for cell, law in zip(cells, laws, strict=True))
        )

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: the path s -a-> s' of flat states and actions, and the rewards of each step."""
        rows = []
        for k, (states, actions) in enumerate(zip(run.states, run.actions, strict=True)):
            rewards = " ".join(drawing.shown(LEVELS[drawn]) for drawn in run.outcomes[k])
            rows.append([k + 1, drawing.path(states, actions), rewards])
        return drawing.table(["episode", "path", "rewards"], rows)


def _piece(draw: Draw, sizes: tuple[int, ...], corners: int) -> Piece:
    scope = tuple(i for i in range(len(sizes)) if draw.flag())
    return scope, draw.points(prod(sizes[i] for i in scope), corners)


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


def _narrower(piece: Piece, sizes: tuple[int, ...]) -> Iterator[Piece]:
    for i in piece[0]:
        yield _fixed(piece, sizes, i)


def _plainer(piece: Piece) -> Iterator[Piece]:
    """Pieces with a midpoint replaced by one of its ends."""
    scope, row = piece
    for simpler in drawing.variants(row, drawing.ends, 1):
        yield scope, simpler
