"""The check of what an algorithm yields, field by field: what settings share whose plans are dataclasses of arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from verifier.arrays import Array, array_of
from verifier.errors import ContractError


def checked_fields(
    plan: object, shapes: Mapping[str, tuple[int, ...]], required: Collection[str], integers: Collection[str], where: str
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
    integers : collection of str
        Fields that hold integers; the others hold numbers.
    where : str
        Which plan, for messages.

    Raises
    ------
    ContractError
        Missing field, wrong shape or dtype, a value that is not finite.
    """
    copies: dict[str, Array] = {}
    for name, shape in shapes.items():
        given = getattr(plan, name)
        if given is None:
            if name in required:
                raise ContractError(f"{where}: field `{name}` is None, but the algorithm has to yield it (see `yields`)")
            continue
        array = array_of(given, f"{where}: field `{name}`")
        if array.dtype.kind not in ("iu" if name in integers else "fiu"):
            expected = "integers" if name in integers else "floating-point numbers"
            raise ContractError(f"{where}: field `{name}` has dtype {array.dtype}, expected {expected}")
        if array.shape != shape:
            raise ContractError(f"{where}: field `{name}` has shape {array.shape}, expected {shape}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            index = tuple(int(i[0]) for i in np.nonzero(~np.isfinite(array)))
            raise ContractError(f"{where}: field `{name}` is {array[index]} at {index}, expected a finite number")
        copies[name] = array.astype(np.int64 if name in integers else np.float64, copy=False)
        copies[name].flags.writeable = False
    return copies


def require_indices(copies: Mapping[str, Array], limits: Mapping[str, int], where: str) -> None:
    """Check that fields hold indices below their limits.

    Raises
    ------
    ContractError
        At the first that does not.
    """
    for name, limit in limits.items():
        if copies[name].size and not (copies[name].min() >= 0 and copies[name].max() < limit):
            raise ContractError(f"{where}: field `{name}` has an entry outside 0..{limit - 1}")
