"""The z-test is approximate, the bet is not. Simulations have fixed seeds and state their false-alarm probability."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from verifier.errors import UsageError
from verifier.statistics import MartingaleTest, ZTest, z_test
from verifier.statistics.betting import log_capital_path

CAMPAIGNS = 10_000
ALARM = 1e-6  # false-alarm probability of one simulated comparison below

# Increments with mean 0 which are at least -1.
LAWS = {
    "sign": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "rare gain": lambda rng, shape: np.where(rng.random(shape) < 0.1, 9.0, -1.0),
    "rare loss": lambda rng, shape: np.where(rng.random(shape) < 0.1, -1.0, 1 / 9),
}


def test_z_by_hand():
    assert z_test([3.0, 4.0]) == ZTest(7.0, 5.0, 1.4, pytest.approx(norm.sf(1.4)))
    assert z_test([-3.0, -4.0]).p_value == pytest.approx(norm.cdf(1.4))
    assert z_test([]) == z_test([0.0, 0.0]) == ZTest(0.0, 0.0, 0.0, 0.5)


@settings(derandomize=True, deadline=None, database=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(1e-3, 1e3))
def test_z_is_bounded_odd_and_free_of_units(increments, scale):
    x = np.array(increments)
    here = z_test(x)
    assert abs(here.z) <= math.sqrt(len(x)) + 1e-9
    assert z_test(-x).z == pytest.approx(-here.z, abs=1e-9)
    assert z_test(scale * x).z == pytest.approx(here.z, abs=1e-6)


def test_z_survives_extreme_magnitudes():
    assert z_test([3e200, 4e200]).z == pytest.approx(1.4)
    assert z_test([3e-200, 4e-200]).z == pytest.approx(1.4)


@pytest.mark.parametrize("law", ["sign", "uniform"])
def test_z_is_calibrated_for_many_even_increments(law):
    # One look after 400 increments. The error of the normal approximation is allowed a quarter of the level on top of
    # the tolerance; false alarm of each case: 1e-6.
    x = LAWS[law](np.random.default_rng(1), (2000, 400))
    alarms = sum(z_test(row).p_value <= 0.05 for row in x)
    assert alarms <= binom.isf(ALARM, 2000, 0.05 * 1.25)
    assert alarms >= binom.isf(1 - ALARM, 2000, 0.05 * 0.75)


@pytest.mark.parametrize("law", LAWS)
def test_the_bet_rarely_calls_mean_zero_violated(law):
    # Watched after each of 150 increments, level 0.05; false alarm of each case: 1e-6.
    x = LAWS[law](np.random.default_rng(2), (CAMPAIGNS, 150))
    alarms = np.sum(np.any(log_capital_path(x) >= math.log(20), axis=1))
    assert alarms <= binom.isf(ALARM, CAMPAIGNS, 0.05)


@pytest.mark.parametrize("law", LAWS)
def test_the_bet_finds_a_drift(law):
    # A drift of half a standard deviation within 200 increments at level 1e-3, in at least 75 of 100 campaigns. Of 1000
    # other campaigns a share of 0.929 or more was caught; at 0.91 a fresh seed would fail with probability 1e-6.
    x = LAWS[law](np.random.default_rng(3), (100, 200))
    drift = 0.5 * float(np.std(x))
    test = MartingaleTest(bound=1.0, reject_level=1e-3)
    assert sum(test.decide(row + drift) == "violated" for row in x) >= 75


def test_the_bet_is_free_of_units():
    x = np.random.default_rng(4).uniform(-1, 1, 50)
    here, there = MartingaleTest(1.0, 0.01).log_evidence(x), MartingaleTest(250.0, 0.01).log_evidence(250.0 * x)
    np.testing.assert_allclose(here, there, atol=1e-12)
    assert MartingaleTest(1.0, 0.01).log_evidence([]).shape == (0,)


def test_the_bet_is_at_least_as_strong_as_freedman():
    # 1 + g y >= exp(g y - psi(g) y^2) for y >= -1 and g in [0, 1).
    g, y = np.meshgrid(np.linspace(0, 0.99, 100), np.concatenate([np.linspace(-1, 3, 400), [10.0, 100.0]]))
    psi = -np.log1p(-g) - g
    assert np.all(np.log1p(g * y) >= g * y - psi * y**2 - 1e-12)


@pytest.mark.parametrize("bound", [0.0, -1.0, math.nan, math.inf, None])
def test_bad_bound(bound):
    with pytest.raises(UsageError, match=r"bound is .*expected"):
        MartingaleTest(bound, 0.01)


def test_bad_increments():
    with pytest.raises(UsageError, match="the increments hold -2 at place 1"):
        MartingaleTest(1.0, 0.01).decide([0.0, -2.0])
    with pytest.raises(UsageError, match="the increments hold nan at place 0"):
        z_test([math.nan])
    with pytest.raises(UsageError, match=r"have shape \(1, 1\)"):
        z_test([[1.0]])
    with pytest.raises(UsageError, match="the reject level is 1"):
        MartingaleTest(1.0, 1.0)
