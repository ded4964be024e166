"""Statements: which comparisons have power, and how much rounding they allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity, fields_of, quantity, reports
from verifier.model.measurement import measure
from verifier.model.statement import at_most, identity
from verifier.trials.differences.relations import relations
from verifier_properties.any_setting.published import published

LARGE, SMALL = 1e-6, 1e-9


@dataclass(eq=False)
class Epochs:
    """A view whose plans are arrays by name, with an axis of epochs."""

    plans: Mapping[str, Array]
    public: Any = field(default_factory=lambda: SimpleNamespace(H=5.0))

    plan_axis: ClassVar[str] = "epoch"
    plan_axes: ClassVar[Mapping[str, str]] = {"theta": "i"}

    def reported(self, name: str) -> Array:
        return self.plans[name]

    def once(self, function: Any) -> Any:
        return function(self)

    @quantity("x", "epoch", low=-np.inf, high=np.inf)
    def x(self) -> Array:
        return self.plans["x"]

    @quantity("y", "epoch", low=0.0, rounding=lambda view: np.full(3, LARGE), careful=lambda view: np.full(3, SMALL))
    def y(self) -> Array:
        return np.arange(3.0)


def test_plans_may_be_arrays_with_an_axis_of_another_name() -> None:
    view = Epochs({"theta": np.zeros((3, 2))})
    assert fields_of(Epochs) == {"theta": ("epoch", "i")}
    assert reports(view, "theta")
    assert not reports(view, "theta", "gram")


def test_what_is_compared_with_a_number_has_power_where_both_are_zero() -> None:
    assert measure(identity("x", "0", on=Epochs)(Epochs({"x": np.zeros(3)}))).powered == 3
    assert measure(identity("x", "2 * y - y", on=Epochs)(Epochs({"x": np.arange(3.0)}))).powered == 2


def test_a_part_that_is_as_small_as_rounding_is_not_tested() -> None:
    """Without it the sides would agree up to the rounding of y, though not to the last digit."""
    found = identity("x", "y + 1e-8 * H", on=Epochs)(Epochs({"x": np.arange(3.0) + 5e-8}))
    statement, scope = found.stated
    assert statement.untested(statement.tested(scope, found, 0)) == ("1e-08H",)


def test_a_symbol_that_is_not_tested_is_told_with_its_place() -> None:
    found = identity("x", "min(y, H)", on=Epochs)(Epochs({"x": np.arange(3.0)}))
    statement, scope = found.stated
    assert statement.untested(statement.tested(scope, found, 0)) == ("H in min(y, H)",)


def test_sides_that_are_as_small_as_rounding_have_no_power() -> None:
    """They may agree to the last digit, and anything else that is as small would have passed, too."""
    before = Quantity(lambda view: np.arange(3.0) - 1e-9, "before", "epoch")
    check = identity("x", "y - before", on=Epochs, local=(before,))
    noise = np.arange(3.0) - (np.arange(3.0) - 1e-9)
    assert measure(check(Epochs({"x": noise}))).powered == 0
    assert measure(identity("x", "y * 0.0000001", on=Epochs)(Epochs({"x": np.arange(3.0) * 0.0000001}))).powered == 2


def test_reports_of_the_lines_before_say_where_the_statement_is_made() -> None:
    """An agent that reports no visits says that the formula is not due: what it has there instead is no second mistake."""
    N = Quantity(lambda view: np.array([0.0, 2.0, 2.0]), "N", "epoch", reported="visits")
    check = identity("x", "1 / N", on=Epochs, where="N > 0", local=(N,))
    found = check(Epochs({"x": np.full(3, 99.0), "visits": np.array([0.0, 0.0, 4.0])}))
    assert measure(found).violations == 2
    assert found.repaired is not None
    np.testing.assert_array_equal(found.repaired(), [np.nan, np.nan, 0.25])


def test_a_bound_that_is_a_number_is_no_end_of_a_range() -> None:
    view = Epochs({"x": np.arange(3.0)})
    assert measure(at_most("x", "H", on=Epochs)(view)).powered == 3
    assert measure(at_most("x", "y", on=Epochs)(view)).powered == 2  # y is at its least in the first


def test_a_random_bound_has_a_ceiling_which_may_be_a_formula() -> None:
    view = Epochs({"x": np.arange(3.0)})
    assert at_most("x", "y", on=Epochs, ceiling="2 * H")(view).ceiling == 10.0
    assert at_most("x", "y", on=Epochs)(view).ceiling is None


def test_a_number_of_a_run_is_held_against_a_published_bound_at_any_length() -> None:
    total = Quantity(lambda view: view.plans["x"].sum(), "total", "", "Σx", 0.0, "H")
    check = published(total, lambda view: 3.0, on=Epochs, name="sum", any_length=True)
    assert (check.scope, check.any_length, check.function.text()) == ("run", True, "Σx ≤ the bound")
    for entry, holds in ((1.0, True), (2.0, False)):
        found = measure(check(Epochs({"x": np.full(3, entry)})))
        assert (found.holds, found.powered) == (holds, 1)


def test_infinite_values_have_no_tolerance() -> None:
    found = measure(at_most("x", "H", on=Epochs)(Epochs({"x": np.array([1.0, np.inf, 2.0])})))
    assert (found.violations, found.place) == (1, {"epoch": 1})
    assert measure(identity("x", "y", on=Epochs)(Epochs({"x": np.array([0.0, -np.inf, 2.0])}))).violations == 1


def test_an_implementation_that_loses_digits_is_told_apart() -> None:
    check = identity("x", "y / 2", on=Epochs)
    for off, careless, violations in ((0.0, 0, 0), (0.1 * SMALL, 0, 0), (0.1 * LARGE, 1, 0), (10 * LARGE, 0, 1)):
        found = measure(check(Epochs({"x": np.arange(3.0) / 2 + off * np.array([0, 0, 1])})))
        assert (found.careless, found.violations) == (careless, violations)


def test_a_cut_at_one_is_no_count_less_one() -> None:
    """Where a formula is 2 at every place and 1 was reported, max(x - 1, 1) says no more than the 1."""
    has = np.full(4, 2.0)
    assert "max({} − 1, 1) for {}" not in {found.text for found in relations(np.ones(4), has, has, {}, ())}
    counts = np.array([1.0, 2.0, 5.0])
    found = relations(np.maximum(counts - 1, 1.0), counts, counts, {}, ())
    assert "max({} − 1, 1) for {}" in {relation.text for relation in found}
