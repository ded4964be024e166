"""`verifier check`: from targets and settings to a record."""

from __future__ import annotations

import os
import platform
import secrets
import sys
import time
import traceback
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from verifier import record
from verifier.base.config import Config, options
from verifier.base.errors import ExitCode, UsageError
from verifier.base.machine import machine
from verifier.base.profile import PROFILES, Profile
from verifier.base.version import __version__
from verifier.campaign import searches
from verifier.campaign.campaign import Campaign, violation_line
from verifier.campaign.drawn import failed
from verifier.campaign.schedule import Schedule
from verifier.campaign.selection import Selection
from verifier.campaign.subject import Subject
from verifier.commands import bugs, last_check
from verifier.commands.progress import Progress, Step, silent
from verifier.model.mutant import SEPARATOR
from verifier.model.result import TrialResult, TrialSpec
from verifier.plugins.guard import GuardedError
from verifier.plugins.registry import Broken, Registry
from verifier.plugins.source import harness_hash, source_hash, trial_key
from verifier.record.replaying import in_project
from verifier.record.verdict import Verdict
from verifier.trials.runner import agents_confined, runner
from verifier.trials.search import drawn
from verifier.trials.store import NullStore, Store


class InterruptedRunError(KeyboardInterrupt):
    """The user ended a command.

    Attributes
    ----------
    record : Record
        Of what was finished.
    """

    def __init__(self, found: record.Record) -> None:
        super().__init__("interrupted")
        self.record = found


def check(
    registry: Registry,
    targets: tuple[str, ...],
    selection: Selection,
    config: Config,
    store: Store | NullStore,
    command: tuple[str, ...],
    progress: Progress = silent,
) -> record.Record:
    """Check the algorithms the targets stand for.

    Parameters
    ----------
    registry : Registry
    targets : tuple of str
        Names of algorithms, groups or plugins.
    selection : Selection
        Filters; its `algorithms` are replaced by what the targets resolve to.
    config : Config
    store : Store or NullStore
    command : tuple of str
        For the record.
    progress : callable
        Told each `verifier.commands.progress.Step`.

    Returns
    -------
    Record

    Raises
    ------
    UsageError
        For a target, pattern or setting that does not exist.
    NothingSelectedError
        If nothing is left to do.
    InterruptedRunError
        If the user ends it while trials are run.
    """
    started, clock = now(), time.monotonic()
    names, broken = resolve(registry, targets)
    profile = PROFILES[config.profile].within(config.budget)
    chosen = replace(selection, algorithms=names)
    campaign = Campaign(registry, chosen, profile, config)
    if names or not broken:
        campaign.require_work()
    schedule = execute([campaign], profile, config, store, progress)
    search_drawn(campaign, config, store, profile.search_budget + schedule.left, progress)
    entries = [entry_or_error(registry, campaign, subject) for subject in campaign.subjects]
    if not (selection.claims or selection.regimes or selection.instances):
        entries = [replace(entry, bugs=bugs.recall(store, registry, entry.name)) for entry in entries]
        for entry in entries:
            last_check.remember(store, registry, entry, now(), profile.name, config.seed)
    algorithms = (*entries, *broken)
    code = exit_code(algorithms, config.strict)
    return assemble(command, config, profile, started, clock, algorithms, code, schedule.interrupted)


def assemble(
    command: tuple[str, ...],
    config: Config,
    profile: Profile,
    started: str,
    clock: float,
    algorithms: tuple[record.AlgorithmEntry, ...],
    code: ExitCode,
    interrupted: bool = False,
) -> record.Record:
    """The record of a command that started at `started` (ISO) and `clock` (`time.monotonic`).

    Raises
    ------
    InterruptedRunError
        With the record, if the user has ended the command.
    """
    found = record.Record(
        verifier=__version__,
        command=command,
        seed=config.seed,
        started=started,
        finished=now(),
        seconds=time.monotonic() - clock,
        environment=environment(config.jobs),
        profile=_profile(profile, config),
        exit_code=int(ExitCode.INTERRUPTED if interrupted else code),
        algorithms=algorithms,
    )
    if interrupted:
        raise InterruptedRunError(found)
    return found


def resolve(registry: Registry, targets: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[record.AlgorithmEntry, ...]]:
    """Algorithm names without duplicates, and an entry for each thing among the targets that is broken."""
    names: dict[str, None] = {}
    broken: dict[tuple[str, Broken], None] = {}
    for target in targets:
        usable, unusable = registry.resolve(target)
        names.update(dict.fromkeys(usable))
        for item in unusable:
            known = (target,) if target in item.names else item.names or (item.plugin,)
            broken.update(dict.fromkeys((name, item) for name in known))
    return tuple(names), tuple(_broken(*each) for each in broken)


def require_originals(names: Sequence[str], command: str) -> None:
    """Check that no target is a planted bug.

    Raises
    ------
    UsageError
        If one is.
    """
    for name in names:
        original, separator, mutant = name.partition(SEPARATOR)
        if separator:
            raise UsageError(
                f"{name!r} names a planted bug, which `verifier {command}` does not take; `verifier check '{name}'` checks it "
                f"alone, `verifier power {original} --mutant {mutant}` tells which claims find it"
            )


def exit_code(algorithms: Sequence[record.AlgorithmEntry], strict: bool) -> ExitCode:
    """The exit code of a check: a violation outweighs an error, an error what is not finished or, if strict, not decided."""
    if any(algorithm.counted(Verdict.VIOLATED) for algorithm in algorithms):
        return ExitCode.VIOLATED
    if any(algorithm.errors or algorithm.selected != algorithm.evaluated for algorithm in algorithms):
        return ExitCode.ERROR
    undecided = strict and any(algorithm.counted(Verdict.INCONCLUSIVE) for algorithm in algorithms)
    if undecided or any(algorithm.unfinished for algorithm in algorithms):
        return ExitCode.INCONCLUSIVE
    return ExitCode.OK


class Keys:
    """Store keys of the trials of a campaign, and the hashes they are made of."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._harness = harness_hash()

    def key(self, subject: Subject, spec: TrialSpec) -> str:
        """The key of one trial."""
        parameters: dict[str, Any] = {
            "instance": subject.parameters[spec.instance],
            "claims": sorted(claim.name for claim in subject.guarantees.claims),
            "once": self._once(spec),
        }
        return trial_key(spec, self.source(subject), self._harness, parameters)

    def search_key(self, subject: Subject, spec: TrialSpec) -> str:
        """The key of a search."""
        claims = sorted(claim.name for claim in subject.guarantees.claims)
        parameters = {"instance": "drawn", "claims": claims, "once": self._once(spec)}
        return trial_key(spec, self.source(subject), self._harness, parameters)

    @staticmethod
    def _once(spec: TrialSpec) -> str:
        """A word that no other command has, where an agent could have written what is found under a key; else nothing."""
        return secrets.token_hex() if spec.blind and not agents_confined() else ""

    def source(self, subject: Subject) -> str:
        """The source hash of an algorithm, what is declared of it, and its setting."""
        if subject.name not in self._sources:
            self._sources[subject.name] = source_hash(subject.guarantees, subject.setting)
        return self._sources[subject.name]


def execute(
    campaigns: Sequence[Campaign], profile: Profile, config: Config, store: Store | NullStore, progress: Progress
) -> Schedule:
    """Run campaigns of one registry in worker processes, keeping every result in the store as soon as it is there."""
    by_name = {subject.name: subject for campaign in campaigns for subject in campaign.subjects}
    planned = sum(campaign.planned for campaign in campaigns)
    schedule, keys = Schedule(campaigns, profile), Keys()

    def known(spec: TrialSpec) -> TrialResult | None:
        subject = by_name[spec.algorithm]
        result = store.get(keys.key(subject, spec))
        if result is None and spec.claims:  # a run in which all claims were evaluated has these, too, unless others have ended it
            result = store.get(keys.key(subject, replace(spec, claims=())))
            result = None if result is None or result.error is not None else replace(result, spec=spec)
        subject.reused += result is not None
        return None if result is None else replace(result, seconds=0.0)

    def keep(result: TrialResult) -> None:
        store.put(keys.key(by_name[result.spec.algorithm], result.spec), result)

    if not campaigns:
        return schedule
    with runner(config, campaigns[0].registry, algorithms=by_name) as trials:

        def run(specs: Iterator[TrialSpec]) -> Iterator[TrialResult]:
            return trials.map((replace(spec, blind=config.blind) for spec in specs), on_result=keep, known=known)

        def tell(done: int, running: str, found: tuple[str, ...]) -> None:
            progress(Step(done, planned, schedule.left, running, found, *_counts(by_name.values())))

        schedule.run(run, tell)
    return schedule


def _counts(subjects: Collection[Subject]) -> tuple[int, int, int]:
    """Numbers of selected claims: checked so far, violated, and in all."""
    selected = [(subject, {claim.name for claim in subject.claims}) for subject in subjects]
    checked = sum(len((subject.checked | subject.told) & names) for subject, names in selected)
    return checked, sum(len(subject.told & names) for subject, names in selected), sum(len(names) for _, names in selected)


def search_drawn(
    campaign: Campaign, config: Config, store: Store | NullStore, budget: float, progress: Progress = silent
) -> None:
    """Search for counterexamples on drawn instances, for every algorithm of which nothing has failed to run.

    Witnesses are kept in the store, so that `verifier replay` finds them.

    Parameters
    ----------
    campaign : Campaign
    config : Config
    store : Store or NullStore
    budget : float
        Seconds of processor time, charged in the order of the searches. Those from the store cost nothing.
    progress : callable
        Told each `verifier.commands.progress.Step`.
    """
    subjects = {subject.name: subject for subject in campaign.subjects if not (subject.failed or subject.ended)}
    specs = [
        replace(spec, blind=config.blind) for spec in searches.planned(subjects.values(), campaign.profile.examples, config.seed)
    ]
    keys, spent, taken = Keys(), 0.0, 0

    def keep(result: TrialResult) -> None:
        store.put(keys.search_key(subjects[result.spec.algorithm], result.spec), result)

    def known(spec: TrialSpec) -> TrialResult | None:
        found = store.get(keys.search_key(subjects[spec.algorithm], spec))
        return None if found is None else replace(found, seconds=0.0)

    def tell(found: tuple[str, ...] = ()) -> None:
        """The search that is waited for."""
        waited = f"{specs[taken].algorithm} on small drawn instances, {specs[taken].regime}" if taken < len(specs) else ""
        done = sum(cell.consumed for cell in campaign.cells)
        progress(Step(done, campaign.planned, max(budget - spent, 0.0), waited, found, *_counts(subjects.values())))

    if not specs:  # also where what ran the trials is lost, which no other runner could use
        return
    tell()
    with runner(config, campaign.registry, drawn.task, longer=drawn.SEARCH_SECONDS, algorithms=subjects) as running:
        for result in running.map(iter(specs), on_result=keep, known=known):
            if spent >= budget:
                break
            spent, taken = spent + result.seconds, taken + 1
            subject = subjects[result.spec.algorithm]
            tell(_take_search(subject, result, store, campaign.registry.project_of(subject.name)))
    for spec in specs[taken:]:
        subjects[spec.algorithm].undrawn = f"the budget of {budget:g} s of processor time for that is spent"


def _take_search(subject: Subject, result: TrialResult, store: Store | NullStore, project: str) -> tuple[str, ...]:
    """Take in a search, or how it failed; what it found violated first."""
    failure = failed(result, subject.name)
    if failure is not None:
        subject.other_errors.append(failure)
        return ()
    found = drawn.read(result)
    subject.searches.append(found)
    for witness in found.witnesses:
        store.put_witness(witness)
    new = [witness for witness in found.witnesses if witness.claim not in subject.told]
    subject.told.update(witness.claim for witness in new)
    regime = result.spec.regime
    return tuple(violation_line(subject.name, each.claim, "a drawn instance", regime, each.replay_id, project) for each in new)


def algorithm_entry(registry: Registry, campaign: Campaign, subject: Subject) -> record.AlgorithmEntry:
    """The record's entry for an algorithm of a campaign, with the plugin it is from."""
    plugin, version = registry.plugin_of.get(subject.name.partition(SEPARATOR)[0], ("?", "?"))
    found = campaign.entry(subject, plugin, version, source_hash(subject.guarantees, subject.setting))
    return in_project(found, registry.project_of(subject.name))


def entry_or_error(registry: Registry, campaign: Campaign, subject: Subject) -> record.AlgorithmEntry:
    """Entry of an algorithm; if it cannot be made, an entry that says so: the work on the other algorithms is not lost."""
    try:
        return algorithm_entry(registry, campaign, subject)
    except GuardedError as error:
        return lost_entry(registry, subject.name, error, error.failure.traceback)
    except Exception as error:
        return lost_entry(registry, subject.name, error, traceback.format_exc())


def lost_entry(registry: Registry, name: str, error: Exception, where: str) -> record.AlgorithmEntry:
    """The entry of an algorithm whose results could not be put together; `where` is the traceback."""
    what = f"its results could not be put together ({type(error).__name__}: {error}); the other algorithms are not concerned"
    plugin, _ = registry.plugin_of.get(name.partition(SEPARATOR)[0], ("?", "?"))
    return _empty(name, plugin, record.ErrorEntry("internal", name, what, where))


def _broken(name: str, item: Broken) -> record.AlgorithmEntry:
    """The entry of something selected that could not be loaded."""
    return _empty(name, item.plugin, record.ErrorEntry("load", item.place, item.cause, item.traceback))


def _empty(name: str, plugin: str, error: record.ErrorEntry) -> record.AlgorithmEntry:
    """The entry of an algorithm of which nothing is known but an error."""
    return record.AlgorithmEntry(
        name=name, title="", paper="", plugin=plugin, version="", source_hash="", settings={}, instances=(), claims=(),
        clauses_total=0, clauses_checked=0, clauses_unchecked=(), counts={"selected": 0, "evaluated": 0},
        ledger=record.Ledger(0.0, 0.0, 0.0, ()), errors=(error,),
        trials_planned=0, trials_finished=0, trials_reused=0, budget_exhausted=False,
    )  # fmt: skip


def _profile(profile: Profile, config: Config) -> dict[str, Any]:
    recorded = {name: getattr(config, name) for name, option in options().items() if option.recorded}
    return {"name": profile.name, "budget": profile.budget, "firm": profile.firm, "trials": profile.trials, **recorded}


def environment(jobs: int) -> dict[str, Any]:
    """Environment that the numbers were computed in."""
    from importlib import metadata

    return {
        **machine(),
        "pluggy": metadata.version("pluggy"),
        "platform": platform.platform(),
        "cpus": os.cpu_count() or jobs,
    }


def now() -> str:
    """The time as records write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def command_line() -> tuple[str, ...]:
    """The command as typed, for the record; the program's path is left out."""
    return ("verifier", *sys.argv[1:])
