"""Numbers cut to a few significant digits on a side that is chosen: a bound that is printed stays a bound."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

DIGITS = 3


def at_least(x: float, digits: int = DIGITS) -> float:
    """The least number with so many significant digits that is not below x."""
    return _cut(x, digits, ROUND_CEILING)


def at_most(x: float, digits: int = DIGITS) -> float:
    """The largest number with so many significant digits that is not above x."""
    return _cut(x, digits, ROUND_FLOOR)


def _cut(x: float, digits: int, rounding: str) -> float:
    if not math.isfinite(x) or x == 0.0:
        return x
    exact = Decimal(x)
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), rounding=rounding))
