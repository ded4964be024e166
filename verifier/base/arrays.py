"""Array types shared by the whole suite.

`Array` leaves the element type open: formulas mix counts and reals, and numpy's stubs cannot follow ufuncs through both.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.base.errors import ContractError

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
