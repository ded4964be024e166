"""Thompson sampling for Bernoulli bandits (Algorithm 1 of Agrawal and Goyal 2012)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_bandits.arms import Arms
from verifier_settings.episodic import EpisodicPlan, Public


class ThompsonSampling(Arms):
    """Draws a mean for each arm from its Beta posterior, and plays the arm whose draw is largest. Rewards are 0 or 1."""

    name: ClassVar[str] = "thompson"
    title: ClassVar[str] = "Thompson sampling with Beta posteriors (Algorithm 1)"
    paper: ClassVar[str] = "Analysis of Thompson Sampling for the Multi-armed Bandit Problem (COLT 2012)"
    regimes: ClassVar[tuple[str, ...]] = ("published",)
    instances: ClassVar[tuple[str, ...]] = ("bandit-*", "!bandit-wide", "!bandit-graded")  # no coins
    extra: ClassVar[Mapping[str, tuple[int | str, ...]]] = {"alpha": ("A",), "beta_s": ("A",)}
    draws: ClassVar[str] = "beta"
    yields: ClassVar[frozenset[str]] = frozenset({"Q"})
    width_names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Width 0: posterior sampling has none."""
        return 0.0

    def plan(self) -> EpisodicPlan:
        """A draw for each arm, and the arm of the largest."""
        alpha, beta = self.posterior()
        theta = self.sample(alpha, beta)
        arm = self.best(theta)
        return EpisodicPlan(
            Q=theta[None, None], V=np.array([[theta.max()], [0.0]]), policy=np.array([[arm]]),
            extra={"alpha": alpha, "beta_s": beta},
        )  # fmt: skip

    def posterior(self) -> tuple[Array, Array]:
        """S + 1 and F + 1 for the S successes and F failures of each arm."""
        return self.earned + 1.0, self.visits - self.earned + 1.0

    def sample(self, alpha: Array, beta: Array) -> Array:
        """A draw from Beta(S + 1, F + 1) for each arm."""
        return self.rng.beta(alpha, beta)

    def best(self, theta: Array) -> int:
        """The first arm of largest draw."""
        return int(theta.argmax())
