"""Scope of a formula: the quantities of a view by name, with their axes aligned, so that formulas are elementwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError, nearest
from verifier.formulas.quantity import Quantity, fields_of, limit, quantities, reports
from verifier.formulas.ranges import Range

PAIR = "pair"


def merged(axes: tuple[str, ...]) -> tuple[str, ...]:
    """Axes with one of pairs for a state and an action next to each other."""
    found: list[str] = []
    for axis in axes:
        if axis == "a" and found and found[-1] == "s":
            found[-1] = PAIR
        else:
            found.append(axis)
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Scope:
    """Values of names on a view.

    Parameters
    ----------
    view : View
    names : tuple of str
        The names that stand in the formula, those of the left side first: their axes come first, too.
    local : mapping of str to Quantity
        Quantities that the property brings along, by name.
    """

    view: Any
    names: tuple[str, ...]
    local: Mapping[str, Quantity] = field(default_factory=dict)

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """All quantities by name, those of the property first."""
        axis: str = getattr(self.kind, "plan_axis", "plan")
        return {name: item.along(axis) for name, item in {**quantities(self.kind), **self.local}.items()}

    @property
    def kind(self) -> type:
        """Class of the view."""
        return type(self.view)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """Axes of all names together, in the order in which they occur."""
        return tuple(dict.fromkeys(axis for name in self.names for axis in self._axes(name)))

    @cached_property
    def values(self) -> dict[str, Array]:
        """Values of the names, which broadcast against each other."""
        return {name: self.value(name) for name in self.names}

    @cached_property
    def by_plans(self) -> dict[str, Array]:
        """Values of the names that plans report, as far as they do."""
        known = {name: self.quantities[name] for name in self.names if name in self.quantities}
        found = {name: item.by_plans(self.view) for name, item in known.items()}
        return {name: self.aligned(value, known[name].axes) for name, value in found.items() if value is not None}

    @cached_property
    def roundings(self) -> dict[str, Array]:
        """Absolute roundings of the names, which broadcast likewise."""
        return {name: self._rounding(name) for name in self.names}

    @cached_property
    def careful(self) -> dict[str, Array] | None:
        """Roundings of an implementation that loses no digits; None where no quantity knows more of it."""
        known = {name: self.quantities[name].careful for name in self.names if name in self.quantities}
        if not any(known.values()):
            return None
        return {name: self._rounding(name) if known.get(name) is None else self._rounding(name, True) for name in self.names}

    @cached_property
    def ranges(self) -> dict[str, Range]:
        """Ranges of the names."""
        return {name: self.range(name) for name in self.names}

    @cached_property
    def symbols(self) -> dict[str, str]:
        """Symbols of all quantities."""
        return {name: item.symbol for name, item in self.quantities.items()}

    def value(self, name: str) -> Array:
        """Value of a name, over all axes of the scope; those that it lacks have length 1."""
        axes = self._axes(name)  # raises what is told of a name that nobody has
        return self.aligned(self._raw(name), axes)

    def aligned(self, array: Array, axes: tuple[str, ...]) -> Array:
        """An array over some axes, over all of the scope; `axes` has at least as many names as the array has axes."""
        axes = merged(axes)
        array = np.asarray(array)
        if len(axes) < array.ndim:  # a state and an action
            at = axes.index(PAIR)
            before, (s, a), after = array.shape[:at], array.shape[at : at + 2], array.shape[at + 2 :]
            array = array.reshape(*before, s * a, *after)  # -1 would be ambiguous in an empty array
        axes = axes[: array.ndim]  # of a rounding, the first few
        order = sorted(range(len(axes)), key=lambda number: self.axes.index(axes[number]))
        shape = [1] * len(self.axes)
        for number, axis in enumerate(axes):
            shape[self.axes.index(axis)] = array.shape[number]
        return array.transpose(order).reshape(shape) if order != sorted(order) else array.reshape(shape)

    def range(self, name: str) -> Range:
        """Least and largest value of a name; infinite where nothing is declared, as of what plans report."""
        item = self._quantity(name)
        if item is None:
            scalar = self._scalar(name)
            return (np.asarray(-np.inf), np.asarray(np.inf)) if scalar is None else (np.asarray(scalar), np.asarray(scalar))
        ends = (-np.inf if item.low is None else item.low, np.inf if item.high is None else item.high)
        low, high = (self.aligned(limit(self.view, end), item.axes) for end in ends)
        return low, high

    def others(self) -> Iterator[str]:
        """Names of all quantities and sizes that could stand in the formula and do not."""
        for name, item in self.quantities.items():
            if name not in self.names and set(merged(item.axes)) <= set(self.axes):
                yield name

    @cached_property
    def sizes(self) -> dict[str, float]:
        """Numbers of the problem by name: sizes, constants, and what these make."""
        public = self.view.public
        known = (*vars(public), *(name for kind in type(public).__mro__ for name, item in vars(kind).items() if _is_size(item)))
        found = {name: self._scalar(name) for name in dict.fromkeys(known) if not name.startswith("_")}
        return {name: value for name, value in found.items() if value is not None}

    def _quantity(self, name: str) -> Quantity | None:
        return self.quantities.get(name)

    def _axes(self, name: str) -> tuple[str, ...]:
        item = self._quantity(name)
        if item is not None:
            return merged(item.axes)
        if name in fields_of(self.kind):
            return merged(fields_of(self.kind)[name])
        if self._scalar(name) is not None:
            return ()
        if name in getattr(self.view, "extra", {}):
            return self._own_axes(name)
        known = [*self.quantities, *fields_of(self.kind), *self.sizes, *getattr(self.view, "extra", {})]
        raise ContractError(f"a formula names {name!r}, which is no quantity of this setting. {nearest(name, known)}")

    def _raw(self, name: str) -> Array:
        item = self._quantity(name)
        if item is not None:
            return item.on(self.view)
        if name in fields_of(self.kind):
            if not reports(self.view, name):
                raise ContractError(f"a formula names the field `{name}` of plans, which these do not have; add it to `yields`")
            return np.asarray(self.view.reported(name))
        scalar = self._scalar(name)
        return np.asarray(self.view.extra[name] if scalar is None else scalar)

    def _own_axes(self, name: str) -> tuple[str, ...]:
        """Axes of a field that an author declares, from the lengths of the array."""
        public, shape = self.view.public, self.view.extra[name].shape[1:]
        lengths = {"h": public.H, "step": public.H + 1, PAIR: public.S * public.A, "s": public.S, "a": public.A}
        found = ["plan"]
        for length in shape:
            fitting = [axis for axis, size in lengths.items() if size == length and axis not in found]
            if not fitting:
                raise ContractError(
                    f"a formula names {name!r}, a field of shape {shape}; a formula can use fields with axes of H, H + 1, S*A, S "
                    "or A entries"
                )
            found.append(fitting[0])
        return tuple(found)

    def _scalar(self, name: str) -> float | None:
        value = getattr(self.view.public, name, None)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def _rounding(self, name: str, careful: bool = False) -> Array:
        item = self._quantity(name)
        rounding = None if item is None else item.careful if careful else item.rounding
        if item is None or rounding is None:
            return np.asarray(0.0)
        return self.aligned(self.view.once(rounding), item.axes)

    @cached_property
    def labels(self) -> Mapping[str, Any]:
        """Labels of the axes."""
        return {axis: labels for axis, labels in getattr(self.view, "labels", {}).items() if axis in self.axes}


def _is_size(item: Any) -> bool:
    return isinstance(item, property)


def altered(view: Any, **values: Any) -> Any:
    """A view like another one, whose attributes of some names have other values, and all that is derived from them.

    Parameters
    ----------
    view : View
    **values
        Cached properties of it, by name, as they are to be.
    """
    other = replace(view)  # nothing that was derived is kept
    vars(other).update(values)
    return other
