"""Scaling with the size: data, fit with its band, claimed rate, a wrong algorithm, the bounds, all on the same log-log axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from verifier.record import AlgorithmEntry, RegimeEntry, Scaling
from verifier_reports.numbers import plural
from verifier_reports.plots.axes import calm, log_axis, ticks
from verifier_reports.plots.curves import Points, bounds, by_burn_in, claimed_curve, positive, top, wrong
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.scaling import Scaled, facts, place, verdict_line
from verifier_reports.screen import clean, clip
from verifier_reports.summary import short_name, where

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT, _LEGEND_LINE = 360, 290, 17
_STRIP, _BREAK = 64, 12
"""Pixels of what is above the break, and of the break."""

_MOST_TICKS = 6


def plot(algorithm: AlgorithmEntry, one: Scaled) -> Plot:
    """The figure of one entry whose scaling was measured."""
    claim, entry, found = one
    near, far = bounds(found)
    lines = math.ceil(_legend_entries(found, len(near) + len(far)) / 2)
    title = clean(f"{short_name(claim)}: {found.quantity} against {found.size}, {where(entry)}")
    return Plot(
        name=file_name(algorithm.name, "scaling", short_name(claim), entry.regime, entry.instance),
        kind="scaling",
        claim=claim.id,
        title=title,
        caption=(*captions(entry, found), *_beyond(found, far)),
        alt=f"Log-log plot: {title}. {verdict_line(entry, found)}",
        width=_WIDTH,
        height=_HEIGHT + _LEGEND_LINE * lines + (_STRIP if far else 0),
        draw=lambda target: _draw(target, found, near, far, lines),
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


def _beyond(found: Scaling, far: Mapping[str, Points]) -> Iterable[str]:
    """Sentences on curves above the break: how far above the rest they are."""
    words = {"bound": "The explicit bound", "trivial": "The trivial bound"}
    for name, curve in far.items():
        size, value = curve[-1]
        yield (f"{words[name]} is drawn above the break: {value:.2g} at {clean(found.size)} = {size:g}, "
               f"{value / top(found):.2g} times the largest value seen.")  # fmt: skip


def _legend_entries(found: Scaling, curves: int) -> int:
    used, early = by_burn_in(found)
    drawn = (used, early, found.fit, claimed_curve(found), found.held_out, wrong(found))
    return sum(map(bool, drawn)) + curves + len({point.label for point in found.overlay})


def _draw(target: Figure, found: Scaling, near: Mapping[str, Points], far: Mapping[str, Points], lines: int) -> None:
    width, height = target.get_size_inches() * target.dpi
    bottom, strip = 48 + _LEGEND_LINE * lines, _STRIP if far else 0
    across = (56 / width, (width - 56 - 24) / width)
    axes = target.add_axes((across[0], bottom / height, across[1], (height - bottom - 12 - strip) / height))
    axes.set_xscale("log")
    axes.set_yscale("log")
    calm(axes)
    _data(axes, found)
    _fit(axes, found)
    _rates(axes, found, near)
    _held_out(axes, found)
    _overlay(axes, found)
    _scales(axes, found)
    handles, labels = axes.get_legend_handles_labels()
    if far:
        upper = target.add_axes((across[0], (height - strip - 12 + _BREAK) / height, across[1], (strip - _BREAK) / height))
        _above(upper, axes, far)
        more = upper.get_legend_handles_labels()
        handles, labels = handles + more[0], labels + more[1]
    target.legend(
        handles,
        labels,
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


def _above(upper: Axes, axes: Axes, far: Mapping[str, Points]) -> None:
    """Curves above the break: the same sizes, another range of values, and two strokes where the axis is broken."""
    upper.set_xscale("log")
    upper.set_yscale("log")
    calm(upper)
    _plot_bounds(upper, far)
    values = [y for curve in far.values() for _, y in curve]
    low, high = min(values) / 2, max(values) * 2
    inside = [value for value, _ in ticks(low, high)]
    log_axis(upper.yaxis, low, high, [inside[len(inside) // 2]])
    upper.set_ylim(low, high)
    log_axis(upper.xaxis, *axes.get_xlim(), list(axes.get_xticks()))
    upper.set_xlim(axes.get_xlim())
    upper.tick_params(axis="x", length=0, labelbottom=False)
    upper.spines.bottom.set_visible(False)
    slash: dict[str, Any] = {"marker": [(-1, -0.5), (1, 0.5)], "markersize": 8, "linestyle": "none", "clip_on": False}
    slash |= {"color": COLORS["soft"], "markeredgecolor": COLORS["soft"]}
    axes.plot([0], [1], transform=axes.transAxes, **slash)
    upper.plot([0], [0], transform=upper.transAxes, **slash)


def _data(axes: Axes, found: Scaling) -> None:
    used, early = by_burn_in(found)
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
    """Draw the curves to compare the data with: the claimed rate, the wrong algorithm, the bounds near them."""
    curve = claimed_curve(found)
    if curve:
        label = f"claimed {clip(clean(found.claimed.label), 17)}"
        axes.plot(*_columns(curve), color=COLORS["claim"], linewidth=2.0, linestyle=(0, (5, 2.5)), label=label, zorder=3)
    other = wrong(found)
    if other and found.power:
        axes.plot(*_columns(other), color=COLORS["violated"], linewidth=1.3, marker="x", markersize=5.5, markeredgewidth=1.6,
                  label=f"wrong: {clip(clean(found.power.alternative), 17)}", zorder=3)  # fmt: skip
    _plot_bounds(axes, drawn)


def _plot_bounds(axes: Axes, curves: Mapping[str, Points]) -> None:
    styles = {"bound": ("bound", "-.", "explicit bound"), "trivial": ("soft", ":", "the trivial bound")}
    for name, points in curves.items():
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
