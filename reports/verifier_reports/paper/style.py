"""Look of figures for a paper: type of 8 points in the shapes of Times, and curves that differ in more than their colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from verifier_reports.plots.axes import ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTERS, SMALL = 8.0, 7.0
"""Points: all text, and names of rows and columns where there are many."""

DPI = 300
"""Pixels of a PNG for each inch."""

BLUE, VERMILLION, GREEN, ORANGE = "#0072b2", "#d55e00", "#009e73", "#e69f00"
"""Colours of Okabe and Ito, which people who do not see all colours can tell apart."""

BLACK, GREY, LIGHT = "#000000", "#6f6f6f", "#dddddd"

SHADES = ("#08306b", "#4292c6", "#c6dbef")
"""Blues from dark to light, which differ in print without colours, too."""

HATCH_BAND = 0.18
"""Opacity of a band around a curve."""

_MOST_DECADES = 6


def settings(name: str) -> dict[str, Any]:
    """Settings of matplotlib for a figure; its name makes the ids of an SVG its own, and the same each time."""
    from cycler import cycler

    return {
        "axes.axisbelow": True,
        "axes.edgecolor": BLACK,
        "axes.facecolor": "white",
        "axes.formatter.use_mathtext": True,
        "axes.labelcolor": BLACK,
        "axes.labelsize": LETTERS,
        "axes.linewidth": 0.6,
        "axes.prop_cycle": cycler(color=[BLACK]),
        "axes.unicode_minus": True,
        "figure.constrained_layout.h_pad": 0.02,
        "figure.constrained_layout.w_pad": 0.02,
        "figure.facecolor": "white",
        "font.family": ["STIXGeneral", "DejaVu Serif"],
        "font.size": LETTERS,
        "hatch.linewidth": 0.5,
        "legend.fontsize": LETTERS,
        "lines.linewidth": 1.2,
        "lines.markersize": 4.0,
        "mathtext.fontset": "stix",
        "path.simplify": True,
        "pdf.compression": 6,
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        "savefig.bbox": None,
        "savefig.dpi": DPI,
        "svg.fonttype": "path",
        "svg.hashsalt": name,
        "text.color": BLACK,
        "text.parse_math": True,
        "text.usetex": False,
        "xtick.color": BLACK,
        "xtick.labelsize": LETTERS,
        "xtick.major.size": 2.5,
        "xtick.major.width": 0.6,
        "xtick.minor.size": 1.5,
        "xtick.minor.width": 0.4,
        "ytick.color": BLACK,
        "ytick.labelsize": LETTERS,
        "ytick.major.size": 2.5,
        "ytick.major.width": 0.6,
        "ytick.minor.size": 1.5,
        "ytick.minor.width": 0.4,
    }


def log_axis(axis: Any, low: float, high: float, labelled: Sequence[float] = (), marked: Sequence[float] = ()) -> None:
    """Put ticks on a logarithmic axis: where it is told, else at powers of ten with small ticks between them.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
    low, high : float
        Ends of the axis, above zero.
    labelled, marked : sequence of float
        Values with a label, and with a small tick at the least.
    """
    from matplotlib.ticker import FixedFormatter, FixedLocator

    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    at, minor = list(labelled), [value for value in marked if value not in labelled]
    if not at and last > first:
        step = math.ceil((last - first + 1) / _MOST_DECADES)
        at = [10.0**k for k in range(first, last + 1) if k % step == 0]
        between = range(2, 10) if last - first < _MOST_DECADES else ()
        minor = [m * 10.0**k for k in range(first - 1, last + 1) for m in between]
        minor += [10.0**k for k in range(first, last + 1) if k % step]
    elif not at:
        at = [value for value, _ in ticks(low, high)]
    axis.set_major_locator(FixedLocator(at))
    powers = all(math.log10(value) % 1 == 0 for value in at) and any("$" in number(value) for value in at)
    axis.set_major_formatter(FixedFormatter([_power(value) if powers else number(value) for value in at]))
    axis.set_minor_locator(FixedLocator([value for value in minor if low <= value <= high]))
    axis.set_minor_formatter(FixedFormatter([]))


def number(value: float) -> str:
    """Number on an axis, as mathtext where it has a power of ten: ``200``, ``0.5``, ``$10^{5}$``, ``$2\\times10^{5}$``."""
    exponent = math.floor(math.log10(value) + 1e-9)
    if -3 < exponent < 4 or (exponent == 4 and value % 1000 == 0):
        return f"{value:.6g}"
    mantissa = value / 10.0**exponent
    power = f"10^{{{exponent}}}"
    return f"${power}$" if abs(mantissa - 1) < 1e-9 else f"${mantissa:.3g}\\times{power}$"


def _power(value: float) -> str:
    """A power of ten as one; 1 stays 1."""
    return "1" if value == 1 else f"$10^{{{round(math.log10(value))}}}$"


def plain_frame(axes: Axes) -> None:
    """Remove the frame but for the two axes."""
    axes.spines[["top", "right"]].set_visible(False)
