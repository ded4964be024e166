"""The first broken line on the first screen: its formula, one case with both sides, its place in the code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from verifier.record import ClaimEntry, RegimeEntry
from verifier.record.sentence import DRAWN
from verifier_reports import wording
from verifier_reports.numbers import numeral, place, plural, sides
from verifier_reports.screen import Screen, cells, clean, clip
from verifier_reports.summary import mark, short_name, where

_NAME = 40
_NAMES = 6
_PLACES = 3
_LABEL = 15
_OUTDENTED = 6
_PLACE = 30
"""Letters that may stand before the cause: half of a line of 60, the narrowest screen."""
_WHERE = ("At ", "Everywhere", "From ", "Not at ", "Only at ", "Up to ")
"""Words that a sentence begins with which says where a claim fails, see `verifier.trials.differences.where`."""
_SIZES = re.compile(r"^The instance.*:\n +((?:\w+ = \d+(?:, |$))+)", re.MULTILINE)
"""Whole sizes at the beginning of the tables of a counterexample: ``S = 1, A = 1, H = 1, K = 2, delta = ...``."""


def cause(screen: Screen, claim: ClaimEntry, consequences: list[ClaimEntry]) -> None:
    """Draw a violated claim: how it differs, what it states, its line of code, one case, and the command that runs that again.

    Parameters
    ----------
    screen : Screen
        What to draw on.
    claim : ClaimEntry
    consequences : list of ClaimEntry
        Violated claims that use it.
    """
    source = f" ({clean(wording.source(claim))})  " if wording.source(claim) else "  "
    lead = ((f"{mark('violated')} ", "violated"), (clip(clean(short_name(claim)), _NAME), "violated"), (source, "dim"))
    place, how = split(claim.difference)
    screen.text(how, 2, "violated", lead, 4)
    screen.text(claim.statement, 4, "strong", hang=6)
    if claim.given:
        screen.text(f"given {claim.given}", 4, "dim", hang=6)
    entry = witness(claim)
    first = [("code", claim.code), ("where", place)]
    facts = _facts(claim, entry, consequences)
    for label, text in [*((label, text) for label, text in first if text), *facts]:
        screen.text(text, 4, "", ((f"{label:<{_LABEL}}", "dim"),), _hang(screen, text))
    if entry and entry.replay:
        screen.text(wording.replay(entry), 4, "command", hang=4)


def _hang(screen: Screen, text: str) -> int:
    """Blanks before the further lines of a fact: fewer where a path would else be broken, which no terminal opens then."""
    hang = 4 + _LABEL
    return hang if max(map(cells, clean(text).split(" "))) <= screen.width - hang else _OUTDENTED


def split(difference: str) -> tuple[str, str]:
    """Place and cause in a sentence that says both; a place of a few words is left in it.

    A reader wants the cause, and not the four axes along which it shows, before that.
    """
    place, _, how = difference.partition(": ")
    if not how or len(place) <= _PLACE or not place.startswith(_WHERE):
        return "", difference
    return place[0].lower() + place[1:], how[0].upper() + how[1:] if re.match(r"[a-z]{2,}\b", how) else how


def named(claim: ClaimEntry) -> str:
    """A claim with its source and its cause: ``q-formula (eq. 7): everywhere: 0.500 times``; empty where no cause is known."""
    _, how = split(claim.difference)
    how = how[:1].lower() + how[1:] if re.match("[A-Z][a-z]", how) else how
    return f"{short_name(claim)} ({wording.source(claim)}): {how}" if how else ""


def witness(claim: ClaimEntry) -> RegimeEntry | None:
    """The entry of the smallest instance that was found, if there is one, and else the one that every report cites."""
    smallest = (entry for entry in claim.regimes if entry.replay and entry.replay in claim.counterexample)
    return next(smallest, claim.deciding)


def _facts(claim: ClaimEntry, entry: RegimeEntry | None, consequences: list[ClaimEntry]) -> Iterator[tuple[str, str]]:
    if entry is None:
        yield "reason", claim.reason
        return
    sizes = _sizes(claim, entry)
    decision = _decision(entry)
    case = "smallest case" if sizes else "first decision" if decision else "worst case"
    yield case, f"{sizes or where(entry)}: {decision or _case(claim, entry)}"
    if decision and not sizes and (why := _unshrunk(claim)):
        yield "smaller case", f"none found: {why}"
    if inside := _inside(entry):
        yield "with", inside
    cited = _elsewhere(claim) or claim.deciding or entry
    others = wording.also(claim, cited, _PLACES)
    extent = wording.extent(claim, cited) or cited.reason
    yield "how often", f"{where(cited)}: {extent}{f'; also at {others}' if others else ''}"
    if claim.why:
        yield "note", claim.why
    if consequences:
        names = wording.fold([short_name(one) for one in consequences], _NAMES)
        yield "because of it", f"{plural(len(consequences), 'claim fails', 'claims fail')}: {names}"


def _elsewhere(claim: ClaimEntry) -> RegimeEntry | None:
    """The violated entry with the most failures among those of whole instances: a shrunk one says nothing about how often."""
    whole = [entry for entry in claim.regimes if entry.verdict == "violated" and entry.instance != DRAWN]
    return max(whole, key=lambda entry: entry.violations, default=None)


def _sizes(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """Sizes of the smallest instance, if the entry is about that: ``S = 1, A = 1, H = 1, K = 2``."""
    found = _SIZES.search(claim.counterexample) if entry.replay and entry.replay in claim.counterexample else None
    return clean(found[1]).rstrip(", ") if found else ""


def _unshrunk(claim: ClaimEntry) -> str:
    """Reason why no smaller instance is shown, where some were drawn."""
    reasons = (entry.reason for entry in claim.regimes if entry.instance == DRAWN and not entry.violations)
    return "; ".join(dict.fromkeys(reasons))


def _case(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """One comparison with both sides: ``plan 2, h 1, s 0, a 0: 22.8 instead of 32.2``."""
    found = entry.difference
    if claim.kind != "identity" or found is None or found.raised or not found.worst.place:
        return _numbers(claim, entry)
    left, right = sides(found.worst.left, found.worst.right)
    return f"{place(found.worst.place)}: {left} instead of {right}"


def _decision(entry: RegimeEntry) -> str:
    """The first decision that an algorithm would not have made, of an agent of somebody's; empty where it is about none.

    ``episode 119, h 3, s 4: yours plays 0, and 1 is worth 0.609 more to the algorithm``.
    """
    found = entry.difference
    if found is None or found.raised or "own" not in found.first.place:
        return ""
    at = dict(found.first.place)
    own, played = at.pop("own"), at.pop("a")
    return f"{place(at)}: yours plays {played}, and {own} is worth {numeral(found.first.left)} more to the algorithm"


def _numbers(claim: ClaimEntry, entry: RegimeEntry) -> str:
    text = wording.broken_comparison(claim, entry)
    return text.removeprefix(f"{where(entry)}, at ").removeprefix(f"{where(entry)}: ")


def _inside(entry: RegimeEntry) -> str:
    """Quantities of the formula in that comparison: ``N = 1, width = 32.2``."""
    found: Mapping[str, float] = entry.difference.worst.quantities if entry.difference else {}
    return ", ".join(f"{name} = {numeral(value)}" for name, value in found.items())
