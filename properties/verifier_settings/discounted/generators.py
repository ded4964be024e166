"""Generators of discounted MDPs.

A linear mixture is put together from kernels P_1, ..., P_d and weights on the simplex: psi_i(x,a,x') = P_i(x'|x,a) and theta the
weights. Rows of each P_i sum to one, so sum_x' psi(x,a,x') is the vector of ones and the largest norm in Assumption 5.3 is
sqrt(d). Scaled as in `mixture.balanced`, B = sqrt(||theta||_2 sqrt(d)): 1 for equal weights, d^(1/4) if one kernel has all.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.discounted.instance import Instance, make
from verifier_settings.discounted.mixture import balanced

Start: TypeAlias = Literal["point", "spread"]

LEFT, RIGHT = 0, 1
"""The actions of RiverSwim."""


def random(rng: np.random.Generator, *, X: int, A: int, gamma: float, T: int, start: Start = "spread") -> Instance:
    """P(.|x,a) ~ Dirichlet(0.3), half of the rewards zero; nu_0 is state 0 or Dirichlet(1)."""
    P = rng.dirichlet(np.full(X, 0.3), size=X * A)
    return make(P=P, reward=sparse_rewards(rng, X, A), start=starts(rng, X, start), gamma=gamma, T=T)


def river(*, X: int, gamma: float, T: int) -> Instance:
    """RiverSwim of any length: exploration matters.

    Against the current one stays with probability .60, advances with .35 and is thrown back with .05; at the near end .4 and
    .6 to stay and to advance, at the far end .6 and .4 to stay and to be thrown back. Swimming left always succeeds. Rewards
    are .05 for resting at the near end and 1 for swimming on at the far end, all others 0. Starts at the near end.
    """
    P = np.zeros((X, 2, X))
    for x in range(X):
        P[x, LEFT, max(x - 1, 0)] = 1.0
        back, stay, ahead = (0.0, 0.4, 0.6) if x == 0 else (0.4, 0.6, 0.0) if x == X - 1 else (0.05, 0.6, 0.35)
        for step, probability in ((-1, back), (0, stay), (1, ahead)):
            P[x, RIGHT, min(max(x + step, 0), X - 1)] += probability
    return make(P=P.reshape(2 * X, X), reward=river_rewards(X), start=point(X), gamma=gamma, T=T)


def bandit(
    *, gamma: float, T: int, rewards: tuple[float, ...] = (0.5, 1.0), initial_policy: tuple[float, ...] | None = None
) -> Instance:
    """Instance with one state: the cheapest on which the paper's own constants learn."""
    A = len(rewards)
    pi = None if initial_policy is None else np.array([initial_policy])
    return make(P=np.ones((A, 1)), reward=np.array([rewards]), start=np.ones(1), gamma=gamma, T=T, initial_policy=pi)


def tree(*, A: int, gamma: float, T: int) -> Instance:
    """Action a in state 0 leads to the absorbing state a+1, so the state records it for ever.

    Lemma A.1 holds with equality for policies that differ in state 0 only. State x pays x/A for every action, state 0 nothing.
    """
    X = A + 1
    P = np.zeros((X, A, X))
    P[0, np.arange(A), np.arange(1, X)] = 1.0
    P[np.arange(1, X), :, np.arange(1, X)] = 1.0
    reward = np.repeat(np.arange(X)[:, None] / A, A, axis=1)
    return make(P=P.reshape(X * A, X), reward=reward, start=point(X), gamma=gamma, T=T)


def absorbing(*, X: int, gamma: float, T: int, A: int = 1) -> Instance:
    """Every state is absorbing, nu_0 uniform: each first visit costs a whole epoch of bonuses.

    With A = 1, T = X H and H large the sum of the bonuses is about 0.65 sqrt(H) times the bound of Lemma 5.2 without its
    constant. Action a pays (a+1)/A in every state.
    """
    P = np.repeat(np.eye(X), A, axis=0)
    reward = np.tile(np.arange(1, A + 1) / A, (X, 1))
    return make(P=P, reward=reward, start=np.full(X, 1.0 / X), gamma=gamma, T=T)


def path(*, X: int, gamma: float, T: int, A: int = 1) -> Instance:
    """0 -> 1 -> ... -> X-1, where it ends: the longer an epoch, the more of it is new. All rewards 1."""
    return make(P=path_kernel(X, A), reward=np.ones((X, A)), start=point(X), gamma=gamma, T=T)


def path_mixture(*, X: int, gamma: float, T: int, A: int = 1, ridge: float = 0.05) -> Instance:
    """The path with a parameter for each state: d = X, theta = (1, ..., 1) before scaling, B = X^(1/4).

    What is new in a state is seen when it is first reached, which in a long epoch happens late (the step of the proof of Lemma
    5.5 that multiplies the number of such epochs by H).
    """
    P = path_kernel(X, A)
    psi = P[:, :, None] * np.repeat(np.eye(X), A, axis=0)[:, None, :]
    psi, theta, B = balanced(psi, np.ones(X))
    reward = np.ones((X, A))
    return make(P=P, reward=reward, start=point(X), gamma=gamma, T=T, psi=psi, theta=theta, B=B, ridge=ridge)


def mixture(
    rng: np.random.Generator, *, X: int, A: int, d: int, gamma: float, T: int, start: Start = "spread", rotated: bool = False,
    reward: float | None = None, declared: float = 1.0, ridge: float = 1.0,
) -> Instance:  # fmt: skip
    """Kernels with rows ~ Dirichlet(0.3), weights ~ Dirichlet(1).

    Parameters
    ----------
    rng, X, A, d, gamma, T, start
        Sizes, and how the first state is drawn.
    rotated : bool
        Replace psi by R psi and theta by R theta with a random rotation R: the same kernel and B, signs mixed.
    reward : float, optional
        The same for all pairs; half of the rewards zero by default.
    declared : float
        The declared B as a multiple of the smallest one. Below 1 Assumption 5.3 fails.
    ridge : float
        lambda.
    """
    kernels = rng.dirichlet(np.full(X, 0.3), size=(d, X * A))
    weights = rng.dirichlet(np.ones(d))
    r = sparse_rewards(rng, X, A) if reward is None else np.full((X, A), reward)
    R = np.linalg.qr(rng.standard_normal((d, d)))[0] if rotated else None
    return mixed(
        kernels, weights, reward=r, start=starts(rng, X, start), gamma=gamma, T=T, turn=R, declared=declared, ridge=ridge
    )


def river_mixture(*, X: int, gamma: float, T: int) -> Instance:
    """RiverSwim from three kernels, which stay, advance and retreat when swimming right: weights .55, .40 and .05.

    Swimming left retreats in all three. Rewards and start as in `river`. d = 3 and B = sqrt(sqrt(.465) sqrt(3)) = 1.087.
    """
    kernels = np.zeros((3, X, 2, X))
    for x in range(X):
        kernels[:, x, LEFT, max(x - 1, 0)] = 1.0
        for kernel, step in zip(kernels, (0, 1, -1), strict=True):
            kernel[x, RIGHT, min(max(x + step, 0), X - 1)] = 1.0
    weights = np.array([0.55, 0.40, 0.05])
    return mixed(kernels.reshape(3, 2 * X, X), weights, reward=river_rewards(X), start=point(X), gamma=gamma, T=T)


def doors(*, gamma: float, T: int) -> Instance:
    """Two doors and a safe place, from two kernels with weights .75 and .25: exploration matters.

    State 0, where every epoch starts, pays nothing; action 0 leads to state 1, which pays .6 for ever; actions 1 and 2 are
    doors, to state 2, which pays 1, and to state 3, which pays nothing: the first kernel opens the one, the second kernel the
    other. State 1 teaches nothing about the weights, and with equal weights a door is worth .5. d = 2 and
    B = sqrt(sqrt(.625) sqrt(2)) = 1.057.
    """
    kernels = np.zeros((2, 4, 3, 4))
    for x in range(1, 4):
        kernels[:, x, :, x] = 1.0
    kernels[:, 0, 0, 1] = 1.0
    for kernel, (good, bad) in zip(kernels, ((1, 2), (2, 1)), strict=True):
        kernel[0, good, 2] = kernel[0, bad, 3] = 1.0
    reward = np.repeat([[0.0], [0.6], [1.0], [0.0]], 3, axis=1)
    return mixed(kernels.reshape(2, 12, 4), np.array([0.75, 0.25]), reward=reward, start=point(4), gamma=gamma, T=T)


def tabular_mixture(rng: np.random.Generator, *, X: int, A: int, gamma: float, T: int) -> Instance:
    """`random` with one feature for each (x,a,x'): d = X^2 A, theta = vec(P) and B = sqrt(||P||_F sqrt(X))."""
    tables = random(rng, X=X, A=A, gamma=gamma, T=T)
    P = tables.truth.P
    psi, theta, B = balanced(np.eye(X * A * X).reshape(X * A, X, -1), P.ravel())
    return make(P=P, reward=tables.public.reward, start=tables.truth.start, gamma=gamma, T=T, psi=psi, theta=theta, B=B)


def mixed(
    kernels: Array, weights: Array, *, reward: Array, start: Array, gamma: float, T: int, turn: Array | None = None,
    declared: float = 1.0, initial_policy: Array | None = None, ridge: float = 1.0,
) -> Instance:  # fmt: skip
    """The linear mixture of given kernels, with the smallest B.

    Parameters
    ----------
    kernels : (d, X*A, X) array
        Stochastic matrices.
    weights : (d,) array
        Not negative, with sum 1.
    reward, start, gamma, T, initial_policy, ridge
        As for `make`.
    turn : (d, d) array, optional
        An orthogonal matrix that psi and theta are multiplied by.
    declared : float
        The declared B as a multiple of the smallest one.
    """
    psi, theta, B = balanced(np.moveaxis(kernels, 0, 2), weights)
    if turn is not None:
        psi, theta = psi @ turn.T, turn @ theta
    P = np.einsum("i,ixy->xy", weights, kernels)
    return make(
        P=P,
        reward=reward,
        start=start,
        gamma=gamma,
        T=T,
        psi=psi,
        theta=theta,
        B=declared * B,
        initial_policy=initial_policy,
        ridge=ridge,
    )


def sparse_rewards(rng: np.random.Generator, X: int, A: int) -> Array:
    """(X, A) rewards, uniform in [0, 1] but for half of them (rounded down), which are zero."""
    reward = rng.random(X * A)
    reward[rng.choice(X * A, size=X * A // 2, replace=False)] = 0.0
    return reward.reshape(X, A)


def starts(rng: np.random.Generator, X: int, kind: Start) -> Array:
    """(X,) nu_0: state 0, or a draw from Dirichlet(1)."""
    return point(X) if kind == "point" else rng.dirichlet(np.ones(X))


def point(X: int) -> Array:
    """(X,) nu_0 = state 0."""
    return np.eye(X)[0]


def river_rewards(X: int) -> Array:
    """(X, 2) rewards of RiverSwim."""
    reward = np.zeros((X, 2))
    reward[0, LEFT], reward[X - 1, RIGHT] = 0.05, 1.0
    return reward


def path_kernel(X: int, A: int) -> Array:
    """(X*A, X) kernel under which every action leads from x to x+1, and X-1 is absorbing."""
    return np.repeat(np.eye(X)[np.minimum(np.arange(X) + 1, X - 1)], A, axis=0)
