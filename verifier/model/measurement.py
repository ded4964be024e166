"""Measurement of an inequality: the worst comparison, and how many there were.

A property returns an `Inequality`; the harness turns it into a `Measurement`. Which comparisons count (the premise), how much
rounding is allowed (the tolerance) and the trivial bound are part of the inequality; they are applied here, once for all
properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isnan, prod
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.base.difference import Difference, merged
from verifier.base.errors import ContractError
from verifier.model.blocks import blocks, rows_of
from verifier.model.compared import Compared, by_tolerance, entry, largest_of
from verifier.model.factor import NO_FACTOR, factor_of
from verifier.model.inequality import Inequality, could_fail

DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True)
class Measurement:
    """Summary of an inequality: the worst comparison and the numbers of comparisons.

    Attributes
    ----------
    value, bound, trivial : float
        The two sides and the trivial bound at the worst comparison (the worst one with power, where there is one).
    ratio : float
        ``value / bound`` there (for identities ``value / tolerance``); above 1 means broken, up to the tolerance.
    margin : float
        Smallest ``bound - value`` over all comparisons.
    excess : float
        Largest ``value - bound - tolerance``; positive exactly when something is violated.
    tolerance : float
        Rounding allowed at the worst comparison.
    place : mapping
        Where the worst comparison stands, e.g. ``{"episode": 17, "h": 2, "s": 3, "a": 1, "w": 0}``.
    comparisons, powered, violations, excluded : int
        How many comparisons were made, could have failed, did fail, and were left out because the premise was false.
    ceiling : float or None
        Of the inequality.
    careless : int
        How many comparisons hold, but with more rounding than a careful implementation has.
    saturated : int
        How many of the comparisons are about a value function that is the same in all states.
    missing : str
        What the run lacks for the statement to say anything of it; empty if it lacks nothing.
    difference : Difference or None
        Where and how the comparisons that fail do; None if none does, or nobody looked.
    moments, curve : tuple of float
        Of the inequality.
    factor : float
        Least multiple of the right side with which every comparison holds, see `verifier.model.factor`; `NO_FACTOR` of an
        identity, and where no comparison tells one.
    tested : int
        Of an equality of a formula, the parts of it that comparisons depend on, as bits, see `verifier.formulas.tested`.

    Examples
    --------
    >>> from verifier import Inequality
    >>> from verifier.model.measurement import measure
    >>> found = measure(Inequality(0.5, 1.0, trivial=0.7))
    >>> found.holds, found.powered  # a value is never above 0.7, so that the comparison could not have failed
    (True, 0)
    """

    value: float = float("nan")
    bound: float = float("nan")
    trivial: float = float("nan")
    ratio: float = -np.inf
    margin: float = np.inf
    excess: float = -np.inf
    tolerance: float = 0.0
    place: Mapping[str, int] = field(default_factory=dict)
    comparisons: int = 0
    powered: int = 0
    violations: int = 0
    excluded: int = 0
    ceiling: float | None = None
    careless: int = 0
    saturated: int = 0
    missing: str = ""
    difference: Difference | None = None
    moments: tuple[float, ...] = ()
    curve: tuple[float, ...] = ()
    factor: float = NO_FACTOR
    tested: int = 0

    @property
    def share(self) -> float:
        """The share of comparisons that could have failed; 0 if none was made."""
        return self.powered / self.comparisons if self.comparisons else 0.0

    @property
    def holds(self) -> bool:
        """Whether no comparison failed (true also when none was made)."""
        return self.violations == 0

    def worse_than(self, other: Measurement) -> bool:
        """Whether the worst comparison here is worse than the other's; a comparison with power counts before one without."""
        if self.comparisons == 0 or other.comparisons == 0:
            return self.comparisons > 0
        if self.violations or other.violations:
            return self.excess > other.excess
        if (self.powered == 0) != (other.powered == 0):
            return self.powered > 0
        return self.ratio > other.ratio

    def merge(self, other: Measurement) -> Measurement:
        """The measurement of both sets of comparisons together."""
        if self is NOTHING:
            return other
        kept = other if other.worse_than(self) else self
        return replace(
            kept,
            margin=min(self.margin, other.margin),
            excess=max(self.excess, other.excess),
            comparisons=self.comparisons + other.comparisons,
            powered=self.powered + other.powered,
            violations=self.violations + other.violations,
            excluded=self.excluded + other.excluded,
            careless=self.careless + other.careless,
            saturated=self.saturated + other.saturated,
            missing=self.missing or other.missing,
            difference=merged(self.difference, other.difference, kept.difference),
            factor=max(self.factor, other.factor),
            tested=self.tested | other.tested,
        )


NOTHING = Measurement()
"""Measurement before anything was compared."""


NONE: BoolArray = np.zeros((), dtype=bool)
"""True of no comparison."""


class NotANumberError(ContractError):
    """A property compared NaN."""


def measure(inequality: Inequality) -> Measurement:
    """Evaluate an inequality.

    What the premise leaves out is dropped first, and sides are not broadcast where that is not needed: there are claims by the
    dozen, and arrays by the million.

    Raises
    ------
    ContractError
        If a side is not made of real numbers.
    NotANumberError
        If a side is not a number where the premise holds: a comparison with NaN is neither true nor false.
    """
    sides = {name: _real(getattr(inequality, name), name) for name in ("value", "bound", "trivial", "tolerance")}
    premise = np.asarray(inequality.premise, dtype=bool)
    shape = np.broadcast(*sides.values(), premise, inequality.cut).shape
    if len(inequality.axes) != len(shape):
        raise ContractError(
            f"a property returned {len(shape)} axes but named {len(inequality.axes)} ({', '.join(inequality.axes)}); "
            "name each axis of the broadcast shape once"
        )
    further = {"premise": premise, "saturated": np.asarray(inequality.saturated)}
    if inequality.careful is not None:
        further["careful"] = np.asarray(inequality.careful)
    if np.max(inequality.cut, initial=-np.inf) > -np.inf:
        further["cut"] = np.asarray(inequality.cut)
    found, given = NOTHING, sides | further
    for rows in blocks(shape):
        part = given if rows is ... else {name: rows_of(side, shape, rows) for name, side in given.items()}
        found = found.merge(_measured(inequality, part, shape, rows, sides, found))
    return replace(found, curve=inequality.curve) if inequality.curve else found


def _measured(
    inequality: Inequality,
    part: Mapping[str, Array],
    whole: tuple[int, ...],
    rows: Any,
    sides: Mapping[str, Array],
    before: Measurement,
) -> Measurement:
    """A part of an inequality, which are these rows of the whole; its worst comparison if it is worse than those before."""
    shape = whole if rows is ... else (len(range(*rows.indices(whole[0]))), *whole[1:])
    compared = Compared(part["premise"], shape, part["tolerance"])
    if not compared.count:
        return Measurement(excluded=prod(shape))
    value, bound, trivial, tolerance = (compared.part(part[name]) for name in sides)
    with np.errstate(all="ignore"):  # infinity compared with infinity is NaN and refused below
        difference = compared.only(value - bound if bound.size > 1 or bound.item() else value)
        highest, allowed = by_tolerance(difference, tolerance)
        largest = largest_of(highest - allowed)
        if isnan(largest):
            raise NotANumberError(_not_a_number(inequality, sides))
        cut = compared.part(part["cut"]) if "cut" in part else None
        powered = could_fail(value, bound, trivial, tolerance, cut)
        found: dict[str, Any] = {
            "margin": 0.0 - largest_of(highest),
            "excess": largest,
            "comparisons": compared.count,
            "powered": compared.counted(powered),
            "excluded": prod(shape) - compared.count,
            "ceiling": inequality.ceiling,
            "careless": _careless(part, difference - tolerance, compared) if "careful" in part else 0,
            "saturated": compared.counted(compared.part(part["saturated"])) if np.count_nonzero(part["saturated"]) else 0,
        }
        if inequality.identity and difference is value and _no_worse(highest, allowed, largest, before):
            return Measurement(**found)
        failing = np.asarray(difference - tolerance > 0) if largest > 0 else NONE
        ratio = _ratio(value, tolerance if inequality.identity else bound, failing)
        among = powered if 0 < found["powered"] < compared.count else None
        worst = compared.first(difference - tolerance) if largest > 0 else compared.first(ratio, among)
        if not inequality.identity:
            most = None if largest > 0 or among is not None else worst
            found["factor"] = factor_of((value, bound, tolerance), ratio, failing, compared, most)
    index = np.unravel_index(compared.place(worst), shape)
    at: dict[str, Any] = {name: float(entry(part[name], index)) for name in sides}
    at["ratio"] = float(entry(ratio, index if compared.shape == shape else (worst,)))
    if rows is not ...:
        index = (index[0] + rows.start, *index[1:])
    return Measurement(
        **at,
        **found,
        place={axis: _label(inequality, axis, i, index) for axis, i in zip(inequality.axes, index, strict=True)},
        violations=compared.counted(failing),
    )


def _no_worse(highest: Array, allowed: Array, largest: float, before: Measurement) -> bool:
    """Whether no difference is more of its tolerance than the worst so far, which has power: nothing more is needed then."""
    if largest > 0 or before.violations or not before.powered:
        return False
    positive = np.count_nonzero(allowed > 0)
    if positive == allowed.size:
        return largest_of(highest / allowed) <= before.ratio
    return before.ratio >= 0 and not positive


def _not_a_number(inequality: Inequality, given: Mapping[str, Array]) -> str:
    """Name of the first side that is not a number, and the place."""
    *broadcast, premise = np.broadcast_arrays(*given.values(), inequality.premise)
    sides = {name: side for name, side in zip(given, broadcast, strict=True) if name != "trivial"}
    with np.errstate(invalid="ignore"):
        excess = np.where(premise, sides["value"] - sides["bound"] - sides["tolerance"], -np.inf)
    index = np.unravel_index(int(np.argmax(np.isnan(excess))), excess.shape)
    place = ", ".join(f"{axis} {_label(inequality, axis, i, index)}" for axis, i in zip(inequality.axes, index, strict=True))
    found = [name for name, side in sides.items() if np.isnan(side[index])]
    what = f"its {' and its '.join(found)} {'are' if len(found) > 1 else 'is'} NaN" if found else "infinity minus infinity"
    return f"a property compared NaN: {what}{' at ' * bool(place)}{place}; a value of the plan or the transcript is not a number"


def _real(given: Array | float, name: str) -> Array:
    """Side in double precision: differences of small integer types wrap around, those of unsigned ones are never negative."""
    array = np.asarray(given)
    if array.dtype is DOUBLE:  # nearly all
        return array
    if array.dtype.kind not in "biuf":
        raise ContractError(f"a property returned a {name} of dtype {array.dtype}, expected real numbers")
    return array.astype(np.float64, copy=False)


def _careless(part: Mapping[str, Array], excess: Array, compared: Compared) -> int:
    value, bound, careful = (compared.part(part[name]) for name in ("value", "bound", "careful"))
    return compared.counted((value - bound - careful > 0) & (excess <= 0))


def _label(inequality: Inequality, axis: str, i: Any, index: tuple[Any, ...]) -> int:
    if axis not in inequality.labels:
        return int(i)
    labels = np.asarray(inequality.labels[axis])
    return int(labels[index[0], i] if labels.ndim == 2 else labels[i])


def _ratio(value: Array, scale: Array, failing: BoolArray) -> Array:
    """``value / scale`` with the conventions 0/0 = 0 and x/0 = inf only where the comparison fails."""
    positive = np.asarray(scale > 0)
    if np.count_nonzero(positive) == positive.size:
        return np.asarray(value / scale)  # infinity is the right ratio to a bound that is all but 0
    if not positive.any() and not failing.any():
        return np.minimum(value, 0.0)
    return np.where(positive, value / scale, np.where(failing, np.inf, np.minimum(value, 0.0)))
