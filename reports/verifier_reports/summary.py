"""What a record says, as pure functions over its JSON form: grouping, decisive entries, the bottom line."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from verifier.record import number as read
from verifier.record.verdict import ORDER, Verdict, overall
from verifier_reports.figures import visible_error

Data = Mapping[str, Any]
K = TypeVar("K")

VERDICTS = tuple(verdict.value for verdict in ORDER)
"""Worst first: a claim, or a regime of it, takes the first of these that occurs among its entries."""

MARKS = {"violated": "✗", "error": "!", "inconclusive": "?", "conforms": "✓", "vacuous": "○", "not applicable": "–"}

STATUS_MARKS = {"corrected": "†", "ours": "‡"}


def mark(verdict: str) -> str:
    """The symbol of a verdict."""
    return MARKS.get(verdict, "·")


def worst(verdicts: Iterable[str]) -> str:
    """The verdict over several entries."""
    return overall(verdicts).value


def short_name(claim: Data) -> str:
    """The name of a claim without its algorithm."""
    return str(claim["id"]).partition("/")[2] or str(claim["id"])


def where(entry: Data) -> str:
    """``oracle@onehot``; the instance alone where there is no regime."""
    return f"{entry['regime']}@{entry['instance']}" if entry["regime"] else str(entry["instance"])


def grouped(items: Iterable[Data], key: Callable[[Data], K]) -> dict[K, list[Data]]:
    """Items by key, in the order of first appearance."""
    groups: dict[K, list[Data]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def theorems(algorithm: Data) -> dict[str, list[Data]]:
    """Claims by the theorem they belong to, in the record's order."""
    return grouped(algorithm["claims"], lambda claim: claim["theorem"] or "Further claims")


def with_verdict(algorithm: Data, verdict: str) -> list[Data]:
    """The claims with this verdict, in the record's order."""
    return [claim for claim in algorithm["claims"] if claim["verdict"] == verdict]


def entries(claim: Data, verdict: str) -> list[Data]:
    """The entries of a claim with this verdict, most telling first."""
    return sorted((entry for entry in claim["regimes"] if entry["verdict"] == verdict), key=_tellingness, reverse=True)


def decisive(claim: Data) -> Data | None:
    """The entry that decides a claim: the worst one for violated, the tightest one with power for conforms.

    None if the claim was evaluated nowhere.
    """
    found = entries(claim, claim["verdict"]) or sorted(claim["regimes"], key=_tellingness, reverse=True)
    return found[0] if found else None


def why(claim: Data) -> str:
    """Why a claim has its verdict."""
    entry = decisive(claim)
    return str((entry["reason"] if entry else "") or claim["reason"])


def _tellingness(entry: Data) -> tuple[bool, bool, float, float]:
    return (
        entry["violations"] > 0 or entry["failures"] > 0,
        entry["powered"] > 0,
        _finite_first(read(entry["ratio"])),
        -_finite_first(read(entry["margin"])),
    )


def _finite_first(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def regimes(algorithm: Data) -> list[str]:
    """The regimes that occur, from the paper's own width to the exact one; assumptions have none."""
    claims = (claim for claim in algorithm["claims"] if claim["kind"] != "assumption")
    found = dict.fromkeys(entry["regime"] for claim in claims for entry in claim["regimes"] if entry["regime"])
    return sorted(found, key=lambda name: (name.startswith("oracle"), not name.startswith("published")))


def regime_marks(claim: Data, names: Sequence[str]) -> str:
    """One symbol per regime: the verdict there over all instances, blank where the claim is not evaluated."""
    found = grouped(claim["regimes"], lambda entry: str(entry["regime"]))
    return "".join(mark(worst(entry["verdict"] for entry in found[name])) if name in found else " " for name in names)


def silent(algorithm: Data) -> dict[str, list[str]]:
    """Per regime, the claims that are decided elsewhere but vacuous there on every instance they apply to."""
    result: dict[str, list[str]] = {}
    for claim in algorithm["claims"]:
        if claim["verdict"] == "vacuous":
            continue
        for regime, found in grouped(claim["regimes"], lambda entry: str(entry["regime"])).items():
            if worst(entry["verdict"] for entry in found) == "vacuous":
                result.setdefault(regime, []).append(short_name(claim))
    return result


def tally(algorithm: Data) -> dict[str, int]:
    """The number of claims per verdict.

    Raises
    ------
    ValueError
        If one is no verdict.
    """
    found = Counter(Verdict(claim["verdict"]) for claim in algorithm["claims"])
    return {verdict.value: found[verdict] for verdict in ORDER}


def headline(algorithm: Data) -> str:
    """The bottom line: ``nothing violated; 24 conform, 5 inconclusive, 3 vacuous, 2 not applicable``."""
    counts, failures = tally(algorithm), len(algorithm["errors"])
    if algorithm["power"] and not algorithm["claims"]:
        return power_line(algorithm["power"])
    if not algorithm["claims"]:
        return f"not checked; {failures} error{'s' * (failures != 1)}." if failures else "no claims were checked."
    first = [f"{counts['violated']} violated" if counts["violated"] else "nothing violated"]
    if counts["error"]:
        first.append(f"{counts['error']} in error")
    elif failures:
        first.append(f"{failures} error{'s' * (failures != 1)}")
    if incomplete(algorithm):
        first.append(f"{algorithm['counts'].get('selected', 0) - algorithm['counts'].get('evaluated', 0)} not evaluated")
    second = [f"{counts['conforms']} conform{'s' * (counts['conforms'] == 1)}"]
    second += [f"{counts[verdict]} {verdict}" for verdict in VERDICTS[2:] if counts[verdict] and verdict != "conforms"]
    planted = f"; {power_line(algorithm['power'])}" if algorithm["power"] else "."
    return ", ".join(first) + "; " + ", ".join(second) + planted


def power_line(power: Data) -> str:
    """``34 of 34 mutants killed``, and what became of the others."""
    outcomes = [mutant["outcome"] for mutant in power["mutants"]]
    rest = [f"{outcomes.count(outcome)} {outcome}" for outcome in ("survived", "error", "equivalent") if outcome in outcomes]
    return f"{outcomes.count('killed')} of {len(outcomes)} mutants killed" + "".join(f", {part}" for part in rest) + "."


def incomplete(algorithm: Data) -> bool:
    """Not every selected claim was evaluated."""
    counts = algorithm["counts"]
    return bool(counts.get("selected", 0) != counts.get("evaluated", 0))


def worst_violation(algorithm: Data) -> tuple[Data, Data] | None:
    """The violated claim and entry that are worst of all."""
    found = [(claim, entry) for claim in with_verdict(algorithm, "violated") for entry in entries(claim, "violated")]
    return max(found, key=lambda pair: _tellingness(pair[1]), default=None)


def sharpest(algorithm: Data) -> tuple[Data, Data] | None:
    """The claim given an event, and its entry, that passes while the smallest error would have been seen.

    These are the lemmas the published width leaves empty; how little room the exact width leaves them is how sharp the
    check is. Margins that are zero are equalities by construction and say nothing of that.
    """
    found = [
        (claim, entry)
        for claim in with_verdict(algorithm, "conforms")
        for entry in entries(claim, "conforms")
        if claim["kind"] == "given" and entry["powered"] and read(entry["margin"]) > 0 and visible_error(entry) > 0
    ]
    return min(found, key=lambda pair: visible_error(pair[1]), default=None)
