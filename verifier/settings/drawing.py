"""What recipes of several settings are made of: points of a simplex with few corners, and how they are drawn and printed.

A point ``(e_i + e_j)/2`` is written as the pair (i, j) of small numbers, so the numbers of an instance are exact in binary and
the simplest choice comes first. Only integers below 100 are drawn: what hypothesis draws from a seed then does not depend on
the constants it collects from the source files that happen to be loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from verifier.base.arrays import Array

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Point: TypeAlias = tuple[int, int]
"""(i, j) stands for (e_i + e_j)/2, counted from 0; (i, i) for e_i."""

COSINE, SINE = 0.6, 0.8


def points(size: int) -> SearchStrategy[Point]:
    """Corners and midpoints of edges of a simplex, e_0 first.

    Parameters
    ----------
    size : int
        Number of corners, at least 1; below 14, so that there are fewer than 100 points.
    """
    from hypothesis import strategies as st

    corners = [(i, i) for i in range(size)]
    middles = [(i, j) for j in range(size) for i in range(j)]
    return st.sampled_from([*corners, *middles]) if size > 1 else st.just((0, 0))


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


def without(row: tuple[Any, ...], i: int) -> tuple[Any, ...]:
    """A tuple without its entry i."""
    return row[:i] + row[i + 1 :]


def dropped(row: tuple[Point, ...], corner: int) -> tuple[Point, ...]:
    """Points without a corner of the simplex: what is left of each, the first corner where nothing is."""
    left = ([i - (i > corner) for i in point if i != corner] or [0] for point in row)
    return tuple((corners[0], corners[-1]) for corners in left)


def rounded(row: tuple[Point, ...]) -> Iterator[tuple[Point, ...]]:
    """One midpoint replaced by one of its ends."""
    for x, (i, j) in enumerate(row):
        for end in (i, j) if i != j else ():
            yield (*row[:x], (end, end), *row[x + 1 :])


def nested(value: Any, kind: type) -> Any:
    """Nested lists as nested tuples, or the other way round."""
    return kind(nested(item, kind) for item in value) if isinstance(value, (list, tuple)) else value


def number(x: float) -> str:
    """As a fraction where it is one of small numbers."""
    fraction = Fraction(float(x)).limit_denominator(25)
    return str(fraction) if abs(float(fraction) - x) < 1e-12 else f"{x:.4g}"


def vector(row: Array) -> str:
    """A row of numbers in brackets."""
    return "(" + ", ".join(map(number, row)) + ")"
