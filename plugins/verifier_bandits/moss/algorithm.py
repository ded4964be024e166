"""MOSS, minimax optimal strategy in the stochastic case (Audibert and Bubeck 2009)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_bandits.arms import BonusPolicy


class MOSS(BonusPolicy):
    """The bonus sqrt(max(ln(K / (A N)), 0) / N) of K rounds with A arms."""

    name: ClassVar[str] = "moss"
    title: ClassVar[str] = "MOSS"
    paper: ClassVar[str] = "Minimax Policies for Adversarial and Stochastic Bandits (COLT 2009)"

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(max(ln(K / (A N)), 0) / N)."""
        return np.sqrt(np.maximum(np.log(self.public.K / (self.public.A * N)), 0.0) / N)
