"""`verifier replay`: one measurement again, from its id alone."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verifier.base.config import Config
from verifier.base.errors import ExitCode, StoreError, UsageError, nearest
from verifier.base.instance_name import is_file
from verifier.base.machine import differences, machine
from verifier.commands.shown import Shown
from verifier.model.claim import Claim, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.model.result import TrialError, TrialResult, TrialSpec
from verifier.model.scaling import ScalingClaim
from verifier.model.setting import Scenario, Setting
from verifier.plugins.guard import guarded
from verifier.plugins.registry import Registry
from verifier.record.entries import Record, plain
from verifier.record.sentence import explained
from verifier.trials import worker
from verifier.trials.recorded import OnRecorded
from verifier.trials.runner import isolate_agents, runner
from verifier.trials.search.bench import replay as replay_drawn
from verifier.trials.search.witness import DRAWN, Witness
from verifier.trials.store import NullStore, Store
from verifier.trials.store_schema import FILE_NAME
from verifier.trials.trial import claims_in

FORM = "ALGORITHM/CLAIM:INSTANCE:REGIME:TRIAL:SEED, e.g. ucblvd/optimism:onehot:oracle:0:0"


@dataclass(frozen=True)
class ReplayId:
    """An id taken apart.

    Parameters
    ----------
    spec : TrialSpec
    claim : str
        Name of the claim.
    """

    spec: TrialSpec
    claim: str

    @property
    def id(self) -> str:
        """The id of the claim, ``algorithm/name``."""
        return f"{self.spec.algorithm}/{self.claim}"

    @property
    def text(self) -> str:
        """The id as reports print it."""
        return f"{self.id}:{self.spec.instance}:{self.spec.regime}:{self.spec.index}:{self.spec.seed}"

    @property
    def witness(self) -> str:
        """The id of the drawn instance; empty for a named one."""
        prefix = f"{DRAWN}-"
        return self.spec.instance.removeprefix(prefix) if self.spec.instance.startswith(prefix) else ""

    @classmethod
    def parse(cls, text: str) -> ReplayId:
        """Read an id.

        Raises
        ------
        UsageError
            If it is not of the form shown in reports.
        """
        parts = text.split(":")
        try:
            name, *middle, regime, index, seed = parts  # the name of an instance may have colons
            algorithm, claim = name.split("/")
            instance = ":".join(middle)
            numbers = int(index), int(seed)
            if min(numbers) < 0 or not instance:
                raise ValueError
            spec = TrialSpec(algorithm, instance, Regime.parse(regime).name, *numbers)
        except ValueError:
            raise UsageError(f"replay id {text!r} is not understood; expected {FORM}; reports print one for each line") from None
        return cls(spec, claim)


@dataclass(frozen=True, repr=False)
class Replayed(Shown):
    """Result of a trial run again, or of a stored one.

    Parameters
    ----------
    claim : str
        Id of the claim that is measured, ``algorithm/name``.
    text : str
        The broken, or tightest, inequality with its numbers and place.
    measurement : Measurement or None
        None where the trial failed.
    error : TrialError or None
    exit_code : ExitCode
        Of the command line.
    """

    claim: str
    text: str
    measurement: Measurement | None
    error: TrialError | None
    exit_code: ExitCode

    @property
    def violated(self) -> tuple[str, ...]:
        """The id of the claim if a comparison fails, which makes a claim violated that one failed comparison refutes."""
        return (self.claim,) if self.measurement is not None and self.measurement.violations else ()

    def to_json(self) -> dict[str, Any]:
        """Claim, measurement, error and exit code."""
        found = {"measurement": self.measurement, "error": self.error, "exit_code": int(self.exit_code)}
        data: dict[str, Any] = plain({"claim": self.claim, **found})
        return data


def replay(
    replay_id: str, registry: Registry, config: Config, show: bool = False, record: Record | None = None, file: str = ""
) -> Replayed:
    """Run one measurement again, or show the stored one.

    Parameters
    ----------
    replay_id : str
    registry : Registry
    config : Config
    show : bool
        Run nothing; needs no plugin.
    record : Record, optional
        Where a drawn instance is found, by default in the store; and one from a file, by default there.
    file : str
        Name of the record's file, for the command that the text ends with.

    Raises
    ------
    UsageError
        If the id is not understood, or names nothing that can be run or shown.
    """
    wanted = ReplayId.parse(replay_id)
    if wanted.witness:
        return _replay_witness(wanted, registry, config, show, record, file)
    if show:
        with Store(config.store) if config.store.exists() else NullStore() as store:
            found = _stored(store, wanted)
        text = describe_stored(wanted, found, config.store)
        return Replayed(wanted.id, text, found[0].measurements.get(wanted.claim), found[0].failure(wanted.claim), ExitCode.OK)
    recorded = None if record is None or not is_file(wanted.spec.instance) else recorded_instance(wanted, record)
    claim = find_claim(registry, wanted, recorded)
    result = trial_again(replace(wanted.spec, claims=(claim.name,)), registry, config, recorded)
    measurement, error = result.measurements.get(claim.name), result.failure(claim.name)
    text = describe(claim, wanted, result) + _compared(claim.name, result, _kept(wanted, config.store))
    return Replayed(wanted.id, text, measurement, error, _code(measurement, error))


def _stored(store: Store | NullStore, wanted: ReplayId) -> list[TrialResult]:
    """The stored results of a trial, the newest first; before those in which the claim was not among what was asked for."""
    spec = wanted.spec
    found = store.find(spec.algorithm, spec.instance, spec.regime, spec.index, spec.seed)
    return sorted(found, key=lambda result: bool(result.spec.claims) and wanted.claim not in result.spec.claims)


def _kept(wanted: ReplayId, store: Path) -> list[TrialResult]:
    """The stored results of a trial, if there is a store that can be read: a replay needs none."""
    if not (store / FILE_NAME).is_file():
        return []
    with contextlib.suppress(StoreError), Store(store) as opened:
        return _stored(opened, wanted)
    return []


def _compared(claim: str, result: TrialResult, kept: Sequence[TrialResult]) -> str:
    """Note where a stored result of the same trial is another one: bits depend on more than the id holds."""
    before = next((other for other in kept if other.error is None), None)
    if before is None or result.error is not None:
        return ""
    same = repr(before.measurements.get(claim)) == repr(result.measurements.get(claim))
    if before.digest == result.digest and same:
        return ""
    why = differences(before.machine, machine()) or "plugin or harness have changed, or the seed does not determine the run"
    return f"\n  the stored result is another one (transcript {before.digest}): {why}\n"


def _replay_witness(
    wanted: ReplayId, registry: Registry, config: Config, show: bool, record: Record | None, file: str
) -> Replayed:
    """Run (or show) a witness of the search, which the record or the store keeps with its instance."""
    before = stored_witness(wanted, config.store) if record is None else recorded_witness(wanted, record)
    witness = before if show else witness_again(before, registry, config.blind)
    code = ExitCode.OK if show else _code(witness.measurement, witness.error)
    *told, command = witness.text(registry.project_of(witness.algorithm), file).splitlines()
    sides = _both_sides(witness.measurement) if witness.kind == Kind.IDENTITY else []
    last = [command] if _can_be_typed(wanted, registry, config, record, file) else []
    text = (
        "\n".join([*told, *sides, *([""] * bool(sides and last)), *last]).rstrip()
        + "\n"
        + _other_witness(before, witness, record)
    )
    return Replayed(wanted.id, text, witness.measurement, witness.error, code)


def _can_be_typed(wanted: ReplayId, registry: Registry, config: Config, record: Record | None, file: str) -> bool:
    """Whether a command finds the agent, which a class of a script is not, and the instance that was drawn for it."""
    if registry.is_given(wanted.spec.algorithm) and not registry.project_of(wanted.spec.algorithm):
        return False
    return record is None or bool(file) or _in_store(wanted, config.store) is not None


def _in_store(wanted: ReplayId, store: Path) -> Witness | None:
    if not (store / FILE_NAME).is_file():
        return None
    with Store(store) as opened:
        return opened.get_witness(wanted.witness)


def _other_witness(before: Witness, now: Witness, record: Record | None) -> str:
    """Note where the run is not the one that was found."""
    if (before.digest, repr(before.measurement), before.error) == (now.digest, repr(now.measurement), now.error):
        return ""
    told = differences(record.environment, machine()) if record is not None else ""
    why = told or "plugin, harness or machine have changed, or the seed does not determine the run"
    return f"\n  the run that was found is another one (transcript {before.digest or 'none'}): {why}\n"


def _code(measurement: Measurement | None, error: TrialError | None) -> ExitCode:
    if error is not None:
        return ExitCode.ERROR
    return ExitCode.VIOLATED if measurement is not None and measurement.violations else ExitCode.OK


def stored_witness(wanted: ReplayId, store: Path) -> Witness:
    """The witness of the search an id names, from the store.

    Raises
    ------
    UsageError
        If it is not there: only the store that a search wrote to holds the instances it drew.
    """
    witness = _in_store(wanted, store)
    if witness is None:
        again = f"run `verifier check {wanted.spec.algorithm} --seed {wanted.spec.seed}` again"
        raise UsageError(
            f"the store {store} has no drawn instance {wanted.witness!r}; give the record that names it, "
            f"`verifier replay RECORD.json ID`, or its --store DIR, or {again}"
        )
    return witness


def recorded_witness(wanted: ReplayId, record: Record) -> Witness:
    """The witness of the search an id names, from a record.

    Raises
    ------
    UsageError
        If it is not there, or its data is not that of the id.
    """
    entries = {entry.replay: entry for algorithm in record.algorithms for entry in algorithm.drawn}
    if wanted.text not in entries:
        known = nearest(wanted.text, entries) if entries else "It has none; records of older versions keep none."
        raise UsageError(f"the record has no drawn instance of {wanted.text!r}. {known}")
    witness = Witness.from_json(entries[wanted.text].witness)
    if witness.replay_id != wanted.text:
        raise UsageError(f"the record is damaged: its data of {wanted.text!r} are those of {witness.replay_id!r}; get it again")
    return witness


def recorded_instance(wanted: ReplayId, record: Record) -> OnRecorded:
    """The task that runs trials on the instance of an id which was given as a file, from a record.

    Raises
    ------
    UsageError
        If the record does not hold it.
    """
    spec = wanted.spec
    own = [instance for algorithm in record.algorithms if algorithm.name == spec.algorithm for instance in algorithm.instances]
    given = {instance.name: instance.given for instance in own if instance.given is not None}
    found = given.get(spec.instance)
    here = "without the record it is read from its file, on the machine that has it"
    if found is None:
        known = nearest(spec.instance, given) if given else "It has none; records of older versions keep none."
        raise UsageError(f"the record has no instance {spec.instance!r} of {spec.algorithm}. {known} {here.capitalize()}.")
    if found.missing:
        raise UsageError(f"the record does not hold the instance {spec.instance!r}: {found.missing}; {here}")
    if record.seed != spec.seed:
        raise UsageError(f"the record holds {spec.instance!r} under seed {record.seed}, and the id has seed {spec.seed}; {here}")
    return OnRecorded.of(spec.instance, found.tables)


def witness_again(witness: Witness, registry: Registry, blind: bool) -> Witness:
    """Run the trial of a witness again."""
    if blind:
        isolate_agents(registry.plugin_of.get(witness.algorithm, ("", ""))[0])
    guarantees = registry.guarantees_of(witness.algorithm)
    return replay_drawn(witness, guarantees, registry.setting(guarantees.algorithm.setting), blind)


def find_claim(registry: Registry, wanted: ReplayId, recorded: OnRecorded | None = None) -> Claim:
    """The claim of an id, after checking that the id names something that can be run: on the instance of a record, if given.

    Raises
    ------
    UsageError
        For an unknown algorithm, claim or instance, or a claim not evaluated in that regime.
    """
    guarantees = registry.guarantees_of(wanted.spec.algorithm)
    claim = guarantees.claim(wanted.claim)
    setting = registry.setting(guarantees.algorithm.setting)
    setting = setting if recorded is None else recorded.setting(setting)
    with guarded(f"catalogue of setting {setting.name!r}", passing=(UsageError,)):
        scenario = _scenario(setting, wanted.spec.instance)
        known = [] if scenario else [scenario.name for scenario in setting.catalogue]
    if scenario is None:
        near = nearest(wanted.spec.instance, known)
        raise UsageError(f"setting {setting.name} has no instance {wanted.spec.instance!r}. {near}")
    regime = Regime.parse(wanted.spec.regime)
    _require_options(guarantees, regime)
    # on members of families `verifier tight --growth` measures other claims than those about the family
    if claim not in (*claims_in(guarantees, regime, scenario.family), *claims_in(guarantees, regime)):
        if isinstance(claim, ScalingClaim):
            raise UsageError(
                f"{guarantees.name}/{claim.name} is not evaluated on {wanted.spec.instance} in regime {wanted.spec.regime}: "
                f"it is about members of the family {claim.family}; reports print the ids"
            )
        where = "on the instance alone, without a run" if claim.kind is Kind.ASSUMPTION else "in " + ", ".join(claim.regimes)
        raise UsageError(f"{guarantees.name}/{claim.name} is evaluated {where}, not in regime {wanted.spec.regime}")
    return claim


def _scenario(setting: Setting[Any, Any], name: str) -> Scenario[Any] | None:
    try:
        return setting.scenario(name)
    except UsageError as error:
        if not is_file(name):
            raise
        raise UsageError(f"{error}; elsewhere give the record of the run, `verifier replay RECORD.json ID`") from error


def _require_options(guarantees: Guarantees, regime: Regime) -> None:
    """Refuse options that no regime of the algorithm or of its scaling claims has: its constructor would fail on them."""
    of_claims = (name for claim in guarantees.scaling for name in claim.regimes)
    declared = [name for name in dict.fromkeys((*guarantees.algorithm.regimes, *of_claims)) if name != "*"]
    known = {option for name in declared for option in Regime.parse(name).options}
    if unknown := [f"{key}={value}" for key, value in regime.options if (key, value) not in known]:
        raise UsageError(
            f"regime {regime.name!r} has the option {', '.join(unknown)}, which {guarantees.name} does not know; its regimes are "
            f"{', '.join(declared)}"
        )


def trial_again(spec: TrialSpec, registry: Registry, config: Config, recorded: OnRecorded | None = None) -> TrialResult:
    """Run the trial in a worker, under the same conditions as in a campaign; on the instance of a record, if given."""
    with runner(replace(config, cluster=""), registry, recorded or worker.run, jobs=1) as trials:
        return next(trials.map(iter([replace(spec, blind=config.blind)])))


def describe(claim: Claim, wanted: ReplayId, result: TrialResult) -> str:
    """The broken, or tightest, inequality with its numbers and place, as text."""
    spec = wanted.spec
    lines = [
        f"{spec.algorithm}/{claim.name}  ({claim.source}, {claim.status.value}, {claim.kind.value})",
        f"  {claim.statement}",
        *([f"  given that {claim.given}"] if claim.given else []),
        f"  on {spec.instance}, regime {spec.regime}, trial {spec.index}, seed {spec.seed}; transcript {result.digest or 'none'}",
        "",
    ]
    if (error := result.failure(claim.name)) is not None:
        return "\n".join([*lines, f"  {error.kind}: {error.message}", error.traceback]).rstrip() + "\n"
    if claim.kind is Kind.SCALING:
        value = result.measurements[claim.name].value
        return "\n".join([*lines, f"  one point of a curve, which cannot break the claim: {value!r}"]) + "\n"
    if claim.kind in (Kind.EXPECTATION, Kind.LAW):
        lines = [*lines[:-1], "  a claim about the mean over runs, of which this is one: it cannot break it", ""]
    return "\n".join([*lines, *_numbers(claim.kind is Kind.IDENTITY, result.measurements[claim.name])]) + "\n"


def describe_stored(wanted: ReplayId, found: Sequence[TrialResult], store: object) -> str:
    """The newest stored measurement as text; needs no plugin.

    Raises
    ------
    UsageError
        If the store has no such trial, or the trial no such claim.
    """
    trial = f"{wanted.spec.label}, seed {wanted.spec.seed}"
    if not found:
        raise UsageError(f"the store {store} has no trial {trial}; run it with `verifier replay` without --show")
    result = found[0]
    head = f"{wanted.spec.algorithm}/{wanted.claim} as stored: {trial}; transcript {result.digest or 'none'}\n"
    if (error := result.failure(wanted.claim)) is not None:
        return head + f"  {error.kind}: {error.message}\n"
    if wanted.claim not in result.measurements:
        raise UsageError(f"the stored trial has no claim {wanted.claim!r}. {nearest(wanted.claim, result.measurements)}")
    return head + "\n".join(_numbers(False, result.measurements[wanted.claim])) + "\n"


def _difference(measurement: Measurement) -> list[str]:
    """Lines on where a claim fails and how, and the first failure with its signs."""
    found = measurement.difference
    if found is None:
        return []
    told = explained(found)
    if found.raised:
        return [f"  {told}"]
    first = f"  first at {_place(found.first.place)}: {found.first.left!r} against {found.first.right!r}"
    return [first, *([f"  {told}"] if told else [])]


def _both_sides(measurement: Measurement | None) -> list[str]:
    """Line with both sides of an equality, with their signs, and what stands in the formula, where it fails most."""
    found = measurement.difference if measurement is not None else None
    if found is None or found.raised:
        return []
    place = _place(found.worst.place)
    inside = ", ".join(f"{name} is {value!r}" for name, value in found.worst.quantities.items())
    told = f"; in it {inside}" if inside else ""
    return [f"At {place} the algorithm has {found.worst.left!r}, the formula is {found.worst.right!r}{told}."]


def _place(place: Mapping[str, int]) -> str:
    return ", ".join(f"{axis} {index}" for axis, index in place.items()) or "the whole run"


def _numbers(identity: bool, measurement: Measurement) -> list[str]:
    if measurement.comparisons == 0:
        return [f"  nothing compared: the premise held nowhere ({measurement.excluded} comparisons left out)"]
    place = _place(measurement.place)
    left = "|difference|" if identity else "left side"
    verdict = f"{measurement.violations} of {measurement.comparisons} comparisons FAIL" if measurement.violations else (
        f"holds in all {measurement.comparisons} comparisons, {measurement.powered} of which could have failed"
    )  # fmt: skip
    lines = [
        f"  {verdict}" + (f" ({measurement.excluded} left out: the premise does not hold there)" if measurement.excluded else ""),
        f"  {'worst' if measurement.violations else 'tightest'} at {place}:",
        f"    {left:<22}{measurement.value!r}",
        f"    {'bound':<22}{measurement.bound!r}",
        f"    {'rounding allowed':<22}{measurement.tolerance!r}",
        f"    {'trivial bound':<22}{measurement.trivial!r}" if math.isfinite(measurement.trivial) else "",
        f"    {'ratio':<22}{measurement.ratio!r}",
        f"    {'smallest margin':<22}{measurement.margin!r}",
        *_difference(measurement),
        *(f"  {side}" for side in _both_sides(measurement) if identity),
    ]
    return [line for line in lines if line]
