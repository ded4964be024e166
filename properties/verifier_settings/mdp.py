"""Exact solvers for finite-horizon MDPs, for many reward functions at once.

Shapes: H steps, S states, A actions, W reward functions (contexts). A transition kernel is ``(H, S*A, S)`` with row
``s*A + a``; a reward is ``(H, S*A, W)``; values are ``(H+1, S, W)`` with the last slice zero.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray
from verifier.base.errors import InternalError


def optimal_values(P: Array, r: Array, cap: float = np.inf) -> tuple[Array, Array]:
    """Optimal values by backward induction, truncated at a cap where one is given: V_h = min(max_a Q_h, cap).

    Parameters
    ----------
    P : (H, S*A, S) array
        Transition kernel.
    r : (H, S*A, W) array
        Rewards.
    cap : float
        Of the values of every step.

    Returns
    -------
    Q : (H, S, A, W) array
    V : (H+1, S, W) array

    Raises
    ------
    InternalError
        If the Bellman equation does not hold to rounding for the result.
    """
    H, SA, S = P.shape
    W = r.shape[2]
    Q, V = np.empty((H, S, SA // S, W)), np.zeros((H + 1, S, W))
    for h in reversed(range(H)):
        Q[h] = (r[h] + P[h] @ V[h + 1]).reshape(S, SA // S, W)
        V[h] = np.minimum(Q[h].max(axis=1), cap)
    residual = np.abs(Q - (r + np.einsum("hxs,hsw->hxw", P, V[1:])).reshape(Q.shape)).max(initial=0.0)
    _require_small(residual, rounding(S, H, float(np.abs(r).max(initial=0.0))))
    return Q, V


def policy_values(P: Array, r: Array, policy: IntArray, cap: float = np.inf) -> Array:
    """Values of many deterministic policies, one per batch entry and reward function; truncated as in `optimal_values`.

    Parameters
    ----------
    P : (H, S*A, S) array
    r : (H, S*A, B, C) array
        Reward of batch entry b and column c.
    policy : (B, H, S, C) int array
        Action taken.
    cap : float
        Of the values of every step.

    Returns
    -------
    (B, H+1, S, C) array
        V^pi.
    """
    H, SA, S = P.shape
    B, C = policy.shape[0], policy.shape[3]
    if SA >= MANY * S:
        return _values_of_taken(P, r, policy, cap)
    V = np.zeros((H + 1, S, B, C))
    for h in reversed(range(H)):
        Q = (r[h] + (P[h] @ V[h + 1].reshape(S, B * C)).reshape(SA, B, C)).reshape(S, SA // S, B, C)
        chosen = policy[:, h].transpose(1, 0, 2)[:, None]
        V[h] = np.minimum(np.take_along_axis(Q, chosen, axis=1)[:, 0], cap)
    return V.transpose(2, 0, 1, 3)


MANY = 8
"""Number of actions from which on it is cheaper to look up the rows of those that are taken than to evaluate all."""


def _values_of_taken(P: Array, r: Array, policy: IntArray, cap: float) -> Array:
    """`policy_values`, from the rows of the actions taken."""
    H, SA, S = P.shape
    B, C = policy.shape[0], policy.shape[3]
    V, b, c = np.zeros((H + 1, B, C, S)), np.arange(B)[:, None, None], np.arange(C)[:, None]
    for h in reversed(range(H)):
        rows = np.arange(S) * (SA // S) + policy[:, h].transpose(0, 2, 1)
        ahead = np.matmul(P[h].take(rows, axis=0), V[h + 1][..., None])[..., 0]
        V[h] = np.minimum(r[h][rows, b, c] + ahead, cap)
    return V.transpose(1, 0, 3, 2)


def random_policy_values(P: Array, r: Array, policy: Array) -> Array:
    """Values of many policies that choose at random.

    Parameters
    ----------
    P : (H, S*A, S) array
    r : (H, S*A) array
    policy : (B, H, S, A) array
        Probabilities of the actions.

    Returns
    -------
    (B, H+1, S) array
        V^pi.
    """
    B, H, S, A = policy.shape
    V = np.zeros((B, H + 1, S))
    for h in reversed(range(H)):
        Q = (r[h] + V[:, h + 1] @ P[h].T).reshape(B, S, A)
        V[:, h] = (policy[:, h] * Q).sum(axis=2)
    return V


def backup(P: Array, V: Array) -> Array:
    """P_h V of many value functions.

    Parameters
    ----------
    P : (X, S) or (H, X, S) array
        One kernel for all steps, or one for each.
    V : (p, H, S) array
        Values after each step.

    Returns
    -------
    (p, H, X) array
    """
    if P.ndim == 2:
        return np.matmul(V, P.T)
    return np.matmul(V.transpose(1, 0, 2), P.transpose(0, 2, 1)).transpose(1, 0, 2)


def rounding(S: int, H: int, scale: float) -> float:
    """Bound on the rounding error of a backward induction: each step adds S products of size at most H times scale."""
    return 8.0 * EPS * (S + 2) * H * max(H * scale, 1.0)


def _require_small(residual: float, tolerance: float) -> None:
    if not residual <= tolerance:
        raise InternalError(f"Bellman residual of the ground truth is {residual:.1e}, expected at most {tolerance:.1e}")
