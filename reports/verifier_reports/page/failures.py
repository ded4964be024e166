"""Failures on the first screen of the page: one line for each cause, with the command that shows it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.record import AlgorithmEntry, ClaimEntry, PowerEntry, Record
from verifier_reports import diagnosis, wording
from verifier_reports.claim_power import violated_by
from verifier_reports.page.view import error_groups, replay_command, slug
from verifier_reports.screen import clip

MOST = 6
"""Number of failures that are shown; the sections of the algorithms have all."""

_LONGEST = 300
"""Characters of what a plugin has raised."""


@dataclass(frozen=True)
class Failure:
    """A claim that is broken first, a crash, or a planted bug that nothing found; `target` is the id of what has the details."""

    target: str
    name: str
    verdict: str
    text: str
    command: str = ""


def failures(record: Record) -> list[Failure]:
    """Failures, algorithm by algorithm, violations first.

    Nothing where a page has one algorithm, which is open and begins with these itself.
    """
    if len(record.algorithms) == 1 and record.algorithms[0].claims:
        return []
    found = [one for algorithm in record.algorithms for one in _of(record, algorithm)]
    return sorted(found, key=lambda one: one.verdict != "violated")


def _of(record: Record, algorithm: AlgorithmEntry) -> Iterator[Failure]:
    for claim, consequences in diagnosis.violated(algorithm):
        because = diagnosis.because(consequences, 2)
        text = " ".join(part for part in (_how(claim), because and f"{because}.") if part)
        yield Failure(slug("claim", claim.id), claim.id, "violated", text, replay_command(record, algorithm, claim))
    for (kind, message), errors in error_groups(algorithm):
        yield Failure(slug(algorithm.name), f"{algorithm.name}: {kind}", "error", f"{errors[0].where}: {clip(message, _LONGEST)}")
    if algorithm.power:
        yield from _unseen(algorithm, algorithm.power)


def _how(claim: ClaimEntry) -> str:
    entry = claim.deciding
    if claim.difference or entry is None:
        return claim.difference or claim.reason
    return f"{wording.broken_comparison(claim, entry)}."


def _unseen(algorithm: AlgorithmEntry, power: PowerEntry) -> Iterator[Failure]:
    """Planted bugs that nothing found or that crashed, and claims that no wrong agent violates."""
    for bug in power.mutants:
        if bug.outcome in ("survived", "error"):
            verdict = "error" if bug.outcome == "error" else "violated"
            missed = f" Expected to be found by {', '.join(bug.missed)}." if bug.missed else ""
            text = f"{bug.outcome}: {bug.description}.{missed}"
            yield Failure(slug(algorithm.name, "bugs"), f"{algorithm.name}~{bug.name}", verdict, text)
    for entry in power.by_claim:
        if entry.missing:
            yield Failure(slug(algorithm.name, "by-claim"), f"{algorithm.name}/{entry.claim}", "violated", violated_by(entry))
