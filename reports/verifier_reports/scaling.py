"""Scaling of quantities with the size: findings in words and small tables, for screen, pages and figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from verifier.record import AlgorithmEntry, ClaimEntry, RegimeEntry, Scaling
from verifier.record.scaling import ScalingModel
from verifier_reports.numbers import numeral, plural
from verifier_reports.screen import clean
from verifier_reports.summary import where

COLUMNS = 7
"""Sizes shown where not all are: the smallest, the largest, and some between."""


@dataclass(frozen=True)
class Row:
    """A line of the table: a label and one text for each size."""

    label: str
    cells: tuple[str, ...]


class Scaled(NamedTuple):
    """A claim, one of its entries, and how the quantity of the claim scales there."""

    claim: ClaimEntry
    entry: RegimeEntry
    scaling: Scaling


def scaled(algorithm: AlgorithmEntry) -> list[Scaled]:
    """The claims and entries whose scaling was measured, in the record's order."""
    entries = ((claim, entry) for claim in algorithm.claims for entry in claim.regimes)
    return [Scaled(claim, entry, entry.scaling) for claim, entry in entries if entry.scaling is not None]


def verdict_line(entry: RegimeEntry, scaling: Scaling) -> str:
    """The verdict with the two exponents it compares.

    ``conforms: grows like K^0.52 (95% interval 0.45 to 0.6); claimed sqrt(K)``.
    """
    words = f"{entry.verdict}: "
    if scaling.exponent is None or not math.isfinite(scaling.exponent):
        words += "no exponent could be estimated"
    else:
        words += f"grows like {scaling.size}^{exponent(scaling.exponent)}"
        if scaling.interval is not None:
            low, high = map(exponent, scaling.interval)
            words += f" ({100 * scaling.confidence:.3g}% interval {low} to {high})"
    return clean(f"{words}; claimed {scaling.claimed.label}")


def exponent(value: float) -> str:
    """An exponent with two decimals, ``0.42``, and no sign before a zero."""
    return f"{round(value, 2) or 0.0:.2f}" if math.isfinite(value) else numeral(value)


def place(entry: RegimeEntry, scaling: Scaling) -> str:
    """``scaled(0.01) on lock, 6 seeds at each of 10 sizes``."""
    points = scaling.points
    sizes, seeds = {point.size for point in points}, {point.seed for point in points}
    if not points:
        return f"{where(entry)}: no trial"
    return f"{where(entry)}, {plural(len(seeds), 'seed')} at each of {plural(len(sizes), 'size')}"


def sizes_of(scaling: Scaling, most: int | None) -> list[float]:
    """The sizes that were run, at most so many of them."""
    sizes = sorted({point.size for point in scaling.points})
    if most is None or len(sizes) <= most:
        return sizes
    chosen = np.unique(np.linspace(0, len(sizes) - 1, most).round().astype(int))
    return [sizes[i] for i in chosen]


def rows(scaling: Scaling, sizes: Sequence[float]) -> list[Row]:
    """Means over seeds, the explicit bound, their ratio and the trivial bound, at these sizes."""
    means = {size: _mean(scaling, size) for size in sizes}
    unit = f" ({scaling.quantity_unit})" if scaling.quantity_unit else ""
    result = [
        Row(scaling.size, tuple(_size(size) for size in sizes)),
        Row(f"{scaling.quantity}{unit}", tuple(numeral(mean) for mean in means.values())),
    ]
    bound, trivial = ({item.size: item.value for item in curve} for curve in (scaling.bound, scaling.trivial))
    if bound:
        result.append(Row("explicit bound", tuple(numeral(bound[size]) if size in bound else "" for size in sizes)))
        ratios = (bound[size] / mean if size in bound and mean > 0 else float("nan") for size, mean in means.items())
        result.append(Row("bound / measured", tuple(_ratio(value) for value in ratios)))
    if trivial:
        result.append(Row("trivial bound", tuple(numeral(trivial[size]) if size in trivial else "" for size in sizes)))
    return result


def facts(entry: RegimeEntry, scaling: Scaling, verbose: bool) -> Iterator[tuple[str, str]]:
    """Rows on a rate, each with a label: verdict, exponent, curve, bound, power, paper, remark."""
    yield "verdict", f"{entry.verdict}: {entry.reason}"
    if scaling.burn_in is not None:
        yield "burn-in", f"{scaling.size} < {numeral(scaling.burn_in)} shown, not used: {scaling.burn_in_reason}"
    elif verbose:
        yield "burn-in", scaling.burn_in_reason
    if verbose or not entry.reason.startswith("the exponent"):
        yield from _exponent(scaling)
    yield from _curves(scaling, verbose)
    yield from _bound(scaling)
    if scaling.power:
        power = scaling.power
        note = f": {power.note}" if power.note else ""
        yield "power", f"{power.alternative} is {_called(power.verdict)}{note}"
    for stated in scaling.overlay:
        here = _mean(scaling, stated.size)
        measured = f"; here {numeral(here)}" if here == here else ""
        yield "paper", f"{stated.label}: {numeral(stated.value)} at {scaling.size} = {_size(stated.size)}{measured}"
    if scaling.remark:
        yield "note", scaling.remark


def _exponent(scaling: Scaling) -> Iterator[tuple[str, str]]:
    found, claimed = scaling.exponent, scaling.claimed_exponent
    if scaling.interval is None or found is None or claimed is None:
        return
    low, high = (f"{end:.2f}" for end in scaling.interval)
    percent = numeral(100 * scaling.confidence, 4)
    text = f"{found:.2f}, between {low} and {high} ({percent}%, Student over seeds)"
    yield "exponent", f"{text}; {scaling.claimed.label} has {claimed:.2f} over these sizes"


def _curves(scaling: Scaling, verbose: bool) -> Iterator[tuple[str, str]]:
    chosen = [model for model in scaling.models if model.chosen]
    for model in chosen:
        text = f"{_formula(model)} predicts each size best from the others (to {100 * model.score:.1f}%)"
        for item in scaling.held_out:
            low, high, predicted, value = map(numeral, (item.low, item.high, item.predicted, item.value))
            inside = item.low * (1 - 1e-6) <= item.value <= item.high * (1 + 1e-6)  # no noise at all
            at = f"{scaling.size} = {_size(item.size)}"
            text += f"; left out, {at} was predicted as {predicted} ({low} to {high}) and is {value}"
            text += "" if inside else ", outside"
        yield "curve", text
    rivals = [model for model in scaling.models if model.compatible and not model.chosen]
    if rivals:
        listed = ", ".join(_formula(model) for model in rivals)
        alike = bool(chosen) and chosen[0].compatible
        yield "also", f"the data cannot tell it from {listed}" if alike else f"within the noise are {listed}"
    elif chosen and not chosen[0].compatible:
        yield "also", "no curve, not even this one, is within the noise at every size"
    if verbose:
        others = [model for model in scaling.models if not model.chosen and not model.compatible]
        if others:
            yield "others", "; ".join(f"{_formula(model)} misses by {100 * model.score:.0f}%" for model in others)


def _formula(model: ScalingModel) -> str:
    """``2.1 K^0.43``: the formula with its parameters in it."""
    if model.name == "power":
        return model.formula.replace("a ", f"{numeral(model.factor)} ").replace("^b", f"^{model.exponent:.2f}")
    return model.formula if model.name in ("constant", "logarithm", "linear") else f"{model.formula} ({model.name})"


def _bound(scaling: Scaling) -> Iterator[tuple[str, str]]:
    if not scaling.bound:
        return
    size = scaling.nonvacuous_from
    last = max(item.size for item in scaling.bound)
    mean = _mean(scaling, last)
    bound = next(item.value for item in scaling.bound if item.size == last)
    parts = []
    if mean > 0:
        parts.append(f"{_ratio(bound / mean)} times what was measured at {scaling.size} = {_size(last)}")
    if size is not None:
        never = numeral(size) in ("inf", "nan")
        says = "at no size" if never else f"from {scaling.size} = {numeral(size)} on"
        parts.append(f"below the trivial bound {says}")
    if parts:
        yield "bound", ", ".join(parts)


def _mean(scaling: Scaling, size: float) -> float:
    values = [point.value for point in scaling.points if point.size == size]
    return float(np.mean(values)) if values else float("nan")


def _size(size: float) -> str:
    return numeral(size, 6)


def _ratio(value: float) -> str:
    return numeral(value, 2) if value == value else "-"


def _called(verdict: str) -> str:
    words = {"violated": "called violated", "inconclusive": "no clear case", "conforms": "not caught", "vacuous": "not caught"}
    return words.get(verdict, verdict)
