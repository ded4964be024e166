"""The cells of several scopes together, and pairs among which is one of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import IntArray, cached_property, frozen

TRANSITIONS, REWARDS = "transitions", "rewards"
"""The kinds of scopes."""


@dataclass(frozen=True)
class Cells:
    """The cells of k scopes, C of each; where a scope has fewer, its first one stands for those it lacks.

    Attributes
    ----------
    first : (k*C,) int array
        The first pair of each cell, j*X + x for the scope j and the pair x.
    place : (k, X) int array
        The cell of each pair, j*C + c for the cell c.
    """

    first: IntArray
    place: IntArray

    @classmethod
    def of(cls, scopes: Sequence[IntArray]) -> Cells:
        """Those of scopes, of each of which the cell is given that each pair is in, (X,)."""
        own, number = np.stack(scopes), np.arange(len(scopes))[:, None]
        most = int(own.max()) + 1
        first = np.zeros((len(own), most), dtype=np.int64)
        for j, cells in enumerate(own):
            first[j, : cells.max() + 1] = np.unique(cells, return_index=True)[1]
        return cls(frozen((first + number * own.shape[1]).ravel()), frozen(own + number * most))

    @cached_property
    def pairs(self) -> IntArray:
        """(R,) pairs among which is the first one of every cell."""
        return np.unique(self.first % self.place.shape[1])

    @cached_property
    def times(self) -> IntArray:
        """(k, R) how many pairs are in the cell of which such a pair is the first one; 0 where it is not."""
        whole = np.zeros(self.place.shape, dtype=np.int64)
        whole.flat[self.first] = np.bincount(self.place.ravel(), minlength=len(self.first))[self.place.flat[self.first]]
        return frozen(whole[:, self.pairs])
