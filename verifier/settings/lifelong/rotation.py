"""The rotation family: many contexts with exact completeness, psi without Kronecker structure.

A state is a block i and a position x on a circle of N points; a context w is a point of the circle. phi depends on (i, a) only,
the transitions draw x uniformly, and psi(s,a,w) = (sqrt(d/(d+1)) phi(i,a), sqrt(1/(d+1)) q(i, a, x-w mod N)) with q in [0,1],
so d' = d+1 however many contexts there are. Every f in F depends on (i, x-w) only; the uniform x averages it out, so P_h f is
free of the context and linear in phi: Assumption 2 holds with ||xi|| <= H sqrt(d'), and so do Assumptions 4 and 6. Two
representatives w = 0, 1 span psi(s,a,w) with coefficients that depend on (s,a) (Assumption 5) when q(y) and q(y-1) differ
everywhere.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.settings.lifelong.generators import simplex_features
from verifier.settings.lifelong.instance import Instance, assemble


def rotation(
    rng: np.random.Generator, *, blocks: int, N: int, A: int, d: int, H: int, K: int, tilt: float = 0.0, tasks: str = "iid"
) -> Instance:
    """An instance of the family.

    Parameters
    ----------
    rng : numpy.random.Generator
    blocks, N, A, d, H, K : int
        Sizes; S = blocks * N, W = N, N even.
    tilt : float
        Total variation distance of the position's law from uniform: completeness then fails by at most H * tilt, for every
        f in F (the misspecified setting of Remark 4).
    tasks : str
        Name of the task rule.
    """
    phi_block = simplex_features(rng, blocks, A, d).reshape(blocks, A, d)
    phi = np.repeat(phi_block, N, axis=0).reshape(blocks * N * A, d)
    position = np.full(N, 1.0 / N)
    position += tilt * np.where(np.arange(N) < N // 2, 2.0, -2.0) / N
    mu = rng.dirichlet(np.full(blocks, 0.5), size=(H, d))[..., None] * position
    q = np.where(np.arange(N) % 2 == 0, 0.35 * rng.random((blocks, A, N)), 0.65 + 0.35 * rng.random((blocks, A, N)))
    shifted = q[:, :, (np.arange(N)[:, None] - np.arange(N)[None, :]) % N]
    reward_part = shifted.transpose(0, 2, 1, 3).reshape(blocks * N * A, N)
    psi = np.empty((blocks * N * A, N, d + 1))
    psi[:, :, :d] = np.sqrt(d / (d + 1)) * phi[:, None, :]
    psi[:, :, d] = np.sqrt(1 / (d + 1)) * reward_part
    eta = np.zeros((H, d + 1))
    eta[:, d] = (0.5 + 0.5 * rng.random(H)) * np.sqrt(d + 1)
    coefficients = _coefficients(reward_part)
    return assemble(phi, mu.reshape(H, d, blocks * N), np.empty((N, 0)), psi, eta, K, A, (0, 1), coefficients, tasks)


def _coefficients(reward_part: Array) -> Array:
    """c_1 + c_2 = 1 and c_1 q(x) + c_2 q(x-1) = q(x-w), for every (s,a) and w; shape (S*A, W, 2)."""
    first, second = reward_part[:, 0], reward_part[:, 1]
    c = (reward_part - first[:, None]) / (second - first)[:, None]
    return np.stack([1.0 - c, c], axis=-1)
