"""Bugs of FMDP-BF with knapsacks."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier_fmdp.knapsack.algorithm import Knapsack
from verifier_fmdp.knapsack.model import Model

from .bug import Unseen


class BudgetsTransposed(Knapsack):
    def flat(self) -> int:
        sizes = tuple(B + 1 for B in self.public.budgets)
        return int(np.ravel_multi_index(tuple(self.remaining), sizes, order="F"))


class LowerFromAbove(Knapsack):
    gap: Array

    def moments(self, model: Model, above: Array, below: Array) -> tuple[Array, Array, Array]:
        found = super().moments(model, above, below)
        self.gap = found[0] - model.mean(below)
        return found

    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        return super().pessimistic(known, mean + self.gap, bonus)


class BudgetsWithoutZero(Knapsack):
    @property
    def log(self) -> float:
        public = self.public
        return math.log(18 * (public.d + 1) * public.T * public.X * math.prod(public.budgets) / public.delta)


class MeanNotSquared(Knapsack):
    def moments(self, model: Model, above: Array, below: Array) -> tuple[Array, Array, Array]:
        mean, variance, correction = super().moments(model, above, below)
        variance[0] = np.maximum(model.squares(above)[0] - mean, 0.0)
        return mean, variance, correction


class SizesOfStates(Knapsack):
    def sizes(self) -> Array:
        return np.full(self.public.d + 1, self.public.S)


BUGS = (
    Unseen(
        "budgets-transposed", BudgetsTransposed, ("plays-policy",), "budget of the policy played",
        "the axes of the budgets are transposed where the policy is looked up", "two-budgets", "scaled(0.001)",
    ),
    Unseen(
        "lower-from-above", LowerFromAbove, ("lower-formula",), "P-hat V in the lower values",
        "the lower values are computed from the upper ones of the next step", "two-budgets", "oracle[bonus=error]",
    ),
    Unseen(
        "budgets-without-zero", BudgetsWithoutZero, ("width", "reward-bonus", "cross-term"), "L",
        "B in place of B + 1 in the logarithm of the bonuses", "two-budgets",
    ),
    Unseen(
        "mean-not-squared", MeanNotSquared, ("variance",), "variance",
        "the mean is not squared in the variance over the next state", "two-budgets",
    ),
    Unseen(
        "sizes-of-states", SizesOfStates, ("cross-term",), "s_j in eta",
        "S, the number of states, in place of the number of costs in eta", "two-budgets",
    ),
)  # fmt: skip
