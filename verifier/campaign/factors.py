"""Factors of claims, from a number of runs that is fixed before: what is certified of each, and what is not.

The error of a table is divided equally over its intervals, whatever comes out of the runs: one for each claim of probability or
in expectation and each instance on which it is evaluated (Bonferroni). So an instance may be chosen afterwards, the worst one for
example. Where some run is missing nothing is certified, since which runs are missing may depend on what they would have given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from verifier.campaign.tally import Deterministic
from verifier.model.claim import Claim, Kind
from verifier.model.measurement import Measurement
from verifier.model.result import TrialSpec
from verifier.record.tightness import FactorLine
from verifier.statistics import ExpectationTest, quantile_interval, runs_needed

CONFIDENCE = 0.99
"""Probability with which all certified bounds of a table hold together."""

NO_FACTORS = {
    Kind.ASSUMPTION: "no factor: an assumption, of the instance alone",
    Kind.IDENTITY: "no factor: an identity",
    Kind.LAW: "no factor: a law",
    Kind.SCALING: "no factor: a rate",
}
"""Reasons why claims of some kinds have no factor."""

NO_BOUND = "no factor: no bound above zero"


@dataclass
class Factors(Deterministic):
    """Tally that keeps the measurement of every run in which something was compared, by number of the run."""

    runs: dict[int, Measurement] = field(default_factory=dict)

    @property
    def undecided(self) -> bool:
        """Every planned run is needed."""
        return True

    def add(self, spec: TrialSpec, measurement: Measurement) -> None:
        """Take in one run."""
        super().add(spec, measurement)
        self.runs[spec.index] = measurement

    @property
    def factors(self) -> list[float]:
        """Factor of each run; 0 where no comparison tells one, since any multiple of the bound would have done."""
        return [max(run.factor, 0.0) for run in self.runs.values()]

    @property
    def telling(self) -> bool:
        """Whether some comparison of some run tells a factor."""
        return self.measurement.factor >= 0.0


def quantile_of(claim: Claim, public: Any) -> float:
    """Probability with which a claim of probability promises to hold; not a number of other kinds, or where it promises none."""
    if claim.kind is not Kind.PROBABILITY:
        return math.nan
    allowed = claim.chance or claim.failure_probability * float(getattr(public, "delta", math.nan))
    return 1.0 - allowed if 0.0 < allowed < 1.0 else math.nan


def factor_line(tally: Factors, instance: str, public: Any, level: float, planned: tuple[TrialSpec, ...]) -> FactorLine:
    """Line of a claim on an instance.

    Parameters
    ----------
    tally : Factors
    instance : str
    public : object
        What the agent may know of the instance.
    level : float
        Probability of error of the interval.
    planned : tuple of TrialSpec
        The runs that were planned, by number; nothing is certified of fewer.
    """
    factors = tally.factors
    largest = max(factors, default=math.nan)
    at = next((index for index, run in tally.runs.items() if run.factor == largest), None)
    line = FactorLine(instance, tally.trials, largest, "" if at is None else planned[at].replay_id(tally.claim.name))
    if tally.claim.kind not in (Kind.PROBABILITY, Kind.EXPECTATION):
        return line
    if tally.trials < len(planned):
        return _without(line, f"only {tally.trials} of {len(planned)} runs were finished")
    if tally.claim.kind is Kind.EXPECTATION:
        return _mean(line, tally, level)
    return _quantile(line, factors, quantile_of(tally.claim, public), level)


def _quantile(line: FactorLine, factors: list[float], p: float, level: float) -> FactorLine:
    """Line with bounds on the quantile."""
    if math.isnan(p):
        return _without(line, "it may fail with probability 1 here")
    low, high = quantile_interval(factors, p, level)
    missing = runs_needed(p, level / 2.0)
    why = "" if len(factors) >= missing else f"an upper bound needs {missing} runs"
    return FactorLine(line.instance, line.runs, line.largest, line.replay, p, math.nan, max(low, 0.0), high, why)


def _mean(line: FactorLine, tally: Factors, level: float) -> FactorLine:
    """Line with the mean, and bounds on it where the bound is known before the run and the value is limited."""
    compared = [run for run in tally.runs.values() if run.comparisons]
    bounds = [run.bound for run in compared]
    if not compared or not sum(bounds) > 0:
        return _without(line, NO_BOUND if compared else tally.uncompared())
    monitor: Any = ExpectationTest(level / 2.0, level / 2.0).start()
    for run in compared:
        monitor = monitor.observe(run)
    mean = sum(max(run.value, 0.0) for run in compared) / sum(bounds)
    interval = None if any(run.ceiling is not None for run in compared) else monitor.interval()
    if interval is None:
        why = "nothing limits the value, or its bound is random: no interval of the mean"
        return FactorLine(line.instance, line.runs, line.largest, line.replay, mean=mean, why=why)
    low, high = (end / bounds[0] for end in interval)
    return FactorLine(line.instance, line.runs, line.largest, line.replay, mean=mean, low=low, high=high)


def _without(line: FactorLine, why: str) -> FactorLine:
    return FactorLine(line.instance, line.runs, line.largest, line.replay, why=why)
