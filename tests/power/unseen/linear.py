"""Bugs of LSVI-UCB and of UCRL-VTR."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB, C
from verifier_reference.ucrl_vtr.algorithm import UCRLVTR
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

from .bug import Unseen


class RootOfDimension(LSVIUCB):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return C * public.H * math.sqrt(public.d * math.log(2 * public.d * public.T / public.delta))


class InverseTwice(LSVIUCB):
    def norm(self, phi: Array, inverse: Array) -> Array:
        return np.asarray(np.linalg.norm(phi @ inverse, axis=1))


class LearnsAtAllSteps(LSVIUCB):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        for step in range(self.public.H):
            super().learn(step, state, action, reward, following)


class RewardOfStepBefore(LSVIUCB):
    earned: float = 0.0

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        self.earned = 0.0
        super().play(env, plan, state)

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        super().learn(h, state, action, self.earned, following)
        self.earned = reward


class SinglePrecisionSums(LSVIUCB):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        super().learn(h, state, action, reward, following)
        self.rewards = self.rewards.astype(np.float32).astype(float)


class RewardInTarget(UCRLVTR):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        super().learn(h, state, action, reward, following)
        self.moment = self.moment + reward * self.played.extra["features"][h, state * self.public.A + action]


class OneRidgeInDeterminant(UCRLVTR):
    def growth(self, gram: Array) -> float:
        return max(0.0, float(np.linalg.slogdet(gram)[1]) - math.log(self.public.ridge))


class RidgeWithoutRoot(UCRLVTR):
    def bias(self) -> float:
        return self.public.ridge * self.public.B


class FirstStepNotLearned(UCRLVTR):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        if h > 0:
            super().learn(h, state, action, reward, following)


class RangeOfWhatIsLeft(UCRLVTR):
    def bonus(self, h: int, root_beta: float, features: Array, inverse: Array) -> Array:
        left = (self.public.H - h) / self.public.H
        return super().bonus(h, self.bias() + left * (root_beta - self.bias()), features, inverse)


BUGS = (
    Unseen(
        "root-of-dimension", RootOfDimension, ("width",), "d in beta",
        "the root of d in place of d in beta", "linear", factor=True,
    ),
    Unseen(
        "inverse-twice", InverseTwice, ("q-formula",), "norm in the bonus",
        "the Euclidean norm of Lambda^-1 phi in place of the norm of phi under Lambda^-1", "linear", "oracle",
    ),
    Unseen(
        "learns-at-all-steps", LearnsAtAllSteps, ("gram",), "Lambda and its data",
        "what was seen at a step is added to the data of all steps", "linear",
    ),
    Unseen(
        "reward-of-step-before", RewardOfStepBefore, ("regression",), "r in the regression",
        "the reward of the step before, 0 at the first step, in place of r_h in the regression", "linear",
    ),
    Unseen(
        "single-precision-sums", SinglePrecisionSums, ("regression",), "r in the regression",
        "the sums of rewards are kept in single precision", "random",
    ),
    Unseen(
        "reward-in-target", RewardInTarget, ("regression",), "y in the regression",
        "the target of the regression is r + V_{h+1}, and not V_{h+1}", "mixture-constants",
    ),
    Unseen(
        "one-ridge-in-determinant", OneRidgeInDeterminant, ("radius-formula",), "lambda^m in the radius",
        "lambda in place of lambda^m under the determinant", "mixture-constants",
    ),
    Unseen(
        "ridge-without-root", RidgeWithoutRoot, ("radius-formula",), "root of lambda in the radius",
        "lambda B in place of sqrt(lambda) B in the radius", "mixture-constants",
    ),
    Unseen(
        "range-of-what-is-left", RangeOfWhatIsLeft, ("bonus", "radius-formula"), "H in the radius",
        "H - h in place of H in the radius of step h, counted from 0", "mixture-constants",
    ),
    Unseen(
        "first-step-not-learned", FirstStepNotLearned, ("gram",), "M and its data",
        "the first step of every episode is left out of the regression", "mixture-constants",
    ),
)  # fmt: skip
