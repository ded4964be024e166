"""The bottom line of an algorithm, as every report says it."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.record import AlgorithmEntry, ClaimPowerEntry, PowerEntry
from verifier_reports import tightness
from verifier_reports.diagnosis import first_broken, named, unfounded
from verifier_reports.numbers import plural
from verifier_reports.summary import VERDICTS, incomplete, several, tally


def headline(algorithm: AlgorithmEntry) -> str:
    """The bottom line: ``nothing violated; 5 inconclusive, 24 conform, 3 vacuous, 2 not applicable``.

    Before it stands what is missing, and the first broken line: ``First broken: q-formula (Line 6). 5 violated, 4 of them resting
    on it; 24 conform, 7 of them resting on it``.
    """
    first = f"unfinished ({algorithm.unfinished}): " if algorithm.unfinished else ""
    return first + _found(algorithm)


def _found(algorithm: AlgorithmEntry) -> str:
    counts, failures = tally(algorithm), len(algorithm.errors)
    if algorithm.power and not algorithm.claims:
        return power_line(algorithm.power)
    if algorithm.tightness:
        return tightness.line(algorithm.tightness)
    if not algorithm.claims:
        return f"not checked; {plural(failures, 'error')}." if failures else "no claims were checked."
    nothing = "nothing violated so far" if algorithm.unfinished else "nothing violated"
    first = [f"{counts['violated']} violated{_resting(algorithm, 'violated')}" if counts["violated"] else nothing]
    first += lacking(algorithm)
    second = [
        f"{counts[verdict]} {several(verdict, counts[verdict])}{_resting(algorithm, verdict) if verdict == 'conforms' else ''}"
        for verdict in VERDICTS[2:]
        if counts[verdict] or verdict == "conforms"
    ]
    planted = f"; {power_line(algorithm.power)}" if algorithm.power else "."
    return first_broken(algorithm) + ", ".join(first) + "; " + ", ".join(second) + planted


def brief(algorithm: AlgorithmEntry) -> str:
    """Headline without what is told beside it: ``First broken: q-formula (Line 6). 5 violated, 24 conform``."""
    counts = {verdict: number for verdict, number in tally(algorithm).items() if number}
    unfinished = "unfinished: " if algorithm.unfinished else ""
    if not algorithm.claims or not counts.get("violated"):
        return unfinished + _found(algorithm)
    missing = f", {algorithm.selected - algorithm.evaluated} not evaluated" if incomplete(algorithm) else ""
    each = ", ".join(f"{number} {several(verdict, number)}" for verdict, number in counts.items())
    return f"{unfinished}{named(algorithm)}{each}{missing}."


def unchecked(algorithm: AlgorithmEntry) -> bool:
    """Whether something went wrong before any claim could be checked."""
    return bool(algorithm.errors) and not algorithm.claims


def stopped(algorithm: AlgorithmEntry) -> bool:
    """Whether nothing that was played could be compared: only assumptions, which are about instances, may have a verdict."""
    played = [claim for claim in algorithm.claims if claim.kind != "assumption"]
    return bool(algorithm.errors and played) and all(claim.verdict in ("error", "not applicable") for claim in played)


def lacking(algorithm: AlgorithmEntry) -> list[str]:
    """Obstacles to a verdict on each selected claim: ``2 in error``, ``1 not evaluated``."""
    found, failures = [], len(algorithm.errors)
    if tally(algorithm)["error"]:
        found.append(f"{tally(algorithm)['error']} in error")
    elif failures:
        found.append(plural(failures, "error"))
    if incomplete(algorithm):
        found.append(f"{algorithm.selected - algorithm.evaluated} not evaluated")
    return found


def outcome(algorithm: AlgorithmEntry) -> str:
    """The verdict that the whole is to be seen as: what must not be overlooked comes first, and unfinished is no pass."""
    verdicts = {claim.verdict for claim in algorithm.claims}
    outcomes = {mutant.outcome for mutant in algorithm.power.mutants} if algorithm.power else set()
    unseen = algorithm.power is not None and any(entry.missing for entry in algorithm.power.by_claim)
    if "violated" in verdicts or "survived" in outcomes or unseen:
        return "violated"
    if "error" in verdicts or algorithm.errors or "error" in outcomes:
        return "error"
    if algorithm.unfinished or "not run" in outcomes:
        return "inconclusive"
    if algorithm.tightness:
        return "observed"  # nothing is judged
    if outcomes and not verdicts:
        return "conforms"
    return "conforms" if "conforms" in verdicts else "inconclusive"


def _resting(algorithm: AlgorithmEntry, verdict: str) -> str:
    """Number of claims with a verdict that rest on what is broken."""
    found = len(unfounded(algorithm, verdict))
    return f" ({found} of them resting on {'it' if len(algorithm.first_broken) == 1 else 'these'})" if found else ""


def power_line(power: PowerEntry) -> str:
    """``34 of 34 planted bugs found``, and what became of the others; or how many claims a wrong agent violated."""
    if power.by_claim:
        return _by_claim(power.by_claim)
    outcomes = [mutant.outcome for mutant in power.mutants]
    others = ("survived", "error", "not run", "equivalent")
    rest = [f"{outcomes.count(outcome)} {outcome}" for outcome in others if outcome in outcomes]
    return f"{outcomes.count('killed')} of {len(outcomes)} planted bugs found" + "".join(f", {part}" for part in rest) + "."


def _by_claim(claims: Sequence[ClaimPowerEntry]) -> str:
    shown, missing = sum(entry.kill is not None for entry in claims), sum(entry.missing for entry in claims)
    proved = sum(bool(entry.unbreakable) for entry in claims if entry.kill is None)
    others = {"unbreakable": proved, "vacuous": len(claims) - shown - missing - proved, "not seen to fail": missing}
    rest = "".join(f", {count} {what}" for what, count in others.items() if count)
    return f"{shown} of {len(claims)} claims were violated by a wrong agent{rest}."
