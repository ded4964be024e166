"""The check of what an algorithm yields: what settings share whose plans are dataclasses of arrays."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, TypeVar

import numpy as np

from verifier.base.arrays import Array, array_of, finite
from verifier.base.errors import ContractError

PlanT = TypeVar("PlanT")

INFINITE = "infinite"
"""Key in the metadata of a field: what its author may give where the formula is infinite."""


def require(plan: object, kind: type, where: str, instead: str = "; build one in `run`") -> None:
    """Check the type of a plan.

    Raises
    ------
    ContractError
        If it is another; `instead` is what to do.
    """
    if not isinstance(plan, kind):
        raise ContractError(f"{where}: got {type(plan).__name__}, expected {kind.__name__}{instead}")


def checked(
    plan: object,
    kind: type[PlanT],
    shapes: Mapping[str, tuple[int, ...]],
    limits: Mapping[str, int],
    where: str,
    declared: Collection[str] = (),
    **further: Any,
) -> PlanT:
    """A read-only copy of a plan, after checking that it is one.

    Parameters
    ----------
    plan : object
        What the algorithm yielded.
    kind : type
        The dataclass it should be an instance of.
    shapes : mapping
        Shape of each field; fields of shape () are numbers.
    limits : mapping
        Fields that hold indices, and what these are below; the others hold numbers.
    where : str
        Which plan, for messages.
    declared : collection of str
        Optional fields the algorithm promised to yield.
    **further
        Fields without a shape, as they were checked elsewhere.

    Raises
    ------
    ContractError
        Wrong type, missing field, wrong shape or dtype, a value that is not finite, an index out of range.
    """
    require(plan, kind, where)
    copies: dict[str, Any] = {}
    of: Any = kind
    for name, needed, infinite in _fields(of):
        if name not in shapes:  # what the algorithm has of its own, see `own`
            continue
        given = getattr(plan, name)
        if given is not None:
            copies[name] = _checked(given, shapes[name], limits.get(name), (where, f"field `{name}`"), infinite)
        elif needed or name in declared:
            raise ContractError(f"{where}: field `{name}` is None, but the algorithm has to yield it (see `yields`)")
    return kind(**copies, **further)


def sized(extra: Mapping[str, tuple[int | str, ...]], public: object) -> dict[str, tuple[int, ...]]:
    """The shapes of an algorithm's own fields on a problem.

    Raises
    ------
    ContractError
        If they name what is no size of the problem.
    """
    return {name: tuple(_size(size, public, f"`extra`: {name!r}") for size in shape) for name, shape in extra.items()}


def _size(size: int | str, public: object, where: str) -> int:
    product, _, more = str(size).partition("+")
    factors: list[Any] = [int(name) if name.isdigit() else getattr(public, name, None) for name in product.split("*")]
    if any(type(factor) is not int for factor in factors):
        raise ContractError(f"{where} has the size {size!r}; expected one made of integers that the public part of a problem has")
    return int(math.prod(factors)) + int(more or 0)


def own(given: object, shapes: Mapping[str, tuple[int, ...]], where: str) -> dict[str, Array]:
    """A read-only copy of an algorithm's own fields of a plan, after checking that they are those it has declared.

    Raises
    ------
    ContractError
        If one is missing, was not declared, or has another shape, or entries that are not finite numbers.
    """
    if not isinstance(given, Mapping):
        raise ContractError(f"{where}: `extra` is a {type(given).__name__}, expected arrays by name")
    if unknown := [str(name) for name in given if name not in shapes]:
        raise ContractError(
            f"{where}: `extra` has {', '.join(unknown)}, which the class does not declare; add it to `extra` there"
        )
    if missing := [name for name in shapes if given.get(name) is None]:
        raise ContractError(f"{where}: `extra` lacks {', '.join(missing)}, which the class declares; yield it in every plan")
    return {name: np.asarray(_checked(given[name], shape, None, (where, f"`extra[{name!r}]`"))) for name, shape in shapes.items()}


@cache
def _fields(kind: Any) -> tuple[tuple[str, bool, str], ...]:
    """The name of each field, whether it has no default, and what may stand in it for infinity."""
    return tuple((item.name, item.default is MISSING, item.metadata.get(INFINITE, "")) for item in fields(kind))


_NUMBERS, _INDICES = np.dtype(np.float64), np.dtype(np.int64)

LAW_ROUNDING = 1e-5
"""Allowed error of the probabilities of a law: those of a softmax in single precision over hundreds of actions are."""


def law(chances: Array, where: str) -> Array:
    """Laws along the last axis, divided by their sums, which are 1 but for rounding.

    Raises
    ------
    ContractError
        If one is negative, or a sum is not 1.
    """
    total = chances.sum(axis=-1, keepdims=True)
    if chances.min(initial=0.0) < 0 or np.abs(total - 1.0).max(initial=0.0) > LAW_ROUNDING:
        raise ContractError(f"{where} has a row that is no probability law; expected numbers >= 0 that sum to 1")
    exact = chances / total
    exact.flags.writeable = False
    return np.asarray(exact)


def _checked(given: object, shape: tuple[int, ...], limit: int | None, place: tuple[str, str], infinite: str = "") -> Any:
    """A read-only copy of one field, or the number it is.

    Parameters
    ----------
    given : object
    shape : tuple of int
    limit : int or None
        That of indices; None for numbers.
    place : (str, str)
        Which plan and which field, for messages.
    infinite : str
        What to give in place of an infinite number, for the message.
    """
    copy, indices = array_of(given, *place), limit is not None
    wanted = _INDICES if indices else _NUMBERS
    if copy.dtype is not wanted:
        if copy.dtype.kind not in ("iu" if indices else "fiu") and copy.size:
            expected = "integers" if indices else "floating-point numbers"
            raise ContractError(f"{': '.join(place)} has dtype {copy.dtype}, expected {expected}")
        copy = copy.astype(wanted)
    if copy.shape != shape:
        raise ContractError(f"{': '.join(place)} has shape {copy.shape}, expected {shape}")
    if limit is not None and copy.size and np.maximum.reduce(copy.view(np.uint64), axis=None) >= limit:  # negative: very large
        raise ContractError(f"{': '.join(place)} has an entry outside 0..{limit - 1}")
    if not indices and not finite(copy):
        index = tuple(int(i[0]) for i in np.nonzero(~np.isfinite(copy)))
        instead = f"; {infinite}" if infinite and np.isinf(copy[index]) else ""
        raise ContractError(f"{': '.join(place)} is {copy[index]} at {index}, expected a finite number{instead}")
    copy.flags.writeable = False
    return copy if shape else copy.item()
