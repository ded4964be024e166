r"""One-sided test that sums with (conditional) mean at most 0 are not drifting upwards.

For increments x_1, x_2, ... with ``E[x_t | past] <= 0`` under the null and ``x_t >= -bound``, the bound known in
advance, a bet on "the sums go up" is valid at every number of trials and at all of them at once. It is *conservative*
(no approximation). Each of its factors 1 + g y with y = x / bound >= -1 is at least ``exp(g y - psi(g) y^2)``, psi(g)
= -log(1 - g) - g (Fan, Grama, Liu 2015), hence it is at least as strong as the self-normalised Freedman inequality
built of these.

References
----------
D. A. Freedman, On tail probabilities for martingales, Ann. Probab. 3 (1975).
X. Fan, I. Grama, Q. Liu, Exponential inequalities for martingales with applications, Electron. J. Probab. 20 (2015).
S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Time-uniform Chernoff bounds, Probab. Surveys 17 (2020).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError
from verifier.statistics.betting import log_capital_path
from verifier.statistics.checks import Decision, error_level, number, within


@dataclass(frozen=True)
class MartingaleTest:
    """Anytime-valid test of "the mean of the increments is at most 0".

    Parameters
    ----------
    bound : float
        Positive; every possible increment is at least -bound. Known in advance, never taken from the data.
    reject_level : float
        Probability, in (0, 1), of ever calling increments with mean <= 0 violated.

    Raises
    ------
    UsageError
        If one of them is out of range.
    """

    bound: float
    reject_level: float

    def __post_init__(self) -> None:
        bound = number("the bound", self.bound, "It is the size of the largest possible decrease.")
        if bound <= 0.0:
            raise UsageError(
                f"The bound is {bound:g}; expected a positive number. It is the size of the largest possible decrease."
            )
        error_level("the reject level", self.reject_level)

    def log_evidence(self, increments: Sequence[float] | Array) -> Array:
        """Logarithm of the e-process after each increment, shape (n,).

        Raises
        ------
        UsageError
            If an increment is not finite or below -bound.
        """
        advice = "The bound must hold for every possible increment, known before any trial."
        return log_capital_path(within("the increments", increments, -self.bound, math.inf, advice) / self.bound)

    def decide(self, increments: Sequence[float] | Array) -> Decision:
        """Violated if the evidence reached 1 / reject_level after any of the increments, else inconclusive."""
        reached = np.any(self.log_evidence(increments) >= -math.log(self.reject_level))
        return "violated" if reached else "inconclusive"
