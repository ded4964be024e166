"""The kill matrix: which claim found which planted bug, and after how many trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifier.record import AlgorithmEntry, MutantEntry
from verifier_reports.numbers import plural
from verifier_reports.paper import style
from verifier_reports.paper.figure import COLUMN, PAGE, Cell, PaperFigure, Table
from verifier_reports.paper.mathtext import literal
from verifier_reports.plots.kill_matrix import MOST_CLAIMS, columns
from verifier_reports.plots.plot import file_name
from verifier_reports.screen import clean, clip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_MUTANTS = 50
_IN_A_COLUMN = 18
"""Number of claims whose names stand side by side in a column; more take the width of the page."""

_NAME, _BESIDE = 24, 34
_ROW, _LETTER, _REST = 0.125, 0.055, 0.35
_STEPS = ((1, "in trial 1"), (4, "in trial 2 to 4"), (10**9, "later"))


def figure(algorithm: AlgorithmEntry) -> PaperFigure | None:
    """The figure of an algorithm; None when no bug was planted."""
    power = algorithm.power
    if not power or not power.mutants:
        return None
    claims = columns(power.mutants)
    mutants, shown = power.mutants[:_MOST_MUTANTS], claims[:MOST_CLAIMS]
    heads = _LETTER * min(max((len(clean(claim)) for claim in shown), default=0), _NAME)
    killed = sum(mutant.outcome == "killed" for mutant in power.mutants)
    words = [
        f"{plural(len(power.mutants), 'bug')} planted in {clean(algorithm.title)}, a row each, and the claims that found them; "
        f"{killed} were found by some claim.",
        "The darker a square, the earlier the claim was violated. A dash: the claim was expected to find the bug and did not "
        "before the campaign ended.",
    ]
    if len(mutants) < len(power.mutants) or len(shown) < len(claims):
        words.append(f"The first {len(mutants)} bugs and the {plural(len(shown), 'claim')} that found most, of {len(claims)}.")
    return PaperFigure(
        name=file_name(algorithm.name, "kill-matrix"),
        short="kill-matrix",
        claim="",
        title=f"Which claims find the bugs planted in {clean(algorithm.name)}",
        caption=tuple(words),
        width=COLUMN if len(shown) <= _IN_A_COLUMN else PAGE,
        height=_REST + heads + _ROW * len(mutants),
        draw=lambda axes: _draw(axes, mutants, shown),
        table=_table(power.mutants),
    )


def _table(mutants: Sequence[MutantEntry]) -> Table:
    heads = ("bug", "outcome", "claim", "found or missed", "trial of the first violation (number)", "regime", "instance")
    rows: list[tuple[Cell, ...]] = []
    for mutant in mutants:
        kills = {kill.claim for kill in mutant.kills}
        rows += [(mutant.name, mutant.outcome, k.claim, "found", k.trials, k.regime, k.instance) for k in mutant.kills]
        rows += [(mutant.name, mutant.outcome, claim, "missed", None, "", "") for claim in mutant.missed if claim not in kills]
        if not mutant.kills and not mutant.missed:
            rows.append((mutant.name, mutant.outcome, "", "", None, "", ""))
    return Table(heads, rows)


def _draw(axes: Axes, mutants: Sequence[MutantEntry], claims: list[str]) -> None:
    across, down = max(len(claims), 1), len(mutants)
    axes.set_xlim(-0.5, across - 0.5)
    axes.set_ylim(down - 0.5, -0.5)
    axes.set_xticks(
        range(len(claims)), [literal(clip(clean(claim), _NAME)) for claim in claims], rotation=90, fontsize=style.SMALL
    )
    axes.xaxis.tick_top()
    axes.set_yticks(range(down), [_label(mutant) for mutant in mutants], fontsize=style.SMALL)
    axes.tick_params(length=0, pad=2)
    axes.spines[:].set_visible(False)
    axes.hlines([row - 0.5 for row in range(down + 1)], -0.5, across - 0.5, color=style.LIGHT, linewidth=0.4, clip_on=False)
    axes.vlines([column - 0.5 for column in range(across + 1)], -0.5, down - 0.5, color=style.LIGHT, linewidth=0.4, clip_on=False)
    places = {claim: column for column, claim in enumerate(claims)}
    _squares(axes, mutants, places)
    missed = [
        (places[claim], row)
        for row, mutant in enumerate(mutants)
        for claim in mutant.missed
        if claim in places and claim not in {kill.claim for kill in mutant.kills}
    ]
    if missed:
        axes.plot([x for x, _ in missed], [y for _, y in missed], linestyle="none", marker="_", markersize=5,
                  markeredgewidth=1.2, color=style.VERMILLION, label="missed")  # fmt: skip


def _squares(axes: Axes, mutants: Sequence[MutantEntry], places: dict[str, int]) -> None:
    """A square for each kill, in one of three shades."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    most = 0
    for (least, when), shade in zip(_STEPS, style.SHADES, strict=True):
        cells = [
            Rectangle((places[kill.claim] - 0.42, row - 0.42), 0.84, 0.84)
            for row, mutant in enumerate(mutants)
            for kill in mutant.kills
            if kill.claim in places and most < kill.trials <= least
        ]
        most = least
        axes.add_collection(PatchCollection(cells, facecolor=shade, edgecolor="none"))
        if cells:
            axes.plot([], [], linestyle="none", marker="s", markersize=5, markeredgewidth=0, color=shade, label=f"found {when}")


def _label(mutant: MutantEntry) -> str:
    """The name of a bug, with what became of it unless a claim found it."""
    name = clean(mutant.name)
    if mutant.outcome == "killed":
        return literal(clip(name, _NAME))
    outcome = clean(mutant.outcome)
    return f"{literal(clip(name, _BESIDE - len(outcome) - 3))} ({literal(outcome)})"
