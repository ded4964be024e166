"""Rewards chosen after the data, by who knows data and truth: the guarantee for a fixed reward does not cover them.

A reward is a set of pieces for each step (see `Instance.pieces`). Starting from one piece at all steps, the piece whose change
raises the goal most is added or left out, until none does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.settings.elliptical import bonus, gram_norm
from verifier.settings.reward_free.instance import Instance

Goal = Callable[[Array], Array]
"""Maps reward parameters (n, H, d) to numbers (n,)."""


def largest_error(instance: Instance, gram: Array, moments: Array) -> Goal:
    """The largest norm of (mu_h - mu-hat_h) V*_{h+1} over the steps.

    Parameters
    ----------
    instance : Instance
    gram, moments : (H, d, d) and (H, d, S) arrays
        Lambda-hat and the sums of x e_{s'} / sigma-hat^2, after the last episode.
    """
    error = instance.truth.mu - np.linalg.solve(gram, moments)

    def goal(theta: Array) -> Array:
        target = instance.optimal(theta)[1][:, 1:].transpose(1, 2, 0)
        return gram_norm(np.matmul(error, target), gram).max(axis=0)

    return goal


def largest_loss(instance: Instance, gram: Array, moments: Array, width: Array) -> Goal:
    """V*_1 - V^pi_1 from nu_0, for the policy pi that Algorithm 2 makes of these matrices with widths (H,)."""
    estimate, added = np.linalg.solve(gram, moments), width[:, None] * bonus(instance.public.phi, np.linalg.inv(gram))

    def goal(theta: Array) -> Array:
        reward = instance.reward(theta)
        policy = _optimistic(instance, np.matmul(instance.public.phi, estimate), reward + added)
        lost = instance.optimal(theta)[1][:, 0] - instance.under(policy, reward)[:, 0]
        return np.asarray(lost @ instance.start)

    return goal


def _optimistic(instance: Instance, backup: Array, gain: Array) -> Array:
    """Greedy policies (n, H, S) for backups (H, X, S) that need be no laws and gains (n, H, X), values truncated at H."""
    public, policy = instance.public, np.zeros((len(gain), instance.public.H, instance.public.S), dtype=np.int64)
    V = np.zeros((len(gain), public.S))
    for h in reversed(range(public.H)):
        Q = (gain[:, h] + V @ backup[h].T).reshape(-1, public.S, public.A)
        policy[:, h], V = Q.argmax(axis=2), np.minimum(Q.max(axis=2), public.H)
    return policy


def worst(instance: Instance, goal: Goal) -> Array:
    """The reward parameter (H, d) that is found by climbing."""
    H, n = instance.public.H, len(instance.pieces)
    moves: BoolArray = np.eye(H * n, dtype=bool).reshape(H * n, H, n)
    starts = np.broadcast_to(np.eye(n, dtype=bool)[:, None], (n, H, n))
    chosen, best = _best(starts, instance, goal)
    for _ in range(2 * H * n):
        following, value = _best(chosen ^ moves, instance, goal)
        if value <= best:
            break
        chosen, best = following, value
    return np.asarray(chosen @ instance.pieces)


def _best(sets: BoolArray, instance: Instance, goal: Goal) -> tuple[BoolArray, float]:
    values = goal(sets @ instance.pieces)
    return sets[values.argmax()], float(values.max())
