"""Generators of factored MDPs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import Array
from verifier.settings.factored.instance import Instance, RewardPart, Scope, make

COIN = np.array([0.0, 1.0])


def bernoulli(means: Array) -> RewardPart:
    """Rewards 0 or 1 of these means, one for each cell."""
    means = np.asarray(means, dtype=float)
    return RewardPart(COIN, np.stack([1.0 - means, means], axis=1))


def certain(value: float, cells: int = 1) -> RewardPart:
    """A reward that is always the same."""
    return RewardPart(np.array([value]), np.ones((cells, 1)))


def random(
    rng: np.random.Generator,
    *,
    state_sizes: Sequence[int],
    action_sizes: Sequence[int],
    transition_scopes: Sequence[Scope],
    reward_scopes: Sequence[Scope],
    H: int,
    K: int,
    spread: float = 0.3,
    start: Array | int = 0,
) -> Instance:
    """Dirichlet factors and Bernoulli rewards in given scopes."""
    sizes = (*state_sizes, *action_sizes)
    counts = [int(np.prod([sizes[i] for i in scope], dtype=int)) for scope in (*transition_scopes, *reward_scopes)]
    laws = [rng.dirichlet(np.full(size, spread), size=cells) for size, cells in zip(state_sizes, counts, strict=False)]
    parts = [bernoulli(rng.random(cells) ** 2) for cells in counts[len(laws) :]]
    scoped = zip(reward_scopes, parts, strict=True)
    factors = zip(transition_scopes, laws, strict=True)
    return make(state_sizes, action_sizes, list(factors), list(scoped), H=H, K=K, start=start)


def river(*, n: int, s: int, H: int, K: int) -> Instance:
    """A product of n RiverSwims of s states, each with its own action and its own reward: V* varies with every factor.

    Action 0 drifts down, which always succeeds and pays a little at the lower end; action 1 swims up, which often fails and pays
    much at the upper end.
    """
    law, mean = np.zeros((s, 2, s)), np.zeros((s, 2))
    for x in range(s):
        law[x, 0, max(x - 1, 0)] = 1.0
        law[x, 1, min(x + 1, s - 1)] += 0.35
        law[x, 1, x] += 0.6
        law[x, 1, max(x - 1, 0)] += 0.05
    mean[0, 0], mean[s - 1, 1] = 0.05, 1.0
    scopes: list[Scope] = [(j, n + j) for j in range(n)]
    factors = [(scope, law.reshape(2 * s, s)) for scope in scopes]
    return make((s,) * n, (2,) * n, factors, [(scope, bernoulli(mean.ravel())) for scope in scopes], H=H, K=K)
