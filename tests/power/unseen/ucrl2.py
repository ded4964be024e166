"""Bugs of UCRL2."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_reference.ucrl2.algorithm import UCRL2

from .bug import Unseen


class StepsOfRun(UCRL2):
    def time(self) -> float:
        return float(self.public.T)


class TakesFromSecondBest(UCRL2):
    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        p = kernel[..., order]
        p[..., 0] = self.raised(p[..., 0], radius)
        excess = np.maximum(p.sum(axis=-1) - 1.0, 0.0)
        for i in range(1, len(order)):
            taken = np.minimum(p[..., i], excess)
            p[..., i] -= taken
            excess -= taken
        return p[..., np.argsort(order)]


class StatesInLogarithm(UCRL2):
    def radius(self, visits: Array) -> Array:
        public = self.public
        return np.sqrt(14 * math.log(2 * public.S * public.A * self.time() / public.delta) / visits)


class MoreThanDoubled(UCRL2):
    def doubled(self, before: Array, now: Array) -> bool:
        return bool((now - before > np.maximum(before, 1.0)).any())


class ConstantOfRewards(UCRL2):
    def radius(self, visits: Array) -> Array:
        return super().radius(visits) / math.sqrt(2.0)


BUGS = (
    Unseen(
        "steps-of-run", StepsOfRun, ("radius-formula",), "t in the radius",
        "T, all steps of the run, in place of the step t of the plan in the logarithm of the radius", "anywhere", "oracle",
    ),
    Unseen(
        "takes-from-second-best", TakesFromSecondBest, ("q-formula",), "p of the optimistic model",
        "the excess of probability is taken from the best states first, not from the worst", "long-horizon", "oracle",
    ),
    Unseen(
        "states-in-logarithm", StatesInLogarithm, ("radius-formula",), "radius",
        "S stands in the logarithm of the radius and not before it", "anywhere",
    ),
    Unseen(
        "constant-of-rewards", ConstantOfRewards, ("radius-formula",), "14 in the radius",
        "7, the constant of the paper's interval for rewards, in place of 14 in the radius", "anywhere", "oracle", factor=True,
    ),
    Unseen(
        "more-than-doubled", MoreThanDoubled, ("plans-when-doubled",), "when plans are made",
        "a plan is due when visits since the last one exceed N, not when they reach it", "anywhere",
    ),
)  # fmt: skip
