"""UCB1 (Figure 1 of Auer, Cesa-Bianchi and Fischer 2002)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_bandits.arms import BonusPolicy


class UCB1(BonusPolicy):
    """The bonus sqrt(2 ln n / N), n the number of rounds so far."""

    name: ClassVar[str] = "ucb1"
    title: ClassVar[str] = "UCB1 (Figure 1)"
    paper: ClassVar[str] = "Finite-time Analysis of the Multiarmed Bandit Problem (Machine Learning 2002)"

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(2 ln n / N)."""
        return np.sqrt(2 * np.log(n) / N)
