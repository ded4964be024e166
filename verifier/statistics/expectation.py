r"""Anytime-valid tests of "the mean of the value is at most the mean of the bound", both random, over independent runs.

With value V in [0, T] and bound B in [0, C], T and C known before the run (`trivial` and `ceiling` of the inequality):

* violated: against "E[V - B] <= 0" the game pays ``(V - B)/C >= -1`` per unit of stake, which is
  `verifier.statistics.MartingaleTest` with bound C. It needs no bound on V.
* conforms: against "E[V] >= (1 + r) E[B]" it pays ``((1 + r) B - V)/T >= -1``, r being the resolution. If B itself is known
  before the run, the loss is at most ``T - (1 + r) B``, and that is what is divided by: V alone is random then, and both games
  are those of `verifier.statistics.MeanTest`.

Each payoff has mean at most 0 under its null, so by Ville's inequality the capital of `verifier.statistics.betting` reaches
1/level with probability at most level, over all time. Cutting payoffs off from above keeps that true.

Rounding counts for the algorithm: in both games B is the bound plus the tolerance. Tolerances may differ from run to run, so
what is divided by knows nothing of them. In the first game the payoff is then cut off at -1, which leaves it at most
``(V - bound)/C``; in the second one the tolerance only makes losses smaller.

What cannot be: with T infinite no finite number of runs bounds E[V] from above (a rare enough run may hold any
mean), so nothing is ever certified; with C infinite nothing is ever called violated, for the same reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError, UsageError
from verifier.model.inequality import Inequality
from verifier.model.measurement import Measurement, measure
from verifier.statistics.betting import BETS, log_average, log_growth
from verifier.statistics.bounded_mean import MeanTest, mean_interval
from verifier.statistics.checks import ROUNDING, Decision, error_level, number
from verifier.statistics.detectable import Detectable

_LEAST_LOSS = 1e-100
"""Stands for a ceiling of 0: any value above the bound is then a payoff that decides."""

_LARGEST_PAYOFF = 1e300
_SHARE = "It is a share of the bound, for example 0.05."


def measure_run(inequality: Inequality) -> Measurement:
    """Evaluate the one comparison of a run whose sides are compared in the mean over runs.

    A run in which the premise is false counts for neither side: the means are then those over the runs in which it holds.

    Returns
    -------
    Measurement
        Without violations: a single run cannot break a statement about the mean.

    Raises
    ------
    ContractError
        If there is not exactly one comparison, or value or bound lies outside the range the property itself states.
    """
    sides = (inequality.value, inequality.bound, inequality.trivial, inequality.tolerance, inequality.premise)
    shape = np.broadcast_shapes(*map(np.shape, sides))
    if shape:
        raise ContractError(
            f"a property of a claim in expectation returned comparisons of shape {shape}, expected a single one per run; compare "
            "one scalar with one scalar, e.g. the total over the run with its bound"
        )
    found = measure(inequality)
    if found.comparisons:
        _require_range(found)
    return replace(found, violations=0)


def _require_range(found: Measurement) -> None:
    """The ranges on which the validity of the tests rests."""
    slack, ceiling = found.tolerance, found.bound if found.ceiling is None else found.ceiling
    what = ""
    if not found.value >= -slack:
        what = f"value {found.value:g} is negative; expected at least 0: add what it can be below 0 to both sides"
    elif not found.bound >= -slack:
        what = f"bound {found.bound:g} is negative; expected at least 0: bring what is subtracted to the other side"
    elif not found.value <= found.trivial + slack + ROUNDING * abs(found.trivial):
        what = f"value {found.value:g} is above {found.trivial:g}, the most it could be; correct `trivial` (inf for no limit)"
    elif not found.bound <= ceiling + slack + ROUNDING * abs(ceiling):
        what = f"bound {found.bound:g} is above {ceiling:g}, the most it could be; correct `ceiling` (inf for no limit)"
    if what:
        raise ContractError(f"a claim in expectation: {what}")


@dataclass(frozen=True)
class ExpectationTest:
    """The two one-sided tests of "the mean of the value is at most the mean of the bound".

    Parameters
    ----------
    reject_level : float
        Probability, in (0, 1), of ever calling it violated if E[value] <= E[bound].
    certify_level : float
        Probability, in (0, 1), of ever calling it conforming if E[value] >= (1 + resolution) E[bound].
    resolution : float
        Not negative. At 0, what holds with equality is never certified.

    Raises
    ------
    UsageError
        If one of them is out of range.
    """

    reject_level: float
    certify_level: float = 0.01
    resolution: float = 0.0

    def __post_init__(self) -> None:
        error_level("the reject level", self.reject_level)
        error_level("the certify level", self.certify_level)
        if number("the resolution", self.resolution, _SHARE) < 0:
            raise UsageError(f"the resolution is {self.resolution:g}; expected 0 or more. {_SHARE}")

    def start(self) -> ExpectationMonitor:
        """A monitor before the first trial."""
        return ExpectationMonitor(self)


@dataclass(frozen=True)
class _Range:
    """Range of value and bound before a run: the most they can be, and whether the bound is random."""

    trivial: float
    ceiling: float
    random: bool

    @classmethod
    def of(cls, found: Measurement) -> _Range:
        ceiling = found.bound if found.ceiling is None else found.ceiling
        return cls(found.trivial, ceiling, found.ceiling is not None)

    def agrees(self, other: _Range) -> bool:
        """Equal up to rounding."""
        pairs = ((self.trivial, other.trivial), (self.ceiling, other.ceiling))
        return self.random == other.random and all(math.isclose(a, b, rel_tol=ROUNDING) for a, b in pairs)

    def largest_loss(self, factor: float) -> float:
        """Largest excess of the value over `factor` times the bound."""
        return self.trivial if self.random else self.trivial - factor * self.ceiling


@dataclass(frozen=True)
class ExpectationMonitor:
    """Trials consumed one by one, and the first decision, which later trials do not change.

    Parameters
    ----------
    test : ExpectationTest
    values, bounds : tuple of float
        Of each trial so far, including those after the decision.
    decision : {"violated", "conforms", "inconclusive"}
        The first decision other than inconclusive, if any.
    decided_after : int or None
        Number of trials after which it fell.
    """

    test: ExpectationTest
    values: tuple[float, ...] = ()
    bounds: tuple[float, ...] = ()
    decision: Decision = "inconclusive"
    decided_after: int | None = None
    _range: _Range | None = field(default=None, repr=False)
    _against_low: Array = field(default_factory=lambda: np.zeros(len(BETS)), repr=False, compare=False)
    _against_high: Array = field(default_factory=lambda: np.zeros(len(BETS)), repr=False, compare=False)

    @property
    def trials(self) -> int:
        """Trials consumed."""
        return len(self.values)

    @property
    def standing(self) -> Decision:
        """The first decision, unless all trials together leave it open at the level of the interval."""
        if self.decision == "conforms":
            return "conforms" if self._reaches(self._against_high, self.test.certify_level) else "inconclusive"
        if self.decision == "violated":
            level = max(self.test.reject_level, self.test.certify_level)
            return "violated" if self._reaches(self._against_low, level) else "inconclusive"
        return "inconclusive"

    def observe(self, measurement: Measurement) -> ExpectationMonitor:
        """The monitor after one more trial.

        Raises
        ------
        ContractError
            If the most that value or bound can be is not what it was in the trials before.
        """
        here = _Range.of(measurement)
        if self._range is not None and not here.agrees(self._range):
            raise ContractError(
                f"a claim in expectation has trivial {here.trivial:g} and ceiling {here.ceiling:g} in one trial and "
                f"{self._range.trivial:g} and {self._range.ceiling:g} in another on the same instance; they have to be known "
                "before the run: compute them from the instance alone, and state a `ceiling` where the bound is random"
            )
        value, allowed = max(measurement.value, 0.0), measurement.bound + measurement.tolerance
        factor = 1.0 + self.test.resolution
        loss = here.largest_loss(factor)
        later = replace(
            self,
            values=(*self.values, value),
            bounds=(*self.bounds, measurement.bound),
            _range=here,
            _against_low=self._against_low + log_growth(_payoff(value - allowed, max(here.ceiling, _LEAST_LOSS))),
            _against_high=self._against_high + log_growth(_payoff(factor * allowed - value, loss) if loss > 0 else 0.0),
        )
        if self.decision != "inconclusive":
            return later
        decision = later._decide()
        return later if decision == "inconclusive" else replace(later, decision=decision, decided_after=later.trials)

    def _decide(self) -> Decision:
        if self._reaches(self._against_low, self.test.reject_level):
            return "violated"
        if self._reaches(self._against_high, self.test.certify_level):
            return "conforms"
        return "inconclusive"

    @staticmethod
    def _reaches(capitals: Array, level: float) -> bool:
        return log_average(capitals) >= -math.log(level)

    def reason(self) -> str:
        """The decision in plain words, with both means and the number of seeds."""
        test, times = self.test, f"{1 + self.test.resolution:g} times the bound" if self.test.resolution else "the bound"
        bound = "a mean bound" if self._range is not None and self._range.random else "a bound"
        seen = f"mean {_mean(self.values):.4g} against {bound} of {_mean(self.bounds):.4g} over {self.trials} seeds"
        decided = "" if self.decided_after in (None, self.trials) else f", decided after {self.decided_after}"
        if self.standing == "violated":
            return f"{seen}: the mean is above the bound (level {test.reject_level:.1e}{decided})"
        if self.standing == "conforms":
            return f"{seen}: the mean is at most {times} (level {test.certify_level:g}{decided})"
        if self.decided_after is not None:
            side = "above the bound" if self.decision == "violated" else f"at most {times}"
            return f"{seen}: {side} after {self.decided_after}, which all of them together leave open again"
        if self._range is not None and math.isinf(self._range.trivial):
            return f"{seen}; nothing limits the value, so no number of seeds would certify it"
        if self._range is not None and self._range.largest_loss(1 + test.resolution) <= 0:
            return f"{seen}; {times} is a trivial bound, so certifying it would mean nothing"
        return f"{seen}; more seeds are needed to tell"

    def interval(self) -> tuple[float, float] | None:
        """Confidence sequence of the value's mean; None without trials, and where nothing limits the value.

        It misses the mean on either side with probability at most the certify level, ever. Where the bound is known before the
        run, its upper end is at most (1 + resolution) times the bound exactly when all trials together certify (unless that
        is within rounding).
        """
        if self._range is None or not 0.0 < self._range.trivial < math.inf:
            return None
        return mean_interval(np.minimum(self.values, self._range.trivial), 0.0, self._range.trivial, self.test.certify_level)

    def detectable(self) -> Detectable:
        """The mean that would have been called violated with probability 0.9, see `MeanTest.detectable_mean`.

        Known where the value is bounded and the bound is known before the run: among all laws with this mean the one on
        {0, trivial} is then the hard case. Else it depends on how bound and value vary together.
        """
        known, test = self._range, self.test
        if known is None or known.random or not 0.0 < known.trivial < math.inf or not 0.0 < known.ceiling / known.trivial < 1.0:
            return Detectable("none", math.nan)
        mean = MeanTest(known.ceiling, 0.0, known.trivial, test.reject_level, test.certify_level)
        found = mean.detectable_mean(self.trials, certified=(1.0 + test.resolution) * known.ceiling)
        return Detectable("mean", found) if math.isfinite(found) else Detectable("none", math.nan)

    def summary(self, measurement: Measurement) -> Measurement:
        """The comparison of the two means, which is the only one that can be false."""
        if not self.values:
            return measurement
        value, bound = _mean(self.values), _mean(self.bounds)
        return replace(
            measurement,
            value=value,
            bound=bound,
            ratio=value / bound if bound > 0 else (math.inf if value > 0 else 0.0),
            margin=bound - value,
            excess=value - bound,
            violations=int(self.standing == "violated"),
        )


def _payoff(gain: float, loss: float) -> float:
    """Gain per unit of the largest loss, cut off at -1; 0 where the loss has no limit."""
    if math.isinf(loss):
        return 0.0
    return min(max(gain / loss, -1.0), _LARGEST_PAYOFF)


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else math.nan
