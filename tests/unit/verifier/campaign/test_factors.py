"""Lines of a table of factors, from made-up runs of which the answer is known."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier import Claim, Inequality, Kind, run_property
from verifier.campaign.factors import Factors, factor_line, quantile_of
from verifier.model.measurement import Measurement, measure
from verifier.model.result import TrialSpec
from verifier.record import FactorLine
from verifier.statistics.expectation import measure_run


@run_property()
def nothing(view: Any) -> Inequality:
    """Stands for any property."""
    return Inequality(0.0, 0.0, trivial=0.0)


def claim(kind: Kind, **told: Any) -> Claim:
    """A claim of a kind."""
    return Claim("tried", nothing, source="1", theorem="1", statement="x ≤ y", kind=kind, follows="pseudo-code", **told)


LIKELY = claim(Kind.PROBABILITY, failure_probability=1.0)
MEAN = claim(Kind.EXPECTATION)
PUBLIC = SimpleNamespace(delta=0.1)


def line(of: Claim, runs: list[Inequality], planned: int | None = None, level: float = 0.01) -> FactorLine:
    """The line of a claim after these runs."""
    specs = tuple(TrialSpec("mine", "place", "published", index, 7) for index in range(planned or len(runs)))
    tally = Factors(of)
    for spec, run in zip(specs, runs, strict=False):
        tally.add(spec, (measure_run if of.kind is Kind.EXPECTATION else measure)(run))
    return factor_line(tally, "place", PUBLIC, level, specs)


def runs(values: Any, bound: float = 2.0) -> list[Inequality]:
    """Runs of one comparison each."""
    return [Inequality(float(value), bound, trivial=10.0) for value in values]


def test_the_quantile_of_a_claim_of_probability_is_bounded_by_its_order_statistics() -> None:
    found = line(LIKELY, runs(range(100)))
    # Bin(100, 0.9): P(>= 98) = 1.9e-3 <= 0.005 < P(>= 97) = 7.8e-3; P(<= 81) = 4.6e-3 <= 0.005 < P(<= 82) = 1.0e-2
    assert (found.quantile, found.low, found.high) == (0.9, 81 / 2, 97 / 2)
    assert (found.largest, found.runs, found.replay) == (99 / 2, 100, "mine/tried:place:published:99:7")


def test_runs_that_tell_nothing_need_no_bound() -> None:
    found = line(LIKELY, [*runs([1.0] * 60), *(Inequality(0.0, 0.0, trivial=1.0) for _ in range(40))])
    assert (found.low, found.high) == (0.5, 0.5)  # 40 of 100 at zero, but the quantile of level 0.9 is among the others
    assert line(LIKELY, [*runs([1.0] * 2), *runs([-1.0] * 98)]).low == 0.0


def test_a_run_that_no_multiple_covers_makes_the_bound_infinite() -> None:
    found = line(LIKELY, [*runs([1.0] * 85), *runs([1.0] * 15, bound=0.0)])
    assert (found.low, found.high, found.largest) == (0.5, math.inf, math.inf)


def test_too_few_runs_say_how_many_are_needed() -> None:
    found = line(LIKELY, runs([1.0] * 50))
    assert (found.high, found.why) == (math.inf, "an upper bound needs 51 runs")  # 0.9^50 = 5.2e-3 > 0.005
    assert line(LIKELY, runs([1.0] * 51)).high == 0.5


def test_nothing_is_certified_where_runs_are_missing() -> None:
    found = line(LIKELY, runs([1.0] * 99), planned=100)
    assert (found.low != found.low, found.why) == (True, "only 99 of 100 runs were finished")


def test_a_mean_is_one_over_the_bound() -> None:
    found = line(MEAN, runs([0.0, 4.0] * 500))
    assert found.mean == pytest.approx(1.0)
    assert 0.8 < found.low < 1.0 < found.high < 1.2
    assert found.largest == 2.0


def test_a_mean_whose_bound_is_random_has_no_interval() -> None:
    found = line(MEAN, [Inequality(1.0, float(bound), trivial=10.0, ceiling=4.0) for bound in (1, 3) * 20])
    assert (found.mean, found.low != found.low) == (0.5, True)
    assert "random" in found.why


@pytest.mark.parametrize("kind", [Kind.ALWAYS, Kind.GIVEN])
def test_of_other_kinds_only_the_largest_is_told(kind: Kind) -> None:
    found = line(claim(kind, given="an event" if kind is Kind.GIVEN else ""), runs([1.0, 3.0, 2.0]))
    assert (found.largest, found.low != found.low, found.why, found.replay[-4:]) == (1.5, True, "", ":1:7")


def test_the_level_of_the_quantile_is_what_the_claim_promises() -> None:
    assert quantile_of(LIKELY, PUBLIC) == 0.9
    assert quantile_of(claim(Kind.PROBABILITY, failure_probability=2.0), PUBLIC) == 0.8
    assert quantile_of(claim(Kind.PROBABILITY, chance=0.25), PUBLIC) == 0.75
    assert math.isnan(quantile_of(LIKELY, SimpleNamespace(delta=1.0)))
    assert math.isnan(quantile_of(MEAN, PUBLIC))


def test_intervals_of_a_table_cover_known_quantiles() -> None:
    """A table of 8 intervals together, with ties and an atom at zero: each side is exact, so it misses at most as often as told.

    200 tables at confidence 90%; the number of tables with a miss is Bin(200, at most 0.1). That 41 or more have one has
    probability 7e-6 at most.
    """
    rng, missed = np.random.default_rng(5), 0
    specs = tuple(TrialSpec("mine", "place", "published", index, 7) for index in range(120))
    for _ in range(200):
        outside = 0
        for atom in np.linspace(0.0, 0.7, 8):
            drawn = np.where(rng.random(120) < atom, 0.0, np.ceil(4 * rng.random(120)))
            true = next(k for k in range(5) if atom + (1 - atom) * k / 4 >= 0.9)
            tally = Factors(LIKELY, runs={i: Measurement(factor=float(x)) for i, x in enumerate(drawn)}, trials=120)
            found = factor_line(tally, "place", PUBLIC, 0.1 / 8, specs)
            outside += not found.low <= true <= found.high
        missed += outside > 0
    assert missed <= 40
