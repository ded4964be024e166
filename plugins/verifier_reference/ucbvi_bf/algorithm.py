"""UCBVI with the bonus of Algorithm 4, from the inequalities of Bernstein and Freedman."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_reference.ucbvi import UCBVI
from verifier_settings.episodic import Public


class BernsteinUCBVI(UCBVI):
    """UCBVI-BF: the bonus of Algorithm 4, from the empirical variance of the next value."""

    name: ClassVar[str] = "ucbvi-bf"
    title: ClassVar[str] = "UCBVI-BF (Algorithms 1, 2, 4)"
    kind: ClassVar[str] = "bernstein"
    width_names: ClassVar[tuple[str, ...]] = (kind,)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The bonus as it is printed."""
        return 1.0

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """sqrt(8 L Var / N) + 14 H L / (3 N) + sqrt(8 / N sum_y Phat(y) min(100^2 H^3 S^2 A L^2 / N'(y), H^2))."""
        return self.spread(visits, kernel, following) + self.small(visits) + self.correction(h, visits, kernel)

    def spread(self, visits: Array, kernel: Array, following: Array) -> Array:
        """The term of the empirical variance."""
        variance = np.maximum(kernel @ following**2 - (kernel @ following) ** 2, 0.0)
        return np.sqrt(8 * self.L * variance / visits)

    def small(self, visits: Array) -> Array:
        """The term of order 1/N."""
        return 14 * self.public.H * self.L / (3 * visits)

    def correction(self, h: int, visits: Array, kernel: Array) -> Array:
        """The term that accounts for V_{h+1} in place of V*_{h+1}."""
        S, A, H = self.public.S, self.public.A, self.public.H
        reached = np.maximum(self.arrivals[h + 1], 1.0)
        regret = np.where(self.arrivals[h + 1] > 0, np.minimum(100**2 * H**3 * S**2 * A * self.L**2 / reached, H**2), H**2)
        return np.sqrt(8 * (kernel @ regret) / visits)

    @property
    def L(self) -> float:
        """ln(5 S A T / delta)."""
        public = self.public
        return math.log(5 * public.S * public.A * public.T / public.delta)
