"""Error probabilities and exactness of the evidence about a failure rate.

Simulations have fixed seeds. Each one states the probability with which it would fail for a fresh seed although the
code is right (its own false alarm).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import quad

from verifier.base.errors import UsageError
from verifier.statistics import log_evidence_above, log_evidence_below, rate_interval

from .rates import CAMPAIGNS, deltas, states, tolerated

TRIALS = 300


def ever(log_evidence, failures, delta, level):
    """Share of campaigns whose evidence reaches 1 / level after any trial; failures has shape (campaigns, trials)."""
    trials = np.arange(1, failures.shape[1] + 1)
    s = np.arange(failures.shape[1] + 1)[:, None]
    table = log_evidence(np.minimum(s, trials), np.broadcast_to(trials, (len(s), len(trials))), delta)
    return np.mean(np.any(table[failures, trials - 1] >= -math.log(level), axis=1))


def simulate(rng, rate):
    return np.cumsum(rng.random((CAMPAIGNS, TRIALS)) < rate, axis=1)


class TestErrorProbabilities:
    @pytest.mark.parametrize("level", [0.05, 0.01])
    @pytest.mark.parametrize("delta", [0.01, 0.1, 0.5])
    @pytest.mark.parametrize("share", [1.0, 0.9, 0.5, 0.0])
    def test_a_rate_up_to_delta_is_rarely_called_violated(self, delta, share, level):
        # False alarm of each case: 1e-6.
        failures = simulate(np.random.default_rng(1), share * delta)
        assert ever(log_evidence_above, failures, delta, level) <= tolerated(level)

    @pytest.mark.parametrize("level", [0.05, 0.01])
    @pytest.mark.parametrize("delta", [0.01, 0.1, 0.5])
    @pytest.mark.parametrize("share", [1.0, 1.05, 1.5])
    def test_a_rate_of_delta_or_more_is_rarely_certified(self, delta, share, level):
        # False alarm of each case: 1e-6.
        failures = simulate(np.random.default_rng(2), share * delta)
        assert ever(log_evidence_below, failures, delta, level) <= tolerated(level)

    def test_rates_may_depend_on_the_past_as_long_as_they_stay_below_delta(self):
        # An adversary who bets on the evidence: rate delta while evidence is above 1, else a third. False alarm: 1e-6.
        rng, delta, level = np.random.default_rng(3), 0.2, 0.05
        failures = np.zeros((CAMPAIGNS, 100), dtype=np.int64)
        count = np.zeros(CAMPAIGNS, dtype=np.int64)
        for trial in range(100):
            high = log_evidence_above(count, np.full(CAMPAIGNS, trial), delta) >= 0.0
            count = count + (rng.random(CAMPAIGNS) < np.where(high, delta, delta / 3))
            failures[:, trial] = count
        assert ever(log_evidence_above, failures, delta, level) <= tolerated(level)

    def test_an_untruncated_prior_would_be_wrong(self):
        # Why the priors stop at delta: this mixture over all of (0, 1) rejects "rate <= 0.1" on clean trials alone.
        from scipy.special import betaln

        clean = 60
        assert betaln(0.5, 0.5 + clean) - betaln(0.5, 0.5) - clean * math.log(0.9) > math.log(20)
        assert log_evidence_above(0, clean, 0.1) < 0.0


class TestEvidence:
    @pytest.mark.parametrize("delta", [0.01, 0.1, 0.5, 0.97])
    @pytest.mark.parametrize(("failures", "trials"), [(0, 0), (0, 5), (3, 3), (2, 20), (20, 40)])
    def test_agrees_with_numerical_integration(self, failures, trials, delta):
        def ratio(q):
            return (q / delta) ** failures * ((1 - q) / (1 - delta)) ** (trials - failures)

        above = quad(lambda v: ratio(1 - (1 - delta) * v), 0, 1, epsrel=1e-11)[0]
        below = quad(lambda w: ratio(delta * w * w), 0, 1, epsrel=1e-11)[0]  # u = w^2 has density u^(-1/2) / 2
        assert log_evidence_above(failures, trials, delta) == pytest.approx(math.log(above), abs=1e-8)
        assert log_evidence_below(failures, trials, delta) == pytest.approx(math.log(below), abs=1e-8)

    @pytest.mark.parametrize("trials", [1000, 100_000])
    def test_is_accurate_where_the_beta_function_underflows(self, trials):
        # (a / A) sum_k common (common - 1) ... / ((A + 1) (A + 2) ...) (delta / (1 - delta))^k, all terms positive.
        delta, failures = 0.01, trials - trials // 20
        A, term, total = failures + 0.5, 1.0, 1.0
        for k in range(trials // 20):
            term *= (trials // 20 - k) / (A + 1 + k) * delta / (1 - delta)
            total += term
        expected = math.log(0.5 / A * total)
        assert log_evidence_below(failures, trials, delta) == pytest.approx(expected, rel=1e-10)

    @settings(derandomize=True, deadline=None, database=None)
    @given(states(), deltas)
    def test_is_a_martingale_at_delta(self, state, delta):
        failures, trials = state
        for log_evidence in (log_evidence_above, log_evidence_below):
            now = log_evidence(failures, trials, delta)
            failed, clean = log_evidence(failures + 1, trials + 1, delta), log_evidence(failures, trials + 1, delta)
            mean = np.logaddexp(math.log(delta) + failed, math.log1p(-delta) + clean)
            assert mean == pytest.approx(float(now), abs=1e-7)

    @settings(derandomize=True, deadline=None, database=None)
    @given(states(), deltas)
    def test_moves_the_right_way_with_each_trial(self, state, delta):
        failures, trials = state
        tiny = 1e-7
        assert log_evidence_above(failures + 1, trials + 1, delta) >= log_evidence_above(failures, trials, delta) - tiny
        assert log_evidence_above(failures, trials + 1, delta) <= log_evidence_above(failures, trials, delta) + tiny
        assert log_evidence_below(failures + 1, trials + 1, delta) <= log_evidence_below(failures, trials, delta) + tiny
        assert log_evidence_below(failures, trials + 1, delta) >= log_evidence_below(failures, trials, delta) - tiny

    @settings(derandomize=True, deadline=None, database=None)
    @given(states(), deltas, deltas)
    def test_is_monotone_in_delta(self, state, one, other):
        low, high = sorted((one, other))
        assert log_evidence_above(*state, low) >= log_evidence_above(*state, high) - 1e-7
        assert log_evidence_below(*state, low) <= log_evidence_below(*state, high) + 1e-7

    @settings(derandomize=True, deadline=None, database=None)
    @given(states(10**6), deltas)
    def test_is_finite_and_never_on_both_sides(self, state, delta):
        above, below = float(log_evidence_above(*state, delta)), float(log_evidence_below(*state, delta))
        assert math.isfinite(above)
        assert math.isfinite(below)
        assert min(above, below) <= 1e-7

    def test_works_elementwise(self):
        failures = np.array([0, 1, 2, 950])
        trials = np.array([1, 5, 2, 1000])
        together = log_evidence_below(failures, trials, 0.01)
        alone = [float(log_evidence_below(s, n, 0.01)) for s, n in zip(failures, trials, strict=True)]
        np.testing.assert_allclose(together, alone, rtol=1e-12)


class TestInterval:
    @pytest.mark.full
    def test_contains_the_true_rate_at_all_times(self):
        # Missed at any of 50 times with probability at most 0.1; false alarm of each of the 3 cases: 1e-6.
        ends = {(s, n): rate_interval(s, n, 0.05) for n in range(1, 51) for s in range(n + 1)}
        low = np.array([[ends[min(s, n), n][0] for n in range(1, 51)] for s in range(51)])
        high = np.array([[ends[min(s, n), n][1] for n in range(1, 51)] for s in range(51)])
        for rate in (0.02, 0.3, 0.9):
            failures = np.cumsum(np.random.default_rng(6).random((CAMPAIGNS, 50)) < rate, axis=1)
            now = np.arange(50)
            missed = np.any((low[failures, now] > rate) | (high[failures, now] < rate), axis=1)
            assert np.mean(missed) <= tolerated(0.1)


class TestBadInput:
    @pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 1.5, math.nan, math.inf, "often", None])
    def test_delta(self, delta):
        with pytest.raises(UsageError, match=r"delta is .*expected"):
            log_evidence_above(0, 1, delta)

    @pytest.mark.parametrize("level", [0.0, 1.0, -1.0, math.nan])
    def test_levels(self, level):
        with pytest.raises(UsageError, match="the level of the interval is"):
            rate_interval(1, 2, level)

    @pytest.mark.parametrize(("failures", "trials"), [(-1, 3), (0, -1), (4, 3), (1.5, 3), (math.nan, 3), (1, "3")])
    def test_counts(self, failures, trials):
        with pytest.raises(UsageError, match="expected"):
            rate_interval(failures, trials)
        for log_evidence in (log_evidence_above, log_evidence_below):
            with pytest.raises(UsageError, match="expected"):
                log_evidence(failures, trials, 0.1)

    def test_counts_in_arrays_are_named(self):
        with pytest.raises(UsageError, match="4 failures in 3 trials"):
            log_evidence_above(np.array([1, 4]), np.array([3, 3]), 0.1)
