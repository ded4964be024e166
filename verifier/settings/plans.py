"""The check of what an algorithm yields, field by field: what settings share whose plans are dataclasses of arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from verifier.base.arrays import Array, array_of
from verifier.base.errors import ContractError


def checked_fields(
    plan: object, shapes: Mapping[str, tuple[int, ...]], required: Collection[str], limits: Mapping[str, int], where: str
) -> dict[str, Array]:
    """Read-only copies of the fields of a plan; optional ones that are None are left out.

    Parameters
    ----------
    plan : object
        Has an attribute for each field.
    shapes : mapping
        Shape of each field.
    required : collection of str
        Fields that must not be None.
    limits : mapping
        Fields that hold indices, and what these are below; the others hold numbers.
    where : str
        Which plan, for messages.

    Raises
    ------
    ContractError
        Missing field, wrong shape or dtype, a value that is not finite, an index out of range.
    """
    copies: dict[str, Array] = {}
    for name, shape in shapes.items():
        given = getattr(plan, name)
        if given is None:
            if name in required:
                raise ContractError(f"{where}: field `{name}` is None, but the algorithm has to yield it (see `yields`)")
            continue
        copies[name] = _checked(given, shape, limits.get(name), f"{where}: field `{name}`")
    return copies


def _checked(given: object, shape: tuple[int, ...], limit: int | None, where: str) -> Array:
    """A read-only copy of one field; `limit` is that of indices, None for numbers."""
    array = array_of(given, where)
    if array.dtype.kind not in ("fiu" if limit is None else "iu") and array.size:
        expected = "floating-point numbers" if limit is None else "integers"
        raise ContractError(f"{where} has dtype {array.dtype}, expected {expected}")
    if array.shape != shape:
        raise ContractError(f"{where} has shape {array.shape}, expected {shape}")
    if limit is not None and array.size and not (array.min() >= 0 and array.max() < limit):
        raise ContractError(f"{where} has an entry outside 0..{limit - 1}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        index = tuple(int(i[0]) for i in np.nonzero(~np.isfinite(array)))
        raise ContractError(f"{where} is {array[index]} at {index}, expected a finite number")
    copy = array.astype(np.float64 if limit is None else np.int64, copy=False)
    copy.flags.writeable = False
    return copy
