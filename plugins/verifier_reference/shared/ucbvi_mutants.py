"""Bugs planted in UCBVI with either bonus."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant
from verifier_reference.shared.mutants import model_mutants, planning_mutants
from verifier_reference.ucbvi import UCBVI


class WithoutH(UCBVI):
    """The bonus not scaled by H."""

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """Bonus smaller by the factor H."""
        return super().bonus(h, visits, kernel, following) / self.public.H  # type: ignore[safe-super]  # the algorithm's own


class OffByOne(UCBVI):
    """N + 1 where N belongs."""

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """Bonus with one visit too many."""
        return super().bonus(h, visits + 1.0, kernel, following)  # type: ignore[safe-super]  # the algorithm's own


class PerVisit(UCBVI):
    """1/N where 1/sqrt(N) belongs."""

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """The square root forgotten."""
        return super().bonus(h, visits**2, kernel, following)  # type: ignore[safe-super]  # the algorithm's own


class ForgetsPrevious(UCBVI):
    """min(H, mean + bonus), without the plan before."""

    def optimistic(self, h: int, mean: Array, bonus: Array) -> Array:
        """Values without the minimum over earlier plans."""
        return np.minimum(float(self.public.H), mean + bonus)


class UnseenIsZero(UCBVI):
    """Q = 0 where nothing was seen."""

    def unseen(self) -> float:
        """Value 0, as arrays are made."""
        return 0.0


class Greedy(UnseenIsZero):
    """Bug: no optimism at all, the mean of the model, and 0 where nothing was seen.

    Without a bonus alone every pair is still tried once, since Q = H where nothing was seen.
    """

    def optimistic(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(H, mean)."""
        return np.minimum(float(self.public.H), mean)


def ucbvi_mutants(algorithm: type[UCBVI]) -> tuple[Mutant, ...]:
    """Bugs of UCBVI, and those of planning, planted in an algorithm."""
    mutant = partial(plant, algorithm)
    formula = ("bonus-formula", "q-formula")
    return (
        *planning_mutants(algorithm),
        mutant("without-h", "the bonus not scaled by H", WithoutH, (*formula, "bonus-validity"), differs="1/H times the formula"),
        mutant("off-by-one", "N + 1 in the bonus", OffByOne, (*formula, "bonus-validity"), differs="N + 1 for N"),
        mutant("per-visit", "1/N instead of 1/sqrt(N)", PerVisit, (*formula, "bonus-validity")),
        mutant("narrow-bonus", "the bonus divided by 2000", bugs.scaled_width(lambda public: 1 / 2000), ("width", "coverage"),
            differs="0.0005 times"),
        mutant("forgets-previous", "no minimum with the plan before", ForgetsPrevious, ("q-formula", "monotone"),
            differs="without the cut at Q_{k−1}"),
        mutant("unseen-is-zero", "Q = 0 where nothing was seen", UnseenIsZero, ("q-formula", "optimism"),
            differs="0 for H where not"),
        mutant("greedy", "no bonus, and Q = 0 where nothing was seen", Greedy, ("q-formula", "optimism")),
        *model_mutants(algorithm, "bonus-formula"),
    )  # fmt: skip
