"""Rounding that the comparisons of this setting allow, each derived from the sizes it depends on.

`k` is the number of episodes seen, an array or a number; every feature has norm at most 1, so the condition number of
Lambda is at most 1 + k/lambda.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier_settings.lifelong.instance import Public

PROGRAM = 1e-7
"""Relative tolerance for what comes out of the cone solver, whose feasibility and gap tolerances are 1e-10: the residual of the
equality constraints is amplified by the conditioning of D and of R, bounded by 1e3 on the catalogue (a test measures it)."""


def solve(public: Public, k: Array | float) -> Array:
    """A least-squares estimate, Euclidean norm.

    A symmetric solve of size d has relative error at most about 4 d^2 eps cond (Higham 2002, Theorem 10.4), and the
    estimate has norm at most H sqrt(d k / lambda). The factor 8 covers the two sides of a comparison and the accumulation of
    the right-hand side.
    """
    k = np.asarray(k, dtype=float)
    condition = 1.0 + k / public.ridge
    return 8 * 4 * public.d**2 * EPS * condition * public.H * np.sqrt(public.d * np.maximum(k, 1.0) / public.ridge)


def value(public: Public, k: Array | float) -> Array:
    """A value max_a Q below the cap, or the best of several Q, evaluated twice.

    Where r + mean + bonus is at most H, the bonus is at most H plus the mean, hence at most 2 H sqrt(d k / lambda), and its
    relative error at most 4 d^2 eps cond; the mean is a product of d' terms of that size.
    """
    k = np.asarray(k, dtype=float)
    return solve(public, k) + 8 * EPS * (public.dp + 2) * public.H * np.sqrt(public.dp * np.maximum(k, 1.0) / public.ridge)


def completeness(public: Public) -> float:
    """The projection of a function with values up to H on psi: sums of S*A*W products, twice."""
    return 16 * EPS * (public.S * public.A * public.W) * public.H


def chain(public: Public, k: Array | float) -> Array:
    """A statement about Q that rests on the estimates of up to H steps, with coefficients of l1 norm up to L."""
    return public.H * (1 + public.L) * (solve(public, k) + completeness(public) + 1e-10 * public.H)
