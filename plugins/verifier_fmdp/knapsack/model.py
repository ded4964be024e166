"""Moves of states and budgets under the laws of the factors, for all pairs and budgets at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array


@dataclass(frozen=True)
class Model:
    """The law of the next state, and of what is left of the budget after each cost by itself.

    Attributes
    ----------
    kernel : (X, S) array
    spends : tuple of (X, G, G) arrays
        For each cost the probability that b becomes b'; rows sum to less than 1 where a cost may exceed what is left, because
        nothing follows then.
    """

    kernel: Array
    spends: tuple[Array, ...]

    @classmethod
    def of(cls, rows: Sequence[Array], supports: Sequence[Sequence[int]], budgets: Sequence[int]) -> Model:
        """Model from the laws of the next state and of the costs on their supports, (X, size) each."""
        sizes = [B + 1 for B in budgets]
        spends = []
        for i, (law, support) in enumerate(zip(rows[1:], supports, strict=True)):
            moves = np.stack([cls.move(sizes, i, cost) for cost in support])
            spends.append(np.tensordot(law, moves, axes=1))
        return cls(rows[0], tuple(spends))

    @staticmethod
    def move(sizes: Sequence[int], i: int, cost: int) -> Array:
        """(G, G) one where b becomes b - cost in dimension i, as long as that is not negative."""
        one = [np.eye(size, k=-cost) if j == i else np.eye(size) for j, size in enumerate(sizes)]
        whole: Array = np.ones((1, 1))
        for part in one:
            whole = np.kron(whole, part)
        return whole

    def spend(self, values: Array, i: int) -> Array:
        """(X, S, G) E over cost i of values (X, S, G) at what is left."""
        return np.matmul(values, self.spends[i].swapaxes(1, 2))

    def move_on(self, values: Array) -> Array:
        """(X, G) E over the next state of values (X, S, G)."""
        return np.matmul(self.kernel[:, None], values)[:, 0]

    def tails(self, V: Array) -> list[Array]:
        """(X, S, G) what E over the last costs leaves of V(s', b - c), for no cost, the first, the first two, ..., all."""
        found = [np.broadcast_to(V, (len(self.kernel), *V.shape))]
        for i in reversed(range(len(self.spends))):
            found.insert(0, self.spend(found[0], i))
        return found

    def mean(self, V: Array) -> Array:
        """Mean E V(s', b - c), shape (X, G)."""
        return self.move_on(self.tails(V)[0])

    def squares(self, V: Array) -> Array:
        """(n, X, G) M_i = E over factor 0..i of the square of what E over the later ones leaves of V."""
        found = []
        for i, tail in enumerate(self.tails(V)):
            square = tail**2
            for j in reversed(range(i)):
                square = self.spend(square, j)
            found.append(self.move_on(square))
        return np.stack(found)
