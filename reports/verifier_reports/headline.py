"""The bottom line of an algorithm, as every report says it."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.record import AlgorithmEntry, ClaimPowerEntry, PowerEntry
from verifier_reports.diagnosis import first_broken, unfounded
from verifier_reports.summary import VERDICTS, incomplete, tally


def headline(algorithm: AlgorithmEntry) -> str:
    """The bottom line: ``nothing violated; 24 conform, 5 inconclusive, 3 vacuous, 2 not applicable``.

    Before it stands what is missing, and the first broken line: ``First broken: q-formula (Line 6). 5 violated, 4 of them resting
    on it; 24 conform, 7 of them resting on it``.
    """
    first = f"unfinished ({algorithm.unfinished}): " if algorithm.unfinished else ""
    return first + _found(algorithm)


def _found(algorithm: AlgorithmEntry) -> str:
    counts, failures = tally(algorithm), len(algorithm.errors)
    if algorithm.power and not algorithm.claims:
        return power_line(algorithm.power)
    if not algorithm.claims:
        return f"not checked; {failures} error{'s' * (failures != 1)}." if failures else "no claims were checked."
    nothing = "nothing violated so far" if algorithm.unfinished else "nothing violated"
    first = [f"{counts['violated']} violated{_resting(algorithm, 'violated')}" if counts["violated"] else nothing]
    if counts["error"]:
        first.append(f"{counts['error']} in error")
    elif failures:
        first.append(f"{failures} error{'s' * (failures != 1)}")
    if incomplete(algorithm):
        first.append(f"{algorithm.selected - algorithm.evaluated} not evaluated")
    second = [f"{counts['conforms']} conform{'s' * (counts['conforms'] == 1)}{_resting(algorithm, 'conforms')}"]
    second += [f"{counts[verdict]} {verdict}" for verdict in VERDICTS[2:] if counts[verdict] and verdict != "conforms"]
    planted = f"; {power_line(algorithm.power)}" if algorithm.power else "."
    return first_broken(algorithm) + ", ".join(first) + "; " + ", ".join(second) + planted


def _resting(algorithm: AlgorithmEntry, verdict: str) -> str:
    """How many claims with a verdict rest on what is broken."""
    found = len(unfounded(algorithm, verdict))
    return f" ({found} of them resting on {'it' if len(algorithm.first_broken) == 1 else 'these'})" if found else ""


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
