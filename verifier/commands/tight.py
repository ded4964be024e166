"""`verifier tight`: how small a multiple of each bound would have done, on the instances at hand, with confidence bounds.

A campaign like that of `verifier check` at the published width alone, in which every instance has the same number of runs, fixed
by the profile, and no claim is judged. Instances that a check runs once are left out unless they are asked for by name: of a
single run no quantile is bounded. Afterwards the algorithm is run at the certified factor of the claim about its width, and at
the error of the run, for the regret there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verifier import record
from verifier.base.config import Config
from verifier.base.errors import ExitCode, UsageError
from verifier.base.profile import PROFILES, Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.factor_growth import DELTA, family_of, family_of_delta, growth_of, where_promised, within_reach
from verifier.campaign.factors import CONFIDENCE, NO_BOUND, NO_FACTORS, Factors, factor_line
from verifier.campaign.price import cells, price
from verifier.campaign.selection import Selection, claim_id, selected
from verifier.campaign.subject import Cell, Subject, faults
from verifier.campaign.tally import Tally
from verifier.commands.check import assemble, execute, lost_entry, now, require_originals, resolve
from verifier.commands.progress import Progress, silent
from verifier.commands.worst_instance import PUBLISHED, find_worst
from verifier.model.claim import Claim
from verifier.model.guarantees import Guarantees
from verifier.model.proof import graph_of
from verifier.model.regime import Regime
from verifier.model.setting import Family, Scenario
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Registry
from verifier.plugins.source import source_hash
from verifier.record.replaying import in_project
from verifier.trials.store import NullStore, Store


class TightCampaign(Campaign):
    """A campaign of equally many runs on every instance, at the published width.

    Parameters
    ----------
    registry : Registry
    selection : Selection
        Its regimes are ignored.
    profile : Profile
        Its trials are the runs on each instance.
    config : Config
    growth : str
        Name of a family, whose members take the place of the catalogue; or `DELTA`, for the one instance that the selection
        fits, or the first one, at several delta.
    """

    def __init__(self, registry: Registry, selection: Selection, profile: Profile, config: Config, growth: str = "") -> None:
        self.growth, self._families, self._left_out = growth, dict[str, Family[Any]](), dict[str, tuple[int, ...]]()
        self._patterns = selection.instances
        instances = () if growth else selection.instances
        super().__init__(registry, replace(selection, regimes=(PUBLISHED,), instances=instances), profile, config)

    def _scenarios(self, guarantees: Guarantees, registry: Registry) -> list[Scenario[Any]]:
        if not self.growth:
            return super()._scenarios(guarantees, registry)
        if self.growth == DELTA:
            whole = family_of_delta(guarantees, registry, self._patterns)
            family = within_reach(whole, guarantees, self.selection.claims, self.profile.trials)
            self._left_out[guarantees.name] = tuple(size for size in whole.sizes if size not in family.sizes)
        else:
            family = family_of(guarantees.algorithm, registry, self.growth)
        self._families[guarantees.name] = family
        return [family.member(size) for size in family.sizes]

    def _tally(self, claim: Claim) -> Tally:
        return Factors(claim)

    def _add_cell(self, subject: Subject, scenario: Scenario[Any], regime: Regime) -> None:
        """Add a cell for the claims that have a factor; none for an instance that a check runs once, unless it was asked for."""
        if not scenario.share and not self.selection.instances and not self.growth:
            return
        before = len(subject.cells)
        # members of families are measured like any other instance: all claims, not those alone that are about the family
        super()._add_cell(subject, replace(scenario, family=""), regime)
        for cell in subject.cells[before:]:
            cell.planned = self.profile.trials
            for name in [name for name, tally in cell.tallies.items() if tally.claim.kind in NO_FACTORS]:
                del cell.tallies[name]
            cell.claims = tuple(cell.tallies)
            if not cell.tallies:
                subject.cells.remove(cell)

    def _statistical(self) -> Any:
        """No test: no claim is judged, and intervals have an error of their own."""
        return iter(())

    def _monitor(self, subject: Subject, cell: Cell) -> None:
        """No monitor: every claim is measured in all runs."""

    @property
    def _draws(self) -> bool:
        return False

    def news(self, subject: Subject, cell: Cell) -> tuple[str, ...]:
        """No news: no claim is judged."""
        return ()

    def unfinished(self, subject: Subject) -> str:
        """Part of the runs that is missing: nothing is certified on an instance without all of them."""
        planned = sum(cell.planned for cell in subject.cells if not cell.broken)
        missing = planned - sum(cell.consumed for cell in subject.cells if not cell.broken)
        return f"{missing} of {planned} runs are missing: {subject.why_not}" if missing else ""

    # The record -------------------------------------------------------------------------------------------------

    def tightness(self, subject: Subject) -> record.TightnessEntry:
        """The factors of the selected claims, with their bounds."""
        published = [cell for cell in subject.cells if cell.regime.name == PUBLISHED]
        intervals = sum(
            tally.claim.kind.statistical and name not in cell.not_applicable
            for cell in published
            for name, tally in cell.tallies.items()
        )
        level = (1.0 - CONFIDENCE) / max(intervals, 1)
        patterns = self.selection.claims
        claims = [c for c in subject.guarantees.claims if selected((c.name, claim_id(subject.name, c)), patterns)]
        entries = tuple(self._factor(subject, claim, published, level) for claim in claims)
        return record.TightnessEntry(CONFIDENCE, intervals, self.profile.trials, entries)

    def _factor(self, subject: Subject, claim: Claim, published: list[Cell], level: float) -> record.FactorEntry:
        lines, told = [], []
        for cell in published:
            tally = cell.tallies.get(claim.name)
            if not isinstance(tally, Factors) or claim.name in cell.not_applicable:
                continue
            told.append(cell.why_not_measured(claim.name) or tally.uncompared() or NO_BOUND)
            if tally.telling:
                planned = tuple(cell.spec(index, self.seed) for index in range(cell.planned))
                lines.append(factor_line(tally, cell.instance, subject.publics[cell.instance], level, planned))
        none = NO_FACTORS.get(claim.kind, "") or ("" if lines else next(iter(told), "not evaluated at the published width here"))
        growth = None
        if lines and self.growth:
            family = where_promised(claim, self._families[subject.name], subject.publics)
            growth = growth_of(lines, family, self._left_out.get(subject.name, ()))
        return record.FactorEntry(
            claim.name, claim.source, claim.statement, claim.kind.value, f"{claim.allowed}", tuple(lines), none, growth
        )


def tight(
    registry: Registry,
    targets: tuple[str, ...],
    selection: Selection,
    config: Config,
    store: Store | NullStore,
    command: tuple[str, ...],
    progress: Progress = silent,
    worst: str = "",
    growth: str = "",
    sizes: Mapping[str, int] | None = None,
) -> record.Record:
    """Measure how tight the bounds of the algorithms are that the targets stand for.

    Parameters
    ----------
    registry : Registry
    targets : tuple of str
        Names of algorithms, groups or plugins.
    selection : Selection
        Filters; its `algorithms` are replaced by what the targets resolve to, its regimes are ignored.
    config : Config
    store : Store or NullStore
    command : tuple of str
        For the record.
    progress : callable
        Told each `verifier.commands.progress.Step`.
    worst : str
        File for the drawn instance on which the one selected claim needs most; it takes the place of the catalogue.
    growth : str
        Name of a family of instances, in the place of the catalogue, or `DELTA`; regret is not compared then.
    sizes : mapping of str to int, optional
        Sizes of the instance that is searched for.

    Raises
    ------
    UsageError
        For a target, pattern or setting that does not exist.
    NothingSelectedError
        If nothing is left to do.
    """
    started, clock = now(), time.monotonic()
    names, broken = resolve(registry, targets)
    require_originals(names, "tight")
    profile = PROFILES[config.profile].for_tight().within(config.budget)
    searched = None
    if growth and worst:
        raise UsageError("--growth measures on instances that are there; leave out --worst")
    if growth not in ("", DELTA) and selection.instances:
        raise UsageError(f"--growth measures on the family {growth!r}; leave out --instance")
    if sizes and not worst:
        raise UsageError(f"--size {', '.join(sizes)}: the size of an instance that is searched for; give --worst FILE.json, too")
    if worst:
        searched = find_worst(registry, names, selection, profile, config, worst, progress, sizes)
        selection = replace(selection, instances=(worst,))
    campaign = TightCampaign(registry, replace(selection, algorithms=names), profile, config, growth)
    if names or not broken:
        campaign.require_work()
    schedule = execute([campaign], profile, config, store, progress)
    tables = {subject.name: replace(campaign.tightness(subject), worst=searched) for subject in campaign.subjects}
    if not growth and not schedule.interrupted and math.isfinite(schedule.left):
        for subject in campaign.subjects:
            subject.cells += cells(subject, tables[subject.name])
        schedule = execute([campaign], profile, config, store, progress, spent=schedule.spent)
    entries = [_entry_or_error(registry, campaign, subject, tables[subject.name]) for subject in campaign.subjects]
    algorithms = (*entries, *broken)
    code = ExitCode.ERROR if any(entry.errors for entry in algorithms) else ExitCode.OK
    if code is ExitCode.OK and any(entry.unfinished for entry in algorithms):
        code = ExitCode.INCONCLUSIVE
    return assemble(command, config, profile, started, clock, algorithms, code, schedule.interrupted)


def _entry_or_error(
    registry: Registry, campaign: TightCampaign, subject: Subject, table: record.TightnessEntry
) -> record.AlgorithmEntry:
    """Entry of an algorithm; where code of the plugin fails in it, an entry that says so."""
    try:
        with guarded(f"results of {subject.name}"):
            priced = None if campaign.growth else price(subject, table)
            return _entry(registry, campaign, subject, replace(table, price=priced))
    except GuardedError as error:
        return lost_entry(registry, subject.name, error, error.failure.traceback)


def _entry(registry: Registry, campaign: TightCampaign, subject: Subject, table: record.TightnessEntry) -> record.AlgorithmEntry:
    guarantees, algorithm = subject.guarantees, subject.guarantees.algorithm
    plugin, version = registry.plugin_of.get(subject.name, ("?", "?"))
    entry = record.AlgorithmEntry(
        name=subject.name,
        title=algorithm.title,
        paper=algorithm.paper,
        plugin=plugin,
        version=version,
        source_hash=source_hash(guarantees),
        settings={"setting": algorithm.setting, "regimes": subject.regimes},
        instances=tuple(subject.instance_entry(name) for name in {cell.instance: None for cell in subject.cells}),
        claims=(),
        clauses_total=0,
        clauses_checked=0,
        clauses_unchecked=(),
        counts={"selected": 0, "evaluated": 0},
        ledger=record.Ledger(campaign.ledger.budget, 0.0, campaign.ledger.certify_level, ()),
        errors=(*faults(guarantees, subject.faulty), *subject.failures()),
        trials_planned=sum(cell.planned for cell in subject.cells),
        trials_finished=sum(cell.consumed for cell in subject.cells),
        trials_reused=subject.reused,
        budget_exhausted=campaign.budget_exhausted,
        unfinished=campaign.unfinished(subject),
        proof={claim: tuple(premises) for claim, premises in graph_of(guarantees.every_claim).items()},
        tightness=table,
    )
    return in_project(entry, registry.project_of(subject.name))
