"""Explanations of a statement that a formula is a number, as 0: which quantity in it has a value with which it is not true.

Nothing can be solved for in the number. So every quantity of the left side is replaced, one after the other, by the number that
it is where the statement holds, and by the other quantities. Where that makes the statement true, the quantity is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.base.difference import ENOUGH, Told
from verifier.formulas.expression import Name, evaluate, names_in
from verifier.formulas.typeset import number, symbol
from verifier.trials.differences.failing import Failing
from verifier.trials.differences.relations import CLOSE, EXACT, FITTED, NAMED, named, varies

_LEAST = 2
"""Comparisons at which a multiple has to be attained before it is told."""
_TOGETHER = 1.0
"""Rank that a quantity loses where others are wrong as well, so that it alone does not make the statement true."""


def mended(failing: Failing) -> Iterator[Told]:
    """Explanations of comparisons that fail; none where the right side is no number, or the left side is a single quantity."""
    if names_in(failing.statement.right) or isinstance(failing.statement.left, Name):
        return  # of what is reported itself relations to the number say more
    scope = failing.scope
    values = {name: failing.cut(scope.value(name)) for name in names_in(failing.statement.left)}
    total = int(np.count_nonzero(failing.failing))
    for name, value in values.items():
        near, lost = list[tuple[float, str, Array, Array]](), 0.0
        for said, other in _others(failing, name, values):
            fits = _true_with(failing, values, name, other)
            if np.count_nonzero(fits) >= ENOUGH * total:
                near.append(_apart(failing, said, value, other, fits))
        if not near and (usual := _usual(failing, value)) is not None:
            off = failing.failing & (np.abs(failing.full(value) - usual) > CLOSE * max(abs(usual), 1.0))
            if np.count_nonzero(off) >= ENOUGH * total:
                near, lost = [_apart(failing, number(usual), value, np.asarray(usual), off)], _TOGETHER
        if near:  # a distance that is too large would do at 0, too, and is nearer to the radius
            _, said, has, needed = min(near, key=lambda each: each[0])
            for text, rank in _texts(symbol(name, scope.symbols), said, has, needed, scope.sizes):
                yield Told(text, rank + lost, len(has), total)


def _true_with(failing: Failing, values: Mapping[str, Array], name: str, other: Array) -> BoolArray:
    """Mask of the comparisons that fail and would not with another value of a quantity."""
    left = failing.full(evaluate(failing.statement.left, {**values, name: other}))
    return np.asarray(failing.failing & (np.abs(left - failing.expected) <= failing.tolerance))


def _apart(failing: Failing, said: str, value: Array, other: Array, at: BoolArray) -> tuple[float, str, Array, Array]:
    """Mean distance of a quantity from another one, whose name is given, and both, where a mask is true."""
    has, needed = failing.full(value)[at].astype(float), failing.full(other)[at].astype(float)
    return float(np.abs(has - needed).mean()), said, has, needed


def _usual(failing: Failing, value: Array) -> float | None:
    """Number that a quantity is wherever the statement holds, without its rounding; None if it varies there."""
    holds = failing.full(value)[failing.compared & ~failing.failing].astype(float)
    return float(f"{np.median(holds):.12g}") if holds.size and not varies(holds) else None


def _others(failing: Failing, name: str, values: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    """Values that may stand in the place of a quantity, each with its name."""
    usual = _usual(failing, values[name])
    if usual is not None:
        yield number(usual), np.asarray(usual)
    yield from ((symbol(other, failing.scope.symbols), value) for other, value in values.items() if other != name)


def _texts(name: str, other: str, has: Array, needed: Array, sizes: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Statements about a quantity that should be another one, or a number, with their ranks."""
    if not varies(has) and not varies(needed):
        if other == number(float(np.median(needed))):  # that one number is not another quantity says nothing
            yield f"{name} is {number(round(float(np.median(has)), 6))}, not {other}", EXACT
        return
    if varies(needed) and (needed > 0).all():
        most = float((has / needed).max())
        attained = int(np.count_nonzero(has / needed >= most * (1 - CLOSE)))
        factors = (said for said, value in named(sizes) if value > 1 and abs(value - most) <= CLOSE * value)
        yield from ((f"{name} is up to {said} times {other}", NAMED) for said in list(factors)[:1] if attained >= _LEAST)
    if (has > needed).all():
        yield f"{name} is above {other}", FITTED
    elif (has < needed).all():
        yield f"{name} is below {other}", FITTED
