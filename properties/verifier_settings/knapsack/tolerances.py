"""Rounding that the comparisons of this setting allow, each derived from the sizes it depends on.

`k` is the number of episodes seen. Values lie in [0, H], rewards and probabilities in [0, 1]; a sum over what follows a step has
J products, one for each next state and cost vector.
"""

from __future__ import annotations

from math import prod

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier_settings.knapsack.instance import Public


def frequency(public: Public, k: Array | float) -> Array:
    """A frequency or mean kept as a running mean of up to H k terms: each update rounds once, so errors add up to H k eps."""
    return EPS * (4.0 + public.H * np.asarray(k, dtype=float))


def weights(public: Public, k: Array | float) -> Array:
    """Bound on the summed errors of the weights of a sum over next states and costs.

    The weight of an outcome is a product of d + 1 frequencies, and the frequencies of a factor are off by one rounding each.
    """
    return (sum(public.sizes) + public.d + 1) * (frequency(public, k) + EPS)


def backup(public: Public, k: Array | float) -> Array:
    """r + Phat V: J products of values of at most H, from weights as above, in any order; both sides."""
    return 2 * public.H * (4 * EPS * (prod(public.sizes) + 2) + weights(public, k))


def second_moment(public: Public, k: Array | float) -> Array:
    """A variance as a difference of two second moments, each a sum of J products of size H^2; both sides."""
    return 4 * public.H**2 * (8 * EPS * (prod(public.sizes) + 4) + 2 * weights(public, k))


def root(square: Array, error: Array | float) -> Array:
    """A square root of what is off by `error`: sqrt(v + e) - sqrt(v) is at most sqrt(e), and at most e / sqrt(v)."""
    error = np.broadcast_to(np.asarray(error, dtype=float), np.shape(square))
    return np.minimum(np.sqrt(error), error / np.sqrt(np.maximum(square, error)))


def chain(public: Public, k: Array | float) -> Array:
    """A statement about values that rests on the estimates of up to H steps."""
    return 2 * public.H * backup(public, k)
