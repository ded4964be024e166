"""Later bugs of FMDP-CH and of FMDP-BF, with and without knapsacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier_fmdp import bernstein
from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.knapsack.algorithm import Knapsack, Steps
from verifier_fmdp.knapsack.model import Model as KnapsackModel
from verifier_fmdp.model import Model, Moments

from .bug import Unseen


class AllStatesInRadius(FMDPCH):
    def radius(self, model: Model, L: float) -> Array:
        share = 4 * self.public.S * L / np.maximum(model.visits, 1.0)
        return model.at_factors(np.sqrt(share) + share / 3)


class MeanOverFactors(FMDPCH):
    def total(self, rewards: Array, factors: Array) -> Array:
        return np.asarray(rewards.mean(axis=0) + factors.mean(axis=0))


class GapWithoutLower(FMDPBF):
    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        return super().moments(model, above, gap)._replace(squares=super().moments(model, above, above).squares)


class LowerForItself(FMDPBF):
    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        Q = super().pessimistic(known, mean, bonus)
        return np.broadcast_to(Q.max(axis=1, keepdims=True), Q.shape)


class OwnCountInFourthRoot(FMDPBF):
    def eta(self, model: Model, L: float) -> Array:
        per_visit = model.at_factors(L / np.maximum(model.visits, 1.0))
        sizes = model.at_factors(model.structure.support.astype(float))
        phi = self.radius(model, L)
        lower = np.stack([((4 * sizes * one) ** 0.25 + np.sqrt(4 * sizes * one / 3)).sum(axis=0) for one in per_visit])
        H = self.public.H
        return np.asarray(np.sqrt(16 * H**2 * per_visit) * lower + H * phi * phi.sum(axis=0))


class KnownInAny(FMDPBF):
    def known(self, model: Model) -> BoolArray:
        return np.asarray((model.at_factors(model.visits) > 0).any(axis=0))


class VarianceOfPart(FMDPBF):
    def reward_bonus(self, model: Model, L: Array) -> Array:
        sizes = self.structure.reward_sizes
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        mean = np.repeat([model.reward_variance[i : i + n].mean() for i, n in zip(first, sizes, strict=True)], sizes)
        return bernstein.reward_bonus(mean, L / np.maximum(model.reward_visits, 1.0))


class StaleBudget(Knapsack):
    old: int | None = None

    def refill(self) -> None:
        super().refill()
        self.old = None

    def flat(self) -> int:
        now = super().flat()
        used = now if self.old is None else self.old
        self.old = now
        return used


class _Saturating(KnapsackModel):
    @staticmethod
    def move(sizes: Sequence[int], i: int, cost: int) -> Array:
        whole: Array = np.ones((1, 1))
        for j, size in enumerate(sizes):
            part = np.eye(size)[np.maximum(np.arange(size) - cost, 0)] if j == i else np.eye(size)
            whole = np.kron(whole, part)
        return whole


class Saturates(Knapsack):
    def model(self, rows: list[Array]) -> KnapsackModel:
        return _Saturating.of(rows, self.public.supports, self.public.budgets)


class LastStepNotCounted(Knapsack):
    def learn(self, steps: Steps) -> None:
        super().learn(steps if len(steps) == self.public.H else steps[:-1])


class VariancesOfOtherFactors(Knapsack):
    def moments(self, model: KnapsackModel, above: Array, below: Array) -> tuple[Array, Array, Array]:
        mean, variance, correction = super().moments(model, above, below)
        return mean, variance[::-1], correction


BUGS = (
    Unseen(
        "all-states-in-radius", AllStatesInRadius, ("cross-term",), "phi",
        "S in place of |S_j| in phi_j", "overlap", "oracle",
    ),
    Unseen(
        "mean-over-factors", MeanOverFactors, ("q-formula",), "CB",
        "the mean over the factors of CB^P, not the sum", "overlap", "oracle",
    ),
    Unseen(
        "gap-without-lower", GapWithoutLower, ("correction",), "u_i",
        "u_i of V itself, not of V - lower", "overlap", "scaled(0.001)",
    ),
    Unseen(
        "lower-for-itself", LowerForItself, ("lower-formula",), "action of lower",
        "lower takes the best action for itself, not pi", "overlap", "scaled(0.001)",
    ),
    Unseen(
        "own-count-in-fourth-root", OwnCountInFourthRoot, ("cross-term",), "N in eta",
        "N_i in place of N_j in the sum of eta_i", "overlap", "oracle",
    ),
    Unseen(
        "known-in-any", KnownInAny, ("known",), "known",
        "a pair is known if one of its factors was seen", "rivers", "oracle",
    ),
    Unseen(
        "variance-of-part", VarianceOfPart, ("reward-bonus",), "sigma_R",
        "the mean of the variances of all cells of a part", "overlap", "oracle",
    ),
    Unseen(
        "stale-budget", StaleBudget, ("plays-policy",), "b",
        "a_h is that of b_{h-1}", "one-budget", "scaled(0.001)",
    ),
    Unseen(
        "saturates", Saturates, ("q-formula",), "b - c",
        "a cost above what is left leaves 0, and the episode goes on", "one-budget", "oracle[model=exact]",
    ),
    Unseen(
        "last-step-not-counted", LastStepNotCounted, ("visits",), "N",
        "the step that ends an episode early is not counted", "one-budget", "scaled(0.001)",
    ),
    Unseen(
        "variances-of-other-factors", VariancesOfOtherFactors, ("variance",), "sigma_i",
        "sigma^2 of the factors in reverse order", "two-budgets", "scaled(0.001)",
    ),
)  # fmt: skip
