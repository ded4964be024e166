"""Regularised Gram matrices, norms under them, and their path along a run: what every setting with linear features shares."""

from __future__ import annotations

from functools import cache

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, read_only

FEW = 10
"""States up to which all 2^S corners of a box are looked at."""

TOGETHER = 16
"""Features that are added to a Gram matrix at once, at least."""

SHARED = 1 << 20
"""Products of rows of features with each other are kept where they are no more than this."""


def gram_path(features: Array, ridge: float) -> tuple[Array, Array]:
    """Log determinants (K+1, H) of the Gram matrices along a run, and the norms (K, H) of its features (K, H, D) under them.

    One matrix is factorised for TOGETHER features or more. Let Lambda be the one before these, F their rows, and R R' = I + F
    Lambda^-1 F'. A diagonal entry of that is 1 + x' Lambda^-1 x; the square of the entry of R is the factor by which x makes the
    determinant grow, 1 + the square of its norm under the matrix just before it. This is less by what R has to the left of there.
    """
    K, H, D = features.shape
    log_det, norm = np.empty((K + 1, H)), np.empty((K, H))
    gram, n = np.broadcast_to(ridge * np.eye(D), (H, D, D)), max(D, TOGETHER)
    part = n * max(1, int(4e6 / (H * n * n)))
    for first in range(0, K, part):
        of = features[first : first + part]
        rows = np.zeros((-(-len(of) // n) * n, H, D))  # features of length 0 fill the last block up
        rows[: len(of)] = of
        rows = rows.reshape(-1, n, H, D).swapaxes(1, 2)
        grams = np.concatenate([gram[None], np.matmul(np.swapaxes(rows, -1, -2), rows)]).cumsum(axis=0)
        before, gram = grams[:-1], grams[-1]
        inside = np.matmul(rows, np.linalg.solve(before, np.swapaxes(rows, -1, -2)))
        factor = np.linalg.cholesky(np.eye(n) + inside)
        factor.reshape(*factor.shape[:2], -1)[..., :: n + 1] = 0.0  # what is left is to the left of the diagonal
        squares = np.maximum(np.diagonal(inside, axis1=-2, axis2=-1) - np.vecdot(factor, factor), 0.0)
        growth = np.log1p(squares)
        along = np.linalg.slogdet(before)[1][..., None] + growth.cumsum(axis=-1) - growth
        log_det[first : first + len(of)] = along.swapaxes(1, 2).reshape(-1, H)[: len(of)]
        norm[first : first + len(of)] = np.sqrt(squares).swapaxes(1, 2).reshape(-1, H)[: len(of)]
    log_det[K] = np.linalg.slogdet(gram)[1]
    return log_det, norm


def log_det_growth(features: Array, ridge: float) -> Array:
    """(H,) log det of the Gram matrix of all features (K, H, D) of a step, less that of the first, ridge I."""
    by_step = np.swapaxes(features, 0, 1)
    final = gram_of(by_step, np.ones(by_step.shape[:2]), ridge)
    return np.asarray(np.linalg.slogdet(final)[1] - features.shape[2] * np.log(ridge))


def gram_of(rows: Array, visits: Array, ridge: float) -> Array:
    """Gram matrices ridge I + sum n(x) f f' of feature rows (..., X, D) from visit counts (..., X).

    Rows that all share are multiplied with each other once, and all matrices are one product of matrices.
    """
    X, D = rows.shape[-2:]
    if rows.ndim > 2 or X * D * D > SHARED:
        return ridge * np.eye(D) + np.matmul(np.swapaxes(rows, -1, -2) * visits[..., None, :], rows)
    gram = np.matmul(visits.reshape(-1, X), (rows[:, :, None] * rows[:, None, :]).reshape(X, D * D))
    gram[:, :: D + 1] += ridge
    return gram.reshape(*visits.shape[:-1], D, D)


def lower_inverse(lower: Array) -> Array:
    """Inverses of lower triangular matrices (..., d, d), by substitution: of many small ones at a time."""
    inverse = np.zeros(lower.shape)
    for i in range(lower.shape[-1]):
        inverse[..., i, i] = 1.0 / lower[..., i, i]
        known = (lower[..., i, :i, None] * inverse[..., :i, :i]).sum(axis=-2)
        inverse[..., i, :i] = -known * inverse[..., i, i, None]
    return inverse


def bonus(phi: Array, inverse: Array) -> Array:
    """Norms of the rows of phi (X, d) under inverse Gram matrices (..., d, d); shape (..., X)."""
    squares = np.vecdot(np.matmul(phi, inverse), phi)
    return np.sqrt(np.maximum(squares, 0.0))


def diagonal(matrices: Array) -> Array:
    """Matrices (..., d, d) with zeros beside their diagonals."""
    return matrices * np.eye(matrices.shape[-1])


def bonus_under(phi: Array, gram: Array) -> Array:
    """Norms of the rows of phi (X, d) under the inverses of matrices (..., d, d), shape (..., X); infinite where none exists."""
    norms, regular = np.full((*gram.shape[:-2], len(phi)), np.inf), np.linalg.slogdet(gram)[0] != 0
    norms[regular] = bonus(phi, np.linalg.inv(gram[regular]))
    return norms


def reported_norms(phi: Array, gram: Array, difference: Array, inverse: Array, norms: Array) -> Array:
    """Norms of the rows of phi (X, d) under the inverses of reported matrices, shape (..., X); infinite where none exists.

    Where the matrices are nearly those of the harness, whose inverses are known, these are the norms (..., X) under its own.
    """
    close = nearly_equal(difference, 1.0 / np.linalg.norm(inverse, axis=(-2, -1)))
    if close.all():
        return norms
    found = norms.copy()
    found[~close] = bonus_under(phi, gram[~close])
    return found


def nearly_equal(difference: Array, least: Array | float) -> BoolArray:
    """(...) whether the norms under the inverses of matrices (..., d, d) are those under the inverses of others, up to rounding.

    Let E be what they differ by, `difference` the sizes of its entries, and `least` what no eigenvalue of the others is below.
    x'(Lambda + E)^-1 x differs from x'Lambda^-1 x = |y|^2, with y = Lambda^(-1/2) x, by at most |E|/least times it, and a little
    more where that is small. |E| is at most d times its largest entry, so entries up to d eps least make d^2 eps: a quarter of
    what `rounding.bonus` allows one route.
    """
    return np.asarray(difference.max(axis=(-2, -1), initial=0.0) <= difference.shape[-1] * EPS * least)


def largest_noise(moments: Array, inverse: Array, H: float) -> Array:
    """Largest norm of M V under Lambda^-1 for values V in [0, H], if the rows of M add up to 0.

    For M = sum_t x_t (e_{s'_t} - P_t)' this is the self-normalised noise of a regression, and no value function makes it larger.
    M V = M (V - H/2), whose entries are at most H/2: the norm is at most H/2 times the sum of the norms of the columns, and H/2
    sqrt(S) times the largest singular value.

    Parameters
    ----------
    moments : (..., d, S) array
        M.
    inverse : (..., d, d) array
        Lambda^-1.
    H : float

    Returns
    -------
    (...) array
    """
    d, S = moments.shape[-2:]
    if d < S:  # R' M has the singular values sought, where Lambda^-1 = R R', and fewer rows than columns
        scaled = np.matmul(np.swapaxes(np.linalg.cholesky(inverse), -1, -2), moments)
        columns, squares = np.linalg.norm(scaled, axis=-2), np.matmul(scaled, np.swapaxes(scaled, -1, -2))
    else:
        squares = np.matmul(np.swapaxes(moments, -1, -2), np.matmul(inverse, moments))  # M' Lambda^-1 M
        columns = np.sqrt(np.maximum(np.diagonal(squares, axis1=-2, axis2=-1), 0.0))
    spectral = np.sqrt(np.maximum(np.linalg.eigvalsh(squares)[..., -1], 0.0))
    return np.asarray(H / 2 * np.minimum(columns.sum(axis=-1), np.sqrt(S) * spectral))


def gram_norm(vectors: Array, gram: Array) -> Array:
    """Norms of columns (..., d, C) under matrices (..., d, d); shape (..., C)."""
    return np.sqrt(np.maximum((vectors * np.matmul(gram, vectors)).sum(axis=-2), 0.0))


def largest_norm(matrix: Array, gram: Array, H: float) -> float:
    """The largest norm of M V under Lambda over all V with values in [0, H].

    It is convex in V, hence attained where each value is 0 or H: found there for up to `FEW` states. For more it is bounded:
    M V = M (V - H/2) + M H/2, where the entries of V - H/2 are at most H/2, as in `largest_noise`.

    Parameters
    ----------
    matrix : (d, S) array
        M.
    gram : (d, d) array
        Lambda.
    H : float
    """
    scaled = np.linalg.cholesky(gram).T @ matrix
    S = scaled.shape[1]
    if S <= FEW:
        return float(H * np.sqrt(((scaled @ _corners(S)) ** 2).sum(axis=0).max()))
    spread = min(np.linalg.norm(scaled, axis=0).sum(), np.sqrt(S) * np.linalg.norm(scaled, ord=2))
    return float(H / 2 * (np.linalg.norm(scaled.sum(axis=1)) + spread))


@cache
def _corners(S: int) -> Array:
    """(S, 2^S) those of the unit cube."""
    return read_only(np.indices((2,) * S).reshape(S, -1).astype(float))
