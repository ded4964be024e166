"""Generators of factored MDPs.

While all optimistic values are at their cap, action 0 is played everywhere. So that an algorithm which never learns is told from
one that does, actions are numbered such that always playing 0 is bad.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import prod

import numpy as np

from verifier.base.arrays import Array
from verifier_settings import mdp
from verifier_settings.factored.instance import Factor, Instance, Part, RewardPart, Scope, make

COIN = np.array([0.0, 1.0])
LEVELS = np.array([0.0, 0.25, 1.0])
DECIMALS = np.array([0.1, 0.3, 0.7])
"""Rewards that no sum of powers of 1/2 is: a sum of them is rounded at each step."""


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
    anywhere: bool = False,
    in_turn: bool = False,
    levels: Array = LEVELS,
) -> Instance:
    """Dirichlet factors and rewards of some levels in given scopes; from state 0, from anywhere, or from all states in turn."""
    sizes = (*state_sizes, *action_sizes)
    factors = [
        (scope, rng.dirichlet(np.full(size, spread), size=_cells(sizes, scope)))
        for scope, size in zip(transition_scopes, state_sizes, strict=True)
    ]
    spreads = np.full(len(levels), spread)
    parts = [(scope, RewardPart(levels, rng.dirichlet(spreads, _cells(sizes, scope)))) for scope in reward_scopes]
    S = prod(state_sizes)
    start: Array | int = np.eye(S)[np.arange(K) % S] if in_turn else np.full(S, 1.0 / S) if anywhere else 0
    drawn = make(state_sizes, action_sizes, factors, parts, H=H, K=K, start=start)
    shift = (*np.zeros(len(state_sizes), dtype=int), *np.unravel_index(_worst_action(drawn), action_sizes))
    factors = [(scope, _renumbered(law, sizes, scope, shift)) for scope, law in factors]
    parts = [(scope, RewardPart(levels, _renumbered(part.law, sizes, scope, shift))) for scope, part in parts]
    return make(state_sizes, action_sizes, factors, parts, H=H, K=K, start=start)


def _cells(sizes: Sequence[int], scope: Scope) -> int:
    return prod(sizes[i] for i in scope)


def _worst_action(instance: Instance) -> int:
    """The flat action that it is worst to play always."""
    public, truth = instance.public, instance.truth
    always = np.broadcast_to(np.arange(public.A)[:, None, None, None], (public.A, public.H, public.S, 1))
    reward = np.broadcast_to(truth.reward[:, None, None], (public.H, public.X, public.A, 1))
    values = mdp.policy_values(truth.kernel, reward, always)[:, 0, :, 0]
    return int(np.argmin(values @ instance.start.mean(axis=0)))


def _renumbered(law: Array, sizes: Sequence[int], scope: Scope, shift: Sequence[int]) -> Array:
    """Laws by cell, with the values of each coordinate counted from that of `shift` on."""
    shaped = law.reshape(*(sizes[i] for i in scope), -1)
    for axis, i in enumerate(scope):
        shaped = np.roll(shaped, -int(shift[i]), axis=axis)
    return shaped.reshape(law.shape)


def rivers(*, n: int, s: int, H: int, K: int, idle: bool = False) -> Instance:
    """A product of n RiverSwims of s states, each with its own action and its own reward: V* varies with every factor.

    Action 0 drifts down, which always succeeds and pays a little at the lower end; action 1 swims up, which often fails and pays
    much at the upper end. With `idle` there is one part of the reward more, which depends on nothing and is always 0.
    """
    law, mean = np.zeros((s, 2, s)), np.zeros((s, 2))
    for x in range(s):
        law[x, 0, max(x - 1, 0)] = 1.0
        law[x, 1, min(x + 1, s - 1)] += 0.35
        law[x, 1, x] += 0.6
        law[x, 1, max(x - 1, 0)] += 0.05
    mean[0, 0], mean[s - 1, 1] = 0.05, 1.0
    factors, parts = _copies(n, law.reshape(2 * s, s), bernoulli(mean.ravel()))
    return make((s,) * n, (2,) * n, factors, [*parts, ((), certain(0.0))] if idle else parts, H=H, K=K)


def _copies(n: int, law: Array, part: RewardPart) -> tuple[list[Factor], list[Part]]:
    """Factors and parts of n copies, each of its own factor and its own action."""
    scopes: list[Scope] = [(j, n + j) for j in range(n)]
    return [(scope, law) for scope in scopes], [(scope, part) for scope in scopes]


def forks(*, K: int, small: float = 0.3, large: float = 0.7) -> Instance:
    """Two forks side by side with H = 2, whose gaps fall with K, so that learning is not over after K episodes.

    Action 1 leads to the branch that pays 1, action 0 misses it with probability g; the branches lead nowhere else. One fork
    has g = small K^(-1/2): its actions can hardly be told apart in K episodes, which costs sqrt(K). The other has
    g = large K^(-1/4): a bonus of the order N^(-1/2) is below it after sqrt(K) visits, which costs K^(1/4); one that does not
    fall with the visits never is, which costs K^(3/4).
    """
    factors: list[Factor] = []
    for j, gap in enumerate((small * K**-0.5, large * K**-0.25)):
        law = np.zeros((3, 2, 3))
        law[1, :, 1] = law[2, :, 2] = 1.0
        law[0, 0, 1:], law[0, 1, 2] = (gap, 1.0 - gap), 1.0
        factors.append(((j, 2 + j), law.reshape(6, 3)))
    pays = bernoulli(np.array([0.0, 0.0, 1.0]))
    return make((3, 3), (2, 2), factors, [((j,), pays) for j in range(2)], H=2, K=K)


def choices(*, n: int, K: int = 2000, small: float = 0.04, delta: float = 0.1) -> Instance:
    """n choices side by side with H = 2, with the gap at which the regret of optimism is largest: it grows like n sqrt(L K).

    Action 1 of factor j leads to the state whose part of the reward is 0.499 or 0.501, action 0 stays where it is 1/2 - g, with
    g = small n sqrt(L/K) and L = log(18 n T S A / delta). The reward is the mean of n parts, hence the n: a choice is worth g/n,
    the same for all n but for L, and a bonus c sqrt(L/N) is below it after a share of K visits that does not depend on n.
    Rewards are nearly certain, since with scaled logarithms what is drawn must be below the bonus, too.
    """
    pairs = 4**n
    gap = small * n * math.sqrt(math.log(18 * n * 2 * K * pairs / delta) / K)
    law = np.zeros((2, 2, 2))
    law[0, 0, 0] = law[0, 1, 1] = 1.0
    law[1, :, 1] = 1.0
    part = RewardPart(np.array([0.5 - gap, 0.499, 0.501]), np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]))
    factors: list[Factor] = [((j, n + j), law.reshape(4, 2)) for j in range(n)]
    return make((2,) * n, (2,) * n, factors, [((j,), part) for j in range(n)], H=2, K=K, delta=delta)


def line(*, n: int, H: int, K: int) -> Instance:
    """A production line of n machines (after Osband and Van Roy 2014): each wears out faster beside machines that are down.

    Machine i is down (0), as at first, or up (1); action 0 runs it, which pays when it is up, action 1 repairs it. It depends on
    its neighbours, on itself and on its own action.
    """
    factors: list[Factor] = []
    for i in range(n):
        beside = [j for j in (i - 1, i + 1) if 0 <= j < n]
        up = np.zeros((2,) * (len(beside) + 2))
        for state in np.ndindex(*up.shape[:-1]):
            up[(*state, 0)] = state[-1] * (0.9 - 0.2 * (len(beside) - sum(state[:-1])))
            up[(*state, 1)] = 0.95
        factors.append(((*beside, i, n + i), np.stack([1.0 - up.ravel(), up.ravel()], axis=1)))
    pays = bernoulli(np.array([0.0, 0.0, 0.9, 0.0]))
    return make((2,) * n, (2,) * n, factors, [((i, n + i), pays) for i in range(n)], H=H, K=K)


def clockwork(*, n: int, s: int, H: int, K: int) -> Instance:
    """Deterministic: wheel j of s positions turns with action 1 while the wheel before it is not at its first position.

    A wheel pays 1 at its last position. Wheel 0 turns freely.
    """
    turn = np.stack([np.eye(s), np.roll(np.eye(s), 1, axis=1)], axis=1)
    held = np.broadcast_to(turn[:, :1], turn.shape)
    behind = np.stack([held, *[turn] * (s - 1)]).reshape(2 * s * s, s)
    factors: list[Factor] = [((0, n), turn.reshape(2 * s, s)), *(((j - 1, j, n + j), behind) for j in range(1, n))]
    pays = bernoulli(np.eye(s)[-1])
    return make((s,) * n, (2,) * n, factors, [((j,), pays) for j in range(n)], H=H, K=K)


def absorbing(rng: np.random.Generator, *, H: int, K: int) -> Instance:
    """Two factors of three values; the last value of the first is never left, and nothing is paid there."""
    law, mean = rng.dirichlet(np.full(3, 0.6), size=(3, 2)), rng.random((3, 2))
    law[2], mean[2] = np.eye(3)[2], 0.0
    law[:2, 0], mean[:, 0] = [0.2, 0.2, 0.6], 0.0
    other = rng.dirichlet(np.full(3, 0.6), size=9)
    factors: list[Factor] = [((0, 2), law.reshape(6, 3)), ((0, 1), other)]
    return make((3, 3), (2,), factors, [((0, 2), bernoulli(mean.ravel()))], H=H, K=K, start=np.full(9, 1 / 9))


def long_sums(*, H: int, K: int) -> Instance:
    """Two states, each with probability 1/2 whatever is done: sums of H K terms over two cells.

    The first part of the reward is 0, 0.3 or 1 in one state, and always 0.3 in the other, where its empirical variance is what
    rounding leaves of a difference. The second is 0 or 1: its sum is exact as long as whole numbers are.
    """
    decimal = RewardPart(np.array([0.0, 0.3, 1.0]), np.array([[0.3, 0.4, 0.3], [0.0, 1.0, 0.0]]))
    parts: list[Part] = [((0,), decimal), ((0,), bernoulli(np.array([0.9, 0.8])))]
    return make((2,), (1,), [((0,), np.full((2, 2), 0.5))], parts, H=H, K=K)


def stuck(*, S: int, H: int, K: int) -> Instance:
    """Instance whose states are never left; episodes start in all of them in turn: each cell is first seen H times at once."""
    factors: list[Factor] = [((0,), np.eye(S))]
    return make((S,), (1,), factors, [((0,), bernoulli(np.arange(S) / S))], H=H, K=K, start=np.eye(S)[np.arange(K) % S])


def bandits(rng: np.random.Generator, *, n: int, arms: int, K: int) -> Instance:
    """The lower bound's bandit half: n bandits side by side, played once in each episode, whose arms pay 1 with probability 1/2.

    One arm of each is better by sqrt((arms - 1) / K) / 2; which one is drawn anew for each trial, because the bound is about the
    mean over all positions.
    """
    return replace(_bandits(rng, n, arms, K), redraw=partial(_bandits, n=n, arms=arms, K=K))


def _bandits(rng: np.random.Generator, n: int, arms: int, K: int) -> Instance:
    parts: list[Part] = []
    for i in range(n):
        mean = np.full(arms, 0.5)
        mean[rng.integers(arms)] += 0.5 * np.sqrt((arms - 1) / K)
        parts.append(((n + i,), bernoulli(mean)))
    return make((1,) * n, (arms,) * n, [((), np.ones((1, 1)))] * n, parts, H=1, K=K)


def trap(*, s: int, H: int, K: int) -> Instance:
    """Two chains of s states: action 0 falls to the bottom, which pays nothing, and climbing up pays more at each state.

    All optimistic values are tied for long, and who breaks ties by the first action earns nothing at all.
    """
    law = np.zeros((s, 2, s))
    law[:, 0, 0] = 1.0
    for x in range(s):
        law[x, 1, min(x + 1, s - 1)] += 0.8
        law[x, 1, x] += 0.2
    mean = np.stack([np.zeros(s), np.arange(s) / (s - 1)], axis=1)
    factors, parts = _copies(2, law.reshape(2 * s, s), bernoulli(mean.ravel()))
    return make((s, s), (2, 2), factors, parts, H=H, K=K)


def constant(rng: np.random.Generator, *, reward: float, H: int, K: int) -> Instance:
    """Instance with equal and certain rewards: every action is optimal, all argmax are ties."""
    factors: list[Factor] = [((0, 2), rng.dirichlet(np.full(2, 0.5), size=4)), ((1,), rng.dirichlet(np.full(2, 0.5), size=2))]
    return make((2, 2), (2,), factors, [((), certain(reward)), ((0,), certain(reward, 2))], H=H, K=K)
