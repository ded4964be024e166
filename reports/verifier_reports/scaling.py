"""Sentences about the growth of a quantity with the size, from the `scaling` object of an entry."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from verifier.record import number as read
from verifier_reports.figures import figure, plural
from verifier_reports.screen import clean
from verifier_reports.summary import short_name, where

Data = Mapping[str, Any]


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
    """Everything below the figure, most important first."""
    return tuple(clean(text) for text in _sentences(claim, entry) if text)


def _sentences(claim: Data, entry: Data) -> Iterator[str]:
    found = entry["scaling"]
    line = verdict_line(claim, entry)
    yield line[0].upper() + line[1:] + "."
    yield _sentence(entry["reason"])
    yield _power(found["power"])
    yield _sentence(found.get("remark") or "")
    yield _seeds(found)
    yield _burn_in(found)
    yield _forecast(found)
    yield _looseness(found)
    yield _horizon(found)


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".") if text else ""


def _power(power: Data | None) -> str:
    if not power:
        return ""
    note = f" ({power['note'].strip().rstrip('.')})" if power["note"] else ""
    verdict = f"'{power['alternative']}', which is known to be wrong, gets '{power['verdict']}' here{note}"
    if power["verdict"] == "violated":
        return f"The check has power: {verdict}."
    return f"Without power on this instance: {verdict}, so a pass says little."


def _seeds(found: Data) -> str:
    seeds, sizes = {point["seed"] for point in found["points"]}, {point["size"] for point in found["points"]}
    missing = sum(not 0 < read(point["value"]) < math.inf for point in found["points"])
    lost = f"; {plural(missing, 'value')} at or below zero or not finite cannot be drawn" if missing else ""
    return f"{plural(len(sizes), 'size')}, {plural(len(seeds), 'seed')} each{lost}." if seeds else ""


def _burn_in(found: Data) -> str:
    if found["burn_in"] is None:
        return ""
    reason = f": {found['burn_in_reason'].strip().rstrip('.')}" if found["burn_in_reason"] else ""
    return f"Sizes below {found['size']} = {figure(found['burn_in'])} are shown but not fitted{reason}."


def _forecast(found: Data) -> str:
    inside = sum(read(p["low"]) <= read(p["value"]) <= read(p["high"]) for p in found["held_out"])
    total = len(found["held_out"])
    return f"{inside} of {total} held-out larger sizes fall within the forecast." if total else ""


def _looseness(found: Data) -> str:
    bound = {read(point["size"]): read(point["value"]) for point in found["bound"]}
    sizes = sorted({read(point["size"]) for point in found["points"]} & set(bound))
    if not sizes:
        return ""
    size = sizes[-1]
    seen = median(read(point["value"]) for point in found["points"] if read(point["size"]) == size)
    if not seen > 0 or not math.isfinite(bound[size]):
        return ""
    return f"At {found['size']} = {figure(size)} the paper's bound is {figure(bound[size] / seen, 2)} times the median seen."


def _horizon(found: Data) -> str:
    size = found["nonvacuous_from"]
    if size is None:
        return ""
    if not math.isfinite(read(size)):
        return "At no size does the bound fall below what anything meets."
    return f"The bound falls below what anything meets from {found['size']} = {figure(size, 2)} on."
