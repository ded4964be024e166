"""Laws that are products of factor laws, and how the variance of a value splits over the factors.

`rows` is a sequence of n arrays (..., X, S_j): the law of each factor of the next state at each of X pairs. Flat next states are
C-order ravels of the factors. Values are (..., S); leading axes broadcast, those of the values against those before X.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import Array

Rows = Sequence[Array]


def inner(left: Array, right: Array, axis: int = -1) -> Array:
    """Sums over an axis of products of arrays that broadcast; that axis is the values of a factor, which are few."""
    left, right = np.moveaxis(left, axis, 0), np.moveaxis(right, axis, 0)
    total = left[0] * right[0]
    for v in range(1, len(left)):
        total += left[v] * right[v]
    return np.asarray(total)


def product(rows: Rows) -> Array:
    """The joint law, (..., X, S)."""
    return np.swapaxes(_joint(rows), -1, -2)


def _joint(rows: Rows) -> Array:
    """Joint law of factors, (..., S, X): pairs come last in memory, since they are many and the values of a factor few."""
    joint, *further = map(_by_value, rows)
    for row in further:
        parts = joint[..., :, None, :] * row[..., None, :, :]
        joint = parts.reshape(*parts.shape[:-3], parts.shape[-3] * parts.shape[-2], parts.shape[-1])  # no -1: X may be 0
    return joint


def _by_value(row: Array) -> Array:
    """A law (..., X, S_j) as (..., S_j, X)."""
    return np.ascontiguousarray(np.swapaxes(row, -1, -2))


def tails(rows: Rows, values: Array) -> list[Array]:
    """W_i = E over the factors i+1..n of the values, for i = 0..n: shapes (..., S_1 ... S_i, X or 1).

    The factors are integrated out from the last one; the axis X has length 1 in W_n, the values themselves.
    """
    found = [values[..., None]]
    for row in reversed(rows):
        found.insert(0, inner(_split(found[0], row), _by_value(row)[..., None, :, :], axis=-2))
    return found


def _split(values: Array, row: Array) -> Array:
    """A function of some factors, the last of which has this law, with an axis for that: (..., S_1 ... S_i-1, S_i, X or 1)."""
    size = row.shape[-1]
    return values.reshape(*values.shape[:-2], values.shape[-2] // size, size, values.shape[-1])


def expectation(rows: Rows, values: Array) -> Array:
    """E V under the product (of laws, or of differences of laws), (..., X)."""
    return tails(rows, values)[0][..., 0, :]


def squares(rows: Rows, values: Array) -> Array:
    """M_i = E over the factors 1..i of (E over the factors i+1..n of V)^2, for i = 0..n: (n+1, ..., X)."""
    moments = [_before(rows[:i], W**2) for i, W in enumerate(tails(rows, values))]
    return np.stack(np.broadcast_arrays(*moments))


def _before(rows: Rows, values: Array) -> Array:
    """(..., X) E over the first factors, which have these laws, of a function of them (..., S_1 ... S_i, X or 1)."""
    return np.asarray((_joint(rows) * values).sum(axis=-2)) if rows else values[..., 0, :]


def variances(rows: Rows, values: Array) -> Array:
    """sigma_i^2 = E over the factors before i of the variance over factor i of E over those after it: (n, ..., X).

    By the definition and not as M_i - M_{i-1}, which cancels.
    """
    W, parts = tails(rows, values), []
    for i, row in enumerate(rows):
        deviation = _split(W[i + 1], row) - W[i][..., None, :]
        parts.append(_before(rows[:i], inner(deviation**2, _by_value(row)[..., None, :, :], axis=-2)))
    return np.stack(np.broadcast_arrays(*parts))
