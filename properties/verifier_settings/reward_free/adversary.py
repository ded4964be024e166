"""Rewards chosen after the data, by who knows data and truth: the guarantee for a fixed reward does not cover them.

A reward is a set of pieces for each step (see `Instance.pieces`). Starting from one piece at all steps, the piece whose change
raises the goal most is added or left out, until none does, or `ROUNDS` times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier_settings.elliptical import gram_norm
from verifier_settings.reward_free.data import Data
from verifier_settings.reward_free.instance import Instance

ROUNDS = 20

Goal = Callable[[Array], Array]
"""Maps reward parameters (n, H, d) to numbers (n,)."""


def largest_error(instance: Instance, data: Data) -> Goal:
    """The largest norm of (mu_h - mu-hat_h) V*_{h+1} over the steps, for the data after the last episode."""
    error = instance.truth.mu - data.model

    def goal(theta: Array) -> Array:
        target = instance.optimal(theta)[1][:, 1:].transpose(1, 2, 0)
        return gram_norm(np.matmul(error, target), data.gram).max(axis=0)

    return goal


def largest_loss(instance: Instance, data: Data, width: Array) -> Goal:
    """V*_1 - V^pi_1 from nu_0, for the policy pi that Algorithm 2 makes of these data with widths (H,)."""

    def goal(theta: Array) -> Array:
        reward = instance.reward(theta)
        policy = data.optimistic(reward + width[:, None] * data.norm)[0]
        lost = instance.optimal(theta)[1][:, 0] - instance.under(policy, reward)[:, 0]
        return np.asarray(lost @ instance.start)

    return goal


def worst(instance: Instance, goal: Goal) -> Array:
    """The reward parameter (H, d) that is found by climbing."""
    H, n = instance.public.H, len(instance.pieces)
    moves: BoolArray = np.eye(H * n, dtype=bool).reshape(H * n, H, n)
    starts = np.broadcast_to(np.eye(n, dtype=bool)[:, None], (n, H, n))
    chosen, best = _best(starts, instance, goal)
    for _ in range(ROUNDS):
        following, value = _best(chosen ^ moves, instance, goal)
        if value <= best:
            break
        chosen, best = following, value
    return np.asarray(chosen @ instance.pieces)


def _best(sets: BoolArray, instance: Instance, goal: Goal) -> tuple[BoolArray, float]:
    values = goal(sets @ instance.pieces)
    return sets[values.argmax()], float(values.max())
