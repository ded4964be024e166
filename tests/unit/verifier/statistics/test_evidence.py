"""Evidence against laws: error probability, detection, protocol. Simulations have fixed seeds and state their false alarm."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st
from scipy.stats import binom

from verifier.base.errors import UsageError
from verifier.model.measurement import Inequality, Measurement
from verifier.statistics import EvidenceMonitor
from verifier.statistics.betting import BETS
from verifier.statistics.expectation import measure_run

CAMPAIGNS, TRIALS = 400, 60
ALARM = 1e-6  # false-alarm probability of one simulated comparison below
LEVEL = 0.05

# E-values with mean exactly 1.
FAIR: dict[str, Callable[[np.random.Generator], float]] = {
    "one": lambda rng: 1.0,
    "coin": lambda rng: 2.0 * (rng.random() < 0.5),
    "rare win": lambda rng: 100.0 * (rng.random() < 0.01),
    "likelihood ratio": lambda rng: float(np.exp(rng.standard_normal() - 0.5)),
    "heavy tail": lambda rng: float(rng.pareto(1.5) * 0.5),
}


def of(e_value: float) -> Measurement:
    return measure_run(Inequality(e_value, 1.0, trivial=math.inf))


def watch(e_values: Iterable[float], level: float = LEVEL) -> EvidenceMonitor:
    monitor = EvidenceMonitor(level)
    for e_value in e_values:
        monitor = monitor.observe(of(e_value))
    return monitor


@pytest.mark.parametrize("law", FAIR)
def test_a_right_law_is_called_violated_with_probability_at_most_the_level(law: str) -> None:
    # Watched after each of 60 runs. False alarm: 1e-6.
    rng = np.random.default_rng(0)
    called = sum(watch(FAIR[law](rng) for _ in range(TRIALS)).violated for _ in range(CAMPAIGNS))
    assert called <= binom.isf(ALARM, CAMPAIGNS, LEVEL)


def test_what_gives_no_evidence_is_never_called_violated() -> None:
    assert not watch([1.0] * 1000).violated
    assert watch([1.0] * 1000).evidence == pytest.approx(1.0)
    assert not watch([0.0] * 1000).violated


def test_a_wrong_law_is_found() -> None:
    # E-values that are 3 or 1/3 with probability 3/4 and 1/4: half a nat a run is expected, 5 nats decide. Fixed seed.
    rng = np.random.default_rng(1)
    monitor = watch((3.0 if rng.random() < 0.75 else 1 / 3 for _ in range(60)), level=1e-4)
    assert monitor.violated
    assert monitor.decision == "violated"


def test_one_overwhelming_run_is_enough() -> None:
    for e_value in (1e9, 1e300):
        monitor = watch([e_value], level=1e-4)
        assert monitor.violated
        assert watch([e_value, e_value, 0.0], level=1e-4).violated
        assert math.isfinite(monitor.evidence)
    assert watch([1e300] * 5).evidence == pytest.approx(math.exp(690.0))


@options(max_examples=50, deadline=None, database=None, derandomize=True)
@given(st.lists(st.floats(0.0, 1e6), max_size=8))
def test_the_evidence_is_the_average_capital(e_values: list[float]) -> None:
    direct = np.mean([np.prod([1 + bet * (e - 1) for e in e_values]) for bet in BETS])
    assert watch(e_values).evidence == pytest.approx(direct, rel=1e-9, abs=1e-300)


def test_the_first_violation_stands() -> None:
    monitor = watch([1e3, *[0.0] * 50])
    assert monitor.decision == "violated"
    assert monitor.evidence < 1 / LEVEL
    assert monitor.trials == 51
    assert monitor.summary(of(0.0)).violations == 1


def test_the_protocol() -> None:
    fresh = EvidenceMonitor(LEVEL)
    assert (fresh.decision, fresh.trials) == ("inconclusive", 0)
    assert fresh.evidence == pytest.approx(1.0)
    later = fresh.observe(of(2.0))
    assert (later.decision, later.trials) == ("conforms", 1)
    assert fresh.trials == 0  # observing makes a new monitor
    assert later.interval() is None
    assert later.detectable().kind == "none"
    assert math.isnan(later.detectable().value)
    text = watch([3.0] * 2, level=1e-3).reason()
    assert text == (
        "evidence 4.46 against the law over 2 seeds; a right one gives 1e+03 or more with probability 1.0e-03 at most"
    )


def test_what_reports_show_of_the_trials() -> None:
    monitor = watch([3.0, 0.5, 2.0])
    found = monitor.summary(of(3.0).merge(of(0.5)).merge(of(2.0)))
    assert (found.value, found.bound) == (monitor.evidence, 1 / LEVEL)
    assert found.ratio == pytest.approx(monitor.evidence * LEVEL)
    assert found.margin == -found.excess == found.bound - found.value
    assert (found.comparisons, found.powered, found.violations) == (3, 3, 0)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, math.nan])
def test_levels_are_probabilities(level: float) -> None:
    with pytest.raises(UsageError, match="the reject level"):
        EvidenceMonitor(level)
