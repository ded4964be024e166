"""Localisation of planted bugs: plain data, part of the record."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConfusionEntry:
    """Number of bugs of a line that were first seen to break another claim, or the claim of that line itself."""

    declared: str
    found: str
    bugs: int


@dataclass(frozen=True)
class LocalisationEntry:
    """The bugs that were found and declare the claim of the line they break, garbage agents left out.

    `named` counts those of which that claim is among the first broken ones, `told` those of them whose sentence about the
    difference says what the bug declares. `confusion` has every pair of a declared claim and one broken first; a bug that breaks
    several first counts in each.
    """

    bugs: int
    named: int
    told: int
    confusion: tuple[ConfusionEntry, ...]
