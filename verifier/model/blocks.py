"""Parts of large comparisons, one after the other: what is computed of one on the way stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from verifier.base.arrays import Array

BLOCK = 1 << 15
"""Number of comparisons that are looked at together, about."""


def blocks(shape: tuple[int, ...]) -> Iterator[Any]:
    """Parts of the first axis, as indices; one that is everything where there are few comparisons or no axis."""
    size = prod(shape)
    if size <= 2 * BLOCK or shape[0] == 1:
        yield ...
        return
    rows = max(1, BLOCK * shape[0] // size)
    for first in range(0, shape[0], rows):
        yield slice(first, first + rows)


def rows_of(side: Array, shape: tuple[int, ...], rows: Any) -> Array:
    """Such a part of an array that broadcasts to a shape."""
    return side if rows is ... or side.ndim < len(shape) or side.shape[0] == 1 else side[rows]


def distance_and_size(left: Array, right: Array) -> tuple[Array, Array]:
    """|left - right| and the larger of |left| and |right|, one block of the first axis after the other."""
    value, trivial = np.empty(left.shape), np.empty(left.shape)
    for rows in blocks(left.shape):
        one, other, difference, size = left[rows], right[rows], value[rows], trivial[rows]
        np.subtract(one, other, out=difference)
        np.abs(difference, out=difference)
        np.abs(one, out=size)
        np.maximum(size, np.abs(other), out=size)
    return value, trivial
