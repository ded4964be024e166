r"""One-sided tests that sums with (conditional) mean at most 0 are not drifting upwards.

Two procedures, for increments x_1, x_2, ... with ``E[x_t | past] <= 0`` under the null:

* `z_test`: ``z = S / sqrt(sum of squares)`` against the normal law. *Approximate*: by the martingale central limit
  theorem, for many increments none of which dominates the sum of squares, and for **one** look at a number of trials
  fixed in advance. Never call it after every trial.
* `MartingaleTest`: a bet on "the sums go up", valid at every number of trials and at all of them at once, for
  increments ``>= -bound`` with a bound known in advance. It is *conservative* (no approximation). Each of its factors
  1 + g y with y = x / bound >= -1 is at least ``exp(g y - psi(g) y^2)``, psi(g) = -log(1 - g) - g (Fan, Grama, Liu
  2015), hence it is at least as strong as the self-normalised Freedman inequality built of these.

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

from verifier.arrays import Array
from verifier.errors import UsageError
from verifier.statistics.betting import log_capital_path
from verifier.statistics.checks import Decision, error_level, number, vector, within


@dataclass(frozen=True)
class ZTest:
    """Result of `z_test`.

    Parameters
    ----------
    sum : float
        S, the sum of the increments.
    deviation : float
        Square root of the sum of their squares.
    z : float
        sum / deviation; 0 if all increments are 0.
    p_value : float
        Approximate probability, in [0, 1], of so large a z if the increments have mean 0.
    """

    sum: float
    deviation: float
    z: float
    p_value: float


def z_test(increments: Sequence[float] | Array) -> ZTest:
    """The one-sided z-test of "the mean is at most 0" for independent sums, or martingale increments.

    The squares are not centred: under the null they estimate the variance, under the alternative they make z smaller,
    never more than sqrt(n). The p-value is asymptotic and for a single look; see the head of this file. For few (below
    about 30) or very skew increments use `MartingaleTest`.

    Parameters
    ----------
    increments : float array, shape (n,)
        For example one per trial, each the total over a trial.

    Raises
    ------
    UsageError
        If an increment is not finite.
    """
    from scipy.special import ndtr

    x = vector("the increments", increments)
    largest = float(np.max(np.abs(x), initial=0.0))
    if largest == 0.0:
        return ZTest(0.0, 0.0, 0.0, 0.5)
    scaled = x / largest
    total, deviation = float(np.sum(scaled)), math.sqrt(float(np.sum(scaled**2)))
    z = total / deviation
    return ZTest(total * largest, deviation * largest, z, float(ndtr(-z)))


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
