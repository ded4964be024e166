"""The harness's own bonuses, and the bounds of Theorem 1 of Auer et al. 2002, with the gaps of the arms that lose."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier_bandits.shared.oracle import MeanError
from verifier_properties.episodic.arms import ROUNDS
from verifier_properties.episodic.tabular_model import Bonus

UCB = Bonus(lambda w, n, N: w * np.sqrt(2 * np.log(n) / N), local=(ROUNDS,))
"""width times sqrt(2 ln n / N)."""
MINIMAX = Bonus(lambda w, K, A, N: w * np.sqrt(np.maximum(np.log(K / (A * N)), 0) / N))
"""width times sqrt(max(ln(K / (A N)), 0) / N)."""


class UCBError(MeanError):
    """Error in units of UCB1's bonus."""

    def bonus(self, n: float, N: Array) -> Array:
        """Bonus (2 ln n)^(1/2) N^(-1/2)."""
        return radius(np.asarray(n), N)


class MinimaxError(MeanError):
    """Error in units of the bonus of MOSS, which is 0 of arms that were played often: these are covered by none."""

    def bonus(self, n: float, N: Array) -> Array:
        """Bonus (ln+(K / (A N)) / N)^(1/2); ln+ is 0 below 1."""
        public = self.instance.public
        return np.asarray((np.log(np.maximum(public.K / public.A / N, 1.0)) / N) ** 0.5)


def radius(n: Array, N: Array) -> Array:
    """Radius c_{n,N} = sqrt(2 ln n / N) of the proof."""
    return np.asarray((2.0 * np.log(n)) ** 0.5 * N**-0.5)


def far_means(A: float) -> float:
    """Bound 2 A zeta(3): by Hoeffding, a mean of s <= n rewards is off by c_{n,s} with a chance of at most 2 n^-4."""
    return 2 * A * 1.2020569031595943  # zeta(3), the sum of 1/n^3


def plays(gaps: Array, K: float) -> Array:
    """Bounds 8 ln K / gap^2 + 1 + pi^2 / 3 of each arm that loses."""
    return np.asarray(8 * math.log(K) / gaps**2 + 1 + math.pi**2 / 3)


def regret(gaps: Array, K: float) -> float:
    """Bound 8 sum ln K / gap + (1 + pi^2 / 3) sum gap."""
    return float(8 * (math.log(K) / gaps).sum() + (1 + math.pi**2 / 3) * gaps.sum())
