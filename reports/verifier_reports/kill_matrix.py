"""The kill matrix: which planted bug was found by which claim."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.record import MutantEntry, PowerEntry
from verifier_reports import localisation, wording
from verifier_reports.markup import code, prose, table
from verifier_reports.screen import Screen, clean, clip, pad
from verifier_reports.summary import mark

STYLES = {
    "killed": "conforms",
    "survived": "violated",
    "error": "error",
    "not run": "inconclusive",
    "equivalent": "vacuous",
}
MARKS = {outcome: mark(verdict) for outcome, verdict in STYLES.items()}
_NAME, _CLAIMS = 26, 4


def screen_section(screen: Screen, power: PowerEntry, verbose: bool) -> None:
    """Draw the mutants, one line each, and the claims that killed nothing."""
    for heading, garbage in (("Planted bugs", False), ("Garbage agents, which learn nothing", True)):
        mutants = [mutant for mutant in power.mutants if mutant.garbage is garbage]
        if mutants:
            screen.line((f"{heading}, and the claims that found them", "heading"))
            _mutants(screen, mutants, verbose)
    silent = [(m.name, m.missed) for m in power.mutants if m.outcome == "killed" and m.missed]
    if silent:
        text = "; ".join(f"{name}: {', '.join(missed)}" for name, missed in silent)
        screen.text(f"claims that were expected to find a bug, where others found it first: {text}", 2, "dim", hang=4)
    if power.idle:
        names = wording.fold(power.idle, None if verbose else 12)
        screen.text(f"claims that killed nothing (they add no power here): {names}", 2, "dim", hang=4)
    screen.blank()
    localisation.screen_section(screen, power, verbose)


def _mutants(screen: Screen, mutants: Sequence[MutantEntry], verbose: bool) -> None:
    for mutant in mutants:
        lead = ((f"{MARKS[mutant.outcome]} {pad(clip(clean(mutant.name), _NAME), _NAME)} ", STYLES[mutant.outcome]),)
        screen.text(_found(mutant, verbose), 2, "", lead, _NAME + 5)
        if verbose or mutant.outcome != "killed":
            screen.text(f"{mutant.description}{_why(mutant)}", _NAME + 5, "dim", hang=_NAME + 5)
        if mutant.kills and verbose:
            kill = mutant.kills[0]
            screen.text(wording.replay(kill), _NAME + 5, "command", hang=_NAME + 5)
    screen.blank()


def _found(mutant: MutantEntry, verbose: bool) -> str:
    if mutant.outcome == "killed":
        kills = mutant.kills
        names = wording.fold([clean(kill.claim) for kill in kills], None if verbose else _CLAIMS)
        first = kills[0]
        return f"{names}; {clean(first.regime)}@{clean(first.instance)}, trial {first.trials}"
    if mutant.outcome == "not run":
        return f"not run to its end, nothing found in {mutant.trials} trials" if mutant.trials else "not run"
    return f"{mutant.outcome} after {mutant.trials} trials"


def _why(mutant: MutantEntry) -> str:
    if mutant.outcome == "killed" or not (mutant.reason or mutant.expected):
        return ""
    expected = f"; expected to be found by {', '.join(mutant.expected)}" if mutant.expected else ""
    return f": {mutant.reason}" if mutant.reason else expected


def markdown_section(power: PowerEntry) -> str:
    """The mutants as a table, and the matrix of mutants and claims."""
    rows = [
        (
            f"{MARKS[mutant.outcome]} {mutant.outcome}",
            code(mutant.name),
            prose("garbage agent: " * mutant.garbage + mutant.description + _why(mutant)),
            code(f"{mutant.kills[0].regime}@{mutant.kills[0].instance}") if mutant.kills else "",
            str(mutant.trials),
            code(mutant.kills[0].replay) if mutant.kills else "",
        )
        for mutant in power.mutants
    ]
    claims = list(dict.fromkeys(kill.claim for mutant in power.mutants for kill in mutant.kills))
    matrix = [
        (code(mutant.name), *("x" if claim in {kill.claim for kill in mutant.kills} else "" for claim in claims))
        for mutant in power.mutants
    ]
    idle = f"Claims that killed nothing: {', '.join(map(code, power.idle))}.\n" if power.idle else ""
    return "\n".join(
        [
            "### Planted bugs\n",
            table(("outcome", "mutant", "bug", "first killed at", "trials", "replay"), rows),
            "### Kill matrix\n",
            table(("mutant", *claims), matrix),
            idle,
            localisation.markdown_section(power),
        ]
    )
