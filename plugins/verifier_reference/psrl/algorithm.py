"""PSRL (Algorithm 1 of Osband, Russo and Van Roy 2013)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_reference.episodes import BackwardInduction, StepByStep
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

PRIOR = 1.0
"""Every row of the kernel has the law Dirichlet(1, ..., 1) a priori, independently; the paper leaves the prior open."""


class PSRL(BackwardInduction, StepByStep):
    """Draws a kernel from the posterior at the start of each episode, and plays an optimal policy of it. Rewards are known.

    Parameters
    ----------
    public : Public
    width : Width
        Not asked for.
    """

    name: ClassVar[str] = "psrl"
    title: ClassVar[str] = "Posterior sampling, PSRL (Algorithm 1)"
    paper: ClassVar[str] = "(More) Efficient Reinforcement Learning via Posterior Sampling (NeurIPS 2013)"
    regimes: ClassVar[tuple[str, ...]] = ("published",)
    handles: ClassVar[frozenset[str]] = frozenset({"redrawn"})
    yields: ClassVar[frozenset[str]] = frozenset({"posterior", "kernel"})
    width_names: ClassVar[tuple[str, ...]] = ()
    rng: np.random.Generator

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.reward: Array = public.reward
        self.posterior: Array = np.full((public.S * public.A, public.S), self.prior())

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Width 0: posterior sampling has none."""
        return 0.0

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Run with random numbers of the agent's own."""
        self.rng = env.rng
        yield from super().run(env)

    def plan(self) -> EpisodicPlan:
        """Backward induction on a kernel drawn from the posterior."""
        public = self.public
        kernel = self.sample(self.posterior)
        V = self.initial_values()
        Q = np.empty((public.H, public.S, public.A))
        for h in self.steps():
            Q[h] = (self.reward + kernel @ self.target(V, h)).reshape(public.S, public.A)
            V[h] = Q[h].max(axis=1)
        return EpisodicPlan(Q=Q, V=V, policy=self.greedy(Q), posterior=self.posterior.copy(), kernel=kernel)

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Bayes' rule: one more visit of the next state."""
        self.posterior[state * self.public.A + action, following] += 1.0

    def prior(self) -> float:
        """The parameter of each next state before anything was seen."""
        return PRIOR

    def sample(self, posterior: Array) -> Array:
        """Sample of each row from its Dirichlet law."""
        weights = self.rng.standard_gamma(posterior)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
