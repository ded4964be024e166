"""The verdict of a claim over all its regimes and instances."""

from __future__ import annotations

from collections.abc import Sequence

from verifier import record
from verifier.model.claim import Claim
from verifier.record.verdict import Verdict, overall


def claim_entry(
    algorithm: str, claim: Claim, entries: Sequence[record.RegimeEntry], counterexample: str = ""
) -> record.ClaimEntry:
    """The record's entry for a claim."""
    verdict = overall(item.verdict for item in entries)
    decisive = [item for item in entries if item.verdict == verdict.value]
    worst = max(decisive, key=lambda item: item.ratio, default=None)
    return record.ClaimEntry(
        id=f"{algorithm}/{claim.name}",
        source=claim.source,
        theorem=claim.theorem,
        statement=claim.statement,
        kind=claim.kind.value,
        status=claim.status.value,
        clause=claim.clause,
        given=claim.given,
        assumes=claim.assumes,
        why=claim.why,
        verdict=verdict.value,
        reason=worst.reason if worst else "no instance and regime was selected for it",
        vacuous=any(item.verdict == Verdict.VACUOUS for item in entries),
        regimes=tuple(entries),
        counterexample=counterexample,
    )
