"""Subjects of a campaign: algorithms under check, and for each the cells of trials."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from verifier import record
from verifier.base.errors import ContractError, InternalError
from verifier.base.instance_name import is_file
from verifier.campaign import drawn
from verifier.campaign.evidence import Place, regime_entry
from verifier.campaign.tally import Deterministic, Sequential, Tally
from verifier.model.claim import Claim, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.instance_data import UnkeptError, tables
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.model.result import TrialError, TrialResult, TrialSpec
from verifier.model.setting import Scenario, Setting
from verifier.trials.search.bench import searched
from verifier.trials.search.drawn import SearchResult
from verifier.trials.trial import claims_in

FAILURES_UNTIL_ABANDONED = 3
"""Number of cells of an algorithm that end in an error, for each in which it ran, until its other cells are not started.

An algorithm that hangs everywhere would take the time limit in each cell; one that fails in some runs in all others.
"""


@dataclass
class Cell:
    """Cell: the trials of one algorithm on one instance in one regime.

    Attributes
    ----------
    algorithm, instance : str
    regime : Regime
    planned : int
        Largest number of trials.
    tallies : dict
        By claim name.
    not_applicable : dict
        Claim name to the reason, for claims whose assumption fails on the instance.
    consumed : int
        Trials taken in.
    error : TrialError or None
        Of the trial that ended the cell.
    unmeasured : dict
        By claim name, why it could not be evaluated, and in which trial first.
    refuted : set of str
        Claims of which one failed comparison was seen, in this cell or in another one of the algorithm, with which it shares the
        set: such a claim needs a witness, and no second one.
    claims : tuple of str
        What is evaluated; empty for all that the algorithm claims there.
    """

    algorithm: str
    instance: str
    regime: Regime
    planned: int
    tallies: dict[str, Tally]
    not_applicable: dict[str, str]
    consumed: int = 0
    error: TrialError | None = None
    error_trial: TrialSpec | None = None
    unmeasured: dict[str, tuple[TrialError, TrialSpec]] = field(default_factory=dict)
    refuted: set[str] = field(default_factory=set)
    claims: tuple[str, ...] = ()

    def spec(self, index: int, seed: int) -> TrialSpec:
        """The trial of this index."""
        return TrialSpec(self.algorithm, self.instance, self.regime.name, index, seed, claims=self.claims)

    def plan_at_least(self, trials: int) -> None:
        """Plan so many trials, for its statistical claims, too, if fewer are planned."""
        self.planned = max(self.planned, trials)
        for tally in self.tallies.values():
            if isinstance(tally, Sequential):
                tally.planned = self.planned

    @property
    def broken(self) -> bool:
        """Whether a trial ended in an error, or no claim can be evaluated."""
        return self.error is not None or (bool(self.unmeasured) and self.unmeasured.keys() == self.tallies.keys())

    def why_not_measured(self, claim: str) -> str:
        """Reason why a claim was not evaluated in some trial; empty if it was in all of them."""
        if self.error is not None:
            return self.error.message
        if claim not in self.unmeasured:
            return ""
        failure, spec = self.unmeasured[claim]
        return f"{spec.label}: claim '{claim}': {failure.message}"

    @property
    def finished(self) -> bool:
        """Whether further trials are pointless: an error, the plan fulfilled, or no verdict that needs them.

        Where there are statistical claims that can be evaluated, the cell ends when these take in no more (`Sequential.open`).
        Else a claim that one comparison refutes needs trials until one has failed. Every cell has one trial.
        """
        if self.broken or self.consumed >= self.planned:
            return True
        if not self.consumed:
            return False
        statistical = {name for name, tally in self.tallies.items() if isinstance(tally, Sequential)} - self.unmeasured.keys()
        return not any(map(self._takes, statistical) if statistical else map(self._undecided, self.tallies))

    @property
    def deciding(self) -> bool:
        """Whether a statistical verdict needs further trials."""
        if self.broken or self.consumed >= self.planned:
            return False
        return any(
            isinstance(tally, Sequential) and tally.undecided and self._takes(name) for name, tally in self.tallies.items()
        )

    @property
    def suspect(self) -> bool:
        """Whether a claim whose statistical verdict is open has failed in some trial."""
        sequential = (tally for tally in self.tallies.values() if isinstance(tally, Sequential))
        return any(tally.failures > 0 and tally.undecided for tally in sequential)

    def _undecided(self, claim: str) -> bool:
        """Whether the verdict on a claim could be another one after further trials."""
        return claim not in self.not_applicable and claim not in self.refuted and self.tallies[claim].undecided

    def _takes(self, claim: str) -> bool:
        """Whether the next trial counts for a claim. A statistical one that could not be evaluated in a trial is an error."""
        tally = self.tallies[claim]
        return not isinstance(tally, Sequential) or (tally.open and claim not in self.unmeasured)

    def take(self, result: TrialResult) -> None:
        """Consume a result."""
        self.consumed += 1
        if result.error is not None:
            self.error, self.error_trial = result.error, result.spec
            return
        missing = self.tallies.keys() - result.measurements.keys() - result.unmeasured.keys()
        if missing:
            raise InternalError(f"{result.spec.label}: claims selected but not evaluated: {', '.join(sorted(missing))}")
        for name, tally in self.tallies.items():
            failure = result.unmeasured.get(name)  # which is told of trials that are no evidence of it, too
            try:
                if failure is None and self._takes(name):
                    tally.add(result.spec, result.measurements[name])
                    self._note(name, tally)
            except ContractError as error:
                failure = TrialError("contract", str(error))
            if failure is not None:
                self.unmeasured.setdefault(name, (failure, result.spec))

    def _note(self, name: str, tally: Tally) -> None:
        """Tell the other cells of the algorithm of a claim that is refuted for good."""
        if isinstance(tally, Deterministic) and not tally.undecided and name not in self.not_applicable:
            self.refuted.add(name)


@dataclass
class Subject:
    """Algorithm of a campaign, with its instances (what is public of them, and their parameters) and cells.

    Attributes
    ----------
    claims : tuple of Claim
        What is evaluated of what was asked for.
    faulty : tuple of Claim
        What is not, since what it says that it follows from is wrong (`Guarantees.faults`).
    untried : int
        Instances that were not built because too many others could not be.
    cut : str
        Why the run ended before its cells were finished; empty if it did not.
    ended : bool
        Whether that was not the budget: an interruption, or what runs the trials was lost.
    lost : bool
        Whether it was lost.
    refuted : set of str
        Claims of which one failed comparison was seen.
    drawn : tuple of str
        Regimes in which instances are drawn beside those with a name; none where that was not asked for.
    undrawn : str
        Why not in all of them; empty if it was.
    aside : int
        Tests of claims that were not selected, which have a share of the error budget.
    checked, told : set of str
        Claims with a comparison that could have failed, and those that are violated, as far as those who watch were told.
    """

    guarantees: Guarantees
    setting: Setting[Any, Any]
    claims: tuple[Claim, ...]
    scenarios: dict[str, Scenario[Any]] = field(default_factory=dict)
    instances: dict[str, Any] = field(default_factory=dict)
    publics: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    assumptions: dict[str, dict[str, Measurement]] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    unbuilt: dict[str, TrialError] = field(default_factory=dict)
    searches: list[SearchResult] = field(default_factory=list)
    other_errors: list[record.ErrorEntry] = field(default_factory=list)
    reused: int = 0
    untried: int = 0
    cut: str = ""
    ended: bool = False
    lost: bool = False
    refuted: set[str] = field(default_factory=set)
    drawn: tuple[str, ...] = ()
    undrawn: str = ""
    aside: int = 0
    checked: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    faulty: tuple[Claim, ...] = ()

    @property
    def name(self) -> str:
        """The name of the algorithm."""
        return self.guarantees.name

    def tested(self, claim: str) -> int:
        """Bits of what comparisons of a claim depend on, in any trial of any cell, see `verifier.formulas.tested`."""
        return reduce(or_, (cell.tallies[claim].measurement.tested for cell in self.cells if claim in cell.tallies), 0)

    @property
    def failed(self) -> bool:
        """Whether code of the plugin has failed so far."""
        return bool(self.unbuilt) or any(cell.broken or cell.unmeasured for cell in self.cells)

    @property
    def unbuildable(self) -> bool:
        """Whether so many instances could not be built that no further ones are tried."""
        return len(self.unbuilt) >= FAILURES_UNTIL_ABANDONED * max(1, len(self.instances))

    @property
    def abandoned(self) -> bool:
        """Whether so many cells failed that no further ones are started."""
        failed = sum(cell.broken for cell in self.cells)
        ran = sum(cell.consumed > 0 and not cell.broken for cell in self.cells)
        return failed >= FAILURES_UNTIL_ABANDONED * max(1, ran)

    @property
    def why_not(self) -> str:
        """Reason why cells without a trial have none."""
        if self.abandoned:
            failed = sum(cell.broken for cell in self.cells)
            return f"not started, since {failed} others ended in an error"
        return self.cut or "not started"

    @property
    def unfinished(self) -> str:
        """Part that was not looked at, and why; empty if every cell had a trial, be it one that ended in an error.

        A budget that ends later has left statistical claims undecided at most; anything else was not meant to end the run.
        """
        missing = sum(cell.consumed == 0 for cell in self.cells)
        found = []
        if self.untried:
            found.append(f"{self.untried} more instances were not tried, since {len(self.unbuilt)} could not be built")
        if missing:
            found.append(f"{missing} of {len(self.cells)} pairs of instance and regime had no trial: {self.why_not}")
        elif self.ended:
            found.append(f"not all trials were run: {self.cut}")
        if self.undrawn and not self.cells:
            found.append(f"not all instances were drawn: {self.undrawn}")
        return "; ".join(found)

    @property
    def regimes(self) -> list[str]:
        """Names of the regimes it is run in."""
        return list(dict.fromkeys(cell.regime.name for cell in self.cells))

    @property
    def assumption_claims(self) -> list[Claim]:
        """Claims that are of the instance alone."""
        return [claim for claim in self.claims if claim.kind is Kind.ASSUMPTION]

    def evaluates(self, claim: Claim) -> bool:
        """Whether a claim that was asked for is evaluated in some regime on some instance that was."""
        by_instance = claim.kind is Kind.ASSUMPTION and bool(self.instances)
        if by_instance or bool(self.unbuilt) or any(claim.name in cell.tallies for cell in self.cells):
            return True
        # asked last: a planted bug has dozens of regimes and claims, most of which a cell evaluates
        return any(claim.name == found.name for regime in self.drawn for found in self.searched_in(regime))

    def searched_in(self, regime: str) -> tuple[Claim, ...]:
        """Claims that drawn instances can refute in a regime."""
        here = {claim.name for claim in claims_in(self.guarantees, Regime.parse(regime))}
        return tuple(claim for claim in searched(self.claims) if claim.name in here)

    def failed_assumptions(self, instance: str) -> dict[str, str]:
        """Assumption claim to the reason in words, for those that fail on an instance."""
        return {
            name: f"{measurement.value:.3g}"
            + (f" > {measurement.bound:.3g}" if measurement.bound else " instead of 0")
            + (" at " + ", ".join(f"{axis} {i}" for axis, i in measurement.place.items()) if measurement.place else "")
            for name, measurement in self.assumptions[instance].items()
            if measurement.violations
        }

    # The record -------------------------------------------------------------------------------------------------

    def failures(self) -> Iterator[record.ErrorEntry]:
        """Failures of the plugin: in trials, in instances that could not be built, in claims that could not be evaluated."""
        for instance, failure in self.unbuilt.items():
            where = f"{self.name} on {instance}"
            yield record.ErrorEntry(failure.kind, where, failure.message, failure.traceback)
        for cell in self.cells:
            if cell.error is not None and cell.error_trial is not None:
                yield record.ErrorEntry(cell.error.kind, cell.error_trial.label, cell.error.message, cell.error.traceback)
        yield from self._unmeasured()

    def errors(self) -> Iterator[record.ErrorEntry]:
        """Errors of the plugin, and others."""
        yield from faults(self.guarantees, self.faulty)
        yield from self.failures()
        yield from self.other_errors
        if self.lost:
            yield record.ErrorEntry("internal", self.name, self.cut)
        for search in self.searches:
            yield from drawn.errors(search, self.name)

    def _unmeasured(self) -> Iterator[record.ErrorEntry]:
        """Claims that could not be evaluated; those of one cause, whatever the numbers in its message are, together."""
        causes: dict[tuple[str, str], list[tuple[str, TrialError, TrialSpec]]] = {}
        for cell in self.cells:
            for name, (failure, spec) in cell.unmeasured.items():
                cause = failure.kind, re.sub(r"[-+]?[0-9][0-9.e+-]*", "#", failure.message)
                causes.setdefault(cause, []).append((name, failure, spec))
        for found in causes.values():
            _, failure, spec = found[0]
            names = ", ".join(f"'{name}'" for name in dict.fromkeys(name for name, _, _ in found))
            message = f"{spec.label}: claim{'s' * (',' in names)} {names}: {failure.message}"
            yield record.ErrorEntry(failure.kind, spec.label, message, failure.traceback)

    def instance_entry(self, name: str) -> record.InstanceEntry:
        """The record's entry for an instance."""
        return record.InstanceEntry(
            name=name,
            description=self.scenarios[name].description,
            showcase=self.scenarios[name].showcase,
            parameters=self.parameters[name],
            failed_assumptions=self.failed_assumptions(name),
            given=self._given(name) if is_file(name) else None,
        )

    def _given(self, name: str) -> record.GivenEntry:
        """The instance from a file as data, since the file is on this machine alone."""
        try:
            return record.GivenEntry(tables(self.instances[name], self.setting.packages))
        except UnkeptError as error:
            return record.GivenEntry({}, str(error))

    def assumption_entry(self, claim: Claim, instance: str) -> record.RegimeEntry:
        """The record's entry for an assumption on an instance."""
        measurement = self.assumptions[instance][claim.name]
        failed = self.failed_assumptions(instance).get(claim.name, "")
        tally = Deterministic(claim, measurement, None, trials=1, failures=int(bool(measurement.violations)))
        return regime_entry(tally, Place(None, instance), failed and f"this instance is outside it: {failed}")


def faults(guarantees: Guarantees, claims: Iterable[Claim] | None = None) -> tuple[record.ErrorEntry, ...]:
    """Faults in the proofs that claims (all, if none are given) declare, each cause once."""
    asked = {claim.name for claim in (guarantees.every_claim if claims is None else claims)}
    found = (fault for fault in guarantees.faults if asked & set(fault.claims))
    return tuple(record.ErrorEntry("contract", guarantees.name, fault.message) for fault in found)
