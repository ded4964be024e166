"""Growth of a quantity with a size: means with intervals, the fit, the claimed rate, a wrong algorithm, and the bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.record import AlgorithmEntry, RegimeEntry, Scaling
from verifier.record.scaling import ScalingModel, ScalingPoint
from verifier.statistics.scaling import student
from verifier_reports.numbers import numeral, plural
from verifier_reports.paper import style
from verifier_reports.paper.figure import COLUMN, Cell, PaperFigure, Table
from verifier_reports.paper.mathtext import formula, literal, words_or_formula
from verifier_reports.paper.naming import called
from verifier_reports.plots.curves import Points, bounds, claimed_curve, positive
from verifier_reports.plots.plot import file_name
from verifier_reports.scaling import Scaled, verdict_line
from verifier_reports.screen import clean, clip
from verifier_reports.summary import short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 2.2
_LEVEL = 0.025
"""Probability on each side that the mean of the law is outside the interval of one mean."""

_MOST_TICKS = 6.5
_FAR = 10.0
"""A bound that stays so many times above everything else is left to the caption: the curves below it would lie on one another."""


@dataclass(frozen=True)
class Mean:
    """Mean over the seeds at a size, between limits of Student; without limits where there is one seed."""

    size: float
    value: float
    low: float | None
    high: float | None
    seeds: int


def figure(algorithm: AlgorithmEntry, one: Scaled) -> PaperFigure:
    """The figure of one entry whose scaling was measured."""
    claim, entry, found = one
    names = clean(found.quantity), clean(found.size), clean(algorithm.name)
    return PaperFigure(
        name=file_name(algorithm.name, "scaling", short_name(claim), entry.regime, entry.instance),
        short=short_name(claim),
        claim=claim.id,
        title="{} against {}: {}".format(*names),
        caption=tuple(_caption(algorithm, entry, found)),
        width=COLUMN,
        height=_HEIGHT,
        draw=lambda axes: _draw(axes, algorithm, found),
        table=_table(found),
    )


def means(points: Sequence[ScalingPoint]) -> list[Mean]:
    """Means of finite values over the seeds at each size, with pointwise 95% intervals of Student."""
    sizes = sorted({point.size for point in points})
    samples = ((size, [p.value for p in points if p.size == size and math.isfinite(p.value)]) for size in sizes)
    return [_mean(size, sample) for size, sample in samples if sample]


def _mean(size: float, sample: list[float]) -> Mean:
    if len(sample) < 2:
        return Mean(size, sample[0], None, None, 1)
    around = student(np.array(sample), _LEVEL, _LEVEL)
    return Mean(size, around.estimate, around.low, around.high, len(sample))


def _reference(found: Scaling) -> Points:
    """The claimed rate through the wrong algorithm at its first size from the burn-in on, to its last."""
    wrong = [mean for mean in _wrong(found) if mean.value > 0 and mean.size >= (found.burn_in or 0.0)]
    if len(wrong) < 2:
        return []
    own = tuple(ScalingPoint(mean.size, 0, mean.value) for mean in wrong)
    return [pair for pair in claimed_curve(replace(found, points=own, fit=(), held_out=())) if pair[0] <= wrong[-1].size]


def _wrong(found: Scaling) -> list[Mean]:
    return means(found.power.points) if found.power else []


# Words ------------------------------------------------------------------------------------------------------------


def _caption(algorithm: AlgorithmEntry, entry: RegimeEntry, found: Scaling) -> Iterator[str]:
    size, quantity = clean(found.size), clean(found.quantity)
    at = f"{clean(found.size_unit)} {size}" if found.size_unit else size
    unit = f" ({clean(found.quantity_unit)})" if found.quantity_unit else ""
    yield (
        f"{quantity[:1].upper()}{quantity[1:]}{unit} of {clean(algorithm.title)} against {at} on the instance "
        f"{clean(entry.instance)}, in the regime {clean(entry.regime)}; both axes are logarithmic."
    )
    seeds = len({point.seed for point in found.points})
    yield f"Marks: means over {plural(seeds, 'seed')} with pointwise 95% intervals of Student."
    if found.burn_in is not None:
        yield f"Hollow marks: {size} < {numeral(found.burn_in)}, not used for the fit ({clean(found.burn_in_reason)})."
    model = next((model for model in found.models if model.chosen), None)
    if model is not None and found.fit:
        yield f"Solid: the fit {quantity} = {fitted(model)}, with a pointwise 95% band."
        for item in found.held_out:
            low, high, predicted, value = map(numeral, (item.low, item.high, item.predicted, item.value))
            yield (
                f"{size} = {numeral(item.size, 6)} was left out of the fit, which predicts {predicted} there ({low} to {high}); "
                f"{value} was measured, the geometric mean over seeds."
            )
    yield f"Dashed: the claimed rate {clean(found.claimed.label)}{_slope(found.claimed_exponent)}."
    yield _sentence(verdict_line(entry, found))
    if found.power:
        called_so = f"called {found.power.verdict}"
        note = f": {clean(found.power.note)}" if found.power.note else ""
        yield f"Crosses: {clean(found.power.alternative)}, an algorithm known to be wrong, {called_so} by the same rule{note}."
        if _reference(found):
            yield "The thin dashed line is the claimed rate through it."
    _, far = bounds(found, _FAR)
    for name, curve in far.items():
        last, height = curve[-1]
        words = {"bound": "The explicit bound", "trivial": "The trivial bound"}[name]
        yield f"{words} is beyond the axis: {numeral(height)} at {size} = {numeral(last, 6)}."
    if found.remark:
        yield _sentence(clean(found.remark))


def _slope(exponent: float | None) -> str:
    return "" if exponent is None else f", whose exponent over these sizes is {numeral(exponent, 2)}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def fitted(model: ScalingModel) -> str:
    """The fitted curve with its numbers: ``12.4 K^0.31``, ``-131.4 + 34.7 log K``."""
    text = clean(model.formula)
    if model.name == "power":
        return text.replace("a ", f"{numeral(model.factor)} ", 1).replace("^b", f"^{model.exponent:.2f}")
    for name, value in model.parameters.items():
        words = text.split(" ")
        places = [at for at, word in enumerate(words) if word.strip("()") == name]
        for at in places:
            minus = value < 0 and at > 0 and words[at - 1] == "+"
            words[at] = words[at].replace(name, numeral(-value if minus else value))
            if minus:
                words[at - 1] = "-"
        text = " ".join(words)
    return text


# Numbers ----------------------------------------------------------------------------------------------------------


def named(name: str, unit: str, end: str = "") -> str:
    """Name of a column, with its unit: ``regret low (reward)``."""
    return f"{clean(name)}{end} ({clean(unit)})" if unit else f"{clean(name)}{end}"


def _table(found: Scaling) -> Table:
    quantities = (named(found.quantity, found.quantity_unit, end) for end in ("", " low", " high"))
    return Table(("series", named(found.size, found.size_unit), "seed", *quantities), list(_rows(found)))


def _rows(found: Scaling) -> Iterator[tuple[Cell, ...]]:
    for point in found.points:
        yield "trial", point.size, point.seed, point.value, None, None
    for mean in means(found.points):
        yield "mean", mean.size, None, mean.value, mean.low, mean.high
    for fit in found.fit:
        yield "fit", fit.size, None, fit.value, fit.low, fit.high
    for held in found.held_out:
        yield "forecast", held.size, None, held.predicted, held.low, held.high
    for x, y in claimed_curve(found):
        yield "claimed rate", x, None, y, None, None
    if found.power:
        name = f"wrong: {clean(found.power.alternative)}"
        for point in found.power.points:
            yield f"{name}, trial", point.size, point.seed, point.value, None, None
        for mean in _wrong(found):
            yield f"{name}, mean", mean.size, None, mean.value, mean.low, mean.high
        for x, y in _reference(found):
            yield f"{name}, claimed rate", x, None, y, None, None
    for series, curve in (("explicit bound", found.bound), ("trivial bound", found.trivial)):
        for at in curve:
            yield series, at.size, None, at.value, None, None
    for stated in found.overlay:
        yield f"stated: {clean(stated.label)}", stated.size, None, stated.value, None, None


# Drawing ----------------------------------------------------------------------------------------------------------


def _draw(axes: Axes, algorithm: AlgorithmEntry, found: Scaling) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    style.plain_frame(axes)
    near, _ = bounds(found, _FAR)
    low, high = _range(found, near)
    first = found.burn_in if found.burn_in is not None else 0.0
    own = means(found.points)
    used, early = [mean for mean in own if mean.size >= first], [mean for mean in own if mean.size < first]
    name = literal(called(algorithm))
    _marks(axes, early, low, style.BLUE, "o", "" if used else f"{name}, not fitted", hollow=True)
    _marks(axes, used, low, style.BLUE, "o", name)
    _fit(axes, found)
    _claimed(axes, found)
    if found.power:
        label = f"{literal(clip(clean(found.power.alternative), 20))}, wrong"
        _marks(axes, _wrong(found), low, style.VERMILLION, "x", label, line=True)
    _bounds(axes, near)
    _stated(axes, found)
    _axes(axes, found, low, high)


def _range(found: Scaling, near: dict[str, Points]) -> tuple[float, float]:
    """The vertical range: of everything that is drawn, with some room; means and curves alone decide how far down it goes."""
    curves = [claimed_curve(found), _reference(found), positive(found.fit), positive(found.overlay), *near.values()]
    values = [y for curve in curves for _, y in curve]
    every = [mean for mean in (*means(found.points), *_wrong(found)) if mean.value > 0]
    values += [mean.value for mean in every] + [mean.high for mean in every if mean.high]
    values += [max(mean.low, mean.value / 10) for mean in every if mean.low is not None]
    if not values:
        return 0.5, 20.0
    room = max((max(values) / min(values)) ** 0.06, 1.1)
    return min(values) / room, max(values) * room


def _marks(
    axes: Axes, drawn: list[Mean], floor: float, color: str, marker: str, label: str, hollow: bool = False, line: bool = False
) -> None:
    """Means with their intervals, as far down as the axis goes."""
    shown = [mean for mean in drawn if mean.value > 0]
    if not shown:
        return
    below = [mean.value - max(mean.low, floor) if mean.low is not None else 0.0 for mean in shown]
    above = [mean.high - mean.value if mean.high is not None else 0.0 for mean in shown]
    axes.errorbar(
        [mean.size for mean in shown],
        [mean.value for mean in shown],
        yerr=[[max(part, 0.0) for part in below], above],
        color=color,
        marker=marker,
        markersize=4.0 if marker == "o" else 4.5,
        markerfacecolor="white" if hollow else color,
        markeredgewidth=0.9,
        linestyle=(0, (4, 1.2, 1, 1.2)) if line else "none",
        linewidth=1.0,
        elinewidth=0.8,
        capsize=1.8,
        capthick=0.8,
        label=label or "_",
        zorder=5,
    )


def _fit(axes: Axes, found: Scaling) -> None:
    curve = positive(found.fit)
    if not curve:
        return
    band = sorted((p.size, p.low, p.high) for p in found.fit if 0 < p.size < math.inf and 0 < p.low <= p.high < math.inf)
    if band:
        xs, lows, highs = zip(*band, strict=True)
        axes.fill_between(xs, lows, highs, color=style.BLUE, alpha=style.HATCH_BAND, linewidth=0, zorder=2)
    model = next((model for model in found.models if model.chosen), None)
    label = f"fit {formula(fitted(model))}" if model else "fit"
    axes.plot(*_columns(curve), color=style.BLUE, linewidth=1.2, label=label, zorder=3)


def _claimed(axes: Axes, found: Scaling) -> None:
    dashes: dict[str, Any] = {"color": style.BLACK, "linestyle": (0, (5, 2)), "zorder": 4}
    rate = _main(found.claimed.label)
    label = f"claimed {formula(rate)}" if rate != "1" else "claimed: constant"
    for curve, width in ((claimed_curve(found), 1.0), (_reference(found), 0.6)):
        if curve:
            axes.plot(*_columns(curve), linewidth=width, label=label, **dashes)
            label = "_"


def _main(label: str) -> str:
    """A rate without the definitions behind it: ``√(Kι)`` of ``√(Kι), ι = log(SAT/p)``."""
    text = clean(label)
    rate, comma, rest = text.partition(", ")
    return rate if comma and "=" in rest and rate.count("(") == rate.count(")") else text


def _bounds(axes: Axes, near: dict[str, Points]) -> None:
    looks: dict[str, tuple[str, Any, str]] = {
        "bound": (style.GREEN, (0, (6, 1.5, 1, 1.5, 1, 1.5)), "explicit bound"),
        "trivial": (style.GREY, (0, (1, 1.5)), "trivial bound"),
    }
    for name, points in near.items():
        color, dashes, label = looks[name]
        axes.plot(*_columns(points), color=color, linewidth=1.1, linestyle=dashes, label=label, zorder=2)


def _stated(axes: Axes, found: Scaling) -> None:
    for number, label in enumerate(dict.fromkeys(point.label for point in found.overlay)):
        points = positive(point for point in found.overlay if point.label == label)
        axes.plot(*_columns(points), linestyle="none", marker="*^vP"[number % 4], markersize=7.0, color=style.ORANGE,
                  markeredgecolor=style.BLACK, markeredgewidth=0.5, label=literal(clip(clean(label), 28)), zorder=6)  # fmt: skip


def _columns(pairs: Points) -> tuple[list[float], list[float]]:
    return [x for x, _ in pairs], [y for _, y in pairs]


def _axes(axes: Axes, found: Scaling, low: float, high: float) -> None:
    axes.set_ylim(low, high)
    style.log_axis(axes.yaxis, low, high)
    run = sorted({x for x, _ in positive(found.points) + positive(found.held_out)})
    every = sorted({*run, *(x for x, _ in positive(found.overlay))})
    if every:
        room = (every[-1] / every[0]) ** 0.05 if every[-1] > every[0] else 2.0
        left, right = every[0] / room, every[-1] * room
        axes.set_xlim(left, right)
        style.log_axis(axes.xaxis, left, right, labelled(run), run)
    axes.set_xlabel(size_label(found))
    axes.set_ylabel(words_or_formula(clip(clean(found.quantity), 40)))


def labelled(run: list[float]) -> list[float]:
    """Sizes with a number below the axis: from the largest down, those far enough from the one before."""
    apart = math.log(run[-1] / run[0]) / _MOST_TICKS if run else 0.0
    chosen: list[float] = []
    for size in reversed(run):
        if not chosen or math.log(chosen[-1] / size) >= apart:
            chosen.append(size)
    return chosen


def size_label(found: Scaling) -> str:
    """The label of the size, in words and with its symbol: episodes K; n = 1/tau where the unit is a formula."""
    symbol, unit = clip(clean(found.size), 20), clip(clean(found.size_unit), 30)
    if not unit:
        return formula(symbol)
    return formula(f"{symbol} = {unit}") if "/" in unit else f"{literal(unit)} {formula(symbol)}"
