from __future__ import annotations

from typing import Any

import pytest

from verifier_reports.numbers import comparison, short_comparison, short_ratio, visible_error

from .entries import claim, entry


def shown(value: float, bound: float, statement: str = "x <= y", kind: str = "always", **changes: Any) -> list[Any]:
    """A claim and its only entry."""
    verdict = "violated" if changes.get("violations") else "conforms"
    one = claim("x", "eq. 1", "T", statement, kind, entry("x", "oracle@lock", verdict, value, bound, **changes))
    return [one, one.regimes[0]]


@pytest.mark.parametrize(
    ("value", "bound", "text"),
    [
        (26.0, 133.2, "26 <= 133.2"),
        (0.0, 0.0, "0 <= 0"),
        (4.4e-15, 0.0, "0 (rounding)"),
        (1.0 + 2e-16, 1.0, "1 (rounding)"),
        (0.8416683183, 0.8416683184, "slack 1e-10"),
        (0.99986, 1.0, "slack 1.4e-4"),
        (2.0, 2.0, "2 <= 2"),
        (float("nan"), 2.0, "nan <= 2"),
    ],
)
def test_short_comparisons(value: float, bound: float, text: str) -> None:
    assert short_comparison(*shown(value, bound, tolerance=1e-9)) == text


def test_residuals_of_assumptions_are_exact_or_rounding() -> None:
    assert short_comparison(*shown(0.0, 0.0, kind="assumption")) == "0 (exact)"
    assert short_comparison(*shown(4.4e-15, 0.0, kind="assumption", tolerance=1e-9)) == "0 (rounding)"


def test_what_exceeds_the_rounding_allowed_is_not_called_rounding() -> None:
    assert short_comparison(*shown(901.0, 2.0, tolerance=1e-9)) == "901 > 2"


def test_broken_ties_tell_by_how_much() -> None:
    assert short_comparison(*shown(2.1 + 1e-9, 2.1, violations=1)) == "over by 1e-9"
    assert short_comparison(*shown(3.0, 2.1, violations=1)) == "3 > 2.10"


def test_lower_bounds_are_shown_as_they_are_stated() -> None:
    stated = {"statement": "replans ≥ n", "witness": {}}
    assert short_comparison(*shown(-26.0, -15.0, **stated)) == "26 >= 15"
    assert comparison(*shown(-26.0, -15.0, **stated)) == "26 >= 15"
    assert comparison(*shown(-14.0, -15.0, violations=1, **stated)) == "14 >= 15 is false"
    assert short_comparison(*shown(-14.0, -15.0, violations=1, **stated)) == "14 < 15"
    assert short_comparison(*shown(-26.0, -15.0)) == "-26 <= -15"


def test_ratios_mean_nothing_where_the_bound_is_not_positive() -> None:
    assert short_ratio(*shown(1.0, 4.0)) == "0.25"
    assert short_ratio(*shown(1e-15, 0.0, ratio=0.05)) == ""
    assert short_ratio(*shown(-3.0, -2.0)) == ""


def test_the_visible_error_includes_the_rounding_allowed() -> None:
    _, one = shown(0.5, 0.5 + 1e-10, tolerance=1e-6)
    assert visible_error(one) == pytest.approx(1e-6 + 1e-10)
