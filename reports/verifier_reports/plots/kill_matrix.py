"""The kill matrix as a heat map: which claim found which planted bug, and after how many trials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.record import AlgorithmEntry, MutantEntry, PowerEntry
from verifier_reports.kill_matrix import MARKS, STYLES
from verifier_reports.numbers import plural
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.screen import clean, clip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_MUTANTS = 60
MOST_CLAIMS = 40
_BOTTOM = 66
_PHONE, _LEAST = 340, 6.5
"""The width of the figure for a phone, and of its narrowest cells; with more claims than fit the wide one is scrolled."""
_STEPS = ((1, "heat-1", "in the first trial"), (4, "heat-2", "in trial 2 to 4"), (10**9, "heat-3", "later"))


@dataclass(frozen=True)
class Layout:
    """Sizes in pixels: cells, margins, letters; the longest name in characters.

    Where cells are narrow there is no number in them, and no outcome beside a row but its mark before the name.
    """

    across: float
    down: float
    left: float
    right: float
    letters: float
    longest: int
    slant: int

    @property
    def heads(self) -> float:
        """The size of the letters of the column names, which stand side by side."""
        return min(self.letters, self.across)

    @property
    def rise(self) -> float:
        """Height that a character of the column names reaches."""
        return 0.61 * self.heads * math.sin(math.radians(self.slant))


_WIDE = Layout(across=21, down=21, left=190, right=96, letters=10.5, longest=26, slant=60)


def plot(algorithm: AlgorithmEntry) -> Plot | None:
    """The heat map of an algorithm's mutants, with one for narrow screens where it fits; None when there are no mutants."""
    power = algorithm.power
    if not power or not power.mutants:
        return None
    mutants = power.mutants[:MOST_MUTANTS]
    claims = columns(power.mutants)
    kept = claims[:MOST_CLAIMS]
    name = clean(algorithm.name)
    words: dict[str, Any] = {
        "kind": "kill-matrix",
        "claim": "",
        "title": f"Which claims find the bugs planted in {name}",
        "caption": _caption(power, mutants, claims, kept),
        "alt": _alt(name, mutants),
    }
    small = _narrow(len(kept))
    narrow = _sized(file_name(algorithm.name, "kill-matrix-narrow"), mutants, kept, small, words) if small else None
    return replace(_sized(file_name(algorithm.name, "kill-matrix"), mutants, kept, _WIDE, words), narrow=narrow)


def _narrow(claims: int) -> Layout | None:
    left, right = 124.0, 8.0
    across = min((_PHONE - left - right) / max(claims, 1), 18.0)
    return Layout(across, 17, left, right, 9, 20, 90) if across >= _LEAST else None


def _sized(name: str, mutants: Sequence[MutantEntry], claims: list[str], size: Layout, words: dict[str, Any]) -> Plot:
    width = _PHONE if size is not _WIDE else size.left + size.right + size.across * max(len(claims), 12)
    height = _top(claims, size) + _BOTTOM + size.down * len(mutants)
    return Plot(name=name, width=width, height=height, draw=lambda figure: _draw(figure, mutants, claims, size), **words)


def columns(mutants: Sequence[MutantEntry]) -> list[str]:
    """The claims that killed something or were expected to, those that killed most first."""
    kills = [kill.claim for mutant in mutants for kill in mutant.kills]
    named = dict.fromkeys([*kills, *(claim for mutant in mutants for claim in mutant.missed)])
    return sorted(named, key=lambda claim: -kills.count(claim))


def _top(claims: list[str], size: Layout) -> float:
    return 24 + size.rise * min(max((len(claim) for claim in claims), default=4), size.longest)


def _caption(power: PowerEntry, mutants: Sequence[MutantEntry], claims: list[str], kept: list[str]) -> tuple[str, ...]:
    words = [
        "One row per planted bug, one column per claim. A filled cell is a claim that called the bug violated; its number is the "
        "trial in which it did. A dash is a claim that was expected to and did not before the campaign ended."
    ]
    left_out = len(power.mutants) - len(mutants)
    words += [f"{plural(left_out, 'more bug')} and {plural(len(claims) - len(kept), 'more claim')} are in the table below."] * (
        left_out > 0 or len(kept) < len(claims)
    )
    return tuple(words)


def _alt(name: str, mutants: Sequence[MutantEntry]) -> str:
    each = []
    for mutant in mutants:
        found = ", ".join(kill.claim for kill in mutant.kills)
        each.append(f"{mutant.name} {mutant.outcome}" + (f" by {found}" if found else ""))
    return clean(f"Kill matrix of {plural(len(mutants), 'bug')} planted in {name}: " + "; ".join(each))


def _draw(figure: Figure, mutants: Sequence[MutantEntry], claims: list[str], size: Layout) -> None:
    width, height = figure.get_size_inches() * figure.dpi
    across, down = size.across * len(claims), size.down * len(mutants)
    axes = figure.add_axes((size.left / width, _BOTTOM / height, max(across, 1) / width, down / height))
    axes.set_xlim(-0.5, max(len(claims), 1) - 0.5)
    axes.set_ylim(len(mutants) - 0.5, -0.5)
    upright = size.slant == 90
    axes.set_xticks(
        range(len(claims)),
        [clip(clean(claim), size.longest) for claim in claims],
        rotation=size.slant,
        ha="left",
        va="center" if upright else "bottom",
        rotation_mode="anchor",
        fontsize=size.heads,
    )
    axes.xaxis.tick_top()
    axes.set_yticks([])
    axes.tick_params(length=0, pad=5)
    axes.spines[:].set_visible(False)
    _cells(axes, mutants, claims, min(size.across, size.down))
    for number, mutant in enumerate(mutants):
        _row(axes, number, mutant, claims, size)
    axes.set_xlabel("claims (number: trial of the kill)" if size is _WIDE else "claims", loc="left", labelpad=8)
    axes.xaxis.set_label_position("bottom")
    figure.text(10 / width, (_BOTTOM + down + 12) / height, "planted bugs", color=COLORS["ink"])
    _legend(figure, size)


def _row(axes: Axes, number: int, mutant: MutantEntry, claims: list[str], size: Layout) -> None:
    """The name and the outcome on both sides, and in the cells what stands there in words."""
    outcome = mutant.outcome
    color = COLORS.get(STYLES.get(outcome, ""), COLORS["soft"])
    beside: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"),
        "textcoords": "offset points",
        "va": "center",
        "fontsize": size.letters,
        "annotation_clip": False,
    }
    label = f"{MARKS.get(outcome, '·')} {clip(clean(mutant.name), size.longest)}"
    axes.annotate(
        label, (0, number), (10 - size.left, 0), ha="left", color=COLORS["ink"] if outcome == "killed" else color, **beside
    )
    if size is _WIDE:
        axes.annotate(outcome, (1, number), (10, 0), ha="left", color=color, **beside)
    kills = {kill.claim: kill.trials for kill in mutant.kills}
    for column, claim in enumerate(claims):
        if claim in kills and size is _WIDE:
            text = str(kills[claim]) if kills[claim] < 100 else "99+"
            text_color = COLORS["heat-text-dark"] if _shade(kills[claim]) == "heat-3" else COLORS["heat-text"]
            axes.text(column, number, text, ha="center", va="center", color=text_color, fontsize=9 if len(text) < 3 else 7.5)
        elif claim in mutant.missed and claim not in kills:
            axes.text(column, number, "–", ha="center", va="center", color=COLORS["violated"], fontsize=12)


def _shade(trials: int) -> str:
    return next(name for most, name, _ in _STEPS if trials <= most)


def _cells(axes: Axes, mutants: Sequence[MutantEntry], claims: list[str], side: float) -> None:
    """A light grid, and a square per kill."""
    right, bottom = max(len(claims), 1) - 0.5, len(mutants) - 0.5
    axes.hlines([row - 0.5 for row in range(len(mutants) + 1)], -0.5, right, color=COLORS["grid"], linewidth=1, clip_on=False)
    axes.vlines(
        [column - 0.5 for column in range(len(claims) + 1)], -0.5, bottom, color=COLORS["grid"], linewidth=1, clip_on=False
    )
    place = {claim: column for column, claim in enumerate(claims)}
    for _, shade, _ in _STEPS:
        found = [
            (place[kill.claim], row)
            for row, mutant in enumerate(mutants)
            for kill in mutant.kills
            if kill.claim in place and _shade(kill.trials) == shade
        ]
        axes.plot([x for x, _ in found], [y for _, y in found], linestyle="none", marker="s", markersize=side - 2,
                  markeredgewidth=0, color=COLORS[shade])  # fmt: skip


def _legend(figure: Figure, size: Layout) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=COLORS[shade], label=f"found {when}" if size is _WIDE else when) for _, shade, when in _STEPS]
    figure.legend(handles=handles, loc="lower left", ncol=3, frameon=False, fontsize=size.letters, handlelength=1.1,
                  handleheight=1.1, columnspacing=1.4, bbox_to_anchor=(0.005, 0.0))  # fmt: skip
