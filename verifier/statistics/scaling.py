"""Rate at which a quantity grows with the size, from curves of whole seeds, against a claimed rate.

Every seed gives one curve: one value for each size. What is estimated is the *local exponent*, the least-squares slope of the
logarithm of the value against the logarithm of the size over the sizes at hand, and what it is compared with is the slope of
the claimed curve over the very same sizes. So ``log K`` or ``sqrt(K) log K`` is compared with as it is and never replaced by a
power, and neither side changes when sizes or values are given in other units.

A theorem is about the mean over seeds, or about every seed, and the mean of the seeds' exponents is neither: a few seeds that
grow fast lift the mean long before they lift the exponent of the others. So two exponents are estimated, that of a seed on
average and that of the mean curve, and a decision is one that both give.

Seeds, not points, are resampled: leaving out each seed in turn (the jackknife) gives pseudo-values, of the first exponent exactly
the slopes of the single seeds, and Student's t with (seeds - 1) degrees of freedom gives the interval. For the first it is exact
for independent seeds with Gaussian exponents, and nominal otherwise; noise of single points, skewed as it may be, leaves
exponents close to Gaussian, because a slope takes from some sizes what it gives to others. Where few seeds are far above the
others, both are nominal and too short, because of what no seed has shown no interval knows: with 20 seeds, of which each grows
linearly with probability 0.1 and like a root otherwise, 95% intervals cover 0.88 and 0.83. The percentile bootstrap of whole
seeds is no alternative: with 5 seeds it covers about 83% (``tests/unit/verifier/statistics/test_scaling.py`` measures all this).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model.scaling import LEAST, MARGIN
from verifier.statistics.checks import Decision

BENDING_LEVEL = 0.05
"""One-sided level at which a curve counts as bending. It only ever turns a decision into "cannot tell"."""


@dataclass(frozen=True)
class Interval:
    """An estimate between two one-sided confidence limits."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class ScalingDecision:
    """Judgement of curves against a claimed rate.

    Attributes
    ----------
    decision : {"violated", "conforms", "inconclusive"}
    exponent : Interval
        The local exponent of a seed on average; its ends have the levels the decision was made at.
    of_mean : Interval
        That of the mean over seeds.
    claimed : float
        The local exponent of the claimed curve over the same sizes.
    margin : float
        How much more still counts as claimed.
    bend : Interval
        By how much the local exponent changes from the smallest to the largest size.
    reason : str
        In words, with the numbers.
    """

    decision: Decision
    exponent: Interval
    of_mean: Interval
    claimed: float
    margin: float
    bend: Interval
    reason: str


def student(samples: Array, lower_level: float, upper_level: float) -> Interval:
    """The mean of independent samples between one-sided Student limits.

    Parameters
    ----------
    samples : (n,) array
        At least two.
    lower_level, upper_level : float
        Probabilities, in (0, 1/2), that the mean of the law is below `low`, and above `high`.
    """
    from scipy.special import stdtrit

    n, mean = len(samples), float(np.mean(samples))
    error = float(np.std(samples, ddof=1)) / math.sqrt(n)
    low, high = (float(stdtrit(n - 1, 1.0 - level)) * error for level in (lower_level, upper_level))
    return Interval(mean, mean - low, mean + high)


def exponents(sizes: Array, values: Array) -> Array:
    """The local exponent of each curve: the slope of log value against log size by least squares.

    Parameters
    ----------
    sizes : (m,) array
        Positive, at least two different ones.
    values : (..., m) array
        Positive.
    """
    x = np.log(sizes) - np.mean(np.log(sizes))
    return np.asarray(np.log(values) @ x / (x @ x))


def bending(sizes: Array, values: Array) -> Array:
    """The change of the local exponent of each curve over the sizes: of the slope of a quadratic in log size.

    Parameters
    ----------
    sizes : (m,) array
        At least three different ones.
    values : (seeds, m) array
    """
    x = np.log(sizes) - np.mean(np.log(sizes))
    curvature = np.polyfit(x, np.log(values).T, 2)[0]
    return np.asarray(2.0 * curvature * (x.max() - x.min()))


def of_mean_curve(statistic: Callable[[Array], Array], values: Array) -> Array:
    """(seeds,) the pseudo-values of a statistic of the mean curve: n times it, less n - 1 times it without the seed.

    Parameters
    ----------
    statistic : callable
        Of curves (n, m), a number for each.
    values : (seeds, m) array
    """
    n = len(values)
    without = (values.sum(axis=0) - values) / (n - 1)
    return np.asarray(n * statistic(values.mean(axis=0, keepdims=True)) - (n - 1) * statistic(without))


def judge_scaling(
    sizes: Array, values: Array, claimed: Array, *, reject_level: float, certify_level: float, margin: float = MARGIN
) -> ScalingDecision:
    """Whether curves grow faster than a claimed one.

    Violated when even the lower end of the exponent is more than `margin` above the claimed one, conforms when the upper end is
    not, else inconclusive; and inconclusive where the mean curve and a seed on average do not give the same. A rate is about
    large sizes: a curve that grows too fast, but visibly bends, and so much that over as many orders of magnitude again it would
    grow no faster than claimed, is inconclusive. So is one that grows slowly enough, but visibly gathers speed, and is too fast
    at the largest size.

    Parameters
    ----------
    sizes : (m,) array
        Positive, increasing.
    values : (seeds, m) array
        Positive; one row per seed.
    claimed : (m,) array
        The claimed rate at the sizes, up to a factor.
    reject_level, certify_level : float
        Nominal probabilities of calling a rate violated that is not above the claimed one plus `margin`, and conforming one
        that is. The number of seeds is fixed beforehand: this is no anytime-valid test.
    margin : float
    """
    claimed_exponent = float(exponents(sizes, claimed)) if len(sizes) > 1 else math.nan
    if min(values.shape) < LEAST:
        nothing = Interval(math.nan, math.nan, math.nan)
        reason = (
            f"{_several(values.shape[1], 'size')} and {_several(values.shape[0], 'seed')}: at least {LEAST} of each are needed"
        )
        return ScalingDecision("inconclusive", nothing, nothing, claimed_exponent, margin, nothing, reason)
    relative = values / claimed
    slope, curvature = partial(exponents, sizes), partial(bending, sizes)
    exponent = student(slope(values), reject_level, certify_level)
    bend = student(curvature(relative), BENDING_LEVEL, BENDING_LEVEL)
    of_mean = student(of_mean_curve(slope, values), reject_level, certify_level)
    bend_of_mean = student(of_mean_curve(curvature, relative), BENDING_LEVEL, BENDING_LEVEL)
    decision, reason = _decide("the exponent", exponent, claimed_exponent, margin, bend)
    if decision != "inconclusive":
        mean_decision, mean_reason = _decide(
            "the exponent of the mean over seeds", of_mean, claimed_exponent, margin, bend_of_mean
        )
        if mean_decision != decision:
            decision, reason = "inconclusive", f"{mean_reason}; that of a seed on average is {_numbers(exponent)}"
    return ScalingDecision(decision, exponent, of_mean, claimed_exponent, margin, bend, reason)


def _numbers(exponent: Interval) -> str:
    return f"{exponent.estimate:.2f} (between {exponent.low:.2f} and {exponent.high:.2f})"


def _decide(what: str, exponent: Interval, claimed_exponent: float, margin: float, bend: Interval) -> tuple[Decision, str]:
    limit = claimed_exponent + margin
    found = f"{what} is {_numbers(exponent)}"
    against = f"the claimed curve has {claimed_exponent:.2f} over the same sizes"
    if exponent.low > limit:
        further_on = exponent.estimate + 1.5 * bend.estimate  # at the end of a ladder as long that begins where this one ends
        if bend.high < 0 and further_on <= limit:
            slower = (
                f"relative to that it falls by {-bend.estimate:.2f} on the way and may well fall further; larger sizes would tell"
            )
            return "inconclusive", f"{found} and {against}, but {slower}"
        return "violated", f"{found}; {against}, and {margin:g} more would still count as that"
    if exponent.high <= limit:
        at_the_end = exponent.estimate + bend.estimate / 2
        if bend.low > 0 and at_the_end > limit:
            return "inconclusive", f"{found} and {against}, but it grows to about {at_the_end:.2f}; larger sizes would tell"
        return "conforms", f"{found}; {against}, and up to {margin:g} more counts as that"
    return "inconclusive", f"{found}; {against}, and {limit:.2f} lies between: more seeds or larger sizes would tell"


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
