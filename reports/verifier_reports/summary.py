"""Summary of a record, as pure functions: grouping, the most telling entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from verifier.record import AlgorithmEntry, ClaimEntry, KillEntry, LedgerEntry, RegimeEntry
from verifier.record.decisive import telling, weight
from verifier.record.regime import verdict_of
from verifier.record.verdict import ORDER, Verdict
from verifier_reports.numbers import visible_error

K = TypeVar("K")
T = TypeVar("T")

VERDICTS = tuple(verdict.value for verdict in ORDER)
"""Worst first: a claim, or a regime of it, takes the first of these that occurs among its entries."""

MARKS = {
    "violated": "✗",
    "error": "!",
    "inconclusive": "?",
    "conforms": "✓",
    "observed": "◇",
    "vacuous": "○",
    "not applicable": "–",
}

STATUS_MARKS = {"corrected": "†", "ours": "‡"}

CAVEAT = "◐"
"""Beside the place of a comparison of which an entry has `caveats`."""


def mark(verdict: str) -> str:
    """The symbol of a verdict."""
    return MARKS.get(verdict, "·")


def several(verdict: str, number: int) -> str:
    """The word for so many claims with a verdict: ``24 conform``, ``1 conforms``, ``2 in error``."""
    return {"conforms": "conform", "error": "in error"}.get(verdict, verdict) if number != 1 else verdict


def worst(entries: Iterable[RegimeEntry]) -> str:
    """The verdict over several entries."""
    return verdict_of(entries).value


def short_name(claim: ClaimEntry) -> str:
    """The name of a claim without its algorithm."""
    return claim.name


def where(place: RegimeEntry | KillEntry | LedgerEntry) -> str:
    """``oracle@onehot``; the instance alone where there is no regime."""
    return f"{place.regime}@{place.instance}" if place.regime else place.instance


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Items by key, in the order of first appearance."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def theorems(algorithm: AlgorithmEntry) -> dict[str, list[ClaimEntry]]:
    """Claims by the theorem they belong to, in the record's order."""
    return grouped(algorithm.claims, lambda claim: claim.theorem or "Further claims")


def with_verdict(algorithm: AlgorithmEntry, verdict: str) -> list[ClaimEntry]:
    """The claims with this verdict, in the record's order."""
    return [claim for claim in algorithm.claims if claim.verdict == verdict]


def why(claim: ClaimEntry) -> str:
    """Reason for the verdict of a claim."""
    return (claim.deciding.reason if claim.deciding else "") or claim.reason


def regimes(algorithm: AlgorithmEntry) -> list[str]:
    """The regimes that occur, from the paper's own width to the exact one; assumptions have none."""
    claims = (claim for claim in algorithm.claims if claim.kind != "assumption")
    found = dict.fromkeys(entry.regime for claim in claims for entry in claim.regimes if entry.regime)
    return sorted(found, key=lambda name: (name.startswith("oracle"), not name.startswith("published")))


def regime_marks(claim: ClaimEntry, names: Sequence[str]) -> str:
    """Symbols of the regimes: the verdict there over all instances, blank where the claim is not evaluated."""
    found = grouped(claim.regimes, lambda entry: entry.regime)
    return "".join(mark(worst(found[name])) if name in found else " " for name in names)


def silent(algorithm: AlgorithmEntry) -> dict[str, list[str]]:
    """Per regime, the claims that are decided elsewhere but vacuous there on every instance they apply to."""
    result: dict[str, list[str]] = {}
    for claim in algorithm.claims:
        if claim.verdict in ("vacuous", "observed"):
            continue
        for regime, found in grouped(claim.regimes, lambda entry: entry.regime).items():
            if worst(found) == "vacuous":
                result.setdefault(regime, []).append(short_name(claim))
    return result


def tally(algorithm: AlgorithmEntry) -> dict[str, int]:
    """The number of claims per verdict.

    Raises
    ------
    ValueError
        If one is no verdict.
    """
    found = Counter(Verdict(claim.verdict) for claim in algorithm.claims)
    return {verdict.value: found[verdict] for verdict in ORDER}


def incomplete(algorithm: AlgorithmEntry) -> bool:
    """Whether some selected claim was not evaluated."""
    return algorithm.selected != algorithm.evaluated


def worst_violation(algorithm: AlgorithmEntry) -> tuple[ClaimEntry, RegimeEntry] | None:
    """The violated claim and entry that are worst of all, among those that are broken first where that is known."""
    claims = (claim for claim in with_verdict(algorithm, "violated") if not claim.broken_by)
    found = [(claim, claim.deciding) for claim in claims if claim.deciding is not None]
    return max(found, key=lambda pair: weight(pair[1]), default=None)


def sharpest(algorithm: AlgorithmEntry) -> tuple[ClaimEntry, RegimeEntry] | None:
    """The claim given an event, and its entry, that passes while the smallest error would have been seen.

    These are the lemmas the published width leaves empty; how little room the exact width leaves them is how sharp the
    check is. Margins that are zero are equalities by construction and tell nothing about it.
    """
    found = [
        (claim, entry)
        for claim in with_verdict(algorithm, "conforms")
        for entry in telling(claim.regimes, "conforms")
        if claim.kind == "given" and entry.powered and entry.margin > 0 and visible_error(entry) > 0
    ]
    return min(found, key=lambda pair: visible_error(pair[1]), default=None)
