"""OFUL for linear bandits with finite decision sets (Figure 1 of Abbasi-Yadkori, Pál and Szepesvári 2011)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class OFUL(Algorithm):
    """Ridge regression of rewards on features, and optimism over an ellipsoid of parameters.

    The paper maximises <x, theta> over the decision set and the ellipsoid together. For one x the largest value over the
    ellipsoid is <x, theta_hat> + sqrt(beta) ||x|| in the norm of V^-1. So the action of largest index is the one that the paper
    plays.

    Rewards are in [0, 1]. By Hoeffding's lemma their noise is R-subgaussian with R = 1/2. The bound S of ||theta|| is called B.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "oful"
    title: ClassVar[str] = "OFUL (Figure 1)"
    paper: ClassVar[str] = "Improved Algorithms for Linear Stochastic Bandits (NeurIPS 2011)"
    setting: ClassVar[str] = "episodic"
    groups: ClassVar[tuple[str, ...]] = ("bandits",)
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.1)", "oracle")
    instances: ClassVar[tuple[str, ...]] = ("linear-bandit-*",)
    handles: ClassVar[frozenset[str]] = frozenset({"noisy-rewards", "bandit", "linear-bandit"})
    yields: ClassVar[frozenset[str]] = frozenset({"gram", "estimate", "bonus"})
    extra: ClassVar[Mapping[str, tuple[int | str, ...]]] = {"root_beta": ()}
    kind: ClassVar[str] = "ellipsoid"
    width_names: ClassVar[tuple[str, ...]] = (kind,)
    public: Public

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.gram: Array = public.ridge * np.eye(public.d)
        self.moment: Array = np.zeros(public.d)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The radius as it is printed."""
        return 1.0

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Plan, play an action of the decision set, learn what it paid, K times."""
        while env.episode < self.public.K:
            state = env.begin_episode()
            plan = self.plan()
            yield plan
            self.play(env, plan, state)

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play the action of the plan."""
        action = int(plan.policy[0, state])
        _following, reward = env.step(action)
        self.learn(self.features(state, action), reward)

    def features(self, state: int, action: int) -> Array:
        """Features of the pair that was played."""
        return np.asarray(self.public.phi[state * self.public.A + action])

    def learn(self, x: Array, reward: float) -> None:
        """V += x x' and moment += x r."""
        self.gram = self.gram + np.outer(x, x)
        self.moment = self.moment + x * reward

    def plan(self) -> EpisodicPlan:
        """Index <theta_hat, x> + sqrt(beta) ||x|| of every pair, and the action of largest index in every state."""
        public = self.public
        inverse = np.linalg.inv(self.gram)
        theta, root_beta = self.estimate(inverse), self.radius(self.gram)
        width = self.width(0, np.zeros(public.S), of=self.kind)
        bonus = width * root_beta * self.norm(public.phi, inverse)
        index = self.index(public.phi @ theta, bonus).reshape(public.S, public.A)
        return EpisodicPlan(
            Q=index[None], V=np.stack([index.max(axis=1), np.zeros(public.S)]), policy=self.greedy(index)[None],
            gram=self.gram[None].copy(), estimate=theta[None], bonus=bonus[None], extra={"root_beta": np.array(root_beta)},
        )  # fmt: skip

    def estimate(self, inverse: Array) -> Array:
        """theta_hat = V^-1 sum x r."""
        return np.asarray(inverse @ self.moment)

    def radius(self, gram: Array) -> float:
        """sqrt(beta) = R sqrt(2 log(det(V)^(1/2) det(lambda I)^(-1/2) / delta)) + sqrt(lambda) B, Theorem 2."""
        return self.deviation() * math.sqrt(2 * self.confidence() + self.growth(gram)) + self.bias()

    def deviation(self) -> float:
        """R, of rewards in [0, 1]."""
        return 0.5

    def confidence(self) -> float:
        """log(1/delta)."""
        return math.log(1 / self.public.delta)

    def growth(self, gram: Array) -> float:
        """log(det(V) / lambda^d)."""
        return float(np.linalg.slogdet(gram)[1]) - self.public.d * math.log(self.public.ridge)

    def bias(self) -> float:
        """Bias that the regulariser gives the estimate, at most."""
        return math.sqrt(self.public.ridge) * self.public.B

    def norm(self, phi: Array, inverse: Array) -> Array:
        """||x|| in the norm of V^-1 of every pair."""
        return np.sqrt(np.maximum((phi @ inverse * phi).sum(axis=1), 0.0))

    def index(self, mean: Array, bonus: Array) -> Array:
        """The sum."""
        return mean + bonus

    def greedy(self, index: Array) -> IntArray:
        """The first action of largest index in every state."""
        return index.argmax(axis=1)
