r"""Confidence bounds on a quantile from order statistics: exact, for any law, at a number of runs that is fixed before.

Let ``X_1, ..., X_n`` be independent with distribution function F, ``X_(1) <= ... <= X_(n)`` the same in order, and ``q`` the
least number with ``F(q) >= p``, the quantile of level p. It exists because F is continuous from the right. No density is
assumed: F may have jumps, so that runs are tied, and the runs may be infinite.

* Upper bound ``X_(k)``. If it is below q, then at least k runs are. Each is with probability ``F(q-) <= p``, since F is below p
  everywhere left of q. So that happens with probability at most ``P(Bin(n, p) >= k)``; k is the least with which this is at most
  the error level. Without such a k, that is where ``p^n`` is above the level, the bound is infinite: `runs_needed` says how many
  runs it takes.
* Lower bound ``X_(j)``. If it is above q, then at most j - 1 runs are at most q. Each is with probability ``F(q) >= p``. So that
  happens with probability at most ``P(Bin(n, p) <= j - 1)``; j is the largest with which this is at most the error level. Without
  such a j the bound is minus infinity.

Both sides are about the same number q. In the words of a claim that may fail with probability delta = 1 - p: the upper bound
holds in a run with probability at least p, and every number below the lower bound fails in a run with probability above delta.

The bounds are not anytime-valid: n may not depend on the runs.

References
----------
W. R. Thompson, On confidence ranges for the median and other expectation distributions for populations of unknown distribution
form, Ann. Math. Stat. 7 (1936).
H. A. David, H. N. Nagaraja, Order Statistics, 3rd edition, Wiley (2003), section 7.1; for laws with jumps, section 7.1 and
H. Scheffé, J. W. Tukey, Non-parametric estimation I, Ann. Math. Stat. 16 (1945).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError
from verifier.statistics.checks import ROUNDING, error_level, probability, whole

_ADVICE = "It is the probability with which the quantile holds, for example 0.9."


def quantile_interval(values: Sequence[float] | Array, p: float, level: float = 0.01) -> tuple[float, float]:
    """Lower and upper confidence bound on the quantile of level p, missing it with probability at most `level` together.

    Parameters
    ----------
    values : float array, shape (n,)
        One number for each run, in any order; infinite ones are allowed.
    p : float
        Level of the quantile, in (0, 1).
    level : float
        Probability of error, in (0, 1); each side has a half of it.

    Returns
    -------
    (float, float)
        Infinite on a side for which there are too few runs.

    Raises
    ------
    UsageError
        If an argument is out of range, or a value is not a number.
    """
    half = error_level("the level of the interval", level) / 2.0
    return quantile_below(values, p, half), quantile_above(values, p, half)


def quantile_above(values: Sequence[float] | Array, p: float, level: float) -> float:
    """Upper confidence bound on the quantile of level p, too small with probability at most `level`.

    Parameters and errors are those of `quantile_interval`, for this side alone.
    """
    ordered = _ordered(values)
    place = upper_place(len(ordered), p, level)
    return math.inf if place is None else float(ordered[place - 1])


def quantile_below(values: Sequence[float] | Array, p: float, level: float) -> float:
    """Lower confidence bound on the quantile of level p, too large with probability at most `level`.

    Parameters and errors are those of `quantile_interval`, for this side alone.
    """
    ordered = _ordered(values)
    place = lower_place(len(ordered), p, level)
    return -math.inf if place is None else float(ordered[place - 1])


def upper_place(runs: int, p: float, level: float) -> int | None:
    """Number k of the order statistic that is the upper bound, from 1; None if there are too few runs."""
    from scipy.special import bdtr

    n, rate, error = _checked(runs, p, level)
    # P(Bin >= k) is P(n - Bin <= n - k), and n - Bin counts the runs beyond, each with probability 1 - p
    small = np.flatnonzero(bdtr(np.arange(n), n, 1.0 - rate) <= error) if n else np.zeros(0, dtype=np.intp)
    return n - int(small[-1]) if small.size else None


def lower_place(runs: int, p: float, level: float) -> int | None:
    """Number j of the order statistic that is the lower bound, from 1; None if there are too few runs."""
    from scipy.special import bdtr

    n, rate, error = _checked(runs, p, level)
    small = np.flatnonzero(bdtr(np.arange(n), n, rate) <= error) if n else np.zeros(0, dtype=np.intp)
    return int(small[-1]) + 1 if small.size else None


def runs_needed(p: float, level: float) -> int:
    """The least number of runs with a finite upper bound on the quantile of level p: the least n with p^n at most `level`.

    Raises
    ------
    UsageError
        If an argument is out of range.
    """
    _, rate, error = _checked(0, p, level)
    n = max(1, math.floor(math.log(error) / math.log(rate)) - 1)  # one less than that, should the quotient be rounded up
    while rate**n > error:
        n += 1
    return n


def _checked(runs: int, p: float, level: float) -> tuple[int, float, float]:
    """Arguments in range; the level smaller by what rounding of a binomial tail is at most, so that no bound is too sharp."""
    n, rate = whole("the number of runs", runs), probability("the level of the quantile", p, _ADVICE)
    return n, rate, error_level("the error level of the bound", level) * (1.0 - ROUNDING)


def _ordered(values: Sequence[float] | Array) -> Array:
    """Values in order.

    Raises
    ------
    UsageError
        If they are not one number for each run.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or np.isnan(array).any():
        raise UsageError(
            f"the values have shape {array.shape}, {int(np.isnan(array).sum())} of them not a number; expected one number for "
            "each run. Report a run without a number as an error instead of passing it on."
        )
    return np.sort(array)
