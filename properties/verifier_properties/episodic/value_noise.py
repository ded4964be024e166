"""The law of the noise in values: which variance it has, and that it is drawn anew for each step, pair and plan.

The harness finds the noise of a plan from its values, Q - R - P V_{h+1} with estimates from the transcript, and divides it by its
standard deviation. The results are independent standard normal numbers, given what was seen before each of them. Any law of the
next number given those before it makes a likelihood ratio to that whose mean is 1.

Views: `verifier.settings.episodic.Run`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.measurement import Inequality
from verifier.model.property import Property
from verifier.settings.episodic import Public, Run
from verifier.statistics.evidence import evidence, log_average_ratio
from verifier_properties.episodic import noise_suspects
from verifier_properties.episodic.regularised import Tallies

LARGEST = 1e6
"""Numbers beyond are as this one: no normal number is so large, and the square of any is finite."""


@dataclass(frozen=True)
class Noise:
    """Independent normal noise whose variance falls with the visits.

    Parameters
    ----------
    beta : callable
        Maps what is public and episodes k, counted from 1, to the variance before the first visit.
    """

    beta: Callable[[Public, Array], Array]

    def deviation(self, public: Public, k: Array, visits: Array) -> Array:
        """(n, H, X) the standard deviation sqrt(beta_k / (n + 1)) at episodes k (n,), for the visits (n, H, X) before."""
        return np.sqrt(self.beta(public, k)[:, None, None] / (visits + 1.0))

    def radius(self, public: Public, k: Array, visits: Array) -> Array:
        """(n, H, X) the error e that this noise makes up for: H S e^2 is its variance."""
        return self.deviation(public, k, visits) / math.sqrt(public.H * public.S)


def noise_law(noise: Noise) -> Property:
    """The evidence against noise of this law."""

    def evaluate(view: Run) -> Inequality:
        if not view.asks:
            return replace(evidence(0.0, 0.0), premise=False)
        z, visits = standardised(view, noise)
        k = view.plans + 1.0

        def suspects() -> dict[str, float]:
            deviation = noise.deviation(view.public, k, visits.reshape(*visits.shape[:2], -1)).reshape(z.shape)
            return noise_suspects.of_noise(z, visits, deviation, partial(noise.beta, view.public), k)

        return evidence(log_ratio(z, visits, view.plans), log_ratio(np.zeros_like(z), visits, view.plans), suspects)

    description = (
        "Evidence against the law of the noise in the values of all plans: what the harness makes standard normal numbers of, "
        "against other variances and means, by step, pair, visits and episode, other shapes, and numbers that are used again."
    )
    return Property("noise-law", "run", evaluate, frozenset({"Q", "V"}), description, topic="Planning")


def widths(view: Run) -> Array:
    """(N, H, 1) the factors of the noise handed out for each plan."""
    return view.series.width[view.plans][:, :, None]


def standardised(view: Run, noise: Noise) -> tuple[Array, Array]:
    """(N, H, S, A) the noise of each plan in units of its standard deviation, and the visits before."""
    public, found = view.public, Tallies.before(view)
    Q, V = view.history["Q"], view.history["V"]
    drawn = Q.reshape(found.visits.shape) - found.reward - found.backup(V)
    deviation = widths(view) * noise.deviation(public, view.plans + 1.0, found.visits)
    return np.clip(drawn / deviation, -LARGEST, LARGEST).reshape(Q.shape), found.visits.reshape(Q.shape)


# Other laws -------------------------------------------------------------------------------------------------------------

RHO = (0.5, 0.9, 0.999, -0.999)
"""Correlations of a number with one before it."""

NARROW = 0.1
"""The standard deviation of noise that takes two values, around each."""


def log_ratio(z: Array, visits: Array, start: IntArray) -> float:
    """The logarithm of the average likelihood ratio of the alternatives, of numbers (N, H, S, A) of plans made at episodes."""
    groups = groupings(visits, start)
    logs = [_scales(z, group) for group in groups]
    logs += [_means(z, group) for group in groups]
    logs += [_times(z, np.sqrt((visits + 1.0) / np.maximum(visits, 1.0)))]
    logs += [_correlated(z, axis, rho) for axis in range(z.ndim) for rho in RHO]
    logs += [_half(shape) for shape in _shapes(z)]
    return log_average_ratio(np.array(logs), np.full(len(logs), 1.0 / len(logs)))


def groupings(visits: Array, start: IntArray) -> list[IntArray]:
    """Numbers that may have a law of their own: all, those of a step, of a pair, of about as many visits, of about the same time.

    What a number belongs to is known before it is drawn.
    """
    H, S, A = visits.shape[1:]
    step, pair = np.arange(H)[:, None, None], np.arange(S * A).reshape(S, A)
    seen = np.log2(visits + 1.0).astype(int)
    time = np.log2(start + 1.0).astype(int)[:, None, None, None]
    return [np.broadcast_to(group, visits.shape) for group in (np.zeros(1, dtype=int), step, pair, seen, time)]


def _sums(values: Array, group: IntArray) -> Array:
    """Of the values of each group."""
    return np.bincount(group.ravel(), weights=values.ravel())


def _scales(z: Array, group: IntArray) -> float:
    """Normal laws whose precision has the law Gamma(1, 1), one for each group."""
    from scipy.special import gammaln

    n, squares = _sums(np.ones_like(z), group) / 2, _sums(z**2, group) / 2
    return float((gammaln(1.0 + n) - (1.0 + n) * np.log1p(squares) + squares).sum())


def _means(z: Array, group: IntArray) -> float:
    """Normal laws of variance 1 whose mean has the law N(0, 1), one for each group."""
    n, total = _sums(np.ones_like(z), group), _sums(z, group)
    return float((total**2 / (2 * (1.0 + n)) - np.log1p(n) / 2).sum())


def _times(z: Array, factor: Array) -> float:
    """Normal laws of mean 0 with these standard deviations: those of noise that counts n visits, not n + 1."""
    return float(((1.0 - factor**-2.0) * z**2 / 2 - np.log(factor)).sum())


def _correlated(z: Array, axis: int, rho: float) -> float:
    """Half of the numbers correlated with the one before along an axis."""
    z = np.moveaxis(z, axis, 0)
    old, new = z[:-1], z[1:]
    rest = 1.0 - rho**2
    return _half(new**2 / 2 - (new - rho * old) ** 2 / (2 * rest) - math.log(rest) / 2)


def _shapes(z: Array) -> tuple[Array, Array, Array]:
    """Logarithms of likelihood ratios: uniform, Laplace's law, and nearly two values, all of about variance 1."""
    normal = z**2 / 2 + math.log(2 * math.pi) / 2
    uniform = np.where(np.abs(z) <= math.sqrt(3.0), -math.log(2 * math.sqrt(3.0)), -np.inf)
    laplace = -math.log(2.0) / 2 - math.sqrt(2.0) * np.abs(z)
    two = np.logaddexp(*(-(((z - side) / NARROW) ** 2) / 2 for side in (-1.0, 1.0))) - math.log(2 * NARROW)
    return normal + uniform, normal + laplace, two + z**2 / 2


def _half(log_ratios: Array) -> float:
    """Of laws that half of the numbers have."""
    return float((np.logaddexp(0.0, log_ratios) - math.log(2.0)).sum())
