"""The exponent of a factor over a family, bounded from the intervals at both ends."""

from __future__ import annotations

import math

import pytest

from verifier.base.errors import UsageError
from verifier.campaign.factor_growth import family_of, growth_of
from verifier.model.setting import Family
from verifier.plugins.registry import registry
from verifier.record import FactorLine, GrowthEntry
from verifier_bandits.ucb1.algorithm import UCB1
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reports.tightness import exponent, meaning

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
    with pytest.raises(UsageError, match="ucb1 runs on no family of instances; leave it out"):
        family_of(UCB1, registry(), "horizons")
