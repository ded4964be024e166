"""How much room the bounds leave: value over bound, claim by claim, on a logarithmic axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verifier.record import AlgorithmEntry, ClaimEntry, RegimeEntry
from verifier.record.decisive import telling
from verifier_reports.numbers import measured, plural, short_ratio, within_rounding
from verifier_reports.numbers import numeral as shown
from verifier_reports.plots.axes import calm, log_axis
from verifier_reports.plots.drawing import COLORS
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.screen import clean, clip
from verifier_reports.summary import grouped, mark, regimes, short_name, worst

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_CLAIMS = 40
_FLOOR, _CEILING = 1e-6, 1e3
_MARKERS = ("o", "s", "^", "D", "v", "P")
_ROW, _NARROW_ROW = 25, 38
_NAME = 27


@dataclass(frozen=True)
class Dot:
    """A claim in one regime: the comparison that is cited."""

    regime: str
    ratio: float
    verdict: str
    powered: bool


@dataclass(frozen=True)
class Row:
    """A claim in the picture; `note` says from which size on its bound would mean something."""

    name: str
    verdict: str
    dots: tuple[Dot, ...]
    note: str

    @property
    def largest(self) -> float:
        """The largest ratio: how close the claim came to its bound anywhere."""
        return max(dot.ratio for dot in self.dots)


def rows(algorithm: AlgorithmEntry) -> list[Row]:
    """The claims that have a ratio, tightest first; identities and bounds that are not positive have none."""
    found = [_row(claim) for claim in algorithm.claims if claim.kind not in ("assumption", "identity", "scaling", "law")]
    return sorted((row for row in found if row.dots), key=lambda row: -row.largest)


def _row(claim: ClaimEntry) -> Row:
    there = [entry for entry in claim.regimes if _has_ratio(claim, entry)]
    dots = tuple(_dot(claim, regime, found) for regime, found in grouped(there, lambda entry: entry.regime).items())
    return Row(clean(short_name(claim)), claim.verdict, dots, _horizon(claim, there))


def _has_ratio(claim: ClaimEntry, entry: RegimeEntry) -> bool:
    ratio = entry.ratio
    if entry.verdict in ("not applicable", "error"):
        return False
    return measured(entry) and bool(short_ratio(claim, entry)) and not math.isnan(ratio) and ratio != -math.inf


def _dot(claim: ClaimEntry, regime: str, found: list[RegimeEntry]) -> Dot:
    """The entry of a regime that the claim is cited at, or the one it would be cited at if there were no other regimes."""
    verdict = worst(found)
    entry = next((one for one in found if one is claim.deciding), telling(found, verdict)[0])
    return Dot(regime, _ratio(claim, entry), verdict, entry.powered > 0)


def _ratio(claim: ClaimEntry, entry: RegimeEntry) -> float:
    """Two sides that are equal up to rounding have ratio 1, however small they are."""
    return 1.0 if within_rounding(claim, entry) else entry.ratio


def _horizon(claim: ClaimEntry, found: list[RegimeEntry]) -> str:
    if claim.verdict != "vacuous":
        return ""
    sizes = [(entry.nonvacuous_from, entry.unit or "size") for entry in found if entry.nonvacuous_from is not None]
    finite = sorted(size for size in sizes if math.isfinite(size[0]))
    if finite:
        return f"until {finite[0][1]} = {shown(finite[0][0], 2)}"
    return "at every size" if sizes else ""


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
    legend = 22 * (len(names) + 2)
    narrow = Plot(
        name=file_name(algorithm.name, "looseness-narrow"),
        width=370,
        height=_NARROW_ROW * len(kept) + 60 + legend,
        draw=lambda target: _draw(target, kept, names, narrow=True),
        **shared,
    )
    return Plot(
        name=file_name(algorithm.name, "looseness"),
        width=930,
        height=_ROW * len(kept) + 64 + 24 * math.ceil((len(names) + 2) / 3),
        draw=lambda target: _draw(target, kept, names, narrow=False),
        narrow=narrow,
        **shared,
    )


def _caption(algorithm: AlgorithmEntry, found: list[Row], kept: list[Row]) -> tuple[str, ...]:
    words = [
        "Each mark is the worst comparison of a claim in one regime: the value that occurred, divided by its bound.",
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


def _draw(target: Figure, kept: list[Row], names: list[str], narrow: bool) -> None:
    width, height = target.get_size_inches() * target.dpi
    columns = 1 if narrow else 3
    lines = math.ceil((len(names) + 2) / columns)
    bottom = 44 + 22 * lines
    left, right = (14, 14) if narrow else (225, 200)
    step = _NARROW_ROW if narrow else _ROW
    axes = target.add_axes(
        ((left / width), bottom / height, (width - left - right) / width, step * len(kept) / height),
    )
    low, high = _limits(kept)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(len(kept) - 0.5, -0.5)
    log_axis(axes.xaxis, low, high)
    calm(axes)
    axes.set_yticks([])
    axes.spines.left.set_visible(False)
    axes.axvspan(1, high, color=COLORS["zone"], linewidth=0, zorder=0)
    axes.axvline(1, color=COLORS["violated"], linewidth=1.4, zorder=1)
    tracks = [number + (0.22 if narrow else 0.0) for number in range(len(kept))]
    axes.hlines(tracks, low, high, color=COLORS["grid"], linewidth=1, zorder=1)
    for number, row in enumerate(kept):
        _label(axes, number, row, narrow)
    _dots(axes, [(track, dot) for track, row in zip(tracks, kept, strict=True) for dot in row.dots], names)
    _headings(axes)
    axes.set_xlabel("value / bound (no unit; logarithmic)", labelpad=6)
    _legend(target, names, columns)


def _headings(axes: Axes) -> None:
    above: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "fontsize": 10, "va": "bottom"}
    axes.annotate("← room left", (1, 1), (-6, 3), ha="right", color=COLORS["soft"], **above)
    axes.annotate("broken →", (1, 1), (6, 3), ha="left", color=COLORS["violated"], **above)


def _limits(kept: list[Row]) -> tuple[float, float]:
    ratios = [min(max(dot.ratio, _FLOOR), _CEILING) for row in kept for dot in row.dots if dot.ratio > 1e-12] or [1.0]
    low = 10.0 ** min(math.floor(math.log10(min(ratios))), -1)
    return low / 1.6, max(max(ratios) * 1.6, 12.0)


def _label(axes: Axes, number: int, row: Row, narrow: bool) -> None:
    """Above its track on a narrow screen, else on both sides of it."""
    label = f"{mark(row.verdict)} {clip(row.name, _NAME)}"
    color = COLORS.get(row.verdict, COLORS["soft"])
    aligned: dict[str, Any] = {"va": "center", "fontsize": 11.5, "clip_on": False}
    note = " ".join(word for word in (row.verdict if row.verdict != "conforms" else "", row.note) if word)
    if narrow:
        words = clip(f"{label}, {note}" if note else label, 46)
        behind = {"facecolor": COLORS["paper"], "edgecolor": "none", "pad": 1.5}
        axes.annotate(
            words, (0, number - 0.2), xycoords=("axes fraction", "data"), color=color, ha="left", bbox=behind, **aligned
        )
    else:
        beside: dict[str, Any] = {
            "xycoords": ("axes fraction", "data"),
            "textcoords": "offset points",
            "color": color,
            "ha": "left",
        }
        axes.annotate(label, (0, number), (-215, 0), **beside, **aligned)
        axes.annotate(clip(note, _NAME), (1, number), (10, 0), **beside, **aligned)


def _outside(dot: Dot, low: float, high: float) -> str:
    return "<" if dot.ratio < low else ">" if dot.ratio > high else ""


def _dots(axes: Axes, dots: list[tuple[float, Dot]], names: list[str]) -> None:
    """The marks, all of one look at once; those off the scale become arrows at its end."""
    low, high = axes.get_xlim()
    looks: dict[tuple[str, bool, str], list[tuple[float, float]]] = {}
    for track, dot in dots:
        violated = dot.verdict == "violated"
        marker = "X" if violated else _outside(dot, low, high) or _marker(dot.regime, names)
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


def _marker(regime: str, names: list[str]) -> str:
    return _MARKERS[names.index(regime) % len(_MARKERS)] if regime in names else "."


def _legend(target: Figure, names: list[str], columns: int) -> None:
    from matplotlib.lines import Line2D

    def sample(marker: str, filled: bool, color: str, size: float = 7) -> Line2D:
        face = color if filled else COLORS["paper"]
        return Line2D([], [], marker=marker, linestyle="none", markersize=size, markerfacecolor=face, markeredgecolor=color,
                      markeredgewidth=1.5)  # fmt: skip

    handles = [sample(_marker(name, names), True, COLORS["data"]) for name in names]
    handles += [sample("o", False, COLORS["vacuous"]), sample("X", True, COLORS["violated"], 9)]
    labels = [clip(clean(f"regime {name}"), 34) for name in names] + ["hollow: vacuous", "violated"]
    target.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0.01, 0.0),
        ncol=columns,
        frameon=False,
        fontsize=11.5,
        handletextpad=0.4,
        columnspacing=1.4,
        borderaxespad=0.2,
        labelspacing=0.55,
    )
