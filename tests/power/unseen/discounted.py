"""Bugs of RAVI-UCB, tabular and for linear mixtures."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import DiscountedEnvironment, Public

from .bug import Unseen


class PlaysEpochBefore(TabularRaviUCB):
    before: Array | None = None

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        played, self.before = policy if self.before is None else self.before, policy
        return super().play_epoch(env, played)


class LawOfStateBefore(TabularRaviUCB):
    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        laws = np.cumsum(policy, axis=1)
        rows: list[int] = []
        successors: list[int] = []
        x = env.state
        while env.steps < self.public.T:
            a = min(int(np.searchsorted(laws[x], next(self._uniform), side="right")), self.public.A - 1)
            x = env.state
            rows.append(x * self.public.A + a)
            successors.append(env.step(a))
            if next(self._uniform) >= self.public.gamma:
                env.reset()
                break
        return rows, successors


class PhantomForgotten(TabularRaviUCB):
    def estimate(self, V: Array) -> Array:
        counted = np.maximum(self.visits - 1.0, 1.0)
        return (self.transitions @ V / counted).reshape(self.public.X, self.public.A)


class HorizonNotSquared(TabularRaviUCB):
    def learning_rate(self) -> float:
        A, H, T = self.public.A, self.public.H, self.public.T
        return math.sqrt(2.0 * math.log(A) / (H * T))


class UniformInValue(TabularRaviUCB):
    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        _, policy = super().improve(log_policy, Q, eta)
        return np.log(np.exp(eta * Q).mean(axis=1)) / eta, policy


class ValueOfOwnState(MixtureRaviUCB):
    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        super().learn(rows, [row // self.public.A for row in rows], V)


class EpochAsOneStep(MixtureRaviUCB):
    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        gram, moment = self.gram, self.moment
        super().learn(rows, successors, V)
        self.gram = gram + (self.gram - gram) / len(rows)
        self.moment = moment + (self.moment - moment) / len(rows)


class BoundNotSquared(MixtureRaviUCB):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        growth = math.log1p(public.B * public.H * public.T / (public.ridge * public.d))
        noise = public.H * math.sqrt(2.0 * (public.d / 2.0 * growth + math.log(1.0 / public.delta)))
        return noise + math.sqrt(public.ridge) * public.B


class NoCoinAfterFirst(MixtureRaviUCB):
    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        laws = np.cumsum(policy, axis=1)
        rows: list[int] = []
        successors: list[int] = []
        while env.steps < self.public.T:
            x = env.state
            a = min(int(np.searchsorted(laws[x], next(self._uniform), side="right")), self.public.A - 1)
            rows.append(x * self.public.A + a)
            successors.append(env.step(a))
            if len(rows) > 1 and next(self._uniform) >= self.public.gamma:
                env.reset()
                break
        return rows, successors


BUGS = (
    Unseen(
        "plays-epoch-before", PlaysEpochBefore, ("actions",), "policy played",
        "the policy of the epoch before is played", "mixture-myopic", "oracle", trials=6,
    ),
    Unseen(
        "law-of-state-before", LawOfStateBefore, ("actions",), "policy played",
        "actions are drawn from the policy at the state before", "random-half", "oracle[model=exact]",
    ),
    Unseen(
        "phantom-forgotten", PhantomForgotten, ("estimate",), "N in P-hat",
        "N - 1 in place of N in the empirical kernel", "random-point",
    ),
    Unseen(
        "horizon-not-squared", HorizonNotSquared, ("learning-rate",), "H in eta",
        "H in place of H^2 in the learning rate", "tree", "scaled(0.03)", factor=True,
    ),
    Unseen(
        "uniform-in-value", UniformInValue, ("log-sum-exp",), "policy in V",
        "the uniform policy in place of pi_{k-1} in V_k", "random-point", "oracle",
    ),
    Unseen(
        "value-of-own-state", ValueOfOwnState, ("regression",), "V of what follows",
        "V(x_t) in place of V(x_{t+1}) in the regression", "mixture-base",
    ),
    Unseen(
        "epoch-as-one-step", EpochAsOneStep, ("gram",), "Lambda and its data",
        "the sums over an epoch are divided by its length", "mixture-base",
    ),
    Unseen(
        "no-coin-after-first", NoCoinAfterFirst, ("coin",), "coin",
        "no coin is flipped after the first step of an epoch", "mixture-base", trials=6,
    ),
    Unseen(
        "bound-not-squared", BoundNotSquared, ("width",), "B H in the logarithm of beta",
        "B H in place of B^2 H^2 in the logarithm of beta", "mixture-base", factor=True,
    ),
)  # fmt: skip
