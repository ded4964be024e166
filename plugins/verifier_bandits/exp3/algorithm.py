"""Exp3 against an oblivious adversary (Section 3 of Auer, Cesa-Bianchi, Freund and Schapire 2002)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_bandits.arms import Arms
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class EXP3(Arms):
    """Exponential weights of estimated rewards, mixed with the uniform law; the arm is drawn from the mixture.

    What the paper calls K, the number of arms, is A here, and its T is K. After each round weights are divided by the largest,
    which changes no probability.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "exp3"
    title: ClassVar[str] = "Exp3 (Section 3)"
    paper: ClassVar[str] = "The Nonstochastic Multiarmed Bandit Problem (SIAM Journal on Computing 2002)"
    regimes: ClassVar[tuple[str, ...]] = ("published",)
    instances: ClassVar[tuple[str, ...]] = ("adversary-*", "bandit-*")
    handles: ClassVar[frozenset[str]] = frozenset({"noisy-rewards", "bandit", "adversarial"})
    extra: ClassVar[Mapping[str, tuple[int | str, ...]]] = {"gamma": (), "xhat": ("A",)}
    yields: ClassVar[frozenset[str]] = frozenset({"Q", "policy"})
    width_names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.weights: Array = np.ones(public.A)
        self.estimate: Array = np.zeros(public.A)
        self.chances: Array = np.full(public.A, 1.0 / public.A)
        self.gamma = self.exploration()

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Width 0: there is no confidence interval."""
        return 0.0

    def exploration(self) -> float:
        """gamma = min{1, sqrt(A ln A / ((e - 1) g))} of Corollary 3.2, with g = K, the most that an arm can pay."""
        A, K = self.public.A, self.public.K
        return min(1.0, math.sqrt(A * math.log(A) / ((math.e - 1) * K)))

    def plan(self) -> EpisodicPlan:
        """Share of each weight, and the probability of each arm."""
        share = self.shares(self.weights)
        self.chances = self.mixed(share)
        return EpisodicPlan(
            Q=share[None, None], V=np.array([[share.max()], [0.0]]), policy=self.chances[None, None],
            extra={"gamma": np.array(self.gamma), "xhat": self.estimate.copy()},
        )  # fmt: skip

    def shares(self, weights: Array) -> Array:
        """w_i / sum w."""
        return np.asarray(weights / weights.sum())

    def mixed(self, share: Array) -> Array:
        """p_i = (1 - gamma) w_i / sum w + gamma / A."""
        return (1 - self.gamma) * share + self.gamma / self.public.A

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan) -> None:
        """Draw an arm from the probabilities of the plan, and play it."""
        arm = self.draw(self.chances)
        _state, reward = env.step(arm)
        self.learn(arm, reward)

    def draw(self, chances: Array) -> int:
        """An arm."""
        return int(self.rng.choice(len(chances), p=chances))

    def learn(self, arm: int, reward: float) -> None:
        """Estimate the rewards of the round, and multiply the weights."""
        self.estimate = self.estimated(arm, reward)
        self.weights = self.updated(self.weights, self.estimate)

    def estimated(self, arm: int, reward: float) -> Array:
        """Estimates: the reward over its probability for the arm that was played, 0 for the others."""
        estimate = np.zeros(self.public.A)
        estimate[arm] = reward / self.chances[arm]
        return estimate

    def updated(self, weights: Array, estimate: Array) -> Array:
        """w_i exp(gamma estimate_i / A), over the largest of them."""
        grown = weights * np.exp(self.gamma * estimate / self.public.A)
        return np.asarray(grown / grown.max())
