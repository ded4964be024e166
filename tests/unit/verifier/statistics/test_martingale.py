"""The bet on a drift. Simulations have fixed seeds and state their false-alarm probability."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from verifier.base.errors import UsageError
from verifier.statistics import MartingaleTest
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
        MartingaleTest(1.0, 0.01).decide([math.nan])
    with pytest.raises(UsageError, match=r"have shape \(1, 1\)"):
        MartingaleTest(1.0, 0.01).decide([[1.0]])
    with pytest.raises(UsageError, match="the reject level is 1"):
        MartingaleTest(1.0, 1.0)
