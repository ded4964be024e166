"""Several terms of one sum with other factors, and functions of two quantities: what is told of them, and what is not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity, quantity
from verifier.model.statement import identity

from .problem import SHAPE, Sizes, View, view
from .test_solved import ARGUMENT, BONUS_SYMBOLS, differs, told

P = Sizes()
L, N = math.log(ARGUMENT), view().visits[:, None]
SPREAD, SMALL = np.sqrt(L / N), P.H * L / N
STATED = identity("bonus", lambda H, L, N: 2 * np.sqrt(L / N) + 7 * H * L / (3 * N), on=View, define=BONUS_SYMBOLS)


@pytest.mark.parametrize(
    ("reported", "said"),
    [
        (7 * SPREAD + 2 * SMALL / 3, "7 for 2 and 2 for 7"),
        (3 * SPREAD + 0.5 * SMALL, "3 for 2 and 1.5 for 7"),
        (2 * SPREAD + 3.5 * SMALL / 3, "1/2 times 7HL"),
    ],
)
def test_factors_of_terms_are_told_together_where_no_single_one_explains(reported: Array, said: str) -> None:
    assert said in told(STATED, view(bonus=reported))


def test_factors_of_terms_that_are_multiples_of_each_other_are_not_known() -> None:
    alike = identity("bonus", lambda L, N: 2 * np.sqrt(L / N) + 3 * np.sqrt(L / N), on=View, define=BONUS_SYMBOLS)
    assert not [each.text for each in differs(alike, view(bonus=4.3 * SPREAD)).told if " and " in each.text]


def test_no_factors_are_found_in_noise() -> None:
    noise = np.random.default_rng(5).random(SHAPE)
    assert told(STATED, view(bonus=2 * SPREAD + 7 * SMALL / 3 + 1e-3 * noise)) == ""


def test_of_one_number_that_is_reported_no_difference_of_two_quantities_is_told() -> None:
    """Where 1 is reported for r + b, b would have to be 1 − r; that is no cause."""
    stated = identity("Q", lambda r, b: r + b, on=View)
    assert told(stated, view(Q=np.ones(SHAPE))) == "1"


RISEN = N > 12  # at the other counts the part is cut
PART, WRONG = (np.broadcast_to(np.where(RISEN, SPREAD, other), SHAPE) for other in (0.0, -SPREAD))


@dataclass(eq=False, kw_only=True)
class Beside(View):
    """Plans with an index, which is made of what is reported, and counts that are printed as others are."""

    @quantity("index", "plan h pair")
    def index(self) -> Array:
        """(p, H, X) mean and bonus."""
        return self.reward + self.reported("bonus")

    @quantity("M", "plan pair", symbol="N")
    def doubled(self) -> Array:
        """(p, X) other counts."""
        return 2.0 * self.visits + self.reward


def beside(**reported: Array) -> Beside:
    plain = view(**reported)
    return Beside(instance=plain.instance, plans=plain.plans)


def test_what_is_reported_beside_a_part_is_not_told_for_it() -> None:
    """The index of a plan less its mean is its bonus, whatever that is."""
    given = Quantity(lambda seen: PART, "part", "plan h pair", "part")
    assert told(identity("bonus", "part", on=View, local=(given,)), beside(bonus=WRONG)) == ""


def test_a_quantity_that_is_printed_alike_is_not_told() -> None:
    seen = beside(bonus=np.broadcast_to(2.0 * N + view().reward, SHAPE))
    assert told(identity("bonus", "N", on=View), seen) != "N for N"
