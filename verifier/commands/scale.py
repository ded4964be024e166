"""`verifier scale`: how quantities grow with the size of the instance, against the rates the theorems claim.

A campaign like that of `verifier check`, whose instances are the members of families: one trial at each size for each seed, kept
in the store, so it resumes and does not depend on the number of workers. Beside each algorithm run the wrong ones that its
scaling claims name; they show whether a claim could have failed where it was looked at, and do not enter the ledger.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from verifier import record
from verifier.base.config import Config
from verifier.base.errors import NothingSelectedError, UsageError, nearest
from verifier.base.profile import PROFILES, Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.evidence import Place, regime_entry
from verifier.campaign.figure_evidence import FigureEvidence
from verifier.campaign.ladder import Ladder, Points
from verifier.campaign.ladder_evidence import ladder_entry
from verifier.campaign.selection import Selection, claim_id, selected
from verifier.campaign.subject import Cell, Subject
from verifier.campaign.tally import Deterministic, Tally
from verifier.commands.check import assemble, entry_or_error, execute, exit_code, now, require_originals, resolve
from verifier.commands.progress import Progress, silent
from verifier.model.claim import Claim, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.mutant import SEPARATOR
from verifier.model.regime import Regime
from verifier.model.scaling import ScalingClaim
from verifier.model.setting import Family, Scenario
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Registry
from verifier.statistics import Key
from verifier.trials.store import NullStore, Store


class ScaleCampaign(Campaign):
    """A campaign over sizes.

    Parameters
    ----------
    registry : Registry
    selection : Selection
        Its algorithms include the mutants that the claims name; its instances are families.
    profile : Profile
    config : Config
    figure : str
        Key of a figure of the paper, or empty for the claims that redraw none.
    """

    def __init__(
        self,
        registry: Registry,
        selection: Selection,
        profile: Profile,
        config: Config,
        figure: str = "",
    ) -> None:
        self.figure, self._patterns = figure, selection.instances
        self._sizes: dict[str, int] = {}
        self._families: dict[str, Family[Any]] = {}
        super().__init__(registry, replace(selection, instances=()), profile, config)

    @property
    def originals(self) -> list[Subject]:
        """The subjects that are no mutants."""
        return [subject for subject in self.subjects if SEPARATOR not in subject.name]

    # Planning ---------------------------------------------------------------------------------------------------

    def _claims(self, guarantees: Guarantees) -> tuple[ScalingClaim, ...]:
        mutant = guarantees.name.partition(SEPARATOR)[2]
        chosen = chosen_claims(guarantees, self.figure, self.profile.name)
        return tuple(claim for claim in chosen if not mutant or claim.alternative == mutant)

    def _regimes(self, guarantees: Guarantees) -> dict[str, Regime]:
        names = [name for claim in self._claims(guarantees) for name in claim.regimes]
        return {regime.name: regime for regime in map(Regime.parse, names)}

    def _scenarios(self, guarantees: Guarantees, registry: Registry) -> list[Scenario[Any]]:
        """The members of the families that the claims are about; ``--instance`` selects families."""
        wanted: dict[str, set[int]] = {}
        for claim in self._claims(guarantees):
            if selected((claim.family,), self._patterns) and selected(
                (claim.name, claim_id(guarantees.name.partition(SEPARATOR)[0], claim)), self.selection.claims
            ):
                wanted.setdefault(claim.family, set()).update(claim.ladder(self.profile.name, SEPARATOR in guarantees.name))
        scenarios = []
        for family in registry.setting(guarantees.algorithm.setting).families:
            self._families[family.name] = family
            for size in sorted(wanted.get(family.name, ())):
                scenarios.append(family.member(size))
                self._sizes[scenarios[-1].name] = size
        return scenarios

    def _add_cell(self, subject: Subject, scenario: Scenario[Any], regime: Regime) -> None:
        """Add a cell where a claim about this regime wants this size."""
        mutant = SEPARATOR in subject.name
        for claim in self._claims(subject.guarantees):
            size = self._sizes[scenario.name] if claim.family == scenario.family and claim in subject.claims else None
            if size in claim.ladder(self.profile.name, mutant) and regime in map(Regime.parse, claim.regimes):
                super()._add_cell(subject, scenario, regime)
                return

    def _tally(self, claim: Claim) -> Tally:
        return Points(claim)

    def _statistical(self) -> Iterator[tuple[Key, Kind]]:
        for subject in self.originals:
            for claim, regime in self._ladders(subject):
                yield (f"{subject.name}/{claim.name}", regime.name, claim.family), claim.kind

    def _ladders(self, subject: Subject) -> Iterator[tuple[ScalingClaim, Regime]]:
        """The claims and regimes of a subject that have trials."""
        there = {(cell.regime.name, subject.scenarios[cell.instance].family) for cell in subject.cells}
        for claim in subject.claims:
            assert isinstance(claim, ScalingClaim)
            for regime in map(Regime.parse, claim.regimes):
                if (regime.name, claim.family) in there:
                    yield claim, regime

    def news(self, subject: Subject, cell: Cell) -> tuple[str, ...]:
        """No news: a rate is judged when all of its sizes are there."""
        return ()

    def unfinished(self, subject: Subject) -> str:
        """Part that is missing of a subject's ladders and of the wrong algorithms beside it: a rate needs every planned trial."""
        beside = [each for each in self.subjects if each.name.partition(SEPARATOR)[0] == subject.name]
        planned = sum(cell.planned for each in beside for cell in each.cells)
        missing = sum(cell.planned - cell.consumed for each in beside for cell in each.cells if cell.error is None)
        why = next((each.why_not for each in beside if each.cut or each.abandoned), "")
        return f"{missing} of {planned} trials were not run: {why}" if missing else ""

    # The record -------------------------------------------------------------------------------------------------

    def _ladder(self, subject: Subject, claim: ScalingClaim, regime: Regime) -> Ladder:
        name, _, mutant = subject.name.partition(SEPARATOR)
        cells = {
            self._sizes[cell.instance]: cell
            for cell in subject.cells
            if cell.regime.name == regime.name and subject.scenarios[cell.instance].family == claim.family
        }
        sizes = tuple(size for size in claim.ladder(self.profile.name, bool(mutant)) if size in cells)
        publics = [subject.publics[cells[size].instance] for size in sizes]
        level = self.ledger.level((f"{name}/{claim.name}", regime.name, claim.family))
        chosen = [cells[size] for size in sizes]
        family, seeds, certify = self._families[claim.family], self.profile.trials, self.ledger.certify_level
        return Ladder(claim, regime, family, sizes, chosen, publics, seeds, level, certify, bool(mutant))

    def _regime_entries(self, subject: Subject) -> dict[str, list[record.RegimeEntry]]:
        by_claim: dict[str, list[record.RegimeEntry]] = {claim.name: [] for claim in subject.claims}
        for claim, regime in self._ladders(subject):
            by_claim[claim.name].append(self._scaling(subject, claim, regime))
        for each in subject.claims:
            by_claim[each.name] += self._unbuilt(subject, each, bool(by_claim[each.name]))
        return by_claim

    def _scaling(self, subject: Subject, claim: ScalingClaim, regime: Regime) -> record.RegimeEntry:
        """The entry of a claim in a regime; an error if its rate, its burn-in or its horizon cannot be computed."""
        where = f"{subject.name}/{claim.name} on {claim.family}, {regime.name}"
        try:
            with guarded(f"scaling of {where}", self.timeout):
                ladder, other = self._ladder(subject, claim, regime), self._alternative(subject, claim, regime)
                if other is None:
                    return ladder_entry(ladder)
                wrong = subject.guarantees.mutant(claim.alternative)
                return ladder_entry(ladder, self._ladder(other, claim, regime), wrong.description)
        except GuardedError as error:
            failure = error.failure
            subject.other_errors.append(record.ErrorEntry(failure.kind, where, failure.message, failure.traceback))
            bare = Deterministic(replace(claim, horizon=None))
            return regime_entry(bare, Place(regime, claim.family), error=failure.message)

    def _alternative(self, subject: Subject, claim: ScalingClaim, regime: Regime) -> Subject | None:
        """The wrong algorithm beside a claim, if it has trials."""
        name = f"{subject.name}{SEPARATOR}{claim.alternative}"
        found = next((other for other in self.subjects if other.name == name), None)
        there = found is not None and any((c.name, r) == (claim.name, regime) for c, r in self._ladders(found))
        return found if there else None

    def _unbuilt(self, subject: Subject, claim: Claim, evaluated: bool) -> list[record.RegimeEntry]:
        """An error entry where a member of the claim's family could not be built, or where others kept it from being tried."""
        assert isinstance(claim, ScalingClaim)
        own = [failure for name, failure in subject.unbuilt.items() if name.startswith(f"{claim.family}[")]
        failures = own or ([] if evaluated else list(subject.unbuilt.values()))
        if not failures:
            return []
        return [regime_entry(Deterministic(claim), Place(None, claim.family), error=failures[0].message)]

    def figures(self) -> tuple[record.FigureEntry, ...]:
        """Entries of the figure, one for each algorithm that says what it shows."""
        ladders = {
            (subject.name, claim.name): self._ladder(subject, claim, regime)
            for subject in self.originals
            for claim, regime in self._ladders(subject)
        }
        titles = {subject.name: subject.guarantees.algorithm.title for subject in self.originals}
        found = []
        for subject in self.originals:
            for figure in subject.guarantees.figures:
                if figure.key == self.figure:
                    evidence = FigureEvidence(figure, subject.name, ladders, titles)
                    found += self._figure(subject, evidence)
        return tuple(found)

    def _figure(self, subject: Subject, evidence: FigureEvidence) -> list[record.FigureEntry]:
        """The entry of a figure; none, but an error of its algorithm, where a claimed rate cannot be computed."""
        where = f"figure {evidence.figure.key} of {subject.name}"
        try:
            with guarded(where, self.timeout):
                return [evidence.entry(subject.guarantees.algorithm.paper)]
        except GuardedError as error:
            failure = error.failure
            subject.other_errors.append(record.ErrorEntry(failure.kind, where, failure.message, failure.traceback))
            return []

    def _unchecked(self, guarantees: Guarantees) -> tuple[record.ClauseEntry, ...]:
        covered = {claim.clause for claim in self._claims(guarantees)}
        return tuple(
            record.ClauseEntry(clause.key, clause.source, clause.statement, "no rate: `verifier check` is for it")
            for clause in guarantees.clauses
            if clause.key not in covered
        )


def chosen_claims(guarantees: Guarantees, figure: str, profile: str) -> tuple[ScalingClaim, ...]:
    """The scaling claims of an algorithm that redraw a figure (or none), and have sizes in a profile.

    A badly declared one is among them: it is an error of the record, whatever its sizes are.
    """
    return tuple(c for c in guarantees.scaling if c.figure == figure and (c.wrong or c.ladder(profile)))


def scale(
    registry: Registry,
    targets: tuple[str, ...],
    selection: Selection,
    config: Config,
    store: Store | NullStore,
    command: tuple[str, ...],
    progress: Progress = silent,
    figure: str = "",
) -> record.Record:
    """Measure how quantities grow, for the algorithms the targets stand for.

    Parameters
    ----------
    registry : Registry
    targets : tuple of str
        Names of algorithms, groups or plugins.
    selection : Selection
        Filters; its instances are families, its `algorithms` are replaced by what the targets resolve to.
    config : Config
    store : Store or NullStore
    command : tuple of str
        For the record.
    progress : callable
        Told each `verifier.commands.progress.Step`.
    figure : str
        Key of a figure of the paper: run its experiment, with all algorithms of the paper that appear in it.

    Raises
    ------
    UsageError
        For a target, pattern, figure or setting that does not exist.
    NothingSelectedError
        If nothing is left to do.
    """
    started, clock = now(), time.monotonic()
    names, broken = resolve(registry, targets)
    require_originals(names, "scale")
    profile = PROFILES[config.profile].for_scaling(bool(figure)).within(config.budget)
    if figure:
        names = _in_figure(registry, names, figure, config.profile)
    chosen = {name: chosen_claims(registry.guarantees_of(name), figure, config.profile) for name in names}
    names = tuple(name for name in names if chosen[name])
    if not names and not broken:
        raise NothingSelectedError(f"{', '.join(targets)}: no scaling claims declared; put some in `scaling`")
    sound = {name: tuple(claim for claim in chosen[name] if not claim.wrong) for name in names}
    _require_families(sound, selection.instances)
    mutants = _alternatives(registry, sound, selection)
    wanted = replace(selection, algorithms=(*names, *mutants))
    campaign = ScaleCampaign(registry, wanted, profile, config, figure)
    if names:
        campaign.require_work()
    schedule = execute([campaign], profile, config, store, progress)
    figures = campaign.figures() if figure else ()
    entries = [entry_or_error(registry, campaign, subject) for subject in campaign.originals]
    algorithms = (*entries, *broken)
    code = exit_code(algorithms, config.strict)
    return assemble(command, config, profile, started, clock, algorithms, code, schedule.interrupted, figures)


def _require_families(chosen: dict[str, tuple[ScalingClaim, ...]], patterns: tuple[str, ...]) -> None:
    """Check that every pattern fits a family of some claim."""
    known = {claim.family for claims in chosen.values() for claim in claims}
    for pattern in patterns if known else ():
        if not any(selected((name,), (pattern,)) for name in known):
            raise UsageError(f"no scaling claim is about a family of instances {pattern!r}. {nearest(pattern, known)}")


def _in_figure(registry: Registry, names: tuple[str, ...], figure: str, profile: str) -> tuple[str, ...]:
    """The algorithms of the same papers that appear in a figure, those that were named first."""
    papers = {registry.guarantees_of(name).algorithm.paper for name in names}
    same = [name for name in (*names, *registry.guarantees) if registry.guarantees_of(name).algorithm.paper in papers]
    found = [name for name in dict.fromkeys(same) if chosen_claims(registry.guarantees_of(name), figure, profile)]
    if names and not found:
        known = {claim.figure for name in same for claim in registry.guarantees_of(name).scaling if claim.figure}
        raise UsageError(f"figure {figure!r} of {', '.join(names)} is not known. {nearest(figure, known)}")
    return tuple(found)


def _alternatives(registry: Registry, chosen: dict[str, tuple[ScalingClaim, ...]], selection: Selection) -> list[str]:
    """Full names of the mutants that the selected claims name.

    Raises
    ------
    UsageError
        If an algorithm has no such mutant.
    """
    found: dict[str, None] = {}
    for name, claims in chosen.items():
        for claim in claims:
            asked = selected((claim.name, claim_id(name, claim)), selection.claims)
            if claim.alternative and asked and selected((claim.family,), selection.instances):
                registry.guarantees_of(name).mutant(claim.alternative)
                found[f"{name}{SEPARATOR}{claim.alternative}"] = None
    return list(found)
