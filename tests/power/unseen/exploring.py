"""Bugs of RF-UCRL and BPI-UCRL."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_reference.bpi_ucrl.algorithm import BPIUCRL
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_settings.episodic import EpisodicPlan, Public

from .bug import Unseen


class KernelOfAllSteps(RFUCRL):
    def kernel(self, visits: Array) -> Array:
        pooled = self.transitions.sum(axis=0)
        kernel = pooled / np.maximum(pooled.sum(axis=2), 1.0)[..., None]
        return np.broadcast_to(kernel, self.transitions.shape)


class TargetOfPlanBefore(RFUCRL):
    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.before = self.initial_values()

    def target(self, V: Array, h: int) -> Array:
        return np.asarray(self.before[h + 1])

    def plan(self) -> EpisodicPlan:
        plan = super().plan()
        self.before = plan.V
        return plan


class StopsOnBonus(RFUCRL):
    def error(self, plan: EpisodicPlan) -> float:
        assert plan.bonus is not None
        return float(plan.bonus[0].reshape(self.public.S, self.public.A)[self.first].max())


class LargestLowerInGap(BPIUCRL):
    def gap(self, plan: EpisodicPlan) -> float:
        assert plan.lower is not None
        return float(plan.V[0, self.first] - plan.lower[0].reshape(self.public.S, self.public.A)[self.first].max())


class CutBeforeBonus(BPIUCRL):
    def lower(self, h: int, mean: Array, bonus: Array) -> Array:
        return np.maximum(mean, 0.0) - bonus


class BaseInsideLeftOut(BPIUCRL):
    def states(self, n: Array) -> Array:
        others = self.public.S - 1
        return others * np.log(1 + n / max(others, 1))


BUGS = (
    Unseen(
        "kernel-of-all-steps", KernelOfAllSteps, ("step-kernel",), "P-hat",
        "P-hat is estimated from the transitions of all steps together", "other-steps",
    ),
    Unseen(
        "target-of-plan-before", TargetOfPlanBefore, ("q-formula", "width-target"), "E of the next step",
        "E_h is computed from the table E_{h+1} of the plan before", "random", "scaled(0.1)",
    ),
    Unseen(
        "stops-on-bonus", StopsOnBonus, ("stopping-rule",), "what is compared when it stops",
        "it stops when the largest bonus of s_1 at the first step, without the errors of later steps, is at most epsilon / 2",
        "stops",
    ),
    Unseen(
        "largest-lower-in-gap", LargestLowerInGap, ("stopping-rule",), "L in the stopping rule",
        "the largest L_1(s_1, a) over actions in place of that of the action that the policy takes", "stops",
    ),
    Unseen(
        "cut-before-bonus", CutBeforeBonus, ("lower-formula",), "cut of L",
        "L is cut at 0 before the bonus is subtracted, not after it, so that it is negative", "random",
    ),
    Unseen(
        "base-inside-left-out", BaseInsideLeftOut, ("bonus-formula",), "e in beta",
        "ln(1 + n/(S-1)) in place of ln(e(1 + n/(S-1))) in beta", "long-run",
    ),
)  # fmt: skip
