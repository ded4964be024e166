"""The comparisons of a formula of which some fail, as what explains them is looked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.scope import Scope
from verifier.model.statement import Statement

_MOST = 20_000
"""Comparisons that are looked at; of more, those of some consecutive plans."""


@dataclass(frozen=True, eq=False)
class Failing:
    """Comparisons of a formula of which some fail, all arrays of the same shape.

    Parameters
    ----------
    statement : Statement
    scope : Scope
    failing, compared : bool array
    reported, expected, tolerance : array
    rows : slice
        Of the first axis: which of the scope these are.
    """

    statement: Statement
    scope: Scope
    failing: BoolArray
    compared: BoolArray
    reported: Array
    expected: Array
    tolerance: Array
    rows: slice

    @classmethod
    def of(cls, stated: tuple[Statement, Scope], failing: BoolArray, compared: BoolArray, *sides: Array) -> Failing:
        """The comparisons, or some of them where they are very many."""
        rows = _rows(failing)
        failing, compared, *parts = (array[rows] if failing.ndim else array for array in (failing, compared, *sides))
        reported, expected, tolerance = parts
        return cls(*stated, failing, compared, reported, expected, tolerance, rows)

    def cut(self, array: Array) -> Array:
        """The rows of an array that broadcasts to all comparisons of the scope."""
        return array[self.rows] if array.ndim and array.shape[0] > 1 else array

    def full(self, array: Array) -> Array:
        """An array over all comparisons."""
        return np.broadcast_to(array, self.failing.shape)


def _rows(failing: BoolArray) -> slice:
    """Rows of the first axis around the first that fails, so many that there are enough comparisons."""
    if failing.size <= _MOST or not failing.ndim:
        return slice(None)
    most = max(2, _MOST * failing.shape[0] // failing.size)
    first = int(np.argmax(failing.any(axis=tuple(range(1, failing.ndim)))))
    return slice(max(0, first - 1), max(0, first - 1) + most)
