"""What a record says of a claim, in one sentence: for findings, test runners and the formats of continuous integration."""

from __future__ import annotations

from dataclasses import replace

from verifier.record.entries import ClaimEntry
from verifier.record.regime import verdict_of


def in_regime(claim: ClaimEntry, regime: str) -> ClaimEntry:
    """A claim as if it had been evaluated in one regime only; it cites the same entry where that is of this regime."""
    entries = tuple(entry for entry in claim.regimes if entry.regime == regime)
    kept = next((index for index, entry in enumerate(entries) if entry is claim.deciding), None)
    return replace(claim, regimes=entries, verdict=verdict_of(entries).value, decisive=kept)


def in_words(claim: ClaimEntry) -> str:
    """The verdict of a claim, and why; a broken inequality with its numbers and its place."""
    entry = claim.deciding
    if entry is None:
        return f"{claim.verdict}: {claim.reason}"
    reason = "; ".join((entry.reason, *entry.caveats))
    where = f"{entry.regime}@{entry.instance}".lstrip("@")
    if claim.verdict == "violated":
        place = ", ".join(f"{axis} = {value}" for axis, value in entry.witness.items())
        numbers = f"{entry.value:.6g} <= {entry.bound:.6g} is false"
        return f"violated: {claim.statement}: {numbers} ({where}{'; ' if place else ''}{place}); {reason}"
    return f"{claim.verdict} ({where}): {reason}"
