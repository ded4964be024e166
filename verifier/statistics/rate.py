r"""Anytime-valid tests of a failure rate against a nominal one, by beta-binomial mixtures.

One Bernoulli per trial: did the event fail? With S failures and F clean trials so far, the likelihood ratio of rate q
to rate delta is ``LR(q) = (q/delta)^S ((1-q)/(1-delta))^F``. If a trial fails with (conditional) probability p, its
factor has expectation ``p q/delta + (1-p)(1-q)/(1-delta)``, which is linear in p and 1 at p = delta. Hence

* q > delta: at most 1 for every p <= delta. Any mixture of LR(q) over q in (delta, 1] is a nonnegative
  supermartingale, starting at 1, under every rate <= delta: it is `log_evidence_above`.
* q < delta: at most 1 for every p >= delta. Any mixture over q in [0, delta) is evidence against every rate >= delta:
  it is `log_evidence_below`.

By Ville's inequality either reaches 1/level with probability at most level, over all time. A prior on the whole of
(0, 1) would be wrong: its components on the null's side have expectation above 1, and clean trials alone would let "the
rate is at most delta" be rejected.

The priors are chosen on the *relative* scale, ``q = delta u`` below and ``1 - q = (1-delta) v`` above, with u ~
Beta(1/2, 1) and v ~ Beta(1, 1): the density ``q^(-1/2)`` cut off at delta, and the uniform one on (delta, 1]. At fixed
u each factor increases with delta, so evidence is monotone in delta, and inverting the tests gives an interval whose
ends agree with the decisions exactly. Both integrals are incomplete beta functions.

Powers, at delta = 0.1: 53 clean trials certify at level 0.01 (83 with one failure, 106 with two; no test at all can do
with less than 44), 3 failures in a row reject at level 0.01 and 6 at level 1e-5 (no test: 2 and 5). At level 1e-5 a
rate of 0.46 is caught with probability 0.9 within 50 trials, 0.34 within 100.

References
----------
H. Robbins, Statistical methods related to the law of the iterated logarithm, Ann. Math. Stat. 41 (1970).
A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, Game-theoretic statistics and safe anytime-valid inference, Stat. Sci. 38
(2023).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from verifier.arrays import Array
from verifier.errors import UsageError
from verifier.measurement import Measurement
from verifier.record import Detectable
from verifier.statistics.boundary import Boundary, boundary, smallest_rate
from verifier.statistics.checks import Decision, counts, probability, whole

BELOW_SHAPE = 0.5
"""u ~ Beta(1/2, 1): much weight near rate 0, so that clean trials certify soon."""

ABOVE_SHAPE = 1.0
"""v ~ Beta(1, 1): the uniform prior on (delta, 1] has no blind spot between a rare and a constant failure."""

_LEVEL_ADVICE = "A level is a probability of error, for example 0.01."
_UNDERFLOW = 1e-250


def log_evidence_above(failures: ArrayLike, trials: ArrayLike, delta: float) -> Array:
    """Logarithm of the e-process against "the rate is at most delta".

    Parameters
    ----------
    failures, trials : int or int arrays, broadcast against each other
        With 0 <= failures <= trials.
    delta : float
        Nominal rate, in (0, 1).

    Returns
    -------
    float array
        0 without trials; increasing in failures, decreasing in clean trials and in delta.

    Raises
    ------
    UsageError
        If the counts or delta are out of range.
    """
    failed, clean, rate = _checked(failures, trials, delta)
    return _log_mixture(clean, failed, 1.0 - rate, rate, ABOVE_SHAPE)


def log_evidence_below(failures: ArrayLike, trials: ArrayLike, delta: float) -> Array:
    """Logarithm of the e-process against "the rate is at least delta".

    Parameters
    ----------
    failures, trials : int or int arrays, broadcast against each other
        With 0 <= failures <= trials.
    delta : float
        Nominal rate, in (0, 1).

    Returns
    -------
    float array
        0 without trials; decreasing in failures, increasing in clean trials and in delta.

    Raises
    ------
    UsageError
        If the counts or delta are out of range.
    """
    failed, clean, rate = _checked(failures, trials, delta)
    return _log_mixture(failed, clean, rate, 1.0 - rate, BELOW_SHAPE)


def rate_interval(failures: int, trials: int, level: float = 0.02) -> tuple[float, float]:
    """Confidence sequence for the rate: at all times at once it holds the rate with probability 1 - level.

    Parameters
    ----------
    failures, trials : int
        With 0 <= failures <= trials.
    level : float
        Probability, in (0, 1), of ever missing the rate; half of it on either side.

    Returns
    -------
    (float, float)
        The rates which neither `log_evidence_above` nor `log_evidence_below` rejects at half the level.

    Raises
    ------
    UsageError
        If an argument is out of range.
    """
    failed, tried = counts(failures, trials)
    side = 0.5 * probability("the level of the interval", level, _LEVEL_ADVICE)
    clean = tried - failed
    return 1.0 - _upper(clean, failed, side, ABOVE_SHAPE), _upper(failed, clean, side, BELOW_SHAPE)


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
        probability("the reject level", self.reject_level, _LEVEL_ADVICE)
        probability("the certify level", self.certify_level, _LEVEL_ADVICE)

    def decide(self, failures: int, trials: int) -> Decision:
        """What this state alone says. It never says both: the failures per trial are above delta or they are not."""
        failed, tried = counts(failures, trials)
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
        """How many more trials, all of them clean, are needed until this state certifies; 0 if it does.

        An earlier violated is not taken into account.
        """
        failed, tried = counts(failures, trials)
        enough = -math.log(self.certify_level)

        def certifies(more: int) -> bool:
            return float(log_evidence_below(failed, tried + more, self.delta)) >= enough

        if certifies(0):
            return 0
        low, high = 0, 1
        while not certifies(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            if certifies(middle):
                high = middle
            else:
                low = middle
        return high

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
        failed, tried = counts(failures, trials)
        clean, side = tried - failed, self.certify_level
        return 1.0 - _upper(clean, failed, side, ABOVE_SHAPE), _upper(failed, clean, side, BELOW_SHAPE)


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
        """The decision in plain words; if there is none, how many more clean trials would certify."""
        test, seen = self.test, f"{self.failures} failures in {self.trials} trials"
        nominal = self.nominal or f"{test.delta:g}"
        if self.decision == "violated":
            return f"{seen}: the failure rate is above {nominal} (level {test.reject_level:.1e})"
        if self.decision == "conforms":
            return f"{seen}: the failure rate is at most {nominal} (level {test.certify_level:g})"
        more = test.clean_trials_to_certify(self.failures, self.trials)
        return f"{seen}; {more} more clean ones would certify a rate of at most {nominal}"

    def interval(self) -> tuple[float, float] | None:
        """Confidence sequence of the failure rate, see `RateTest.interval`; None without trials."""
        return self.test.interval(self.failures, self.trials) if self.trials else None

    def detectable(self) -> Detectable:
        """The failure rate that would have been caught, see `RateTest.detectable_rate`."""
        return Detectable("rate", self.test.detectable_rate(self.trials))

    def summary(self, measurement: Measurement) -> Measurement:
        """The measurement as it is: its worst comparison tells most."""
        return measurement


def _checked(failures: ArrayLike, trials: ArrayLike, delta: float) -> tuple[Array, Array, float]:
    """Failures and clean trials as floats, after checking that they are counts."""
    rate = probability("delta", delta, "It is the failure rate the claim allows.")
    try:
        failed, tried = np.asarray(failures), np.asarray(trials)
        if failed.dtype.kind not in "biu" or tried.dtype.kind not in "biu":
            raise TypeError("not whole numbers")
        bad = (failed < 0) | (tried < 0) | (failed > tried)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{failures!r} failures in {trials!r} trials; expected whole numbers. Count trials one by one."
        ) from error
    if np.any(bad):
        place = np.unravel_index(int(np.argmax(bad)), bad.shape)
        few, many = np.broadcast_to(failed, bad.shape)[place], np.broadcast_to(tried, bad.shape)[place]
        raise UsageError(
            f"{few} failures in {many} trials; expected 0 <= failures <= trials. "
            "Count at most one failure per trial, and pass (failures, trials) in this order."
        )
    return failed.astype(np.float64), tried.astype(np.float64) - failed.astype(np.float64), rate


def _log_mixture(rare: Array, common: Array, x: float, y: float, shape: float) -> Array:
    r"""Logarithm of ``int_0^1 shape u^(shape-1) u^rare ((1 - x u)/(1 - x))^common du``, with y = 1 - x.

    Substituting t = x u this is ``shape x^-A y^-common B(A, common + 1) I_x(A, common + 1)`` with A = shape + rare.
    Where the regularised incomplete beta function I underflows it is
    ``(shape / A) y 2F1(A + common + 1, 1; A + 1; x)``.
    """
    from scipy.special import betainc, betaincc, betaln

    A, B = shape + rare, common + 1.0
    inside = betainc(A, B, x) if x <= 0.5 else betaincc(B, A, y)
    log_x, log_y = (math.log(x), math.log1p(-x)) if x <= 0.5 else (math.log1p(-y), math.log(y))
    with np.errstate(divide="ignore"):
        value = np.asarray(np.log(inside) + betaln(A, B) - A * log_x - common * log_y + math.log(shape), dtype=np.float64)
    tiny = inside < _UNDERFLOW
    if np.any(tiny):
        A, B = np.broadcast_arrays(A, B)
        value[tiny] = np.log(shape / A[tiny]) + log_y + np.log(_tail_series(A[tiny], B[tiny], x))
    return value


def _tail_series(A: Array, B: Array, x: float) -> Array:
    """2F1(A + B, 1; A + 1; x) by the continued fraction of the incomplete beta function.

    Converges fast for x below A / (A + B), the only place it is used (Numerical Recipes, section 6.4; Lentz's method).
    """
    c = np.ones_like(A)
    d = 1.0 / (1.0 - (A + B) * x / (A + 1.0))
    value = d.copy()
    for m in range(1, 1000):
        even = m * (B - m) * x / ((A + 2 * m - 1) * (A + 2 * m))
        odd = -(A + m) * (A + B + m) * x / ((A + 2 * m) * (A + 2 * m + 1))
        d, c = 1.0 / (1.0 + even * d), 1.0 + even / c
        value = value * d * c
        d, c = 1.0 / (1.0 + odd * d), 1.0 + odd / c
        value = value * d * c
        if np.all(np.abs(d * c - 1.0) < 1e-14):
            break
    return value


def _upper(rare: int, common: int, level: float, shape: float) -> float:
    """Smallest rate at which the evidence for "less" reaches 1 / level; 1 if there is none.

    Bisection in log odds, from rare / (rare + common), where every likelihood ratio is at most 1; the outer end is
    returned.
    """
    if common == 0:
        return 1.0
    few, many = np.asarray(float(rare)), np.asarray(float(common))
    enough = -math.log(level)

    def crossed(odds: float) -> bool:
        x, y = _expit(odds), _expit(-odds)
        return float(_log_mixture(few, many, x, y, shape)) >= enough

    low, high = (math.log(rare / common) if rare else -500.0), 500.0
    if not crossed(high):
        return 1.0
    while high - low > 1e-10:
        middle = 0.5 * (low + high)
        if crossed(middle):
            high = middle
        else:
            low = middle
    return _expit(high)


def _expit(odds: float) -> float:
    if odds >= 0:
        return 1.0 / (1.0 + math.exp(-odds))
    return math.exp(odds) / (1.0 + math.exp(odds))


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
