"""Rounding that the comparisons of this setting allow, each derived from the sizes it depends on.

Values are in [0, H]. Weights follow from estimates and estimates from weights: what rounding of an estimate does to the weights,
and these to later estimates, is counted once, to first order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier_settings.reward_free.instance import Public
from verifier_settings.views import Series


@dataclass(frozen=True, eq=False)
class Size(Series):
    """Sizes of the data of a step before an episode, shape (e, H).

    Attributes
    ----------
    count : episodes
    condition, variance_condition : of Lambda-hat and Lambda-tilde, trace over lambda
    mass, variance_mass : sums of 1 / sigma-hat^2 and of 1 / sigma-tilde^2
    weight, variance_weight : the largest relative rounding of sigma-hat^2 and of sigma-tilde^2 so far
    """

    count: Array
    condition: Array
    variance_condition: Array
    mass: Array
    variance_mass: Array
    weight: Array
    variance_weight: Array


def solve(public: Public, size: Size) -> Array:
    """An estimate w = Lambda^-1 b, b = sum x V / sigma^2, in the norm of Lambda, for given weights.

    A symmetric solve of size d satisfies (Lambda + E) w = b with ||E|| at most about 4 d^2 eps ||Lambda|| (Higham 2002, Theorem
    10.4). So w is off by Lambda^-1 E w, whose norm is at most ||E|| ||w|| / lambda, norms of vectors being those of Lambda; and
    ||w||^2 <= sum V^2 / sigma^2. What it is compared with may be off by lambda Lambda^-1 mu V, of norm H sqrt(lambda d) at most.
    The factor 8 covers the two sides of a comparison and the accumulation of b.
    """
    return 32 * public.d**2 * EPS * size.condition * public.H * (np.sqrt(size.mass) + np.sqrt(public.ridge * public.d))


def norm(public: Public, condition: Array) -> Array:
    """||phi|| in the norm of an inverse Gram matrix, relatively: the square has relative error 4 d^2 eps cond."""
    return 4 * public.d**2 * EPS * condition


def estimate(public: Public, size: Size) -> Array:
    """An estimate w in the norm of Lambda-hat, with weights that differ by rounding.

    If the weights 1/sigma^2 change by a fraction r at most, w changes by Lambda^-1 sum (r / sigma^2) x (V - <w, x>), whose norm
    under Lambda is at most r times the root of sum (V - <w, x>)^2 / sigma^2. Least squares makes that at most sum V^2 / sigma^2.
    """
    return solve(public, size) + size.weight * public.H * np.sqrt(size.mass)


def spread(public: Public, size: Size, width: Array, length: Array) -> Array:
    """W = H (<w, x> + width ||x|| + zeta) for ||x|| = `length` in the norm of Lambda-hat^-1, both sides of a comparison."""
    return _spread(public, size, width, length, estimate(public, size))


def _spread(public: Public, size: Size, width: Array, length: Array, error: Array) -> Array:
    return public.H * length * (error + 2 * width * norm(public, size.condition)) + 8 * EPS * public.H**2


def variance(public: Public, size: Size, width: Array, length: Array) -> Array:
    """sigma-tilde^2 = max(H, d^2 W / H), relatively, from rounding of the last solve alone: d^2 / H^2 times that of W."""
    return public.d**2 / public.H**2 * _spread(public, size, width, length, solve(public, size))


def decision(public: Public, size: Size, width: Array, length: Array) -> Array:
    """The left side of the threshold, relatively: of the norm, with Lambda-tilde, and of sigma-tilde."""
    own = public.d**2 / public.H**2 * spread(public, size, width, length)
    return 2 * norm(public, size.variance_condition) + size.variance_weight + own


def gram(public: Public, size: Size) -> Array:
    """An entry of Lambda-hat, at most its trace: added in two orders, with weights that differ by rounding."""
    return 8 * EPS * (size.count + 1) * public.ridge * size.condition + size.weight * size.mass


def variance_gram(public: Public, size: Size) -> Array:
    """Rounding of Lambda-tilde."""
    return 8 * EPS * (size.count + 1) * public.ridge * size.variance_condition + size.variance_weight * size.variance_mass


def relative_norm(public: Public, size: Size) -> Array:
    """||phi|| in the norm of Lambda-hat^-1, relatively, with weights that differ by rounding; both sides."""
    return 2 * norm(public, size.condition) + size.weight


def backup(public: Public) -> float:
    """r + P V, a sum of S products of size at most H; both sides of a comparison."""
    return 16 * EPS * (public.S + 2) * public.H
