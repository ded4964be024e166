"""From measurements to verdicts: one entry per claim, regime and instance, and one verdict per claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier import record
from verifier.model.claim import Claim, Kind
from verifier.model.horizon import nonvacuous_from
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.record.verdict import Verdict, overall
from verifier.statistics import Monitor


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
