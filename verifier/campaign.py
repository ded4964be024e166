"""Campaigns: which trials are run, when to stop, and the record of what was found.

Trials are planned as cells (algorithm, instance, regime) and consumed round by round in a fixed order, so that verdicts do not
depend on the number of workers. A cell stops as soon as more trials could not change its verdicts.
"""

from __future__ import annotations

import fnmatch
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from verifier import drawn, record, verdict
from verifier.algorithm import Algorithm
from verifier.claim import Claim, Kind
from verifier.drawn import Search
from verifier.errors import InternalError, NothingSelectedError, UsageError, VerifierError, nearest
from verifier.measurement import Measurement
from verifier.regime import Regime
from verifier.registry import Registry
from verifier.result import TrialError, TrialResult, TrialSpec
from verifier.seeds import stream
from verifier.setting import TIERS, Scenario, Setting
from verifier.statistics import Ledger, RateTest
from verifier.trial import assumptions_of, claims_in
from verifier.verdict import Tally

DETERMINISTIC_TRIALS = 4
"""A cell whose statistical verdicts have all been reached still runs this many trials for its other claims."""

FAILURES_UNTIL_ABANDONED = 3
"""After so many cells of an algorithm ended in an error, its other cells are not started."""


@dataclass(frozen=True)
class Profile:
    """How much work a check does.

    Parameters
    ----------
    name : str
    budget : float
        Seconds after which no new trial is started.
    trials : int
        Trials of a cell with share 1.
    """

    name: str
    budget: float
    trials: int


PROFILES = {
    "quick": Profile("quick", 30.0, 32),
    "standard": Profile("standard", 300.0, 200),
    "deep": Profile("deep", 2700.0, 1500),
}


@dataclass(frozen=True)
class Selection:
    """What the user asked for; patterns are shell globs, empty means everything.

    Parameters
    ----------
    algorithms : tuple of str
        Names.
    claims, regimes, instances : tuple of str
        Patterns; a claim's is matched against its name and its id.
    """

    algorithms: tuple[str, ...]
    claims: tuple[str, ...] = ()
    regimes: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()


@dataclass
class Cell:
    """All trials of one algorithm on one instance in one regime.

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

    def spec(self, index: int, seed: int) -> TrialSpec:
        """The trial of this index."""
        return TrialSpec(self.algorithm, self.instance, self.regime.name, index, seed)

    @property
    def finished(self) -> bool:
        """Whether further trials are pointless: an error, the plan fulfilled, or every statistical verdict reached."""
        if self.error is not None or self.consumed >= self.planned:
            return True
        monitored = [tally for name, tally in self.tallies.items() if tally.monitor and name not in self.not_applicable]
        settled = bool(monitored) and not any(tally.undecided for tally in monitored)
        return settled and self.consumed >= DETERMINISTIC_TRIALS

    def take(self, result: TrialResult) -> None:
        """Consume a result."""
        self.consumed += 1
        if result.error is not None:
            self.error, self.error_trial = result.error, result.spec
            return
        missing = self.tallies.keys() - result.measurements.keys()
        if missing:
            raise InternalError(f"{result.spec.label}: claims selected but not evaluated: {', '.join(sorted(missing))}")
        for name, tally in self.tallies.items():
            tally.add(result.spec, result.measurements[name])


@dataclass
class Target:
    """One algorithm of a campaign, with its instances and cells."""

    algorithm: type[Algorithm]
    setting: Setting[Any, Any]
    claims: tuple[Claim, ...]
    scenarios: dict[str, Scenario[Any]] = field(default_factory=dict)
    instances: dict[str, Any] = field(default_factory=dict)
    assumptions: dict[str, dict[str, Measurement]] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    unbuilt: dict[str, TrialError] = field(default_factory=dict)
    searches: list[Search] = field(default_factory=list)
    search_errors: list[record.ErrorEntry] = field(default_factory=list)
    reused: int = 0

    @property
    def failed(self) -> bool:
        """Whether anything of the plugin went wrong so far."""
        return bool(self.unbuilt) or any(cell.error is not None for cell in self.cells)

    @property
    def abandoned(self) -> bool:
        """Whether so many instances or cells failed that no further ones are started."""
        return len(self.unbuilt) + sum(cell.error is not None for cell in self.cells) >= FAILURES_UNTIL_ABANDONED


class Campaign:
    """A check of one or more algorithms.

    Parameters
    ----------
    registry : Registry
    selection : Selection
    profile : Profile
    seed : int
    error_budget, certify_level : float
        See `verifier.statistics.Ledger`.
    """

    def __init__(
        self, registry: Registry, selection: Selection, profile: Profile, seed: int, error_budget: float, certify_level: float
    ) -> None:
        self.profile, self.seed = profile, seed
        self.selection = replace(selection, regimes=tuple(map(_regime_pattern, selection.regimes)))
        self.budget_exhausted = False
        self._require_known(registry)
        self.targets = [self._target(registry, name) for name in selection.algorithms]
        self.ledger = Ledger(error_budget, certify_level).plan(list(self._statistical()))
        for target in self.targets:
            for cell in target.cells:
                self._monitor(target, cell)

    # Planning ---------------------------------------------------------------------------------------------------

    def _require_known(self, registry: Registry) -> None:
        """Check that every pattern without wildcards, and some with, fit something that one of the algorithms has."""
        chosen = {name: registry.algorithm(name) for name in self.selection.algorithms}
        claims = [(claim.name, _claim_id(name, claim)) for name, algorithm in chosen.items() for claim in algorithm.claims]
        regimes = [(name,) for algorithm in chosen.values() for name in _regimes(algorithm, self.selection.regimes)]
        instances = [(s.name,) for algorithm in chosen.values() for s in _scenarios(algorithm, registry)]
        for what, patterns, known in (
            ("claim", self.selection.claims, claims),
            ("regime", self.selection.regimes, regimes),
            ("instance", self.selection.instances, instances),
        ):
            for pattern in patterns if chosen else ():
                if not _has_wildcard(pattern) and not any(_matches_any(names, (pattern,)) for names in known):
                    near = nearest(pattern, [names[-1 if "/" in pattern else 0] for names in known])
                    raise UsageError(f"{what} {pattern!r} is not known. {near}")
            if chosen and not any(_selected(names, patterns) for names in known):
                given = " ".join(f"--{what} {pattern!r}" for pattern in patterns) or f"the algorithms' own {what}s"
                shown = f"`verifier explain {next(iter(chosen))}` shows what there is"
                raise NothingSelectedError(f"{given}: no {what} fits; widen it ({shown})")

    def _target(self, registry: Registry, name: str) -> Target:
        algorithm = registry.algorithm(name)
        wanted = self.selection
        claims = (c for c in algorithm.claims if _selected((c.name, _claim_id(name, c)), wanted.claims))
        target = Target(algorithm, registry.setting(algorithm.setting), tuple(claims))
        regimes = [r for r in _regimes(algorithm, wanted.regimes).values() if _selected((r.name,), wanted.regimes)]
        chosen = [s for s in _scenarios(algorithm, registry) if _selected((s.name,), wanted.instances)]
        depth = TIERS.index(self.profile.name) if self.profile.name in TIERS else 0
        for scenario in chosen:
            if not wanted.instances and TIERS.index(scenario.tier) > depth:
                continue
            if target.abandoned or not self._add_instance(target, scenario):
                continue
            for regime in regimes:
                if wanted.regimes or {"*", regime.source} & set(scenario.regimes):
                    self._add_cell(target, scenario, regime)
        target.claims = tuple(claim for claim in target.claims if _evaluated(claim, target))
        return target

    def _add_instance(self, target: Target, scenario: Scenario[Any]) -> bool:
        """Build an instance and evaluate the assumptions on it; False when the plugin's code for that failed."""
        name = scenario.name
        try:
            instance = scenario.build(stream(self.seed, "instance", name))
            target.assumptions[name] = assumptions_of(target.algorithm, instance)
        except VerifierError as error:
            target.unbuilt[name] = TrialError("contract", f"assumptions on {name}: {error}")
        except Exception as error:  # a plugin's property or setting may raise anything
            message = f"assumptions on {name}: {type(error).__name__}: {error}"
            target.unbuilt[name] = TrialError("crash", message, traceback.format_exc(limit=-6))
        else:
            target.scenarios[name], target.instances[name] = scenario, instance
        return name not in target.unbuilt

    def _add_cell(self, target: Target, scenario: Scenario[Any], regime: Regime) -> None:
        names = {claim.name for claim in claims_in(target.algorithm, regime)}
        claims = [claim for claim in target.claims if claim.name in names]
        if claims:
            planned = max(1, round(self.profile.trials * scenario.share))
            reasons = _failed_assumptions(target, scenario.name)
            not_applicable = {
                claim.name: "; ".join(f"{name} fails: {reasons[name]}" for name in claim.assumes if name in reasons)
                for claim in claims
                if reasons.keys() & set(claim.assumes)
            }
            tallies = {claim.name: Tally(claim) for claim in claims}
            target.cells.append(Cell(target.algorithm.name, scenario.name, regime, planned, tallies, not_applicable))

    def _statistical(self) -> Iterator[tuple[str, str, str]]:
        for target in self.targets:
            for cell in target.cells:
                for name, tally in cell.tallies.items():
                    if tally.claim.kind is Kind.PROBABILITY and name not in cell.not_applicable:
                        yield f"{cell.algorithm}/{name}", cell.regime.name, cell.instance

    def _monitor(self, target: Target, cell: Cell) -> None:
        for name, tally in cell.tallies.items():
            if tally.claim.kind is Kind.PROBABILITY and name not in cell.not_applicable:
                level = self.ledger.level((f"{cell.algorithm}/{name}", cell.regime.name, cell.instance))
                delta = target.setting.public(target.instances[cell.instance]).delta * tally.claim.failure_probability
                tally.monitor = RateTest(delta, level, self.ledger.certify_level).start()

    @property
    def cells(self) -> list[Cell]:
        """All cells in the order of the plan."""
        return [cell for target in self.targets for cell in target.cells]

    @property
    def planned(self) -> int:
        """Largest number of trials."""
        return sum(cell.planned for cell in self.cells)

    def require_work(self) -> None:
        """Check that the selection left something to do.

        Raises
        ------
        NothingSelectedError
            If there is neither a cell nor an assumption claim.
        """
        if not any(target.cells or target.unbuilt or (target.scenarios and _assumptions(target)) for target in self.targets):
            raise NothingSelectedError(
                "no claim is evaluated in the selected regimes on the selected instances; widen --claim, --regime or --instance "
                "(`verifier explain CLAIM` shows where a claim is evaluated)"
            )

    # Running ----------------------------------------------------------------------------------------------------

    def settled(self, target: Target) -> bool:
        """Whether nothing more is to be run for a target."""
        return target.abandoned

    def specs(self, deadline: float) -> Iterator[TrialSpec]:
        """The trials still worth running, round by round, until the deadline (`time.monotonic`)."""
        rounds = max((cell.planned for cell in self.cells), default=0)
        for index in range(rounds):
            for target in self.targets:
                for cell in target.cells:
                    if index < cell.planned and not cell.finished and not self.settled(target):
                        if time.monotonic() > deadline:
                            self.budget_exhausted = True
                            return
                        yield cell.spec(index, self.seed)

    def run(
        self,
        execute: Callable[[Iterator[TrialSpec]], Iterator[TrialResult]],
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        """Run the campaign.

        Parameters
        ----------
        execute : callable
            Maps trials to results in the same order.
        progress : callable
            Told the number of trials consumed.
        """
        cells = ((target, cell) for target in self.targets for cell in target.cells)
        lookup = {(cell.algorithm, cell.instance, cell.regime.name): (target, cell) for target, cell in cells}
        for done, result in enumerate(execute(self.specs(time.monotonic() + self.profile.budget)), start=1):
            spec = result.spec
            target, cell = lookup[spec.algorithm, spec.instance, spec.regime]
            if not cell.finished and not self.settled(target):
                cell.take(result)
            progress(done)

    # The record -------------------------------------------------------------------------------------------------

    def entry(self, target: Target, plugin: str, version: str, source_hash: str) -> record.AlgorithmEntry:
        """The record's entry for one algorithm.

        Raises
        ------
        InternalError
            If the claims evaluated are not the claims selected.
        """
        algorithm, name = target.algorithm, target.algorithm.name
        by_claim: dict[str, list[record.RegimeEntry]] = {claim.name: [] for claim in target.claims}
        for claim in target.claims:
            if claim.kind is Kind.ASSUMPTION:
                by_claim[claim.name] = [_assumption_entry(claim, target, instance) for instance in target.instances]
            for instance, failure in target.unbuilt.items():
                by_claim[claim.name].append(verdict.entry(Tally(claim), None, instance, None, "", failure.message))
        for cell in target.cells:
            public = target.setting.public(target.instances[cell.instance])
            error = cell.error.message if cell.error else ("" if cell.consumed or not target.abandoned else ABANDONED)
            for claim_name, tally in cell.tallies.items():
                reason = cell.not_applicable.get(claim_name, "")
                by_claim[claim_name].append(verdict.entry(tally, cell.regime, cell.instance, public, reason, error))
        for search in target.searches:
            for claim_name, found in drawn.entries(search, target.claims):
                by_claim[claim_name].append(found)
        texts = drawn.counterexamples(target.searches)
        claims = tuple(
            verdict.claim_entry(name, claim, by_claim[claim.name], texts.get(claim.name, "")) for claim in target.claims
        )
        counts = {item.value: sum(c.verdict == item.value for c in claims) for item in verdict.Verdict}
        evaluated = sum(bool(found) for found in by_claim.values())
        if evaluated != len(target.claims):
            raise InternalError(f"{name}: {len(target.claims)} claims selected, {evaluated} evaluated")
        unchecked = tuple(
            record.ClauseEntry(clause.key, clause.source, clause.statement, clause.unchecked)
            for clause in algorithm.clauses
            if clause.unchecked
        )
        own = [key for key in self.ledger.keys if key[0].startswith(f"{name}/")]
        entries = tuple(item for item in self.ledger.entries() if item.claim.startswith(f"{name}/"))
        share = self.ledger.spent() * len(own) / max(len(self.ledger.keys), 1)
        return record.AlgorithmEntry(
            name=name,
            title=algorithm.title,
            paper=algorithm.paper,
            plugin=plugin,
            version=version,
            source_hash=source_hash,
            settings={"setting": algorithm.setting, "regimes": list(algorithm.regimes)},
            instances=tuple(_instance_entry(target, instance) for instance in target.instances),
            claims=claims,
            clauses_total=len(algorithm.clauses),
            clauses_checked=len(algorithm.clauses) - len(unchecked),
            clauses_unchecked=unchecked,
            counts={"selected": len(target.claims), "evaluated": evaluated, **counts},
            ledger=record.Ledger(self.ledger.budget, share, self.ledger.certify_level, entries),
            errors=tuple(_errors(target)),
            trials_planned=sum(cell.planned for cell in target.cells),
            trials_finished=sum(cell.consumed for cell in target.cells),
            trials_reused=target.reused,
            budget_exhausted=self.budget_exhausted,
        )


ABANDONED = f"not started: {FAILURES_UNTIL_ABANDONED} other instances or regimes ended in an error"


def _errors(target: Target) -> Iterator[record.ErrorEntry]:
    for instance, failure in target.unbuilt.items():
        where = f"{target.algorithm.name} on {instance}"
        yield record.ErrorEntry(failure.kind, where, failure.message, failure.traceback)
    for cell in target.cells:
        if cell.error is not None and cell.error_trial is not None:
            yield record.ErrorEntry(cell.error.kind, cell.error_trial.label, cell.error.message, cell.error.traceback)
    yield from target.search_errors
    for search in target.searches:
        yield from drawn.errors(search, target.algorithm.name)


def _evaluated(claim: Claim, target: Target) -> bool:
    """Whether a claim that was asked for is evaluated in some regime on some instance that was."""
    by_instance = claim.kind is Kind.ASSUMPTION and bool(target.instances)
    return by_instance or bool(target.unbuilt) or any(claim.name in cell.tallies for cell in target.cells)


def _assumptions(target: Target) -> list[Claim]:
    return [claim for claim in target.claims if claim.kind is Kind.ASSUMPTION]


def _failed_assumptions(target: Target, instance: str) -> dict[str, str]:
    """Assumption claim to the reason in words, for those that fail on an instance."""
    return {
        name: f"{measurement.value:.3g}"
        + (f" > {measurement.bound:.3g}" if measurement.bound else " instead of 0")
        + (" at " + ", ".join(f"{axis} {i}" for axis, i in measurement.place.items()) if measurement.place else "")
        for name, measurement in target.assumptions[instance].items()
        if measurement.violations
    }


def _instance_entry(target: Target, name: str) -> record.InstanceEntry:
    return record.InstanceEntry(
        name=name,
        description=target.scenarios[name].description,
        showcase=target.scenarios[name].showcase,
        parameters=target.setting.parameters(target.instances[name]),
        failed_assumptions=_failed_assumptions(target, name),
    )


def _assumption_entry(claim: Claim, target: Target, instance: str) -> record.RegimeEntry:
    measurement = target.assumptions[instance][claim.name]
    failed = _failed_assumptions(target, instance).get(claim.name, "")
    tally = Tally(claim, measurement, None, trials=1, failures=int(bool(measurement.violations)))
    return verdict.entry(tally, None, instance, None, failed and f"this instance is outside it: {failed}", "")


def _matches_any(names: tuple[str, ...], patterns: Sequence[str]) -> bool:
    return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _selected(names: tuple[str, ...], patterns: Sequence[str]) -> bool:
    """Whether something with these names is wanted; no pattern means everything is."""
    return not patterns or _matches_any(names, patterns)


def _claim_id(algorithm: str, claim: Claim) -> str:
    return f"{algorithm}/{claim.name}"


def _has_wildcard(pattern: str) -> bool:
    return bool(set("*?") & set(pattern))


def _is_scaled(pattern: str) -> bool:
    return pattern.startswith("scaled(") and not _has_wildcard(pattern)


def _regime_pattern(text: str) -> str:
    """A pattern for regimes; the name of a scaled one as `Regime.name` writes it."""
    return Regime.parse(text).name if _is_scaled(text) else text


def _regimes(algorithm: type[Algorithm], patterns: Sequence[str]) -> dict[str, Regime]:
    """The regimes of an algorithm by name, and any scaled one that is asked for by name."""
    asked = filter(_is_scaled, patterns)
    return {regime.name: regime for regime in map(Regime.parse, [*algorithm.regimes, *asked])}


def _scenarios(algorithm: type[Algorithm], registry: Registry) -> list[Scenario[Any]]:
    catalogue = registry.setting(algorithm.setting).catalogue()
    outside = [pattern[1:] for pattern in algorithm.instances if pattern.startswith("!")]
    return [
        scenario
        for scenario in catalogue
        if _matches_any((scenario.name,), algorithm.instances) and not _matches_any((scenario.name,), outside)
    ]
