"""Rounding of formulas, propagated from that of their quantities to first order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.expression import CONDITIONS, Defined, Expression, Name, Operation, Path, evaluations  # fmt: skip

UNIT = 8 * EPS
"""Relative rounding of an operation: another implementation may have up to seven operations where the formula has one, as
``7 H L / sqrt(N)`` is ``7 * H * (L * (1 / sqrt(N)))``, and each of the two sides rounds."""


def rounding_of(tree: Expression, values: Mapping[str, Array], roundings: Mapping[str, Array]) -> Array:
    """Distance of two evaluations of a tree whose quantities are off by their roundings, elementwise.

    Parameters
    ----------
    tree : Expression
    values, roundings : mapping of str to array
        Of the quantities; a rounding is absolute, and 0 where a quantity is exact.
    """
    with np.errstate(all="ignore"):
        found = _Propagated(evaluations(tree, values), roundings).of(tree, ())
    return np.where(np.isfinite(found), found, 0.0)  # infinite values are compared as they are


class _Propagated:
    def __init__(self, values: Mapping[Path, Array], roundings: Mapping[str, Array]) -> None:
        self._values, self._roundings = values, roundings

    def of(self, node: Expression, at: Path) -> Array:
        """Rounding of a node at a place."""
        match node:
            case Name(name=name):
                return self._roundings[name]
            case Defined(parts=(part,)):
                return self.of(part, (*at, 0))
            case Operation(name="where", parts=(_, one, other)):
                condition = self._values[(*at, 0)]
                return np.where(condition, self.of(one, (*at, 1)), self.of(other, (*at, 2)))
            case Operation(name=name, parts=parts) if name not in CONDITIONS:
                values = [self._values[(*at, number)] for number in range(len(parts))]
                errors = [self.of(part, (*at, number)) for number, part in enumerate(parts)]
                return np.asarray(_RULES[name](*values, *errors))
            case _:
                return np.asarray(0.0)  # a number, or a condition: counts are exact


def _selected(sign: float) -> Callable[[Array, Array, Array, Array], Array]:
    """Rule of a minimum (sign 1) or a maximum (sign -1): the error of the side taken, or the larger where either may be."""

    def rule(a: Array, b: Array, ea: Array, eb: Array) -> Array:
        one, other = sign * a + ea < sign * b - eb, sign * b + eb < sign * a - ea
        return np.where(one, ea, np.where(other, eb, np.maximum(ea, eb)))

    return rule


def _power(a: Array, b: Array, ea: Array, eb: Array) -> Array:
    value = np.abs(a**b)
    return value * (np.abs(b * ea / a) + np.where(eb > 0, np.abs(np.log(np.abs(a))) * eb, 0.0) + UNIT)


_RULES: Mapping[str, Callable[..., Array]] = {
    # Sums cancel: terms, and not the sum, say what is rounded, since others may add them in another order.
    "add": lambda a, b, ea, eb: ea + eb + UNIT * (np.abs(a) + np.abs(b)),
    "sub": lambda a, b, ea, eb: ea + eb + UNIT * (np.abs(a) + np.abs(b)),
    "neg": lambda a, ea: ea,
    "mul": lambda a, b, ea, eb: np.abs(a) * eb + np.abs(b) * ea + UNIT * np.abs(a * b),
    "div": lambda a, b, ea, eb: (ea + np.abs(a / b) * eb) / np.abs(b) + UNIT * np.abs(a / b),
    "pow": _power,
    "square": lambda a, ea: 2 * np.abs(a) * ea + UNIT * a**2,
    # The root of x + e is off by at most the root of e, and by at most e over the root of x.
    "sqrt": lambda a, ea: np.fmin(np.sqrt(ea), np.where(ea > 0, ea / np.sqrt(a), 0.0)) + UNIT * np.sqrt(np.abs(a)),
    "log": lambda a, ea: ea / np.abs(a) + UNIT * (1 + np.abs(np.log(np.abs(a)))),
    "exp": lambda a, ea: np.exp(a) * (ea + UNIT * (1 + np.abs(a))),
    "abs": lambda a, ea: ea,
    "min": _selected(1.0),
    "max": _selected(-1.0),
}
