"""The comparisons that a premise does not leave out: what broadcasts is not spread out where that is not needed."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray


class Compared:
    """The comparisons that a premise does not leave out.

    Parameters
    ----------
    premise : bool array
    shape : tuple of int
        Of the inequality; the premise broadcasts to it.
    tolerance : array, optional
        What they are allowed. Where those that are left are many, and some axis is none of the premise's, it is cheaper
        not to list them but to pass over the others; that takes tolerances that are numbers at these, too.

    Attributes
    ----------
    count : int
        How many there are.
    shape : tuple of int
        That of the inequality if nothing is left out or what is left out is passed over, else that of a list.
    """

    def __init__(self, premise: BoolArray, shape: tuple[int, ...], tolerance: Array | None = None) -> None:
        self._whole, size, true = shape, prod(shape), int(np.count_nonzero(premise))
        every = true == premise.size
        self.count = size if every else true * (size // premise.size)
        many = not every and premise.size < size and 3 * true >= premise.size
        self._inside = premise if many and tolerance is not None and np.isfinite(tolerance).all() else None
        self._places = None if every or self._inside is not None else np.flatnonzero(np.broadcast_to(premise, shape))
        self.shape: tuple[int, ...] = shape if self._places is None else (self.count,)

    def part(self, side: Array) -> Array:
        """Entries of a side at the comparisons that are made; it may have to be broadcast."""
        if self._places is None:
            return side
        if side.size == 1:
            return side.reshape(())
        return self._repeated(side, self._places)

    def _repeated(self, side: Array, places: IntArray) -> Array:
        """Entries of a side that is no number; entries that stand for a run of comparisons are repeated."""
        sized = (1,) * (len(self._whole) - side.ndim) + side.shape
        leading = max(i for i, n in enumerate(sized) if n > 1) + 1
        run = prod(self._whole[leading:])
        if run == 1:
            return np.broadcast_to(side, self._whole).reshape(-1).take(places)
        entries = np.broadcast_to(side.reshape(sized[:leading]), self._whole[:leading]).reshape(-1)
        ends = np.searchsorted(places, np.arange(len(entries) + 1) * run)
        return np.repeat(entries, np.diff(ends))

    def only(self, part: Array) -> Array:
        """A part with minus infinity where something is passed over."""
        return part if self._inside is None else np.where(self._inside, part, -np.inf)

    def counted(self, which: BoolArray) -> int:
        """Number of the comparisons that a part is true of."""
        if self._inside is not None:
            which = which & self._inside
            size = prod(self.shape)
        else:
            size = self.count
        if which.shape == self.shape:
            return int(np.count_nonzero(which))
        return int(np.count_nonzero(which)) * (size // which.size)

    def first(self, by: Array, among: BoolArray | None = None) -> int:
        """The first of the comparisons at which a part is largest, among those that another is true of."""
        if self._inside is not None:
            by, among = np.where(self._inside if among is None else self._inside & among, by, -np.inf), None
        by = by if by.shape == self.shape else np.broadcast_to(by, self.shape)
        if among is None:
            return int(by.argmax())
        places = np.flatnonzero(among if among.shape == self.shape else np.broadcast_to(among, self.shape))
        return int(places[by.reshape(-1).take(places).argmax()])

    def place(self, number: int) -> int:
        """The place of a comparison in the inequality, from 0 in the order of its entries."""
        return number if self._places is None else int(self._places[number])


def entry(side: Array, index: Sequence[Any]) -> Any:
    """The entry of an array that broadcasts to a shape, at an index of that."""
    if side.size == 1:
        return side.item()
    own = index[len(index) - side.ndim :]
    return side[tuple(0 if n == 1 else i for n, i in zip(side.shape, own, strict=True))]


def largest_of(array: Array) -> float:
    """The largest entry; NaN if one is."""
    return float(array.item() if array.size == 1 else array.max())  # many are single numbers, which are compared claim by claim


def by_tolerance(difference: Array, tolerance: Array) -> tuple[Array, Array]:
    """The largest differences of those that are allowed the same, and what they are allowed.

    Where a tolerance depends on the first axes only, these are few; rounding is monotone, so that no maximum is lost.
    """
    n = tolerance.size
    if n == 1 or (tolerance.ndim == difference.ndim and n == prod(difference.shape[: _leading(tolerance)])):
        return difference.reshape(n, -1).max(axis=1), tolerance.reshape(n)
    return difference, tolerance


def _leading(side: Array) -> int:
    """Number of axes up to the last one that is longer than 1."""
    return max((i for i, n in enumerate(side.shape) if n > 1), default=-1) + 1
