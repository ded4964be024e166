"""Claims about means: error probabilities, agreement with the tests they are made of, ranges.

Simulations have fixed seeds and state their false-alarm probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from verifier.base.errors import ContractError, UsageError
from verifier.model.inequality import UNBOUNDED, Inequality
from verifier.model.measurement import Measurement
from verifier.statistics import ExpectationMonitor, ExpectationTest, MartingaleTest, MeanTest
from verifier.statistics.expectation import measure_run

CAMPAIGNS = 400
TRIALS = 60
ALARM = 1e-6  # false-alarm probability of one simulated comparison below

Law = Callable[[np.random.Generator], tuple[float, float, float, float | None]]

# (value, bound, trivial, ceiling) of a run, with E[value] = E[bound].
EQUAL: dict[str, Law] = {
    "coin": lambda rng: (float(rng.random() < 0.5), 0.5, 1.0, None),
    "rare loss": lambda rng: (float(rng.random() < 0.9), 0.9, 1.0, None),
    "rare win": lambda rng: (10.0 * float(rng.random() < 0.1), 1.0, 10.0, None),
    "random bound": lambda rng: (rng.random(), rng.random(), 1.0, 1.0),
    "heavy tail": lambda rng: (float(rng.pareto(2.0)), 1.0, math.inf, None),
}


def run(value: float, bound: float, trivial: float = math.inf, ceiling: float | None = None, **options: Any) -> Measurement:
    return measure_run(Inequality(value, bound, trivial=trivial, ceiling=ceiling, **options))


def watch(test: ExpectationTest, runs: Iterable[Measurement]) -> ExpectationMonitor:
    monitor = test.start()
    for found in runs:
        monitor = monitor.observe(found)
    return monitor


def until_decided(test: ExpectationTest, law: Law, rng: np.random.Generator, trials: int) -> ExpectationMonitor:
    monitor = test.start()
    while monitor.trials < trials and monitor.decision == "inconclusive":
        monitor = monitor.observe(run(*law(rng)))
    return monitor


@pytest.mark.one_in(5)
@pytest.mark.parametrize("law", EQUAL)
def test_error_probabilities_at_equality(law: str) -> None:
    # Watched after each of 60 runs; both nulls hold at E[value] = E[bound]. False alarm of each count: 1e-6.
    test = ExpectationTest(0.05, 0.1)
    rng = np.random.default_rng(1)
    decisions = [until_decided(test, EQUAL[law], rng, TRIALS).decision for _ in range(CAMPAIGNS)]
    assert decisions.count("violated") <= binom.isf(ALARM, CAMPAIGNS, 0.05)
    assert decisions.count("conforms") <= binom.isf(ALARM, CAMPAIGNS, 0.1)


@pytest.mark.full
def test_a_claim_with_slack_smaller_than_the_resolution_is_rarely_certified() -> None:
    # E[value] = 1.2 E[bound], which is the null of certifying at resolution 0.2. False alarm: 1e-6.
    test = ExpectationTest(1e-9, 0.1, resolution=0.2)
    rng = np.random.default_rng(2)
    law: Law = lambda rng: (float(rng.random() < 0.6), 0.5, 1.0, None)  # noqa: E731  # one of the laws, in place
    decisions = [until_decided(test, law, rng, TRIALS).decision for _ in range(CAMPAIGNS)]
    assert decisions.count("conforms") <= binom.isf(ALARM, CAMPAIGNS, 0.1)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_false_is_violated_and_what_has_slack_conforms(seed: int) -> None:
    # Each within 400 runs. The best bet gains at least 0.2 nats a run here, with a standard deviation of at most 1, and the
    # average of the bets log(22) less; 14 nats decide. Every failure is at least 4 standard deviations away (1e-4); the claims
    # that hold are called violated with probability 1e-6.
    rng = np.random.default_rng(seed)
    test = ExpectationTest(1e-6)
    assert until_decided(test, lambda rng: (rng.random(), 0.25, 1.0, None), rng, 400).decision == "violated"
    assert until_decided(test, lambda rng: (float(rng.exponential(2.0)), 1.0, math.inf, None), rng, 400).decision == "violated"
    assert until_decided(test, lambda rng: (rng.random(), 0.3 * rng.random(), 1.0, 0.3), rng, 400).decision == "violated"
    assert until_decided(test, lambda rng: (rng.random(), 0.75, 1.0, None), rng, 400).decision == "conforms"
    assert until_decided(test, lambda rng: (0.3 * rng.random(), rng.random(), 1.0, 1.0), rng, 400).decision == "conforms"


def test_an_equality_conforms_with_a_resolution_only() -> None:
    # The bound is met in every run: nothing is violated, and without resolution nothing is ever certified, with certainty.
    exact = [run(0.5, 0.5, 1.0)] * 300
    assert watch(ExpectationTest(1e-6), exact).decision == "inconclusive"
    got = watch(ExpectationTest(1e-6, resolution=0.1), exact)
    assert got.decision == "conforms"
    assert "the mean is at most 1.1 times the bound (level 0.01, decided after 56)" in got.reason()


def test_what_nothing_limits_is_never_certified() -> None:
    got = watch(ExpectationTest(1e-6, resolution=1.0), [run(0.0, 100.0)] * 1000)
    assert got.decision == "inconclusive"
    assert got.reason() == (
        "mean 0 against a bound of 100 over 1000 seeds; nothing limits the value, so no number of seeds would certify it"
    )
    assert got.interval() is None
    assert got.detectable().kind == "none"


def test_what_nothing_limits_is_never_violated() -> None:
    assert watch(ExpectationTest(0.5), [run(5.0, 1.0, ceiling=math.inf)] * 1000).decision == "inconclusive"
    assert watch(ExpectationTest(0.5), [run(5.0, math.inf)] * 10).decision == "inconclusive"


def test_a_resolution_that_reaches_what_anything_meets_certifies_nothing() -> None:
    got = watch(ExpectationTest(1e-6, resolution=1.0), [run(0.0, 0.5, 1.0)] * 100)
    assert got.decision == "inconclusive"
    assert "2 times the bound is a trivial bound" in got.reason()


def test_a_value_that_has_to_vanish() -> None:
    test = ExpectationTest(1e-6)
    assert watch(test, [run(0.0, 0.0, 1.0)] * 500).decision == "inconclusive"
    assert watch(test, [*[run(0.0, 0.0, 1.0)] * 500, run(0.1, 0.0, 1.0)]).decision == "violated"
    assert watch(test, [run(1e-12, 0.0, 1.0, tolerance=1e-9)] * 500).decision == "inconclusive"


def test_infinite_values_are_evidence_and_no_error() -> None:
    got = watch(ExpectationTest(1e-6), [run(1.0, 1.0), run(math.inf, 1.0)])
    assert got.decision == "violated"
    assert got.summary(Measurement()).value == math.inf


def test_means_that_overflow_are_infinite() -> None:
    assert watch(ExpectationTest(1e-6), [run(1e308, 1.0)] * 3).summary(Measurement()).value == math.inf


numbers = st.floats(0.0, 1.0)
derandomized = settings(derandomize=True, deadline=None, database=None, max_examples=60)


@derandomized
@given(st.lists(st.tuples(numbers, st.floats(0.0, 0.5)), min_size=1, max_size=30))
def test_violated_is_what_the_martingale_test_says(pairs: list[tuple[float, float]]) -> None:
    got = watch(ExpectationTest(0.05, 1e-300), [run(value, bound, 1.0, 0.5) for value, bound in pairs])
    increments = [value - bound for value, bound in pairs]
    assert (got.decision == "violated") == (MartingaleTest(0.5, 0.05).decide(increments) == "violated")


@derandomized
@given(st.lists(numbers, min_size=1, max_size=30), st.floats(0.05, 0.95))
def test_with_a_known_bound_it_is_the_test_of_a_bounded_mean(values: list[float], bound: float) -> None:
    got = watch(ExpectationTest(0.05, 0.1), [run(value, bound, 1.0) for value in values])
    test = MeanTest(bound, 0.0, 1.0, 0.05, 0.1)
    assert (got.decision, got.decided_after) == test.decided(values)
    assert got.interval() == pytest.approx(test.interval(values), abs=1e-9)
    assert (got.detectable().value, got.detectable().kind) in [
        (test.detectable_mean(len(values)), "mean"),
        (pytest.approx(math.nan, nan_ok=True), "none"),
    ]


@derandomized
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=20), st.floats(1e-3, 1e3))
def test_the_decision_is_free_of_units(pairs: list[tuple[float, float]], unit: float) -> None:
    test = ExpectationTest(0.2, 0.2)
    here = watch(test, [run(value, bound, 1.0, 1.0) for value, bound in pairs])
    there = watch(test, [run(unit * value, unit * bound, unit, unit) for value, bound in pairs])
    assert here.decided_after == there.decided_after


def test_the_interval_ends_where_the_claim_is_certified() -> None:
    # 1.5 * 0.3 = 0.45: the upper end of the interval crosses it when the claim is certified at resolution 0.5.
    rng = np.random.default_rng(4)
    monitor = ExpectationTest(1e-9, 0.01, 0.5).start()
    while monitor.decision == "inconclusive":
        before = monitor.interval()
        monitor = monitor.observe(run(0.5 * rng.random(), 0.3, 1.0))
    after = monitor.interval()
    assert before is not None
    assert after is not None
    assert after[1] <= 0.45 < before[1]


def test_a_detectable_mean_is_caught_as_often_as_promised() -> None:
    # 300 campaigns of 40 runs on the hard law {0, 1} at the mean named; the catch rate is at least 0.9. False alarm: 1e-6.
    test = ExpectationTest(1e-3, 0.01, 0.2)
    found = watch(test, [run(0.0, 0.5, 1.0), run(1.0, 0.5, 1.0)] * 20).detectable()
    assert found.kind == "mean"
    assert 0.5 < found.value < 1.0
    rng = np.random.default_rng(5)
    law: Law = lambda rng: (float(rng.random() < found.value), 0.5, 1.0, None)  # noqa: E731  # needs the mean just found
    caught = sum(until_decided(test, law, rng, 40).decision == "violated" for _ in range(300))
    assert caught >= binom.isf(1 - ALARM, 300, 0.9)


def test_nothing_is_detectable_in_a_few_runs_or_with_a_random_bound() -> None:
    assert watch(ExpectationTest(1e-6), [run(0.0, 0.5, 1.0)] * 3).detectable().kind == "none"
    assert watch(ExpectationTest(1e-6), [run(0.0, 0.5, 1.0, 0.6)] * 90).detectable().kind == "none"


def test_the_first_decision_stays_and_later_runs_still_count() -> None:
    bad, good = run(1.0, 0.2, 1.0), run(0.0, 0.2, 1.0)
    got = watch(ExpectationTest(1e-3), [*[bad] * 20, *[good] * 500])
    assert got.decision == "violated"
    assert got.decided_after is not None
    assert got.decided_after < 20
    assert got.trials == 520
    assert got.summary(Measurement()).value == pytest.approx(20 / 520)


def test_the_summary_compares_the_means() -> None:
    got = watch(ExpectationTest(1e-3), [run(0.5, 0.2, 1.0, 1.0), run(0.3, 0.6, 1.0, 1.0)])
    found = got.summary(Measurement(trivial=1.0, comparisons=2, powered=2))
    assert (found.value, found.bound, found.ratio) == pytest.approx((0.4, 0.4, 1.0))
    assert (found.comparisons, found.powered, found.violations, found.trivial) == (2, 2, 0, 1.0)
    assert got.reason() == "mean 0.4 against a mean bound of 0.4 over 2 seeds; more seeds are needed to tell"
    nothing = Measurement(excluded=1)
    assert ExpectationTest(1e-3).start().summary(nothing) == nothing
    assert ExpectationTest(1e-3).start().interval() is None


def test_one_run_breaks_nothing() -> None:
    found = run(2.0, 1.0, 3.0)
    assert (found.violations, found.comparisons, found.powered, found.ratio) == (0, 1, 1, 2.0)
    assert run(2.0, 1.0, premise=False) == Measurement(excluded=1)


def test_ranges_hold_up_to_rounding() -> None:
    within = run(-1e-10, 0.5, 1.0, tolerance=1e-9)
    assert watch(ExpectationTest(0.01), [within]).values == (0.0,)
    run(1.0 + 1e-12, 0.5, 1.0)
    run(0.2, 0.5 + 1e-12, 1.0, 0.5)


@pytest.mark.parametrize(
    ("inequality", "message"),
    [
        (Inequality(np.zeros(3), 1.0, ("h",), trivial=UNBOUNDED), r"shape \(3,\), expected a single one"),
        (Inequality(0.0, np.ones(1), ("h",), trivial=UNBOUNDED), r"shape \(1,\), expected a single one"),
        (Inequality(-0.1, 1.0, trivial=UNBOUNDED), "value -0.1 is negative"),
        (Inequality(0.1, -1.0, trivial=UNBOUNDED), "bound -1 is negative"),
        (Inequality(2.0, 1.0, trivial=1.5), "value 2 is above 1.5, the most it could be; correct `trivial`"),
        (Inequality(0.5, 1.0, trivial=1.5, ceiling=0.9), "bound 1 is above 0.9, the most it could be; correct `ceiling`"),
        (Inequality(0.5, 1.0, trivial=UNBOUNDED, ceiling=math.nan), "correct `ceiling`"),
        (Inequality(math.nan, 1.0, trivial=UNBOUNDED), "NaN"),
    ],
)
def test_what_a_property_may_not_return(inequality: Inequality, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        measure_run(inequality)


@pytest.mark.parametrize("other", [run(0.5, 0.6, 1.0), run(0.5, 0.5, 1.1), run(0.5, 0.5), run(0.5, 0.5, 1.0, 0.5)])
def test_what_is_known_before_the_run_is_the_same_in_every_run(other: Measurement) -> None:
    monitor = watch(ExpectationTest(0.01), [run(0.5, 0.5, 1.0)])
    with pytest.raises(ContractError, match=r"have to be known before the run"):
        monitor.observe(other)
    monitor.observe(replace(run(0.5, 0.5, 1.0), bound=0.5 * (1 + 1e-12)))


def test_bad_levels() -> None:
    for wrong, message in (((0.0,), "reject level"), ((0.1, 1.0), "certify level"), ((0.1, 0.1, -0.5), "resolution")):
        with pytest.raises(UsageError, match=message):
            ExpectationTest(*wrong)
