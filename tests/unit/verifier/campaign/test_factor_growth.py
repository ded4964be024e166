"""The exponent of a factor over a family, bounded from the intervals at both ends."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier.campaign.factor_growth import family_of, family_of_delta, growth_of, where_promised, within_reach
from verifier.model.setting import DELTAS, DeltaFamily, Family, Scenario
from verifier.plugins.registry import registry
from verifier.record import FactorLine, GrowthEntry
from verifier.statistics import quantile_interval, runs_needed
from verifier_bandits.oful.algorithm import OFUL
from verifier_bandits.ucb1.algorithm import UCB1
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reports.factor_growth import exponent, meaning

FAMILY: Family[object] = Family("tables", "tables", "H", "steps", lambda rng, H: H, sizes=(2, 4, 8))


def certified(size: int, low: float, high: float, largest: float = 1.0, why: str = "") -> FactorLine:
    return FactorLine(f"tables[H={size}]", 100, largest, "", 0.9, low=low, high=high, why=why)


def grown(*lines: FactorLine) -> GrowthEntry:
    return growth_of(lines, FAMILY)


def test_an_exponent_is_bounded_by_the_ends_and_nothing_between_them() -> None:
    """A factor of 0.5 to 0.6 at H = 2, and of 0.05 to 0.1 at H = 8: between log_4(0.05/0.6) and log_4(0.1/0.5)."""
    found = grown(certified(2, 0.5, 0.6, 0.6), certified(4, 0.0, 9.0), certified(8, 0.05, 0.1, 0.1))
    assert (found.family, found.symbol, found.sizes) == ("tables", "H", (2, 4, 8))
    assert found.low == pytest.approx(math.log(0.05 / 0.6, 4))
    assert found.high == pytest.approx(math.log(0.1 / 0.5, 4))
    assert found.seen == pytest.approx(math.log(0.1 / 0.6, 4))
    assert exponent(found) == "-1.80 to -1.16"
    assert meaning(found) == "H^1.16 too many here"


def test_a_power_that_is_known_exactly_is_within_the_bounds() -> None:
    for power in (-1.0, -0.5, 0.0, 0.5, 1.0):
        ends = [certified(size, 0.9 * size**power, 1.1 * size**power, float(size**power)) for size in (2, 8)]
        found = grown(*ends)
        assert found.low < power < found.high
        assert found.seen == pytest.approx(power)


@pytest.mark.parametrize(
    ("first", "last", "shown", "means"),
    [
        ((0.1, 0.2), (0.3, 0.4), "0.29 to 1.00", "more needed at larger H"),
        ((0.1, 0.3), (0.2, 0.4), "-0.30 to 1.00", "cannot tell"),
        ((0.0, 0.3), (0.2, 0.4), "-0.30 to ?", "cannot tell"),
        ((0.1, math.inf), (0.2, 0.4), "? to 1.00", "few runs"),
        ((0.1, 0.2), (0.0, 0.05), "? to -0.50", "H^0.50 too many here"),
        ((0.0, 0.0), (0.0, 0.0), "", ""),
        ((math.nan, math.nan), (0.1, 0.2), "0.00 seen", "few runs"),
    ],
)
def test_what_is_said_of_an_exponent(first: tuple[float, float], last: tuple[float, float], shown: str, means: str) -> None:
    why = "" if math.isfinite(first[1]) else "few runs"
    size = 0.0 if first == last else 1.0
    found = grown(certified(2, *first, largest=size, why=why), certified(8, *last, largest=size))
    assert (exponent(found), meaning(found)) == (shown, means)


def test_without_an_end_nothing_is_said() -> None:
    found = grown(certified(2, 0.1, 0.2), certified(4, 0.1, 0.2))
    assert math.isnan(found.seen)
    assert found.why == "no factor at H = 8"


def test_a_family_has_sizes_and_fits_the_algorithm() -> None:
    assert family_of(HoeffdingUCBVI, registry(), "horizons").sizes[-1] == 8
    for unknown in ("horizon", "adversary-constant"):
        with pytest.raises(UsageError, match=f"ucbvi-ch has no family of instances '{unknown}'"):
            family_of(HoeffdingUCBVI, registry(), unknown)
    with pytest.raises(UsageError, match=r"ucb1 runs on no family of instances; leave it out$"):
        family_of(UCB1, registry(), "horizons")
    with pytest.raises(UsageError, match="oful runs on no family of instances; leave it out, or give delta"):
        family_of(OFUL, registry(), "horizons")


# Of delta ---------------------------------------------------------------------------------------------------------

AT_DELTA: DeltaFamily[Any] = DeltaFamily.of(Scenario("coins", "flips", lambda rng: rng))


def measured(size: int, values: np.ndarray, level: float) -> FactorLine:
    """Line of a claim that may fail with probability delta = 1/size."""
    low, high = quantile_interval(values, 1.0 - 1.0 / size, level)
    return FactorLine(f"coins[1/delta={size}]", len(values), float(values.max()), "", 1.0 - 1.0 / size, low=low, high=high)


LOG = math.log(math.log(10) / math.log(2))


@pytest.mark.parametrize(
    ("factor", "power"),
    [
        (lambda u, size: -np.log(u), 1.0),  # the quantile of level 1 - delta is ln(1/delta)
        (lambda u, size: np.sqrt(-np.log(u)) / math.log(size), -0.5),  # and of a bound that grows like ln(1/delta)
        (lambda u, size: np.full_like(u, 1 / math.log(size)), -1.0),  # nothing random, as the error before the first episode
        (lambda u, size: np.where(u < 0.3, 2.0, 1.0), math.log(2) / LOG),  # two values, so that all runs are tied
    ],
)
def test_an_exponent_of_delta_is_between_its_bounds_in_a_simulation(factor: Any, power: float) -> None:
    rng, missed, family = np.random.default_rng(5), 0, replace(AT_DELTA, sizes=(2, 10))
    for _ in range(400):
        found = growth_of([measured(size, factor(rng.random(100), size), 0.005) for size in family.sizes], family)
        missed += not found.low - 1e-12 <= power <= found.high + 1e-12
    assert missed <= 10  # the intervals hold together with confidence 99%: at most 4 are expected


def test_a_power_of_the_logarithm_of_delta_is_no_power_of_delta() -> None:
    lines = [FactorLine(f"coins[1/delta={size}]", 100, 1.0, "", 0.5, low=0.5, high=0.6) for size in (2, 100)]
    found = growth_of(lines, AT_DELTA, (1000,))
    assert (found.family, found.symbol, found.argument) == ("coins", "1/delta", "ln(1/delta)")
    assert (found.sizes, found.left_out) == (DELTAS, (1000,))
    assert found.high == pytest.approx(math.log(0.6 / 0.5) / math.log(math.log(100) / math.log(2)))
    assert meaning(found) == "cannot tell"


@pytest.mark.parametrize(("factor", "means"), [(0.1, "power 0.79 too many"), (10.0, "more at smaller delta")])
def test_what_is_said_of_an_exponent_of_delta(factor: float, means: str) -> None:
    lines = [
        FactorLine("coins[1/delta=2]", 100, 1.0, low=0.9, high=1.0),
        FactorLine("coins[1/delta=100]", 100, 1.0, low=factor, high=factor * 2),
    ]
    assert meaning(growth_of(lines, AT_DELTA)) == means


def test_a_claim_that_promises_nothing_at_a_delta_has_no_end_there() -> None:
    known = registry("lsvi-rfe").guarantees_of("lsvi-rfe")
    publics = {f"coins[1/delta={size}]": SimpleNamespace(delta=1 / size) for size in DELTAS}
    sizes = {name: where_promised(known.claim(name), AT_DELTA, publics).sizes for name in ("loss", "sum-of-values", "gram")}
    assert sizes == {"loss": (10, 25, 100), "sum-of-values": DELTAS, "gram": DELTAS}  # 7 delta, delta, an identity
    assert where_promised(known.claim("loss"), AT_DELTA, dict(list(publics.items())[:3])).sizes == DELTAS  # one size is too few


def test_no_delta_is_measured_whose_quantile_so_many_runs_cannot_bound() -> None:
    known = registry("ucbvi-ch").guarantees_of("ucbvi-ch")
    alone = {runs: within_reach(AT_DELTA, known, ("coverage",), runs).sizes for runs in (6, 100, 300, 1500)}
    assert alone == {6: (2, 4), 100: (2, 4, 10), 300: (2, 4, 10, 25), 1500: DELTAS}
    assert within_reach(AT_DELTA, known, (), 100).sizes == (2, 4, 10)
    assert runs_needed(0.9, 0.01 / 5 / 2) <= 100 < runs_needed(0.96, 0.01 / 5 / 2)  # 5 intervals, each with two sides


def test_at_another_delta_nothing_else_of_an_instance_differs() -> None:
    setting = registry("fmdp-ch").setting("factored")
    for name in ("overlap", "bandits"):  # the second is drawn anew for each trial
        plain, other = (setting.scenario(text) for text in (name, f"{name}[1/delta=25]"))
        assert plain is not None
        assert other is not None
        first, second = plain.draw(3), other.draw(3)
        assert (first.public.delta, second.public.delta) == (0.1, 0.04)
        np.testing.assert_array_equal(first.truth.kernel, second.truth.kernel)
        first, second = (each.drawn(np.random.default_rng(1)) for each in (first, second))
        assert (first.public.delta, second.public.delta) == (0.1, 0.04)
        np.testing.assert_array_equal(first.truth.reward, second.truth.reward)
        assert other.share == plain.share
    assert setting.scenario("overlap[1/delta=1]") is None
    assert setting.scenario("nothing[1/delta=4]") is None


def test_an_instance_at_several_delta_is_one_of_the_catalogue() -> None:
    known = registry()
    assert family_of_delta(known.guarantees_of("ucbvi-ch"), known).name == "random"
    assert family_of_delta(known.guarantees_of("ucbvi-ch"), known, ("one-state",)).name == "one-state"
    for wanted, message in (("rnadom", "are: none. Did you mean 'random'"), ("r*", "are: random, .*Give the name of one")):
        with pytest.raises(UsageError, match=message):
            family_of_delta(known.guarantees_of("ucbvi-ch"), known, (wanted,))
    with pytest.raises(UsageError, match="no claim of ucb1 may fail with a probability that depends on delta"):
        family_of_delta(known.guarantees_of("ucb1"), known)
