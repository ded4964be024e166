"""A number of a run by itself, for scaling claims: there is nothing to compare it with but its values at other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model.inequality import UNBOUNDED, Inequality

PARTS = 20
"""Parts of a run, as equal as they can be, in which a curve has a point."""


# Not a formula: a number by itself, of which nothing is stated.
def quantity(value: Any) -> Inequality:
    """A value, against no bound."""
    return Inequality(float(value), float("inf"), trivial=UNBOUNDED)


# Not a formula: a number by itself, of which nothing is stated.
def mean_of(values: Array) -> Inequality:
    """The mean of the values of a run, shape (K,), against no bound, and the mean in each of `PARTS` parts of the run."""
    parts = np.array_split(values, min(PARTS, len(values)))
    curve = tuple(float(part.mean()) for part in parts)
    return Inequality(float(values.mean()), float("inf"), trivial=UNBOUNDED, curve=curve)
