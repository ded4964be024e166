"""Limits of a quotient of two means, and how often they hold."""

from __future__ import annotations

import math

import numpy as np

from verifier.statistics.quotient import quotient
from verifier.statistics.scaling import Interval, student


def test_the_limits_are_the_widest_that_both_allow() -> None:
    assert quotient(Interval(3.0, 2.0, 4.0), Interval(2.0, 1.0, 2.0)) == Interval(1.5, 1.0, 4.0)
    assert quotient(Interval(0.0, -2.0, 4.0), Interval(2.0, 1.0, 2.0)) == Interval(0.0, -2.0, 4.0)


def test_nothing_limits_a_quotient_whose_lower_part_may_be_zero() -> None:
    assert quotient(Interval(3.0, 2.0, 4.0), Interval(1.0, 0.0, 2.0)) == Interval(3.0, -math.inf, math.inf)
    unknown = quotient(Interval(3.0, 2.0, 4.0), Interval(0.0, -1.0, 1.0))
    assert math.isnan(unknown.estimate)
    assert (unknown.low, unknown.high) == (-math.inf, math.inf)


def test_limits_hold_as_often_as_is_said() -> None:
    """Four limits at level 0.025 each: some limit of the quotient fails with probability at most 0.1."""
    draws, runs, level = np.random.default_rng(0), 2000, 0.025
    missed = 0
    for _ in range(runs):
        top, bottom = (student(draws.normal(mean, 0.3, 8), level, level) for mean in (2.0, 4.0))
        found = quotient(top, bottom)
        missed += not found.low <= 0.5 <= found.high
    assert missed / runs <= 0.1
