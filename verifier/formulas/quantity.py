"""Quantities: arrays of a view that formulas name, each declared once, where it is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from verifier.base.arrays import Array, cached_property

Limit: TypeAlias = float | str | Callable[[Any], Any]
"""An end of a range: a number, the name of a quantity without axes (``"H"``), or a function of the view."""


class Quantity(cached_property[Array]):
    """A cached property of a view that formulas can name.

    Parameters
    ----------
    function : callable
        Computes it from the view.
    name : str
        In formulas.
    axes : str
        Names of its axes, ``"plan h pair"``. State and action next to each other, ``"s a"``, are one axis of pairs. Where the
        view's class declares `plan_axis`, plan is called so.
    symbol : str
        As it is printed; the name where none is given.
    low, high : Limit or None
        Least and largest value that it can have, whatever the implementation does; None where that is not known. A quantity of
        unknown range cannot be the left side of a bound, because nobody could say whether the bound could have failed.
    rounding : callable, optional
        Maps the view to its absolute rounding, with the same axes or the first few of them; without one it is exact.
    reported : str or callable
        The field of plans that reports it, or a function that makes it of what a view's plans report, None where they do not. A
        line that fails for what is reported, too, is no consequence of mistakes there.
    careful : callable, optional
        As `rounding`, of an implementation that loses no digits; where `rounding` allows for one that does.
    others : mapping of str to callable, optional
        What may be computed in its place, by symbol: functions of the view, as one with arguments exchanged. Where a formula
        fails that it stands in, on either side, these are tried.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        name: str,
        axes: str,
        symbol: str = "",
        low: Limit | None = None,
        high: Limit | None = None,
        rounding: Callable[[Any], Any] | None = None,
        reported: str | Callable[[Any], Any] = "",
        careful: Callable[[Any], Any] | None = None,
        others: Mapping[str, Callable[[Any], Any]] | None = None,
    ) -> None:
        super().__init__(function)
        self.name, self.axes, self.symbol = name, tuple(axes.split()), symbol or name
        self.low, self.high, self.rounding, self.reported = low, high, rounding, reported
        self.computed, self.careful, self.others = function, careful, others or {}

    def on(self, view: Any) -> Array:
        """Value on a view: its attribute, or, of a quantity that a property brings along, what the function returns."""
        return np.asarray(getattr(view, self.attrname) if self.attrname else view.once(self.computed))

    def along(self, axis: str) -> Quantity:
        """The quantity of views whose axis of plans has another name."""
        if axis == "plan" or "plan" not in self.axes:
            return self
        other = copy(self)
        other.axes = tuple(axis if each == "plan" else each for each in self.axes)
        return other

    def by_plans(self, view: Any) -> Array | None:
        """Value that the plans of a view report; None where they do not."""
        if not self.reported:
            return None
        if callable(self.reported):
            found: Array | None = view.once(self.reported)
            return found
        return view.reported(self.reported) if reports(view, self.reported) else None


def reports(view: Any, *names: str) -> bool:
    """Whether all plans of a view report these fields."""
    if isinstance(view.plans, Mapping):  # of a setting that keeps one array for each field
        return all(name in view.plans for name in names)
    return all(getattr(plan, name, None) is not None for plan in view.plans for name in names)


def quantity(
    name: str,
    axes: str = "",
    *,
    symbol: str = "",
    low: Limit | None = None,
    high: Limit | None = None,
    rounding: Callable[[Any], Any] | None = None,
    reported: str | Callable[[Any], Any] = "",
    careful: Callable[[Any], Any] | None = None,
    others: Mapping[str, Callable[[Any], Any]] | None = None,
) -> Callable[[Callable[[Any], Any]], Quantity]:
    """Decorator of a method of a view; the arguments are those of `Quantity`."""
    return lambda function: Quantity(function, name, axes, symbol, low, high, rounding, reported, careful, others)


@cache
def quantities(view: type) -> Mapping[str, Quantity]:
    """Quantities of a class of views by name, those of its bases included."""
    found: dict[str, Quantity] = {}
    for kind in reversed(view.__mro__):
        found |= {item.name: item for item in vars(kind).values() if isinstance(item, Quantity)}
    return found


@cache
def fields_of(view: type) -> Mapping[str, tuple[str, ...]]:
    """Axes of the fields of plans by name, as the class of views declares them in `plan_axes`, the plans' own axis first.

    That is ``plan``, or what the class declares in `plan_axis`.
    """
    declared: Mapping[str, str] = getattr(view, "plan_axes", {})
    return {name: (getattr(view, "plan_axis", "plan"), *axes.split()) for name, axes in declared.items()}


def limit(view: Any, end: Limit) -> Array:
    """The end of a range, as an array."""
    if isinstance(end, str):
        return np.asarray(float(getattr(view.public, end)))
    return np.asarray(end(view) if callable(end) else end, dtype=float)
