"""From measurements to verdicts: one entry per claim, regime and instance, and one verdict per claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import numpy as np

from verifier import record
from verifier.claim import Claim, Horizon, Kind
from verifier.errors import ContractError
from verifier.measurement import Measurement
from verifier.regime import Regime
from verifier.result import TrialSpec
from verifier.statistics import Monitor


class Verdict(StrEnum):
    """What can be said of a claim. Only CONFORMS is a pass."""

    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"
    CONFORMS = "conforms"
    VACUOUS = "vacuous"
    NOT_APPLICABLE = "not applicable"
    ERROR = "error"


@dataclass
class Tally:
    """What has been seen of one claim in one regime on one instance.

    Attributes
    ----------
    claim : Claim
    measurement : Measurement
        Of all trials together.
    worst : TrialSpec or None
        The trial of the worst comparison.
    trials, failures : int
        Trials consumed; trials in which some comparison failed.
    monitor : Monitor or None
        For claims of a statistical kind.
    """

    claim: Claim
    measurement: Measurement = field(default_factory=Measurement)
    worst: TrialSpec | None = None
    trials: int = 0
    failures: int = 0
    monitor: Monitor | None = None

    def add(self, spec: TrialSpec, measurement: Measurement) -> None:
        """Take in one trial."""
        if self.worst is None or measurement.worse_than(self.measurement):
            self.worst = spec
        self.measurement = self.measurement.merge(measurement)
        self.trials += 1
        self.failures += bool(measurement.violations)
        if self.monitor is not None and measurement.comparisons:
            self.monitor = self.monitor.observe(measurement)

    @property
    def summary(self) -> Measurement:
        """What reports show of all trials together."""
        return self.measurement if self.monitor is None else self.monitor.summary(self.measurement)

    @property
    def undecided(self) -> bool:
        """Whether more trials could still change a statistical verdict."""
        return self.monitor is not None and self.monitor.decision == "inconclusive" and self.measurement.powered > 0


def judge(tally: Tally, failed_assumption: str, error: str) -> tuple[Verdict, str]:
    """The verdict of one entry and the reason in plain words.

    Parameters
    ----------
    tally : Tally
    failed_assumption : str
        Why the claim does not apply to the instance; empty when it does.
    error : str
        What went wrong in a trial of this cell; empty when nothing did.
    """
    measurement = tally.measurement
    if failed_assumption:
        return Verdict.NOT_APPLICABLE, failed_assumption
    if tally.monitor is not None:
        return _judge_monitored(tally, tally.monitor, error)
    if measurement.violations:
        return Verdict.VIOLATED, f"fails in {tally.failures} of {tally.trials} trials"
    if error:
        return Verdict.ERROR, error
    if tally.trials == 0:
        return Verdict.INCONCLUSIVE, "no trial finished within the budget"
    return _judge_power(tally)


def _judge_power(tally: Tally) -> tuple[Verdict, str]:
    measurement = tally.measurement
    if measurement.comparisons == 0:
        if tally.claim.given:
            reason = f"the event it is given held nowhere ({measurement.excluded} comparisons left out)"
        else:
            reason = f"nothing to compare ({measurement.excluded} comparisons left out)"
        return Verdict.NOT_APPLICABLE, reason
    if measurement.powered == 0:
        return Verdict.VACUOUS, _silence(tally)
    return Verdict.CONFORMS, f"{measurement.powered} of {measurement.comparisons} comparisons could have failed, none did"


def _silence(tally: Tally) -> str:
    """Why a pass says nothing."""
    measurement = tally.summary
    if tally.claim.kind is Kind.IDENTITY:
        return "both sides are zero wherever they were compared"
    if measurement.trivial >= measurement.bound:
        return tally.claim.why or "no implementation can break it here"
    return f"the bound is {measurement.bound:.3g}, but nothing can exceed {measurement.trivial:.3g} anyway"


def _judge_monitored(tally: Tally, monitor: Monitor, error: str) -> tuple[Verdict, str]:
    if monitor.decision == "violated":
        return Verdict.VIOLATED, monitor.reason()
    if error:
        return Verdict.ERROR, error
    if monitor.trials == 0:
        return (Verdict.INCONCLUSIVE, "no trial finished within the budget") if tally.trials == 0 else _judge_power(tally)
    if tally.measurement.powered == 0:
        return Verdict.VACUOUS, _silence(tally)
    return Verdict(monitor.decision), monitor.reason()


def entry(
    tally: Tally, regime: Regime | None, instance: str, public: Any, failed_assumption: str, error: str
) -> record.RegimeEntry:
    """The record's entry for one claim in one regime on one instance; no regime for assumptions."""
    verdict, reason = judge(tally, failed_assumption, error)
    measurement, monitor = tally.summary, tally.monitor
    return record.RegimeEntry(
        regime=regime.name if regime else "",
        instance=instance,
        verdict=verdict.value,
        reason=reason,
        trials=tally.trials,
        failures=tally.failures,
        comparisons=measurement.comparisons,
        powered=measurement.powered,
        excluded=measurement.excluded,
        violations=measurement.violations,
        value=measurement.value,
        bound=measurement.bound,
        trivial=measurement.trivial,
        ratio=measurement.ratio,
        margin=measurement.margin,
        tolerance=measurement.tolerance,
        witness=dict(measurement.place),
        detectable=_detectable(tally, verdict),
        interval=monitor.interval() if monitor else None,
        nonvacuous_from=nonvacuous_from(tally.claim.horizon, public, regime),
        unit=tally.claim.horizon.unit if tally.claim.horizon else "",
        replay=tally.worst.replay_id(tally.claim.name) if tally.worst else "",
    )


def _detectable(tally: Tally, verdict: Verdict) -> record.Detectable:
    """What this pass would have caught."""
    measurement = tally.measurement
    if verdict not in (Verdict.CONFORMS, Verdict.INCONCLUSIVE) or measurement.comparisons == 0:
        return record.Detectable("none", math.nan)
    if tally.monitor is not None:
        return tally.monitor.detectable()
    if tally.claim.kind is Kind.IDENTITY:
        return record.Detectable("difference", measurement.tolerance)
    if measurement.ratio > 0 and math.isfinite(measurement.ratio):
        return record.Detectable("factor", 1.0 / measurement.ratio)
    return record.Detectable("none", math.nan)


def nonvacuous_from(horizon: Horizon | None, public: Any, regime: Regime | None) -> float | None:
    """The least size at which the bound drops below what anything meets, at this regime's constants.

    None if it is not known, or if the instance is as large already and the formula does not say why the bound was empty there.
    """
    if horizon is None or regime is None or regime.source == "oracle":
        return None

    now = getattr(public, horizon.unit, None)
    if now is not None and _below(horizon, public, regime.scale, now):
        return None

    return horizon_size(horizon, public, regime.scale)


def _below(horizon: Horizon, public: Any, scale: float, size: float) -> bool:
    """Whether the bound is below what anything meets at this size."""
    return horizon_value(horizon, "bound", public, scale, size) < horizon_value(horizon, "trivial", public, scale, size)


def horizon_value(horizon: Horizon, name: Literal["bound", "trivial"], public: Any, scale: float, size: float) -> float:
    """What a function of a horizon gives at a size.

    Raises
    ------
    ContractError
        If that is no number.
    """
    value: Any = getattr(horizon, name)(public, scale, size)
    if not isinstance(value, (int, float, np.number)) or np.isnan(value):
        raise ContractError(f"`{name}` returned {value!r} for {horizon.unit} = {size:g}, expected a number")
    return float(value)


def horizon_size(horizon: Horizon, public: Any, scale: float) -> float:
    """The least size at which the bound is below what anything meets, infinite if there is none below 1e18.

    Found by doubling and bisection, so it is the first such size if the bound, once below, stays below.
    """

    def below(size: float) -> bool:
        return _below(horizon, public, scale, size)

    high = 1.0
    while not below(high):
        high *= 2
        if high > 1e18:
            return math.inf
    low = high / 2
    while high - low > 1 and high / low > 1.001:
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) else (middle, high)
    return math.ceil(high)


ORDER = (Verdict.VIOLATED, Verdict.ERROR, Verdict.INCONCLUSIVE, Verdict.CONFORMS, Verdict.VACUOUS, Verdict.NOT_APPLICABLE)


def overall(verdicts: Iterable[str]) -> Verdict:
    """The verdict of a claim over its regimes and instances.

    The worst of violated, error and inconclusive; else conforms if it conforms anywhere with power; else vacuous; else not
    applicable.

    Raises
    ------
    ValueError
        If one is no verdict.
    """
    found = set(map(Verdict, verdicts))
    return next((verdict for verdict in ORDER if verdict in found), Verdict.NOT_APPLICABLE)


def claim_entry(
    algorithm: str, claim: Claim, entries: Sequence[record.RegimeEntry], counterexample: str = ""
) -> record.ClaimEntry:
    """The record's entry for a claim."""
    verdict = overall(item.verdict for item in entries)
    decisive = [item for item in entries if item.verdict == verdict.value]
    worst = max(decisive, key=lambda item: item.ratio, default=None)
    return record.ClaimEntry(
        id=f"{algorithm}/{claim.name}",
        source=claim.source,
        theorem=claim.theorem,
        statement=claim.statement,
        kind=claim.kind.value,
        status=claim.status.value,
        clause=claim.clause,
        given=claim.given,
        assumes=claim.assumes,
        why=claim.why,
        verdict=verdict.value,
        reason=worst.reason if worst else "no instance and regime was selected for it",
        vacuous=any(item.verdict == Verdict.VACUOUS for item in entries),
        regimes=tuple(entries),
        counterexample=counterexample,
    )
