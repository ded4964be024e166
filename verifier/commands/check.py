"""`verifier check`: from targets and settings to a record."""

from __future__ import annotations

import os
import platform
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
from verifier.campaign.campaign import Campaign
from verifier.campaign.schedule import FOUND, Schedule
from verifier.campaign.selection import Selection
from verifier.campaign.subject import Subject
from verifier.commands import bugs, last_check, last_failed
from verifier.commands.keys import Keys
from verifier.commands.progress import Progress, Step, counts, silent
from verifier.commands.searching import search_drawn
from verifier.model.mutant import SEPARATOR
from verifier.model.result import TrialResult, TrialSpec
from verifier.plugins.guard import GuardedError
from verifier.plugins.registry import Broken, Registry
from verifier.plugins.source import source_hash
from verifier.record.replaying import in_project
from verifier.record.verdict import Verdict
from verifier.trials.runner import runner
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
    exit_first: bool = False,
    ahead: Collection[last_failed.Place] = (),
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
    exit_first : bool
        Whether the first violation ends the run.
    ahead : collection of (str, str, str)
        Algorithm, instance and regime of what is run first.

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
    schedule = execute([campaign], profile, config, store, progress, exit_first, ahead)
    if schedule.found:
        for subject in campaign.subjects:
            subject.undrawn = FOUND
    else:
        search_drawn(campaign, config, store, profile.search_budget + schedule.left, progress, exit_first)
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
    figures: tuple[record.FigureEntry, ...] = (),
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
        figures=figures,
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


def execute(
    campaigns: Sequence[Campaign],
    profile: Profile,
    config: Config,
    store: Store | NullStore,
    progress: Progress,
    exit_first: bool = False,
    ahead: Collection[last_failed.Place] = (),
    spent: float = 0.0,
) -> Schedule:
    """Run campaigns of one registry in worker processes, keeping every result in the store as soon as it is there."""
    by_name = {subject.name: subject for campaign in campaigns for subject in campaign.subjects}
    planned = sum(campaign.planned for campaign in campaigns)
    schedule = Schedule(
        campaigns, profile, exit_first, ahead=lambda cell: (cell.algorithm, cell.instance, cell.regime.name) in ahead, spent=spent
    )
    keys = Keys()

    def known(spec: TrialSpec) -> TrialResult | None:
        subject = by_name[spec.algorithm]
        result = store.get(keys.key(subject, spec))
        if result is None and spec.claims:  # a run in which all claims were evaluated has these, too, unless others have ended it
            result = store.get(keys.key(subject, replace(spec, claims=())))
            has = result is not None and result.error is None and set(spec.claims) <= {*result.measurements, *result.unmeasured}
            result = replace(result, spec=spec) if result is not None and has else None
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
            progress(Step(done, planned, schedule.left, running, found, *counts(by_name.values())))

        schedule.run(run, tell)
    return schedule


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
