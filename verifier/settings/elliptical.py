"""Regularised Gram matrices, norms under them, and their path along a run: what every setting with linear features shares."""

from __future__ import annotations

from functools import cache

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, read_only
from verifier.model.blocks import blocks

FEW = 10
"""States up to which all 2^S corners of a box are looked at."""

SHARED = 1 << 20
"""Products of rows of features with each other are kept where they are no more than this."""


def gram_path(features: Array, ridge: float) -> tuple[Array, Array]:
    """Log determinants (K+1, H) of the Gram matrices along a run, and the norms (K, H) of its features (K, H, D) under them."""
    K, H, D = features.shape
    log_det, norm = np.empty((K + 1, H)), np.empty((K, H))
    gram = np.broadcast_to(ridge * np.eye(D), (H, D, D)).copy()
    block = max(1, int(4e6 / (H * D * D)))
    for first in range(0, K, block):
        f = features[first : first + block]
        growth = np.cumsum(f[..., :, None] * f[..., None, :], axis=0)
        before = gram + np.concatenate([np.zeros((1, H, D, D)), growth[:-1]])
        log_det[first : first + len(f)] = np.linalg.slogdet(before)[1]
        solved = np.linalg.solve(before, f[..., None])[..., 0]
        norm[first : first + len(f)] = np.sqrt(np.maximum(np.einsum("khi,khi->kh", f, solved), 0.0))
        gram = gram + growth[-1]
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


def bonus(phi: Array, inverse: Array) -> Array:
    """Norms of the rows of phi (X, d) under inverse Gram matrices (..., d, d); shape (..., X)."""
    squares = np.vecdot(np.matmul(phi, inverse), phi)
    return np.sqrt(np.maximum(squares, 0.0))


def bonus_under(phi: Array, gram: Array) -> Array:
    """Norms of the rows of phi (X, d) under the inverses of matrices (..., d, d), shape (..., X); infinite where none exists."""
    norms, regular = np.full((*gram.shape[:-2], len(phi)), np.inf), np.linalg.slogdet(gram)[0] != 0
    norms[regular] = bonus(phi, np.linalg.inv(gram[regular]))
    return norms


def nearly_equal(gram: Array, replay: Array, ridge: float) -> BoolArray:
    """(...) whether the norms under the inverses of matrices (..., d, d) are those under the inverses of others, up to rounding.

    Let the others be at least ridge I and E the difference. x'(Lambda + E)^-1 x differs from x'Lambda^-1 x = |y|^2, with
    y = Lambda^(-1/2) x, by at most |E|/ridge times it, and a little more where that is small. |E| is at most d times its largest
    entry, so entries up to d eps ridge make d^2 eps: a quarter of what `rounding.bonus` allows one route.
    """
    d, near = gram.shape[-1], np.empty(gram.shape[:-2], dtype=bool)
    for part in blocks(gram.shape):
        difference = gram[part] - replay[part]
        near[part] = np.abs(difference, out=difference).max(axis=(-2, -1)) <= d * EPS * ridge
    return near


def largest_noise(moments: Array, inverse: Array, H: float) -> Array:
    """What the norm of M V under Lambda^-1 can be at most for values V in [0, H], if the rows of M add up to 0.

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
    squares = np.matmul(np.swapaxes(moments, -1, -2), np.matmul(inverse, moments))  # M' Lambda^-1 M
    columns = np.sqrt(np.maximum(np.diagonal(squares, axis1=-2, axis2=-1), 0.0)).sum(axis=-1)
    spectral = np.sqrt(np.maximum(np.linalg.eigvalsh(squares)[..., -1], 0.0))
    return np.asarray(H / 2 * np.minimum(columns, np.sqrt(moments.shape[-1]) * spectral))


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
