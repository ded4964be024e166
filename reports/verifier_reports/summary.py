"""What a record says, as pure functions: grouping, the most telling entries, the bottom line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from verifier.record import AlgorithmEntry, ClaimEntry, ClaimPowerEntry, KillEntry, LedgerEntry, PowerEntry, RegimeEntry
from verifier.record.decisive import telling, weight
from verifier.record.verdict import ORDER, Verdict, overall
from verifier_reports.numbers import visible_error

K = TypeVar("K")
T = TypeVar("T")

VERDICTS = tuple(verdict.value for verdict in ORDER)
"""Worst first: a claim, or a regime of it, takes the first of these that occurs among its entries."""

MARKS = {"violated": "✗", "error": "!", "inconclusive": "?", "conforms": "✓", "vacuous": "○", "not applicable": "–"}

STATUS_MARKS = {"corrected": "†", "ours": "‡"}

CAVEAT = "◐"
"""Beside the place of a comparison of which an entry has `caveats`."""


def mark(verdict: str) -> str:
    """The symbol of a verdict."""
    return MARKS.get(verdict, "·")


def worst(verdicts: Iterable[str]) -> str:
    """The verdict over several entries."""
    return overall(verdicts).value


def short_name(claim: ClaimEntry) -> str:
    """The name of a claim without its algorithm."""
    return claim.id.partition("/")[2] or claim.id


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
    """Why a claim has its verdict."""
    return (claim.deciding.reason if claim.deciding else "") or claim.reason


def regimes(algorithm: AlgorithmEntry) -> list[str]:
    """The regimes that occur, from the paper's own width to the exact one; assumptions have none."""
    claims = (claim for claim in algorithm.claims if claim.kind != "assumption")
    found = dict.fromkeys(entry.regime for claim in claims for entry in claim.regimes if entry.regime)
    return sorted(found, key=lambda name: (name.startswith("oracle"), not name.startswith("published")))


def regime_marks(claim: ClaimEntry, names: Sequence[str]) -> str:
    """One symbol per regime: the verdict there over all instances, blank where the claim is not evaluated."""
    found = grouped(claim.regimes, lambda entry: entry.regime)
    return "".join(mark(worst(entry.verdict for entry in found[name])) if name in found else " " for name in names)


def silent(algorithm: AlgorithmEntry) -> dict[str, list[str]]:
    """Per regime, the claims that are decided elsewhere but vacuous there on every instance they apply to."""
    result: dict[str, list[str]] = {}
    for claim in algorithm.claims:
        if claim.verdict == "vacuous":
            continue
        for regime, found in grouped(claim.regimes, lambda entry: entry.regime).items():
            if worst(entry.verdict for entry in found) == "vacuous":
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


def headline(algorithm: AlgorithmEntry) -> str:
    """The bottom line: ``nothing violated; 24 conform, 5 inconclusive, 3 vacuous, 2 not applicable``; first, what is missing."""
    first = f"unfinished ({algorithm.unfinished}): " if algorithm.unfinished else ""
    return first + _found(algorithm)


def _found(algorithm: AlgorithmEntry) -> str:
    counts, failures = tally(algorithm), len(algorithm.errors)
    if algorithm.power and not algorithm.claims:
        return power_line(algorithm.power)
    if not algorithm.claims:
        return f"not checked; {failures} error{'s' * (failures != 1)}." if failures else "no claims were checked."
    nothing = "nothing violated so far" if algorithm.unfinished else "nothing violated"
    first = [f"{counts['violated']} violated" if counts["violated"] else nothing]
    if counts["error"]:
        first.append(f"{counts['error']} in error")
    elif failures:
        first.append(f"{failures} error{'s' * (failures != 1)}")
    if incomplete(algorithm):
        first.append(f"{algorithm.selected - algorithm.evaluated} not evaluated")
    second = [f"{counts['conforms']} conform{'s' * (counts['conforms'] == 1)}"]
    second += [f"{counts[verdict]} {verdict}" for verdict in VERDICTS[2:] if counts[verdict] and verdict != "conforms"]
    planted = f"; {power_line(algorithm.power)}" if algorithm.power else "."
    return ", ".join(first) + "; " + ", ".join(second) + planted


def power_line(power: PowerEntry) -> str:
    """``34 of 34 mutants killed``, and what became of the others; or how many claims a mutant violated."""
    if power.by_claim:
        return _by_claim(power.by_claim)
    outcomes = [mutant.outcome for mutant in power.mutants]
    others = ("survived", "error", "not run", "equivalent")
    rest = [f"{outcomes.count(outcome)} {outcome}" for outcome in others if outcome in outcomes]
    return f"{outcomes.count('killed')} of {len(outcomes)} mutants killed" + "".join(f", {part}" for part in rest) + "."


def _by_claim(claims: Sequence[ClaimPowerEntry]) -> str:
    shown, missing = sum(entry.kill is not None for entry in claims), sum(entry.missing for entry in claims)
    proved = sum(bool(entry.unbreakable) for entry in claims if entry.kill is None)
    others = {"unbreakable": proved, "vacuous": len(claims) - shown - missing - proved, "not seen to fail": missing}
    rest = "".join(f", {count} {what}" for what, count in others.items() if count)
    return f"{shown} of {len(claims)} claims were violated by a wrong agent{rest}."


def incomplete(algorithm: AlgorithmEntry) -> bool:
    """Not every selected claim was evaluated."""
    return algorithm.selected != algorithm.evaluated


def worst_violation(algorithm: AlgorithmEntry) -> tuple[ClaimEntry, RegimeEntry] | None:
    """The violated claim and entry that are worst of all."""
    found = [(claim, claim.deciding) for claim in with_verdict(algorithm, "violated") if claim.deciding is not None]
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
