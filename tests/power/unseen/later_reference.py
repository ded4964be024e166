"""Later bugs of UCBVI-BF, LSVI-UCB, MVP, RLSVI, PSRL and UCB-Hoeffding."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.mvp.algorithm import MVP, Pair
from verifier_reference.psrl.algorithm import PSRL
from verifier_reference.q_learning import At
from verifier_reference.rlsvi.algorithm import RLSVI
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan

from .bug import Unseen


class OneVisitLess(BernsteinUCBVI):
    def spread(self, visits: Array, kernel: Array, following: Array) -> Array:
        return super().spread(np.maximum(visits - 1, 1.0), kernel, following)


class BetaUnderRoot(LSVIUCB):
    def plan(self) -> EpisodicPlan:
        public, phi = self.public, self.public.phi
        inverse = np.linalg.inv(self.gram)
        V = self.initial_values()
        Q = np.empty((public.H, public.S, public.A))
        estimate = np.empty((public.H, public.d))
        for h in self.steps():
            target = self.target(V, h)
            beta = self.width(h, target, of="regression")
            estimate[h] = inverse[h] @ (self.rewards[h] + self.transitions[h] @ target)
            bonus = np.sqrt(beta * self.norm(phi, inverse[h]) ** 2)
            Q[h] = self.optimistic(phi @ estimate[h], bonus).reshape(public.S, public.A)
            V[h] = self.value(Q[h])
        return EpisodicPlan(Q=Q, V=V, policy=self.greedy(Q), gram=self.gram.copy(), estimate=estimate)


class ActionOfStepBefore(LSVIUCB):
    before = 0

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        used, self.before = (self.before if h else action), action
        super().learn(h, state, used, reward, following)


class ValuesOfPlanBefore(LSVIUCB):
    old: Array | None = None

    def target(self, V: Array, h: int) -> Array:
        old = V if self.old is None else self.old
        if h == 0:
            self.old = V
        return np.asarray(old[h + 1])


class KernelOfHalf(MVP):
    old: Array | None = None

    def update(self, at: Pair, count: float) -> None:
        if self.old is None:
            self.old = np.zeros_like(self.counts)
        super().update(at, count)
        self.kernel[at] = (self.counts[at] - self.old[at]) / self.recent(count)
        self.old[at] = self.counts[at]


class SumsKept(MVP):
    def update(self, at: Pair, count: float) -> None:
        kept = self.sums[at]
        super().update(at, count)
        self.sums[at] = kept


class CountsOfNow(MVP):
    def counted(self) -> Array:
        return np.maximum(self.counts.sum(axis=2), 1.0)


class OneNoisePerStep(RLSVI):
    def noise(self, deviation: Array) -> Array:
        return np.asarray(self.rng.normal() * deviation)


class NoiseReused(RLSVI):
    def noise(self, deviation: Array) -> Array:
        return np.random.default_rng(deviation.size).normal(scale=deviation)


class DrawPerStep(PSRL):
    def plan(self) -> EpisodicPlan:
        public = self.public
        V = self.initial_values()
        Q = np.empty((public.H, public.S, public.A))
        for h in self.steps():
            kernel = self.sample(self.posterior)
            Q[h] = (self.reward + kernel @ self.target(V, h)).reshape(public.S, public.A)
            V[h] = Q[h].max(axis=1)
        return EpisodicPlan(Q=Q, V=V, policy=self.greedy(Q), posterior=self.posterior.copy(), kernel=kernel)


class SkipsLastStep(PSRL):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        if h < self.public.H - 1:
            super().learn(h, state, action, reward, following)


class PriorMeanWhereUnseen(PSRL):
    def sample(self, posterior: Array) -> Array:
        drawn = super().sample(posterior)
        unseen = (posterior == self.prior()).all(axis=1)
        return np.where(unseen[:, None], 1.0 / self.public.S, drawn)


class LearnsBackwards(HoeffdingQLearning):
    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        seen = []
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, reward = env.step(action)
            seen.append((h, state, action, reward, following))
            state = following
        for step in reversed(seen):
            self.learn(*step)


class WholeBonus(HoeffdingQLearning):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        at = (h, state, action)
        t = self.count(at)
        value = self.target(h, following)
        self.rates[at] = self.rate(t)
        self.bonuses[at] = self.bonus(at, t, value, self.width(h, of="update"))
        self.Q[at] = self.moved(self.Q[at], self.rates[at], reward + value) + self.bonuses[at]
        self.V[h, state] = self.value(self.Q[h, state])


class VisitsOfState(HoeffdingQLearning):
    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        return float(width / np.sqrt(self.visits[at[0], at[1]].sum()))


BUGS = (
    Unseen(
        "one-visit-less", OneVisitLess, ("bonus-formula",), "N",
        "N - 1 in place of N in the term of the variance", "much-data",
    ),
    Unseen(
        "beta-under-root", BetaUnderRoot, ("q-formula",), "beta",
        "sqrt(beta) in place of beta", "linear",
    ),
    Unseen(
        "action-of-step-before", ActionOfStepBefore, ("gram",), "phi_h",
        "the data have phi(s_h, a_{h-1}) from the second step on", "linear", "oracle",
    ),
    Unseen(
        "values-of-plan-before", ValuesOfPlanBefore, ("value-function", "regression"), "V in the regression",
        "V_{h+1} of the plan before", "linear", "oracle",
    ),
    Unseen(
        "kernel-of-half", KernelOfHalf, ("kernel",), "P-hat",
        "P-hat from the second half of the visits alone", "random", "oracle",
    ),
    Unseen(
        "sums-kept", SumsKept, ("reward",), "theta",
        "theta is not set to 0 after an update", "coins", "oracle",
    ),
    Unseen(
        "counts-of-now", CountsOfNow, ("bonus-formula",), "n",
        "N of now in place of n of the last update in the bonus", "random", "oracle",
    ),
    Unseen(
        "one-noise-per-step", OneNoisePerStep, ("noise-law",), "w",
        "one normal number for all pairs of a step", "random",
    ),
    Unseen(
        "noise-reused", NoiseReused, ("noise-law",), "w",
        "the same normal numbers in every step and episode, scaled", "random",
    ),
    Unseen(
        "draw-per-step", DrawPerStep, ("q-formula",), "P_k",
        "another kernel is drawn for each step", "random",
    ),
    Unseen(
        "skips-last-step", SkipsLastStep, ("posterior",), "data",
        "what follows the last step is not learned", "random",
    ),
    Unseen(
        "prior-mean-where-unseen", PriorMeanWhereUnseen, ("sample-law",), "P_k",
        "rows without data are the prior's mean, not drawn", "random",
    ),
    Unseen(
        "learns-backwards", LearnsBackwards, ("q-formula",), "V_{h+1}",
        "the episode is learned from its last step to its first, with V_{h+1} that it has changed", "long-run",
    ),
    Unseen(
        "whole-bonus", WholeBonus, ("q-formula",), "b_t",
        "the bonus is not multiplied by alpha_t", "random",
    ),
    Unseen(
        "visits-of-state", VisitsOfState, ("bonus-formula",), "t",
        "t counts the visits of the state, not of the pair", "random", "scaled(0.03)",
    ),
)  # fmt: skip
