"""Finite-horizon MDPs forward in time: another route to what the harness computes backward."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray


def occupancy(P: Array, policy: IntArray, start: int) -> Array:
    """State-action occupancy of a deterministic policy, forward in time: the second route to a policy's value.

    Parameters
    ----------
    P : (H, S*A, S) array
    policy : (H, S) int array
    start : int
        Initial state.

    Returns
    -------
    (H, S*A) array
        Probability of being at (s, a) at each step.
    """
    H, SA, S = P.shape
    A = SA // S
    mass, out = np.zeros(S), np.zeros((H, SA))
    mass[start] = 1.0
    for h in range(H):
        out[h, np.arange(S) * A + policy[h]] = mass
        mass = out[h] @ P[h]
    return out
