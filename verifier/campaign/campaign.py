"""Campaigns: what there is to run, and the record of what was found.

Trials are planned as cells (algorithm, instance, regime). A cell stops as soon as more trials could not change its verdicts;
`verifier.campaign.schedule` has the order in which they are run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from verifier import record
from verifier.base.config import Config
from verifier.base.errors import NothingSelectedError, UsageError
from verifier.base.instance_name import is_file
from verifier.base.profile import TIERS, Profile, enough
from verifier.base.replaying import command
from verifier.campaign import drawn, searches
from verifier.campaign.entry import algorithm_entry
from verifier.campaign.evidence import Place, regime_entry
from verifier.campaign.monitors import monitor_of, why_nothing_is_claimed
from verifier.campaign.selection import (
    Selection,
    claim_id,
    regime_pattern,
    regimes_of,
    require_fitting,
    require_scenarios,
    scenarios_of,
    selected,
    why_no_instance,
)
from verifier.campaign.subject import Cell, Subject
from verifier.campaign.tally import Deterministic, Sequential, Tally
from verifier.formulas.typeset import symbol
from verifier.model.claim import Claim, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.instance_file import content
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.model.result import TrialError, TrialSpec
from verifier.model.setting import Scenario, Setting
from verifier.model.statement import Statement
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Registry
from verifier.plugins.source import trial_key
from verifier.record.verdict import Verdict
from verifier.statistics import Key, Ledger
from verifier.trials.search.witness import DRAWN
from verifier.trials.trial import assumptions_of, claims_in


def violation_line(algorithm: str, claim: str, instance: str, regime: str, trial: str, project: str) -> str:
    """Line for those who watch: a claim is violated."""
    return f"{algorithm}/{claim} is violated on {instance}, {regime}: {command(trial, project)}"


BONUS = frozenset({"bonus", "b"})
"""Names that a bonus has in a formula: of a quantity, or of what is short for a formula of the width."""


class Campaign:
    """A check of one or more algorithms.

    Parameters
    ----------
    registry : Registry
    selection : Selection
    profile : Profile
        How much of it is run; its budget is that of the command.
    config : Config
        Its timeout holds, too, for each piece of a plugin's code outside of runs: a catalogue, an instance, its assumptions.
    """

    def __init__(self, registry: Registry, selection: Selection, profile: Profile, config: Config) -> None:
        self.registry, self.profile, self.seed, self.timeout = registry, profile, config.seed, config.timeout
        self.selection = replace(selection, regimes=tuple(map(regime_pattern, selection.regimes)))
        self.budget_exhausted = False
        self._known: dict[tuple[object, ...], Any] = {}
        self._unlisted: dict[str, TrialError] = {}
        self._listed = {name: self._list(registry.guarantees_of(name), registry) for name in selection.algorithms}
        self._require_known(registry)
        self.subjects = [self._target(registry, name) for name in selection.algorithms]
        self.ledger = Ledger(config.error_budget, config.certify_level).plan(
            [key for key, _ in self._statistical()],
            [key for key, kind in self._statistical() if kind is Kind.LAW],
            sum(subject.aside for subject in self.subjects),
        )
        for subject in self.subjects:
            for cell in subject.cells:
                self._monitor(subject, cell)

    # Planning ---------------------------------------------------------------------------------------------------

    def _claims(self, guarantees: Guarantees) -> tuple[Claim, ...]:
        """The claims to choose from."""
        return guarantees.claims

    def _scenarios(self, guarantees: Guarantees, registry: Registry) -> list[Scenario[Any]]:
        """The instances to choose from."""
        return scenarios_of(guarantees.algorithm, registry, self.selection.instances)

    def _list(self, guarantees: Guarantees, registry: Registry) -> list[Scenario[Any]]:
        """The instances to choose from; none if the plugin's code for that fails."""
        try:
            with guarded(f"catalogue of setting {guarantees.algorithm.setting!r}", self.timeout, passing=(UsageError,)):
                scenarios = self._scenarios(guarantees, registry)
                require_scenarios(scenarios)
                return scenarios
        except GuardedError as error:
            self._unlisted[guarantees.name] = error.failure
            return []

    def _regimes(self, guarantees: Guarantees) -> dict[str, Regime]:
        """The regimes to choose from, and those that were asked for by name."""
        return regimes_of(guarantees.algorithm, self.selection.regimes)

    def _tally(self, claim: Claim) -> Tally:
        """Tally of the trials of one claim in one cell."""
        return Deterministic(claim)

    def _require_known(self, registry: Registry) -> None:
        """Check that every pattern without wildcards, and some with, fit something that one of the algorithms has."""
        chosen = {name: registry.guarantees_of(name) for name in self.selection.algorithms}
        claims = [(claim.name, claim_id(name, claim)) for name, found in chosen.items() for claim in self._claims(found)]
        regimes = [(name,) for found in chosen.values() for name in self._regimes(found)]
        instances = [(scenario.name,) for name in chosen for scenario in self._listed[name]]
        if any(registry.setting(found.algorithm.setting).recipes is not None for found in chosen.values()):
            instances.append((DRAWN,))
        algorithms = tuple(chosen)
        require_fitting("claim", self.selection.claims, claims, algorithms)
        require_fitting("regime", self.selection.regimes, regimes, algorithms)
        if not self._unlisted:  # what was asked for may be one of those that could not be listed
            require_fitting(
                "instance", self.selection.instances, instances, algorithms, partial(why_no_instance, registry, algorithms)
            )

    def _target(self, registry: Registry, name: str) -> Subject:
        guarantees = registry.guarantees_of(name)
        wanted = self.selection
        claims = [c for c in self._claims(guarantees) if selected((c.name, claim_id(name, c)), wanted.claims)]
        sound, faulty = (tuple(c for c in claims if (c.name in guarantees.faulty) is wrong) for wrong in (False, True))
        subject = Subject(guarantees, registry.setting(guarantees.algorithm.setting), sound, faulty=faulty)
        regimes = [r for r in self._regimes(guarantees).values() if selected((r.name,), wanted.regimes)]
        chosen = [s for s in self._listed[name] if selected((s.name,), wanted.instances)]
        if name in self._unlisted:
            subject.unbuilt["any instance"] = self._unlisted[name]
        depth = TIERS.index(self.profile.name) if self.profile.name in TIERS else 0
        for scenario in chosen:
            if not wanted.instances and TIERS.index(scenario.tier) > depth:
                continue
            if subject.unbuildable:
                subject.untried += 1
                continue
            if not self._add_instance(subject, scenario):
                continue
            for regime in regimes:
                if wanted.regimes or {"*", regime.source, regime.name} & set(scenario.regimes):
                    self._add_cell(subject, scenario, regime)
                    subject.aside += self._aside(subject, scenario, regime)
        if subject.setting.recipes is not None and self._draws:
            names = subject.regimes if subject.cells else [regime.name for regime in regimes]
            subject.drawn = tuple(name for name in names if subject.searched_in(name))
        subject.claims = tuple(claim for claim in subject.claims if subject.evaluates(claim))
        return subject

    @property
    def _draws(self) -> bool:
        """Whether instances are drawn beside those with a name: unless others were chosen."""
        return selected((DRAWN,), self.selection.instances)

    def _add_instance(self, subject: Subject, scenario: Scenario[Any]) -> bool:
        """Add an instance with the assumptions evaluated on it; False when the plugin's code for that failed."""
        name = scenario.name
        built = self._once(("instance", subject.setting.name, name), lambda: self._build(subject.setting, scenario))
        if isinstance(built, TrialError):
            subject.unbuilt[name] = built
            return False
        instance, public, parameters = built
        key = "assumptions", id(subject.guarantees.claims), *(claim.name for claim in subject.claims), name
        found = self._once(key, lambda: self._assume(subject, name, instance))
        if isinstance(found, TrialError):
            subject.unbuilt[name] = found
            return False
        subject.scenarios[name], subject.instances[name], subject.assumptions[name] = scenario, instance, found
        subject.publics[name], subject.parameters[name] = public, parameters
        return True

    def _once(self, key: tuple[object, ...], work: Callable[[], Any]) -> Any:
        """Result of work that subjects share, of which there are many where they are planted bugs; or how it failed."""
        if key not in self._known:
            try:
                self._known[key] = work()
            except GuardedError as error:
                self._known[key] = error.failure
        return self._known[key]

    def _build(self, setting: Setting[Any, Any], scenario: Scenario[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """An instance, what is public of it, and its parameters."""
        with guarded(f"instance {scenario.name}", self.timeout):
            instance = scenario.draw(self.seed)
            public, parameters = setting.public(instance), dict(setting.parameters(instance))
            if is_file(scenario.name):
                parameters["content"] = content(instance)
            trial_key(TrialSpec("", scenario.name, "", 0, 0), "", "", parameters)
        return instance, public, parameters

    def _assume(self, subject: Subject, name: str, instance: Any) -> dict[str, Measurement]:
        with guarded(f"assumptions on {name}", self.timeout):
            return assumptions_of(subject.guarantees, instance, subject.claims)

    def _add_cell(self, subject: Subject, scenario: Scenario[Any], regime: Regime) -> None:
        here = _evaluated(subject.guarantees, scenario, regime)
        names = {claim.name for claim in here}
        claims = [claim for claim in subject.claims if claim.name in names]
        if claims:
            planned = self.profile.planned(scenario.share)
            not_applicable = _not_applicable(claims, subject.publics[scenario.name], subject.failed_assumptions(scenario.name))
            tallies = {claim.name: self._tally(claim) for claim in claims}
            cell = Cell(subject.name, scenario.name, regime, planned, tallies, not_applicable, refuted=subject.refuted)
            if len(claims) < len(here):
                cell.claims = tuple(claim.name for claim in claims)
            subject.cells.append(cell)

    def _aside(self, subject: Subject, scenario: Scenario[Any], regime: Regime) -> int:
        """Number of tests that claims which were not selected would have here.

        Each has its share of the error budget all the same: the verdict on a claim alone is that on the claim among the others.
        """
        if not self.selection.claims:
            return 0
        guarantees, name, public = subject.guarantees, scenario.name, subject.publics[scenario.name]
        chosen = {claim.name for claim in subject.claims} | guarantees.faulty.keys()
        tested = [
            claim for claim in _evaluated(guarantees, scenario, regime) if claim.name not in chosen and _decided(claim, regime)
        ]
        failed = self._once(
            ("every assumption", id(guarantees.claims), name), lambda: self._failed(guarantees, name, subject.instances[name])
        )
        if isinstance(failed, TrialError):  # of an assumption that was not asked for: with it nothing would be run here
            return 0
        return len(tested) - len(_not_applicable(tested, public, failed))

    def _failed(self, guarantees: Guarantees, name: str, instance: Any) -> dict[str, str]:
        """Every assumption of an algorithm that fails on an instance."""
        with guarded(f"assumptions on {name}", self.timeout):
            return {claim: "" for claim, found in assumptions_of(guarantees, instance).items() if found.violations}

    def _statistical(self) -> Iterator[tuple[Key, Kind]]:
        for subject in self.subjects:
            for cell in subject.cells:
                for name, tally in cell.tallies.items():
                    if _decided(tally.claim, cell.regime) and name not in cell.not_applicable:
                        yield (f"{cell.algorithm}/{name}", cell.regime.name, cell.instance), tally.claim.kind

    def _monitor(self, subject: Subject, cell: Cell) -> None:
        for name, tally in cell.tallies.items():
            if tally.claim.kind.statistical and name not in cell.not_applicable:
                promised, key = tally.claim.promised(cell.regime), (f"{cell.algorithm}/{name}", cell.regime.name, cell.instance)
                level = self.ledger.level(key) if promised else self.ledger.certify_level
                monitor = monitor_of(tally.claim, subject.publics[cell.instance], level, self.ledger.certify_level)
                least = self.profile.least_of(subject.scenarios[cell.instance].share)
                cell.tallies[name] = Sequential(
                    tally.claim, monitor=monitor, planned=cell.planned, least=least, promised=promised
                )

    @property
    def cells(self) -> list[Cell]:
        """Cells in the order of the plan."""
        return [cell for subject in self.subjects for cell in subject.cells]

    @property
    def planned(self) -> int:
        """Largest number of trials."""
        return sum(cell.planned for cell in self.cells)

    def require_work(self) -> None:
        """Check that the selection left something to do.

        Raises
        ------
        NothingSelectedError
            If there is neither a cell nor an assumption claim, and nothing to be told.
        """
        if not any(
            subject.cells
            or subject.unbuilt
            or subject.drawn
            or subject.faulty
            or (subject.scenarios and subject.assumption_claims)
            for subject in self.subjects
        ):
            raise NothingSelectedError(
                "no claim is evaluated in the selected regimes on the selected instances; widen --claim, --regime or --instance "
                "(`verifier explain CLAIM` shows where a claim is evaluated)"
            )

    # Running ----------------------------------------------------------------------------------------------------

    def settled(self, subject: Subject) -> bool:
        """Whether nothing more is to be run for a subject."""
        return subject.abandoned

    def finished(self, subject: Subject, cell: Cell) -> bool:
        """Whether nothing more is to be run in a cell."""
        return cell.finished or self.settled(subject)

    def deciding(self, subject: Subject, cell: Cell) -> bool:
        """Whether a statistical verdict of a cell is reached next, before other cells have more than one trial."""
        return cell.deciding and not self.settled(subject)

    def sought(self) -> Iterator[tuple[Subject, Cell]]:
        """Cells whose statistical verdicts are reached before anything else is run; there are none in a check."""
        return iter(())

    def news(self, subject: Subject, cell: Cell) -> tuple[str, ...]:
        """Claims that a cell newly shows violated, each with the command that shows it."""
        found = []
        subject.checked.update(subject.assumptions[cell.instance])
        for name, tally in cell.tallies.items():
            if name not in cell.not_applicable and tally.measurement.powered:
                subject.checked.add(name)
            if name not in cell.not_applicable and name not in subject.told and tally.violated() and tally.worst is not None:
                subject.told.add(name)
                place, trial = (cell.instance, cell.regime.name), tally.worst.replay_id(name)
                found.append(violation_line(subject.name, name, *place, trial, self.registry.project_of(subject.name)))
        return tuple(found)

    def unfinished(self, subject: Subject) -> str:
        """Part of a subject that was not looked at, and why; empty if it was finished."""
        return subject.unfinished

    # The record -------------------------------------------------------------------------------------------------

    def _regime_entries(self, subject: Subject) -> dict[str, list[record.RegimeEntry]]:
        """The record's entries of each claim of a subject, by name."""
        by_claim: dict[str, list[record.RegimeEntry]] = {claim.name: [] for claim in subject.claims}
        for claim in subject.claims:
            if claim.kind is Kind.ASSUMPTION:
                by_claim[claim.name] = [subject.assumption_entry(claim, instance) for instance in subject.instances]
            for instance, failure in subject.unbuilt.items():
                by_claim[claim.name].append(regime_entry(Deterministic(claim), Place(None, instance), error=failure.message))
        for cell in subject.cells:
            public = subject.publics[cell.instance]
            for claim_name, tally in cell.tallies.items():
                reason = cell.not_applicable.get(claim_name, "")
                error, cut = self._ended(subject, cell, claim_name)
                found = self._regime_entry(subject, replace(tally, cut=cut), cell, public, reason, error)
                share, trials = subject.scenarios[cell.instance].share, found.trials + found.needed
                larger = enough(self.profile, share, trials) if found.needed else ""
                by_claim[claim_name].append(replace(found, ran=cell.consumed > 0, enough=larger))
        for search in subject.searches:
            for claim_name, found in drawn.entries(search, subject.claims):
                by_claim[claim_name].append(found)
        for claim in subject.claims:
            by_claim[claim.name] += [] if by_claim[claim.name] else searches.missing(subject, claim)
        return by_claim

    def _ended(self, subject: Subject, cell: Cell, claim: str) -> tuple[str, str]:
        """Failure of a cell, and reason why it was cut short; for a claim, one of them is empty.

        A trial that took too long says nothing of a claim that other cells could evaluate: raising the limit may, so there the
        claim is undecided. The trial is an error of the algorithm in any case.
        """
        why = cell.why_not_measured(claim)
        if not why:
            return "", "" if cell.consumed else subject.why_not
        elsewhere = any(claim in other.tallies and other.tallies[claim].trials for other in subject.cells if other is not cell)
        late = cell.error is not None and cell.error.kind == "timeout" and elsewhere
        return ("", why) if late else (why, "")

    def _regime_entry(
        self, subject: Subject, tally: Tally, cell: Cell, public: Any, failed_assumption: str, error: str
    ) -> record.RegimeEntry:
        """The entry of a claim in a cell; an error if its horizon cannot be computed."""
        place = Place(cell.regime, cell.instance, public)
        claim, where = tally.claim, f"{cell.algorithm}/{tally.claim.name} on {cell.instance}, {cell.regime.name}"
        if claim.horizon is None:
            return regime_entry(tally, place, failed_assumption, error)
        try:
            with guarded(f"horizon of {where}", self.timeout):
                return regime_entry(tally, place, failed_assumption, error)
        except GuardedError as failed:
            failure = failed.failure
            subject.other_errors.append(record.ErrorEntry(failure.kind, where, failure.message, failure.traceback))
            bare = replace(tally, claim=replace(claim, horizon=None))
            return regime_entry(bare, place, failed_assumption, error or failure.message)

    def _unchecked(self, guarantees: Guarantees) -> tuple[record.ClauseEntry, ...]:
        """The clauses of the paper that no claim covers, with the reason."""
        return tuple(
            record.ClauseEntry(clause.key, clause.source, clause.statement, clause.unchecked)
            for clause in guarantees.clauses
            if clause.unchecked
        )

    def entry(self, subject: Subject, plugin: str, version: str, source_hash: str) -> record.AlgorithmEntry:
        """The record's entry for one algorithm.

        Raises
        ------
        GuardedError
            If code of the plugin fails in it, hangs or would end the process, or claims that were selected are not evaluated.
        """
        by_claim = self._regime_entries(subject)  # where what is the plugin's is guarded piece by piece
        with guarded(f"results of {subject.name}"):
            found = algorithm_entry(subject, by_claim, self._unchecked(subject.guarantees), self.ledger)
        return replace(
            found,
            plugin=plugin,
            version=version,
            source_hash=source_hash,
            budget_exhausted=self.budget_exhausted,
            unfinished=self.unfinished(subject) or _undecided(subject.guarantees, found),
        )


def _evaluated(guarantees: Guarantees, scenario: Scenario[Any], regime: Regime) -> list[Claim]:
    """The claims of an algorithm that trials on an instance are for: with a single run nothing can be said of a mean."""
    claims = claims_in(guarantees, regime, scenario.family)
    return [claim for claim in claims if scenario.share > 0 or claim.kind is not Kind.EXPECTATION]


def _decided(claim: Claim, regime: Regime) -> bool:
    """Whether a test decides it: what is only observed has no false alarm."""
    return claim.kind.statistical and claim.promised(regime)


def _not_applicable(claims: Sequence[Claim], public: Any, failed: Mapping[str, str]) -> dict[str, str]:
    """The claims that do not apply to an instance, each with the reason; `failed` assumptions have theirs."""
    reasons = {
        claim.name: "; ".join(f"{name} fails: {failed[name]}" for name in claim.assumes if name in failed)
        for claim in claims
        if failed.keys() & set(claim.assumes)
    }
    nothing = {claim.name: why_nothing_is_claimed(claim, public) for claim in claims}
    return reasons | {name: why for name, why in nothing.items() if why and name not in reasons}


def _undecided(guarantees: Guarantees, found: record.AlgorithmEntry) -> str:
    """Reason why an agent was not compared with the algorithm it is held against; empty if it was, or nobody asked for it.

    Empty, too, where such a claim is in error: a crash on one instance says nothing of comparisons on the others, and a knob
    would not mend it.
    """
    asked = [claim for claim in found.claims if claim.name in guarantees.decisive]
    compared = [claim for claim in asked if claim.verdict in (Verdict.CONFORMS, Verdict.VIOLATED, Verdict.ERROR)]
    if not asked or any(claim.verdict != Verdict.CONFORMS or not _hides_bonus(guarantees, claim) for claim in compared):
        return ""
    parts = any(regime.startswith("scaled") for regime in guarantees.algorithm.regimes)
    more = "other instances may show more" if parts else "with a knob it shows more"
    by = " by its bonus" if compared else ""
    return f"{record.UNCOMPARED}{by} ({', '.join(claim.name for claim in asked)}); {more}"


def _hides_bonus(guarantees: Guarantees, claim: record.ClaimEntry) -> bool:
    """Whether the bonus stands in a formula, and nothing that was compared depends on it: a wrong one would not have shown."""
    statement = guarantees.claim(claim.name).property.function
    if not isinstance(statement, Statement):
        return False
    own = [symbol(name, statement.symbols) for name in BONUS.intersection((*statement.names, *statement.definitions))]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", part) for name in own for part in claim.untested)
