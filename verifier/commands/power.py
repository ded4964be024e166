"""`verifier power`: whether the checks find planted bugs.

Every mutant of an algorithm goes through the same campaign as the original, and so do agents that learn nothing, which its
setting provides (`Setting.garbage`). It is killed by a violated claim; a crash or a hang is an error and no kill. All claims of a
run are measured together, and a mutant's campaign ends once every claim expected to catch it has done so, or after the first
round in which anything has; that of a garbage agent when anything has.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from verifier import record
from verifier.base.config import Config
from verifier.base.difference import Difference, merged
from verifier.base.errors import ExitCode, NothingSelectedError, UsageError, nearest
from verifier.base.profile import PROFILES, Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.causes import Seen, causes
from verifier.campaign.evidence import judge
from verifier.campaign.selection import Selection, regime_pattern, regimes_of, selected
from verifier.campaign.subject import Cell, Subject, faults
from verifier.commands import bugs
from verifier.commands.check import assemble, execute, lost_entry, now, require_originals, resolve
from verifier.commands.progress import Progress, silent
from verifier.model.claim import Claim, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.mutant import SEPARATOR, Mutant
from verifier.model.proof import Graph, graph_of
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Registry
from verifier.plugins.source import source_hash
from verifier.record.replaying import in_project
from verifier.record.sentence import explained
from verifier.record.verdict import Verdict
from verifier.trials.store import NullStore, Store
from verifier.trials.trial import claims_in


@dataclass(frozen=True)
class Planted:
    """A mutant and the subject that runs it."""

    mutant: Mutant
    subject: Subject


class PowerCampaign(Campaign):
    """A campaign whose subjects are the mutants of one algorithm.

    Parameters
    ----------
    registry : Registry
    original : Guarantees
        Of the algorithm.
    mutants : sequence of Mutant
    profile : Profile
    config : Config
    regimes : sequence of str
        Patterns; empty for all regimes.
    """

    def __init__(
        self,
        registry: Registry,
        original: Guarantees,
        mutants: Sequence[Mutant],
        profile: Profile,
        config: Config,
        regimes: Sequence[str] = (),
    ) -> None:
        names = tuple(f"{original.name}{SEPARATOR}{mutant.name}" for mutant in mutants)
        super().__init__(registry, Selection(names, regimes=tuple(regimes)), profile, config)
        self.original = original
        self.planted = [Planted(mutant, subject) for mutant, subject in zip(mutants, self.subjects, strict=True)]
        self._settled: dict[str, tuple[int, bool]] = {}
        self._mutants = {subject.name: mutant for mutant, subject in zip(mutants, self.subjects, strict=True)}
        for subject in self.subjects:
            telling = {cell.instance for cell in subject.cells if cell.regime.source == "oracle"}
            subject.cells.sort(key=lambda cell: cell.regime.source != "oracle" and cell.instance in telling)

    def mutant_of(self, subject: Subject) -> Mutant:
        """The mutant that a subject runs."""
        return self._mutants[subject.name]

    def settled(self, subject: Subject) -> bool:
        """Whether more trials of a mutant are pointless; looked at again when there is a new one."""
        consumed = sum(cell.consumed for cell in subject.cells)
        known = self._settled.get(subject.name)
        if known is None or known[0] != consumed:
            known = self._settled[subject.name] = consumed, self._decided(subject)
        return known[1]

    def deciding(self, subject: Subject, cell: Cell) -> bool:
        """Whether a cell is worth deciding: never, since a bug shows sooner on many instances than in many trials on one."""
        return False

    def news(self, subject: Subject, cell: Cell) -> tuple[str, ...]:
        """No news: planted bugs are meant to be found."""
        return ()

    def _decided(self, subject: Subject) -> bool:
        if super().settled(subject):
            return True
        killers = {claim for _, claim in kills(subject)}
        mutant = self.mutant_of(subject)
        expected = set(mutant.caught_by)
        first_round = all(cell.consumed > 0 or cell.error is not None for cell in subject.cells)
        return bool(killers) and (first_round or mutant.garbage or (bool(expected) and expected <= killers))

    @property
    def claims_run(self) -> list[Claim]:
        """The claims of the original; where regimes were selected, those that anything in them evaluates."""
        evaluated = {name for cell in self.cells for name in cell.tallies}
        return [claim for claim in self.original.claims if claim.name in evaluated or not self.selection.regimes]

    def power_entry(self) -> record.PowerEntry:
        """The kill matrix and what follows from it; of a claim that should catch a bug that was not run nothing is known."""
        proof = graph_of(self.original.every_claim)
        entries = tuple(_mutant_entry(item, self.original.every_claim, proof) for item in self.planted)
        telling = {kill.claim for entry in entries for kill in entry.kills}
        telling |= {claim for entry in entries if entry.outcome == "not run" for claim in entry.expected}
        breakable = [claim for claim in self.claims_run if not claim.unbreakable]
        claims = [claim.name for claim in breakable if claim.kind is not Kind.ASSUMPTION]
        idle = tuple(name for name in claims if name not in telling)
        return record.PowerEntry(entries, idle, localisation=_localisation(entries) if proof else None)

    def missing_part(self, found: record.PowerEntry) -> str:
        """Part that was not run before the run ended, and why; empty if everything was."""
        skipped = sum(mutant.outcome == "not run" for mutant in found.mutants)
        return f"{skipped} of {len(found.mutants)} planted bugs were not run: {self.cut}" if skipped else ""

    @property
    def cut(self) -> str:
        """Reason why the run ended early, if it did."""
        return next((subject.cut for subject in self.subjects if subject.cut), "")

    @staticmethod
    def exit_code(algorithms: Sequence[record.AlgorithmEntry]) -> ExitCode:
        """Exit code of a record: a survivor outweighs an error, an error what was not run."""
        outcomes = {mutant.outcome for entry in algorithms if entry.power for mutant in entry.power.mutants}
        if "survived" in outcomes:
            return ExitCode.VIOLATED
        if "error" in outcomes or any(entry.errors for entry in algorithms):
            return ExitCode.ERROR
        return ExitCode.INCONCLUSIVE if any(entry.unfinished for entry in algorithms) else ExitCode.OK


def kills(subject: Subject) -> Iterator[tuple[Cell, str]]:
    """The cells and names of claims that call this subject violated."""
    for cell in subject.cells:
        for name, tally in cell.tallies.items():
            if judge(tally, cell.not_applicable.get(name, ""))[0] is Verdict.VIOLATED:
                yield cell, name


def kill_entry(cell: Cell, claim: str) -> record.KillEntry:
    """The record's entry of a claim that calls the mutant of a cell violated."""
    tally = cell.tallies[claim]
    return record.KillEntry(
        claim=claim,
        regime=cell.regime.name,
        instance=cell.instance,
        trials=cell.consumed,
        ratio=tally.summary.ratio,
        replay=tally.worst.replay_id(claim) if tally.worst else "",
    )


def _mutant_entry(item: Planted, claims: Sequence[Claim], proof: Graph) -> record.MutantEntry:
    mutant, subject = item.mutant, item.subject
    found: dict[str, record.KillEntry] = {}
    differences: dict[str, Difference | None] = {}
    for cell, name in kills(subject):
        found.setdefault(name, kill_entry(cell, name))
        differences[name] = merged(differences.get(name), cell.tallies[name].summary.difference)
    first = _first(item, found, claims, proof) if proof else ()
    cause = mutant.line if mutant.line in first else next(iter(first), "")
    difference = differences.get(cause)
    failures = [entry.message for entry in subject.failures()]
    trials = sum(cell.consumed for cell in subject.cells)
    missing = "" if found else subject.unfinished
    equivalent = _equivalent(item)
    error = failures[0] if failures else missing
    if found:
        outcome: record.MutantOutcome = "killed"
    elif failures:
        outcome = "error"
    elif missing:
        outcome = "not run"
    else:
        outcome = "equivalent" if equivalent else "survived"
    return record.MutantEntry(
        name=mutant.name,
        description=mutant.description,
        outcome=outcome,
        reason=error or equivalent,
        expected=mutant.caught_by,
        missed=tuple(name for name in mutant.caught_by if name not in found),
        trials=trials,
        kills=tuple(found.values()),
        garbage=mutant.garbage,
        first_broken=first,
        difference=explained(difference) if difference else "",
        differs=mutant.differs,
    )


def _first(item: Planted, found: Iterable[str], claims: Sequence[Claim], proof: Graph) -> tuple[str, ...]:
    """The claims broken first, among those that found the bug."""
    cells = item.subject.cells
    evidence = {
        name: {
            (cell.regime.name, cell.instance): Seen(
                tally.trials, tally.failures, tally.measurement.comparisons, tally.summary.difference
            )
            for cell in cells
            if (tally := cell.tallies.get(name)) is not None and name not in cell.not_applicable
        }
        for name in found
    }
    able = {name for cell in cells for name, tally in cell.tallies.items() if tally.measurement.powered}
    return causes(claims, proof, evidence, able - evidence.keys())


def _equivalent(item: Planted) -> str:
    """Reason why no check can tell a mutant from the original in the regimes that were run; empty if one may."""
    mutant, sources = item.mutant, {cell.regime.source for cell in item.subject.cells}
    if mutant.differs_in and not sources & set(mutant.differs_in):
        return f"it is the original here: it differs in regimes of source {' and '.join(mutant.differs_in)} only"
    if mutant.shown_on and not {cell.instance for cell in item.subject.cells} & set(mutant.shown_on):
        return f"not looked at on these instances: it shows on {' and '.join(mutant.shown_on)}"
    regimes = {cell.regime.name: cell.regime for cell in item.subject.cells}
    here = {claim.name for regime in regimes.values() for claim in claims_in(item.subject.guarantees, regime)}
    if regimes and mutant.caught_by and not mutant.equivalent and not here & set(mutant.caught_by):
        finding = "claim that finds it is" if len(mutant.caught_by) == 1 else "claims that find it are"
        return f"not looked at in this regime: the {finding} about others ({', '.join(mutant.caught_by)})"
    return mutant.equivalent


def _localisation(entries: Sequence[record.MutantEntry]) -> record.LocalisationEntry:
    """Numbers of found bugs that were named, and of pairs of a declared line and a broken one."""
    bugs = [entry for entry in entries if entry.line and entry.outcome == "killed"]
    pairs = Counter((entry.line, found) for entry in bugs for found in entry.first_broken)
    confusion = tuple(record.ConfusionEntry(declared, found, count) for (declared, found), count in sorted(pairs.items()))
    return record.LocalisationEntry(len(bugs), sum(e.named for e in bugs), sum(e.told for e in bugs), confusion)


def choose(among: Sequence[Guarantees], patterns: Sequence[str]) -> list[tuple[Guarantees, list[Mutant]]]:
    """The mutants that match any of the patterns (all if there are none), by algorithm; algorithms without any are left out.

    Raises
    ------
    UsageError
        If a pattern matches none of any algorithm.
    """
    known = {mutant.name for guarantees in among for mutant in guarantees.mutants}
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise UsageError(f"no planted bug is called {pattern!r}. {nearest(pattern, known)}")
    chosen = [
        (guarantees, [m for m in guarantees.mutants if not patterns or any(fnmatchcase(m.name, p) for p in patterns)])
        for guarantees in among
    ]
    return [(guarantees, mutants) for guarantees, mutants in chosen if mutants]


def power(
    registry: Registry,
    targets: tuple[str, ...],
    patterns: Sequence[str],
    config: Config,
    store: Store | NullStore,
    command: tuple[str, ...],
    progress: Progress = silent,
    *,
    garbage: bool = True,
    regimes: Sequence[str] = (),
    campaigns: type[PowerCampaign] = PowerCampaign,
) -> record.Record:
    """Check the mutants of the algorithms the targets stand for, and the garbage agents of their settings.

    Parameters
    ----------
    registry : Registry
    targets : tuple of str
        Names of algorithms, groups or plugins.
    patterns : sequence of str
        Names of mutants, with wildcards; empty for all.
    config : Config
    store : Store or NullStore
    command : tuple of str
        For the record.
    progress : callable
        Told each `verifier.commands.progress.Step`.
    garbage : bool
        Whether garbage agents are run.
    regimes : sequence of str
        Only in regimes that match one of these patterns, of the algorithms that have such; empty for all.
    campaigns : type of PowerCampaign
        How the mutants of an algorithm are run, when to stop, and what the exit code is.

    Raises
    ------
    UsageError
        For a target, mutant or regime that does not exist.
    NothingSelectedError
        If no algorithm has a mutant that fits.
    """
    started, clock = now(), time.monotonic()
    names, broken = resolve(registry, targets)
    require_originals(names, "power")
    chosen = choose([registry.with_garbage(name) if garbage else registry.guarantees_of(name) for name in names], patterns)
    if names and not chosen:
        raise NothingSelectedError(f"{', '.join(names)}: no mutants declared; put some in `mutants`")
    chosen = [item for item in chosen if _has_regime(item[0], regimes)] or chosen  # of which one is then told what it has
    planned = sum(len(mutants) for _, mutants in chosen)
    profile = PROFILES[config.profile].for_power(planned).within(config.budget)
    running = [campaigns(registry, guarantees, mutants, profile, config, regimes) for guarantees, mutants in chosen]
    schedule = execute(running, profile, config, store, progress)
    algorithms = (*(_entry_or_error(registry, campaign) for campaign in running), *broken)
    if campaigns is PowerCampaign and not (patterns or regimes):
        for entry in algorithms:
            bugs.remember(store, registry, entry, now(), profile.name)
    return assemble(command, config, profile, started, clock, algorithms, campaigns.exit_code(algorithms), schedule.interrupted)


def _has_regime(guarantees: Guarantees, regimes: Sequence[str]) -> bool:
    """Whether an algorithm has a regime that matches."""
    patterns = [regime_pattern(pattern) for pattern in regimes]
    return any(selected((name,), patterns) for name in regimes_of(guarantees.algorithm, patterns))


def _entry_or_error(registry: Registry, campaign: PowerCampaign) -> record.AlgorithmEntry:
    """Entry of an algorithm; where code of the plugin fails in it, hangs or would end the process, an entry that says so."""
    name = campaign.original.name
    try:
        with guarded(f"results of {name}"):
            return _algorithm_entry(registry, campaign)
    except GuardedError as error:
        return lost_entry(registry, name, error, error.failure.traceback)


def _algorithm_entry(registry: Registry, campaign: PowerCampaign) -> record.AlgorithmEntry:
    guarantees, cells = campaign.original, [cell for subject in campaign.subjects for cell in subject.cells]
    found = campaign.power_entry()
    lost = campaign.cut if any(subject.lost for subject in campaign.subjects) else ""
    algorithm, (plugin, version) = guarantees.algorithm, registry.plugin_of.get(guarantees.name, ("?", "?"))
    entry = record.AlgorithmEntry(
        name=guarantees.name,
        title=algorithm.title,
        paper=algorithm.paper,
        plugin=plugin,
        version=version,
        source_hash=source_hash(guarantees),
        settings={
            "setting": algorithm.setting,
            "regimes": sorted({cell.regime.name for cell in cells}) if campaign.selection.regimes else list(algorithm.regimes),
        },
        instances=(),
        claims=(),
        clauses_total=0,
        clauses_checked=0,
        clauses_unchecked=(),
        counts={"selected": 0, "evaluated": 0},
        ledger=record.Ledger(campaign.ledger.budget, 0.0, campaign.ledger.certify_level, ()),
        errors=(*faults(guarantees), *((record.ErrorEntry("internal", guarantees.name, lost),) if lost else ())),
        trials_planned=campaign.planned,
        trials_finished=sum(cell.consumed for cell in cells),
        trials_reused=sum(subject.reused for subject in campaign.subjects),
        budget_exhausted=campaign.budget_exhausted,
        power=found,
        unfinished=campaign.missing_part(found),
    )
    return in_project(entry, registry.project_of(guarantees.name))
