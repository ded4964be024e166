"""Bugs of MVP."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_reference.mvp.algorithm import MVP, Pair
from verifier_settings.episodic import Public

from .bug import Unseen


class NaturalLogarithm(MVP):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return math.log(9 * public.S**2 * public.A * public.H * (1 + math.log(public.T)) / public.delta)


class ForgetsKernel(MVP):
    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.before: Array = np.zeros(self.counts.shape)

    def update(self, at: Pair, count: float) -> None:
        super().update(at, count)
        self.kernel[at] = (self.counts[at] - self.before[at]) / self.recent(count)
        self.before[at] = self.counts[at]


class MeanNotSquared(MVP):
    def variance(self, target: Array) -> Array:
        return np.maximum(self.kernel @ target**2 - self.kernel @ target, 0.0)


class AllVisitsInBonus(MVP):
    def counted(self) -> Array:
        return np.maximum(self.counts.sum(axis=2), 1.0)


class OldRewardsKept(MVP):
    def update(self, at: Pair, count: float) -> None:
        total = self.sums[at]
        super().update(at, count)
        self.sums[at] = total


BUGS = (
    Unseen(
        "natural-logarithm", NaturalLogarithm, ("width",), "log2 T in iota",
        "ln T in place of log2 T in iota", "anywhere", factor=True,
    ),
    Unseen(
        "forgets-kernel", ForgetsKernel, ("kernel",), "P-hat",
        "P-hat is estimated from the transitions since the update before, as rewards are", "one-action",
    ),
    Unseen(
        "mean-not-squared", MeanNotSquared, ("bonus-formula",), "Var in the bonus",
        "E V^2 - E V in place of E V^2 - (E V)^2 as the variance", "anywhere", "oracle",
    ),
    Unseen(
        "all-visits-in-bonus", AllVisitsInBonus, ("bonus-formula",), "n in the bonus",
        "N, all visits so far, in place of n, those at the last update, in the bonus", "anywhere", "oracle",
    ),
    Unseen(
        "old-rewards-kept", OldRewardsKept, ("reward",), "r-hat",
        "the rewards of before the last update are not cleared, and divided by the number of those since", "anywhere",
    ),
)  # fmt: skip
