"""Rounding that the comparisons of this setting allow, each derived from the sizes it depends on.

`k` is the number of episodes seen. Values are at most `scale`: H times the largest reward in absolute value, H at least.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier_settings.episodic.instance import Public


def scale(public: Public) -> float:
    """Largest value there can be: H times the largest |r|, twice, for values that estimate it."""
    return 2.0 * public.H * max(1.0, abs(public.low), abs(public.high))


def frequency(public: Public, k: Array | float) -> Array:
    """An entry of Phat kept as a running mean of up to H k terms: each update rounds once, so errors add up to H k eps."""
    return EPS * (4.0 + public.H * np.asarray(k, dtype=float))


def backup(public: Public, k: Array | float) -> Array:
    """r + Phat V, a sum of S products, from frequencies as above, in either order; both sides of a comparison."""
    return 2 * scale(public) * (8 * EPS * (public.S + 2) + public.S * frequency(public, k))


def variance(public: Public, visits: Array) -> Array:
    """Var_Phat(V) as E[V^2] - E[V]^2, which cancels, or from squared distances: sums of S products of size scale^2.

    Frequencies kept as a running mean of N terms have a relative error of 3 N eps.
    """
    return EPS * (16.0 + 4.0 * public.S + 8.0 * visits) * scale(public) ** 2


def _longest(public: Public) -> float:
    return float(max(1.0, np.linalg.norm(public.phi, axis=1).max()))


def condition(public: Public, k: Array | float) -> Array:
    """Condition number of Lambda: 1 + k b^2 / lambda for k features of norm at most b."""
    return 1.0 + np.asarray(k, dtype=float) * _longest(public) ** 2 / public.ridge


def solve(public: Public, k: Array | float) -> Array:
    """A least-squares estimate of r + V, Euclidean norm.

    A symmetric solve of size d has relative error at most about 4 d^2 eps cond (Higham 2002, Theorem 10.4), and the estimate
    has norm at most scale sqrt(k / lambda). The factor 8 covers the two sides of a comparison and the accumulation of the right-
    hand side.
    """
    k = np.maximum(np.asarray(k, dtype=float), 1.0)
    return 32 * public.d**2 * EPS * condition(public, k) * scale(public) * np.sqrt(public.d * k / public.ridge)


def norm(public: Public, k: Array | float) -> Array:
    """||phi|| in the norm of Lambda^-1, relatively: the square has relative error 4 d^2 eps cond."""
    return 4 * public.d**2 * EPS * condition(public, k)


def chain(public: Public, k: Array | float) -> Array:
    """A statement about values that rests on the estimates of up to H steps."""
    return public.H * (backup(public, k) + _longest(public) * solve(public, k))
