"""Validity of bonuses, in any setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most

TOPIC = "Confidence"

Term = Callable[[Any], Array]


def validity(
    on: type[Any],
    mean: Term,
    bonus: Term,
    rounding: Term,
    premise: Callable[[Any], BoolArray],
    needs: tuple[str, ...],
    description: str,
    discount: Callable[[Any], float] = lambda view: 1.0,
) -> Property:
    """The estimated backup of every plan is within its bonus of the true one, |discount (mean - P V)| <= bonus.

    Parameters
    ----------
    on : type
        The class of views, which has `axes`, and `pair_axes`, those of pairs.
    mean : callable
        The algorithm's estimate of P V, axes `view.pair_axes`.
    bonus : callable
        The bonus of the statement, of the same axes.
    rounding : callable
        Rounding of the difference, axes `view.axes`.
    premise : callable
        Where the statement applies, axes `view.axes`.
    needs : tuple of str
        Plan fields read.
    description : str
        How it is checked.
    discount : callable
        The factor gamma where the statement has one. Values lie in [0, H], so discount times H is a trivial bound.
    """
    axes, of_pairs = " ".join(on.axes), " ".join(on.pair_axes)
    made: Property = at_most(
        "error", "b", on=on, where="premise", saturated="constant", needs=needs, name="bonus-validity", topic=TOPIC, local=(
            Quantity(
                lambda view: discount(view) * np.abs(mean(view) - view.PV), "error", of_pairs, "|P̂V − PV|", 0.0,
                lambda view: discount(view) * view.public.H, rounding,
            ),
            Quantity(bonus, "b", of_pairs),
            Quantity(premise, "premise", axes, "the event"),
            Quantity(lambda view: view.constant_target, "constant", axes, "V is constant"),
        ),
        description=description,
    )  # fmt: skip
    return made
