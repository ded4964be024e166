"""Array types shared by the whole suite.

`Array` leaves the element type open: formulas mix counts and reals, and numpy's stubs cannot follow ufuncs through both.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from verifier.base.errors import ContractError

ValueT = TypeVar("ValueT")

Array: TypeAlias = NDArray[Any]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

EPS = float(np.finfo(float).eps)
"""The rounding unit that tolerances are made of: the distance from 1 to the next larger number."""


def array_of(value: object, where: str) -> Array:
    """A copy of something as an array.

    Raises
    ------
    ContractError
        If it cannot be one.
    """
    try:
        return np.array(value)
    except Exception as error:  # rows of different lengths, or an object with ideas of its own
        raise ContractError(f"{where} is no array ({type(error).__name__}: {error})") from None


def frozen(array: Array) -> Array:
    """A read-only copy of an array, so that it cannot change after it was checked."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def read_only(value: ValueT) -> ValueT:
    """An array, or the arrays in a tuple, so that they cannot be changed through what is returned; anything else as it is."""
    if isinstance(value, tuple) and type(value) is tuple:
        items: Any = tuple([read_only(item) for item in value])
        return items
    if not isinstance(value, np.ndarray):
        return value
    seen = value.view()
    seen.flags.writeable = False
    return seen


class cached_property(functools.cached_property[ValueT]):  # noqa: N801  # named like the one it is
    """The one of `functools`, whose arrays cannot be changed: all properties of a run are handed the same ones."""

    def __init__(self, function: Callable[[Any], ValueT]) -> None:
        super().__init__(functools.wraps(function)(lambda owner: read_only(function(owner))))
