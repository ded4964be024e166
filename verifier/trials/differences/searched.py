"""Search for what values are of the quantities that are known: a function of one of them, or two of them with an operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from verifier.base.arrays import Array, BoolArray
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


class Table:
    """Functions of known quantities at a few comparisons, in which numbers are looked up.

    Parameters
    ----------
    few : mapping of str to (n,) array
        Quantities at these comparisons, by symbol.
    """

    def __init__(self, few: Mapping[str, Array]) -> None:
        # what is added to a number, or multiplied by one, has other relations, which know what may be a number by chance
        self._names = [name for name, value in few.items() if np.isfinite(value).any() and varies(value[np.isfinite(value)])][
            :_MOST
        ]
        values = np.stack([few[name] for name in self._names]).astype(float) if self._names else np.zeros((0, 0))
        with np.errstate(all="ignore"):
            self._of_one = {said: function(values) for said, function in OF_ONE.items()}
            self._of_two = {said: function(values[:, None], values[None]) for said, function in _OF_TWO.items()}

    def found(self, wanted: Array, full: Callable[[str], Array], different: int) -> Iterator[tuple[int, str, Array]]:
        """Functions that numbers are: of how many quantities, text, and values everywhere.

        Parameters
        ----------
        wanted : (n,) array
            The numbers at the few comparisons, NaN where they are not known.
        full : callable
            Values of a quantity everywhere, by symbol.
        different : int
            How many different numbers there are at all comparisons.
        """
        known = np.isfinite(wanted)
        if not self._names or different < _VARIED[1] or not known.any():
            return
        with np.errstate(all="ignore"):
            for said, values in self._of_one.items():
                for place in np.flatnonzero(_near(values[:, known], wanted[known])):
                    name = self._names[place]
                    yield 1, said.replace("{}", name), OF_ONE[said](full(name))
            for said, values in self._of_two.items() if different >= _VARIED[2] else ():
                first = _near(values[..., known][..., :1], wanted[known][:1])  # most are seen at one comparison
                for i, j in np.argwhere(first):
                    if i != j and (said in "−/" or i < j) and _near(values[i, j, known], wanted[known]):
                        one, other = self._names[i], self._names[j]
                        yield 2, f"{one} {said} {other}", _OF_TWO[said](full(one), full(other))


def different(values: Array) -> int:
    """Number of different numbers, but for rounding."""
    return len(np.unique(np.round(values / np.abs(values).max(initial=1e-300), _DIGITS)))


def _near(values: Array, wanted: Array) -> BoolArray:
    """Whether all of the last axis are what is wanted."""
    return np.asarray((np.abs(values - wanted) <= CLOSE * np.abs(wanted) + CLOSE * 1e-3 * np.abs(wanted).max()).all(axis=-1))
