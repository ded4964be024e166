"""How much rounding the comparisons of this setting allow, each derived from the sizes it depends on.

`k` is the number of episodes seen. Features have norm at most 1 and weights are at least H, so that a Gram matrix is at most
lambda + k/H; values are in [0, H].
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.settings.reward_free.instance import Public


def condition(public: Public, k: Array | float) -> Array:
    """Of either Gram matrix: 1 + k / (lambda H)."""
    return 1.0 + np.asarray(k, dtype=float) / (public.ridge * public.H)


def solve(public: Public, k: Array | float) -> Array:
    """An estimate w = Lambda^-1 M V, Euclidean norm.

    A symmetric solve of size d has relative error at most about 4 d^2 eps cond (Higham 2002, Theorem 10.4), and w has norm at
    most H sqrt(d k / (H lambda)) (the weighted form of Lemma B.2 of Jin et al. 2020). The factor 8 covers the two sides of a
    comparison and the accumulation of the right-hand side.
    """
    k = np.maximum(np.asarray(k, dtype=float), 1.0)
    largest = public.H * np.sqrt(public.d * k / (public.H * public.ridge))
    return 32 * public.d**2 * EPS * condition(public, k) * largest


def norm(public: Public, k: Array | float) -> Array:
    """||phi|| in the norm of an inverse Gram matrix, relatively: the square has relative error 4 d^2 eps cond."""
    return 4 * public.d**2 * EPS * condition(public, k)


def spread(public: Public, width: Array | float, k: Array | float) -> Array:
    """W = H (<w, x> + width ||x|| + zeta), where ||x|| <= 1/sqrt(lambda), both sides of a comparison."""
    radius = np.asarray(width, dtype=float) / np.sqrt(public.ridge)
    return public.H * (solve(public, k) + 2 * radius * norm(public, k)) + 8 * EPS * public.H**2


def decision(public: Public, width: Array | float, k: Array | float) -> Array:
    """The left side of the threshold, relatively: that of the norm, and half that of sigma-tilde^2 = max(H, d^2 W / H) >= H."""
    return 2 * norm(public, k) + public.d**2 / public.H**2 * spread(public, width, k)


def backup(public: Public) -> float:
    """r + P V, a sum of S products of size at most H; both sides of a comparison."""
    return 16 * EPS * (public.S + 2) * public.H


def chain(public: Public, k: Array | float) -> Array:
    """A statement about values that rests on the estimates of up to H steps."""
    return public.H * (backup(public) + solve(public, k))


def weight(public: Public, width: Array | float, k: Array | float) -> Array:
    """sigma-hat^2 >= H, relatively: sigma-tilde^2 = d^2 W / H is wrong by d^2 / H times what W is."""
    return public.d**2 / public.H**2 * spread(public, width, k)


def gram(public: Public, width: Array | float, k: Array | float) -> Array:
    """An entry of a Gram matrix, whose k terms are at most 1/H: added in two orders, with weights that differ by rounding."""
    k = np.asarray(k, dtype=float)
    return 8 * EPS * (k + 1.0) * (public.ridge + k / public.H) + weight(public, width, k) * k / public.H


def estimate(public: Public, width: Array | float, k: Array | float) -> Array:
    """An estimate w, Euclidean norm, with weights that differ by rounding.

    If the weights 1/sigma^2 change by a fraction r at most, w changes by Lambda^-1 sum (r / sigma^2) x (V - <w, x>), whose norm
    under Lambda is at most r times the root of sum (V - <w, x>)^2 / sigma^2. Least squares makes that at most sum V^2 / sigma^2
    <= H k. The norm under Lambda is at least sqrt(lambda) times the Euclidean one.
    """
    k = np.asarray(k, dtype=float)
    return solve(public, k) + weight(public, width, k) * np.sqrt(public.H * k / public.ridge)


def relative_norm(public: Public, width: Array | float, k: Array | float) -> Array:
    """||phi|| in the norm of an inverse Gram matrix, relatively, with weights that differ by rounding; both sides."""
    return 2 * norm(public, k) + weight(public, width, k)
