"""Error probabilities, power and consistency of the tests of a bounded mean.

Simulations have fixed seeds and state their own false-alarm probability.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from verifier.base.errors import UsageError
from verifier.statistics import MeanTest
from verifier.statistics.betting import BETS, log_capital, log_capital_of_counts, log_capital_path

CAMPAIGNS = 10_000
TRIALS = 150
ALARM = 1e-6  # false-alarm probability of one simulated comparison below

# Laws on [0, 1] with their mean.
LAWS = {
    "bernoulli": (0.3, lambda rng, shape: (rng.random(shape) < 0.3).astype(float)),
    "rare": (0.02, lambda rng, shape: (rng.random(shape) < 0.02).astype(float)),
    "uniform": (0.5, lambda rng, shape: rng.random(shape)),
    "narrow": (0.4, lambda rng, shape: 0.4 + 1e-6 * rng.uniform(-1, 1, shape)),
    "skew": (0.1, lambda rng, shape: rng.beta(0.1, 0.9, shape)),
    "last resort": (0.99, lambda rng, shape: (rng.random(shape) < 0.99).astype(float)),
}

values_in_unit = st.lists(st.floats(0.0, 1.0), max_size=60)
inner = st.floats(0.01, 0.99)


def tolerated(level):
    """With crossing probability <= level, more than this share is seen with probability at most ALARM."""
    return binom.isf(ALARM, CAMPAIGNS, level) / CAMPAIGNS


def ever(payoffs, level):
    return np.mean(np.any(log_capital_path(payoffs) >= -math.log(level), axis=1))


class TestErrorProbabilities:
    @pytest.mark.one_in(6)
    @pytest.mark.parametrize("law", LAWS)
    def test_a_mean_at_the_bound_is_rarely_called_violated_or_conforming(self, law):
        # Levels 0.05 and 0.01, both sides: false alarm of each case 4e-6.
        mean, draw = LAWS[law]
        x = draw(np.random.default_rng(1), (CAMPAIGNS, TRIALS))
        for payoffs in ((x - mean) / mean, (mean - x) / (1 - mean)):
            best = np.max(log_capital_path(payoffs), axis=1)
            for level in (0.05, 0.01):
                assert np.mean(best >= -math.log(level)) <= tolerated(level)

    @pytest.mark.one_in(2)
    @pytest.mark.parametrize("law", ["bernoulli", "uniform"])
    def test_a_mean_inside_the_null_is_called_wrong_even_more_rarely(self, law):
        # False alarm of each case 2e-6.
        mean, draw = LAWS[law]
        x = draw(np.random.default_rng(2), (CAMPAIGNS, TRIALS))
        higher, lower = min(1.3 * mean, 0.99), 0.7 * mean
        assert ever((x - higher) / higher, 0.05) <= tolerated(0.05)
        assert ever((lower - x) / (1 - lower), 0.05) <= tolerated(0.05)

    def test_means_may_depend_on_the_past(self):
        # Spread doubles after a high value, the conditional mean stays 1/2. False alarm: 1e-6.
        rng = np.random.default_rng(3)
        x = np.full((CAMPAIGNS, 80), 0.5)
        for trial in range(80):
            wide = np.where(x[:, trial - 1] > 0.5, 0.5, 0.25) if trial else 0.25
            x[:, trial] = 0.5 + wide * rng.choice([-1.0, 1.0], CAMPAIGNS)
        assert ever((x - 0.5) / 0.5, 0.05) <= tolerated(0.05)

    @pytest.mark.parametrize("bound", [0.05, 0.3, 0.9])
    def test_exact_probability_of_error_on_two_points(self, bound):
        from verifier.statistics.bounded_mean import _boundary

        bounds = _boundary(bound, 1e-3, 0.01, 1000)
        assert bounds.violated(bound) <= 1e-3
        assert bounds.conforms(bound) <= 0.01


class TestPower:
    def test_documented_numbers(self):
        assert MeanTest(0.1, 0, 1, 0.01).decided(np.zeros(100)) == ("conforms", 56)
        assert MeanTest(0.1, 0, 1, 0.01).decided(np.ones(100)) == ("violated", 3)
        assert MeanTest(0.1, 0, 1, 1e-5).decided(np.ones(100)) == ("violated", 6)

    @pytest.mark.parametrize("law", ["bernoulli", "uniform", "narrow", "skew"])
    def test_twice_the_bound_is_caught(self, law):
        # At level 1e-3 within 600 trials, in at least 90 of 100 campaigns. Of 1000 other campaigns a share of 0.999 or
        # more was caught; at 0.99 a fresh seed would fail with probability 1e-8.
        mean, draw = LAWS[law]
        x = draw(np.random.default_rng(4), (100, 600))
        test = MeanTest(mean / 2, 0, 1, 1e-3)
        assert sum(test.decide(row) == "violated" for row in x) >= 90

    @pytest.mark.parametrize("law", ["bernoulli", "uniform", "narrow", "skew"])
    def test_a_mean_of_two_thirds_of_the_bound_is_certified(self, law):
        # At level 0.01 within 600 trials, in at least 80 of 100 campaigns. Of 1000 other campaigns a share of 0.949 or
        # more was certified; at 0.93 a fresh seed would fail with probability 1e-5.
        mean, draw = LAWS[law]
        x = draw(np.random.default_rng(5), (100, 600))
        test = MeanTest(1.5 * mean, 0, 1, 1e-3)
        assert sum(test.decide(row) == "conforms" for row in x) >= 80

    @pytest.mark.parametrize(
        ("bound", "draw"),
        [
            (0.1, lambda rng, shape: (rng.random(shape) < 0.4).astype(float)),
            (0.5, lambda rng, shape: rng.uniform(0.2, 1.0, shape)),
            (0.9, lambda rng, shape: 1 - rng.beta(0.5, 24.5, shape)),
        ],
    )
    def test_beats_the_predictable_plug_in_bet(self, bound, draw):
        # Median number of trials to reject at level 1e-5; fixed seed, gaps of 20 percent and more.
        x, level = draw(np.random.default_rng(6), (400, 500)), 1e-5
        count = np.arange(1, 501)
        mean = (0.5 + np.cumsum(x, axis=1)) / (count + 1)
        spread = (0.25 + np.cumsum((x - mean) ** 2, axis=1)) / (count + 1)
        before = np.concatenate([np.full((400, 1), 0.25), spread[:, :-1]], axis=1)
        bet = np.minimum(np.sqrt(2 * math.log(1 / level) / (before * count * np.log(count + 1))), 0.5 / bound)
        plug_in = np.cumsum(np.log1p(bet * (x - bound)), axis=1)
        medians = []
        for path in (log_capital_path((x - bound) / bound), plug_in):
            reached = path >= -math.log(level)
            medians.append(np.median(np.where(reached.any(axis=1), reached.argmax(axis=1), 999)))
        assert medians[0] < medians[1]

    def test_detectable_mean_on_two_points(self):
        # 2000 campaigns at the stated mean: caught with probability 0.9. False alarm: 2e-6.
        test = MeanTest(1.0, 0.0, 10.0, 1e-3)
        mean = test.detectable_mean(60)
        x = 10.0 * (np.random.default_rng(7).random((2000, 60)) < mean / 10.0)
        caught = sum(test.decide(row) == "violated" for row in x)
        assert binom.isf(1 - ALARM, 2000, 0.9) <= caught <= binom.isf(ALARM, 2000, 0.9)

    def test_detectable_mean_falls_with_trials(self):
        test = MeanTest(2.0, 1.0, 5.0, 1e-5)
        means = [test.detectable_mean(trials) for trials in (0, 5, 20, 100, 400)]
        assert means == sorted(means, reverse=True)
        assert means[0] == math.inf
        assert 2.0 < means[-1] < means[-2] < 5.0


class TestCapital:
    def test_bets_are_fractions(self):
        assert 0 < min(BETS) < max(BETS) < 1
        assert len(BETS) == 22

    @settings(derandomize=True, deadline=None, database=None)
    @given(values_in_unit, inner)
    def test_the_three_forms_agree(self, values, m):
        hits = np.round(np.array(values))
        payoffs = (hits - m) / m
        wins = int(np.sum(hits))
        last = float(log_capital_of_counts(wins, len(hits) - wins, (1 - m) / m))
        assert log_capital(payoffs) == pytest.approx(last, abs=1e-9)
        if len(hits):
            assert log_capital_path(payoffs)[-1] == pytest.approx(last, abs=1e-9)

    @settings(derandomize=True, deadline=None, database=None)
    @given(values_in_unit, inner, st.randoms(use_true_random=False))
    def test_the_final_capital_does_not_depend_on_the_order(self, values, m, random):
        shuffled = list(values)
        random.shuffle(shuffled)
        once, again = ((np.array(list_) - m) / m for list_ in (values, shuffled))
        assert log_capital(once) == pytest.approx(log_capital(again), abs=1e-9)

    @settings(derandomize=True, deadline=None, database=None)
    @given(values_in_unit, inner)
    def test_never_evidence_on_both_sides_at_once(self, values, m):
        x = np.array(values)
        assert min(log_capital((x - m) / m), log_capital((m - x) / (1 - m))) <= 1e-9

    @settings(derandomize=True, deadline=None, database=None)
    @given(values_in_unit, inner, inner)
    def test_is_monotone_in_the_bound(self, values, one, other):
        low, high = sorted((one, other))
        x = np.array(values)
        assert log_capital((x - low) / low) >= log_capital((x - high) / high) - 1e-9
        assert log_capital((low - x) / (1 - low)) <= log_capital((high - x) / (1 - high)) + 1e-9


class TestDecisions:
    @settings(derandomize=True, deadline=None, database=None)
    @given(values_in_unit, inner, st.floats(-100, 100), st.floats(0.1, 1000))
    def test_are_invariant_under_a_change_of_units(self, values, m, shift, scale):
        x = np.array(values)
        plain = MeanTest(m, 0, 1, 0.01)
        moved = MeanTest(shift + scale * m, shift, shift + scale, 0.01)
        for here, there in zip(plain.log_evidence(x), moved.log_evidence(shift + scale * x), strict=True):
            np.testing.assert_allclose(there, here, atol=1e-5)

    def test_are_invariant_under_reflection(self):
        x = np.random.default_rng(8).random(50)
        above, below = MeanTest(0.4, 0, 1, 0.01).log_evidence(x)
        mirrored_below, mirrored_above = MeanTest(-0.4, -1, 0, 0.01).log_evidence(-x)
        np.testing.assert_allclose(above, mirrored_above, atol=1e-10)
        np.testing.assert_allclose(below, mirrored_below, atol=1e-10)

    def test_the_first_decision_stays(self):
        test = MeanTest(0.1, 0, 1, 0.01)
        assert test.decided([1.0] * 3 + [0.0] * 500) == ("violated", 3)
        assert test.decided([0.0] * 56 + [1.0] * 50) == ("conforms", 56)
        assert test.decided([0.0] * 55) == ("inconclusive", None)
        assert test.decide([]) == "inconclusive"

    def test_rounding_at_the_ends_is_forgiven(self):
        assert MeanTest(0.5, 0, 1, 0.01).decide([1 + 1e-12, -1e-12]) == "inconclusive"


class TestInterval:
    @settings(derandomize=True, deadline=None, database=None)
    @given(values_in_unit, inner)
    def test_agrees_with_the_evidence(self, values, bound):
        test = MeanTest(bound, 0, 1, 0.05, 0.05)
        low, high = test.interval(values)
        assert 0.0 <= low <= high <= 1.0
        if not values:
            assert (low, high) == (0.0, 1.0)
            return
        above, below = test.log_evidence(values)
        if abs(low - bound) > 1e-9:
            assert (above[-1] >= math.log(20)) == (low > bound)
        if abs(high - bound) > 1e-9:
            assert (below[-1] >= math.log(20)) == (high < bound)

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("law", ["bernoulli", "uniform", "skew"])
    def test_contains_the_true_mean_at_all_times(self, law):
        # Each side misses at any of 5 looks with probability at most 0.05, 300 campaigns; false alarm 1e-6.
        mean, draw = LAWS[law]
        x = draw(np.random.default_rng(9), (300, 50))
        test = MeanTest(0.5, 0, 1, 0.01, certify_level=0.05)
        missed = 0
        for row in x:
            ends = [test.interval(row[:looked]) for looked in range(10, 51, 10)]
            missed += any(not low <= mean <= high for low, high in ends)
        assert missed <= binom.isf(ALARM, 300, 0.1)

    def test_adapts_to_the_spread(self):
        rng = np.random.default_rng(10)
        test = MeanTest(0.5, 0, 1, 0.01)
        wide = test.interval((rng.random(300) < 0.5).astype(float))
        tight = test.interval(0.5 + 0.01 * rng.uniform(-1, 1, 300))
        assert tight[1] - tight[0] < 0.3 * (wide[1] - wide[0])

    def test_both_sides_are_at_the_certify_level(self):
        x = np.random.default_rng(12).random(40)
        assert MeanTest(0.5, 0, 1, 1e-9, 0.05).interval(x) == MeanTest(0.4, 0, 1, 0.9, 0.05).interval(x)

    def test_is_in_the_units_of_the_observations(self):
        x = np.random.default_rng(11).random(40)
        low, high = MeanTest(0.5, 0, 1, 0.01).interval(x)
        there = MeanTest(15.0, 10, 20, 0.01).interval(10 + 10 * x)
        assert there == pytest.approx((10 + 10 * low, 10 + 10 * high), abs=1e-8)


class TestBadInput:
    @pytest.mark.parametrize(("bound", "lo", "hi"), [(0, 0, 1), (1, 0, 1), (2, 0, 1), (0.5, 1, 0), (0.5, 0, 0)])
    def test_range(self, bound, lo, hi):
        with pytest.raises(UsageError, match="expected lo <"):
            MeanTest(bound, lo, hi, 0.01)

    @pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf, None, "high"])
    def test_not_finite(self, odd):
        for given_ in ((odd, 0, 1), (0.5, odd, 1), (0.5, 0, odd)):
            with pytest.raises(UsageError, match="expected a finite number"):
                MeanTest(*given_, 0.01)

    @pytest.mark.parametrize("values", [[0.1, math.nan], [0.1, 1.1], [-0.1], [[0.1]], ["much"]])
    def test_values(self, values):
        test = MeanTest(0.5, 0, 1, 0.01)
        for ask in (test.decide, test.decided, test.interval, test.log_evidence):
            with pytest.raises(UsageError, match="the observations"):
                ask(values)

    def test_levels_and_power(self):
        with pytest.raises(UsageError, match="the reject level is 0"):
            MeanTest(0.5, 0, 1, 0)
        with pytest.raises(UsageError, match="the certify level is 2"):
            MeanTest(0.5, 0, 1, 0.01, 2)
        with pytest.raises(UsageError, match="the power is 0"):
            MeanTest(0.5, 0, 1, 0.01).detectable_mean(10, 0)
        with pytest.raises(UsageError, match="number of trials is -3"):
            MeanTest(0.5, 0, 1, 0.01).detectable_mean(-3)

    def test_messages_say_what_to_do(self):
        with pytest.raises(UsageError) as caught:
            MeanTest(0.5, 0, 1, 0.01).decide([0.2, 3.0])
        assert str(caught.value) == (
            "the observations hold 3 at place 1; expected numbers in [0, 1]. "
            "lo and hi must hold for every possible observation, known before any trial."
        )
