"""`verifier gate`: a check, its planted bugs, its runs again elsewhere, and the comparison with a baseline."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from verifier import record
from verifier.base.config import Config
from verifier.base.errors import ExitCode, NothingSelectedError, UsageError, VerifierError
from verifier.campaign.code import code_of
from verifier.campaign.selection import Selection
from verifier.commands.check import check
from verifier.commands.gate import baseline as baselines
from verifier.commands.gate import determinism, speed, stages
from verifier.commands.gate.baseline import Baseline, Standing
from verifier.commands.gate.determinism import Repeats
from verifier.commands.power import power
from verifier.commands.progress import Progress, silent
from verifier.plugins.registry import Registry
from verifier.record.finding import STAGES, Finding, GateEntry, Source, algorithm_of
from verifier.record.verdict import Verdict
from verifier.trials.store import NullStore, Store


@dataclass(frozen=True)
class Options:
    """Options of the gate beyond the settings of a check.

    Parameters
    ----------
    baseline : Path or None
        The baseline to compare with.
    update : bool
        Write the baseline afterwards instead of comparing; what it accepts is accepted all the same.
    slower : float
        The largest ratio of processor times that is accepted.
    today : date
        On which acceptances are judged.
    """

    baseline: Path | None = None
    update: bool = False
    slower: float = speed.SLOWER
    today: date = date.min

    @classmethod
    def of_today(cls, baseline: Path | None, update: bool, slower: float) -> Options:
        """Options judged today (UTC)."""
        return cls(baseline, update, slower, datetime.now(UTC).date())


def gate(
    registry: Registry,
    target: str,
    names: tuple[str, ...],
    config: Config,
    store: Store | NullStore,
    command: tuple[str, ...],
    options: Options,
    progress: Progress = silent,
) -> record.Record:
    """Decide whether algorithms may land.

    Parameters
    ----------
    registry : Registry
    target : str
        As given by the user.
    names : tuple of str
        Algorithms, groups or plugins it stands for.
    config : Config
    store : Store or NullStore
    command : tuple of str
        For the record.
    options : Options
    progress : callable
        Told each `verifier.commands.progress.Step`.

    Returns
    -------
    Record
        Of the check, with the planted bugs of each algorithm and the findings of the gate.

    Raises
    ------
    UsageError
        For a target or a baseline that does not exist.
    """
    before = _baseline(options)
    compared = before is not None and not options.update
    found = _with_power(
        registry, check(registry, names, Selection(()), config, store, command, progress), config, store, progress
    )
    entries = {entry.name: entry for entry in found.algorithms}
    repeats = {name: determinism.repeat(specs, config.timeout, entries[name].plugin) for name, specs in _trials(entries, config)}
    standings = {name: baselines.standing(entry, _work(repeats, name)) for name, entry in entries.items() if entry.claims}
    findings = [finding for entry in entries.values() for finding in _stages(entry, repeats.get(entry.name))]
    if before is not None and compared:
        findings = baselines.news(findings, before.algorithms)
        whole = {plugin for plugin, provided in registry.plugins().items() if set(provided) <= set(entries)}
        findings += _comparison(before, standings, entries, whole, config, options)
    if before is not None:
        absent = before.algorithms.keys() - entries.keys()  # of another run: what is accepted of them is none of this one's
        accepted = [entry for entry in before.accepted if algorithm_of(entry.id) not in absent]
        findings = baselines.accept(findings, accepted, options.today, str(options.baseline))
    findings.sort(key=lambda finding: STAGES.index(finding.stage))
    if options.update and options.baseline is not None:
        _write(options.baseline, before, {name: each for name, each in standings.items() if not entries[name].unfinished}, config)
    where = str(options.baseline) if compared else ""
    code = exit_code(findings, found, config.strict)
    entry = GateEntry(target, where, tuple(findings), dict(_sources(registry, entries.values())), _within())
    return replace(found, gate=entry, exit_code=int(code))


def exit_code(findings: Sequence[Finding], found: record.Record, strict: bool) -> ExitCode:
    """A failure outweighs an error, an error what is not finished or, if strict, not decided."""
    outcomes = {finding.outcome for finding in findings}
    if "failed" in outcomes:
        return ExitCode.VIOLATED
    if "error" in outcomes:
        return ExitCode.ERROR
    undecided = any(algorithm.counted(Verdict.INCONCLUSIVE) for algorithm in found.algorithms)
    return ExitCode.INCONCLUSIVE if "unfinished" in outcomes or (strict and undecided) else ExitCode.OK


def _baseline(options: Options) -> Baseline | None:
    """The baseline as it was; none if none is asked for, or the first one is to be written."""
    if options.baseline is None:
        if options.update:
            raise UsageError("--update-baseline has no baseline to write; give --baseline PATH")
        return None
    if options.update and not options.baseline.exists():
        return None
    return baselines.read(options.baseline)


def _with_power(
    registry: Registry, found: record.Record, config: Config, store: Store | NullStore, progress: Progress
) -> record.Record:
    """The record with the kill matrix of each algorithm that ran and plants bugs, and what went wrong there."""
    sound = tuple(entry.name for entry in found.algorithms if entry.claims and not entry.errors)
    try:
        planted = power(registry, sound, (), config, store, found.command, progress, garbage=False)
    except NothingSelectedError:  # none plants any, which is a finding
        return found
    others = {entry.name: entry for entry in planted.algorithms}
    entries = tuple(
        replace(entry, power=others[entry.name].power, errors=(*entry.errors, *others[entry.name].errors))
        if entry.name in others
        else entry
        for entry in found.algorithms
    )
    return replace(found, algorithms=entries, finished=planted.finished, seconds=found.seconds + planted.seconds)


def _trials(entries: Mapping[str, record.AlgorithmEntry], config: Config) -> Iterator[tuple[str, list[Any]]]:
    """The trials to run again, of algorithms of which nothing has failed to run."""
    for name, entry in entries.items():
        specs = determinism.chosen(entry, config.seed, config.blind)
        if specs and not entry.errors:
            yield name, specs


def _work(repeats: Mapping[str, Repeats], name: str) -> Mapping[str, float]:
    return repeats[name].work if name in repeats and not repeats[name].failure else {}


def _stages(entry: record.AlgorithmEntry, repeats: Repeats | None) -> Iterator[Finding]:
    yield from stages.contract(entry)
    if entry.claims:
        yield from stages.claims(entry)
        yield from stages.coverage(entry)
    if repeats is not None:
        yield from determinism.findings(entry.name, repeats)
    if entry.claims and not entry.errors:
        yield from stages.power(entry)


def _comparison(
    before: Baseline,
    standings: Mapping[str, Standing],
    entries: Mapping[str, record.AlgorithmEntry],
    whole: set[str],
    config: Config,
    options: Options,
) -> Iterator[Finding]:
    """Findings that are worse than in the baseline; `whole` are the plugins all of whose algorithms are here."""
    rule = "the baseline was written with the same profile and seed"
    if (before.profile, before.seed) != (config.profile, config.seed):
        was, new = f"profile {before.profile}, seed {before.seed}", f"profile {config.profile}, seed {config.seed}"
        message = f"the baseline was written with {was}, this is {new}: verdicts may differ for that reason alone"
        yield Finding("baseline:profile", "baseline", "warning", message, rule)
    for name, now in standings.items():
        if name not in before.algorithms:
            message = "is not in the baseline; add it with --update-baseline"
            yield Finding(f"{name}:new", "baseline", "warning", message, "every algorithm is in the baseline")
            continue
        if entries[name].unfinished:
            message = "not compared, since it is not finished"
            yield Finding(f"{name}:baseline", "baseline", "unfinished", message, rule)
            continue
        yield from baselines.compare(name, now, before.algorithms[name])
        yield from _speed(name, entries[name], now, before.algorithms[name], config, options)
    for name, standing in before.algorithms.items():
        if name not in entries and standing.plugin in whole:
            message = f"plugin {standing.plugin!r} does not provide it any more; the baseline has it"
            yield Finding(f"{name}:lost", "baseline", "failed", message, "every algorithm of the baseline is still there")


def _speed(
    name: str, entry: record.AlgorithmEntry, now: Standing, before: Standing, config: Config, options: Options
) -> Iterator[Finding]:
    """The comparison of speeds; one that fails is measured once more, and the better one counts."""
    found = speed.finding(name, now.work, before.work, options.slower)
    if found is not None and found.outcome == "failed":
        again = determinism.repeat(determinism.chosen(entry, config.seed, config.blind), config.timeout, entry.plugin)
        if not again.failure:
            best = {place: min(work, again.work.get(place, work)) for place, work in now.work.items()}
            found = speed.finding(name, best, before.work, options.slower)
    if found is not None:
        yield found


def _sources(registry: Registry, entries: Iterable[record.AlgorithmEntry]) -> Iterator[tuple[str, Source]]:
    """Sources of the algorithms, and of the methods at which claims that are broken first point."""
    for entry in entries:
        with suppress(VerifierError, OSError, TypeError):
            guarantees = registry.guarantees_of(entry.name)
            file, (_, line) = inspect.getsourcefile(guarantees.algorithm), inspect.getsourcelines(guarantees.algorithm)
            if file is not None:
                yield entry.name, _source(file, line)
            declared = {claim.name: claim for claim in guarantees.every_claim}
            for claim in entry.claims:
                place = code_of(guarantees.algorithm, declared[claim.name]) if claim.code else None
                if place is not None:
                    yield claim.id, _source(place.method.__code__.co_filename, place.line)


def _source(file: str, line: int) -> Source:
    path = Path(file).resolve()
    inside = path.is_relative_to(Path.cwd())
    return Source((path.relative_to(Path.cwd()) if inside else path).as_posix(), max(line, 1))


def _within() -> str:
    """The working directory as a path below the top of its git repository."""
    here = Path.cwd()
    top = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    return "" if top == here else here.relative_to(top).as_posix()


def _write(path: Path, before: Baseline | None, standings: Mapping[str, Standing], config: Config) -> None:
    """Write the baseline; other algorithms and what is accepted stay as they are."""
    old = before or Baseline(config.profile, config.seed, {})
    new = Baseline(config.profile, config.seed, {**old.algorithms, **standings}, old.accepted)
    try:
        path.write_text(new.to_text(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"baseline {path} cannot be written: {error.strerror}; choose another path") from None
