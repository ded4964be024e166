"""Array types shared by the whole suite.

`Array` leaves the element type open: formulas mix counts and reals, and numpy's stubs cannot follow ufuncs through both.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


def frozen(array: Array) -> Array:
    """A read-only copy of an array, so that nobody can change it after it was looked at."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy
