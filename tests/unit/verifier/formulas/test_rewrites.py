"""Formulas that are written in another way, and parts that are searched for among all that is known: what is told of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.formulas.expression import tree_of
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import identity
from verifier.trials.differences.rewrites import rewritten
from verifier.trials.differences.searched import Table, different

from .problem import SHAPE, Sizes, View, view
from .test_solved import told

P = Sizes()
RIGHT = view()
N, R, PV = RIGHT.visits[:, None], RIGHT.reward, RIGHT.backup
_OF = {
    "a factor beside the logarithm": ("log(2 * N)", "2 · ln(N)"),
    "a divisor beside the logarithm": ("log(N / d)", "ln(N) / d"),
    "a factor under the root": ("H * sqrt(2 / N)", "√(2 / N · H)"),
    "a root of a sum": ("sqrt(a) + sqrt(b)", "√(a + b)"),
    "roots of the terms": ("sqrt(a + b)", "√a + √b"),
    "a root that ends at the first term": ("sqrt(a + b)", "√a + b"),
    "a divisor of the sum": ("1 + N / d", "(1 + N) / d"),
    "a divisor of one term": ("(a + b) / d", "a + b / d"),
    "a square of the product": ("a ** 2 * b", "(ab)²"),
    "a term within the cut": ("minimum(a, H) + b", "min(a + b, H)"),
    "operands exchanged": ("a - b", "b − a"),
}


@pytest.mark.parametrize("name", _OF)
def test_a_formula_is_written_in_this_way_too(name: str) -> None:
    formula, other = _OF[name]
    given = {name: getattr(np, name) for name in ("log", "sqrt", "minimum")}
    names = [letter for letter in ("a", "b", "d", "H", "N") if letter in formula.replace("log", "").replace("minimum", "")]
    tree = tree_of(eval(f"lambda {', '.join(names)}: {formula}", given))
    assert any(each.said(tree, {}).startswith(f"{other} for ") for each in rewritten(tree))


def stated(formula: Any) -> Property:
    made: Property = identity("bonus", formula, on=View)
    return made


MOVED = stated(lambda r, N, K: np.sqrt(r + K / N) + np.log(3 * N))


def test_a_bracket_that_is_moved_is_told() -> None:
    assert told(MOVED, view(bonus=np.sqrt(R + P.K / N) + 3 * np.log(N))) == "3 · ln(N) for ln(3N)"
    roots = np.broadcast_to(np.sqrt(R) + np.sqrt(P.K / N) + np.log(3 * N), SHAPE)
    assert told(MOVED, view(bonus=roots)) == "√r + √(K / N) for √(r + K / N)"


def test_a_rewrite_that_is_a_number_on_this_instance_is_told_as_the_number() -> None:
    """H is 4 here, so that H under the root and half of it are the same."""
    formula = stated(lambda H, N: H * np.sqrt(2 / N))
    assert told(formula, view(bonus=np.broadcast_to(np.sqrt(2 * P.H / N), SHAPE))) == "1/2 times the formula"


def test_where_the_other_end_of_a_cut_is_taken_no_cause_of_this_end_is_told() -> None:
    """Whatever makes the first sum larger gives the second one: without its divisor, twice the number, and so on."""
    formula = stated(lambda r, N, PV: np.minimum(3 / np.sqrt(N) + r, 9 / np.sqrt(N)))
    second = np.broadcast_to(9 / np.sqrt(N), SHAPE)
    assert told(formula, view(bonus=second)) in ("9 / √N also where 3 / √N + r is less", "max for min")


def test_one_number_for_an_axis_is_told_of_the_part_that_it_is_in() -> None:
    formula = identity("Q", lambda r, PV: r + PV, on=View)
    mean = np.full_like(R, R.mean())
    assert told(formula, view(Q=mean + PV)) == "the mean of r over all pairs"


def test_a_step_before_that_is_the_last_one_for_the_first_is_told() -> None:
    formula = identity("Q", lambda r, PV: r + PV, on=View)
    assert told(formula, view(Q=R + np.roll(PV, 1, axis=1))) == "PV of step h − 1, the last for the first"


def test_a_function_of_another_quantity_is_told() -> None:
    formula = identity("Q", lambda N, PV: N * PV, on=View)
    assert told(formula, view(Q=R * (1 - R) * PV)) == "r(1 − r) for N"


def test_what_is_few_numbers_is_no_function_of_anything() -> None:
    """Two quantities of small whole numbers have many sums in common with a third."""
    few = {"a": np.array([1.0, 2.0, 1.0, 2.0]), "b": np.array([1.0, 1.0, 2.0, 2.0])}
    wanted = few["a"] + few["b"]
    assert not list(Table(few).found(wanted, few.__getitem__, different(wanted)))


def test_of_a_number_and_a_quantity_no_sum_is_made() -> None:
    """A sum with 4 is told with the number: any quantity may be 4 here."""
    few = {"a": np.arange(12.0), "H": np.full(12, 4.0)}
    assert not list(Table(few).found(few["a"] + 4.0, few.__getitem__, 12))


def test_what_may_be_computed_in_the_place_of_the_left_side_is_tried() -> None:
    """The index solves an equation with another divergence: the right side is as it should be."""

    def index(of: View) -> Array:
        return of.reported("bonus")

    left = Quantity(lambda of: index(of) ** 2, "D", "plan h pair", "D", others={"D of another kind": lambda of: index(of) ** 3})
    formula = identity("D", lambda N, r: r + 1 / N, on=View, local=(left,))
    solved = np.broadcast_to((R + 1 / N) ** (1 / 3), SHAPE)
    assert told(formula, view(bonus=solved)) == "D of another kind for D"
