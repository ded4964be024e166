"""Scaling with the size: data, fit with its band, claimed rate, the bound and the trivial bound, on log-log axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol

from verifier.record import AlgorithmEntry, RegimeEntry, Scaling
from verifier_reports.numbers import plural
from verifier_reports.plots.axes import calm, log_axis
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.scaling import Scaled, facts, place, verdict_line
from verifier_reports.screen import clean, clip
from verifier_reports.summary import short_name, where

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = list[tuple[float, float]]

_WIDTH, _HEIGHT, _LEGEND_LINE = 360, 290, 19
_FAR = 1e3
"""A curve that stays this many times above everything else is not drawn to scale, or the data would be a flat line."""

_MOST_TICKS = 6


class Sized(Protocol):
    """What can be drawn as a point."""

    @property
    def size(self) -> float:
        """Where along the horizontal axis."""
        ...

    @property
    def value(self) -> float:
        """Where along the vertical axis."""
        ...


def plot(algorithm: AlgorithmEntry, one: Scaled) -> Plot:
    """The figure of one entry whose scaling was measured."""
    claim, entry, found = one
    drawn, beyond = _curves(found)
    lines = _legend_lines(found, drawn)
    title = clean(f"{short_name(claim)}: {found.quantity} against {found.size}, {where(entry)}")
    return Plot(
        name=file_name(algorithm.name, "scaling", short_name(claim), entry.regime, entry.instance),
        kind="scaling",
        claim=claim.id,
        title=title,
        caption=(*captions(entry, found), *beyond),
        alt=f"Log-log plot: {title}. {verdict_line(entry, found)}",
        width=_WIDTH,
        height=_HEIGHT + _LEGEND_LINE * lines,
        draw=lambda target: _draw(target, found, drawn, lines),
    )


def captions(entry: RegimeEntry, found: Scaling) -> tuple[str, ...]:
    """Everything below a figure, most important first: the verdict, and the facts of the screen as sentences."""
    told = [verdict_line(entry, found), entry.reason]
    told += [f"{label}: {text}" for label, text in facts(entry, found, False) if label != "verdict"]
    told += [f"from {place(entry, found)}", _undrawn(found)]
    return tuple(_sentence(clean(text)) for text in told if text.strip())


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _undrawn(found: Scaling) -> str:
    missing = len(found.points) - len(positive(found.points))
    return f"{plural(missing, 'value')} at or below zero or not finite cannot be drawn" if missing else ""


def positive(points: Iterable[Sized]) -> Points:
    """The points a logarithmic axis has a place for, by size."""
    pairs = ((point.size, point.value) for point in points)
    return sorted((x, y) for x, y in pairs if 0 < x < math.inf and 0 < y < math.inf)


def _curves(found: Scaling) -> tuple[dict[str, Points], tuple[str, ...]]:
    """The bound and the trivial bound, where they fit on the axes; a sentence about each that does not."""
    data = positive(found.points) + positive(found.held_out) + positive(found.overlay)
    top = max((y for _, y in data), default=math.inf)
    drawn, beyond = {}, []
    both = (("bound", "The explicit bound", found.bound), ("trivial", "The trivial bound", found.trivial))
    for name, words, points in both:
        curve = positive(points)
        if not curve:
            continue
        if min(y for _, y in curve) > _FAR * top:
            size, value = curve[-1]
            beyond.append(f"{words} is off the scale: {value:.2g} at {clean(found.size)} = {size:g}, "
                          f"{value / top:.2g} times the largest value seen.")  # fmt: skip
        else:
            drawn[name] = curve
    return drawn, tuple(beyond)


def claimed_curve(found: Scaling) -> Points:
    """The claimed rate through the fitted curve at its smallest fitted size (or the median of the data there)."""
    anchor = _anchor(found)
    claimed = found.claimed
    if anchor is None:
        return []
    x0, y0 = anchor
    if told := positive(claimed.curve):
        start = _between(told, x0)
        return [(x0, y0), *((x, y0 * y / start) for x, y in told if x > x0)] if start else []
    last = max((x for x, _ in positive(found.points) + positive(found.held_out)), default=x0)
    sizes = [x0 * (last / x0) ** (step / 40) for step in range(41)]
    exponent, power = claimed.exponent, claimed.log_power

    def rate(x: float) -> float:
        return x**exponent * (math.log(x) ** power if power else 1.0)

    if (power and x0 <= 1) or not rate(x0) > 0:
        return []
    return [(x, y0 * rate(x) / rate(x0)) for x in sizes]


def _between(curve: Points, x: float) -> float:
    """The value of a curve at a size, straight on logarithmic axes between its points; 0 outside."""
    for (left, low), (right, high) in itertools.pairwise(curve):
        if left <= x <= right:
            share = math.log(x / left) / math.log(right / left)
            return float(low ** (1 - share) * high**share)
    return 0.0


def _anchor(found: Scaling) -> tuple[float, float] | None:
    first = found.burn_in if found.burn_in is not None else 0.0
    fitted = [pair for pair in positive(found.fit) if pair[0] >= first]
    if fitted:
        return fitted[0]
    data = [pair for pair in positive(found.points) if pair[0] >= first]
    return (data[0][0], median(y for x, y in data if x == data[0][0])) if data else None


def _legend_lines(found: Scaling, drawn: Mapping[str, Points]) -> int:
    shown = bool(found.points) + bool(found.fit) + 1 + len(drawn) + bool(found.held_out)
    shown += len({point.label for point in found.overlay}) + (found.burn_in is not None)
    return math.ceil(shown / 2)


def _draw(target: Figure, found: Scaling, drawn: Mapping[str, Points], lines: int) -> None:
    width, height = target.get_size_inches() * target.dpi
    bottom = 54 + _LEGEND_LINE * lines
    axes = target.add_axes((56 / width, bottom / height, (width - 56 - 24) / width, (height - bottom - 12) / height))
    axes.set_xscale("log")
    axes.set_yscale("log")
    calm(axes)
    _data(axes, found)
    _fit(axes, found)
    _rates(axes, found, drawn)
    _held_out(axes, found)
    _overlay(axes, found)
    _scales(axes, found)
    target.legend(
        *axes.get_legend_handles_labels(),
        loc="lower left",
        bbox_to_anchor=(0.0, 0.0),
        ncol=2,
        frameon=False,
        fontsize=10,
        handlelength=1.9,
        handletextpad=0.5,
        columnspacing=0.9,
        labelspacing=0.45,
        borderaxespad=0.2,
    )


def _data(axes: Axes, found: Scaling) -> None:
    first = found.burn_in if found.burn_in is not None else 0.0
    data = positive(found.points)
    used, early = [pair for pair in data if pair[0] >= first], [pair for pair in data if pair[0] < first]
    dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4.5, "markeredgewidth": 1.0}
    color = COLORS["data"]
    if used:
        axes.plot(*_columns(used), label="data, one dot per seed", color=color, markerfacecolor=color, zorder=4, **dots)
    if early:
        axes.plot(*_columns(early), label="burn-in, not fitted", color=COLORS["soft"], markerfacecolor="none", zorder=4, **dots)


def _columns(pairs: Points) -> tuple[list[float], list[float]]:
    return [x for x, _ in pairs], [y for _, y in pairs]


def _fit(axes: Axes, found: Scaling) -> None:
    curve = positive(found.fit)
    if not curve:
        return
    band = [(p.size, p.low, p.high) for p in found.fit]
    band = sorted((x, low, high) for x, low, high in band if 0 < x < math.inf and 0 < low <= high < math.inf)
    if band:
        xs, lows, highs = zip(*band, strict=True)
        axes.fill_between(xs, lows, highs, color=COLORS["data"], alpha=0.16, linewidth=0, zorder=2)
    model = next((model for model in found.models if model.chosen), None)
    label = f"fit {clip(clean(model.formula), 20)}" if model else "fit"
    label += ", band" if len(label) < 20 else ""
    axes.plot(*_columns(curve), color=COLORS["data"], linewidth=2.0, label=label, zorder=3)


def _rates(axes: Axes, found: Scaling, drawn: Mapping[str, Points]) -> None:
    curve = claimed_curve(found)
    if curve:
        label = f"claimed {clip(clean(found.claimed.label), 17)}"
        axes.plot(*_columns(curve), color=COLORS["claim"], linewidth=2.0, linestyle=(0, (5, 2.5)), label=label, zorder=3)
    styles = {"bound": ("bound", "-.", "explicit bound"), "trivial": ("soft", ":", "the trivial bound")}
    for name, points in drawn.items():
        color, style, label = styles[name]
        axes.plot(*_columns(points), color=COLORS[color], linewidth=1.8, linestyle=style, label=label, zorder=2)


def _held_out(axes: Axes, found: Scaling) -> None:
    shown = [p for p in found.held_out if 0 < p.predicted < math.inf]
    if not shown:
        return
    xs, middle = [p.size for p in shown], [p.predicted for p in shown]
    low = [max(y - max(p.low, y * 1e-3), 0.0) for p, y in zip(shown, middle, strict=True)]
    high = [max(p.high - y, 0.0) for p, y in zip(shown, middle, strict=True)]
    axes.errorbar(xs, middle, yerr=[low, high], fmt="none", ecolor=COLORS["ink"], elinewidth=1.4, capsize=4, zorder=4)
    axes.plot(*_columns(positive(shown)), linestyle="none", marker="D", markersize=6, markerfacecolor=COLORS["paper"],
              markeredgecolor=COLORS["ink"], markeredgewidth=1.4, label="held out, forecast", zorder=5)  # fmt: skip


def _overlay(axes: Axes, found: Scaling) -> None:
    for number, label in enumerate(dict.fromkeys(point.label for point in found.overlay)):
        points = positive(point for point in found.overlay if point.label == label)
        axes.plot(*_columns(points), linestyle="none", marker="*^vP"[number % 4], markersize=12, label=clip(clean(label), 24),
                  markerfacecolor=COLORS["inconclusive"],
                  markeredgecolor=COLORS["ink"], markeredgewidth=0.9, zorder=6)  # fmt: skip


def _scales(axes: Axes, found: Scaling) -> None:
    sizes = sorted({x for x, _ in positive(found.points) + positive(found.held_out) + positive(found.overlay)})
    low, high = axes.get_ylim()
    log_axis(axes.yaxis, low, high)
    axes.set_ylim(low, high)
    if sizes:
        spread = (sizes[-1] / sizes[0]) ** 0.06 if sizes[-1] > sizes[0] else 2.0
        low, high = sizes[0] / spread, sizes[-1] * spread
        log_axis(axes.xaxis, low, high, sizes if _apart(sizes) else None)
        axes.set_xlim(low, high)
    axes.set_xlabel(_with_unit(found.size, found.size_unit))
    axes.set_ylabel(_with_unit(found.quantity, found.quantity_unit))


def _apart(sizes: list[float]) -> bool:
    """The sizes that were run are few and far enough apart to stand below the axis themselves."""
    whole = math.log(sizes[-1] / sizes[0]) if len(sizes) > 1 else 1.0
    return len(sizes) <= _MOST_TICKS and all(math.log(b / a) > whole / 9 for a, b in itertools.pairwise(sizes))


def _with_unit(name: str, unit: str) -> str:
    return f"{clip(clean(name), 40)} ({clip(clean(unit), 20)})" if unit else clip(clean(name), 50)
