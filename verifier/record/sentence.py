"""What a record says of a claim, in one sentence: for findings, test runners and the formats of continuous integration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from verifier.record.entries import number
from verifier.record.verdict import overall

Data = Mapping[str, Any]


def in_regime(claim: Data, regime: str) -> dict[str, Any]:
    """A claim of the JSON record as if it had been evaluated in one regime only."""
    entries = [entry for entry in claim["regimes"] if entry["regime"] == regime]
    return {**claim, "regimes": entries, "verdict": overall(entry["verdict"] for entry in entries).value}


def decisive(claim: Data) -> Data | None:
    """The entry that has the verdict of the claim: one that can be replayed before one that cannot, then the largest ratio."""
    entries = [entry for entry in claim["regimes"] if entry["verdict"] == claim["verdict"]]
    return max(entries, key=lambda entry: (bool(entry["replay"]), _ratio(entry)), default=None)


def _ratio(entry: Data) -> float:
    value = number(entry["ratio"])
    return -math.inf if math.isnan(value) else value


def in_words(claim: Data) -> str:
    """The verdict of a claim of the JSON record, and why; a broken inequality with its numbers and its place."""
    entry = decisive(claim)
    if entry is None:
        return f"{claim['verdict']}: {claim['reason']}"
    where = f"{entry['regime']}@{entry['instance']}".lstrip("@")
    if claim["verdict"] == "violated":
        place = ", ".join(f"{axis} = {value}" for axis, value in entry["witness"].items())
        numbers = f"{number(entry['value']):.6g} <= {number(entry['bound']):.6g} is false"
        return f"violated: {claim['statement']}: {numbers} ({where}{'; ' if place else ''}{place}); {entry['reason']}"
    return f"{claim['verdict']} ({where}): {entry['reason']}"
