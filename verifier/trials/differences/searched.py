"""Search for what values are of the quantities that are known: a function of one of them, or two of them with an operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from verifier.base.arrays import Array
from verifier.trials.differences.relations import CLOSE, varies

OF_ONE: Mapping[str, Callable[[Array], Array]] = {
    "{} + 1": lambda x: x + 1,
    "{} − 1": lambda x: x - 1,
    "1 − {}": lambda x: 1 - x,
    "{}(1 − {})": lambda x: x * (1 - x),
    "{}²": lambda x: x**2,
    "√{}": lambda x: np.sqrt(x),
    "1/√{}": lambda x: 1 / np.sqrt(x),
    "ln {}": lambda x: np.log(x),
    "−{}": lambda x: -x,
    "max({}, 1)": lambda x: np.maximum(x, 1.0),
}
"""Functions of one quantity, with ``{}`` in its place."""
_OF_TWO: Mapping[str, Callable[[Array, Array], Array]] = {
    "+": lambda x, y: x + y,
    "−": lambda x, y: x - y,
    "·": lambda x, y: x * y,
    "/": lambda x, y: x / y,
}
_VARIED = {1: 4, 2: 8}
"""Different numbers from which on no function of one quantity, or of two, has them by chance."""
_DIGITS = 9
_MOST = 40
"""Quantities that are combined with each other."""
_FEW = 16
"""Comparisons at which combinations are tried first."""


def found(x: Array, known: Mapping[str, Array], told: Array) -> Iterator[tuple[int, str, Array]]:
    """Functions of known quantities that numbers are: of how many quantities, text, and values everywhere.

    Parameters
    ----------
    x : (n,) array
        The numbers.
    known : mapping of str to array
        Quantities by symbol, at all comparisons.
    told : bool array
        The n comparisons at which the numbers are.
    """
    different = len(np.unique(np.round(x / np.abs(x).max(initial=1e-300), _DIGITS)))
    if different < _VARIED[1]:
        return
    places = np.flatnonzero(told)
    order = np.unique(np.linspace(0, len(places) - 1, min(len(places), _FEW)).astype(int))
    few, wanted = places[order], x[order]
    samples = {said: value.reshape(-1)[few] for said, value in known.items()}
    with np.errstate(all="ignore"):
        for said, value in samples.items():
            for text, function in OF_ONE.items():
                if _same(function(value), wanted):
                    yield 1, text.replace("{}", said), function(known[said])
        if different >= _VARIED[2]:
            for one, text, other in _pairs(samples, wanted):
                yield 2, f"{one} {text} {other}", _OF_TWO[text](known[one], known[other])


def _pairs(samples: Mapping[str, Array], wanted: Array) -> Iterator[tuple[str, str, str]]:
    """Two quantities and an operation between them whose values are these."""
    # what is added to a number, or multiplied by one, has other relations, which know what may be a number by chance
    names = [name for name, value in samples.items() if varies(value)][:_MOST]
    if len(names) < 2:
        return
    values = np.stack([samples[name] for name in names]).astype(float)
    for text, function in _OF_TWO.items():
        near = _near(function(values[:, None], values[None]), wanted).all(axis=2)
        for i, j in np.argwhere(near):
            if i != j and (text in "−/" or i < j):
                yield names[i], text, names[j]


def _near(values: Array, wanted: Array) -> Array:
    return np.asarray(np.abs(values - wanted) <= CLOSE * np.abs(wanted) + CLOSE * 1e-3 * np.abs(wanted).max())


def _same(values: Array, wanted: Array) -> bool:
    return bool(_near(values, wanted).all())
