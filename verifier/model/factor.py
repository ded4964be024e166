"""Factor of an inequality: the least multiple of its right side with which every comparison of it would have held."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.compared import Compared, entry

NO_FACTOR = -np.inf
"""Factor of comparisons of which no bound is above zero and none fails: no multiple of such a bound says anything else."""


def factor_of(
    sides: tuple[Array, Array, Array], ratio: Array, failing: BoolArray, compared: Compared, worst: int | None
) -> float:
    """The least number f >= 0 with ``value <= f bound`` at every comparison: the largest value/bound.

    A multiple of the whole right side is meant, of all its terms. A value that is no more than its rounding counts as zero,
    which any multiple covers. Where the bound is not above zero, a value beyond its rounding makes the factor infinite, since no
    multiple covers it; any other value there tells nothing.

    Parameters
    ----------
    sides : tuple of (value, bound, tolerance)
        Parts of an inequality at the comparisons that are made.
    ratio : array
        ``value / bound``; infinite where the bound is not above zero and the comparison fails, not above zero where it holds.
    failing : bool array
        Comparisons that fail.
    compared : Compared
    worst : int or None
        Number of the comparison with the largest ratio, where it is known.

    Returns
    -------
    float
        `NO_FACTOR` if no comparison tells anything.
    """
    value, bound, tolerance = sides
    largest = compared.first(ratio) if worst is None else worst
    index = np.unravel_index(largest, compared.shape)
    if entry(bound, index) > 0 and entry(value, index) > entry(tolerance, index):
        return float(entry(ratio, index))  # nearly always: what is largest of all is largest of those that count
    telling = np.asarray((bound > 0) | failing)
    if not compared.counted(telling):
        return NO_FACTOR
    above = np.asarray(telling & (value > tolerance))
    counted = np.where(above, ratio, 0.0)
    return float(entry(counted, np.unravel_index(compared.first(counted), compared.shape)))
