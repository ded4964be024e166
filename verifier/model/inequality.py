"""The inequality that a property returns: its two sides, which comparisons count, and how much rounding is allowed.

The property never decides anything: that is done once for all properties, in `verifier.model.measurement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.blocks import distance_and_size

WHOLE = 0.5
"""The tolerance of comparisons of whole numbers, which nothing rounds."""

UNBOUNDED = np.inf
"""The trivial bound where the left side is what an implementation reports, or an instance is made of: that can be anything."""

Explanations: TypeAlias = Mapping[str, Callable[[], Array]]
"""Statements that may explain a difference. Each function gives the right side as it would be then, or, as an array of truth
values, where the statement is true; it is called only where a comparison fails."""


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a formula in which the mistake may be: it is tried without it, with multiples, powers and others of its entries.

    Parameters
    ----------
    value : callable
        Gives the part as it should be; with the axes of the comparison that it has, from the first on.
    formula : callable
        Maps the part to the formula, which broadcasts against the two sides.
    """

    value: Callable[[], Array]
    formula: Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Inequality:
    """The statement ``value <= bound + tolerance``, elementwise over arrays that broadcast.

    A comparison has power if neither side alone decides it, within the range that the other side can reach. Values of an
    implementation are cut off: at H from above, at 0 from below. Optimism, V* <= V, is decided where V is at its cap, since no V*
    is above H: `trivial` takes its power. Pessimism, V_low <= V*, is decided where V_low is at 0, since no V* is below:
    `cut` takes its power. A term that both sides have in common, as V^pi in V* - V^pi <= V - V^pi, is in `trivial`, too: the
    comparison is then as strong as the one without it. A violation counts whether the comparison has power or not.

    Parameters
    ----------
    value, bound : array
        Left and right side.
    axes : tuple of str
        One name per axis of the broadcast shape, e.g. ``("phase", "h", "s", "a", "w")``.
    trivial : array or float
        The most the left side can be for any implementation. A comparison whose bound is at least the trivial one could not have
        failed: it has no power. There is no default: whoever states an inequality states what any implementation attains, and
        `UNBOUNDED` where that is anything.
    cut : array or float
        Where the implementation cuts its left side off from below, at the least that the right side can be: lower values are cut
        at 0, and V* is never less. A comparison at the cut holds whatever the truth is, and has no power.
    moments : tuple of float
        Of an e-value under the wrong law that its claim names, see `verifier.statistics.chernoff`; none of anything else.
    curve : tuple of float
        Of a quantity that a figure shows along the run: its mean in each of so many parts of the run; none of anything else.
    tolerance : array or float
        Rounding allowed, in the unit of ``value``; every property derives its own, for double precision. `WHOLE` where the sides
        are whole numbers.
    labels : mapping
        For an axis, the labels of its indices (round numbers, steps counted from 1), one row per index of the first axis
        where they depend on that; plain indices elsewhere.
    premise : bool array, optional
        Comparisons to which the statement applies; the others are counted as excluded.
    identity : bool
        True when the value is a difference that has to be zero: the ratio is then taken to the tolerance.
    careful : array or float, optional
        The smaller tolerance of an implementation that loses no digits. A difference between the two is no violation; the report
        says that there are some.
    saturated : bool array
        Comparisons about a value function that is the same in all states, as where it is at its cap: nothing random is estimated
        there. They count like the others; reports say so where they are most.
    ceiling : float, optional
        Read only for claims in expectation: the most the bound can be, known before the run. Without one the bound itself has
        to be known before the run.
    sides : tuple of two arrays, optional
        What the implementation has, and the formula, with their signs, where the value is the size of their difference.
    explanations : mapping
        What may be the mistake, of this property alone: ``{"without the bonus": lambda: mean}``. Factors, constants, other steps
        and plans are tried on every difference of two sides.
    parts : mapping
        The parts of the formula by name, for the same of these: ``{"the bonus": Part(...)}``.
    repaired : callable, optional
        Of a right side that is recomputed from the transcript: gives it made of what the plan reports of the lines before. It is
        called where a comparison fails. What fails then, too, is no consequence of mistakes in these lines.
    stated : tuple of Statement and Scope, optional
        The formula that it is made of, with its quantities, where it is one (`verifier.model.statement`).

    Examples
    --------
    >>> import numpy as np
    >>> from verifier import Inequality
    >>> from verifier.model.measurement import measure
    >>> found = measure(Inequality(np.array([0.5, 1.5, 0.2]), 1.0, axes=("plan",), trivial=2.0))
    >>> found.comparisons, found.powered, found.violations, found.place
    (3, 3, 1, {'plan': 1})
    """

    value: Array | float
    bound: Array | float
    axes: tuple[str, ...] = ()
    trivial: Array | float = field(kw_only=True)
    tolerance: Array | float = 0.0
    labels: Mapping[str, Any] = field(default_factory=dict)
    premise: BoolArray | bool = True
    identity: bool = False
    ceiling: float | None = None
    careful: Array | float | None = None
    saturated: BoolArray | bool = False
    sides: tuple[Array, Array] | None = None
    explanations: Explanations = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    repaired: Callable[[], Array] | None = None
    cut: Array | float = -np.inf
    moments: tuple[float, ...] = ()
    curve: tuple[float, ...] = ()
    stated: Any = None


def could_fail(value: Array, bound: Array, trivial: Array, tolerance: Array, cut: Array | None = None) -> BoolArray:
    """Mask of the comparisons with power: neither does every implementation attain the bound, nor has a cut decided."""
    powered = np.asarray(bound + tolerance < trivial)
    return powered if cut is None else powered & (value > cut + tolerance)


def equality(
    left: Array,
    right: Array,
    *,
    axes: tuple[str, ...],
    tolerance: Array | float,
    labels: Mapping[str, Any] | None = None,
    premise: BoolArray | bool = True,
    careful: Array | float | None = None,
    explanations: Explanations | None = None,
    parts: Mapping[str, Part] | None = None,
    repaired: Callable[[], Array] | None = None,
) -> Inequality:
    """The statement ``left == right`` up to rounding; `left` is what the implementation has, `right` the formula.

    The trivial bound is the size of the two sides: where both vanish, the comparison has no power.
    """
    left, right = np.broadcast_arrays(np.asarray(left, dtype=float), np.asarray(right, dtype=float))
    value, trivial = distance_and_size(left, right)
    return Inequality(
        value=value,
        bound=0.0,
        axes=axes,
        trivial=trivial,
        tolerance=tolerance,
        labels=labels or {},
        premise=premise,
        identity=True,
        careful=careful,
        sides=(left, right),
        explanations=explanations or {},
        parts=parts or {},
        repaired=repaired,
    )
