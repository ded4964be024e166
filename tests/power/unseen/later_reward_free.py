"""Later bugs of LSVI-RFE."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_settings.reward_free import ExplorationPlan, PlanningPlan

from .bug import Unseen


class EnlargedByWeightedGram(LSVIRFE):
    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        H, d = self.public.H, self.public.d
        spread = self.spread((plan.estimate * x).sum(axis=-1), self.model.norm(x))
        variance = self.variance(spread)
        enlarged = self.enlarged(self.model.norm(x) / np.sqrt(variance))
        weight = np.maximum(np.where(enlarged, float(H * d**3), float(H)), variance)
        return {"spread": spread, "variance": variance, "weight": weight, "enlarged": enlarged.astype(np.int64)}


class MeanOfNextStep(LSVIRFE):
    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        H, d = self.public.H, self.public.d
        w = np.vstack([np.asarray(plan.estimate)[1:], np.zeros((1, d))])
        spread = self.spread((w * x).sum(axis=-1), self.model.norm(x))
        variance = self.variance(spread)
        enlarged = self.enlarged(self.variances.norm(x) / np.sqrt(variance))
        weight = np.maximum(np.where(enlarged, float(H * d**3), float(H)), variance)
        return {"spread": spread, "variance": variance, "weight": weight, "enlarged": enlarged.astype(np.int64)}


class RewardsFromTheEnd(LSVIRFE):
    def plan(self, theta: Array) -> PlanningPlan:
        return super().plan(theta[::-1])


class PlansWithVarianceGram(LSVIRFE):
    def plan(self, theta: Array) -> PlanningPlan:
        squares = np.einsum("xi,hij,xj->hx", self.public.phi, self.variances.inverse, self.public.phi)
        norms = np.sqrt(np.maximum(squares, 0))
        reward, bonus = np.broadcast_to(theta @ self.public.phi.T, norms.shape), np.empty_like(norms)

        def gain(h: int, target: Array) -> Array:
            bonus[h] = self.planning_bonus(self.width(h, target, of="planning"), norms[h])
            return reward[h] + bonus[h]

        return PlanningPlan(**self.backward(gain), bonus=bonus, measures=self.model.measures.copy())


class ThresholdAfterUpdate(LSVIRFE):
    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        H, d = self.public.H, self.public.d
        spread = self.spread((plan.estimate * x).sum(axis=-1), self.model.norm(x))
        variance = self.variance(spread)
        self.variances.add(x, variance)
        enlarged = self.enlarged(self.variances.norm(x) / np.sqrt(variance))
        weight = np.maximum(np.where(enlarged, float(H * d**3), float(H)), variance)
        return {"spread": spread, "variance": variance, "weight": weight, "enlarged": enlarged.astype(np.int64)}

    def update(self, x: Array, following: IntArray) -> None:
        self.model.observe(x, self.weights["weight"], following)


class SpreadOfBonus(LSVIRFE):
    def spread(self, mean: Array, norm: Array) -> Array:
        return super().spread(mean, 2 * norm)


class DNotSquared(LSVIRFE):
    def variance(self, spread: Array) -> Array:
        H, d = self.public.H, self.public.d
        return np.maximum(float(H), d / H * spread)


class RootOfWeight(LSVIRFE):
    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        found = super().weigh(plan, x)
        return {**found, "weight": np.sqrt(found["weight"])}


BUGS = (
    Unseen(
        "enlarged-by-weighted-gram", EnlargedByWeightedGram, ("enlarged", "last-enlarged"), "Lambda in the threshold",
        "the threshold has the norm of Lambda-hat^-1 in place of Lambda-tilde^-1", "two-states", "calibrated",
    ),
    Unseen(
        "mean-of-next-step", MeanOfNextStep, ("spread", "last-spread"), "w in W",
        "w_{h+1} in place of w_h in the spread (0 at the last step)", "rotated", "oracle",
    ),
    Unseen(
        "rewards-from-the-end", RewardsFromTheEnd, ("planning-q-formula",), "r",
        "theta_{H+1-h} in place of theta_h: the rewards in reverse order of the steps", "two-states", "calibrated",
    ),
    Unseen(
        "plans-with-variance-gram", PlansWithVarianceGram, ("planning-bonus",), "norm in b",
        "b_h has the norm of Lambda-tilde^-1 in place of Lambda-hat^-1", "two-states", "calibrated",
    ),
    Unseen(
        "threshold-after-update", ThresholdAfterUpdate, ("enlarged", "last-enlarged"), "Lambda-tilde in the threshold",
        "Lambda-tilde has the step itself in it when the threshold is looked at", "two-states", "calibrated",
    ),
    Unseen(
        "spread-of-bonus", SpreadOfBonus, ("spread", "last-spread"), "beta in W",
        "2 beta_E in place of beta_E in W", "two-states", "calibrated",
    ),
    Unseen(
        "d-not-squared", DNotSquared, ("variance", "last-variance"), "d^2",
        "d in place of d^2 in sigma-tilde^2", "simplex", "oracle",
    ),
    Unseen(
        "root-of-weight", RootOfWeight, ("weight", "last-weight"), "sigma-hat^2",
        "sigma-hat in place of sigma-hat^2 as weight", "two-states", "calibrated",
    ),
)  # fmt: skip
