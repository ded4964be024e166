"""Rounding that the comparisons of this setting allow, each derived from the sizes it depends on.

`k` is the number of episodes seen. Values lie in [0, H], rewards and probabilities in [0, 1].
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier_settings.factored.instance import Public


def frequency(public: Public, k: Array | float) -> Array:
    """A frequency or mean kept as a running mean of up to H k terms: each update rounds once, so errors add up to H k eps."""
    return EPS * (4.0 + public.H * np.asarray(k, dtype=float))


def kernel(public: Public, k: Array | float) -> Array:
    """An entry of Phat, a product of n frequencies, relative to 1."""
    return public.n * (frequency(public, k) + EPS)


def backup(public: Public, k: Array | float) -> Array:
    """r + Phat V, a sum of S products whose weights sum to 1, from frequencies as above, in any order; both sides.

    The frequencies of a factor sum to 1 up to S_j roundings, so that sums over flat states lose the sum of these, not S times
    one.
    """
    sizes = float(sum(public.state_sizes))
    return 2 * public.H * (4 * EPS * (public.S + 2) + sizes * kernel(public, k))


def chain(public: Public, k: Array | float) -> Array:
    """A statement about values that rests on the estimates of up to H steps."""
    return 2 * public.H * backup(public, k)
