"""`verifier power --by-claim`: every claim has been seen to fail.

The question of `verifier power` turned round: for each claim, a wrong agent (a planted bug or a garbage agent) that violates
*it*. All claims of every run are evaluated, and a mutant's cells are run on, round by round, as long as a claim in them has not
been seen to fail under any mutant. What fails with some probability, or in the mean, takes several trials of one cell: these come
first, where agents are declared to show it (`Guarantees.shown`, `Mutant.shown_on`). A claim that none violates has no power that
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
from verifier.model.mutant import Shown


class ByClaimCampaign(PowerCampaign):
    """A campaign on the mutants of one algorithm that goes on until every claim has been seen to fail; parameters as there."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        claims = [claim for claim in self.claims_run if claim.kind is not Kind.ASSUMPTION]
        self.shown = {claim.name: record.ClaimPowerEntry(claim.name, unbreakable=claim.unbreakable) for claim in claims}
        self._several = {claim.name for claim in claims if claim.kind.statistical}
        self._looked: dict[str, int] = {}
        self._declared = {(shown.agent, shown.instance, shown.regime): shown for shown in self.original.shown}
        for _, cell, shown in self._declared_cells():
            cell.plan_at_least(shown.trials)

    @property
    def missing(self) -> set[str]:
        """Names of the claims that could fail and have not been seen to."""
        return {name for name, entry in self.shown.items() if entry.missing}

    def deciding(self, subject: Subject, cell: Cell) -> bool:
        """Whether several trials of a cell are declared to show what no mutant has violated yet."""
        declared = self._declared_at(subject, cell)
        if cell.finished or (declared is None and cell.instance not in self.mutant_of(subject).shown_on):
            return False
        self._look_again(subject)
        sought = self._several if declared is None else set(declared.claims)
        return any(name in self.missing & sought for name in cell.tallies.keys() - cell.not_applicable.keys())

    def sought(self) -> Iterator[tuple[Subject, Cell]]:
        """The cells that the algorithm declares, then those on instances that mutants name.

        Of these, those with the published widths come first, of which theorems are.
        """
        yield from ((subject, cell) for subject, cell, _ in self._declared_cells())
        places = [(s, cell) for s in self.subjects for cell in s.cells if cell.instance in self.mutant_of(s).shown_on]
        yield from sorted(places, key=lambda place: place[1].regime.source != "published")

    def _declared_cells(self) -> Iterator[tuple[Subject, Cell, Shown]]:
        """The cells in which agents are declared to violate what is hard to violate (`Guarantees.shown`)."""
        for subject in self.subjects:
            for cell in subject.cells:
                if (shown := self._declared_at(subject, cell)) is not None:
                    yield subject, cell, shown

    def _declared_at(self, subject: Subject, cell: Cell) -> Shown | None:
        """The declaration about a cell, if there is one."""
        return self._declared.get((self.mutant_of(subject).name, cell.instance, cell.regime.name))

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
