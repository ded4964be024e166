"""Assumptions on instances, as formulas in any setting; checked before anything runs.

An instance may come from a file, so that what it is made of has no range, and every comparison could have failed.
View: `verifier_settings.views.Facts`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_settings.views import Facts

ROUNDING = 64 * EPS
"""Rounding of a sum of a few numbers of at most 1, relative to their number."""

assumed = partial(identity, on=Facts, of=Facts.of, scope="instance")
"""An equality that is assumed; arguments as of `identity`."""

assumed_at_most = partial(at_most, on=Facts, of=Facts.of, scope="instance")
"""A bound that is assumed; arguments as of `at_most`."""


def fact(
    function: Callable[[Any], Any], name: str, axes: str = "", symbol: str = "", rounding: Callable[[Any], Any] | float = 0.0
) -> Quantity:
    """Quantity of an instance, from a function of it; so is its rounding, where that is no number."""
    off = rounding if callable(rounding) else lambda instance: rounding
    return Quantity(
        lambda view: function(view.instance), name, axes, symbol, -np.inf, np.inf, rounding=lambda view: off(view.instance)
    )


def laws(law: Callable[[Any], Array], axes: str, description: str, name: str = "transition-kernel") -> Property:
    """Rows are probability laws: how far their sums are from 1, and entries below 0.

    Parameters
    ----------
    law : callable
        Maps an instance to the table of them.
    axes : str
        Of the table; what is drawn comes last.
    description, name : str
    """

    def off(instance: Any) -> float:
        return ROUNDING * law(instance).shape[-1]

    made: Property = assumed(
        "max(abs(total - 1), -P)", name=name, description=description,
        local=(
            fact(lambda instance: law(instance).sum(axis=-1), "total", " ".join(axes.split()[:-1]), "ΣP", off),
            fact(law, "P", axes, rounding=off),
        ),
    )("0")  # fmt: skip
    return made


def unit_range(
    rewards: Callable[[Any], Array], axes: str, description: str, rounding: Callable[[Any], float] | float = ROUNDING
) -> Property:
    """Rewards are in [0, 1]: their distance from 1/2 is at most 1/2.

    Parameters
    ----------
    rewards : callable
        Maps an instance to a table of them.
    axes : str
        Of the table.
    description : str
    rounding : callable or float
        Of a reward, as of `fact`.
    """
    made: Property = assumed_at_most(
        "abs(r - 1/2)", name="reward-range", description=description, local=(fact(rewards, "r", axes, rounding=rounding),)
    )("1/2")  # fmt: skip
    return made
