"""The one way to a verdict: what is asked of evidence, in which order, and the record's entry that follows.

Four kinds of evidence answer: `verifier.campaign.tally.Deterministic` (one failed comparison refutes),
`verifier.campaign.tally.Sequential` (a statistical test over trials), `verifier.campaign.ladder_evidence.LadderEvidence`
(rates, from trials at several sizes) and `verifier.campaign.drawn.DrawnEvidence` (the search on drawn instances).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

from verifier import record
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.record.verdict import Verdict


@dataclass(frozen=True)
class Place:
    """Place at which a claim was evaluated.

    Parameters
    ----------
    regime : Regime or None
        None for assumptions, which are of the instance alone.
    instance : str
        Name of an instance or a family.
    public : object
        What the agent may know of the instance.
    """

    regime: Regime | None
    instance: str
    public: Any = None


NOT_DETECTABLE = record.Detectable("none", math.nan)


@dataclass(frozen=True)
class Shown:
    """Numbers that reports show of evidence beside its verdict.

    Parameters
    ----------
    measurement : Measurement
        All trials together.
    trials, failures : int
        Trials (or drawn instances) looked at, and how many of them failed.
    replay : str
        Replay id of the worst trial; empty if there is none.
    detectable : Detectable
        What would have been called violated.
    interval : tuple of float, optional
        Confidence interval of what is estimated.
    nonvacuous_from : float, optional
        The size from which the bound drops below the trivial one.
    unit : str
        Symbol of that size.
    scaling : Scaling, optional
        For rates.
    needed : int
        Trials without a failure that would certify a failure rate that is not decided; 0 if unknown.
    """

    measurement: Measurement
    trials: int
    failures: int
    replay: str = ""
    detectable: record.Detectable = NOT_DETECTABLE
    interval: tuple[float, float] | None = None
    nonvacuous_from: float | None = None
    unit: str = ""
    scaling: record.Scaling | None = None
    needed: int = 0


class Evidence(Protocol):
    """Evidence on one claim at one place. Each question is answered by the reason in plain words, or by an empty text."""

    def violated(self) -> str:
        """Reason why the claim is refuted."""

    def unfinished(self) -> str:
        """Work that is missing before anything else can be said."""

    def uncompared(self) -> str:
        """Reason why nothing was compared."""

    def powerless(self) -> str:
        """Reason why no comparison could have failed, or too few."""

    def conclusion(self) -> tuple[Verdict, str]:
        """Conforms or inconclusive, and why; asked when none of the questions above has an answer."""

    def shown(self, verdict: Verdict, place: Place) -> Shown:
        """Numbers that reports show, given the verdict."""


def judge(evidence: Evidence, not_applicable: str = "", error: str = "") -> tuple[Verdict, str]:
    """The verdict and its reason in plain words.

    Parameters
    ----------
    evidence : Evidence
    not_applicable : str
        Why the claim does not apply to the instance; empty when it does.
    error : str
        What went wrong in a trial; empty when nothing did. It outweighs everything but a violation.
    """
    if not_applicable:
        return Verdict.NOT_APPLICABLE, not_applicable
    if reason := evidence.violated():
        return Verdict.VIOLATED, reason
    if error:
        return Verdict.ERROR, error
    if reason := evidence.unfinished():
        return Verdict.INCONCLUSIVE, reason
    if reason := evidence.uncompared():
        return Verdict.NOT_APPLICABLE, reason
    if reason := evidence.powerless():
        return Verdict.VACUOUS, reason
    return evidence.conclusion()


def regime_entry(evidence: Evidence, place: Place, not_applicable: str = "", error: str = "") -> record.RegimeEntry:
    """The record's entry of a claim at one place; the parameters are those of `judge`."""
    verdict, reason = judge(evidence, not_applicable, error)
    shown = evidence.shown(verdict, place)
    measurement = shown.measurement
    return record.RegimeEntry(
        regime=place.regime.name if place.regime else "",
        instance=place.instance,
        verdict=verdict.value,
        reason=reason,
        trials=shown.trials,
        failures=shown.failures,
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
        detectable=shown.detectable,
        interval=shown.interval,
        nonvacuous_from=shown.nonvacuous_from,
        unit=shown.unit,
        replay=shown.replay,
        scaling=shown.scaling,
        saturated=measurement.saturated,
        difference=measurement.difference,
        needed=shown.needed,
    )
