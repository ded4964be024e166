"""Exact solvers for discounted MDPs by linear systems.

Shapes: X states, A actions. A transition kernel is ``(X*A, X)`` with row ``x*A + a``; rewards, action values and policies are
``(..., X, A)`` and may carry leading axes, e.g. one entry per epoch.
"""

from __future__ import annotations

import functools

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray
from verifier.base.errors import InternalError


def state_kernel(P: Array, policy: Array) -> Array:
    """P_pi(x, x') = sum_a pi(a|x) P(x'|x,a), shape (..., X, X), of policies (..., X, A)."""
    X, A = policy.shape[-2:]
    by_state = P.reshape(X, A, X)
    return functools.reduce(np.add, (policy[..., a, None] * by_state[:, a] for a in range(A)))  # actions are few


def state_occupancy(P: Array, policy: Array, start: Array, gamma: float) -> Array:
    """nu^pi = (1-g) (I - g P_pi')^{-1} nu_0, the normalised occupancy of states.

    Parameters
    ----------
    P : (X*A, X) array
    policy : (..., X, A) array
    start : (X,) array
        nu_0.
    gamma : float
        In (0, 1).

    Returns
    -------
    (..., X) array
        Sums to 1.

    Raises
    ------
    InternalError
        If the flow equation (1) does not hold to rounding for the result.
    """
    kernel = state_kernel(P, policy)
    X = len(start)
    flow = np.eye(X) - gamma * np.swapaxes(kernel, -1, -2)
    source = np.broadcast_to((1.0 - gamma) * start[:, None], (*kernel.shape[:-1], 1))
    nu = np.linalg.solve(flow, source)[..., 0]
    residual = np.abs(nu - gamma * np.matmul(nu[..., None, :], kernel)[..., 0, :] - (1.0 - gamma) * start)
    _require_small("flow", float(residual.max(initial=0.0)), rounding(X, gamma))
    return np.asarray(nu)


def occupancy(P: Array, policy: Array, start: Array, gamma: float) -> Array:
    """mu^pi(x, a) = nu^pi(x) pi(a|x), shape (..., X, A); arguments as in `state_occupancy`."""
    return state_occupancy(P, policy, start, gamma)[..., None] * policy


def policy_values(P: Array, reward: Array, policy: Array, gamma: float) -> Array:
    """V^pi = (I - g P_pi)^{-1} r_pi, shape (..., X), of policies (..., X, A)."""
    kernel = state_kernel(P, policy)
    earned = (policy * reward).sum(axis=-1)
    return np.asarray(np.linalg.solve(np.eye(kernel.shape[-1]) - gamma * kernel, earned[..., None])[..., 0])


def optimal(P: Array, reward: Array, gamma: float) -> tuple[Array, Array, IntArray]:
    """Optimal values and a deterministic optimal policy, by policy iteration.

    Parameters
    ----------
    P : (X*A, X) array
    reward : (X, A) array
    gamma : float
        In (0, 1).

    Returns
    -------
    Q : (X, A) array
    V : (X,) array
    policy : (X,) int array
        The first action of largest Q.

    Raises
    ------
    InternalError
        If the Bellman optimality equation does not hold to rounding for the result.
    """
    X, A = reward.shape
    policy = np.argmax(reward, axis=1)
    V = policy_values(P, reward, np.eye(A)[policy], gamma)
    while True:
        Q = reward + gamma * (P @ V).reshape(X, A)
        better = np.where(Q.max(axis=1) > Q[np.arange(X), policy], Q.argmax(axis=1), policy)
        improved = policy_values(P, reward, np.eye(A)[better], gamma)
        if not improved.sum() > V.sum():  # rounding hides what gain is left, or something is not a number
            break
        policy, V = better, improved
    _require_small("Bellman", float(np.abs(Q.max(axis=1) - V).max()), 2 * rounding(X, gamma) / (1.0 - gamma))
    return Q, V, Q.argmax(axis=1)


def rounding(X: int, gamma: float) -> float:
    """Bound on the error of an occupancy: a solve of size X (relative error 4 X^2 eps cond) and the residual's X products.

    In the 1-norm I - g P' has condition number at most (1+g)/(1-g), and the occupancy has norm 1.
    """
    return 8.0 * EPS * (X**2 + X + 2) * (1.0 + gamma) / (1.0 - gamma)


def _require_small(equation: str, residual: float, tolerance: float) -> None:
    if not residual <= tolerance:
        raise InternalError(f"{equation} residual of the ground truth is {residual:.1e}, expected at most {tolerance:.1e}")
