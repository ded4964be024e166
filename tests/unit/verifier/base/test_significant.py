from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base.significant import at_least, at_most


@pytest.mark.parametrize(
    ("x", "low", "high"),
    [(8.1026e-4, 8.10e-4, 8.11e-4), (0.5, 0.5, 0.5), (1234.0, 1230.0, 1240.0), (0.0999999, 0.0999, 0.1), (0.0, 0.0, 0.0)],
)
def test_three_digits_on_either_side(x: float, low: float, high: float) -> None:
    assert (at_most(x), at_least(x)) == (low, high)


@given(st.floats(1e-12, 1e12))
def test_no_bound_becomes_too_sharp_or_loses_more_than_a_digit(x: float) -> None:
    slack = 1e-15 * x  # of the conversion to a double
    assert x * (1 - 0.0101) <= at_most(x) <= x + slack
    assert x - slack <= at_least(x) <= x * (1 + 0.0101)


def test_what_is_infinite_stays() -> None:
    assert at_least(math.inf) == math.inf
    assert math.isnan(at_most(math.nan))
