"""Bugs of LSVI-RFE."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_settings.reward_free import ExplorationPlan, PlanningPlan

from .bug import Unseen


class CapNotSquared(LSVIRFE):
    def spread(self, mean: Array, norm: Array) -> Array:
        H = self.public.H
        zeta = H * math.sqrt(self.public.ridge) / (2 * self.public.K * math.sqrt(self.public.d))
        return np.minimum(H * (mean + self.beta * norm + zeta), float(H))


class DimensionNotSquared(LSVIRFE):
    def variance(self, spread: Array) -> Array:
        H, d = self.public.H, self.public.d
        return np.maximum(float(H), d / H * spread)


class OtherGramInTest(LSVIRFE):
    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        variances, self.variances = self.variances, self.model
        try:
            return super().weigh(plan, x)
        finally:
            self.variances = variances


class RewardsReversed(LSVIRFE):
    def plan(self, theta: Array) -> PlanningPlan:
        return super().plan(theta[::-1])


class VarianceAsWeight(LSVIRFE):
    def update(self, x: Array, following: IntArray) -> None:
        self.variances.add(x, self.weights["variance"])
        self.model.observe(x, self.weights["variance"], following)


BUGS = (
    Unseen(
        "cap-not-squared", CapNotSquared, ("spread",), "cut of W", "W is cut at H in place of H^2", "rotated", "calibrated",
    ),
    Unseen(
        "dimension-not-squared", DimensionNotSquared, ("variance",), "d in the variance",
        "d in place of d^2 in the variance", "rotated", "oracle", factor=True,
    ),
    Unseen(
        "other-gram-in-test", OtherGramInTest, ("enlarged",), "Lambda in the test of the weight",
        "the norm that decides on the larger weight is that of Lambda-hat, not of Lambda-tilde", "rotated", "calibrated",
    ),
    Unseen(
        "rewards-reversed", RewardsReversed, ("planning-q-formula",), "r in Q",
        "the rewards are planned for in the reverse order of steps", "rotated", "calibrated",
    ),
    Unseen(
        "variance-as-weight", VarianceAsWeight, ("gram",), "weight in Lambda-hat",
        "sigma-tilde^2 in place of sigma-hat^2 as the weight in Lambda-hat", "rotated", "calibrated",
    ),
)  # fmt: skip
