"""Meter of how often an algorithm plans, by what it needs for that; sessions of settings share it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np

from verifier.base.arrays import Array, IntArray

SAME = 1e-9
"""Relative to their size; what two evaluations of one value function may differ by. Rounding is far below, what is learned from
another step far above, or else it changes nothing that is compared."""


@dataclass
class _Pass:
    """Widths asked for one after the other.

    Attributes
    ----------
    asked : dict of (str, int) to array
        By quantity and step, the value function.
    again : set of (str, int)
        What was asked for once more with the same value function, which may belong to the next pass.
    at : int
        The clock at the last of them.
    """

    asked: dict[tuple[str, int], Array] = field(default_factory=dict)
    again: set[tuple[str, int]] = field(default_factory=set)
    at: int = 0


@dataclass(frozen=True)
class _Ended:
    """Pass of planning that has ended: its clock, what it asked for, and whether some value function was not zero."""

    at: int
    asked: frozenset[tuple[str, int]]
    valued: bool

    def plans(self, needed: Collection[tuple[str, int]]) -> bool:
        """Whether the pass has all widths that a plan is made with, and not only those of value functions that are zero."""
        return self.valued and self.asked.issuperset(needed)


class PlanningMeter:
    """Tells the planning passes of a run from one another, by the widths asked for.

    A pass of value iteration asks for the width of each (quantity, step) with the value function at hand. So another pass has
    begun when something was played since the last width was asked for, or when one is asked for again with another value
    function. The same width asked for twice with the same value function belongs to one pass: code may be written so. The plan
    that is yielded comes from the last pass before it; a pass without a plan is *secret*. Widths asked for without a value
    function are of no pass.

    A width may be asked for early, which is no planning: it cannot be value iteration if it leaves out a width that the plan was
    made with, or if its value functions are all zero, as they are where somebody reads off a width that is a constant.

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
        self._now = _Pass()
        self._before: list[_Ended] = []
        self._needed: Collection[tuple[str, int]] = ()
        self.secret: list[int] = []

    def ask(self, of: str, step: int, target: Array) -> None:
        """A width is asked for."""
        if not target.size:
            return
        at, known, key = self._clock(), self._now.asked.get((of, step)), (of, step)
        if self._now.asked and at != self._now.at:
            self._next({})
        elif known is not None and _same(known, target):
            self._now.again.add(key)
        elif known is not None:
            self._next({other: self._now.asked[other] for other in self._now.again})
        self._now.asked[key], self._now.at = target, at

    def plan(self) -> None:
        """A plan is yielded."""
        self._needed = tuple(self._now.asked)
        self._settle()

    def finish(self) -> IntArray:
        """The run is over: (n,) the clock at all secret passes."""
        self._next({})
        self._settle()
        return np.array(self.secret, dtype=np.int64)

    def _next(self, shared: dict[tuple[str, int], Array]) -> None:
        """Another pass begins, with what it has asked for already."""
        asked = self._now.asked
        self._before.append(_Ended(self._now.at, frozenset(asked), any(target.any() for target in asked.values())))
        self._now = _Pass(shared, at=self._now.at)

    def _settle(self) -> None:
        """Judge the passes that no plan came of."""
        self.secret += [one.at for one in self._before if one.plans(self._needed)]
        self._before, self._now = [], _Pass()


def _same(left: Array, right: Array) -> bool:
    if left is right:
        return True
    return left.shape == right.shape and bool((np.abs(left - right) <= SAME * (1.0 + np.abs(left))).all())
