"""Anytime-valid test of a law by e-values: numbers, one per run, whose mean is at most 1 if the law is right.

The capital of a gambler who bets on each run's e-value e at even odds, ``1 + g (e - 1)`` per stake g, averaged over the stakes of
`verifier.statistics.betting`, reaches 1/level with probability at most level over all time (Ville). A law is a point: no number
of runs can certify it against all its neighbours. What can be said is which wrong law would have been noticed. So a property
names one, and the mean m of log e if that were the law (`Inequality.trivial` is exp(m)). Where that law leaves something to
chance, it also gives the moments of e under it (`verifier.statistics.chernoff`).

Runs are independent. So Chernoff's inequality bounds the probability that under the wrong law no stake has by now reached the
number of stakes over the level; once one has, the average has reached 1/level. The law conforms once that bound is at most 1/100
and the real capital has not reached 1/level: with probability `SURE` the wrong law would have been convicted by then. That the
*mean* gets there says little: in half of all checks the wrong law is then still at large. Where not even the mean grows, the test
could not have failed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.inequality import Inequality
from verifier.model.measurement import Measurement, measure
from verifier.statistics.betting import BETS, log_average, log_growth
from verifier.statistics.checks import ROUNDING, Decision, error_level
from verifier.statistics.chernoff import LARGEST, POWERS, Moments, log_miss, sure_moments
from verifier.statistics.detectable import Detectable

LEAST = 1e-304
"""Stands for probability 0, so that an impossible outcome counts as overwhelming evidence and not as infinite."""

SURE = 0.99
"""A law conforms once the wrong one would have been convicted with this probability."""

MOST_RUNS = 2**30
"""A number of runs that nobody waits for."""


TELLING = math.log(1000.0)
"""Logarithm of a likelihood ratio from which another law is told to be closer: less may be chance."""

Suspects: TypeAlias = Mapping[str, float]
"""Logarithms of the likelihood ratios of other laws to the right one, by their names in words."""


def evidence(log_e: float, expected: float, suspects: Callable[[], Suspects] = dict, *, moments: Moments = ()) -> Inequality:
    """Inequality of a property of a law: an e-value, from its logarithm, and what it would be under another law.

    Parameters
    ----------
    log_e : float
        The exponential has mean at most 1 if the law is right.
    expected : float
        Mean of log_e under the other law that the claim names, or a lower bound on it.
    suspects : callable
        What the draws may be from instead: asked and told of a run that refutes the law by itself, the likeliest first. They need
        not be among those of which the e-value is made, because nothing is decided by them.
    moments : tuple of float
        Of the e-value under the wrong law, or of a lower bound on it, from `verifier.statistics.chernoff.log_moments`. None are
        needed where that law leaves nothing to chance.
    """
    wrong = math.exp(min(expected, LARGEST))
    ratios = suspects() if log_e >= TELLING else {}
    # a law that a mixture beats as far as that is not what was drawn from: something nobody has named is
    least = max(TELLING, log_e - TELLING)
    telling = sorted((said for said, ratio in ratios.items() if ratio >= least), key=lambda said: -ratios[said])
    return Inequality(
        math.exp(min(log_e, LARGEST)), 1.0, trivial=wrong, tolerance=ROUNDING, moments=moments,
        explanations={f"closer to {said}": partial(np.array, True) for said in telling},
    )  # fmt: skip


def measure_evidence(inequality: Inequality) -> Measurement:
    """Evaluate the one e-value of a run; that it is large does not break anything yet.

    Raises
    ------
    ContractError
        If there is not exactly one, it is negative, or nothing is said of what another law would lead to.
    """
    if shape := np.shape(inequality.value):
        raise ContractError(f"a property of a law returned e-values of shape {shape}, expected a single one per run")
    found = measure(inequality)
    if found.comparisons and found.value < 0:
        raise ContractError(f"a property of a law returned the e-value {found.value:g}, which is negative; expected at least 0")
    if found.comparisons and not found.trivial < math.inf:
        raise ContractError(
            f"a property of a law has trivial {found.trivial:g}; expected the evidence of a run under a wrong law that the claim "
            "names, see `verifier.statistics.evidence.evidence`: without one nobody knows what the test could have noticed"
        )
    expected, given = len(BETS) * len(POWERS), np.asarray(inequality.moments)
    if given.size and not (given.shape == (expected,) and np.all(np.isfinite(given))):
        raise ContractError(
            f"a property of a law has {given.size} moments, {np.count_nonzero(~np.isfinite(given))} of them no numbers; expected "
            f"{expected} numbers from `verifier.statistics.chernoff.log_moments`, or none"
        )
    return replace(found, violations=0, moments=inequality.moments)


def log_average_ratio(log_ratios: Array, weights: Array) -> float:
    """Logarithm of a weighted average of likelihood ratios, from their logarithms; weights sum to 1."""
    top = float(np.max(log_ratios))
    return top + math.log(float(weights @ np.exp(np.maximum(log_ratios - top, -LARGEST))))


def log_mixture(counts: Array, prior: float = 0.5) -> Array:
    """Log probability of draws under all laws, mixed by a Dirichlet prior; counts (..., n), one row per law."""
    from scipy.special import gammaln

    n = counts.shape[-1]
    start = gammaln(n * prior) - gammaln(counts.sum(axis=-1) + n * prior)
    return np.asarray(start + (gammaln(counts + prior) - gammaln(prior)).sum(axis=-1))


def log_multinomial(counts: Array, law: Array, prior: float = 0.5) -> float:
    """Log likelihood ratio of all laws, mixed by a symmetric Dirichlet prior, to the given one, for independent draws.

    Its exponential is an e-value, also when how many draws are made of which law depends on what was seen.

    Parameters
    ----------
    counts : (..., n) array
        How often each of n outcomes was seen; one row per law.
    law : (..., n) array
        Their probabilities.
    prior : float
        Concentration per outcome; large ones look for small deviations from the uniform law.
    """
    given = (counts * np.log(np.maximum(law, LEAST))).sum(axis=-1)
    return float(np.sum(log_mixture(counts, prior) - given))


def log_binomial(hits: Array, misses: Array, rate: float) -> float:
    """Log likelihood ratio of all rates, mixed by a Beta(rate, 1-rate) prior each, to the given one, for independent coins.

    The prior is worth one observation and expects what the given rate says, so that a coin flipped once is no evidence.

    Parameters
    ----------
    hits, misses : (n,) arrays
        Of each of n coins.
    rate : float
        In (0, 1).
    """
    from scipy.special import betaln

    mixture = betaln(hits + rate, misses + 1.0 - rate) - betaln(rate, 1.0 - rate)
    return float(np.sum(mixture - hits * math.log(rate) - misses * math.log1p(-rate)))


@dataclass(frozen=True)
class EvidenceMonitor:
    """E-values consumed one by one.

    Parameters
    ----------
    reject_level : float
        Probability, in (0, 1), of ever calling a right law violated.
    wrong_law : str
        The one that the property names, in words.
    trials : int
        Consumed so far.
    violated : bool
        Whether the capital ever reached 1/level.
    """

    reject_level: float
    wrong_law: str = "another law"
    trials: int = 0
    violated: bool = False
    _capitals: Array = field(default_factory=lambda: np.zeros(len(BETS)), repr=False, compare=False)
    _expected: Array = field(default_factory=lambda: np.zeros(len(BETS)), repr=False, compare=False)
    _moments: Array = field(default_factory=lambda: np.zeros(len(BETS) * len(POWERS)), repr=False, compare=False)
    _chance: bool = field(default=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        error_level("the reject level", self.reject_level)

    @property
    def evidence(self) -> float:
        """The capital."""
        return math.exp(min(log_average(self._capitals), LARGEST))

    @property
    def decision(self) -> Decision:
        """Violated once the capital reached 1/level; conforms once that of the wrong law would have, with probability `SURE`."""
        if self.violated:
            return "violated"
        return "conforms" if self._sure(1.0) else "inconclusive"

    @property
    def standing(self) -> Decision:
        """The decision: a law that was refuted stays refuted, for the capital may be lost after that."""
        return self.decision

    def likely(self, runs: int) -> bool:
        """Whether so many runs like those so far convict the wrong law with probability 1/2, as far as is known."""
        return self.trials > 0 and self._sure(runs / self.trials, 0.5)

    def _sure(self, times: float, probability: float = SURE) -> bool:
        """Whether the wrong law is convicted with this probability after so many times the runs so far, if others are alike."""
        if not self._chance:
            return self._reaches(times * self._expected)
        capital = math.log(len(BETS)) - math.log(self.reject_level)
        return log_miss(times * self._moments, capital) <= math.log1p(-probability)

    def _reaches(self, capitals: Array) -> bool:
        return log_average(capitals) >= -math.log(self.reject_level)

    def observe(self, measurement: Measurement) -> EvidenceMonitor:
        """The monitor after one more trial; what conforms can still be refuted by another wrong law than the one named."""
        capitals = self._capitals + log_growth(max(measurement.value, 0.0) - 1.0)
        expected = self._expected + log_growth(measurement.trivial - 1.0)
        violated = self.violated or self._reaches(capitals)
        return replace(
            self, trials=self.trials + 1, violated=violated, _capitals=capitals, _expected=expected,
            _moments=self._moments + np.asarray(measurement.moments or sure_moments(measurement.trivial)),
            _chance=self._chance or bool(measurement.moments),
        )  # fmt: skip

    @property
    def runs(self) -> float:
        """Number of runs like those so far after which the wrong law is convicted with probability `SURE`; infinite for never."""
        if not self.trials:
            return math.inf
        low, high = 0, 1
        while not self._sure(high / self.trials):
            low, high = high, 2 * high
            if high > MOST_RUNS:
                return math.inf
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._sure(middle / self.trials) else (middle, high)
        return float(high)

    def reason(self) -> str:
        """The decision in plain words."""
        seen = f"evidence {self.evidence:.3g} against the law over {self.trials} seeds"
        right = f"a right one gives {1 / self.reject_level:.3g} or more with probability {self.reject_level:.1e} at most"
        if self.violated:
            return f"{seen}; {right}"
        count = "one run is" if self.runs <= 1 else f"{self.runs:.0f} runs are"
        wanted = f"{count} needed to convict" if self.runs < math.inf else "no number of runs convicts"
        return f"{seen}; {right}; {wanted} {self.wrong_law} with probability {SURE}"

    def interval(self) -> tuple[float, float] | None:
        """No interval: evidence estimates nothing."""
        return None

    def detectable(self) -> Detectable:
        """The number of runs that convict the wrong law."""
        return Detectable("runs", self.runs) if math.isfinite(self.runs) else Detectable("none", math.nan)

    def summary(self, measurement: Measurement) -> Measurement:
        """The evidence against what would refute; trivial is what the wrong law is expected to give in as many runs."""
        value, bound = self.evidence, 1.0 / self.reject_level
        return replace(
            measurement,
            value=value,
            bound=bound,
            trivial=math.exp(min(log_average(self._expected), LARGEST)),
            ratio=value / bound,
            margin=bound - value,
            excess=value - bound,
            violations=int(self.violated),
        )
