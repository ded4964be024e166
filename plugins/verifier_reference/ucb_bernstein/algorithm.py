"""Q-learning with UCB-Bernstein bonuses (Algorithm 2 of Jin, Allen-Zhu, Bubeck and Jordan 2018)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_reference.q_learning import At, QLearning
from verifier_settings.episodic import EpisodicPlan, Public

C1, C2 = 30.0, 16.0
"""The absolute constants c_1, c_2 of beta, which the paper leaves open: large enough for its proof, see `shared/bernstein`."""


class BernsteinQLearning(QLearning):
    """The bonuses are such that their weighted sum is half of beta_t, which falls with the variance of the next values.

    What it asks the width for is iota, the logarithm in beta.
    """

    name: ClassVar[str] = "ucb-bernstein"
    title: ClassVar[str] = "Q-learning with UCB-Bernstein (Algorithm 2)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(1e-06)", "oracle")

    yields: ClassVar[frozenset[str]] = QLearning.yields | {"variance", "beta"}

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.sums: Array = np.zeros(self.Q.shape)
        self.squares: Array = np.zeros(self.Q.shape)
        self.variances: Array = np.zeros(self.Q.shape)
        self.betas: Array = np.zeros(self.Q.shape)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """iota = log(S A T / p)."""
        return math.log(public.S * public.A * public.T / public.delta)

    def plan(self) -> EpisodicPlan:
        """Plan with the tables of the bonus."""
        H = self.public.H
        return replace(super().plan(), variance=self.variances.reshape(H, -1).copy(), beta=self.betas.reshape(H, -1).copy())

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """b_t = (beta_t - (1 - alpha_t) beta_{t-1}) / (2 alpha_t), beta_0 = 0."""
        self.add(at, value)
        before, rate = self.betas[at], self.rates[at]
        self.variances[at] = self.variance(at, t)
        self.betas[at] = self.beta(t, self.variances[at], width)
        return float((self.betas[at] - (1.0 - rate) * before) / (2.0 * rate))

    def add(self, at: At, value: float) -> None:
        """mu <- mu + V, sigma <- sigma + V^2."""
        self.sums[at] += value
        self.squares[at] += value**2

    def variance(self, at: At, t: float) -> float:
        """W_t = sigma / t - (mu / t)^2, the empirical variance of the next values; rounding makes no variance negative."""
        return max(float(self.squares[at] / t - (self.sums[at] / t) ** 2), 0.0)

    def beta(self, t: float, variance: float, iota: float) -> float:
        """The smaller of two bounds."""
        return min(self.first_arm(t, variance, iota), self.second_arm(t, iota))

    def first_arm(self, t: float, variance: float, iota: float) -> float:
        """c_1 (sqrt(H (W_t + H) iota / t) + sqrt(H^7 S A) iota / t)."""
        H, S, A = self.public.H, self.public.S, self.public.A
        return C1 * (math.sqrt(H * (variance + H) * iota / t) + math.sqrt(H**7 * S * A) * iota / t)

    def second_arm(self, t: float, iota: float) -> float:
        """c_2 sqrt(H^3 iota / t)."""
        return C2 * math.sqrt(self.public.H**3 * iota / t)
