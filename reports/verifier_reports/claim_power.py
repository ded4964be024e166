"""Claim by claim, the wrong agent that violates it; the kill matrix the other way round."""

from __future__ import annotations

from verifier.record import ClaimPowerEntry, PowerEntry
from verifier_reports import wording
from verifier_reports.markup import code, prose, table
from verifier_reports.screen import Screen, clean, clip, pad
from verifier_reports.summary import mark, where

_NAME = 26


def verdict(entry: ClaimPowerEntry) -> str:
    """The verdict that a claim is marked with: that of a pass nobody has seen to mean anything is no pass."""
    return "violated" if entry.missing else "conforms" if entry.kill else "vacuous"


def violated_by(entry: ClaimPowerEntry) -> str:
    """``gram-twice, oracle@onehot, trial 1``, or why there is none."""
    if entry.kill is not None:
        return f"{entry.mutant}{' (garbage)' * entry.garbage}, {where(entry.kill)}, trial {entry.kill.trials}"
    if entry.vacuous:
        return "vacuous: no comparison of any run could have failed"
    return f"unbreakable: {entry.unbreakable}" if entry.unbreakable else "no wrong agent violates it"


def screen_section(screen: Screen, power: PowerEntry, verbose: bool) -> None:
    """Draw the claims, one line each, those first that no mutant violated."""
    screen.line(("Every claim, and a wrong agent that violates it", "heading"))
    for entry in power.by_claim:
        found = verdict(entry)
        lead = ((f"{mark(found)} {pad(clip(clean(entry.claim), _NAME), _NAME)} ", found),)
        screen.text(violated_by(entry), 2, "", lead, _NAME + 5)
        if entry.kill and verbose:
            screen.text(wording.replay(entry.kill), _NAME + 5, "command", hang=_NAME + 5)
    screen.blank()


def markdown_section(power: PowerEntry) -> str:
    """The claims as a table."""
    rows = [
        (mark(verdict(entry)), code(entry.claim), prose(violated_by(entry)), code(entry.kill.replay) if entry.kill else "")
        for entry in power.by_claim
    ]
    return "### Every claim, and a wrong agent that violates it\n\n" + table(("", "claim", "violated by", "replay"), rows)
