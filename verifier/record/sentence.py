"""Verdict of a claim in one sentence: for findings, test runners and the formats of continuous integration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from verifier.base.difference import EVERYWHERE, FEW, Difference, Told, merged
from verifier.record.entries import ClaimEntry
from verifier.record.regime import RegimeEntry, verdict_of
from verifier.record.verdict import Verdict

DRAWN = "drawn"
"""The instance of entries of the search."""


def in_regime(claim: ClaimEntry, regime: str) -> ClaimEntry:
    """A claim as if it had been evaluated in one regime only; it cites the same entry where that is of this regime.

    One that was evaluated nowhere is itself.
    """
    if not claim.regimes:
        return claim
    entries = tuple(entry for entry in claim.regimes if entry.regime == regime)
    kept = next((index for index, entry in enumerate(entries) if entry is claim.deciding), None)
    verdict = verdict_of(entries).value
    return replace(claim, regimes=entries, verdict=verdict, decisive=kept, difference=differs(entries))


def in_words(claim: ClaimEntry) -> str:
    """The verdict of a claim, and why; a broken inequality with its numbers and its place."""
    entry = claim.deciding
    if entry is None:
        return f"{claim.verdict}: {claim.reason}"
    reason = "; ".join((entry.reason, *entry.caveats))
    where = f"{entry.regime}@{entry.instance}".lstrip("@")
    if claim.verdict == "violated":
        told = f". {claim.difference}" if claim.difference else ""
        place = ", ".join(f"{axis} = {value}" for axis, value in entry.witness.items())
        numbers = f"{entry.value:.6g} <= {entry.bound:.6g} is false"
        return f"violated: {claim.statement}: {numbers} ({where}{'; ' if place else ''}{place}); {reason}{told}"
    return f"{claim.verdict} ({where}): {reason}"


def differs(entries: Iterable[RegimeEntry]) -> str:
    """Statement where and how a claim fails, as far as all violated entries agree; empty if nothing is known.

    Of one comparison anything is true. So entries in which more fail decide, where there are any, and not the smallest instances
    that the search has found.
    """
    violated = [entry for entry in entries if entry.verdict == Verdict.VIOLATED]
    telling = [entry for entry in violated if entry.violations > 1 and entry.instance != DRAWN]
    found = None
    for entry in telling or violated:
        found = merged(found, entry.difference)
    sometimes = any(0 < entry.failures < entry.trials for entry in telling)
    return explained(found, "in the trials that fail" if sometimes else "") if found else ""


def explained(difference: Difference, among: str = "") -> str:
    """A difference as a sentence: ``Only at h = H: 0.500 times the formula``; `among` says in which trials, where not in all."""
    if difference.raised:
        return f"How it differs is not known: an explanation raised {difference.raised}."
    where = ", ".join(said[0] for said in difference.where.values())
    if where == EVERYWHERE and among:
        where = f"{where} {among}"
    if not difference.looked:
        return f"{_sentence(where)}." if where else ""
    how = _how(difference)
    return f"{_sentence(where)}: {how}." if where else f"{_sentence(how)}."


def _how(difference: Difference) -> str:
    best = difference.best
    if best is not None:
        return _told(best, difference.of)
    if difference.how:
        return difference.how[0]
    side = {"below": "too small", "above": "too large"}.get(difference.tendency, "")
    return f"{side} wherever it is wrong; cause not recognised" if side else "cause not recognised"


def _told(best: Told, of: int) -> str:
    """An explanation, and how many comparisons it rests on where these are not all, or few."""
    if best.fits < of:
        return f"{best.text} (at {best.fits} of {of} places)"
    return f"{best.text} (seen at {of} {'place' if of == 1 else 'places'} only)" if of < FEW else best.text


_WORD = re.compile(r"[a-z]{2,}\b")


def _sentence(text: str) -> str:
    """A text as the beginning of a sentence; a symbol such as ``h`` in ``h + 1 for h`` keeps its case."""
    return text[:1].upper() + text[1:] if _WORD.match(text) else text
