"""Expectations under product laws by elimination: the factors of the next state are integrated out one after the other.

After some of them what is left is the same at all pairs that agree in the cells of these factors, and few pairs do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import Array, IntArray, frozen
from verifier_settings.factored.products import inner


class Elimination:
    """An order in which factors are integrated out, the last one first.

    Parameters
    ----------
    cells : sequence of n (X,) int arrays
        The cell that each of X pairs is in, by factor; the laws of a factor are given by cell.
    sizes : sequence of n int
        How many values each factor has.
    """

    def __init__(self, cells: Sequence[IntArray], sizes: Sequence[int]) -> None:
        self.cells, self._sizes, self._stages = tuple(cells), tuple(sizes), list[tuple[IntArray, IntArray]]()
        joint = np.zeros(len(cells[0]), dtype=np.int64)
        for cell in reversed(cells):
            some, following = _distinct(joint * (cell.max(initial=0) + 1) + cell)
            self._stages.insert(0, (frozen(cell[some]), frozen(joint[some])))
            joint = following
        self._pairs = frozen(joint)

    def expectation(self, laws: Sequence[Array], values: Array) -> Array:
        """(..., X) E V under the product of laws (..., cells, S_j), or of differences of laws, for values (..., S)."""
        return self._without(laws, values[..., None], len(laws))

    def marginals(self, laws: Sequence[Array], values: Array) -> tuple[Array, ...]:
        """E V over all factors but j, as a function of factor j: n arrays (..., S_j, X), for laws (cells, S_j)."""
        found, left = list[Array](), values[..., None]
        for j in reversed(range(len(laws))):
            law, split = self._stage(j, laws[j], left)
            found.insert(0, self._without(laws, np.swapaxes(split, -3, -2), j))
            left = inner(split, law, axis=-2)
        return tuple(found)

    def squares(self, laws: Sequence[Array], values: Array) -> Array:
        """(n, ..., X) M_i = E over the factors 1..i of (E over those after i of V)^2, for i = 1..n."""
        found, left = list[Array](), values[..., None]
        for i in reversed(range(len(laws))):
            found.insert(0, self._without(laws, left**2, i + 1))
            left = self._step(i, laws[i], left)
        return np.stack(np.broadcast_arrays(*found))

    def variances(self, laws: Sequence[Array], values: Array) -> Array:
        """(n, ..., X) sigma_i^2 = E over the factors before i of the variance over factor i of E over those after it.

        By the definition and not as M_i - M_{i-1}, which cancels.
        """
        found, left = list[Array](), values[..., None]
        for i in reversed(range(len(laws))):
            law, split = self._stage(i, laws[i], left)
            left = inner(split, law, axis=-2)
            found.insert(0, self._without(laws, inner((split - left[..., None, :]) ** 2, law, axis=-2), i))
        return np.stack(np.broadcast_arrays(*found))

    def _without(self, laws: Sequence[Array], left: Array, n: int) -> Array:
        """Values (..., S_1 ... S_n, u) with the first n factors integrated out, at the pairs."""
        for j in reversed(range(n)):
            left = self._step(j, laws[j], left)
        return np.take(left[..., 0, :], self._pairs, axis=-1)

    def _step(self, j: int, law: Array, left: Array) -> Array:
        """Values with one factor less."""
        law, split = self._stage(j, law, left)
        return inner(split, law, axis=-2)

    def _stage(self, j: int, law: Array, left: Array) -> tuple[Array, Array]:
        """The law (..., 1, S_j, u) of a factor, and with an axis for its values what is left, where that has to be known.

        What differs comes last, since it is much, and the values of a factor are few.
        """
        cell, later = self._stages[j]
        split = np.take(left, later, axis=-1)
        size = self._sizes[j]
        return (
            np.take(np.swapaxes(law, -1, -2), cell, axis=-1)[..., None, :, :],
            split.reshape(*split.shape[:-2], split.shape[-2] // size, size, split.shape[-1]),
        )


def _distinct(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Place of the first of each distinct small whole number, in ascending order, and the place of all in that order."""
    first = np.full(int(numbers.max(initial=-1)) + 1, -1)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    found = first >= 0
    return first[found], (np.cumsum(found) - 1)[numbers]
