"""Parts of a formula that nothing compared depends on are told, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.formulas.expression import evaluate, names_in, nodes, tree_of
from verifier.formulas.tested import at_an_end, bits_inside, bits_tested, untested
from verifier.formulas.typeset import text

SMALL = {"x": [1.0, 2.0], "N": [1.0, 4.0]}
"""Values below the cut at H, at pairs with data."""
CUT = {"x": [1.0, 20.0], "N": [1.0, 4.0]}
BOTH = {"x": [1.0, 20.0], "N": [1.0, 0.0]}


def values_of(given: dict[str, list[float]]) -> dict[str, Array]:
    return {"H": np.array(9.0), **{name: np.array(value) for name, value in given.items()}}


def parts_untested(formula: str, given: dict[str, list[float]], known: int = 0) -> tuple[list[str], int]:
    tree, values = tree_of(formula), values_of(given)
    reported = evaluate(tree, values)
    found = bits_tested(tree, values, lambda other: bool((abs(other - reported) > 1e-9).any()), known)
    return [text(part) for part, _ in untested(tree, found)], found


@pytest.mark.parametrize(
    ("formula", "given", "parts"),
    [
        ("min(2 * x, H)", SMALL, ["H"]),
        ("min(2 * x, H)", CUT, []),
        ("where(N > 0, min(2 * x, H), 3 * H)", CUT, ["3H"]),
        ("where(N > 0, min(2 * x, H), 3 * H)", BOTH, ["H"]),  # the large x is where nothing was seen
        ("max(x, H / (N + 1))", {"x": [8.0, 9.0], "N": [1.0, 2.0]}, ["H / (N + 1)"]),
        ("x + H * 0 * N", SMALL, ["H", "N"]),
        ("x / N", SMALL, []),
    ],
)
def test_the_largest_parts_that_change_nothing_are_told(formula: str, given: dict[str, list[float]], parts: list[str]) -> None:
    assert parts_untested(formula, given)[0] == parts


def test_what_one_batch_does_not_depend_on_another_may() -> None:
    parts, found = parts_untested("min(2 * x, H)", SMALL)
    assert parts == ["H"]
    assert parts_untested("min(2 * x, H)", CUT, found)[0] == []


def test_a_formula_that_nothing_depends_on_has_no_parts_to_tell_of() -> None:
    """Where nothing was compared, or both sides vanish, the verdict says so."""
    tree = tree_of("min(2 * x, H)")
    assert untested(tree, bits_tested(tree, values_of(SMALL), lambda other: False)) == ()


def test_what_is_known_is_not_tried_again() -> None:
    tree = tree_of("min(2 * x, H)")
    everything = (1 << len(list(nodes(tree)))) - 1

    def never(other: Any) -> bool:
        raise AssertionError

    assert bits_tested(tree, values_of(SMALL), never, everything) == everything


@pytest.mark.parametrize(
    ("x", "ends"),
    [([9.0, 9.0], ["x"]), ([0.0, 9.0], ["x"]), ([0.0, 5.0], []), ([9.0 * (1 - 1e-15), 9.0], ["x"])],
)
def test_a_quantity_at_an_end_of_its_range_everywhere_says_nothing_of_what_it_is_made_of(x: list[float], ends: list[str]) -> None:
    tree = tree_of("x / H + N")
    values = {"x": np.array(x), "H": np.array(9.0), "N": np.array([1.0, 2.0])}
    ranges = {"x": (np.array(0.0), np.array(9.0)), "H": (np.array(9.0),) * 2, "N": (np.array(0.0), np.array(np.inf))}
    found = bits_inside(tree, values, ranges.__getitem__, np.array(True))
    assert [name.name for name in at_an_end(tree, found)] == ends
    assert names_in(tree) == ("x", "H", "N")


def test_where_nothing_is_compared_nothing_is_inside() -> None:
    tree = tree_of("x + 1")
    values, ranges = {"x": np.array([5.0, 9.0])}, {"x": (np.array(0.0), np.array(9.0))}
    assert bits_inside(tree, values, ranges.__getitem__, np.array([False, True])) == 0
    assert bits_inside(tree, values, ranges.__getitem__, np.array([True, False])) == 1
