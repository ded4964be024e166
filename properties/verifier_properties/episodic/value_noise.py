"""The law of the noise in values: which variance it has, and that it is drawn anew for each step, pair and plan.

The harness finds the noise of a plan from its values, Q - R - P V_{h+1} with estimates from the transcript, and divides it by its
standard deviation. The results are independent standard normal numbers, given what was seen before each of them. Any law of the
next number given those before it makes a likelihood ratio to that whose mean is 1.

Views: `verifier_settings.episodic.Run`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.inequality import Inequality
from verifier.model.property import Property
from verifier.statistics.evidence import evidence, log_average_ratio
from verifier_properties.episodic import noise_suspects
from verifier_properties.episodic.normal_mixtures import conjugate_mixtures
from verifier_properties.episodic.regularised import tallies_before
from verifier_settings.episodic import Public, Run

LARGEST = 1e6
"""Numbers beyond are as this one: no normal number is so large, and the square of any is finite."""


@dataclass(frozen=True, eq=False)
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

    def before(self, view: Run) -> Array:
        """(N, H, X) the standard deviation at the plans of a run."""
        return view.once(self._before)

    def _before(self, view: Run) -> Array:
        return self.deviation(view.public, view.plans + 1.0, tallies_before(view).visits)


def radius(public: Public, deviation: Array) -> Array:
    """The errors e that noise of these standard deviations makes up for: H S e^2 is its variance."""
    return deviation / math.sqrt(public.H * public.S)


# Not a formula: evidence of a law, a product over draws.
def noise_law(noise: Noise) -> Property:
    """The evidence against noise of this law."""

    def evaluate(view: Run) -> Inequality:
        if not view.asks:
            return replace(evidence(0.0, 0.0), premise=False)
        z, visits = standardised(view, noise)

        def suspects() -> dict[str, float]:
            deviation = noise.before(view).reshape(z.shape)
            return noise_suspects.of_noise(z, visits, deviation, partial(noise.beta, view.public), view.plans + 1.0)

        return evidence(log_ratio(z, visits, view.plans), log_ratio(np.zeros(()), visits, view.plans), suspects)

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
    found, Q, V = tallies_before(view), view.history["Q"], view.history["V"]
    drawn = Q.reshape(found.visits.shape) - found.reward - found.backup(V[:, 1:])
    deviation = widths(view) * noise.before(view)
    return np.clip(drawn / deviation, -LARGEST, LARGEST).reshape(Q.shape), found.visits.reshape(Q.shape)


# Other laws -------------------------------------------------------------------------------------------------------------

RHO = (0.5, 0.9, 0.999, -0.999)
"""Correlations of a number with one before it."""

NARROW = 0.1
"""The standard deviation of noise that takes two values, around each."""


def log_ratio(z: Array, visits: Array, start: IntArray) -> float:
    """The logarithm of the average likelihood ratio of the alternatives.

    Parameters
    ----------
    z : (N, H, S, A) array
        The numbers of all plans; or () the one that all of them are.
    visits : (N, H, S, A) array
        Before each plan.
    start : (N,) int array
        The episodes of the plans, from 0.
    """
    logs = [law for group in groupings(visits, start) for law in conjugate_mixtures(*_summed(z, group, visits.shape))]
    logs += [_times(z, np.sqrt((visits + 1.0) / np.maximum(visits, 1.0)))]
    logs += [law for axis in range(visits.ndim) for law in _correlated(z, axis, visits.shape)]
    logs += list(_halves(_shapes, visits.size, z))
    return log_average_ratio(np.array(logs), np.full(len(logs), 1.0 / len(logs)))


def groupings(visits: Array, start: IntArray) -> list[IntArray]:
    """Numbers that may have a law of their own: all, those of a step, of a pair, of about as many visits, of about the same time.

    What a number belongs to is known before it is drawn. Arrays have four axes, of length 1 where groups do not depend on it.
    """
    H, S, A = visits.shape[1:]
    step, pair = np.arange(H)[:, None, None], np.arange(S * A).reshape(S, A)
    # Groups by powers of 2, 2^j <= n + 1 < 2^(j+1): about as many visits, without a parameter to choose.
    seen = np.frexp(visits + 1.0)[1] - 1
    time = (np.frexp(start + 1.0)[1] - 1)[:, None, None, None]
    return [np.array(group, ndmin=4) for group in (0, step, pair, seen, time)]


def _summed(z: Array, group: IntArray, shape: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Sizes of the groups of numbers, their sums and sums of squares."""
    alike = tuple(axis for axis, n in enumerate(group.shape) if n == 1)
    label = group.ravel()
    # The label does not depend on the axes of length 1: each stands for as many numbers as these axes have in z.
    n = np.bincount(label) * (math.prod(shape) / label.size)
    if not z.ndim:
        return n, n * z, n * z**2
    total, squares = (np.bincount(label, weights=values.sum(axis=alike).ravel()) for values in (z, z**2))
    return n, total, squares


def _times(z: Array, factor: Array) -> float:
    """Normal laws of mean 0 with these standard deviations: those of noise that counts n visits, not n + 1."""
    return float(((1.0 - factor**-2.0) * z**2 / 2 - np.log(factor)).sum())


def _correlated(z: Array, axis: int, shape: tuple[int, ...]) -> Array:
    """Half of the numbers correlated with the one before along an axis, for each of `RHO`."""
    numbers = np.moveaxis(z, axis, 0) if z.ndim else z
    old, new = (numbers[:-1], numbers[1:]) if z.ndim else (z, z)
    return _halves(_ratios, math.prod(shape) // shape[axis] * (shape[axis] - 1), old**2 + new**2, old * new)


def _ratios(squares: Array, product: Array) -> list[Array]:
    """Logarithms of likelihood ratios of correlations in `RHO`, from the sum of squares and the product of two numbers."""
    rest = {rho: 1.0 - rho**2 for rho in RHO}
    return [product * (rho / rest[rho]) - squares * (rho**2 / 2 / rest[rho]) - math.log(rest[rho]) / 2 for rho in RHO]


def _shapes(z: Array) -> tuple[Array, Array, Array]:
    """Logarithms of likelihood ratios: uniform, Laplace's law, and nearly two values, all of about variance 1."""
    normal = z**2 / 2 + math.log(2 * math.pi) / 2
    uniform = np.where(np.abs(z) <= math.sqrt(3.0), -math.log(2 * math.sqrt(3.0)), -np.inf)
    laplace = -math.log(2.0) / 2 - math.sqrt(2.0) * np.abs(z)
    two = np.logaddexp(*(-(((z - side) / NARROW) ** 2) / 2 for side in (-1.0, 1.0))) - math.log(2 * NARROW)
    return normal + uniform, normal + laplace, two + z**2 / 2


FACTORS = 500
"""Number of factors between 1 and 2 whose product is finite."""
BLOCK = 1 << 14
"""Number of numbers that are looked at together: what is computed of them on the way stays in the processor's cache."""


def _halves(ratios: Callable[..., Sequence[Array]], number: int, *values: Array) -> Array:
    """The sums of `_half` over so many numbers of which there are these values, of all or of the one that all have.

    Parameters
    ----------
    ratios : callable
        From values to the logarithms of likelihood ratios of some laws.
    number : int
    *values : array
    """
    flat = [np.ravel(each) for each in values]
    parts = ([each[first : first + BLOCK] for each in flat] for first in range(0, max(flat[0].size, 1), BLOCK))
    return sum((np.array([_half(law) for law in ratios(*part)]) for part in parts), np.zeros(())) * number / max(flat[0].size, 1)


def _half(log_ratios: Array) -> float:
    """Log likelihood ratio of laws that half of the numbers have.

    The sum of log((1 + r) / 2); where r > 1, of log r and log((1 + 1/r) / 2), so that logarithms are taken of products.
    """
    least = np.abs(log_ratios)
    factors = 1.0 + np.exp(np.negative(least, out=least), out=least)
    products = np.multiply.reduceat(factors, np.arange(0, factors.size, FACTORS))
    return float(np.maximum(log_ratios, 0.0).sum() + np.log(products).sum() - factors.size * math.log(2.0))
