"""The comparisons of one batch of which some fail, laid out for those who ask where and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.base.difference import Comparison
from verifier.model.measurement import Inequality
from verifier.trials.differences.pairs import PAIR, actions_of, split_names

TIMES = frozenset({"plan", "epoch", "episode", "iteration", "round", "phase", "t"})
"""Axes along which a run goes on; the first axis is one of these wherever batches follow each other."""
STEPS = frozenset({"h", "step"})
"""Axes of the steps of an episode."""

_SIZES = ("H", "S", "A", "K", "d")


@dataclass(frozen=True)
class Comparisons:
    """Arrays over all comparisons, with one axis for states and one for actions.

    Parameters
    ----------
    axes : tuple of str
    labels : tuple of arrays
        One for each axis; of two dimensions where labels depend on the first axis.
    failing, compared : bool arrays
        Those that fail, and those that could have failed.
    left, right, tolerance : arrays
        The sides with their signs.
    sizes : mapping
        Constants of the instance by name.
    """

    axes: tuple[str, ...]
    labels: tuple[Array, ...]
    failing: BoolArray
    compared: BoolArray
    left: Array
    right: Array
    tolerance: Array
    sizes: Mapping[str, float]

    def axis(self, name: str) -> int:
        """The number of an axis."""
        return self.axes.index(name)

    def found(self, axis: str, mask: BoolArray) -> set[int]:
        """The labels of an axis at which something in a mask is true."""
        number = self.axis(axis)
        labels = self.labels[number]
        if labels.ndim == 2:
            index = np.nonzero(mask)
            return {int(label) for label in np.unique(labels[index[0], index[number]])}
        others = tuple(other for other in range(mask.ndim) if other != number)
        return {int(label) for label in labels[mask.any(axis=others)]}

    def at(self, flat: int) -> Comparison:
        """One comparison, by its number in the flattened arrays."""
        index = np.unravel_index(flat, self.failing.shape)
        place = {name: int(labels[index[0], i] if labels.ndim == 2 else labels[i]) for name, labels, i in self._along(index)}
        return Comparison(place, float(self.left[index]), float(self.right[index]))

    def _along(self, index: tuple[Any, ...]) -> zip[tuple[str, Array, Any]]:
        return zip(self.axes, self.labels, index, strict=True)

    def spread(self, axes: tuple[str, ...], array: Array) -> Array:
        """An array over some of the axes, in their order, so that it broadcasts against all."""
        at = [self.axis(name) for name in axes]
        shape = [1] * self.failing.ndim
        for number, length in zip(at, array.shape, strict=True):
            shape[number] = length
        return np.transpose(array, np.argsort(at)).reshape(shape)


def comparisons(inequality: Inequality, view: Any) -> Comparisons:
    """The comparisons of an inequality on a view."""
    own = inequality.sides or (inequality.value, inequality.bound)
    given = (inequality.value, inequality.bound, inequality.tolerance, inequality.trivial, inequality.premise, *own)
    shaped = np.broadcast_arrays(*(np.asarray(part) for part in given))
    value, bound, tolerance, trivial, premise, left, right = (layout(inequality, view)(part) for part in shaped)
    failing = premise & (value - bound - tolerance > 0)
    labels = tuple(_labels(inequality, axis, failing.shape, at) for at, axis in enumerate(split_names(inequality.axes, view)))
    public = getattr(view, "public", None)
    known = {name: getattr(public, name, None) for name in _SIZES}
    sizes = {name: float(size) for name, size in known.items() if isinstance(size, int) and size > 1}
    compared = failing | (premise & (bound + tolerance < trivial))
    axes = split_names(inequality.axes, view)
    return Comparisons(axes, labels, failing, compared, left.astype(float), right.astype(float), tolerance.astype(float), sizes)


def layout(inequality: Inequality, view: Any) -> Callable[[Array], Array]:
    """The arrays of an inequality with pairs split into states and actions."""
    return lambda array: split_pairs(inequality.axes, array, view)


def split_pairs(axes: tuple[str, ...], array: Array, view: Any) -> Array:
    """An array over named axes with pairs split into states and actions."""
    actions = actions_of(view)
    if PAIR not in axes or not actions:
        return array
    at = axes.index(PAIR)
    return array.reshape(*array.shape[:at], -1, actions, *array.shape[at + 1 :])


def _labels(inequality: Inequality, axis: str, shape: tuple[int, ...], at: int) -> Array:
    """Where the property gives none, plain numbers."""
    given = np.asarray(inequality.labels[axis]) if axis in inequality.axes and axis in inequality.labels else None
    return np.arange(shape[at]) if given is None else given
