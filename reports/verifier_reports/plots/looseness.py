"""Room that the bounds leave, drawn for a file: the panels of `room`, names on their left and notes on their right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.record import AlgorithmEntry
from verifier_reports.plots.axes import calm, log_axis
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.plots.room import AXIS, Block, Dot, Room, Scale, picture
from verifier_reports.screen import clean, clip
from verifier_reports.summary import mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_NAME = 27
_WIDTH, _ROW, _LEFT, _RIGHT, _GAP = 930.0, 25.0, 218.0, 188.0, 18.0
"""Pixels: the picture, the row of a claim, the margins for names and notes, from one panel to the next."""
_TITLE, _AXIS, _LEGEND, _XLABEL = 40, 26, 30, 24
"""Pixels: the name of a regime above its panel, the numbers below it, the legend and the label of the axis below all."""
_TICK = 46
"""Pixels that a number below a panel needs."""


def plot(algorithm: AlgorithmEntry) -> Plot | None:
    """The picture of an algorithm; None when no claim has a ratio."""
    room = picture(algorithm)
    if room is None:
        return None
    return Plot(
        name=file_name(algorithm.name, "looseness"),
        kind="looseness",
        claim="",
        title=room.title,
        caption=room.caption,
        alt=room.alt,
        width=_WIDTH,
        height=sum(map(_height, room.blocks)) + _XLABEL + _LEGEND,
        draw=lambda target: _draw(target, room),
    )


def _height(block: Block) -> float:
    """Pixels, with names above and numbers below."""
    return _TITLE + _ROW * len(block.rows) + _AXIS


def _draw(target: Figure, room: Room) -> None:
    width, height = target.get_size_inches() * target.dpi
    top = height
    for block in room.blocks:
        across = (_WIDTH - _LEFT - _RIGHT - _GAP * (len(block.regimes) - 1)) / len(block.regimes)
        top -= _height(block)
        for number, regime in enumerate(block.regimes):
            left = _LEFT + number * (across + _GAP)
            axes = target.add_axes((left / width, (top + _AXIS) / height, across / width, _ROW * len(block.rows) / height))
            _panel(axes, block, regime, room.scale, across)
            if number == 0:
                _beside(axes, block)
            if number == len(block.regimes) - 1:
                _notes(axes, block)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    target.text(middle / width, (_LEGEND + 6) / height, AXIS, ha="center", va="bottom", fontsize=11)
    _legend(target)


def _panel(axes: Axes, block: Block, regime: str, scale: Scale, across: float) -> None:
    """The marks of one regime, on the tracks of all claims of the block."""
    low, high = scale.low, scale.high
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(len(block.rows) - 0.5, -0.5)
    log_axis(axes.xaxis, low, high, scale.decades(int(across / _TICK)))
    calm(axes)
    axes.set_yticks([])
    axes.spines.left.set_visible(False)
    axes.axvspan(1, high, color=COLORS["zone"], linewidth=0, zorder=0)
    axes.axvline(1, color=COLORS["violated"], linewidth=1.4, zorder=1)
    axes.hlines(range(len(block.rows)), low, high, color=COLORS["grid"], linewidth=1, zorder=1)
    _dots(axes, scale, [(track, dot) for track, row in enumerate(block.rows) for dot in row.dots if dot.regime == regime])
    parts = [clip(part, max(int(across / 5.6), 8)) for part in (clean(regime) or "no regime").replace("[", "\n[").split("\n")]
    axes.annotate("\n".join(parts), (0, 1), (0, 7), xycoords="axes fraction", textcoords="offset points", ha="left",
                  va="bottom", fontsize=10.5)  # fmt: skip


def _beside(axes: Axes, block: Block) -> None:
    """The names of the claims, on the left of their tracks."""
    for number, row in enumerate(block.rows):
        label = f"{mark(row.verdict)} {clip(row.name, _NAME)}"
        axes.annotate(label, (0, number), (-215, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                      color=COLORS.get(row.verdict, COLORS["soft"]), ha="left", va="center", fontsize=11.5,
                      clip_on=False)  # fmt: skip


def _notes(axes: Axes, block: Block) -> None:
    """Write notes on claims that do not conform on the right of the last panel."""
    for number, row in enumerate(block.rows):
        axes.annotate(clip(row.note, _NAME), (1, number), (10, 0), xycoords=("axes fraction", "data"), va="center", ha="left",
                      textcoords="offset points", color=COLORS.get(row.verdict, COLORS["soft"]), fontsize=11.5,
                      annotation_clip=False)  # fmt: skip


def _dots(axes: Axes, scale: Scale, dots: list[tuple[int, Dot]]) -> None:
    """The marks, all of one look at once; those off the scale become arrows at its end."""
    looks: dict[tuple[str, bool, str], list[tuple[float, int]]] = {}
    for track, dot in dots:
        violated = dot.verdict == "violated"
        marker = "X" if violated else scale.outside(dot) or "o"
        color = COLORS["violated"] if violated else COLORS["data"] if dot.powered else COLORS["vacuous"]
        looks.setdefault((marker, dot.powered or violated, color), []).append((scale.drawn(dot), track))
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
