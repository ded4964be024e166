"""UCBVI with the bonus of Algorithm 3, from the inequality of Chernoff and Hoeffding."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_reference.ucbvi import UCBVI
from verifier_settings.episodic import Public


class HoeffdingUCBVI(UCBVI):
    """UCBVI-CH: the bonus 7 H L / sqrt(N) of Algorithm 3."""

    name: ClassVar[str] = "ucbvi-ch"
    title: ClassVar[str] = "UCBVI-CH (Algorithms 1 to 3)"
    kind: ClassVar[str] = "hoeffding"
    width_names: ClassVar[tuple[str, ...]] = (kind,)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """7 H L with L = ln(5 S A T / delta)."""
        return 7 * public.H * math.log(5 * public.S * public.A * public.T / public.delta)

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """1 / sqrt(N); the width is 7 H L."""
        return np.sqrt(1.0 / visits)
