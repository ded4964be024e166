"""Two stopping boundaries for counted failures, and the exact probability of crossing each of them first.

An e-process which depends on (failures, trials) only, increases with a failure and decreases with a clean trial (or
the other way round) turns "stop when it reaches 1/level" into one count per number of trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array, IntArray

LogEvidence: TypeAlias = Callable[[IntArray, IntArray], Array]
"""Logarithm of an e-process at (failures, trials), elementwise."""


@dataclass(frozen=True)
class Boundary:
    """Boundary at which monitored trials stop, and the share of orders in which they do.

    Given that s of the first n trials failed, all orders of the failures are equally likely under any failure rate
    is. `violated_share[n - 1]` is the share of these orders, at s = reject[n - 1], in which trial n is the first to
    cross any boundary; a binomial probability turns it into the probability of stopping there.

    Parameters
    ----------
    reject : int array, shape (N,)
        Fewest failures in n = 1..N trials which are called violated; n + 1 where no count is.
    certify : int array, shape (N,)
        Most failures which are called conforming; -1 where no count is.
    violated_share, conforms_share : float array, shape (N,)
        See above, in [0, 1].
    """

    reject: IntArray
    certify: IntArray
    violated_share: Array
    conforms_share: Array

    def violated(self, rate: float) -> float:
        """Probability that violated is the first decision within the N trials, at failure rate `rate` in [0, 1]."""
        return _weighted(self.violated_share, self.reject, rate)

    def conforms(self, rate: float) -> float:
        """Probability that conforms is the first decision within the N trials, at failure rate `rate` in [0, 1]."""
        return _weighted(self.conforms_share, self.certify, rate)


def boundary(
    against_low: LogEvidence, against_high: LogEvidence, reject_level: float, certify_level: float, trials: int
) -> Boundary:
    """The boundaries of two e-processes over `trials` trials.

    Parameters
    ----------
    against_low : callable
        Log evidence for too many failures: increasing in failures, decreasing in clean trials.
    against_high : callable
        Log evidence for few enough failures: decreasing in failures, increasing in clean trials.
    reject_level, certify_level : float
        In (0, 1); a boundary is where the evidence reaches 1 / level.
    trials : int
        N, at least 1.

    Returns
    -------
    Boundary
        Computed in O(N^2) elementary steps: O(N) array operations.
    """
    tried = np.arange(1, trials + 1, dtype=np.int64)
    reject = _first(lambda failed: against_low(failed, tried) >= -math.log(reject_level), tried)
    certify = _first(lambda failed: against_high(failed, tried) < -math.log(certify_level), tried) - 1
    violated, conforms = _shares(reject, certify)
    return Boundary(reject, certify, violated, conforms)


def smallest_rate(bounds: Boundary, nominal: float, power: float) -> float:
    """Smallest failure rate above `nominal` which is called violated with probability at least `power`.

    The probability increases with the rate: with the same random numbers, more trials fail, so violated is reached no
    later and conforms no earlier.

    Returns
    -------
    float
        In (nominal, 1], at most 1e-7 above the exact value; ``inf`` if even a failure in every trial is not caught.
    """
    if bounds.violated(1.0) < power:
        return math.inf
    low, high = nominal, 1.0
    while high - low > 1e-7:
        middle = 0.5 * (low + high)
        if bounds.violated(middle) >= power:
            high = middle
        else:
            low = middle
    return high


def _first(holds: Callable[[IntArray], np.ndarray], tried: IntArray) -> IntArray:
    """Smallest s in 0..n at which an increasing condition holds, n + 1 if none; bisection for all n at once."""
    low, high = np.full_like(tried, -1), tried + 1
    while np.any(high - low > 1):
        middle = np.clip((low + high) // 2, 0, tried)
        found = holds(middle)
        open_ = high - low > 1
        high = np.where(open_ & found, middle, high)
        low = np.where(open_ & ~found, middle, low)
    return high


def _shares(reject: IntArray, certify: IntArray) -> tuple[Array, Array]:
    """Shares of orders stopped at each boundary.

    Of the orders of s failures in n trials, the share s / n ends in a failure and the rest in a clean trial. Violated
    is crossed by a failure at s = reject[n - 1] exactly, conforms by a clean trial at s = certify[n - 1] exactly,
    because each boundary moves by 0 or 1 per trial.
    """
    total = len(reject)
    violated, conforms = np.zeros(total), np.zeros(total)
    alive = np.zeros(total + 2)
    alive[0] = 1.0
    places = np.arange(total + 2, dtype=np.float64)
    top = 0
    for n, (fewest, most) in enumerate(zip(reject.tolist(), certify.tolist(), strict=True), start=1):
        top = min(top + 1, n)
        ends_failed = places[1 : top + 1] / n
        alive[1 : top + 1] = alive[1 : top + 1] * (1.0 - ends_failed) + alive[:top] * ends_failed
        if fewest <= top:
            violated[n - 1] = alive[fewest]
            alive[fewest : top + 1] = 0.0
            top = fewest - 1
        if most >= 0:
            conforms[n - 1] = alive[most]
            alive[: most + 1] = 0.0
    return violated, conforms


def _weighted(shares: Array, failures: IntArray, rate: float) -> float:
    from scipy.special import gammaln, xlog1py, xlogy

    used = np.flatnonzero(shares)
    if not used.size:
        return 0.0
    n, s = used + 1.0, failures[used].astype(np.float64)
    orders = gammaln(n + 1) - gammaln(s + 1) - gammaln(n - s + 1)
    return float(np.sum(shares[used] * np.exp(orders + xlogy(s, rate) + xlog1py(n - s, -rate))))
