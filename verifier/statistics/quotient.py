"""Quotient of two means, between limits that follow from limits of the two.

If each of the four one-sided limits of the two means fails with probability at most ``level``, some limit of the quotient fails
with probability at most ``4 level``, whether or not the samples depend on one another. The limits of means are those of Student:
exact for Gaussian values, nominal for others. A sample that never varies has an interval of width zero.
"""

from __future__ import annotations

import math

from verifier.statistics.scaling import Interval


def quotient(top: Interval, bottom: Interval) -> Interval:
    """The quotient of two estimates with the widest limits that theirs allow; without limits where `bottom` may be zero.

    Parameters
    ----------
    top, bottom : Interval

    Examples
    --------
    >>> from verifier.statistics.quotient import quotient
    >>> from verifier.statistics.scaling import Interval
    >>> quotient(Interval(3.0, 2.0, 4.0), Interval(2.0, 1.0, 2.0))
    Interval(estimate=1.5, low=1.0, high=4.0)
    """
    estimate = top.estimate / bottom.estimate if bottom.estimate else math.nan
    if not bottom.low > 0.0:
        return Interval(estimate, -math.inf, math.inf)
    corners = [a / b for a in (top.low, top.high) for b in (bottom.low, bottom.high)]
    return Interval(estimate, min(corners), max(corners))
