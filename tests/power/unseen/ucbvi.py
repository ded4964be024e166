"""Bugs of UCBVI with the bonuses of Hoeffding and of Bernstein."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

from .bug import Unseen


class EpisodesInLogarithm(HoeffdingUCBVI):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return 7 * public.H * math.log(5 * public.S * public.A * public.K / public.delta)


class VisitsOfState(HoeffdingUCBVI):
    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        of_state = np.maximum(self.visits().sum(axis=1, keepdims=True), 1.0)
        return np.sqrt(1.0 / np.broadcast_to(of_state, visits.shape))


class LosesRepeats(HoeffdingUCBVI):
    def learn(self, states: IntArray, actions: IntArray) -> None:
        # an index that occurs twice is incremented once, unlike by np.add.at
        self.transitions[states[:-1], actions, states[1:]] += 1.0
        self.arrivals[np.arange(len(states)), states] += 1.0


class PlaysPlanBefore(HoeffdingUCBVI):
    before: EpisodicPlan | None = None

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        super().play(env, self.before or plan, state)
        self.before = plan


class CutAtStep(HoeffdingUCBVI):
    def optimistic(self, h: int, mean: Array, bonus: Array) -> Array:
        return np.minimum(super().optimistic(h, mean, bonus), h + 1.0)


class VarianceOfMean(BernsteinUCBVI):
    def spread(self, visits: Array, kernel: Array, following: Array) -> Array:
        return super().spread(visits**2, kernel, following)


class ArrivalsAtOwnStep(BernsteinUCBVI):
    def correction(self, h: int, visits: Array, kernel: Array) -> Array:
        return super().correction(h - 1, visits, kernel)


class CapNotSquared(BernsteinUCBVI):
    def correction(self, h: int, visits: Array, kernel: Array) -> Array:
        S, A, H = self.public.S, self.public.A, self.public.H
        reached = np.maximum(self.arrivals[h + 1], 1.0)
        regret = np.where(self.arrivals[h + 1] > 0, np.minimum(100**2 * H**3 * S**2 * A * self.L**2 / reached, H), H)
        return np.sqrt(8 * (kernel @ regret) / visits)


class VarianceOfPlanBefore(BernsteinUCBVI):
    values: Array | None = None

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        before = following if self.values is None else self.values[h + 1]
        return self.spread(visits, kernel, before) + self.small(visits) + self.correction(h, visits, kernel)

    def plan(self) -> EpisodicPlan:
        plan = super().plan()
        self.values = plan.V.copy()
        return plan


BUGS = (
    Unseen(
        "episodes-in-logarithm", EpisodesInLogarithm, ("width",), "L",
        "K in place of T in the logarithm of the bonus", "few-long-episodes", factor=True,
    ),
    Unseen(
        "visits-of-state", VisitsOfState, ("bonus-formula",), "N in the bonus",
        "N(s), the sum over all actions, in place of N(s,a) in the bonus", "anywhere", "oracle",
    ),
    Unseen(
        "loses-repeats", LosesRepeats, ("visits",), "N",
        "a transition that occurs several times in an episode is counted once", "anywhere",
    ),
    Unseen(
        "plays-plan-before", PlaysPlanBefore, ("plays-policy",), "policy played",
        "the policy of the plan before is played", "anywhere", "oracle",
    ),
    Unseen(
        "cut-at-step", CutAtStep, ("q-formula",), "cut of Q",
        "Q is cut at h, counted from 1, in place of H", "anywhere", "oracle",
    ),
    Unseen(
        "variance-of-mean", VarianceOfMean, ("bonus-formula",), "Var in the bonus",
        "the variance of the next value is divided by N twice", "anywhere", "oracle",
    ),
    Unseen(
        "arrivals-at-own-step", ArrivalsAtOwnStep, ("bonus-formula",), "N' in the bonus",
        "N'_h(y) in place of N'_{h+1}(y) in the last term of the bonus", "anywhere", "oracle",
    ),
    Unseen(
        "cap-not-squared", CapNotSquared, ("bonus-formula",), "cut in the bonus",
        "the last term of the bonus is cut at H in place of H^2", "anywhere",
    ),
    Unseen(
        "variance-of-plan-before", VarianceOfPlanBefore, ("bonus-formula",), "Var in the bonus",
        "the variance in the bonus is that of the values of the plan before", "anywhere", "oracle",
    ),
)  # fmt: skip
