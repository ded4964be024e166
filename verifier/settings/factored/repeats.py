"""What a plan reports many times over: what belongs to a cell at every pair of it, what is the same at every step at each.

All of it is looked at once, when it is seen to be so; from then on it is kept, and compared, once for all places where it stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.settings.factored.cells import REWARDS, TRANSITIONS, Cells
from verifier.settings.factored.instance import ALL, Pairs

BY_CELL: Mapping[str, tuple[str, ...]] = {
    TRANSITIONS: ("visits", "kernel"),
    REWARDS: ("reward_visits", "reward", "reward_variance", "reward_bonus"),
}
"""By kind of scopes, the fields of a plan that should be the same throughout each cell; axes are scopes, pairs, any others."""

BY_STEP = "transition_bonus"
"""The field that may be the same at all steps; axes are factors, steps and pairs."""

_KIND = {name: kind for kind, names in BY_CELL.items() for name in names}


class Repeats:
    """Looks for what the plans of an algorithm repeat.

    Parameters
    ----------
    cells : mapping of str to Cells
        By kind of scopes.
    shapes : mapping of str to tuple of int
        Of the fields of plans.
    yields : collection of str
        The fields that all plans have.
    """

    def __init__(self, cells: Mapping[str, Cells], shapes: Mapping[str, tuple[int, ...]], yields: Collection[str]) -> None:
        self._shapes, self._steps = shapes, BY_STEP in yields
        self._names = [name for name in _KIND if name in yields]
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


def spread(cells: Mapping[str, Cells], name: str, kept: Array, pairs: Pairs = ALL) -> Array:
    """What is kept of a field of p plans, at pairs; of the one that is the same at all steps, at one step."""
    return kept[..., pairs] if name == BY_STEP else kept.take(cells[_KIND[name]].place[:, pairs], axis=1)
