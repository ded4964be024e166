"""The comparisons of one batch of which some fail, for those who ask where and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.base.difference import Comparison
from verifier.model.inequality import Inequality, could_fail
from verifier.trials.differences.pairs import PAIR, actions_of, renamed, split_names, state_of

TIMES = frozenset({"plan", "epoch", "episode", "iteration", "round", "phase", "t"})
"""Axes along which a run goes on; the first axis is one of these wherever batches follow each other."""
STEPS = frozenset({"h", "step"})
"""Axes of the steps of an episode."""

_SIZES = ("H", "S", "A", "K", "d")


@dataclass(frozen=True)
class Axis:
    """Axis of the arrays as users see it; of an axis of pairs they see two.

    Parameters
    ----------
    name : str
    number : int
        Of the axis of the arrays.
    labels : array
        Of two dimensions where they depend on the first axis.
    """

    name: str
    number: int
    labels: Array

    def found(self, mask: BoolArray) -> set[int]:
        """The labels at which something in a mask is true."""
        if self.labels.ndim == 2:
            index = np.nonzero(mask)
            return {int(label) for label in np.unique(self.labels[index[0], index[self.number]])}
        others = tuple(other for other in range(mask.ndim) if other != self.number)
        return {int(label) for label in self.labels[mask.any(axis=others)]}

    def at(self, index: tuple[Any, ...]) -> int:
        """The label of one comparison."""
        i = index[self.number]
        return int(self.labels[index[0], i] if self.labels.ndim == 2 else self.labels[i])


@dataclass(frozen=True)
class Comparisons:
    """Arrays over all comparisons.

    Parameters
    ----------
    axes : tuple of str
        Of the arrays.
    seen : tuple of Axis
        What users see along them.
    failing, compared : bool arrays
        Those that fail, and those that could have failed.
    left, right, tolerance : arrays
        The sides with their signs.
    sizes : mapping
        Constants of the instance by name.
    """

    axes: tuple[str, ...]
    seen: tuple[Axis, ...]
    failing: BoolArray
    compared: BoolArray
    left: Array
    right: Array
    tolerance: Array
    sizes: Mapping[str, float]

    def at(self, flat: int) -> Comparison:
        """Comparison with a given number in the flattened arrays."""
        index = np.unravel_index(flat, self.failing.shape)
        place = {axis.name: axis.at(index) for axis in self.seen}
        return Comparison(place, float(self.left[index]), float(self.right[index]))

    def quantities(self, flat: int, inside: Mapping[str, Array]) -> dict[str, float]:
        """Values at a comparison of what stands in the formula, by name; without what has other axes."""
        place = np.unravel_index(flat, self.failing.shape)
        values = {name: np.asarray(value, dtype=float) for name, value in inside.items()}
        places = {name: self._place_in(value.shape, place) for name, value in values.items()}
        return {name: float(values[name][at]) for name, at in places.items() if at is not None}

    def _place_in(self, shape: tuple[int, ...], place: tuple[Any, ...]) -> tuple[int, ...] | None:
        """Index of the place of a comparison in an array over the first axes, of which s and a may be one (row s*A + a)."""
        lengths, found, axis = self.failing.shape, list[int](), 0
        for length in shape:
            if axis < len(lengths) and length in (1, lengths[axis]):
                found.append(0 if length == 1 else int(place[axis]))
                axis += 1
            elif "a" in self.axes[axis + 1 : axis + 2] and length == lengths[axis] * lengths[axis + 1]:
                found.append(int(place[axis] * lengths[axis + 1] + place[axis + 1]))
                axis += 2
            else:
                return None
        return tuple(found)

    def spread(self, axes: tuple[str, ...], array: Array) -> Array:
        """An array over some of the axes, in their order, so that it broadcasts against all."""
        at = [self.axes.index(name) for name in axes]
        shape = [1] * self.failing.ndim
        for number, length in zip(at, array.shape, strict=True):
            shape[number] = length
        return np.transpose(array, np.argsort(at)).reshape(shape)


def comparisons(inequality: Inequality, view: Any) -> Comparisons:
    """The comparisons of an inequality on a view."""
    own = inequality.sides or (inequality.value, inequality.bound)
    given = (
        inequality.value, inequality.bound, inequality.tolerance, inequality.trivial, inequality.cut, inequality.premise, *own
    )  # fmt: skip
    shaped = np.broadcast_arrays(*(np.asarray(part) for part in given))
    value, bound, tolerance, trivial, cut, premise, left, right = shaped
    failing = np.asarray(premise & (value - bound - tolerance > 0))
    compared = np.asarray(failing | (premise & could_fail(value, bound, trivial, tolerance, cut)))
    seen = tuple(_seen(inequality, failing.shape, view))
    left, right, tolerance = (part.astype(float) for part in (left, right, tolerance))
    return Comparisons(inequality.axes, seen, failing, compared, left, right, tolerance, _sizes(view))


def _sizes(view: Any) -> dict[str, float]:
    public = getattr(view, "public", None)
    known = {name: getattr(public, name, None) for name in _SIZES}
    return {name: float(size) for name, size in known.items() if isinstance(size, int) and size > 1}


def _seen(inequality: Inequality, shape: tuple[int, ...], view: Any) -> Iterator[Axis]:
    names = split_names(inequality.axes, view)
    for number, axis in enumerate(inequality.axes):
        length = shape[number]
        labels = np.asarray(inequality.labels.get(axis, np.arange(length)))[..., :length]  # there may be more than are used
        if axis == PAIR and PAIR not in names:
            yield Axis(state_of(view), number, labels // actions_of(view))
            yield Axis("a", number, labels % actions_of(view))
        else:
            yield Axis(renamed(axis, inequality.axes, view), number, labels)
