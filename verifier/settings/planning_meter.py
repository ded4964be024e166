"""How often an algorithm plans, counted by what it needs for that: what sessions of settings share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, IntArray

SAME = 1e-9
"""Relative to their size; what two evaluations of one value function may differ by. Rounding is far below, what is learned from
another step far above, or else it changes nothing that is compared."""


class PlanningMeter:
    """Tells the planning passes of a run from one another, by the widths asked for.

    A pass of value iteration asks for the width of each (quantity, step) with the value function at hand. So another pass has
    begun when something was played since the last width was asked for, or when one is asked for again with another value
    function. The same width asked for twice with the same value function belongs to one pass: code may be written so. The plan
    that is yielded comes from the last pass before it; a pass without a plan is *secret*. Widths asked for without a value
    function are of no pass.

    Parameters
    ----------
    clock : callable
        How many steps have been played.

    Attributes
    ----------
    secret : list of int
        The clock at each pass that was followed by another one before any plan.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._asked: dict[tuple[str, int], Array] = {}
        self._at = 0
        self.secret: list[int] = []

    def ask(self, of: str, step: int, target: Array) -> None:
        """A width is asked for."""
        if not target.size:
            return
        now, before = self._clock(), self._asked.get((of, step))
        if self._asked and (now != self._at or (before is not None and not _same(before, target))):
            self._end()
        self._at = now
        self._asked[of, step] = target

    def plan(self) -> None:
        """A plan is yielded."""
        self._asked = {}

    def finish(self) -> IntArray:
        """The run is over: (n,) the clock at all secret passes."""
        if self._asked:
            self._end()
        return np.array(self.secret, dtype=np.int64)

    def _end(self) -> None:
        self.secret.append(self._at)
        self._asked = {}


def _same(left: Array, right: Array) -> bool:
    if left is right:
        return True
    return left.shape == right.shape and bool((np.abs(left - right) <= SAME * (1.0 + np.abs(left))).all())
