"""Inversion of formulas: which value of a part would make the whole equal to what was reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.expression import Defined, Expression, Operation, Path

_TIED = 64 * EPS
"""Share of their size by which the two sides of a cut have to differ before it is clear which one was taken."""


def implied(tree: Expression, at: Path, values: Mapping[Path, Array], wanted: Array) -> Array:
    """Value of the node at a place at which the tree is what is wanted, the other nodes being as they are, elementwise.

    NaN where no value does it, and where any would, as behind a cut that decides.

    Parameters
    ----------
    tree : Expression
    at : Path
    values : mapping of Path to array
        Of all nodes, see `evaluations`.
    wanted : array
    """
    node, here = tree, at[:0]
    with np.errstate(all="ignore"):
        for number in at:
            wanted = _part(node, number, [values[(*here, other)] for other in range(len(node.parts))], wanted)
            node, here = node.parts[number], (*here, number)
    return np.where(np.isfinite(wanted), wanted, np.nan)


def _part(node: Expression, number: int, values: list[Array], wanted: Array) -> Array:
    if isinstance(node, Defined):
        return wanted
    assert isinstance(node, Operation)
    rules = _RULES.get(node.name, ())
    return rules[number](wanted, *values) if number < len(rules) else np.full(np.shape(wanted), np.nan)


def _beyond(wanted: Array, other: Array, sign: float) -> Array:
    """Side of a minimum (sign 1) or a maximum (sign -1), where the other side does not decide."""
    clear = sign * (other - wanted) > _TIED * np.maximum(np.abs(other), np.abs(wanted))
    return np.where(clear, wanted, np.nan)


_RULES: Mapping[str, tuple[Callable[..., Array], ...]] = {
    "add": (lambda t, a, b: t - b, lambda t, a, b: t - a),
    "sub": (lambda t, a, b: t + b, lambda t, a, b: a - t),
    "mul": (lambda t, a, b: t / b, lambda t, a, b: t / a),
    "div": (lambda t, a, b: t * b, lambda t, a, b: a / t),
    "neg": (lambda t, a: -t,),
    "sqrt": (lambda t, a: np.where(t >= 0, t**2, np.nan),),
    "square": (lambda t, a: np.sqrt(t),),
    "pow": (lambda t, a, b: t ** (1 / b), lambda t, a, b: np.log(t) / np.log(a)),
    "log": (lambda t, a: np.exp(t),),
    "exp": (lambda t, a: np.log(t),),
    "abs": (lambda t, a: np.where(t >= 0, np.copysign(t, a), np.nan),),
    "min": (lambda t, a, b: _beyond(t, b, 1.0), lambda t, a, b: _beyond(t, a, 1.0)),
    "max": (lambda t, a, b: _beyond(t, b, -1.0), lambda t, a, b: _beyond(t, a, -1.0)),
    "where": (
        lambda t, c, a, b: np.full(np.shape(t), np.nan),
        lambda t, c, a, b: np.where(c, t, np.nan),
        lambda t, c, a, b: np.where(c, np.nan, t),
    ),
}
