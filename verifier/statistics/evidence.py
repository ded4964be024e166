"""Anytime-valid test of a law by e-values: numbers, one per run, whose mean is at most 1 if the law is right.

The capital of a gambler who bets on each run's e-value e at even odds, ``1 + g (e - 1)`` per stake g, averaged over the stakes of
`verifier.statistics.betting`, reaches 1/level with probability at most level over all time (Ville). A law is a point: no number
of runs can certify it against all its neighbours. It conforms as long as the evidence against it, from alternatives named by the
property, stays below 1/level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from verifier.base.arrays import Array
from verifier.model.measurement import Measurement
from verifier.statistics.betting import BETS, log_average, log_growth
from verifier.statistics.checks import Decision, error_level
from verifier.statistics.detectable import Detectable

_LARGEST = 690.0
"""Logarithm of the largest evidence that is told apart."""


LEAST = 1e-304
"""Stands for probability 0, so that an impossible outcome counts as overwhelming evidence and not as infinite."""


def log_multinomial(counts: Array, law: Array) -> float:
    """Log likelihood ratio of all laws, mixed by a Dirichlet(1/2) prior, to the given one, for independent draws.

    Its exponential is an e-value, also when how many draws are made of which law depends on what was seen.

    Parameters
    ----------
    counts : (..., n) array
        How often each of n outcomes was seen; one row per law.
    law : (..., n) array
        Their probabilities.
    """
    from scipy.special import gammaln

    n = counts.shape[-1]
    mixture = gammaln(n / 2) - gammaln(counts.sum(axis=-1) + n / 2) + (gammaln(counts + 0.5) - gammaln(0.5)).sum(axis=-1)
    given = (counts * np.log(np.maximum(law, LEAST))).sum(axis=-1)
    return float(np.sum(mixture - given))


@dataclass(frozen=True)
class EvidenceMonitor:
    """E-values consumed one by one.

    Parameters
    ----------
    reject_level : float
        Probability, in (0, 1), of ever calling a right law violated.
    trials : int
        Consumed so far.
    violated : bool
        Whether the capital ever reached 1/level.
    """

    reject_level: float
    trials: int = 0
    violated: bool = False
    _capitals: Array = field(default_factory=lambda: np.zeros(len(BETS)), repr=False, compare=False)

    def __post_init__(self) -> None:
        error_level("the reject level", self.reject_level)

    @property
    def evidence(self) -> float:
        """The capital."""
        return math.exp(min(log_average(self._capitals), _LARGEST))

    @property
    def decision(self) -> Decision:
        """Violated once the capital reached 1/level; until then a law that was looked at conforms."""
        return "violated" if self.violated else "conforms" if self.trials else "inconclusive"

    def observe(self, measurement: Measurement) -> EvidenceMonitor:
        """The monitor after one more trial."""
        capitals = self._capitals + log_growth(max(measurement.value, 0.0) - 1.0)
        crossed = log_average(capitals) >= -math.log(self.reject_level)
        return replace(self, trials=self.trials + 1, violated=self.violated or crossed, _capitals=capitals)

    def reason(self) -> str:
        """The decision in plain words."""
        seen = f"evidence {self.evidence:.3g} against the law over {self.trials} seeds"
        return f"{seen}; a right one gives {1 / self.reject_level:.3g} or more with probability {self.reject_level:.1e} at most"

    def interval(self) -> tuple[float, float] | None:
        """None: evidence estimates nothing."""
        return None

    def detectable(self) -> Detectable:
        """None: it depends on the alternative."""
        return Detectable("none", math.nan)

    def summary(self, measurement: Measurement) -> Measurement:
        """The evidence against what would refute."""
        value, bound = self.evidence, 1.0 / self.reject_level
        return replace(
            measurement,
            value=value,
            bound=bound,
            ratio=value / bound,
            margin=bound - value,
            excess=value - bound,
            violations=int(self.violated),
        )
