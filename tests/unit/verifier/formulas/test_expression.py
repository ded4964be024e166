"""Trees of formulas: evaluated like the functions they are made of, bounded, rounded, inverted and printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base.errors import ContractError
from verifier.formulas.expression import cut, evaluate, evaluations, names_in, nodes, tree_of
from verifier.formulas.inversion import implied
from verifier.formulas.ranges import range_of
from verifier.formulas.rounding import rounding_of
from verifier.formulas.typeset import mathml, text

FORMULAS: dict[str, Callable[..., Any]] = {
    "7HL / √N": lambda H, L, N: 7 * H * L / np.sqrt(N),
    "min(r + v + b, H) where N > 0, else H": lambda r, v, b, N, H: np.where(N > 0, cut(r + v + b, H), H),
    "2 · √(p · (1 − p) · L / N) + 2L / (3N)": lambda p, L, N: 2 * np.sqrt(p * (1 - p) * L / N) + 2 * L / (3 * N),
    "|x − y|": lambda x, y: abs(x - y),
    "a − (b − c)": lambda a, b, c: a - (b - c),
    "x^0.6": lambda x: x**0.6,
    "(x + y)²": lambda x, y: (x + y) ** 2,
    "ln(5x) + exp(−y)": lambda x, y: np.log(5 * x) + np.exp(-y),
    "max(x, y) / (x + 1)": lambda x, y: np.maximum(x, y) / (x + 1),
}

numbers = st.floats(0.01, 50.0)


@pytest.mark.parametrize("function", FORMULAS.values(), ids=FORMULAS)
@given(data=st.data())
def test_a_tree_is_evaluated_as_its_function(function: Callable[..., Any], data: st.DataObject) -> None:
    tree = tree_of(function)
    values = {name: np.array(data.draw(st.lists(numbers, min_size=3, max_size=3))) for name in names_in(tree)}
    with np.errstate(all="ignore"):
        assert np.array_equal(evaluate(tree, values), function(**values), equal_nan=True)


@pytest.mark.parametrize("function", FORMULAS.values(), ids=FORMULAS)
@given(data=st.data())
def test_values_in_the_ranges_of_quantities_are_in_the_range_of_the_formula(
    function: Callable[..., Any], data: st.DataObject
) -> None:
    tree = tree_of(function)
    ends = {name: sorted(data.draw(st.tuples(numbers, numbers))) for name in names_in(tree)}
    values = {name: np.array(data.draw(st.floats(low, high))) for name, (low, high) in ends.items()}
    low, high = range_of(tree, {name: (np.array(low), np.array(high)) for name, (low, high) in ends.items()})
    value = float(evaluate(tree, values))
    if np.isfinite(value):
        assert low - 1e-9 * (1 + abs(value)) <= value <= high + 1e-9 * (1 + abs(value))


@pytest.mark.parametrize("function", FORMULAS.values(), ids=FORMULAS)
@given(data=st.data())
def test_quantities_moved_by_their_rounding_move_the_formula_by_no_more_than_its_own(
    function: Callable[..., Any], data: st.DataObject
) -> None:
    """To first order; the second order is far below the rounding of the operations themselves, which comes on top."""
    tree = tree_of(function)
    values = {name: np.array(data.draw(st.floats(0.1, 0.9))) for name in names_in(tree)}
    errors = {name: np.array(data.draw(st.floats(0.0, 1e-9))) for name in values}
    moved = {name: value + data.draw(st.floats(-1.0, 1.0)) * errors[name] for name, value in values.items()}
    distance = abs(float(evaluate(tree, moved)) - float(evaluate(tree, values)))
    assert distance <= float(rounding_of(tree, values, errors)) * (1 + 1e-6)


@pytest.mark.parametrize("function", FORMULAS.values(), ids=FORMULAS)
@given(data=st.data())
def test_the_value_solved_for_gives_the_formula(function: Callable[..., Any], data: st.DataObject) -> None:
    """Another value of one quantity, in one place, is what is found from the formula with it; or nothing is, behind a cut."""
    tree = tree_of(function)
    values = {name: np.array([data.draw(st.floats(0.1, 0.9))]) for name in names_in(tree)}
    there = evaluations(tree, values)
    places = [at for at, node in nodes(tree) if not node.parts and at]
    for at in places:
        found = implied(tree, at, there, there[()])
        if np.isfinite(found).all():
            assert found.item() == pytest.approx(there[at].item(), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("said", "function"), FORMULAS.items(), ids=FORMULAS)
def test_formulas_are_printed_as_in_a_paper(said: str, function: Callable[..., Any]) -> None:
    assert text(tree_of(function)) == said
    assert mathml(tree_of(function)).count("<mrow>") == mathml(tree_of(function)).count("</mrow>")


@pytest.mark.parametrize(
    ("symbol", "markup"),
    [
        ("V*_{h+1}", "<msub><mi>V*</mi><mi>h+1</mi></msub>"),
        ("V^π_1", "<msubsup><mi>V</mi><mi>1</mi><mi>π</mi></msubsup>"),
        ("|V_true − σ̂²_i|",
         "<mrow><mi>&#124;</mi><msub><mi>V</mi><mi>true</mi></msub><mi>\xa0−\xa0</mi><msub><mi>σ̂²</mi><mi>i</mi></msub>"
         "<mi>&#124;</mi></mrow>"),
        ("1{a < b}", "<mi>1{a &lt; b}</mi>"),
        ("V^{π_k}", "<msup><mi>V</mi><msub><mi>π</mi><mi>k</mi></msub></msup>"),
    ],
)  # fmt: skip
def test_indices_of_symbols_are_lowered_in_mathml(symbol: str, markup: str) -> None:
    assert mathml(tree_of("x"), {"x": symbol}) == markup


def test_text_is_a_formula_and_symbols_stand_for_others() -> None:
    tree = tree_of("abs(P_hat - P)")
    assert names_in(tree) == ("P_hat", "P")
    assert text(tree, {"P_hat": "P̂"}) == "|P̂ − P|"
    bonus = tree_of(lambda c, L, N: c * L / N, {"L": lambda S, delta: np.log(S / delta)})
    assert names_in(bonus) == ("c", "S", "delta", "N")
    assert text(bonus) == "cL / N"


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: np.sin(x), "sin"),
        (lambda x: 1.0 if x > 0 else 0.0, "where"),
        (lambda *x: x[0], "by their names"),
        (lambda x: x + np.ones(3), "quantity of the view"),
        (lambda x: x + "1", "quantities and numbers"),
    ],
)
def test_what_makes_no_tree_is_named(function: Callable[..., Any], said: str) -> None:
    with pytest.raises(ContractError, match=said):
        tree_of(function)


def test_a_symbol_that_stands_for_itself_is_refused() -> None:
    with pytest.raises(ContractError, match="uses L itself"):
        tree_of("L + 1", {"L": lambda M: M, "M": lambda L: L})
