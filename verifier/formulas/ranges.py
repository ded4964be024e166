"""Ranges of formulas: the least and the largest that a formula can be while each quantity stays in its own range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.expression import CONDITIONS, Defined, Expression, Name, Number, Operation

Range: TypeAlias = tuple[Array, Array]
"""Least and largest value; infinite where there is none."""

_ANYTHING: Range = (np.asarray(-np.inf), np.asarray(np.inf))


def range_of(tree: Expression, ranges: Mapping[str, Range]) -> Range:
    """Least and largest value of a tree, by arithmetic of intervals; every name has its range.

    A quantity that occurs twice is taken to vary twice, so that the range may be too wide, and is never too narrow.
    """
    with np.errstate(all="ignore"):
        low, high = _range(tree, ranges)
    # 0 times infinity: nothing is known on that side
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _range(node: Expression, ranges: Mapping[str, Range]) -> Range:
    match node:
        case Number(value=value):
            return np.asarray(value), np.asarray(value)
        case Name(name=name):
            return ranges[name]
        case Defined(parts=(part,)):
            return _range(part, ranges)
        case Operation(name="where", parts=(_, one, other)):
            return _hull(_range(one, ranges), _range(other, ranges))
        case Operation(name=name) if name in CONDITIONS:
            return np.asarray(0.0), np.asarray(1.0)
        case Operation(name=name, parts=parts):
            return _RULES[name](*(_range(part, ranges) for part in parts))
        case _:
            return _ANYTHING


def _hull(a: Range, b: Range) -> Range:
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])


def _extremes(*values: Array) -> Range:
    stacked = np.broadcast_arrays(*values)
    return np.minimum.reduce(stacked), np.maximum.reduce(stacked)


def _product(a: Range, b: Range) -> Range:
    corners = [np.where((x == 0) | (y == 0), 0.0, x * y) for x in a for y in b]  # 0 times any number is 0
    return _extremes(*corners)


def _quotient(a: Range, b: Range) -> Range:
    crosses = (b[0] <= 0) & (b[1] >= 0)
    inverse = _extremes(1 / b[0], 1 / b[1])
    # A denominator that is never negative, such as a count, makes the quotient as large as one likes and no less than at its end.
    low = np.where(crosses, np.where(b[0] >= 0, 1 / b[1], -np.inf), inverse[0])
    high = np.where(crosses, np.where(b[1] <= 0, 1 / b[0], np.inf), inverse[1])
    return _product(a, (low, high))


def _square(a: Range) -> Range:
    low, high = _extremes(a[0] ** 2, a[1] ** 2)
    return np.where((a[0] <= 0) & (a[1] >= 0), 0.0, low), high


def _abs(a: Range) -> Range:
    low, high = _extremes(np.abs(a[0]), np.abs(a[1]))
    return np.where((a[0] <= 0) & (a[1] >= 0), 0.0, low), high


def _power(a: Range, b: Range) -> Range:
    if np.any(a[0] < 0):
        return _square(a) if np.all(b[0] == 2) and np.all(b[1] == 2) else _ANYTHING
    return _extremes(*(x**y for x in a for y in b))


def _rising(function: Callable[[Array], Array]) -> Callable[[Range], Range]:
    return lambda a: (function(a[0]), function(a[1]))


_RULES: Mapping[str, Callable[..., Range]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "neg": lambda a: (-a[1], -a[0]),
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "square": _square,
    "sqrt": _rising(lambda x: np.sqrt(np.maximum(x, 0.0))),
    "log": _rising(lambda x: np.log(np.maximum(x, 0.0))),
    "exp": _rising(np.exp),
    "abs": _abs,
    "min": lambda a, b: (np.minimum(a[0], b[0]), np.minimum(a[1], b[1])),
    "max": lambda a, b: (np.maximum(a[0], b[0]), np.maximum(a[1], b[1])),
}
