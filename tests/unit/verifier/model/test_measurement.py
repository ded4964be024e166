from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from verifier.base.errors import ContractError
from verifier.model import blocks
from verifier.model.inequality import UNBOUNDED, Inequality, equality
from verifier.model.measurement import Measurement, measure


def rows(value: object, bound: object = 1.0, **options: object) -> Measurement:
    return measure(Inequality(np.array(value, dtype=float), bound, ("i",), **{"trivial": UNBOUNDED, **options}))


def test_the_worst_comparison_is_kept() -> None:
    found = rows([0.5, 0.9, 0.1], trivial=2.0)
    assert (found.value, found.bound, found.trivial, found.ratio) == (0.9, 1.0, 2.0, 0.9)
    assert found.place == {"i": 1}
    assert (found.comparisons, found.powered, found.violations, found.excluded) == (3, 3, 0, 0)
    assert found.margin == pytest.approx(0.1)
    assert found.holds


def test_a_violation_beats_a_larger_ratio() -> None:
    found = rows([0.99, 30.0, -5.0], np.array([1.0, 20.0, -9.0]))
    assert found.violations == 2
    assert (found.place, found.excess) == ({"i": 1}, 10.0)


def test_rounding_is_allowed_up_to_the_tolerance() -> None:
    assert rows([1.0 + 1e-9], tolerance=1e-8).holds
    assert not rows([1.0 + 1e-7], tolerance=1e-8).holds
    assert rows([1.0]).holds


def test_comparisons_with_power_come_first() -> None:
    found = rows([1.9, 0.2], np.array([2.0, 1.0]), trivial=1.95)
    assert (found.powered, found.place) == (1, {"i": 1})
    assert rows([1.9, 0.2], np.array([2.0, 2.0]), trivial=1.95).powered == 0


def test_the_bound_met_by_anything_has_no_power_at_equality() -> None:
    assert rows([0.5], trivial=1.0).powered == 0
    assert rows([0.5], trivial=1.0 + 1e-9, tolerance=1e-8).powered == 0


def test_a_bound_that_no_sum_reaches_has_no_power() -> None:
    rewards = np.ones((32, 64))
    assert measure(Inequality(rewards.sum(axis=1), 1e9, ("episode",), trivial=64.0)).powered == 0
    assert measure(Inequality(rewards.sum(axis=1), 1e9, ("episode",), trivial=UNBOUNDED)).powered == 32


def test_a_comparison_at_the_cut_has_no_power() -> None:
    lower, best = np.array([0.0, 1e-13, 0.5, 2.5]), np.array([0.4, 0.4, 0.6, 3.0])
    found = rows(lower, best, trivial=3.0, tolerance=1e-12, cut=0.0)
    assert (found.powered, found.place) == (1, {"i": 2})
    assert rows(lower, best, trivial=3.0, tolerance=1e-12).powered == 3


def test_a_violation_counts_where_a_cut_would_decide() -> None:
    found = rows([0.0, 0.5], np.array([-1.0, 0.2]), trivial=3.0, cut=np.array([0.0, 0.0]))
    assert found.violations == 2


def test_the_premise_excludes() -> None:
    found = rows([0.5, 7.0], premise=np.array([True, False]))
    assert (found.comparisons, found.excluded, found.violations) == (1, 1, 0)
    nothing = rows([0.5, 7.0], premise=np.array([False, False]))
    assert (nothing.comparisons, nothing.excluded, nothing.holds, nothing.place) == (0, 2, True, {})


def test_nan_counts_where_the_premise_holds() -> None:
    nan = math.nan
    assert rows([nan, 0.5], premise=np.array([False, True])).comparisons == 1
    for left, right in (([nan], 1.0), ([1.0], nan), ([math.inf], math.inf), ([-math.inf], -math.inf)):
        with pytest.raises(ContractError, match="NaN"):
            rows(left, right)
    with pytest.raises(ContractError, match="NaN"):
        rows([1.0], tolerance=nan)


def test_infinite_values_fail_and_infinite_bounds_hold() -> None:
    assert not rows([math.inf]).holds
    assert rows([5.0], math.inf).holds
    assert rows([-math.inf]).holds


def test_axes_have_to_be_named() -> None:
    with pytest.raises(ContractError, match="2 axes but named 1"):
        measure(Inequality(np.zeros((2, 2)), 1.0, ("i",), trivial=UNBOUNDED))


def test_labels_name_places() -> None:
    value = np.zeros((2, 3))
    value[1, 2] = 5.0
    one = Inequality(value, 1.0, ("plan", "w"), trivial=UNBOUNDED, labels={"plan": np.array([10, 20]), "w": np.array([7, 8, 9])})
    assert measure(one).place == {"plan": 20, "w": 9}
    by_plan = Inequality(value, 1.0, ("plan", "w"), trivial=UNBOUNDED, labels={"w": np.array([[0, 1, 2], [5, 4, 3]])})
    assert measure(by_plan).place == {"plan": 1, "w": 3}


def test_scalars_have_no_axes() -> None:
    found = measure(Inequality(2.0, 1.0, trivial=UNBOUNDED))
    assert (found.place, found.violations) == ({}, 1)


def test_identities_are_measured_in_tolerances() -> None:
    found = measure(equality(np.array([1.0, 2.0]), np.array([1.0, 2.0 + 5e-10]), axes=("i",), tolerance=1e-9))
    assert found.ratio == pytest.approx(0.5)
    assert found.powered == 2
    both_zero = measure(equality(np.zeros(2), np.zeros(2), axes=("i",), tolerance=1e-9))
    assert (both_zero.powered, both_zero.comparisons) == (0, 2)


def test_ratio_conventions() -> None:
    assert rows([0.0], 0.0).ratio == 0.0
    assert rows([1.0], 0.0).ratio == math.inf
    assert rows([1.0], 1e-310).ratio == math.inf
    assert rows([1e-12], 0.0, tolerance=1e-9).ratio == pytest.approx(1e-12)
    assert rows([-3.0], -2.0, trivial=0.0).holds
    assert not rows([-1.0], -2.0, trivial=0.0).holds


numbers = st.floats(-3, 3).map(lambda x: round(x, 2))
tables = arrays.arrays(np.float64, (4, 3), elements=numbers)
masks = arrays.arrays(np.bool_, (4, 3))


@given(tables, tables, masks, st.sampled_from([0.0, 0.5]), st.booleans())
def test_measuring_in_parts_and_merging_is_measuring_at_once(
    value: np.ndarray, bound: np.ndarray, premise: np.ndarray, tolerance: float, identity: bool
) -> None:
    def part(rows: slice) -> Measurement:
        labels = {"i": np.arange(4)[rows]}
        return measure(Inequality(value[rows], bound[rows], ("i", "j"), tolerance, labels, premise[rows], identity, trivial=1.0))

    whole = part(slice(None))
    merged = Measurement().merge(part(slice(0, 1))).merge(part(slice(1, 3))).merge(part(slice(3, 4)))
    pairs = zip(astuple(merged), astuple(whole), strict=True)
    assert all(one == other or (one != one and other != other) for one, other in pairs)  # NaN where nothing was compared
    expected = premise & (value - bound - tolerance > 0)
    assert whole.violations == expected.sum()
    assert whole.holds == (not expected.any())


def test_merging_with_nothing_changes_nothing_but_what_was_left_out() -> None:
    found = rows([0.5])
    empty = rows([0.5], premise=np.array([False]))
    for merged in (found.merge(empty), empty.merge(found)):
        assert (merged.value, merged.comparisons, merged.excluded) == (0.5, 1, 1)
    assert not empty.worse_than(found)
    assert found.worse_than(empty)


@pytest.mark.parametrize(("dtype", "value", "bound"), [(np.int8, 100, -100), (np.uint8, 5, 3), (np.int64, 2**62, -(2**62))])
def test_differences_of_integers_do_not_wrap_around(dtype: type, value: int, bound: int) -> None:
    found = measure(Inequality(np.array([value], dtype=dtype), np.array([bound], dtype=dtype), ("s",), trivial=UNBOUNDED))
    assert found.violations == 1
    assert found.margin == float(bound) - float(value)


@pytest.mark.parametrize("given", [np.array([1j]), np.array(["1"]), np.array([None]), np.array(["2020-01-01"], dtype="M8[D]")])
def test_what_is_not_real_is_refused(given: np.ndarray) -> None:
    with pytest.raises(ContractError, match="expected real numbers"):
        measure(Inequality(given, 1.0, ("s",), trivial=UNBOUNDED))


@pytest.mark.parametrize("broken", [False, True])
def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    left = rng.integers(0, 3, size=(11, 4, 5)).astype(float)
    right = left + rng.integers(-3, 4, size=left.shape) * 1e-9
    right[7, 2] += broken
    inequality = equality(
        left, right, axes=("plan", "h", "s"), tolerance=1e-8 * (1 + np.arange(11.0))[:, None, None], careful=2e-9,
        labels={"plan": 10 + np.arange(11), "s": np.arange(55).reshape(11, 5)}, premise=rng.random((11, 1, 5)) < 0.7,
    )  # fmt: skip
    whole = measure(inequality)
    monkeypatch.setattr(blocks, "BLOCK", 30)
    assert astuple(measure(inequality)) == astuple(whole)
    assert whole.holds is not broken
    assert whole.excluded + whole.comparisons == 11 * 4 * 5
    np.testing.assert_array_equal(equality(left, right, axes=(), tolerance=0.0).value, inequality.value)


@pytest.mark.parametrize(
    "allowed", [0.0, 1e-8, 1e-8 * (1 + np.arange(11.0) % 3)[:, None, None], 1e-8 * (1 + np.arange(44.0) % 5).reshape(11, 4, 1)]
)
def test_blocks_that_are_no_worse_than_those_before_are_counted(monkeypatch: pytest.MonkeyPatch, allowed: np.ndarray) -> None:
    """Of a block whose differences are no larger part of what is allowed only numbers are kept; what is told stays the same."""
    rng = np.random.Generator(np.random.PCG64(1))
    for scale in (0.0, 3e-9, 8e-9, 9e-8):
        left = rng.integers(0, 3, size=(11, 4, 5)) * (np.arange(11.0) > 1)[:, None, None]
        inequality = equality(left, left + scale * rng.random(left.shape), axes=("plan", "h", "s"), tolerance=allowed)
        monkeypatch.setattr(blocks, "BLOCK", 1000)
        whole = measure(inequality)
        for size in (2, 30):
            monkeypatch.setattr(blocks, "BLOCK", size)
            assert astuple(measure(inequality)) == astuple(whole)


@pytest.mark.parametrize("where", [0, 5, 10])
@pytest.mark.parametrize("bound", [2.0, 0.5])
def test_the_worst_of_all_is_told_from_any_block(monkeypatch: pytest.MonkeyPatch, where: int, bound: float) -> None:
    """Of an inequality, of which nothing is left out, whether it holds or fails."""
    value = np.full((11, 4), 0.25)
    value[where, 2] = 1.0
    monkeypatch.setattr(blocks, "BLOCK", 8)
    found = measure(Inequality(value, bound, ("k", "s"), trivial=UNBOUNDED))
    assert (found.place, found.value, found.ratio) == ({"k": where, "s": 2}, 1.0, 1.0 / bound)


def test_what_is_not_a_number_is_found_in_any_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 2)
    value = np.zeros((9, 2))
    value[7, 1] = np.nan
    with pytest.raises(ContractError, match="its value is NaN at i 7, j 1"):
        measure(Inequality(value, 1.0, ("i", "j"), trivial=UNBOUNDED))


@pytest.mark.parametrize("broken", [False, True])
def test_passing_over_what_is_left_out_is_dropping_it(broken: bool) -> None:
    """Where many comparisons are left, and the premise has fewer axes."""
    rng = np.random.default_rng(1)
    value, bound, premise = rng.random((7, 5, 6)), 1.0 + rng.random((7, 1, 6)), rng.random((7, 1, 6)) < 0.6
    value[~np.broadcast_to(premise, value.shape)] = np.nan
    value[3, 2, 1:5] += 3.0 * broken
    given = {
        "axes": ("i", "j", "k"),
        "trivial": np.where(rng.random((7, 1, 6)) < 0.5, 9.0, 0.0),
        "tolerance": np.full((7, 1, 1), 1e-9),
    }
    passed = measure(Inequality(value, bound, premise=premise, **given))
    dropped = measure(Inequality(value, bound, premise=np.broadcast_to(premise, value.shape), **given))
    assert passed == dropped
    assert (passed.violations > 0) is broken
