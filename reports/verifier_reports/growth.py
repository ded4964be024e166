"""How quantities grow with the size: the findings of scaling claims in words and small tables, for screen, page and figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.record import number as read
from verifier_reports.figures import figure, plural
from verifier_reports.screen import clean
from verifier_reports.summary import short_name, where

Data = Mapping[str, Any]

COLUMNS = 7
"""Sizes shown where not all are: the smallest, the largest, and some between."""


@dataclass(frozen=True)
class Row:
    """A line of the table: a label and one text for each size."""

    label: str
    cells: tuple[str, ...]


def growths(algorithm: Data) -> list[tuple[Data, Data]]:
    """The claims and entries with a measured growth, in the record's order."""
    return [(claim, entry) for claim in algorithm["claims"] for entry in claim["regimes"] if entry.get("scaling")]


def title(claim: Data, entry: Data) -> str:
    """``regret: regret against K, published@lock``."""
    found = entry["scaling"]
    return clean(f"{short_name(claim)}: {found['quantity']} against {found['size']}, {where(entry)}")


def verdict_line(claim: Data, entry: Data) -> str:
    """The verdict with the two exponents it compares.

    ``conforms: grows like K^0.52 (95% interval 0.45 to 0.6); claimed sqrt(K)``.
    """
    found = entry["scaling"]
    words = f"{entry['verdict']}: "
    if found["exponent"] is None or not math.isfinite(read(found["exponent"])):
        words += "no exponent could be estimated"
    else:
        words += f"grows like {found['size']}^{figure(found['exponent'], 2)}"
        if found["interval"] is not None:
            low, high = (figure(end, 2) for end in found["interval"])
            words += f" ({100 * read(found['confidence']):.3g}% interval {low} to {high})"
    claimed = found["claimed"]
    return clean(words + (f"; claimed {claimed['label']}" if claimed else ""))


def captions(claim: Data, entry: Data) -> tuple[str, ...]:
    """Everything below a figure, most important first: the verdict, and the facts of the screen as sentences."""
    told = [verdict_line(claim, entry), str(entry["reason"])]
    told += [f"{label}: {text}" for label, text in facts(claim, entry, False) if label != "verdict"]
    told += [f"from {place(entry)}", _undrawn(entry["scaling"])]
    return tuple(_sentence(clean(text)) for text in told if text.strip())


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _undrawn(scaling: Data) -> str:
    missing = sum(not 0 < read(point["value"]) < math.inf for point in scaling["points"])
    return f"{plural(missing, 'value')} at or below zero or not finite cannot be drawn" if missing else ""


def place(entry: Data) -> str:
    """``scaled(0.01) on lock, 6 seeds at each of 10 sizes``."""
    points = entry["scaling"]["points"]
    sizes, seeds = {point["size"] for point in points}, {point["seed"] for point in points}
    if not points:
        return f"{where(entry)}: no trial"
    return f"{where(entry)}, {plural(len(seeds), 'seed')} at each of {plural(len(sizes), 'size')}"


def sizes_of(entry: Data, most: int | None) -> list[float]:
    """The sizes that were run, at most so many of them."""
    sizes = sorted({read(point["size"]) for point in entry["scaling"]["points"]})
    if most is None or len(sizes) <= most:
        return sizes
    chosen = np.unique(np.linspace(0, len(sizes) - 1, most).round().astype(int))
    return [sizes[i] for i in chosen]


def rows(entry: Data, sizes: Sequence[float]) -> list[Row]:
    """Means over seeds, the explicit bound, their ratio and what anything meets, at these sizes."""
    scaling = entry["scaling"]
    means = {size: _mean(scaling, size) for size in sizes}
    unit = f" ({scaling['quantity_unit']})" if scaling["quantity_unit"] else ""
    result = [
        Row(scaling["size"], tuple(_size(size) for size in sizes)),
        Row(f"{scaling['quantity']}{unit}", tuple(figure(mean) for mean in means.values())),
    ]
    bound, trivial = ({read(item["size"]): read(item["value"]) for item in scaling[which]} for which in ("bound", "trivial"))
    if bound:
        result.append(Row("explicit bound", tuple(figure(bound[size]) if size in bound else "" for size in sizes)))
        ratios = (bound[size] / mean if size in bound and mean > 0 else float("nan") for size, mean in means.items())
        result.append(Row("bound / measured", tuple(_ratio(value) for value in ratios)))
    if trivial:
        result.append(Row("anything meets", tuple(figure(trivial[size]) if size in trivial else "" for size in sizes)))
    return result


def facts(claim: Data, entry: Data, verbose: bool) -> Iterator[tuple[str, str]]:
    """What was found, each with a label: verdict, exponent, curve, bound, power, paper, remark."""
    scaling = entry["scaling"]
    yield "verdict", f"{entry['verdict']}: {entry['reason']}"
    if scaling["burn_in"] is not None:
        yield "burn-in", f"{scaling['size']} < {figure(scaling['burn_in'])} shown, not used: {scaling['burn_in_reason']}"
    elif verbose:
        yield "burn-in", scaling["burn_in_reason"]
    if (
        scaling["interval"] is not None
        and scaling["claimed"]
        and (verbose or not str(entry["reason"]).startswith("the exponent"))
    ):
        low, high = (f"{read(end):.2f}" for end in scaling["interval"])
        percent = figure(100 * read(scaling["confidence"]), 4)
        yield (
            "exponent",
            (
                f"{read(scaling['exponent']):.2f}, between {low} and {high} ({percent}%, Student over seeds); "
                f"{scaling['claimed']['label']} has {read(scaling['claimed_exponent']):.2f} over these sizes"
            ),
        )
    yield from _curves(scaling, verbose)
    yield from _bound(entry)
    if scaling["power"]:
        power = scaling["power"]
        note = f": {power['note']}" if power["note"] else ""
        yield "power", f"{power['alternative']} is {_called(power['verdict'])}{note}"
    for stated in scaling["overlay"]:
        here = _mean(scaling, read(stated["size"]))
        measured = f"; here {figure(here)}" if here == here else ""
        yield "paper", f"{stated['label']}: {figure(stated['value'])} at {scaling['size']} = {_size(stated['size'])}{measured}"
    if scaling["remark"]:
        yield "note", scaling["remark"]


def _curves(scaling: Data, verbose: bool) -> Iterator[tuple[str, str]]:
    chosen = [model for model in scaling["models"] if model["chosen"]]
    for model in chosen:
        text = f"{_formula(model)} predicts each size best from the others (to {100 * read(model['score']):.1f}%)"
        for item in scaling["held_out"]:
            low, high, predicted, value = (figure(item[key]) for key in ("low", "high", "predicted", "value"))
            inside = read(item["low"]) * (1 - 1e-6) <= read(item["value"]) <= read(item["high"]) * (1 + 1e-6)  # no noise at all
            at = f"{scaling['size']} = {_size(item['size'])}"
            text += f"; left out, {at} was predicted as {predicted} ({low} to {high}) and is {value}"
            text += "" if inside else ", outside"
        yield "curve", text
    rivals = [model for model in scaling["models"] if model["compatible"] and not model["chosen"]]
    if rivals:
        listed = ", ".join(_formula(model) for model in rivals)
        alike = bool(chosen) and chosen[0]["compatible"]
        yield "also", f"the data cannot tell it from {listed}" if alike else f"within the noise are {listed}"
    elif chosen and not chosen[0]["compatible"]:
        yield "also", "no curve, not even this one, is within the noise at every size"
    if verbose:
        others = [model for model in scaling["models"] if not model["chosen"] and not model["compatible"]]
        if others:
            yield "others", "; ".join(f"{_formula(model)} misses by {100 * read(model['score']):.0f}%" for model in others)


def _formula(model: Data) -> str:
    """``2.1 K^0.43``: the formula with its parameters in it."""
    formula = str(model["formula"])
    if model["name"] == "power":
        return formula.replace("a ", f"{figure(model['parameters']['a'])} ").replace(
            "^b", f"^{read(model['parameters']['b']):.2f}"
        )
    return f"{formula} ({model['name']})" if model["name"] not in ("constant", "logarithm", "linear") else formula


def _bound(entry: Data) -> Iterator[tuple[str, str]]:
    scaling = entry["scaling"]
    if not scaling["bound"]:
        return
    size = scaling["nonvacuous_from"]
    last = max(read(item["size"]) for item in scaling["bound"])
    mean = _mean(scaling, last)
    bound = next(read(item["value"]) for item in scaling["bound"] if read(item["size"]) == last)
    parts = []
    if mean > 0:
        parts.append(f"{_ratio(bound / mean)} times what was measured at {scaling['size']} = {_size(last)}")
    if size is not None:
        never = figure(size) in ("inf", "nan")
        says = "at no size" if never else f"from {scaling['size']} = {figure(size)} on"
        parts.append(f"below what anything meets {says}")
    if parts:
        yield "bound", ", ".join(parts)


def _mean(scaling: Data, size: float) -> float:
    values = [read(point["value"]) for point in scaling["points"] if read(point["size"]) == size]
    return float(np.mean(values)) if values else float("nan")


def _size(size: Any) -> str:
    return figure(size, 6)


def _ratio(value: float) -> str:
    return figure(value, 2) if value == value else "-"


def _called(verdict: str) -> str:
    words = {"violated": "called violated", "inconclusive": "no clear case", "conforms": "not caught", "vacuous": "not caught"}
    return words.get(verdict, verdict)
