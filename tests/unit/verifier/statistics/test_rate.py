"""Errors, power and consistency of the decisions about a failure rate.

Simulations have fixed seeds. Each one states the probability with which it would fail for a fresh seed although the
code is right (its own false alarm).
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from verifier.base.errors import UsageError
from verifier.statistics import RateMonitor, RateTest, log_evidence_below

from .rates import ALARM, CAMPAIGNS, deltas, levels, states


class TestErrorProbabilities:
    @pytest.mark.parametrize("reject_level", [0.1, 0.01, 1e-5])
    @pytest.mark.parametrize("delta", [0.01, 0.1, 0.3, 0.9])
    def test_exact_probabilities_of_error_are_below_the_levels(self, delta, reject_level):
        bounds = RateTest(delta, reject_level, certify_level=0.01).boundary(2000)
        for rate in (0.0, 0.5 * delta, 0.999 * delta, delta):
            assert bounds.violated(rate) <= reject_level
        for rate in (delta, 1.001 * delta, 1.1 * delta, 1.0):
            assert bounds.conforms(rate) <= 0.01

    def test_the_levels_are_not_wasted(self):
        # Exact: a test whose error is far below its level would lack power.
        bounds = RateTest(0.1, 0.01).boundary(2000)
        assert bounds.violated(0.1) > 0.003
        assert bounds.conforms(0.1) > 0.003


class TestPower:
    def test_clean_trials_to_certify_at_the_documented_sizes(self):
        test = RateTest(0.1, 0.01, 0.01)
        assert test.clean_trials_to_certify(0, 0) == 53
        assert test.clean_trials_to_certify(0, 8) == 45
        assert 1 + test.clean_trials_to_certify(1, 1) == 83
        assert 2 + test.clean_trials_to_certify(2, 2) == 106
        assert RateTest(0.05, 0.01).clean_trials_to_certify(0, 0) == 109
        assert RateTest(0.01, 0.01).clean_trials_to_certify(0, 0) == 556

    @pytest.mark.parametrize("path", ["", "f", "c" * 20, "fcccf" * 3, "c" * 44 + "f"])
    @pytest.mark.parametrize(("delta", "level"), [(0.1, 1e-5), (0.1, 1e-3), (0.05, 1e-7)])
    def test_what_would_decide_is_what_decides(self, path, delta, level):
        now = RateTest(delta, level, 0.01).decide_path(letter == "f" for letter in path)
        assert now.decision == "inconclusive"
        told = re.fullmatch(r".*; (\d+) more failures? would convict, (\d+) more clean trials? would certify a .*", now.reason())
        for failed, more, decision in ((True, int(told[1]), "violated"), (False, int(told[2]), "conforms")):
            later = now
            for _ in range(more - 1):
                later = later.update(failed)
            assert later.decision == "inconclusive"
            assert later.update(failed).decision == decision

    @pytest.mark.parametrize(("level", "needed"), [(0.01, 3), (1e-3, 4), (1e-3 / 100, 6)])
    def test_failures_in_a_row_to_reject(self, level, needed):
        test = RateTest(0.1, level)
        assert test.decide(needed - 1, needed - 1) == "inconclusive"
        assert test.decide(needed, needed) == "violated"

    @pytest.mark.parametrize("delta", [0.02, 0.05, 0.1])
    def test_five_times_delta_is_caught(self, delta):
        # Within 6 / delta trials, at the level of one test among a hundred; exact.
        assert RateTest(delta, 1e-5).boundary(round(6 / delta)).violated(5 * delta) > 0.9

    @pytest.mark.parametrize("delta", [0.02, 0.05, 0.1])
    def test_a_tenth_of_delta_is_certified(self, delta):
        # Within 15 / delta trials; exact.
        assert RateTest(delta, 1e-5).boundary(round(15 / delta)).conforms(delta / 10) > 0.9

    @pytest.mark.parametrize("rate", [0.25, 0.4])
    def test_exact_probability_agrees_with_simulation(self, rate):
        # False alarm of each case: 2e-6 (two comparisons).
        test = RateTest(0.1, 1e-3, 0.05)
        bounds = test.boundary(60)
        failures = np.cumsum(np.random.default_rng(4).random((CAMPAIGNS, 60)) < rate, axis=1)
        rejected, certified = failures >= bounds.reject, failures <= bounds.certify
        first = np.where(rejected.any(1), rejected.argmax(1), 999)
        other = np.where(certified.any(1), certified.argmax(1), 999)
        for seen, exact in (
            (np.sum(first < other), bounds.violated(rate)),
            (np.sum(other < first), bounds.conforms(rate)),
        ):
            assert binom.isf(1 - ALARM / 2, CAMPAIGNS, exact) <= seen <= binom.isf(ALARM / 2, CAMPAIGNS, exact)

    @pytest.mark.parametrize("trials", [10, 60, 300])
    def test_detectable_rate_has_the_promised_power_and_not_more(self, trials):
        test = RateTest(0.1, 1e-5)
        found = test.detectable_rate(trials)
        assert test.boundary(trials).violated(found) >= 0.9
        assert test.boundary(trials).violated(found - 1e-6) < 0.9

    def test_detectable_rate_agrees_with_monitored_trials(self):
        # 1000 campaigns, each followed by the monitor up to its first decision. False alarm: 2e-6.
        test = RateTest(0.1, 1e-3)
        rate = test.detectable_rate(25)
        outcomes = np.random.default_rng(5).random((1000, 25)) < rate
        caught = sum(test.decide_path(row).decision == "violated" for row in outcomes.tolist())
        assert binom.isf(1 - ALARM, 1000, 0.9) <= caught <= binom.isf(ALARM, 1000, 0.9)

    def test_too_few_trials_detect_nothing(self):
        test = RateTest(0.1, 1e-5)
        assert test.detectable_rate(0) == math.inf
        assert test.detectable_rate(5) == math.inf
        assert test.detectable_rate(6) < 1.0

    def test_detectable_rate_falls_with_trials_and_rises_with_power(self):
        test = RateTest(0.05, 1e-5)
        rates = [test.detectable_rate(trials) for trials in (10, 20, 40, 80, 160, 320)]
        assert rates == sorted(rates, reverse=True)
        assert all(rate > 0.05 for rate in rates)
        assert test.detectable_rate(100, 0.5) < test.detectable_rate(100, 0.9) < test.detectable_rate(100, 0.99)


class TestDecisions:
    @settings(derandomize=True, deadline=None, database=None)
    @given(states(), deltas, levels, levels)
    def test_more_failures_never_help(self, state, delta, reject_level, certify_level):
        failures, trials = state
        order = ["conforms", "inconclusive", "violated"]
        test = RateTest(delta, reject_level, certify_level)
        few, more = test.decide(failures, trials), test.decide(min(failures + 1, trials), trials)
        assert order.index(few) <= order.index(more)

    @settings(derandomize=True, deadline=None, database=None)
    @given(states(300), deltas, levels)
    def test_clean_trials_to_certify_is_exact(self, state, delta, level):
        failures, trials = state
        test = RateTest(delta, 1e-9, level)
        more = test.clean_trials_to_certify(failures, trials)
        assert log_evidence_below(failures, trials + more, delta) >= -math.log(level)
        if more:
            assert log_evidence_below(failures, trials + more - 1, delta) < -math.log(level)

    def test_the_campaign_stops_where_the_printed_number_says(self):
        test = RateTest(0.1, 1e-5)
        needed = test.clean_trials_to_certify(0, 8)
        monitor = test.decide_path([False] * 8)
        assert monitor.decision == "inconclusive"
        for _ in range(needed - 1):
            monitor = monitor.update(False)
        assert monitor.decision == "inconclusive"
        monitor = monitor.update(False)
        assert (monitor.decision, monitor.decided_after, monitor.trials) == ("conforms", 8 + needed, 8 + needed)

    @pytest.mark.parametrize("delta", [0.1, 0.5, 0.9])
    def test_trials_are_out_of_reach_as_long_as_no_outcome_decides(self, delta):
        test = RateTest(delta, 1e-4, 0.01)
        for trials in range(1, 40):
            decided = {test.decide_path(outcome for _ in range(trials)).decision for outcome in (False, True)}
            assert (test.out_of_reach(trials) == "") == (decided != {"inconclusive"})
        assert RateTest(0.1, 1e-4).out_of_reach(2) == "needs at least 5 runs to reject and 53 to accept"

    def test_a_failure_is_never_passed_over_as_out_of_reach(self):
        clean, failed = (RateTest(0.1, 1e-4).decide_path([outcome]) for outcome in (False, True))
        assert clean.out_of_reach(1).endswith("53 to accept; only 1 was planned")
        assert clean.out_of_reach(60) == failed.out_of_reach(1) == ""

    def test_the_first_decision_stays(self):
        test = RateTest(0.1, 0.01)
        monitor = test.decide_path([True] * 3 + [False] * 500)
        assert monitor == RateMonitor(test, failures=3, trials=503, decision="violated", decided_after=3)
        assert test.decide(3, 503) == "conforms"  # the state alone would have forgotten
        later = test.decide_path([False] * 53 + [True] * 100)
        assert (later.decision, later.decided_after, later.failures) == ("conforms", 53, 100)

    @settings(derandomize=True, deadline=None, database=None, max_examples=50)
    @given(st.lists(st.booleans(), max_size=60), st.sampled_from([0.05, 0.2, 0.5]))
    def test_monitor_and_boundary_agree(self, outcomes, delta):
        test = RateTest(delta, 0.01)
        bounds = test.boundary(60)
        decision = "inconclusive"
        for trials, failures in enumerate(np.cumsum(outcomes).tolist(), start=1):
            if failures >= bounds.reject[trials - 1]:
                decision = "violated"
            elif failures <= bounds.certify[trials - 1]:
                decision = "conforms"
            if decision != "inconclusive":
                break
        assert test.decide_path(outcomes).decision == decision

    @pytest.mark.parametrize("delta", [0.01, 0.3, 0.95])
    def test_boundaries_move_by_at_most_one_per_trial(self, delta):
        # What the exact probabilities rest on.
        bounds = RateTest(delta, 1e-4).boundary(1000)
        tried = np.arange(1, 1001)
        assert set(np.diff(bounds.reject)) <= {0, 1}
        assert set(np.diff(bounds.certify)) <= {0, 1}
        assert np.all(bounds.certify < bounds.reject)
        assert np.all(bounds.reject <= tried + 1)

    def test_probabilities_of_stopping_sum_to_one(self):
        bounds = RateTest(0.1, 1e-3).boundary(3000)
        for rate in (0.0, 0.01, 0.5, 1.0):
            assert bounds.violated(rate) + bounds.conforms(rate) == pytest.approx(1.0, abs=1e-9)

    def test_tiny_and_huge_rates(self):
        rare = RateTest(1e-9, 1e-5)
        assert rare.decide(0, 10**6) == "inconclusive"
        assert rare.decide(1, 1) == "violated"
        assert rare.clean_trials_to_certify(0, 0) > 4.6e9
        assert RateTest(1 - 1e-9, 1e-5).decide(0, 1) == "conforms"


class TestInterval:
    @settings(derandomize=True, deadline=None, database=None)
    @given(states(5000), deltas, levels)
    def test_agrees_with_the_decisions(self, state, delta, level):
        test = RateTest(delta, level, level)
        low, high = test.interval(*state)
        assert 0.0 <= low <= high <= 1.0
        decision = test.decide(*state)
        if abs(high - delta) > 1e-7:
            assert (decision == "conforms") == (high < delta)
        if abs(low - delta) > 1e-7:
            assert (decision == "violated") == (low > delta)

    def test_known_ends(self):
        test = RateTest(0.1, 1e-5)
        assert test.interval(0, 0) == (0.0, 1.0)
        assert test.interval(0, 52)[1] > 0.1 >= test.interval(0, 53)[1]
        assert test.interval(0, 10)[0] == 0.0
        assert test.interval(10, 10)[1] == 1.0
        low, high = test.interval(5000, 10_000)
        assert 0.475 < low < 0.5 < high < 0.525


class TestBadInput:
    @pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 1.5, math.nan, math.inf, "often", None])
    def test_delta(self, delta):
        with pytest.raises(UsageError, match=r"delta is .*expected"):
            RateTest(delta, 0.01)

    @pytest.mark.parametrize("level", [0.0, 1.0, -1.0, math.nan])
    def test_levels(self, level):
        with pytest.raises(UsageError, match="the reject level is"):
            RateTest(0.1, level)
        with pytest.raises(UsageError, match="the certify level is"):
            RateTest(0.1, 0.01, level)

    @pytest.mark.parametrize(("failures", "trials"), [(-1, 3), (0, -1), (4, 3), (1.5, 3), (math.nan, 3), (1, "3")])
    def test_counts(self, failures, trials):
        test = RateTest(0.1, 0.01)
        for ask in (test.decide, test.clean_trials_to_certify, test.interval):
            with pytest.raises(UsageError, match="expected"):
                ask(failures, trials)

    @pytest.mark.parametrize("outcome", [2, None, math.nan, "yes"])
    def test_outcomes(self, outcome):
        with pytest.raises(UsageError, match="outcome of a trial"):
            RateTest(0.1, 0.01).start().update(outcome)

    def test_detectable(self):
        test = RateTest(0.1, 0.01)
        with pytest.raises(UsageError, match="number of trials is -1"):
            test.detectable_rate(-1)
        with pytest.raises(UsageError, match="the power is 1"):
            test.detectable_rate(10, 1.0)
        with pytest.raises(UsageError, match="number of trials is 0"):
            test.boundary(0)

    def test_messages_say_what_to_do(self):
        with pytest.raises(UsageError) as caught:
            RateTest(0.1, 0.01).decide(5, 3)
        assert str(caught.value) == (
            "5 failures in 3 trials; expected at most as many failures as trials. "
            "Count at most one failure per trial, and pass (failures, trials) in this order."
        )


def test_numpy_counts_are_accepted():
    assert RateTest(np.float64(0.1), 0.01).decide(np.int64(3), np.int64(3)) == "violated"
    assert RateTest(0.1, 0.01).decide_path(np.array([True, True, True])).decision == "violated"
