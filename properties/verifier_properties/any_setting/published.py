"""Numbers of a run against what a theorem says that they are at most, as a formula in any setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import Options, at_most


def published(left: Quantity, bound: Callable[[Any], Any], symbol: str = "the bound", **options: Unpack[Options]) -> Property:
    """A quantity of a run is at most a published bound.

    Parameters
    ----------
    left : Quantity
    bound : callable
        Maps the view to a number, or an array with the axes of `left`.
    symbol : str
        How it is printed.
    **options
        See `verifier.model.statement.Options`.
    """
    options["local"] = (left, Quantity(bound, "bound", " ".join(left.axes), symbol))
    options["scope"] = "run"
    return at_most(left.name, "bound", **options)
