"""The one rule that chooses which entry of a claim is cited: on the screen, on pages, by the gate and by test runners."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from verifier.record.regime import RegimeEntry


def telling(entries: Iterable[RegimeEntry], verdict: str) -> list[RegimeEntry]:
    """The entries with a verdict, the one to cite first.

    An entry that can be replayed comes before one that cannot; then one that needs more trials to be decided; then one in which a
    comparison or a trial failed; then one that could have failed; then the larger ratio of value to bound; then the smaller
    margin. Of entries alike in all of this the one that the record has first comes first, and what is not a number comes last.

    So a claim that is *violated* is cited where it is exceeded by the largest factor (or, where bounds are not positive and all
    ratios infinite, by the largest difference); one that *conforms* where it came closest to failing; one that is *vacuous* where
    the bound comes closest to what was measured; one that is *not applicable* where trials were run, if any were, and the
    premise of the claim never held.
    """
    return sorted((entry for entry in entries if entry.verdict == verdict), key=weight, reverse=True)


def decisive(entries: Sequence[RegimeEntry], verdict: str) -> int | None:
    """The index of the entry that decides a claim with this verdict; None if the claim was evaluated nowhere.

    Where no entry has the verdict, which no command writes, it is chosen among all of them.
    """
    found = [index for index, entry in enumerate(entries) if entry.verdict == verdict] or range(len(entries))
    return max(found, key=lambda index: weight(entries[index]), default=None)


def weight(entry: RegimeEntry) -> tuple[bool, int, bool, bool, float, float]:
    """Weight of an entry among those with the same verdict: the larger, the more telling."""
    failed = entry.violations > 0 or entry.failures > 0
    return bool(entry.replay), entry.needed, failed, entry.powered > 0, _or_least(entry.ratio), _or_least(-entry.margin)


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value
