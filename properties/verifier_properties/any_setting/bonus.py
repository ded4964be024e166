"""Validity of bonuses, in any setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.inequality import Inequality
from verifier.model.property import Property

TOPIC = "Confidence"

Term = Callable[[Any], Array]


def validity(
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

    def evaluate(view: Any) -> Inequality:
        pairs = (..., *(None,) * (len(view.pair_axes) - len(view.axes)))
        factor = discount(view)
        return Inequality(
            factor * np.abs(mean(view) - view.PV),
            bonus(view),
            view.pair_axes,
            trivial=factor * view.public.H,
            tolerance=rounding(view)[pairs],
            labels=view.labels,
            premise=premise(view)[pairs],
            saturated=view.constant_target[pairs],
        )

    return Property("bonus-validity", "phase", evaluate, frozenset(needs), description)
