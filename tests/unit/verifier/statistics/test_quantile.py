"""Bounds on a quantile: their coverage, enumerated exactly on laws with jumps, and what is said where runs are too few.

Nothing here is simulated: all samples of a law on a few numbers are listed with their multinomial probabilities, as fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.base.errors import UsageError
from verifier.statistics import quantile_above, quantile_below, quantile_interval, runs_needed
from verifier.statistics.quantile import lower_place, upper_place

Law = dict[float, Fraction]
"""Probability of each number."""

TENTH = Fraction(1, 10)

LAWS: dict[str, Law] = {
    "a coin whose jump is at the level": {0.0: Fraction(9, 10), 1.0: TENTH},
    "an atom at zero": {0.0: Fraction(1, 2), 0.3: Fraction(2, 5), 2.0: TENTH},
    "a jump just beyond the level": {0.0: Fraction(89, 100), 1.0: Fraction(2, 100), 4.0: Fraction(9, 100)},
    "ties of three": {1.0: Fraction(1, 3), 2.0: Fraction(1, 3), 3.0: Fraction(1, 3)},
    "nearly all of one kind, else infinite": {0.5: Fraction(91, 100), math.inf: Fraction(9, 100)},
    "a single number": {0.7: Fraction(1)},
}


def quantile(law: Law, p: Fraction) -> float:
    """The least number that a draw does not exceed with probability p, by its definition."""
    return min(x for x in law if sum(weight for y, weight in law.items() if y <= x) >= p)


def samples(law: Law, n: int) -> Iterator[tuple[list[float], Fraction]]:
    """All samples in order, with their probabilities."""
    for sample in combinations_with_replacement(sorted(law), n):
        chance, left = Fraction(1), n
        for x, weight in law.items():
            count = sample.count(x)
            chance *= math.comb(left, count) * weight**count
            left -= count
        yield list(sample), chance


def missed(law: Law, n: int, p: Fraction, level: float, above: bool, shift: int = 0) -> Fraction:
    """Probability that a bound is on the wrong side, if its index is off by so much."""
    true, wrong = quantile(law, p), Fraction(0)
    place = (upper_place if above else lower_place)(n, float(p), level)
    for sample, chance in samples(law, n):
        if shift:
            at = None if place is None else place + shift
            bound = (math.inf if above else -math.inf) if at is None else sample[min(max(at, 1), n) - 1]
        else:
            bound = (quantile_above if above else quantile_below)(sample, float(p), level)
        wrong += chance * (bound < true if above else bound > true)
    return wrong


@pytest.mark.parametrize("above", [True, False], ids=["above", "below"])
@pytest.mark.parametrize("level", [0.3, 0.1, 0.02])
@pytest.mark.parametrize("p", [Fraction(9, 10), Fraction(1, 2), Fraction(1, 3)], ids=str)
@pytest.mark.parametrize("name", LAWS)
def test_a_bound_misses_the_quantile_with_probability_at_most_its_level(name, p, level, above):
    for n in (1, 5, 24):
        assert missed(LAWS[name], n, p, level, above) <= level


def test_both_sides_together_miss_it_with_probability_at_most_the_level():
    for law in LAWS.values():
        true, wrong = quantile(law, Fraction(9, 10)), Fraction(0)
        for sample, chance in samples(law, 24):
            low, high = quantile_interval(sample, 0.9, 0.1)
            wrong += chance * (not low <= true <= high)
        assert wrong <= 0.1


@pytest.mark.parametrize(("above", "law"), [(True, "just below"), (False, "at it")])
def test_an_index_that_is_off_by_one_misses_it_too_often(above, law):
    # The worst laws: right below the quantile is all of p but a little, or exactly p is at it.
    little = Fraction(1, 10**6)
    laws = {
        "just below": {0.0: Fraction(9, 10) - little, 1.0: TENTH + little},
        "at it": {0.0: Fraction(9, 10), 1.0: TENTH},
    }
    for level in (0.3, 0.1, 0.04):
        assert missed(laws[law], 60, Fraction(9, 10), level, above) <= level
        assert missed(laws[law], 60, Fraction(9, 10), level, above, shift=-1 if above else 1) > level


class TestTooFewRuns:
    @pytest.mark.parametrize(("p", "level"), [(0.9, 0.01), (0.9, 0.005 / 40), (0.99, 0.05), (0.5, 0.25), (0.1, 0.5)])
    def test_the_upper_bound_is_finite_from_the_runs_needed_on(self, p, level):
        needed = runs_needed(p, level)
        assert quantile_above([1.0] * needed, p, level) == 1.0
        assert quantile_above([1.0] * (needed - 1), p, level) == math.inf

    def test_p_to_the_n_decides(self):
        assert runs_needed(0.9, 0.01) == 44  # 0.9^43 = 0.0108, 0.9^44 = 0.0097

    def test_without_runs_nothing_is_bounded(self):
        assert quantile_interval([], 0.9, 0.1) == (-math.inf, math.inf)

    def test_one_run_in_the_extreme_tail_bounds_below(self):
        assert quantile_below([3.0], 0.95, 0.05) == -math.inf  # P(no run at most q) is 1 - 0.95 in a double, rounded up
        assert quantile_below([3.0], 0.96, 0.05) == 3.0


class TestOrder:
    @given(st.lists(st.sampled_from([0.0, 0.25, 1.0, math.inf]), max_size=80), st.floats(0.05, 0.95), st.floats(1e-6, 0.5))
    @settings(max_examples=150, deadline=None)
    def test_bounds_are_in_order_among_the_values_and_wider_at_a_smaller_level(self, values, p, level):
        low, high = quantile_interval(values, p, level)
        wide = quantile_interval(values, p, level / 10)
        assert wide[0] <= low <= high <= wide[1]
        assert {low, high} <= {*values, -math.inf, math.inf}

    @given(st.lists(st.floats(0, 10), min_size=1, max_size=60), st.randoms())
    @settings(max_examples=50, deadline=None)
    def test_the_order_of_the_runs_does_not_matter(self, values, random):
        shuffled = list(values)
        random.shuffle(shuffled)
        assert quantile_interval(shuffled, 0.8, 0.05) == quantile_interval(values, 0.8, 0.05)

    @given(st.lists(st.floats(0, 10), min_size=30, max_size=60), st.integers(0, 29))
    @settings(max_examples=50, deadline=None)
    def test_a_larger_run_never_lowers_a_bound(self, values, at):
        more = [*values[:at], values[at] + 1.0, *values[at + 1 :]]
        for bound in (quantile_above, quantile_below):
            assert bound(more, 0.8, 0.05) >= bound(values, 0.8, 0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, math.nan], 0.9, 0.01), "1 of them not a number"),
        (([[1.0]], 0.9, 0.01), "shape"),
        (([1.0], 1.0, 0.01), "level of the quantile"),
        (([1.0], 0.9, 0.0), "level of the interval"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        quantile_interval(*arguments)
