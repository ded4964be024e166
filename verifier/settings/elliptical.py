"""Regularised Gram matrices, norms under them, and their path along a run: what every setting with linear features shares."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array


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


def gram_of(rows: Array, visits: Array, ridge: float) -> Array:
    """Gram matrices ridge I + sum n(x) f f' of feature rows (..., X, D) from visit counts (..., X)."""
    return ridge * np.eye(rows.shape[-1]) + np.matmul(np.swapaxes(rows, -1, -2) * visits[..., None, :], rows)


def bonus(phi: Array, inverse: Array) -> Array:
    """Norms of the rows of phi (X, d) under inverse Gram matrices (..., d, d); shape (..., X)."""
    squares = (np.matmul(phi, inverse) * phi).sum(axis=-1)
    return np.sqrt(np.maximum(squares, 0.0))


def bonus_under(phi: Array, gram: Array) -> Array:
    """Norms of the rows of phi (X, d) under the inverses of matrices (..., d, d), shape (..., X); infinite where none exists."""
    norms, regular = np.full((*gram.shape[:-2], len(phi)), np.inf), np.linalg.slogdet(gram)[0] != 0
    norms[regular] = bonus(phi, np.linalg.inv(gram[regular]))
    return norms


def gram_norm(vectors: Array, gram: Array) -> Array:
    """Norms of columns (..., d, C) under matrices (..., d, d); shape (..., C)."""
    return np.sqrt(np.maximum((vectors * np.matmul(gram, vectors)).sum(axis=-2), 0.0))
