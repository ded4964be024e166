"""Logarithmic axes with few ticks and labels that any font has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from verifier_reports.plots.drawing import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_TICKS = 6


def power_of_ten(exponent: int) -> str:
    """Power of ten as text: ``0.01``, ``1``, ``1000``, ``10⁻⁶``."""
    if -3 < exponent < 4:
        return str(10**exponent) if exponent >= 0 else f"{10.0**exponent:.{-exponent}f}"
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def plain(value: float) -> str:
    """Number as text: ``200``, ``6400``, ``0.5``, ``2·10⁵``."""
    exponent = math.floor(math.log10(value) + 1e-9)
    if -4 < exponent < 5:
        return f"{value:.6g}"
    return f"{value / 10.0**exponent:.3g}·" + power_of_ten(exponent) if value != 10.0**exponent else power_of_ten(exponent)


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Ticks of an axis from `low` to `high`, with their labels.

    Powers of ten, thinned to at most six; with 2 and 5 between them where there are fewer than three; multiples of a round
    number in a range so short that this leaves less than two.
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    count = last - first + 1
    if count >= 3:
        step = math.ceil(count / _MOST_TICKS)
        return [(10.0**k, power_of_ten(k)) for k in range(first, last + 1) if k % step == 0]
    found = _between(low, high, (1, 2, 5))
    if len(found) > _MOST_TICKS:
        found = _between(low, high, (1, 2))
    if len(found) < 2:
        decade = 10.0 ** math.floor(math.log10((high - low) / 2))
        apart = decade * max(m for m in (1, 2, 5) if m == 1 or m * decade <= (high - low) / 2)
        found = [k * apart for k in range(math.ceil(low / apart), math.floor(high / apart) + 1)]
    return [(value, plain(value)) for value in found]


def _between(low: float, high: float, digits: tuple[int, ...]) -> list[float]:
    """The numbers with one of these leading digits and nothing after it that lie in a range."""
    first, last = math.floor(math.log10(low)) - 1, math.floor(math.log10(high)) + 1
    every = [m * 10.0**k for k in range(first, last + 1) for m in digits]
    return [value for value in every if low <= value * (1 + 1e-9) and value <= high * (1 + 1e-9)]


def log_axis(axis: Any, low: float, high: float, at: Iterable[float] | None = None) -> None:
    """Put ticks on a logarithmic axis: those of `ticks`, or at these values."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    found = ticks(low, high) if at is None else [(value, plain(value)) for value in at]
    axis.set_major_locator(FixedLocator([value for value, _ in found]))
    axis.set_major_formatter(FixedFormatter([label for _, label in found]))
    axis.set_minor_locator(NullLocator())


def calm(axes: Axes) -> None:
    """Remove the frame but for the two axes, and put a light grid behind everything."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3, width=1.0, pad=4)
    axes.grid(True, color=COLORS["grid"], linewidth=1.0)
    axes.set_axisbelow(True)
