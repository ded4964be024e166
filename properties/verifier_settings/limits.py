"""Limits on the length of a call of `play`: numbers that an agent gives beforehand, and what visited pairs add up to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError


class Limit(Protocol):
    """Limit that ends a call of `play`."""

    def reached(self, pairs: IntArray, contexts: IntArray) -> int:
        """The first of these episodes after which the limit is reached, from 0; n if it is after none.

        Parameters
        ----------
        pairs : (n, H) int array
            Rows ``s*A + a`` of the episodes that come next.
        contexts : (n,) int array
        """


class Weights:
    """The weights of the pairs met at each step are added up, in the order of the episodes; reached above 1 at some step.

    Parameters
    ----------
    weight : (H, S*A, W) array
    """

    def __init__(self, weight: Array) -> None:
        self._weight, self._spent = weight, np.zeros(len(weight))

    def reached(self, pairs: IntArray, contexts: IntArray) -> int:
        """See `Limit`."""
        met = self._weight[np.arange(len(self._spent)), pairs, contexts[:, None]]
        met[0] += self._spent
        total = np.cumsum(met, axis=0)
        self._spent = total[-1]
        over = (total > 1.0).any(axis=1)
        return int(over.argmax()) if over.any() else len(pairs)


class Visits:
    """Visits are counted; reached where some pair has been met so often.

    Parameters
    ----------
    most : (S*A,) or (H, S*A) array
        At least 1; over all steps, or at each.
    """

    def __init__(self, most: Array) -> None:
        self._left = most.ravel().copy()
        self._before = np.arange(len(most)) * most.shape[1] if most.ndim == 2 else np.zeros(1, dtype=np.int64)

    def reached(self, pairs: IntArray, contexts: IntArray) -> int:
        """See `Limit`."""
        met = (pairs + self._before).ravel()
        count = np.bincount(met, minlength=len(self._left))
        often = count >= self._left
        if not often.any():
            self._left -= count
            return len(pairs)
        if len(pairs) == 1:
            return 0
        last = (np.flatnonzero(met == pair)[math.ceil(self._left[pair]) - 1] for pair in np.flatnonzero(often))
        return int(min(last)) // pairs.shape[1]


class Limits:
    """Limits that hold together; without any, one episode is played.

    Parameters
    ----------
    given : sequence of Limit
    """

    def __init__(self, given: Sequence[Limit]) -> None:
        self._given = given

    def __bool__(self) -> bool:
        return bool(self._given)

    def reached(self, pairs: IntArray, contexts: IntArray) -> int:
        """See `Limit`."""
        return min(limit.reached(pairs, contexts) for limit in self._given)


def limits(weight: Array | float | None, visits: Array | float | None, axes: Mapping[str, int]) -> Limits:
    """Limits of a call of `play`.

    Parameters
    ----------
    weight, visits : array or float, optional
        As an agent gives them.
    axes : mapping
        The lengths of H and S*A, and of W where there are contexts.

    Raises
    ------
    ContractError
        If they are of another shape or range.
    """
    given: list[Limit] = []
    if weight is not None:
        full = _numbers("weights", weight, 0, axes)
        given.append(Weights(full if full.ndim > 2 else full[..., None]))
    if visits is not None:
        names = ("H", "S*A") if np.ndim(visits) > 1 else ("S*A",)
        given.append(Visits(_numbers("visits", visits, 1, {name: axes[name] for name in names})))
    return Limits(given)


def _numbers(name: str, given: Array | float, least: int, axes: Mapping[str, int]) -> Array:
    """Broadcast to a shape, if they are such numbers."""
    shape = tuple(axes.values())
    try:
        full = np.broadcast_to(np.asarray(given, dtype=float), shape)
    except (TypeError, ValueError):
        full = np.full(1, np.nan)
    if not (full >= least).all():
        expected = f"({', '.join(axes)}{',' * (len(axes) == 1)}) = {shape}"
        raise ContractError(
            f"play was given {name} of shape {np.shape(given)}; expected numbers >= {least} that broadcast to {expected}"
        )
    return full
