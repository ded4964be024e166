"""Generators of contextual linear MDPs, and what is known about the assumptions on each.

Assumption 2 (completeness) together with 1 and 3 holds exactly if and only if the distinct rho(w) are linearly independent,
apart from the norm bound: take nu = mu_h(S) (x) v, for which f(s, w) = clip(v'rho(w), 0, H) does not depend on s; linearity of
w -> clip(v'rho(w)) for every v leaves only dependent rho that are equal. Conversely, with independent rho, xi = vec(Theta R^-1).
So the exact families below have independent (mostly orthonormal) context features, `rotation` has psi of another structure, and
`mixture` is the negative control.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.lifelong.instance import Instance, assemble, make
from verifier_settings.linear import measures, simplex_features


def onehot(
    rng: np.random.Generator,
    *,
    S: int,
    A: int,
    d: int,
    m: int,
    H: int,
    K: int,
    tasks: str = "iid",
    ridge: float = 1.0,
    delta: float = 0.1,
) -> Instance:
    """rho(w_j) = e_j: Appendix H of the paper made exact. Assumptions 1, 2 and 3 hold, L = 1."""
    E = rng.random((H, d, m)) ** 2
    phi, mu = simplex_features(rng, S, A, d), measures(rng, H, d, S)
    return make(phi=phi, mu=mu, rho=np.eye(m), E=E, K=K, A=A, tasks=tasks, ridge=ridge, delta=delta)


def orthonormal(rng: np.random.Generator, *, S: int, A: int, d: int, m: int, H: int, K: int, tasks: str = "iid") -> Instance:
    """rho(w_j) = the columns of a random rotation R, E_h = E R': the same rewards as `onehot`, but xi mixes all blocks."""
    R = np.linalg.qr(rng.standard_normal((m, m)))[0]
    E = (rng.random((H, d, m)) ** 2) @ R.T
    return make(phi=simplex_features(rng, S, A, d), mu=measures(rng, H, d, S), rho=R.T, E=E, K=K, A=A, tasks=tasks)


def tabular(rng: np.random.Generator, *, S: int, A: int, m: int, H: int, K: int, tasks: str = "iid") -> Instance:
    """phi = e_(s,a), d = S*A."""
    mu = rng.dirichlet(np.full(S, 0.5), size=(H, S * A))
    return make(phi=np.eye(S * A), mu=mu, rho=np.eye(m), E=rng.random((H, S * A, m)) ** 2, K=K, A=A, tasks=tasks)


def lock(rng: np.random.Generator, *, H: int, A: int, K: int, success: float = 0.95) -> Instance:
    """Combination lock with a decoy: exploration matters.

    States 0..H-1 are the positions of the lock and H is a dead end; in position i one secret action leads on with
    probability `success`, all others to the dead end. Context 0 pays 1 for opening the lock at the last step and 0.35 once
    for giving up at once; a greedy learner settles for the decoy. Context 1 pays for the dead end and is easy. S = H+1,
    d = S*A, m = 2.
    """
    S, dead = H + 1, H
    secret = rng.integers(A, size=H)
    P = np.zeros((S * A, S))
    for s in range(S):
        for a in range(A):
            row = P[s * A + a]
            if s < H - 1 and a == secret[s]:
                row[s + 1], row[dead] = success, 1.0 - success
            elif s == H - 1 and a == secret[s]:
                row[s] = 1.0
            else:
                row[dead] = 1.0
    E = np.zeros((H, S * A, 2))
    E[H - 1, (H - 1) * A + secret[H - 1], 0] = 1.0
    E[0, [a for a in range(A) if a != secret[0]], 0] = 0.35
    E[:, dead * A : (dead + 1) * A, 1] = 0.5
    mu = np.broadcast_to(P, (H, S * A, S)).copy()
    return make(phi=np.eye(S * A), mu=mu, rho=np.eye(2), E=E, K=K, A=A, tasks="fixed-start")


def mixture(rng: np.random.Generator, *, S: int, A: int, d: int, m: int, W: int, H: int, K: int) -> Instance:
    """Contexts inside the simplex spanned by the representatives: Assumption 2 fails. A negative control."""
    rho = np.vstack([np.eye(m), rng.dirichlet(np.ones(m), size=W - m)])
    E = rng.random((H, d, m)) ** 2
    return make(phi=simplex_features(rng, S, A, d), mu=measures(rng, H, d, S), rho=rho, E=E, K=K, A=A)


def tilted(
    rng: np.random.Generator, *, S: int, A: int, d: int, m: int, H: int, K: int, angle: float, alike: bool = False
) -> Instance:
    """Independent rho that are almost parallel, and unlike rewards: completeness holds, its norm bound fails, and so
    does that of eta. With rewards that are as alike as the contexts, eta and the xi of a run are within their bounds.

    rho(w_1) = e_1 and rho(w_j) = cos(angle) e_1 + sin(angle) e_j, so R^-1 has norm of order 1/sin(angle), and the xi that would
    give the program (8) the value 0 is longer than allowed. With ||eta_h|| <= sqrt(d') that happens in no run: eta and xi stretch
    alike.
    """
    rho = np.eye(m)
    rho[1:] *= np.sin(angle)
    rho[1:, 0] = np.cos(angle)
    E = rng.random((H, d, m)) ** 2
    if not alike:
        E = E @ np.linalg.inv(rho).T
    else:
        E /= np.sqrt(m)  # rewards at most 1
    return make(phi=simplex_features(rng, S, A, d), mu=measures(rng, H, d, S), rho=rho, E=E, K=K, A=A)


def appendix_h(rng: np.random.Generator, *, S: int, A: int, d: int, m: int, W: int, H: int, K: int) -> Instance:
    """The paper's recipe taken literally: eta and rho of the other contexts Gaussian.

    The paper leaves open S, A, the number and law of contexts, the initial states and the laws of phi and mu: here S and A are
    arguments, phi and mu are Dirichlet, W contexts of which the first m are representatives, both drawn uniformly.
    Assumption 1 fails (rewards leave [0, 1], ||psi|| exceeds 1) and so does Assumption 2.
    """
    rho = np.vstack([np.eye(m), rng.standard_normal((W - m, m))])
    E = rng.standard_normal((H, d, m))
    return make(phi=simplex_features(rng, S, A, d), mu=measures(rng, H, d, S), rho=rho, E=E, K=K, A=A, delta=0.01)


def rotation(
    rng: np.random.Generator,
    *,
    blocks: int,
    N: int,
    A: int,
    d: int,
    H: int,
    K: int,
    tilt: float = 0.0,
    tasks: str = "iid",
    delta: float = 0.1,
) -> Instance:
    """Many contexts with exact completeness, psi without Kronecker structure.

    A state is a block i and a position x on a circle of N points; a context w is a point of the circle. phi depends on (i, a)
    only, the transitions draw x uniformly, and psi(s,a,w) = (sqrt(d/(d+1)) phi(i,a), sqrt(1/(d+1)) q(i, a, x-w mod N)) with q in
    [0,1], so d' = d+1 however many contexts there are. Every f in F depends on (i, x-w) only; the uniform x averages it out, so
    P_h f is free of the context and linear in phi: Assumption 2 holds with ||xi|| <= H sqrt(d'), and so do Assumptions 4 and 6.
    Two representatives w = 0, 1 span psi(s,a,w) with coefficients that depend on (s,a) (Assumption 5) when q(y) and q(y-1) differ
    everywhere.

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
    delta : float
        The failure probability.
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
    mu, rho, pair = mu.reshape(H, d, blocks * N), np.empty((N, 0)), (0, 1)
    return assemble(phi, mu, rho, psi, eta, K, A, pair, coefficients, tasks, delta=delta)


def _coefficients(reward_part: Array) -> Array:
    """c_1 + c_2 = 1 and c_1 q(x) + c_2 q(x-1) = q(x-w), for every (s,a) and w; shape (S*A, W, 2)."""
    first, second = reward_part[:, 0], reward_part[:, 1]
    c = (reward_part - first[:, None]) / (second - first)[:, None]
    return np.stack([1.0 - c, c], axis=-1)
