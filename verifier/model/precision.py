"""Comparisons with what an agent computed in single precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.inequality import WHOLE, Inequality

UNITS: Mapping[str, float] = {"double": 1.0, "single": float(np.finfo(np.float32).eps) / EPS}
"""Distance, by name of a precision, from 1 to the next larger number, in multiples of that of double precision."""


def with_rounding_of(precision: str, inequality: Inequality) -> Inequality:
    """An inequality with the rounding allowed that another precision has.

    Tolerances are derived for double precision: numbers of operations, times sizes, times the rounding unit, to first order. So
    each is multiplied by the ratio of the units. Where one is the root of such a number, as of a variance that cancels, that is
    more than it need be. Whole numbers are exact in either precision, a bound is the harness's own, and so nothing else changes.
    """
    unit = UNITS[precision]
    if unit == 1.0:
        return inequality
    tolerance = np.asarray(inequality.tolerance)
    careful = None if inequality.careful is None else np.asarray(inequality.careful) * unit
    return replace(inequality, tolerance=np.where(tolerance == WHOLE, WHOLE, tolerance * unit), careful=careful)
