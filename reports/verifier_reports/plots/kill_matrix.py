"""The kill matrix as a heat map: which claim found which planted bug, and after how many trials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from verifier_reports.figures import plural
from verifier_reports.kill_matrix import MARKS, STYLES
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.screen import clean, clip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Data = Mapping[str, Any]

MOST_MUTANTS = 60
MOST_CLAIMS = 40
_CELL = 21
_LEFT, _RIGHT, _BOTTOM = 190, 96, 66
_NAME = 26
_SLANTED = 5.5
"""Height a character of the slanted column names takes, in pixels."""
_STEPS = ((1, "heat-1", "in the first trial"), (4, "heat-2", "in trial 2 to 4"), (10**9, "heat-3", "later"))


def plot(algorithm: Data) -> Plot | None:
    """The heat map of an algorithm's mutants; None when there are none."""
    power = algorithm["power"]
    if not power or not power["mutants"]:
        return None
    mutants = power["mutants"][:MOST_MUTANTS]
    claims = columns(power["mutants"])
    kept = claims[:MOST_CLAIMS]
    name = clean(algorithm["name"])
    return Plot(
        name=file_name(algorithm["name"], "kill-matrix"),
        kind="kill-matrix",
        claim="",
        title=f"Which claims find the bugs planted in {name}",
        caption=_caption(power, mutants, claims, kept),
        alt=_alt(name, mutants),
        width=_LEFT + _RIGHT + _CELL * max(len(kept), 12),
        height=_top(kept) + _BOTTOM + _CELL * len(mutants),
        draw=lambda target: _draw(target, mutants, kept),
    )


def columns(mutants: list[Data]) -> list[str]:
    """The claims that killed something or were expected to, those that killed most first."""
    kills = [kill["claim"] for mutant in mutants for kill in mutant["kills"]]
    named = dict.fromkeys([*kills, *(claim for mutant in mutants for claim in mutant["missed"])])
    return sorted(named, key=lambda claim: -kills.count(claim))


def _top(claims: list[str]) -> float:
    return 24 + _SLANTED * min(max((len(claim) for claim in claims), default=4), _NAME)


def _caption(power: Data, mutants: list[Data], claims: list[str], kept: list[str]) -> tuple[str, ...]:
    words = [
        "One row per planted bug, one column per claim. A filled cell is a claim that called the bug violated; its number is the "
        "trial in which it did. A dash is a claim that was expected to and did not before the campaign ended."
    ]
    left_out = len(power["mutants"]) - len(mutants)
    words += [f"{plural(left_out, 'more bug')} and {plural(len(claims) - len(kept), 'more claim')} are in the table below."] * (
        left_out > 0 or len(kept) < len(claims)
    )
    return tuple(words)


def _alt(name: str, mutants: list[Data]) -> str:
    each = []
    for mutant in mutants:
        found = ", ".join(kill["claim"] for kill in mutant["kills"])
        each.append(f"{mutant['name']} {mutant['outcome']}" + (f" by {found}" if found else ""))
    return clean(f"Kill matrix of {plural(len(mutants), 'bug')} planted in {name}: " + "; ".join(each))


def _draw(target: Figure, mutants: list[Data], claims: list[str]) -> None:
    width, height = target.get_size_inches() * target.dpi
    across, down = _CELL * len(claims), _CELL * len(mutants)
    axes = target.add_axes((_LEFT / width, _BOTTOM / height, max(across, 1) / width, down / height))
    axes.set_xlim(-0.5, max(len(claims), 1) - 0.5)
    axes.set_ylim(len(mutants) - 0.5, -0.5)
    axes.set_xticks(range(len(claims)), [clip(clean(claim), _NAME) for claim in claims], rotation=60, ha="left", va="bottom",
                    rotation_mode="anchor")  # fmt: skip
    axes.xaxis.tick_top()
    axes.set_yticks([])
    axes.tick_params(length=0, pad=5)
    axes.spines[:].set_visible(False)
    _cells(axes, mutants, claims)
    for number, mutant in enumerate(mutants):
        _row(axes, number, mutant, claims)
    axes.set_xlabel("claims (number: trial of the kill)", loc="left", labelpad=8)
    axes.xaxis.set_label_position("bottom")
    target.text(10 / width, (_BOTTOM + down + 12) / height, "planted bugs", color=COLORS["ink"])
    _legend(target)


def _row(axes: Axes, number: int, mutant: Data, claims: list[str]) -> None:
    """The name and the outcome on both sides, and in the cells what stands there in words."""
    outcome = mutant["outcome"]
    color = COLORS.get(STYLES.get(outcome, ""), COLORS["soft"])
    beside: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"),
        "textcoords": "offset points",
        "va": "center",
        "fontsize": 10.5,
        "annotation_clip": False,
    }
    label = f"{MARKS.get(outcome, '·')} {clip(clean(mutant['name']), _NAME)}"
    axes.annotate(label, (0, number), (10 - _LEFT, 0), ha="left", color=COLORS["ink"] if outcome == "killed" else color, **beside)
    axes.annotate(outcome, (1, number), (10, 0), ha="left", color=color, **beside)
    kills = {kill["claim"]: kill["trials"] for kill in mutant["kills"]}
    for column, claim in enumerate(claims):
        if claim in kills:
            text = str(kills[claim]) if kills[claim] < 100 else "99+"
            text_color = COLORS["heat-text-dark"] if _shade(kills[claim]) == "heat-3" else COLORS["heat-text"]
            axes.text(column, number, text, ha="center", va="center", color=text_color, fontsize=9 if len(text) < 3 else 7.5)
        elif claim in mutant["missed"]:
            axes.text(column, number, "–", ha="center", va="center", color=COLORS["violated"], fontsize=12)


def _shade(trials: int) -> str:
    return next(name for most, name, _ in _STEPS if trials <= most)


def _cells(axes: Axes, mutants: list[Data], claims: list[str]) -> None:
    """A light grid, and a square per kill."""
    right, bottom = max(len(claims), 1) - 0.5, len(mutants) - 0.5
    axes.hlines([row - 0.5 for row in range(len(mutants) + 1)], -0.5, right, color=COLORS["grid"], linewidth=1, clip_on=False)
    axes.vlines(
        [column - 0.5 for column in range(len(claims) + 1)], -0.5, bottom, color=COLORS["grid"], linewidth=1, clip_on=False
    )
    place = {claim: column for column, claim in enumerate(claims)}
    for _, shade, _ in _STEPS:
        found = [
            (place[kill["claim"]], row)
            for row, mutant in enumerate(mutants)
            for kill in mutant["kills"]
            if kill["claim"] in place and _shade(kill["trials"]) == shade
        ]
        axes.plot([x for x, _ in found], [y for _, y in found], linestyle="none", marker="s", markersize=_CELL - 2,
                  markeredgewidth=0, color=COLORS[shade])  # fmt: skip


def _legend(target: Figure) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=COLORS[shade], label=f"found {when}") for _, shade, when in _STEPS]
    target.legend(handles=handles, loc="lower left", ncol=3, frameon=False, fontsize=10.5, handlelength=1.1, handleheight=1.1,
                  columnspacing=1.4, bbox_to_anchor=(0.005, 0.0))  # fmt: skip
