"""Anytime-valid tests of a failure rate against a nominal one: decisions, what they would have caught, trials one by one.

One Bernoulli per trial: did the event fail? The evidence is that of `verifier.statistics.rate_evidence`; by Ville's inequality
either of its two e-processes reaches 1/level with probability at most level, over all time.

Powers, at delta = 0.1: 53 clean trials certify at level 0.01 (83 with one failure, 106 with two; no test at all can do
with less than 44), 3 failures in a row reject at level 0.01 and 6 at level 1e-5 (no test: 2 and 5). At level 1e-5 a
rate of 0.46 is caught with probability 0.9 within 50 trials, 0.34 within 100.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from verifier.base.errors import UsageError
from verifier.model.measurement import Measurement
from verifier.statistics.boundary import Boundary, boundary, smallest_rate
from verifier.statistics.checks import Decision, counts, error_level, probability, whole
from verifier.statistics.detectable import Detectable
from verifier.statistics.rate_evidence import log_evidence_above, log_evidence_below, rate_interval


@dataclass(frozen=True)
class RateTest:
    """The two one-sided tests of "the failure rate is at most delta".

    `decide` looks at one state only. The guarantee is about the first crossing: call it after every trial, in trial
    order, and keep the first answer other than inconclusive, which is what `RateMonitor` (`start`, `decide_path`) does.

    Parameters
    ----------
    delta : float
        Nominal rate, in (0, 1).
    reject_level : float
        Probability, in (0, 1), of ever calling a rate <= delta violated.
    certify_level : float
        Probability, in (0, 1), of ever calling a rate >= delta conforming.

    Raises
    ------
    UsageError
        If one of them is out of range.
    """

    delta: float
    reject_level: float
    certify_level: float = 0.01

    def __post_init__(self) -> None:
        probability("delta", self.delta, "A claim that may never fail is of kind always, not probability.")
        error_level("the reject level", self.reject_level)
        error_level("the certify level", self.certify_level)

    def decide(self, failures: int, trials: int) -> Decision:
        """Decision of this state alone. It is never both: the failures per trial are above delta or they are not."""
        failed, tried = counts(failures, trials)
        most = _most_evidence(failed, tried, self.delta)  # spares the first trials the import of the beta functions
        if most < -math.log(max(self.reject_level, self.certify_level)):
            return "inconclusive"
        if float(log_evidence_above(failed, tried, self.delta)) >= -math.log(self.reject_level):
            return "violated"
        if float(log_evidence_below(failed, tried, self.delta)) >= -math.log(self.certify_level):
            return "conforms"
        return "inconclusive"

    def start(self, nominal: str = "") -> RateMonitor:
        """A monitor before the first trial; `nominal` is how to speak of the nominal rate."""
        return RateMonitor(self, nominal=nominal)

    def decide_path(self, outcomes: Iterable[bool]) -> RateMonitor:
        """A monitor after these trials, in trial order; True is a failure."""
        monitor = self.start()
        for failed in outcomes:
            monitor = monitor.update(failed)
        return monitor

    def clean_trials_to_certify(self, failures: int, trials: int) -> int:
        """Number of further trials, all of them clean, after which this state certifies; 0 if it does.

        An earlier violated is not taken into account.
        """
        failed, tried = counts(failures, trials)
        enough = -math.log(self.certify_level)
        return _fewest(lambda more: float(log_evidence_below(failed, tried + more, self.delta)) >= enough)

    def failures_to_convict(self, failures: int, trials: int) -> int:
        """Number of further trials, all of them failures, after which this state is called violated; 0 if it is.

        An earlier conforms is not taken into account. On the way there is none: every failure lowers the evidence for it.
        """
        failed, tried = counts(failures, trials)
        enough = -math.log(self.reject_level)
        return _fewest(lambda more: float(log_evidence_above(failed + more, tried + more, self.delta)) >= enough)

    def out_of_reach(self, trials: int) -> str:
        """Reason why no outcome of this many trials decides anything; empty if all failing convicts, or all clean certifies."""
        bad, clean = _fewest_to_decide(self)
        if trials >= min(bad, clean):
            return ""
        return f"needs at least {bad} runs to reject and {clean} to accept"

    def boundary(self, trials: int) -> Boundary:
        """The stopping boundaries over this many trials (at least 1), and the exact probabilities of crossing them."""
        return _boundary(self, whole("the number of trials", trials, least=1))

    def detectable_rate(self, trials: int, power: float = 0.9) -> float:
        """Smallest rate called violated with probability >= `power` within `trials` monitored trials.

        Exact up to 1e-7, from above. A trial after conforms no longer counts, as in a campaign that stops there.

        Parameters
        ----------
        trials : int
            At least 0.
        power : float
            In (0, 1).

        Returns
        -------
        float
            In (delta, 1], or ``inf`` if so few trials cannot call anything violated.

        Raises
        ------
        UsageError
            If an argument is out of range.
        """
        tried = whole("the number of trials", trials)
        wanted = probability("the power", power, "It is the probability of a catch, for example 0.9.")
        return _detectable(self, tried, wanted) if tried else math.inf

    def interval(self, failures: int, trials: int) -> tuple[float, float]:
        """Confidence sequence of the rate, missing it on either side with probability at most the certify level.

        Its upper end is at most delta exactly when `decide` certifies (unless that is within rounding). With a reject
        level below the certify level the lower end is above delta whenever `decide` says violated.
        """
        return rate_interval(failures, trials, self.certify_level)


@dataclass(frozen=True)
class RateMonitor:
    """Trials consumed one by one, and the first decision, which later trials do not change.

    Parameters
    ----------
    test : RateTest
    failures, trials : int
        Counted so far, including after the decision.
    decision : {"violated", "conforms", "inconclusive"}
        The first decision other than inconclusive, if any.
    decided_after : int or None
        Number of trials after which it fell.
    nominal : str
        How to speak of the nominal rate, e.g. ``delta = 0.1``; the number alone if empty.
    """

    test: RateTest
    failures: int = 0
    trials: int = 0
    decision: Decision = "inconclusive"
    decided_after: int | None = None
    nominal: str = ""

    @property
    def standing(self) -> Decision:
        """The first decision, unless the interval of all trials contains the nominal rate again.

        The first crossing alone has the guarantee of the levels. But where the interval of all trials contains the nominal
        rate, nobody knows on which side the rate is, whatever fewer trials told. Taking a decision back adds no error.
        """
        if self.decision == "inconclusive":
            return "inconclusive"
        test = self.test
        evidence = log_evidence_above if self.decision == "violated" else log_evidence_below
        level = max(test.reject_level, test.certify_level) if self.decision == "violated" else test.certify_level
        return self.decision if float(evidence(self.failures, self.trials, test.delta)) >= -math.log(level) else "inconclusive"

    def update(self, failed: bool) -> RateMonitor:
        """The monitor after one more trial.

        Raises
        ------
        UsageError
            If `failed` is neither true nor false.
        """
        if failed not in (False, True):
            raise UsageError(f"The outcome of a trial is {failed!r}; expected True (the event failed) or False.")
        later = replace(self, failures=self.failures + int(failed), trials=self.trials + 1)
        if self.decision != "inconclusive":
            return later
        decision = self.test.decide(later.failures, later.trials)
        return later if decision == "inconclusive" else replace(later, decision=decision, decided_after=later.trials)

    def observe(self, measurement: Measurement) -> RateMonitor:
        """The monitor after one more trial, failed if any comparison in it did."""
        return self.update(bool(measurement.violations))

    def reason(self) -> str:
        """The decision in plain words; if there is none, how many more failures would convict, and clean trials certify."""
        test, seen = self.test, f"{_plural(self.failures, 'failure')} in {_plural(self.trials, 'trial')}"
        nominal = self.nominal or f"{test.delta:g}"
        decided = "" if self.decided_after in (None, self.trials) else f", decided after {self.decided_after} trials"
        if self.standing == "violated":
            return f"{seen}: the failure rate is above {nominal} (level {test.reject_level:.1e}{decided})"
        if self.standing == "conforms":
            return f"{seen}: the failure rate is at most {nominal} (level {test.certify_level:g}{decided})"
        if self.decided_after is not None:
            side = "above" if self.decision == "violated" else "at most"
            return f"{seen}: {side} {nominal} after {self.decided_after} trials, which all of them together leave open again"
        failures = test.failures_to_convict(self.failures, self.trials)
        clean = test.clean_trials_to_certify(self.failures, self.trials)
        convict = f"{_plural(failures, 'more failure')} would convict"
        return f"{seen}; {convict}, {_plural(clean, 'more clean trial')} would certify a rate of at most {nominal}"

    def out_of_reach(self, planned: int) -> str:
        """Reason why no outcome of the planned trials decides it; empty if one does, or a trial has failed."""
        if self.failures or self.decision != "inconclusive":
            return ""
        reason = self.test.out_of_reach(planned)
        return reason and f"{reason}; only {planned} {'were' if planned != 1 else 'was'} planned"

    def interval(self) -> tuple[float, float] | None:
        """Confidence sequence of the failure rate, see `RateTest.interval`; None without trials."""
        return self.test.interval(self.failures, self.trials) if self.trials else None

    def detectable(self) -> Detectable:
        """The failure rate that would have been caught, see `RateTest.detectable_rate`."""
        return Detectable("rate", self.test.detectable_rate(self.trials))

    def summary(self, measurement: Measurement) -> Measurement:
        """The measurement as it is: its worst comparison tells most."""
        return measurement


def _fewest(enough: Callable[[int], bool]) -> int:
    """The least number, 0 or more, that is enough, where all larger ones are too."""
    if enough(0):
        return 0
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _most_evidence(failures: int, trials: int, delta: float) -> float:
    """Logarithm of the likelihood ratio of the most likely rate to delta: no mixture of rates, on either side, has more."""
    parts = ((failures, delta), (trials - failures, 1.0 - delta))
    return sum(count * math.log(count / trials / nominal) for count, nominal in parts if count)


@lru_cache(maxsize=1024)
def _fewest_to_decide(test: RateTest) -> tuple[int, int]:
    """Failures that convict, and clean trials that certify, when there are no others."""
    return test.failures_to_convict(0, 0), test.clean_trials_to_certify(0, 0)


@lru_cache(maxsize=64)
def _boundary(test: RateTest, trials: int) -> Boundary:
    return boundary(
        lambda failed, tried: log_evidence_above(failed, tried, test.delta),
        lambda failed, tried: log_evidence_below(failed, tried, test.delta),
        test.reject_level,
        test.certify_level,
        trials,
    )


@lru_cache(maxsize=4096)
def _detectable(test: RateTest, trials: int, power: float) -> float:
    return smallest_rate(_boundary(test, trials), test.delta, power)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
