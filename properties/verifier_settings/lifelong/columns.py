"""Columns of arrays by context: most plans have all contexts, in order, and then nothing is copied."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray


def columns(values: Array, index: IntArray) -> Array:
    """(p, ..., m) the columns (p, m) of values (p, ..., n)."""
    if _everything(index, values.shape[-1]):
        return values
    return np.take_along_axis(values, index.reshape(len(index), *(1,) * (values.ndim - 2), -1), axis=-1)


def columns_of_table(table: Array, index: IntArray) -> Array:
    """(p, ..., m) the columns (p, m) of one table (..., n) for all plans."""
    if _everything(index, table.shape[-1]):
        return np.broadcast_to(table, (len(index), *table.shape))
    return np.moveaxis(table[..., index], -2, 0)


def _everything(index: IntArray, n: int) -> bool:
    """Whether these are all columns in order, for every plan."""
    return index.shape[1] == n and bool((index == np.arange(n)).all())
