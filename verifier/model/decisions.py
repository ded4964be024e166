"""Decisions of an agent, as an algorithm sees them that has followed its history."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions of consecutive episodes.

    Parameters
    ----------
    first : int
        The first of these episodes, from 0.
    states, actions, own : (n, H) int arrays
        Where the agent was, what it did, and what the algorithm would have done.
    loss : (n, H) array
        What the algorithm's own action is worth more, to it, than the one that was taken; 0 where they are the same.
    spread : (n, H) array
        The same for the action that is worth least to it: where that is 0, it has no opinion.
    rounding : (n, 1) array
        Of such a difference.
    tied : (n, H) boolean array
        Where another action is worth as much to the algorithm as its own.
    """

    first: int
    states: IntArray
    actions: IntArray
    own: IntArray
    loss: Array
    spread: Array
    rounding: Array
    tied: BoolArray

    @property
    def telling(self) -> int:
        """Number of decisions where not every action would do."""
        return int((self.spread > self.rounding).sum())

    @property
    def other(self) -> int:
        """Number of decisions where the algorithm would have taken another action, ties included."""
        return int((self.own != self.actions).sum())

    @property
    def followed(self) -> int:
        """Number of decisions where another action is worth as much to the algorithm, and its own was taken."""
        return int((self.tied & (self.own == self.actions)).sum())

    def refuted(self) -> tuple[int, int] | None:
        """Episode and step, from 0, of the first decision that the algorithm would not have made; None if there is none."""
        wrong = np.argwhere(self.loss > self.rounding)
        return (self.first + int(wrong[0, 0]), int(wrong[0, 1])) if len(wrong) else None
