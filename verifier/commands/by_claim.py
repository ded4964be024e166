"""`verifier power --by-claim`: every claim has been seen to fail.

The question of `verifier power` turned round: for each claim, a wrong agent (a planted bug or a garbage agent) that violates
*it*. All claims of every run are evaluated, and a mutant's cells are run on, round by round, as long as a claim in them has not
been seen to fail under any mutant. What fails with some probability, or in the mean, takes several trials of one cell: these come
first, on the instances where planted bugs are declared to show (`Mutant.shown_on`). A claim that none violates has no power that
anybody has seen; unless it is declared unbreakable, the exit code is 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from verifier import record
from verifier.base.errors import ExitCode
from verifier.campaign.subject import Cell, Subject
from verifier.commands.power import PowerCampaign, kill_entry, kills
from verifier.model.claim import Kind


class ByClaimCampaign(PowerCampaign):
    """A campaign on the mutants of one algorithm that goes on until every claim has been seen to fail; parameters as there."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        claims = [claim for claim in self.claims_run if claim.kind is not Kind.ASSUMPTION]
        self.shown = {claim.name: record.ClaimPowerEntry(claim.name, unbreakable=claim.unbreakable) for claim in claims}
        self._several = {claim.name for claim in claims if claim.kind.statistical}
        self._looked: dict[str, int] = {}

    @property
    def missing(self) -> set[str]:
        """Names of the claims that could fail and have not been seen to."""
        return {name for name, entry in self.shown.items() if entry.missing}

    def deciding(self, subject: Subject, cell: Cell) -> bool:
        """Whether several trials of a cell are declared to show what no mutant has violated yet."""
        if cell.instance not in self.mutant_of(subject).shown_on or cell.finished:
            return False
        self._look_again(subject)
        return any(name in self.missing & self._several for name in cell.tallies.keys() - cell.not_applicable.keys())

    def sought(self) -> Iterator[tuple[Subject, Cell]]:
        """The cells on instances that mutants name, those with the published widths first, of which theorems are."""
        places = [(s, cell) for s in self.subjects for cell in s.cells if cell.instance in self.mutant_of(s).shown_on]
        yield from sorted(places, key=lambda place: place[1].regime.source != "published")

    def settled(self, subject: Subject) -> bool:
        """Whether so much of a mutant failed that no more of it is run."""
        return subject.abandoned

    def finished(self, subject: Subject, cell: Cell) -> bool:
        """Whether a cell could show nothing new."""
        self._look_again(subject)
        return super().finished(subject, cell) or not self.missing & (cell.tallies.keys() - cell.not_applicable.keys())

    def _look_again(self, subject: Subject) -> None:
        consumed = sum(cell.consumed for cell in subject.cells)
        if self._looked.get(subject.name) != consumed:
            self._looked[subject.name] = consumed
            self._look(subject)

    def _look(self, subject: Subject) -> None:
        mutant = self.mutant_of(subject)
        for cell, name in kills(subject):
            if name in self.missing:
                kill = kill_entry(cell, name)
                self.shown[name] = record.ClaimPowerEntry(name, mutant.name, mutant.garbage, kill)

    def power_entry(self) -> record.PowerEntry:
        """The mutants that were killed, and of every claim what violated it: first the claims that nothing did."""
        for subject in self.subjects:
            self._look(subject)
        for name in self.missing:
            self.shown[name] = replace(self.shown[name], vacuous=self._vacuous(name))
        whole = super().power_entry()
        claims = sorted(self.shown.values(), key=lambda entry: (not entry.missing, bool(entry.kill)))
        killed = tuple(entry for entry in whole.mutants if entry.kills)
        idle = tuple(entry.claim for entry in claims if entry.missing)
        return record.PowerEntry(killed, idle, tuple(claims))

    def _vacuous(self, name: str) -> bool:
        """Whether a claim was compared, and no comparison could have failed."""
        seen = [cell.tallies[name].measurement for cell in self.cells if name in cell.tallies and name not in cell.not_applicable]
        return any(found.comparisons for found in seen) and not any(found.powered for found in seen)

    def missing_part(self, found: record.PowerEntry) -> str:
        """The claims that nothing violated before the run ended."""
        missing = sum(claim.missing for claim in found.by_claim) if self.cut else 0
        return f"{missing} of {len(found.by_claim)} claims were not seen to fail yet: {self.cut}" if missing else ""

    @staticmethod
    def exit_code(algorithms: Sequence[record.AlgorithmEntry]) -> ExitCode:
        """A claim that nothing violated makes it 1; if time ran out before that could be said, 3."""
        missing = [entry for entry in algorithms if entry.power and any(claim.missing for claim in entry.power.by_claim)]
        if any(not entry.unfinished for entry in missing):
            return ExitCode.VIOLATED
        if any(entry.errors for entry in algorithms):
            return ExitCode.ERROR
        return ExitCode.INCONCLUSIVE if missing else ExitCode.OK
