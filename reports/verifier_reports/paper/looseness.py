"""Room that the bounds leave: value over bound, a row for each claim, a mark for each regime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifier.record import AlgorithmEntry
from verifier_reports.numbers import plural
from verifier_reports.paper import style
from verifier_reports.paper.figure import COLUMN, PaperFigure, Table
from verifier_reports.paper.mathtext import literal
from verifier_reports.plots.plot import file_name
from verifier_reports.plots.room import Dot, Room, Row, picture, rows
from verifier_reports.screen import clean, clip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAME = 24
_ROW, _REST = 0.145, 0.55
"""Inches: the row of a claim, and what else the figure has above and below."""

_MARKERS = "osD^vP<>"


def figure(algorithm: AlgorithmEntry) -> PaperFigure | None:
    """The figure of an algorithm; None when no claim has a ratio."""
    room = picture(algorithm)
    if room is None:
        return None
    shown = list(dict.fromkeys(row for block in room.blocks for row in block.rows))
    shown.sort(key=lambda row: -row.largest)
    regimes = [regime for block in room.blocks for regime in block.regimes]
    return PaperFigure(
        name=file_name(algorithm.name, "looseness"),
        short="looseness",
        claim="",
        title=room.title,
        caption=_caption(algorithm, room, shown),
        width=COLUMN,
        height=_REST + _ROW * len(shown),
        draw=lambda axes: _draw(axes, room, shown, regimes),
        table=_table(algorithm),
    )


def _caption(algorithm: AlgorithmEntry, room: Room, shown: list[Row]) -> tuple[str, ...]:
    words = [
        f"The worst comparison of {plural(len(shown), 'claim')} of {clean(algorithm.title)}: the value that occurred over its "
        "bound, on a logarithmic axis.",
        "1 is equality; right of it a claim is violated. Hollow marks are vacuous: nothing could have exceeded the bound there.",
    ]
    every = len(rows(algorithm))
    if len(shown) < every:
        words.append(f"The {len(shown)} claims that come closest to their bounds, of {every}.")
    if any(room.scale.outside(dot) for row in shown for dot in row.dots):
        words.append("A mark at the edge is beyond it.")
    return tuple(words)


def _table(algorithm: AlgorithmEntry) -> Table:
    columns = ("claim", "regime", "verdict", "value / bound (no unit)", "could have failed")
    return Table(
        columns,
        [
            (row.claim, dot.regime, dot.verdict, dot.ratio, "yes" if dot.powered else "no")
            for row in rows(algorithm)
            for dot in row.dots
        ],
    )


def _draw(axes: Axes, room: Room, shown: list[Row], regimes: list[str]) -> None:
    low, high = room.scale.low, room.scale.high
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    style.log_axis(axes.xaxis, low, high)
    style.plain_frame(axes)
    names = [literal(clip(row.name, _NAME)) for row in shown]
    axes.set_yticks(range(len(shown)), names, fontsize=style.SMALL)
    axes.tick_params(axis="y", length=0)
    axes.hlines(range(len(shown)), low, high, color=style.LIGHT, linewidth=0.4, zorder=1)
    axes.axvspan(1, high, color="#f2f2f2", linewidth=0, zorder=0)
    axes.axvline(1, color=style.BLACK, linewidth=0.8, zorder=2)
    axes.set_xlabel("value / bound")
    for number, regime in enumerate(regimes):
        _regime(axes, room, shown, regimes, number)
        axes.plot([], [], linestyle="none", marker=_MARKERS[number % len(_MARKERS)], color=style.BLUE, markersize=3.5,
                  label=literal(clip(clean(regime) or "no regime", 30)))  # fmt: skip
    if any(dot.verdict == "violated" for row in shown for dot in row.dots):
        axes.plot([], [], linestyle="none", marker=_MARKERS[0], color=style.VERMILLION, markeredgecolor=style.BLACK,
                  markersize=4.5, label="violated")  # fmt: skip
    if any(not dot.powered and dot.verdict != "violated" for row in shown for dot in row.dots):
        axes.plot([], [], linestyle="none", marker=_MARKERS[0], color=style.GREY, markerfacecolor="white", markersize=3.5,
                  label="vacuous")  # fmt: skip


def _regime(axes: Axes, room: Room, shown: list[Row], regimes: list[str], number: int) -> None:
    """Marks of one regime: all of one look at once, a little below those of the regime before."""
    regime, apart = regimes[number], (number - (len(regimes) - 1) / 2) * 0.8 / len(regimes)
    looks: dict[str, list[tuple[float, float]]] = {}
    for track, row in enumerate(shown):
        for dot in row.dots:
            if dot.regime == regime:
                looks.setdefault(_look(dot), []).append((room.scale.drawn(dot), track + apart))
    styles: dict[str, dict[str, Any]] = {
        "violated": {"color": style.VERMILLION, "markeredgecolor": style.BLACK, "markersize": 4.5, "zorder": 5},
        "powered": {"color": style.BLUE, "markersize": 3.0, "zorder": 4},
        "vacuous": {"color": style.GREY, "markerfacecolor": "white", "markersize": 3.0, "zorder": 3},
    }
    for look, places in looks.items():
        axes.plot([x for x, _ in places], [y for _, y in places], marker=_MARKERS[number % len(_MARKERS)],
                  linestyle="none", markeredgewidth=0.7, clip_on=False, label="_", **styles[look])  # fmt: skip


def _look(dot: Dot) -> str:
    return "violated" if dot.verdict == "violated" else "powered" if dot.powered else "vacuous"
