"""How much room the bounds leave: value over bound, claim by claim, one panel for each regime."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.record import AlgorithmEntry
from verifier_reports.numbers import numeral as shown
from verifier_reports.numbers import plural
from verifier_reports.plots.axes import calm, log_axis
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.plots.room import Dot, Row, rows
from verifier_reports.screen import clean, clip
from verifier_reports.summary import mark, regimes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_CLAIMS = 40
_FLOOR, _CEILING = 1e-6, 1e3
_NAME = 27
_TITLE, _AXIS, _LEGEND, _XLABEL = 40, 26, 30, 24
"""Pixels: the name of a regime above its panel, the numbers below it, the legend and the label of the axis below all."""
_TICK = 46
"""Pixels that a number below a panel needs."""


@dataclass(frozen=True)
class Layout:
    """Sizes in pixels: rows, margins, the gap between panels; how many panels stand side by side.

    Where a margin has no room for names they stand above their tracks.
    """

    width: float
    row: float
    left: float
    right: float
    gap: float
    abreast: int

    @property
    def above(self) -> bool:
        """Names stand above their tracks."""
        return self.left < 100


_WIDE = Layout(width=930, row=25, left=218, right=188, gap=18, abreast=4)
_NARROW = Layout(width=370, row=38, left=14, right=14, gap=18, abreast=1)


def plot(algorithm: AlgorithmEntry) -> Plot | None:
    """The picture of an algorithm, with one for narrow screens; None when no claim has a ratio."""
    found = rows(algorithm)
    if not found:
        return None
    kept = found[:MOST_CLAIMS]
    names = [name for name in regimes(algorithm) if any(dot.regime == name for row in kept for dot in row.dots)]
    caption, alt = _caption(algorithm, found, kept), _alt(algorithm, kept)
    title = f"How close {clean(algorithm.name)} comes to its bounds"
    shared: dict[str, Any] = {"kind": "looseness", "claim": "", "title": title, "caption": caption, "alt": alt}
    narrow = _sized(file_name(algorithm.name, "looseness-narrow"), _blocks(kept, names, _NARROW), _NARROW, shared)
    return replace(
        _sized(file_name(algorithm.name, "looseness"), _blocks(kept, names, _WIDE), _WIDE, shared),
        narrow=narrow,
    )


@dataclass(frozen=True)
class Block:
    """The panels that stand side by side, and the claims that have a mark in one of them."""

    regimes: tuple[str, ...]
    rows: tuple[Row, ...]

    def height(self, size: Layout) -> float:
        """Pixels, with names above and numbers below."""
        return _TITLE + size.row * len(self.rows) + _AXIS


def _blocks(kept: list[Row], names: list[str], size: Layout) -> list[Block]:
    found = []
    for first in range(0, len(names), size.abreast):
        own = tuple(names[first : first + size.abreast])
        found.append(Block(own, tuple(row for row in kept if any(dot.regime in own for dot in row.dots))))
    return found


def _sized(name: str, blocks: list[Block], size: Layout, words: dict[str, Any]) -> Plot:
    height = sum(block.height(size) for block in blocks) + _XLABEL + _LEGEND
    return Plot(name=name, width=size.width, height=height, draw=lambda target: _draw(target, blocks, size), **words)


def _caption(algorithm: AlgorithmEntry, found: list[Row], kept: list[Row]) -> tuple[str, ...]:
    words = [
        "One panel for each regime. A mark is the worst comparison of a claim there: the value that occurred over its bound.",
        "At 1 the bound is attained, beyond 1 broken. Hollow marks are vacuous: nothing could have exceeded the bound there.",
    ]
    without = sum(claim.kind not in ("assumption", "scaling", "law") for claim in algorithm.claims) - len(found)
    words += (
        [f"{plural(without, 'claim has', 'claims have')} no ratio (identities, bounds at or below zero)."] if without > 0 else []
    )
    words += (
        ["Arrows point to ratios off the scale."]
        if any(_outside(dot, *_limits(kept)) for row in kept for dot in row.dots)
        else []
    )
    words += [f"The {len(kept)} tightest of {len(found)} claims are shown; the table has all."] if len(kept) < len(found) else []
    return tuple(words)


def _alt(algorithm: AlgorithmEntry, kept: list[Row]) -> str:
    each = [f"{row.name} {shown(row.largest, 2)} ({row.verdict})" for row in kept]
    return (
        f"Dot plot of value over bound for {plural(len(kept), 'claim')} of {clean(algorithm.name)}, tightest first: "
        + "; ".join(each)
    )


def _draw(target: Figure, blocks: list[Block], size: Layout) -> None:
    width, height = target.get_size_inches() * target.dpi
    low, high = _limits([row for block in blocks for row in block.rows])
    top = height
    for block in blocks:
        across = (size.width - size.left - size.right - size.gap * (len(block.regimes) - 1)) / len(block.regimes)
        top -= block.height(size)
        for number, regime in enumerate(block.regimes):
            left = size.left + number * (across + size.gap)
            axes = target.add_axes((left / width, (top + _AXIS) / height, across / width, size.row * len(block.rows) / height))
            _panel(axes, block, regime, (low, high, across), size)
            if number == 0 or size.above:
                _beside(axes, block, regime, size, -215)
            if number == len(block.regimes) - 1 and not size.above:
                _notes(axes, block)
    middle = (size.left + size.width - size.right) / 2
    label = "value / bound (no unit; logarithmic). Left of the line: room left; right of it: broken"
    words = "value / bound; right of the line: broken" if size.above else label
    target.text(middle / width, (_LEGEND + 6) / height, words, ha="center", va="bottom", fontsize=11)
    _legend(target)


def _panel(axes: Axes, block: Block, regime: str, scale: tuple[float, float, float], size: Layout) -> None:
    """The marks of one regime, on the tracks of all claims of the block."""
    low, high, across = scale
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(len(block.rows) - 0.5, -0.5)
    log_axis(axes.xaxis, low, high, _decades(low, high, across))
    calm(axes)
    axes.set_yticks([])
    axes.spines.left.set_visible(False)
    axes.axvspan(1, high, color=COLORS["zone"], linewidth=0, zorder=0)
    axes.axvline(1, color=COLORS["violated"], linewidth=1.4, zorder=1)
    tracks = [number + (0.22 if size.above else 0.0) for number in range(len(block.rows))]
    axes.hlines(tracks, low, high, color=COLORS["grid"], linewidth=1, zorder=1)
    found = [(track, dot) for track, row in zip(tracks, block.rows, strict=True) for dot in row.dots if dot.regime == regime]
    _dots(axes, found)
    parts = [clip(part, max(int(across / 5.6), 8)) for part in (clean(regime) or "no regime").replace("[", "\n[").split("\n")]
    axes.annotate("\n".join(parts), (0, 1), (0, 7), xycoords="axes fraction", textcoords="offset points", ha="left",
                  va="bottom", fontsize=10.5)  # fmt: skip


def _decades(low: float, high: float, across: float) -> list[float]:
    """Powers of ten for the numbers below a panel: 1, and others as far as there is room."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    step = math.ceil((last - first + 1) / max(int(across / _TICK), 2))
    return [10.0**k for k in range(first, last + 1) if k % step == 0]


def _limits(kept: list[Row]) -> tuple[float, float]:
    ratios = [min(max(dot.ratio, _FLOOR), _CEILING) for row in kept for dot in row.dots if dot.ratio > 1e-12] or [1.0]
    low = 10.0 ** min(math.floor(math.log10(min(ratios))), -1)
    return low / 1.6, max(max(ratios) * 1.6, 12.0)


def _beside(axes: Axes, block: Block, regime: str, size: Layout, offset: float) -> None:
    """The names of the claims: on the left of their tracks, or above them with what is to be said of them."""
    for number, row in enumerate(block.rows):
        label = f"{mark(row.verdict)} {clip(row.name, _NAME)}"
        note = _note(row)
        if size.above and not any(dot.regime == regime for dot in row.dots):
            continue
        words: dict[str, Any] = {"color": COLORS.get(row.verdict, COLORS["soft"]), "ha": "left", "va": "center", "fontsize": 11.5}
        if size.above:
            behind = {"facecolor": COLORS["paper"], "edgecolor": "none", "pad": 1.5}
            text = clip(f"{label}, {note}" if note else label, 52)
            axes.annotate(text, (0, number - 0.2), xycoords=("axes fraction", "data"), clip_on=False, bbox=behind, **words)
        else:
            axes.annotate(label, (0, number), (offset, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                          clip_on=False, **words)  # fmt: skip


def _notes(axes: Axes, block: Block) -> None:
    """On the right of the last panel: what there is to say of a claim that does not conform."""
    for number, row in enumerate(block.rows):
        axes.annotate(clip(_note(row), _NAME), (1, number), (10, 0), xycoords=("axes fraction", "data"), va="center", ha="left",
                      textcoords="offset points", color=COLORS.get(row.verdict, COLORS["soft"]), fontsize=11.5,
                      annotation_clip=False)  # fmt: skip


def _note(row: Row) -> str:
    return " ".join(word for word in (row.verdict if row.verdict != "conforms" else "", row.note) if word)


def _outside(dot: Dot, low: float, high: float) -> str:
    return "<" if dot.ratio < low else ">" if dot.ratio > high else ""


def _dots(axes: Axes, dots: list[tuple[float, Dot]]) -> None:
    """The marks, all of one look at once; those off the scale become arrows at its end."""
    low, high = axes.get_xlim()
    looks: dict[tuple[str, bool, str], list[tuple[float, float]]] = {}
    for track, dot in dots:
        violated = dot.verdict == "violated"
        marker = "X" if violated else _outside(dot, low, high) or "o"
        color = COLORS["violated"] if violated else COLORS["data"] if dot.powered else COLORS["vacuous"]
        place = min(max(dot.ratio, low * 1.15), high / 1.15)
        looks.setdefault((marker, dot.powered or violated, color), []).append((place, track))
    for (marker, filled, color), places in looks.items():
        axes.plot(
            [x for x, _ in places],
            [y for _, y in places],
            marker=marker,
            markersize=9 if marker == "X" else 7,
            markerfacecolor=color if filled else COLORS["paper"],
            markeredgecolor=color,
            markeredgewidth=1.5,
            linestyle="none",
            clip_on=False,
            zorder=3,
        )


def _legend(target: Figure) -> None:
    from matplotlib.lines import Line2D

    def sample(marker: str, face: str, edge: str, label: str) -> Line2D:
        return Line2D([], [], marker=marker, linestyle="none", markersize=8, markerfacecolor=COLORS[face],
                      markeredgecolor=COLORS[edge], markeredgewidth=1.5, label=label)  # fmt: skip

    handles = [
        sample("o", "data", "data", "could have failed"),
        sample("o", "paper", "vacuous", "vacuous"),
        sample("X", "violated", "violated", "violated"),
    ]
    target.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 0.0), ncol=3, frameon=False, fontsize=11.5,
                  handletextpad=0.3, columnspacing=1.4, borderaxespad=0.2)  # fmt: skip
