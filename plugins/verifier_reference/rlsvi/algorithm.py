"""RLSVI for finite MDPs (Osband, Van Roy and Wen 2016; in the form of Russo 2019).

With one parameter for each step, state and action, least squares on data with noise, regularised towards values with noise, is
a draw from a normal law around the backup of the empirical model: with n visits of a pair, each of which has noise of variance
beta_k, and one value of that variance to which the regression is drawn,

    Q_h(s,a) = (1 / (n + 1)) [sum_i (r_i + w_i + V_{h+1}(s'_i)) + w_0]  has the law  N(R + P V_{h+1}, beta_k / (n + 1)),

where R and P are the sums over the n visits, divided by n + 1. So the noise is drawn at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_reference.episodes import BackwardInduction, StepByStep
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class RLSVI(BackwardInduction, StepByStep):
    """Value iteration on the empirical model, with noise in the rewards that is drawn anew for each episode.

    What it asks the width for is a factor of the noise.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "rlsvi"
    title: ClassVar[str] = "Randomized least-squares value iteration, RLSVI (Algorithm 1)"
    paper: ClassVar[str] = "Worst-Case Regret Bounds for Exploration via Randomized Value Functions (NeurIPS 2019)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.03)", "oracle")
    handles: ClassVar[frozenset[str]] = frozenset({"step-dependent", "noisy-rewards"})
    instances: ClassVar[tuple[str, ...]] = ("*", "!long-counts")  # its oracle looks at all episodes before: minutes
    yields: ClassVar[frozenset[str]] = frozenset({"Q", "V", "step_visits", "step_reward", "step_kernel", "noise"})
    kind: ClassVar[str] = "noise"
    width_names: ClassVar[tuple[str, ...]] = (kind,)
    rng: np.random.Generator

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        H, S, A = public.H, public.S, public.A
        self.earned: Array = np.zeros((H, S, A))
        self.transitions: Array = np.zeros((H, S, A, S))

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The noise as it is printed."""
        return 1.0

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Run with random numbers of the agent's own."""
        self.rng = env.rng
        yield from super().run(env)

    def plan(self) -> EpisodicPlan:
        """Value iteration on the empirical model, rewards with noise, from the last step to the first."""
        public, visits = self.public, self.visits()
        reward, kernel = self.reward(visits), self.kernel(visits)
        V = self.initial_values()
        Q, noise = np.empty(visits.shape), np.empty(visits.shape)
        for h in self.steps():
            target = self.target(V, h)
            noise[h] = self.noise(self.width(h, target, of=self.kind) * self.deviation(visits[h]))
            Q[h] = self.perturbed(reward[h] + kernel[h] @ target, noise[h])
            V[h] = Q[h].max(axis=1)
        H, X = public.H, public.S * public.A
        return EpisodicPlan(
            Q=Q, V=V, policy=self.greedy(Q), step_visits=visits.reshape(H, X), step_reward=reward.reshape(H, X),
            step_kernel=kernel.reshape(H, X, public.S), noise=noise.reshape(H, X),
        )  # fmt: skip

    def visits(self) -> Array:
        """Visits n_k(h,s,a)."""
        return np.asarray(self.transitions.sum(axis=3))

    def reward(self, visits: Array) -> Array:
        """The sum of rewards over n + 1."""
        return self.earned / (visits + 1.0)

    def kernel(self, visits: Array) -> Array:
        """The number of transitions over n + 1; what a row lacks ends the episode."""
        return self.transitions / (visits + 1.0)[..., None]

    def deviation(self, visits: Array) -> Array:
        """sqrt(beta_k / (n + 1))."""
        return np.sqrt(self.beta(self.episode()) / (visits + 1.0))

    def beta(self, k: float) -> float:
        """(1/2) S H^3 log(2 H S A k)."""
        H, S, A = self.public.H, self.public.S, self.public.A
        return S * H**3 * math.log(2 * H * S * A * k) / 2

    def episode(self) -> float:
        """k, counted from 1."""
        return float(self.transitions[0].sum()) + 1.0

    def noise(self, deviation: Array) -> Array:
        """Independent normal numbers with these standard deviations."""
        return self.rng.normal(scale=deviation)

    def perturbed(self, mean: Array, noise: Array) -> Array:
        """The backup with noise; nothing is cut off."""
        return mean + noise

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Add what was seen at the step."""
        self.earned[h, state, action] += reward
        self.transitions[h, state, action, following] += 1.0
