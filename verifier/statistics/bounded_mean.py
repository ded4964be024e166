r"""Anytime-valid tests of "the mean is at most bound", and a confidence sequence, for observations in [lo, hi].

With observations and bound scaled to x in [0, 1] and m, a stake on "the mean is above m" pays ``(x - m)/m`` and one on
"it is below m" pays ``(m - x)/(1 - m)``; either is at least -1, and has mean at most 0 if the stated side is false.
The capital of `verifier.statistics.betting` in the first game is evidence against "mean <= bound", in the second
against "mean >= bound". Each observation may depend on the earlier ones as long as its conditional mean obeys the
null.

At fixed fractions the first capital decreases with m and the second increases, so the means which neither rejects form
an interval whose ends agree with the decisions exactly. On observations in {lo, hi} these are the likelihood ratios of
`verifier.statistics.rate_evidence` under another prior.

References
----------
I. Waudby-Smith, A. Ramdas, Estimating means of bounded random variables by betting, JRSS B 86 (2024).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import UsageError
from verifier.statistics.betting import log_capital, log_capital_of_counts, log_capital_path
from verifier.statistics.boundary import Boundary, boundary, smallest_rate
from verifier.statistics.checks import Decision, error_level, number, probability, whole, within

_RANGE_ADVICE = "lo and hi must hold for every possible observation, known before any trial."


@dataclass(frozen=True)
class MeanTest:
    """The two one-sided tests of "the mean is at most bound".

    Parameters
    ----------
    bound : float
        Claimed bound on the mean, strictly between lo and hi.
    lo, hi : float
        Range of every observation, known in advance (never taken from the data).
    reject_level : float
        Probability, in (0, 1), of ever calling a mean <= bound violated.
    certify_level : float
        Probability, in (0, 1), of ever calling a mean >= bound conforming.

    Raises
    ------
    UsageError
        If one of them is out of range.
    """

    bound: float
    lo: float
    hi: float
    reject_level: float
    certify_level: float = 0.01

    def __post_init__(self) -> None:
        lo, hi = number("lo", self.lo, _RANGE_ADVICE), number("hi", self.hi, _RANGE_ADVICE)
        bound = number("the bound", self.bound, "Report a claim without a finite bound as vacuous.")
        if not lo < hi or not math.isfinite(hi - lo):
            raise UsageError(f"The range is [{lo:g}, {hi:g}]; expected lo < hi, both finite. {_RANGE_ADVICE}")
        if not 0.0 < (bound - lo) / (hi - lo) < 1.0:
            raise UsageError(
                f"The bound {bound:g} is not strictly inside the range [{lo:g}, {hi:g}]; expected lo < bound < hi. "
                "A mean bound of hi or more always holds (vacuous); at lo or less, compare every observation itself."
            )
        error_level("the reject level", self.reject_level)
        error_level("the certify level", self.certify_level)

    def decide(self, values: Sequence[float] | Array) -> Decision:
        """The first decision when the values, shape (n,), are looked at one after the other, in trial order.

        Raises
        ------
        UsageError
            If a value is not finite or lies outside [lo, hi].
        """
        return self.decided(values)[0]

    def decided(self, values: Sequence[float] | Array) -> tuple[Decision, int | None]:
        """The first decision and the number of values after which it fell (None without one)."""
        above, below = self.log_evidence(values)
        rejects = np.flatnonzero(above >= -math.log(self.reject_level))
        certifies = np.flatnonzero(below >= -math.log(self.certify_level))
        if rejects.size and (not certifies.size or rejects[0] < certifies[0]):
            return "violated", int(rejects[0]) + 1
        if certifies.size:
            return "conforms", int(certifies[0]) + 1
        return "inconclusive", None

    def log_evidence(self, values: Sequence[float] | Array) -> tuple[Array, Array]:
        """Logarithms of the e-processes against "mean <= bound" and against "mean >= bound", shape (n,) each."""
        x, m = self._scaled(values), self._scaled_bound()
        return log_capital_path((x - m) / m), log_capital_path((m - x) / (1.0 - m))

    def interval(self, values: Sequence[float] | Array) -> tuple[float, float]:
        """Confidence sequence of the mean, missing it on either side with probability at most the certify level, ever.

        Its upper end is at most the bound exactly when all values together certify (unless that is within rounding).

        Raises
        ------
        UsageError
            If a value is not finite or lies outside [lo, hi].
        """
        return mean_interval(values, self.lo, self.hi, self.certify_level)

    def detectable_mean(self, trials: int, power: float = 0.9, certified: float | None = None) -> float:
        """Smallest mean of observations in {lo, hi} called violated with probability >= `power` within `trials`.

        Among all laws with a given mean the one on {lo, hi} lets every bet grow slowest (the logarithm is concave), so
        it is the hard case; other laws with this mean are typically caught sooner.

        Parameters
        ----------
        trials : int
            At least 0.
        power : float
            In (0, 1).
        certified : float, optional
            The bound that certifying is about, where it is larger than the one that rejecting is about; from hi on nothing is
            ever certified.

        Returns
        -------
        float
            In (bound, hi], or ``inf`` if so few trials cannot call anything violated.

        Raises
        ------
        UsageError
            If an argument is out of range.
        """
        tried = whole("the number of trials", trials)
        wanted = probability("the power", power, "It is the probability of a catch, for example 0.9.")
        if not tried:
            return math.inf
        m = self._scaled_bound()
        above = None if certified is None else (certified - self.lo) / (self.hi - self.lo)
        share = smallest_rate(_boundary(m, self.reject_level, self.certify_level, tried, above), m, wanted)
        return self.lo + (self.hi - self.lo) * share

    def _scaled(self, values: Sequence[float] | Array) -> Array:
        return _scaled(values, self.lo, self.hi)

    def _scaled_bound(self) -> float:
        return (self.bound - self.lo) / (self.hi - self.lo)


def mean_interval(values: Sequence[float] | Array, lo: float, hi: float, level: float = 0.01) -> tuple[float, float]:
    """Confidence sequence of the mean of observations in [lo, hi], shape (n,), in trial order.

    Parameters
    ----------
    values : float array, shape (n,)
    lo, hi : float
        Range of every observation, known in advance, with lo < hi.
    level : float
        Probability, in (0, 1), of ever missing the mean, on either side.

    Returns
    -------
    (float, float)
        The means which neither test of `MeanTest` rejects at this level; [lo, hi] without observations.

    Raises
    ------
    UsageError
        If a value is not finite or lies outside [lo, hi].
    """
    x = _scaled(values, lo, hi)
    if not x.size:
        return float(lo), float(hi)
    return lo + (hi - lo) * (1.0 - _upper(1.0 - x, level)), lo + (hi - lo) * _upper(x, level)


def _scaled(values: Sequence[float] | Array, lo: float, hi: float) -> Array:
    x = within("the observations", values, lo, hi, _RANGE_ADVICE)
    return np.clip((x - lo) / (hi - lo), 0.0, 1.0)


def _upper(x: Array, level: float) -> float:
    """Smallest m at which the capital of "the mean is below m" reaches 1 / level; 1 if there is none.

    Bisection from the average, where the capital is at most 1; the outer end is returned.
    """
    enough = -math.log(level)
    low, high = float(np.mean(x)), 1.0
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if log_capital((middle - x) / (1.0 - middle)) >= enough:
            high = middle
        else:
            low = middle
    return high


@lru_cache(maxsize=64)
def _boundary(m: float, reject_level: float, certify_level: float, trials: int, certified: float | None = None) -> Boundary:
    above = m if certified is None else certified

    def against_high(failed: IntArray, tried: IntArray) -> Array:
        if above >= 1.0:
            return np.full(np.shape(failed), -np.inf)
        return log_capital_of_counts(tried - failed, failed, above / (1.0 - above))

    return boundary(
        lambda failed, tried: log_capital_of_counts(failed, tried - failed, (1.0 - m) / m),
        against_high,
        reject_level,
        certify_level,
        trials,
    )
