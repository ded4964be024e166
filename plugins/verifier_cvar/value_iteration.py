"""Exact value iteration on the augmented state (s, budget), in a learned model with bonuses: Lines 15-16 of Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, IntArray


def expected(following: Array, r: Array) -> Array:
    """E[following(x, (i - j)^+)] over the reward index j of law r (X, n+1); following is (X, N+1)."""
    out = r[:, :1] * following
    for j in range(1, r.shape[1]):
        weight = r[:, j, None]
        out[:, j:] += weight * following[:, : following.shape[1] - j]
        out[:, :j] += weight * following[:, :1]
    return out


def first_minimiser(Q: Array) -> IntArray:
    """The first minimising action, shape (S, N+1), of Q (S, A, N+1)."""
    return Q.argmin(axis=1)


def value_iteration(
    P: Array,
    r: Array,
    b: Array,
    levels: Array,
    minimiser: Callable[[Array], IntArray] = first_minimiser,
    mean: Callable[[Array, Array], Array] = expected,
) -> tuple[Array, IntArray]:
    """V_h(s,c) = min_a { -b_h(s,a) + E[V_{h+1}(s', (c - r_h)^+)] } with V_{H+1}(s,c) = c, and the actions that attain it.

    Parameters
    ----------
    P : (H-1, S*A, S) array
        Kernel; after the last action there is no transition.
    r : (H, S*A, n+1) array
        Probability of the reward j times the step of the grid.
    b : (H, S*A) array
        Bonuses.
    levels : (N+1,) array
        The budgets.
    minimiser : callable
        Which of several minimising actions to take.
    mean : callable
        The mean over the reward, see `expected`.

    Returns
    -------
    V : (H+1, S, N+1) array
    policy : (H, S, N+1) int array
    """
    (H, X, _), S, N = r.shape, P.shape[2], len(levels) - 1
    V = np.empty((H + 1, S, N + 1))
    policy = np.empty((H, S, N + 1), dtype=np.int64)
    V[H] = levels
    for h in reversed(range(H)):
        following = P[h] @ V[h + 1] if h < H - 1 else np.broadcast_to(V[H, 0], (X, N + 1))
        Q = (mean(following, r[h]) - b[h][:, None]).reshape(S, X // S, N + 1)
        policy[h] = minimiser(Q)
        V[h] = np.take_along_axis(Q, policy[h][:, None], axis=1)[:, 0]
    return V, policy
