"""Array types shared by the whole suite.

`Array` leaves the element type open: formulas mix counts and reals, and numpy's stubs cannot follow ufuncs through both.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
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


def array_of(value: object, *where: str) -> Array:
    """A copy of something as an array; `where` it stands, from the outside in, for messages.

    Raises
    ------
    ContractError
        If it cannot be one.
    """
    try:
        return np.array(value)
    except Exception as error:  # rows of different lengths, or an object with ideas of its own
        raise ContractError(f"{': '.join(where)} is no array ({type(error).__name__}: {error})") from None


def finite(array: Array) -> bool:
    """Whether all entries of an array of floating-point numbers are finite.

    One product tells it of nearly all arrays: the sum of squares is finite where all entries are, unless it overflows.
    """
    return math.isfinite(np.vdot(array, array)) or bool(np.isfinite(array).all())


def from_here_on(holds: BoolArray) -> BoolArray:
    """Whether something holds at a step and at all later ones, of whether it does at each; steps are the second axis."""
    backwards = np.flip(holds, axis=1)  # so that what has held up to here is what holds from here on
    return np.flip(np.logical_and.accumulate(backwards, axis=1), axis=1)


def frozen(array: Array) -> Array:
    """A read-only copy of an array, so that it cannot change after it was checked."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def read_only(value: ValueT) -> ValueT:
    """An array, or what is in a tuple, a list or a dictionary, so that no array in it can be changed; anything else as it is.

    The arrays of a dataclass are replaced, in place, by ones that cannot be changed through it. Two fields that are one array
    stay one, so that an instance is pickled, and hashed, as before.
    """
    given: Any = value
    if isinstance(given, np.ndarray):
        given = _seen(given)
    elif type(given) in (tuple, list):
        given = type(given)([read_only(item) for item in given])
    elif type(given) is dict:
        given = {key: read_only(item) for key, item in given.items()}
    else:
        one: dict[int, Any] = {}
        for name in field_names(given.__class__):
            before = getattr(given, name, None)
            if before is None or (type(before) is np.ndarray and not before.flags.writeable):  # nearly all, of checked plans
                continue
            after = one.setdefault(id(before), read_only(before))
            if after is not before:
                object.__setattr__(given, name, after)
    frozen_value: ValueT = given
    return frozen_value


@functools.cache
def field_names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass; none of any other class."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _seen(array: Any) -> Any:
    if not array.flags.writeable:
        return array
    seen = array.view()
    seen.flags.writeable = False
    return seen


class cached_property(functools.cached_property[ValueT]):  # noqa: N801  # named like the one it is
    """The one of `functools`, whose arrays cannot be changed: all properties of a run are handed the same ones."""

    def __init__(self, function: Callable[[Any], ValueT]) -> None:
        super().__init__(functools.wraps(function)(lambda owner: read_only(function(owner))))
