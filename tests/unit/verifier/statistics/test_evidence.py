"""Evidence against laws: error probability, detection, protocol. Simulations have fixed seeds and state their false alarm."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st
from scipy.stats import binom

from verifier.base.errors import ContractError, UsageError
from verifier.model.inequality import Inequality
from verifier.model.measurement import Measurement
from verifier.statistics import EvidenceMonitor
from verifier.statistics.betting import BETS, log_growth
from verifier.statistics.chernoff import Moments, log_binomial_moments, log_moments
from verifier.statistics.detectable import Detectable
from verifier.statistics.evidence import TELLING, evidence, log_binomial, measure_evidence

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


def of(e_value: float, expected: float = 2.0) -> Measurement:
    return measure_evidence(Inequality(e_value, 1.0, trivial=expected))


def watch(e_values: Iterable[float], level: float = LEVEL) -> EvidenceMonitor:
    monitor = EvidenceMonitor(level)
    for e_value in e_values:
        monitor = monitor.observe(of(e_value))
    return monitor


@pytest.mark.one_in(5)
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
    assert (later.decision, later.trials) == ("inconclusive", 1)
    assert fresh.trials == 0  # observing makes a new monitor
    assert later.interval() is None
    assert later.detectable() == Detectable("runs", 6.0)  # the average of (1 + g)^6 over the bets is 25
    text = watch([3.0] * 2, level=1e-3).reason()
    assert text == (
        "evidence 4.46 against the law over 2 seeds; a right one gives 1e+03 or more with probability 1.0e-03 at most; "
        "12 runs are needed to convict another law with probability 0.99"
    )


def test_a_law_conforms_when_the_wrong_one_would_have_been_found() -> None:
    for trials, decision in ((5, "inconclusive"), (6, "conforms")):
        assert watch([1.0] * trials).decision == decision
    assert watch([1e6, *[1.0] * 20]).decision == "violated"


def test_no_number_of_runs_convicts_what_leaves_no_evidence() -> None:
    monitor = EvidenceMonitor(LEVEL)
    for _ in range(100):
        monitor = monitor.observe(of(1.0, expected=1.0))
    assert (monitor.decision, monitor.runs, monitor.detectable().kind) == ("inconclusive", math.inf, "none")
    assert of(1.0, expected=1.0).powered == of(1.0, expected=0.5).powered == 0
    assert of(1.0, expected=1.001).powered == 1


def coins(flips: int, right: float, wrong: float) -> tuple[float, Moments]:
    """Mean and moments of the likelihood ratio of wrong coins to right ones under the wrong ones."""
    heads, tails = math.log(wrong / right), math.log((1 - wrong) / (1 - right))
    return flips * (wrong * heads + (1 - wrong) * tails), log_binomial_moments(flips, wrong, heads, tails)


def missed(runs: int, level: float, right: float, wrong: float) -> float:
    """Exact probability that after so many runs of one wrong coin the capital is below 1/level: it depends on the heads alone."""
    heads = np.arange(runs + 1)
    up, down = (log_growth(ratio - 1)[:, None] for ratio in (wrong / right, (1 - wrong) / (1 - right)))
    capital = np.logaddexp.reduce(up * heads + down * (runs - heads)) - math.log(len(BETS))
    return float(binom.pmf(heads, runs, wrong)[capital < -math.log(level)].sum())


@pytest.mark.parametrize(("right", "wrong"), [(0.5, 0.3), (0.5, 0.75), (0.001, 0.01), (0.2, 0.1), (0.1, 0.9), (0.01, 0.1)])
@pytest.mark.parametrize("level", [1e-3, 1e-6])
def test_the_wrong_law_is_convicted_within_the_runs_that_are_stated_and_not_many_fewer_are_needed(
    right: float, wrong: float, level: float
) -> None:
    """Exact: with the runs stated at most 1% of campaigns miss the wrong coin, with a half of them more than that do."""
    mean, moments = coins(1, right, wrong)
    runs = int(EvidenceMonitor(level).observe(measure_evidence(evidence(0.0, mean, moments=moments))).runs)
    assert missed(runs, level, right, wrong) <= 0.01
    assert missed(runs // 2, level, right, wrong) > 0.01


def test_many_rates_of_coins() -> None:
    """Over all outcomes of two coins, flipped three times and once: mean 1; and a wrong rate of one of them is found."""
    mean = 0.0
    for hits in product(range(4), range(2)):
        chance = math.prod(binom.pmf(k, n, 0.3) for k, n in zip(hits, (3, 1), strict=True))
        mean += chance * math.exp(log_binomial(np.array(hits), np.array([3, 1]) - hits, 0.3))
    assert mean == pytest.approx(1.0)
    assert log_binomial(np.array([1, 0]), np.array([0, 1]), 0.3) == pytest.approx(0.0, abs=1e-12)
    assert log_binomial(np.array([90, 30]), np.array([10, 70]), 0.3) > 50


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


def test_a_run_that_refutes_a_law_tells_what_is_closer() -> None:
    """The likeliest first, and nothing that may be chance; a run that does not refute it by itself is not asked."""
    others = {"less likely": TELLING - 0.1, "another": TELLING + 1.0, "the likeliest": TELLING + 2.0}
    assert list(evidence(TELLING, 0.0, lambda: others).explanations) == ["closer to the likeliest", "closer to another"]

    def asked() -> dict[str, float]:
        raise AssertionError("nothing is to be told")

    assert not evidence(TELLING - 0.1, 0.0, asked).explanations


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("right", "wrong", "flips"), [(0.5, 0.3, 4), (0.001, 0.01, 40)])
def test_the_law_that_is_named_conforms_with_probability_of_one_percent_at_most(right: float, wrong: float, flips: int) -> None:
    """Runs of coins under the very law that the claim names, 300 campaigns, the second case with a rare atom.

    At most 1% of them conform; more than 4% (12 of 300) by chance below 1e-4. Where the mean was asked for, a third or more did.
    """
    rng = np.random.default_rng(8)
    heads, tails = math.log(wrong / right), math.log((1 - wrong) / (1 - right))
    mean, moments = coins(flips, right, wrong)
    decisions = []
    for _ in range(300):
        monitor = EvidenceMonitor(1e-4, "the other coin")
        while monitor.decision == "inconclusive":
            hits = int(rng.binomial(flips, wrong))
            monitor = monitor.observe(measure_evidence(evidence(hits * heads + (flips - hits) * tails, mean, moments=moments)))
        decisions.append(monitor.decision)
    assert decisions.count("conforms") <= 12


def test_a_law_that_leaves_nothing_to_chance_needs_no_more_runs_than_its_evidence() -> None:
    monitor = EvidenceMonitor(1e-4, "always heads").observe(measure_evidence(evidence(0.0, 5.0)))
    assert monitor.runs == 3.0  # exp(5)^n reaches 1e4 at n = 2, the average of stakes one later


def test_moments_are_numbers_one_for_each_bet_and_power() -> None:
    right = log_moments(np.zeros(1), np.ones(1))
    assert np.allclose(right, 0.0)
    for wrong in (right[1:], (*right[1:], math.nan), (*right[1:], math.inf)):
        with pytest.raises(ContractError, match="moments"):
            measure_evidence(evidence(0.0, 1.0, moments=wrong))


def test_a_law_that_leaves_less_and_less_to_chance_needs_as_many_runs_as_one_that_leaves_nothing() -> None:
    """Up to the number of bets and the largest power."""
    point = EvidenceMonitor(1e-4).observe(measure_evidence(evidence(0.0, 5.0, moments=log_moments(np.array([5.0]), np.ones(1)))))
    assert point.runs in (3.0, 4.0)


def test_moments_of_binomial_numbers_are_those_of_all_outcomes() -> None:
    """What is left out of many flips changes little, to the safe side; all flips alike, and none, are included."""
    for flips, rate in ((0, 0.3), (1, 0.3), (40, 0.01), (3000, 0.4)):
        hits = np.arange(flips + 1)
        every = log_moments(0.1 - 0.7 * hits + 0.4 * (flips - hits), binom.pmf(hits, flips, rate))
        found = np.array(log_binomial_moments(flips, rate, -0.7, 0.4, 0.1))
        assert np.all(found >= np.array(every) - 1e-9)
        assert found == pytest.approx(every, abs=0.03 if flips > 1 else 1e-9)
