"""Arithmetic of the second writings: fifty decimal digits, and none of the functions of numpy or math."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TypeAlias

DIGITS = 50
Number: TypeAlias = "Decimal | float | int"


def D(x: Number) -> Decimal:
    """The exact value of a number."""
    return x if isinstance(x, Decimal) else Decimal(x)


def ln(*factors: Number) -> Decimal:
    """The logarithm of a product, as the sum of the logarithms of its factors."""
    with localcontext(prec=DIGITS):
        return sum((D(x).ln() for x in factors), Decimal(0))


def power(x: Number, exponent: Number) -> Decimal:
    """x to a power, by its logarithm; 0 to a positive power is 0."""
    with localcontext(prec=DIGITS):
        return (D(x).ln() * D(exponent)).exp() if D(x) else Decimal(0)


def root(*factors: Number) -> Decimal:
    """The square root of a product."""
    with localcontext(prec=DIGITS):
        product = Decimal(1)
        for x in factors:
            product *= D(x)
        return product.sqrt()
