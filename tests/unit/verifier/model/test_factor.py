from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from verifier.model import blocks
from verifier.model.factor import NO_FACTOR
from verifier.model.inequality import UNBOUNDED, Inequality, equality
from verifier.model.measurement import measure


def factor(value: object, bound: object = 1.0, **options: object) -> float:
    given = np.array(value, dtype=float)
    axes = tuple("ij"[: given.ndim])
    return measure(Inequality(given, bound, axes, **{"trivial": UNBOUNDED, **options})).factor


def test_the_largest_ratio_of_all_comparisons_counts_whatever_is_cited() -> None:
    assert factor([0.2, 0.9], trivial=np.array([2.0, 0.5])) == 0.9  # the first has power and is cited
    assert factor([30.0, 3.0], np.array([20.0, 1.0])) == 3.0  # the first has the largest excess and is cited


def test_what_has_no_bound_above_zero_tells_nothing() -> None:
    assert factor([0.0], 0.0) == NO_FACTOR
    assert factor([-3.0], 0.0) == NO_FACTOR
    assert factor([-3.0, 0.5], np.array([0.0, 2.0])) == 0.25


def test_a_value_up_to_zero_needs_no_bound() -> None:
    assert factor([-3.0, 0.0]) == 0.0


def test_no_multiple_of_nothing_covers_something() -> None:
    assert factor([0.5], 0.0) == math.inf
    assert factor([0.5, 0.1], np.array([1.0, -2.0])) == math.inf
    assert factor([0.5, -1.0], np.array([1.0, -2.0])) == 0.5  # half of -2 is covered


def test_rounding_is_no_value() -> None:
    assert factor([1e-16, 0.2], np.array([1e-17, 1.0]), tolerance=1e-15) == 0.2
    assert factor([1e-16], 0.0, tolerance=1e-15) == NO_FACTOR
    assert factor([3.0], 10.0, tolerance=0.5) == 0.3  # whole numbers: the rounding is not taken off


def test_what_the_premise_leaves_out_does_not_count() -> None:
    assert factor([5.0, 0.5, 0.1], premise=np.array([False, True, True])) == 0.5
    assert factor([5.0], premise=False) == NO_FACTOR


def test_an_identity_has_none() -> None:
    assert measure(equality(np.ones(2), np.full(2, 3.0), axes=("i",), tolerance=1e-9)).factor == NO_FACTOR


@pytest.mark.parametrize("size", [2, 10**6])
@given(
    arrays.arrays(float, (4, 3), elements=st.sampled_from([-1.0, 0.0, 1e-12, 0.5, 3.0])),
    arrays.arrays(float, (4, 1), elements=st.sampled_from([-0.5, 0.0, 1e-13, 1.0, 4.0])),
    arrays.arrays(bool, (4, 3)) | arrays.arrays(bool, (4, 1)),
    st.sampled_from([0.0, 1e-9]),
)
def test_it_is_the_maximum_over_all_comparisons(
    size: int, value: np.ndarray, bound: np.ndarray, premise: np.ndarray, tolerance: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        found = factor(value, bound, premise=premise, tolerance=tolerance, trivial=2.0)
    told = [NO_FACTOR]
    for v, b, counts in zip(value.flat, np.broadcast_to(bound, (4, 3)).flat, np.broadcast_to(premise, (4, 3)).flat, strict=True):
        if counts and b > 0:
            told.append(v / b if v > tolerance else 0.0)
        elif counts and v - b > tolerance:
            told.append(math.inf if v > tolerance else 0.0)
    assert found == max(told)
