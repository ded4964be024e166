"""Rounding that comparisons of Gram matrices allow, for features of norm at most 1.

`k` is the number of episodes seen, an array or a number; the condition number of Lambda is at most 1 + k/lambda.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array


def bonus(phi: Array, ridge: float, k: Array | float, routes: int = 1) -> Array:
    """||phi||_{Lambda^-1}: the square has absolute error 4 d^2 eps cond / lambda on each route (Higham 2002, Theorem 10.4).

    The square itself is at least ||phi||^2 / (lambda + k), so taking the root divides the error by twice its root; for features
    so short that this is no bound, the root of the error bounds it.
    """
    k = np.asarray(k, dtype=float)
    square = 4 * routes * phi.shape[-1] ** 2 * EPS * (1.0 + k / ridge) / ridge
    norms = np.linalg.norm(phi, axis=-1)
    shortest = float(norms[norms > 0].min(initial=1.0))
    return np.minimum(square * np.sqrt(ridge + k) / shortest, np.sqrt(square))


def log_det(d: int, ridge: float, k: Array | float) -> Array:
    """log det Lambda: each of d pivots has relative error d eps cond; a difference of two has twice that."""
    return 4 * d**2 * EPS * (1.0 + np.asarray(k, dtype=float) / ridge)
