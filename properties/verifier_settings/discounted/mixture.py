"""Linear mixtures: the norms of Assumption 5.3 exactly, and features scaled so that one B serves both of its bounds.

Assumption 5.3 of "Optimistic Planning by Regularized Dynamic Programming" (ICML 2023) asks for ||theta||_2 <= B and, for all
(x,a) and all V in [0, H]^X, ||sum_x' psi(x,a,x') V(x')||_2 <= B H. The second bound is homogeneous in V, so it says that the
largest norm over V in [0, 1]^X is at most B; H plays no part. The norm is convex in V, so the largest one is attained where
every V(x') is 0 or 1. With the Gram matrix G(x',y') = <psi(x,a,x'), psi(x,a,y')> its square is V'G V, of gradient 2 G V: where
no entry of G is negative the norm grows with every V(x') and is largest at V = 1. That covers psi >= 0 and its rotations.

Because rows of P = psi theta sum to one, <theta, sum_x' psi(x,a,x')> = 1, and B >= 1 on every instance that meets both bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.base.errors import UsageError

ENUMERATED = 14
"""Largest number of successors with psi(x,a,x') != 0 of which all 0/1 vectors are tried."""

Route: TypeAlias = Literal["monotone", "enumerated", "bounds"]


@dataclass(frozen=True, eq=False)
class Norms:
    """Enclosure of max ||sum_x' psi(x,a,x') V(x')||_2 over V in [0, 1]^X, for each pair (x,a).

    Attributes
    ----------
    lower, upper : (X*A,) array
        Enclosure of the maximum; the lower end is attained at some V. Equal where it is known exactly, up to `rounding`.
    routes : tuple of {"monotone", "enumerated", "bounds"}
        How each pair was decided: V = 1 is best; all 0/1 vectors were tried; neither, so there are two bounds only.
    """

    lower: Array
    upper: Array
    routes: tuple[Route, ...]

    @property
    def exact(self) -> bool:
        """Whether the maximum is known for all pairs."""
        return "bounds" not in self.routes


def largest_norms(psi: Array, enumerated: int = ENUMERATED) -> Norms:
    """The norms that Assumption 5.3 bounds, divided by H.

    Parameters
    ----------
    psi : (X*A, X, d) array
    enumerated : int
        Pairs with at most this many successors are decided by enumeration where V = 1 need not be best. Memory and time grow
        as d times 2 to this power.

    Returns
    -------
    Norms
    """
    ones = _norm(psi.sum(axis=1))
    lower, upper, routes = ones.copy(), ones.copy(), ["monotone"] * len(psi)
    gram = np.matmul(psi, np.swapaxes(psi, 1, 2))
    size = np.square(np.linalg.norm(psi, axis=2).max(axis=1, initial=0.0))
    slack = EPS * (psi.shape[2] + 2) * size  # rounding of one entry of the Gram matrix
    for pair in np.flatnonzero(gram.min(axis=(1, 2)) < -slack):
        vectors = psi[pair][np.any(psi[pair] != 0.0, axis=1)]
        if len(vectors) <= enumerated:
            lower[pair] = upper[pair] = _norm(_vertices(vectors)).max()
            routes[pair] = "enumerated"
        else:
            lower[pair], upper[pair] = _attained(vectors), _above(vectors)
            routes[pair] = "bounds"
    return Norms(lower, upper, tuple(routes))  # type: ignore[arg-type]  # a list of words is a list of str to mypy


def exact_norms(psi: Array) -> Array:
    """The largest norms themselves, shape (X*A,).

    Raises
    ------
    UsageError
        If they are too expensive to compute.
    """
    norms = largest_norms(psi)
    if not norms.exact:
        raise UsageError(
            f"the largest norm of psi is only known to lie between {norms.lower.max():.6g} and {norms.upper.max():.6g}: some "
            f"pair has inner products below zero and more than {ENUMERATED} successors; use `largest_norms`, which gives both"
        )
    return norms.upper


def holds(psi: Array, theta: Array, B: float) -> bool | None:
    """Whether Assumption 5.3 holds with this B, up to `rounding`; None where the bounds cannot tell.

    Parameters
    ----------
    psi : (X*A, X, d) array
    theta : (d,) array
    B : float
        Declared bound.
    """
    norms, slack = largest_norms(psi), rounding(psi)
    coefficients = float(np.linalg.norm(theta))
    if coefficients > B * (1.0 + EPS * (len(theta) + 4)) or norms.lower.max(initial=0.0) > B + slack:
        return False
    return True if norms.upper.max(initial=0.0) <= B + slack else None


def rounding(psi: Array) -> float:
    """Bound on the error of a norm in `largest_norms`, with a factor of 2 to spare.

    A sum of X vectors is off by at most X eps in each coordinate, relative to the sum of absolute values; its norm by (d/2 + 2)
    eps more. Where entries of the Gram matrix as small as rounding are taken for zero, V = 1 may miss the maximum m of one pair
    by their sum over 2 m, at most X^2 (d + 2) eps s^2 / (2 m) with s the largest ||psi(x,a,x')|| of the pair, and m >= s.
    """
    X, d = psi.shape[1:]
    mass = float(_norm(np.abs(psi).sum(axis=1)).max(initial=0.0))
    single = float(np.linalg.norm(psi, axis=2).max(initial=0.0))
    return 2.0 * EPS * ((X + d / 2 + 2) * mass + X**2 * (d + 2) * single / 2)


def balanced(psi: Array, theta: Array) -> tuple[Array, Array, float]:
    """Scale c psi and theta / c so that both bounds of Assumption 5.3 are met with equality.

    With S the largest norm of psi, c = sqrt(||theta|| / S) and B = sqrt(||theta|| S): no other scale allows a smaller B.

    Parameters
    ----------
    psi : (X*A, X, d) array
    theta : (d,) array
        Neither may vanish.

    Returns
    -------
    psi, theta : arrays
        Scaled.
    B : float
        The smallest B.
    """
    length, largest = float(np.linalg.norm(theta)), float(exact_norms(psi).max())
    scale = np.sqrt(length / largest)
    return psi * scale, theta / scale, float(np.sqrt(length * largest))


def _norm(rows: Array) -> Array:
    return np.asarray(np.linalg.norm(rows, axis=-1))


def _vertices(vectors: Array) -> Array:
    """The sums of all subsets of s rows, shape (2^s, d)."""
    sums = np.zeros((1, vectors.shape[1]))
    for row in vectors:
        sums = np.concatenate([sums, sums + row])
    return sums


def _attained(vectors: Array) -> float:
    """The largest norm found by ascent over 0/1 vectors, from V = 1, from single successors and from the principal axes.

    Each round takes the V that is best for the direction u of the current sum: V(x') = 1 where <u, psi(x')> > 0. The norm never
    falls, because it is at least the inner product with any u.
    """
    axes = np.linalg.svd(vectors, full_matrices=False)[2]
    best = 0.0
    for start in (vectors.sum(axis=0), *vectors, *axes, *-axes):
        length, improved = -1.0, _best_sum(vectors, start)
        while (found := float(np.linalg.norm(improved))) > length:
            length, improved = found, _best_sum(vectors, improved)
        best = max(best, length)
    return best


def _best_sum(vectors: Array, direction: Array) -> Array:
    return np.asarray(vectors[vectors @ direction > 0.0].sum(axis=0))


def _above(vectors: Array) -> float:
    """The smaller of two upper bounds on the largest norm.

    V'G V is at most the sum of the positive entries of G; and with V = (1 + s)/2, s in [-1, 1]^X, the norm is at most half of
    ||sum psi|| plus half of sqrt(X) times the spectral norm of psi.
    """
    positive = np.sqrt(np.maximum(vectors @ vectors.T, 0.0).sum())
    spectral = (np.linalg.norm(vectors.sum(axis=0)) + np.sqrt(len(vectors)) * np.linalg.norm(vectors, 2)) / 2
    return float(min(positive, spectral))
