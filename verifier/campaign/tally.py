"""Tallies: what the trials of a cell say of one claim, decided by one failed comparison or by a statistical test."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from verifier.campaign.evidence import NOT_DETECTABLE, Place, Shown
from verifier.model.claim import Claim, Kind
from verifier.model.horizon import nonvacuous_from
from verifier.model.measurement import Measurement
from verifier.model.result import TrialSpec
from verifier.record.verdict import Verdict
from verifier.statistics import EvidenceMonitor, Monitor, RateMonitor
from verifier.statistics.detectable import Detectable
from verifier.statistics.evidence import SURE

UNFINISHED = "no trial was run"


@dataclass
class Tally(ABC):
    """Tally of one claim in one regime on one instance.

    Attributes
    ----------
    claim : Claim
    measurement : Measurement
        Of all trials together.
    worst : TrialSpec or None
        The trial of the worst comparison.
    trials, failures : int
        Trials consumed; trials in which some comparison failed.
    cut : str
        Why trials that say more are missing, where that is more than that there is none.
    """

    claim: Claim
    measurement: Measurement = field(default_factory=Measurement)
    worst: TrialSpec | None = None
    trials: int = 0
    failures: int = 0
    cut: str = ""

    def add(self, spec: TrialSpec, measurement: Measurement) -> None:
        """Take in one trial; of a claim that nothing can violate no comparison could have failed."""
        if self.claim.unbreakable:
            measurement = replace(measurement, powered=0)
        if self.worst is None or measurement.worse_than(self.measurement):
            self.worst = spec
        self.measurement = self.measurement.merge(measurement)
        self.trials += 1
        self.failures += bool(measurement.violations)

    @property
    def summary(self) -> Measurement:
        """Measurement that reports show of all trials together."""
        return self.measurement

    @property
    def interval(self) -> tuple[float, float] | None:
        """Confidence interval of what is estimated, if anything is."""
        return None

    @property
    @abstractmethod
    def undecided(self) -> bool:
        """Whether more trials could still change the verdict."""

    @property
    def needed(self) -> int:
        """Number of further trials without a failure that would certify it; 0 where that is not known."""
        return 0

    @abstractmethod
    def violated(self) -> str:
        """Reason why the claim is refuted."""

    @abstractmethod
    def conclusion(self) -> tuple[Verdict, str]:
        """Conforms or inconclusive, and why."""

    @abstractmethod
    def detectable(self) -> Detectable:
        """Smallest deviation that would have been called violated."""

    def unfinished(self) -> str:
        """Reason why the tally is unfinished: no trial was taken in, or one was not finished."""
        return self.cut or ("" if self.trials else UNFINISHED)

    def uncompared(self) -> str:
        """Reason why nothing was compared: the premise held nowhere."""
        if self.measurement.comparisons:
            return ""
        if self.measurement.missing:
            return self.measurement.missing
        what = "the event it is given held nowhere" if self.claim.given else "nothing to compare"
        return f"{what} ({self.measurement.excluded} comparisons left out)"

    def powerless(self) -> str:
        """The claim is declared unbreakable, no bound was below the trivial one, or too few were."""
        if self.measurement.powered or self.claim.unbreakable:
            return self.claim.unbreakable or self._too_few()
        shown = self.summary
        if self.claim.kind is Kind.LAW:
            return self._too_little(math.inf)
        if self.claim.kind is Kind.IDENTITY:
            return "both sides are zero wherever they were compared"
        if shown.trivial > shown.bound + shown.tolerance:
            return "the values compared are cut off, and the cut alone decides"
        if shown.trivial >= shown.bound:
            return "no implementation can break it here"
        return f"the bound is {shown.bound:.3g}, above the trivial bound {shown.trivial:.3g}"

    def _too_few(self) -> str:
        """Reason why there is no power: it was less than the least share."""
        powered, comparisons, least = self.measurement.powered, self.measurement.comparisons, self.claim.kind.least_share
        enough = self.measurement.share >= least
        return "" if enough else f"only {powered} of {comparisons} comparisons could have failed, less than {least:.0%}"

    def _too_little(self, runs: float) -> str:
        needed = f"{runs:.0f} runs are needed to convict" if math.isfinite(runs) else "no number of runs convicts"
        return f"{needed} {self.claim.wrong_law} with probability {SURE}"

    def shown(self, verdict: Verdict, place: Place) -> Shown:
        """The worst comparison of all trials; what a pass would have caught."""
        looked = verdict in (Verdict.CONFORMS, Verdict.INCONCLUSIVE) and self.summary.comparisons > 0
        horizon = self.claim.horizon
        return Shown(
            self.summary,
            self.trials,
            self.failures,
            self.worst.replay_id(self.claim.name) if self.worst else "",
            self.detectable() if looked else NOT_DETECTABLE,
            self.interval,
            nonvacuous_from(horizon, place.public, place.regime) if verdict is Verdict.VACUOUS else None,
            horizon.unit if horizon else "",
            needed=self.needed if verdict is Verdict.INCONCLUSIVE else 0,
        )


class Deterministic(Tally):
    """Tally of a kind that one failed comparison refutes.

    It takes in all trials of its cell, those too that are run for other claims: a failure refutes it wherever it is seen. So
    how many trials stand behind a pass depends on what else is selected.
    """

    @property
    def undecided(self) -> bool:
        """Whether no comparison has failed yet."""
        return not self.measurement.violations

    def violated(self) -> str:
        """A comparison failed."""
        trials = "trial" if self.trials == 1 else "trials"
        return f"fails in {self.failures} of {self.trials} {trials}" if self.measurement.violations else ""

    def conclusion(self) -> tuple[Verdict, str]:
        """Verdict that it conforms: no comparison failed."""
        powered, comparisons = self.measurement.powered, self.measurement.comparisons
        reason = f"{powered} of {comparisons} comparisons could have failed, none did"
        if careless := self.measurement.careless:
            reason += f"; in {careless} the implementation loses digits: more rounding than a careful computation has"
        return Verdict.CONFORMS, reason

    def detectable(self) -> Detectable:
        """A difference, or a factor of the left side."""
        if self.claim.kind is Kind.IDENTITY:
            return Detectable("difference", self.measurement.tolerance)
        if self.measurement.ratio > 0 and math.isfinite(self.measurement.ratio):
            return Detectable("factor", 1.0 / self.measurement.ratio)
        return NOT_DETECTABLE


@dataclass
class Sequential(Tally):
    """Tally of a statistical kind: its test keeps the first decision, unless all trials together leave it open again.

    It takes in `least` trials, and further ones only while its own verdict is open. Trials that are run for other claims after
    that are no evidence. So what it has seen is a function of the trials 0, 1, 2, ... of its cell, and of no other claim, unless
    the budget ended or a trial failed.

    Attributes
    ----------
    monitor : Monitor
    planned : int or None
        The most trials that are run; None for no limit.
    least : int
        Trials that it takes in even when they are more than a verdict needs.
    able : RateMonitor or None
        Of a rate: the decision on an implementation that fails in every trial in which some comparison could have failed.
    promised : bool
        Whether there is anything to decide: where nobody promises the probability, its rate is observed.
    """

    monitor: Monitor = field(kw_only=True)
    planned: int | None = field(default=None, kw_only=True)
    least: int = field(default=1, kw_only=True)
    promised: bool = field(default=True, kw_only=True)
    able: RateMonitor | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.able is None and isinstance(self.monitor, RateMonitor):
            test = self.monitor.test  # neither answer calls a claim violated, so the level of passes is enough for both
            self.able = replace(test, reject_level=test.certify_level).start()

    def add(self, spec: TrialSpec, measurement: Measurement) -> None:
        """Take in one trial.

        One in which nothing was compared is no evidence of a mean or a law. But it has not failed, and a probability is that of
        failing in a run: where the premise is rare, so may be the failures, as often as it holds.
        """
        super().add(spec, measurement)
        if self.able is not None:
            self.able = self.able.update(measurement.powered > 0)
        if measurement.comparisons or self.claim.kind is Kind.PROBABILITY:
            self.monitor = self.monitor.observe(measurement)

    @property
    def summary(self) -> Measurement:
        """Measurement that the test makes of all trials together."""
        return self.monitor.summary(self.measurement)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Interval of the test."""
        return self.monitor.interval()

    @property
    def undecided(self) -> bool:
        """Whether more trials could still change the verdict.

        A rate that conforms is open as long as it could turn out that it would whatever is implemented.
        """
        if not self.promised or not self.measurement.powered:
            return False
        if self.monitor.standing == "conforms":
            return self.able is not None and self.able.standing == "inconclusive"
        return self.monitor.standing == "inconclusive" and not self._hopeless()

    @property
    def open(self) -> bool:
        """Whether it takes in the next trial."""
        if self.trials < self.least:
            return True
        return self.undecided and (self.planned is None or self.trials < self.planned)

    def _hopeless(self) -> bool:
        """Whether trials would be wasted: whatever comes out of them; of a law, if the wrong one is likely to be missed."""
        if self.planned is None or not self.monitor.trials:
            return False
        if isinstance(self.monitor, RateMonitor):
            return bool(self.monitor.out_of_reach(self.planned))
        return isinstance(self.monitor, EvidenceMonitor) and not self.monitor.likely(self.planned)

    def _out_of_reach(self) -> str:
        """Reason why the trials that are planned decide nothing.

        Of a rate: whatever comes out of them. Of a law: the wrong one is expected to be convicted by more of them.
        """
        if self.planned is None or self.monitor.standing != "inconclusive" or not self.monitor.trials:
            return ""
        if isinstance(self.monitor, RateMonitor):
            return self.monitor.out_of_reach(self.planned)
        if not isinstance(self.monitor, EvidenceMonitor) or self.monitor.runs <= self.planned:
            return ""
        return f"{self._too_little(self.monitor.runs)}, and {self.planned} {'are' if self.planned != 1 else 'is'} planned here"

    @property
    def needed(self) -> int:
        """Clean trials that are missing to certify a failure rate; 0 for other kinds."""
        monitor = self.monitor
        return monitor.test.clean_trials_to_certify(monitor.failures, monitor.trials) if isinstance(monitor, RateMonitor) else 0

    def powerless(self) -> str:
        """Reason why there is no power; of rates and laws also: planned trials decide nothing, or too few could have failed."""
        reason = super().powerless()
        return reason or (self._out_of_reach() or self._seldom_able() if self.promised else "")

    def _seldom_able(self) -> str:
        """Reason why a rate would conform whatever is implemented: it can fail only where a premise holds, which is seldom."""
        able = self.able
        if able is None or not self.monitor.standing == able.standing == "conforms":
            return ""
        return f"only {able.failures} of {able.trials} runs could have failed, and the rate would conform if all of them had"

    def violated(self) -> str:
        """The test has decided so, where there is something to decide."""
        return self.monitor.reason() if self.promised and self.monitor.standing == "violated" else ""

    def conclusion(self) -> tuple[Verdict, str]:
        """The decision of the test; observed, where there is nothing to decide."""
        if not self.promised:
            low, high = self.interval or (0.0, 1.0)
            seen = f"failed in {self.failures} of {self.trials} {'trial' if self.trials == 1 else 'trials'}"
            return Verdict.OBSERVED, f"{seen}, a rate in [{low:.3g}, {high:.3g}]; no theorem promises one at this width"
        return Verdict(self.monitor.standing), self.monitor.reason()

    def detectable(self) -> Detectable:
        """Smallest deviation that the test would have found in as many trials."""
        return self.monitor.detectable()
