"""The commands as Python functions, exported by `verifier`; the command line is a layer over them.

Settings not given are those of ``[tool.verifier]`` in the nearest pyproject.toml, as on the command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, Unpack

from verifier.base.config import Config, Settings, here, load, options
from verifier.base.errors import NOTHING_KEPT, UsageError, nearest
from verifier.campaign.selection import Selection
from verifier.commands import check as checking
from verifier.commands import errata as refuting
from verifier.commands import last_failed as failing
from verifier.commands import power as powering
from verifier.commands import replay as replaying
from verifier.commands import scale as scaling
from verifier.commands import tight as tightening
from verifier.commands.by_claim import ByClaimCampaign
from verifier.commands.errata import Errata
from verifier.commands.progress import Progress, silent
from verifier.commands.report import Report
from verifier.model.algorithm import Algorithm
from verifier.model.guarantees import Guarantees
from verifier.plugins.registry import Registry, registry, with_setting
from verifier.record.entries import Record
from verifier.record.file import read_record
from verifier.trials.lenient_store import WitnessStore, is_kept, lenient
from verifier.trials.runner import connection
from verifier.trials.store import NullStore, Store

Target: TypeAlias = str | type[Algorithm] | Guarantees
"""A name of an algorithm, a group or a plugin; an algorithm class that is installed; or guarantees, installed or not."""

Names: TypeAlias = str | Sequence[str]
"""Names or patterns; one may stand alone."""

FILTERS = ("claims", "regimes", "instances", "mutants")
"""Arguments that are no settings, for messages about misspelt ones."""


@dataclass(frozen=True)
class Job:
    """Common beginning of every command that runs trials.

    Parameters
    ----------
    registry : Registry
        The installed plugins and the guarantees that were given.
    names : tuple of str
        What the targets are called there.
    given : tuple of Guarantees
        Guarantees among the targets that are not installed.
    config : Config
    keep : bool
        Whether finished trials are kept and reused.
    replayed : bool
        Whether the instances on which a search finds a failure are kept, for `replay`; of agents that are not installed, too.
    """

    registry: Registry
    names: tuple[str, ...]
    given: tuple[Guarantees, ...]
    config: Config
    keep: bool
    replayed: bool

    @classmethod
    def of(cls, targets: Target | Sequence[Target], keep: bool, settings: Settings, needs: Sequence[str] | None = ()) -> Job:
        """The job of these targets, or of all.

        Parameters
        ----------
        targets : str, type, Guarantees, or sequence of them
        keep : bool
        settings : Settings
        needs : sequence of str or None
            Further names that will be looked up; None if no plugin is needed.

        Raises
        ------
        UsageError, ContractError
            If a target or a setting is not acceptable.
        """
        for name in settings.keys() - options().keys():
            raise UsageError(f"there is no argument {name!r}. {nearest(name, [*options(), *FILTERS, 'keep'])}")
        given = [targets] if isinstance(targets, (str, type, Guarantees)) else list(targets)
        known = Registry() if needs is None else registry(*map(_name, given), *needs)
        found = [target if isinstance(target, str) else _guarantees(known, target) for target in given]
        new = [each for each in found if isinstance(each, Guarantees) and known.guarantees.get(each.name) is not each]
        names = tuple(each if isinstance(each, str) else each.name for each in found)
        config = load(here()).override(**settings)
        for each in new:
            known = with_setting(getattr(each.algorithm, "setting", ""))
        return cls(known.including(new) if new else known, names, tuple(new), config, keep and not new, keep)

    def again(self, replay_id: str, record: Record) -> replaying.Replayed:
        """A measurement of a report of this job, run again."""
        return replay(replay_id, record=record, given=self.given)

    @contextmanager
    def store(self) -> Iterator[Store | NullStore]:
        """Store of finished trials; the connection to a cluster is open meanwhile.

        Trials of guarantees that are not installed are not kept: nothing tells when these change.
        """
        with ExitStack() as stack:
            place = self.config.store
            opened = lenient(place) if self.keep else WitnessStore(place) if self.replayed else NullStore()
            stack.enter_context(opened)
            stack.enter_context(connection(self.config))  # once for the trials and the searches of a command
            try:
                yield opened
            except BaseException as error:
                if not is_kept(opened):
                    error.add_note(NOTHING_KEPT)
                raise


def _names(given: Names) -> tuple[str, ...]:
    """Names as a tuple."""
    return (given,) if isinstance(given, str) else tuple(given)


def _name(target: object) -> str:
    """The name of what a target stands for, as far as it has one."""
    name = target if isinstance(target, str) else getattr(target, "name", "")
    return name if isinstance(name, str) else ""


def _guarantees(known: Registry, target: object) -> Guarantees:
    """The guarantees a target stands for."""
    if isinstance(target, Guarantees):
        return target
    for guarantees in known.guarantees.values():
        if guarantees.algorithm is target:
            return guarantees
    if isinstance(target, type) and issubclass(target, Algorithm):
        raise UsageError(
            f"nothing is declared of the class {target.__qualname__}; give verifier.Guarantees({target.__qualname__}, claims=...)"
        )
    raise UsageError(f"{target!r} is no target; give names of algorithms, algorithm classes or verifier.Guarantees")


def check(
    targets: Target | Sequence[Target],
    *,
    claims: Names = (),
    regimes: Names = (),
    instances: Names = (),
    keep: bool = True,
    exit_first: bool = False,
    last_failed: bool = False,
    command: tuple[str, ...] = ("verifier.check",),
    progress: Progress = silent,
    **settings: Unpack[Settings],
) -> Report:
    """Check algorithms.

    Parameters
    ----------
    targets : str, type, Guarantees, or sequence of them
        Names as for `verifier check`, installed algorithm classes, or guarantees, which need not be installed.
    claims, regimes, instances : str or sequence of str
        Only what matches one of these patterns; empty for everything.
    keep : bool
        Whether finished trials are kept in the store and reused. Those of guarantees that are not installed never are.
    exit_first : bool
        Whether the first violation ends the check. What was not looked at by then is unfinished.
    last_failed : bool
        Whether the instances and regimes where the last check was violated come first. They are kept beside the store.
    command : tuple of str
        For the record.
    progress : callable
        Told each `verifier.commands.progress.Step`.
    **settings
        profile, seed, jobs, budget, strict, blind, store, timeout, memory, error_budget, certify_level, cluster: as in
        ``[tool.verifier]``.

    Returns
    -------
    Report

    Raises
    ------
    UsageError
        For a target, pattern or setting that does not exist.
    NothingSelectedError
        If nothing is left to do.

    Examples
    --------
    >>> import verifier
    >>> report = verifier.check("ucblvd", claims=["gram"], instances=["onehot"], regimes=["oracle"], keep=False)
    >>> report.violated
    ()
    """
    job = Job.of(targets, keep, settings)
    selection = Selection((), _names(claims), _names(regimes), _names(instances))
    folder = job.config.store
    ahead = failing.recalled(folder) if last_failed and keep else ()
    with job.store() as store:
        found = checking.check(job.registry, job.names, selection, job.config, store, command, progress, exit_first, ahead)
    if keep:
        failing.remember(folder, found)
    return Report(found, job.again)


def power(
    targets: Target | Sequence[Target],
    *,
    mutants: Names = (),
    regimes: Names = (),
    by_claim: bool = False,
    keep: bool = True,
    command: tuple[str, ...] = ("verifier.power",),
    progress: Progress = silent,
    **settings: Unpack[Settings],
) -> Report:
    """Check algorithms with bugs planted in them; the report's `record` has the kill matrix of each algorithm.

    Parameters
    ----------
    targets, keep, command, progress, **settings
        As in `check`.
    mutants : sequence of str
        Only mutants whose names match one of these patterns; empty for all.
    regimes : sequence of str
        Only these regimes, as in `check`; a bug that shows in no other survives.
    by_claim : bool
        Go on until every claim has been violated by some mutant, and tell by which.

    Examples
    --------
    >>> import verifier
    >>> report = verifier.power("ucblvd", mutants="half-bonus", regimes="oracle", budget="20s", keep=False)
    >>> [mutant.outcome for mutant in report.record.algorithms[0].power.mutants]
    ['killed']
    """
    job = Job.of(targets, keep, settings)
    campaigns = ByClaimCampaign if by_claim else powering.PowerCampaign
    with job.store() as store:
        found = powering.power(
            job.registry,
            job.names,
            _names(mutants),
            job.config,
            store,
            command,
            progress,
            regimes=_names(regimes),
            campaigns=campaigns,
        )
    return Report(found, job.again)


def scale(
    targets: Target | Sequence[Target],
    *,
    claims: Names = (),
    regimes: Names = (),
    instances: Names = (),
    figure: str = "",
    keep: bool = True,
    command: tuple[str, ...] = ("verifier.scale",),
    progress: Progress = silent,
    **settings: Unpack[Settings],
) -> Report:
    """Measure how quantities grow with the size of the instance, against the rates the theorems claim.

    Parameters
    ----------
    targets, claims, regimes, keep, command, progress, **settings
        As in `check`.
    instances : sequence of str
        Only families of instances that match.
    figure : str
        Key of a figure of the paper: run its experiment instead.

    Examples
    --------
    A budget that ends before anything is decided leaves the report unfinished, which is no pass.

    >>> import verifier
    >>> report = verifier.scale("ucbvi-ch", budget="1s", keep=False)
    >>> report.exit_code, report.violated
    (3, ())
    """
    job = Job.of(targets, keep, settings)
    selection = Selection((), _names(claims), _names(regimes), _names(instances))
    with job.store() as store:
        found = scaling.scale(job.registry, job.names, selection, job.config, store, command, progress, figure)
    return Report(found, job.again)


def tight(
    targets: Target | Sequence[Target],
    *,
    claims: Names = (),
    instances: Names = (),
    worst: str | Path = "",
    sizes: Mapping[str, int] | None = None,
    growth: str = "",
    keep: bool = True,
    command: tuple[str, ...] = ("verifier.tight",),
    progress: Progress = silent,
    **settings: Unpack[Settings],
) -> Report:
    """Measure how small a multiple of each bound would have done; the report's `record` has the table of each algorithm.

    A factor is never evidence that a smaller constant is a theorem.

    Parameters
    ----------
    targets, claims, instances, keep, command, progress, **settings
        As in `check`; instances that a check runs once are left out unless they are asked for.
    worst : str or Path
        A file ending in ``.json``: small instances are drawn, the one on which the one selected claim needs most is written there
        and is measured with runs of its own, in place of the catalogue's.
    sizes : mapping of str to int, optional
        Sizes that all these instances have, as ``{"S": 2, "K": 20}``; the others are drawn.
    growth : str
        A family of instances: the factors are measured at each of its sizes, and the exponent of their growth between the
        smallest and the largest is bounded. With ``"delta"`` it is one instance, that of `instances`, at several delta: at each
        the factor is the quantile that a claim promises there, and the exponent is one of ln(1/delta).

    Examples
    --------
    >>> import verifier
    >>> report = verifier.tight("ucb1", instances="bandit-two", claims="optimism", budget="1s", keep=False)
    >>> [entry.claim for entry in report.record.algorithms[0].tightness.claims]
    ['optimism']
    """
    job = Job.of(targets, keep, settings)
    selection = Selection((), _names(claims), (), _names(instances))
    with job.store() as store:
        chosen = job.registry, job.names, selection, job.config, store, command, progress
        found = tightening.tight(*chosen, worst=str(worst), growth=growth, sizes=sizes)
    return Report(found, job.again)


def replay(
    replay_id: str,
    *,
    record: str | Path | Record | Report | None = None,
    given: Sequence[Guarantees] = (),
    show: bool = False,
    **settings: Unpack[Settings],
) -> replaying.Replayed:
    """Run one measurement again, bit for bit.

    Parameters
    ----------
    replay_id : str
        As reports print it: ALGORITHM/CLAIM:INSTANCE:REGIME:TRIAL:SEED.
    record : str, Path, Record or Report, optional
        Where a drawn instance is found: a JSON record, or what `check` returned. Without one it is looked for in the store.
    given : sequence of Guarantees
        Guarantees that are not installed.
    show : bool
        Show the stored measurement without running anything.
    **settings
        blind, store, timeout, memory: as in `check`.

    Raises
    ------
    UsageError
        If the id names nothing that can be run, or the record cannot be read.

    Examples
    --------
    >>> import verifier
    >>> again = verifier.replay("ucblvd/gram:onehot:oracle:0:0")
    >>> again.measurement.holds, again.violated
    (True, ())
    """
    held = record.record if isinstance(record, Report) else record
    file = str(held) if isinstance(held, (str, Path)) else ""
    held = read_record(Path(held)) if isinstance(held, (str, Path)) else held
    job = Job.of(tuple(given), False, settings, None if show else (replay_id.partition("/")[0],))
    return replaying.replay(replay_id, job.registry, job.config, show, held, file)


def errata(targets: Target | Sequence[Target] = (), *, only: str | None = None) -> Errata:
    """Statements of papers that are false, or not implied, as printed, with counterexamples run on the spot.

    Parameters
    ----------
    targets : str, type, Guarantees, or sequence of them
        As in `check`: the algorithms whose papers are meant; empty for all.
    only : str, optional
        Name of one erratum.

    Raises
    ------
    UsageError
        If there is no such target or erratum.

    Examples
    --------
    >>> import verifier
    >>> found = verifier.errata("ucblvd", only="finite-contexts")
    >>> found.confirmed
    True
    """
    job = Job.of(targets, keep=False, settings={})
    return refuting.errata(job.registry, job.names, only)
