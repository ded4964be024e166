"""KL-UCB for rewards in [0, 1] (Algorithm 1 of Garivier and Cappé 2011), with c = 3 as in its Theorems 1 and 2."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_bandits.arms import IndexPolicy

PRECISION = 1e-12
"""Length of the interval in which the bisection stops."""


class KLUCB(IndexPolicy):
    """The index max{q: N d(mean, q) <= ln t + 3 ln ln t} in round t, d the divergence of Bernoulli laws."""

    name: ClassVar[str] = "kl-ucb"
    title: ClassVar[str] = "KL-UCB (Algorithm 1)"
    paper: ClassVar[str] = "The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond (COLT 2011)"
    instances: ClassVar[tuple[str, ...]] = ("bandit-*", "!bandit-wide")  # a divergence has no meaning outside [0, 1]

    def indices(self, mean: Array, width: float, n: float, N: Array) -> Array:
        """Largest mean of each arm whose divergence is within the level."""
        levels = width * max(self.level(n + 1.0), 0.0) / self.counted(N)
        return np.array([self.search(p, level) for p, level in zip(mean.clip(0.0, 1.0).tolist(), levels.tolist(), strict=True)])

    def level(self, t: float) -> float:
        """Level ln t + 3 ln ln t of round t, which is negative in round 2."""
        return math.log(t) + 3 * math.log(math.log(t))

    def counted(self, N: Array) -> Array:
        """Plays of each arm."""
        return N

    def search(self, p: float, level: float) -> float:
        """The largest q >= p with d(p, q) <= level, by bisection: d(p, q) grows with q there."""
        low, high = p, 1.0
        while high - low > PRECISION:
            middle = (low + high) / 2
            if self.divergence(p, middle) <= level:
                low = middle
            else:
                high = middle
        return low

    def divergence(self, p: float, q: float) -> float:
        """Divergence p ln(p/q) + (1-p) ln((1-p)/(1-q)) of q, with 0 < q < 1, from p; 0 ln 0 is 0."""
        lost = p * math.log(p / q) if p > 0 else 0.0
        return lost + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)
