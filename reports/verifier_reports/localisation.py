"""Localisation of planted bugs: the two figures, the bugs that were missed, and the confusion table."""

from __future__ import annotations

from verifier.record import LocalisationEntry, MutantEntry, PowerEntry
from verifier_reports import wording
from verifier_reports.markup import code, prose, table
from verifier_reports.numbers import plural
from verifier_reports.screen import Screen

_MISSES = 8


def figures(found: LocalisationEntry) -> str:
    """Numbers of bugs that were named, and of bugs whose difference was told."""
    if not found.bugs:
        return "No bug that was found declares the line it breaks."
    named, told = (f"{number} ({100 * number / found.bugs:.0f}%)" for number in (found.named, found.told))
    bugs = plural(found.bugs, "planted bug")
    return f"Of {bugs}, the report names the broken line first for {named}, and the cause for {told}."


def misses(power: PowerEntry) -> list[MutantEntry]:
    """The bugs that were found and not named."""
    return [mutant for mutant in power.mutants if mutant.outcome == "killed" and mutant.line and not mutant.named]


def untold(power: PowerEntry) -> list[MutantEntry]:
    """The bugs that were named, but whose difference was not told."""
    return [mutant for mutant in power.mutants if mutant.named and not mutant.told]


def missed(power: PowerEntry, limit: int | None = None) -> str:
    """``boastful: greedy for q-formula; ...``: what was broken first, and what was declared."""
    found = [f"{mutant.name}: {', '.join(mutant.first_broken)} for {mutant.line}" for mutant in misses(power)]
    return wording.fold(found, limit, "; ")


def screen_section(screen: Screen, power: PowerEntry, verbose: bool) -> None:
    """Draw both figures, and what was missed."""
    if power.localisation is None:
        return
    screen.line(("First broken lines", "heading"))
    screen.text(figures(power.localisation), 2, hang=4)
    if others := missed(power, None if verbose else _MISSES):
        screen.text(f"others first: {others}", 2, hang=4)
    if found := untold(power):
        names = wording.fold([mutant.name for mutant in found], None if verbose else _MISSES)
        screen.text(f"named, but not the cause: {names}", 2, "dim", hang=4)
    for entry in power.localisation.confusion if verbose else ():
        screen.text(f"{entry.declared} → {entry.found}: {plural(entry.bugs, 'bug')}", 4, "dim", hang=6)
    screen.blank()


def markdown_section(power: PowerEntry) -> str:
    """Figures of the localisation, the bugs that were missed, and the confusion table."""
    if power.localisation is None:
        return ""
    rows = [(code(entry.declared), code(entry.found), str(entry.bugs)) for entry in power.localisation.confusion]
    parts = ["### First broken lines\n", figures(power.localisation) + "\n"]
    parts.append(table(("line of the bug", "broken first", "bugs"), rows))
    if others := missed(power):
        parts.append(f"Another line first: {prose(others)}.\n")
    if found := untold(power):
        parts.append("Named, but not the cause as declared:\n")
        parts += [*(f"- {code(mutant.name)}: {prose(mutant.difference or 'nothing')}" for mutant in found), ""]
    return "\n".join(parts)
