"""Generators of MDPs with knapsacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.factored import RewardPart
from verifier_settings.knapsack.instance import Instance, make

COIN = np.array([0.0, 1.0])


def bernoulli(means: Array) -> RewardPart:
    """Rewards 0 or 1 of these means, one for each pair."""
    means = np.asarray(means, dtype=float)
    return RewardPart(COIN, np.stack([1.0 - means, means], axis=1))


def sure(rewards: Array | Sequence[float]) -> RewardPart:
    """Rewards without noise, one for each pair."""
    support, index = np.unique(np.asarray(rewards, dtype=float), return_inverse=True)
    return RewardPart(support, np.eye(len(support))[index])


def random(
    rng: np.random.Generator,
    *,
    S: int,
    A: int,
    H: int,
    K: int,
    budgets: Sequence[int],
    supports: Sequence[Sequence[int]],
    anywhere: bool = False,
) -> Instance:
    """Dirichlet transitions and costs, Bernoulli rewards; action 0, which ties go to, is worth little."""
    P = rng.dirichlet(np.full(S, 0.3), size=S * A)
    mean = rng.random((S, A)) ** 2
    mean[:, 0] *= 0.2 if A > 1 else 1.0
    costs = [(support, rng.dirichlet(np.full(len(support), 0.7), size=S * A)) for support in supports]
    start: Array | int = np.full(S, 1.0 / S) if anywhere else 0
    return make(P, bernoulli(mean.ravel()), costs, budgets, H=H, K=K, start=start)


def long_sums(*, H: int, K: int) -> Instance:
    """Two states, each with probability 1/2 whatever is done, and a cost that is free: sums of H K terms over two pairs.

    The reward is 0, 0.3 or 1 in one state, and always 0.3 in the other, where its empirical variance is what rounding leaves of a
    difference.
    """
    reward = RewardPart(np.array([0.0, 0.3, 1.0]), np.array([[0.3, 0.4, 0.3], [0.0, 1.0, 0.0]]))
    return make(np.full((2, 2), 0.5), reward, [((0,), np.ones((2, 1)))], (0,), H=H, K=K)


def first_example(*, K: int) -> Instance:
    """The first example of Appendix H.1, in units of 1/2: a_2 is worth more, and as often as not it ends the episode."""
    P = np.eye(3)[[1, 2, 1, 1, 2, 2]]
    law = np.array([[0, 1, 0], [0.5, 0, 0.5], *[[1, 0, 0]] * 4])
    return make(P, sure([0, 0, 0.5, 0.5, 0.8, 0.8]), [((0, 1, 2), law)], (1,), H=2, K=K, example=1)


def second_example(*, K: int, printed: bool = False) -> Instance:
    """The second example of Appendix H.1, in units of 1/2: what is best in s1 depends on what is left.

    As printed the cost of the first action is 0 or 2 units, and 2 units end the episode; repaired it is 0 or 1.
    """
    P = np.eye(4)[[1, 1, 2, 3, 2, 2, 3, 3]]
    first = [0.5, 0, 0.5] if printed else [0.5, 0.5, 0]
    law = np.array([first, first, [1, 0, 0], [0, 1, 0], *[[1, 0, 0]] * 4])
    reward = sure([0, 0, 0, 0, 0.5, 0.5, 1, 1])
    return make(P, reward, [((0, 1, 2), law)], (1,), H=3, K=K, example=0 if printed else 2)


def toll(*, steps: int, K: int, m: int = 1) -> Instance:
    """A road whose steps cost m units each, with that much for all of them: its end pays, with nothing left.

    Action 0 stays and pays a little; action 1 moves on. Whoever takes b = 0 for the end never sees the reward. The problem is the
    same for every m: only the unit is finer.
    """
    S, A = steps + 1, 2
    P, reward, law = np.zeros((S, A, S)), np.zeros((S, A)), np.zeros((S, A, 2))
    for s in range(S):
        P[s, 0, s], P[s, 1, min(s + 1, steps)] = 1.0, 1.0
        law[s, 0, 0], law[s, 1, int(s < steps)] = 1.0, 1.0
    reward[:, 0], reward[steps] = 0.05, 1.0
    cost = ((0, m), law.reshape(-1, 2))
    return make(P.reshape(-1, S), bernoulli(reward.ravel()), [cost], (steps * m,), H=steps + 1, K=K)
