"""What a plan reports many times over: what belongs to a cell at every pair of it, what is the same at every step at each.

All of it is looked at once, when it is seen to be so; from then on it is kept, and compared, once for all places where it stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray, frozen
from verifier.settings.factored.instance import ALL, Pairs, Public, Scope

TRANSITIONS, REWARDS = "transitions", "rewards"

BY_CELL: Mapping[str, tuple[str, ...]] = {
    TRANSITIONS: ("visits", "kernel"),
    REWARDS: ("reward_visits", "reward", "reward_variance", "reward_bonus"),
}
"""By kind of scopes, the fields of a plan that should be the same throughout each cell; axes are scopes, pairs, any others."""

BY_STEP = "transition_bonus"
"""The field that may be the same at all steps; axes are factors, steps and pairs."""

_KIND = {name: kind for kind, names in BY_CELL.items() for name in names}


@dataclass(frozen=True)
class Cells:
    """The cells of k scopes, C of each; where a scope has fewer, its first one stands for those it lacks.

    Attributes
    ----------
    first : (k*C,) int array
        The first pair of each cell, j*X + x for the scope j and the pair x.
    place : (k, X) int array
        The cell of each pair, j*C + c for the cell c.
    """

    first: IntArray
    place: IntArray

    @cached_property
    def pairs(self) -> IntArray:
        """(R,) pairs among which is the first one of every cell."""
        return np.unique(self.first % self.place.shape[1])

    @cached_property
    def times(self) -> IntArray:
        """(k, R) how many pairs are in the cell of which such a pair is the first one; 0 where it is not."""
        whole = np.zeros(self.place.shape, dtype=np.int64)
        whole.flat[self.first] = np.bincount(self.place.ravel(), minlength=len(self.first))[self.place.flat[self.first]]
        return frozen(whole[:, self.pairs])


@lru_cache(maxsize=64)
def cells_of(public: Public) -> Mapping[str, Cells]:
    """By kind of scopes, their cells."""
    scopes = {TRANSITIONS: public.transition_scopes, REWARDS: public.reward_scopes}
    return {kind: _cells(public, some) for kind, some in scopes.items()}


def _cells(public: Public, scopes: Sequence[Scope]) -> Cells:
    own = np.stack([public.cells(scope) for scope in scopes])
    most = int(own.max()) + 1
    first = np.zeros((len(own), most), dtype=np.int64)
    for j, cells in enumerate(own):
        first[j, : cells.max() + 1] = np.unique(cells, return_index=True)[1]
    number = np.arange(len(own))[:, None]
    return Cells(frozen((first + number * public.X).ravel()), frozen(own + number * most))


class Repeats:
    """Looks for what the plans of an algorithm repeat.

    Parameters
    ----------
    public : Public
    shapes : mapping of str to tuple of int
        Of the fields of plans.
    yields : collection of str
        The fields that all plans have.
    """

    def __init__(self, public: Public, shapes: Mapping[str, tuple[int, ...]], yields: Collection[str]) -> None:
        self._shapes, self._steps = shapes, BY_STEP in yields
        self._names, cells = [name for name in _KIND if name in yields], cells_of(public)
        self._parts = dict[str, tuple[slice, tuple[int, ...]]]()
        first, place, entries, kept = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0, 0
        for name in self._names:  # their entries, and those of their cells, are numbered through
            own, further = cells[_KIND[name]], shapes[name][2:]
            size = prod(further)
            within = np.arange(size)
            first.append(entries + (own.first[:, None] * size + within).ravel())
            place.append(kept + (own.place[..., None] * size + within).ravel())
            self._parts[name] = slice(kept, kept + len(own.first) * size), (len(own.first), *further)
            entries, kept = entries + own.place.size * size, kept + len(own.first) * size
        self._first, self._place = np.concatenate(first), np.concatenate(place)

    def kept(self, given: Mapping[str, Any]) -> dict[str, Array]:
        """What is kept of fields of a plan, by name: by cell (k*C, ...), and at one step (n, 1, X).

        Nothing of those that do not repeat, or are not the finite numbers they should be.
        """
        found = self._by_cell([given[name] for name in self._names]) if self._fit(given, self._names) else {}
        if self._steps and self._fit(given, [BY_STEP]):
            field = given[BY_STEP]
            if np.array_equal(field[:, 0], field[:, -1]) and (field == field[:, :1]).all() and np.isfinite(field[:, 0]).all():
                found[BY_STEP] = np.array(field[:, :1], dtype=float)
        return found

    def _fit(self, given: Mapping[str, Any], names: Collection[str]) -> bool:
        """Whether some fields are arrays of numbers as they should be."""
        arrays = [(given[name], self._shapes[name]) for name in names]
        return all(type(a) is np.ndarray and a.shape == shape and a.dtype.kind in "fiu" for a, shape in arrays)

    def _by_cell(self, fields: Sequence[Array]) -> dict[str, Array]:
        whole = np.concatenate([field.ravel() for field in fields]) if fields else np.zeros(0)
        kept = whole.take(self._first).astype(float, copy=False)
        if not (kept.take(self._place) == whole).all() or not np.isfinite(kept).all():
            return {}
        return {name: kept[part].reshape(shape) for name, (part, shape) in self._parts.items()}


def spread(public: Public, name: str, kept: Array, pairs: Pairs = ALL) -> Array:
    """What is kept of a field of p plans, at pairs; of the one that is the same at all steps, at one step."""
    return kept[..., pairs] if name == BY_STEP else kept.take(cells_of(public)[_KIND[name]].place[:, pairs], axis=1)
