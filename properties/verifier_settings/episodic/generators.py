"""Generators of episodic MDPs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.episodic.instance import Instance, Prior, make
from verifier_settings.episodic.rewards import RewardLaw, RewardTable, bernoulli


def random(
    rng: np.random.Generator,
    *,
    S: int,
    A: int,
    H: int,
    K: int,
    low: float = 0.0,
    high: float = 1.0,
    spread: float = 0.4,
    anywhere: bool = False,
    first: int = 0,
    epsilon: float = 0.0,
) -> Instance:
    """Dirichlet transitions and rewards that fill [low, high]; from the state `first`, or from anywhere."""
    P = rng.dirichlet(np.full(S, spread), size=S * A)
    reward = low + (high - low) * rng.random(S * A) ** 2
    start: Array | int = np.full(S, 1.0 / S) if anywhere else first
    return make(P, reward, H=H, K=K, start=start, span=(low, high), epsilon=epsilon)


def stages(rng: np.random.Generator, *, S: int, A: int, H: int, K: int, spread: float = 0.4, epsilon: float = 0.0) -> Instance:
    """Dirichlet transitions and rewards in [0, 1], others at each step."""
    P = rng.dirichlet(np.full(S, spread), size=(H, S * A))
    return make(P, rng.random((H, S * A)) ** 2, H=H, K=K, epsilon=epsilon)


def coins(rng: np.random.Generator, *, S: int, A: int, H: int, K: int, stages: bool = False) -> Instance:
    """Dirichlet transitions and rewards of 0 or 1; others at each step where there are stages."""
    steps = (H,) if stages else ()
    P, chance = rng.dirichlet(np.full(S, 0.4), size=(*steps, S * A)), rng.random((*steps, S * A)) ** 2
    return make(P, bernoulli(chance), H=H, K=K)


def sparse(rng: np.random.Generator, *, S: int, A: int, H: int, K: int, chance: float) -> Instance:
    """Dirichlet transitions; one pair of four pays, and then 1 with a small probability and 0 otherwise."""
    P, pays = rng.dirichlet(np.full(S, 0.4), size=S * A), np.zeros(S * A)
    pays[rng.choice(S * A, size=max(1, S * A // 4), replace=False)] = chance
    return make(P, bernoulli(pays), H=H, K=K)


def graded(rng: np.random.Generator, *, S: int, A: int, H: int, K: int, low: float, high: float) -> Instance:
    """Dirichlet transitions and rewards of five values that fill [low, high]; Dirichlet laws, too."""
    law = RewardLaw(np.linspace(low, high, 5), rng.dirichlet(np.full(5, 0.5), size=S * A))
    return make(rng.dirichlet(np.full(S, 0.4), size=S * A), law, H=H, K=K, span=(low, high))


def switch(*, H: int, K: int, success: float = 0.9) -> Instance:
    """Two states, the second of which pays 1: action 0 leads there at odd steps, action 1 at even ones.

    Counts that are pooled mix the two, and see a law that is that of no step.
    """
    P = np.empty((H, 2, 2, 2))
    for h in range(H):
        P[h, :, h % 2, 1], P[h, :, 1 - h % 2, 1] = success, 1.0 - success
    P[..., 0] = 1.0 - P[..., 1]
    return make(P.reshape(H, 4, 2), np.array([0.0, 0.0, 1.0, 1.0]), H=H, K=K)


def fork(*, K: int, success: float = 0.9, epsilon: float = 0.0) -> Instance:
    """Two steps, two states, two actions: an action leads to the state of its number, mostly; the second state pays 1.

    Who knows nothing of the transitions loses up to 1, with rewards in [0, 1] at one of the states.
    """
    P = np.tile(np.array([[success, 1.0 - success], [1.0 - success, success]]), (2, 1))
    return make(P, np.array([0.0, 0.0, 1.0, 1.0]), H=2, K=K, epsilon=epsilon)


def linear(rng: np.random.Generator, *, S: int, A: int, d: int, H: int, K: int) -> Instance:
    """Features in the d-simplex, some of them unit vectors: a linear MDP with d < S*A; all norm bounds hold."""
    phi = rng.dirichlet(np.full(d, 0.25), size=S * A)
    phi[rng.choice(S * A, size=d, replace=False)] = np.eye(d)
    mu = rng.dirichlet(np.full(S, 0.3), size=d)
    return make(phi @ mu, phi @ rng.random(d) ** 2, H=H, K=K, start=np.full(S, 1.0 / S), phi=phi, mu=mu)


def lock(rng: np.random.Generator, *, H: int, A: int, K: int, success: float = 0.95) -> Instance:
    """Combination lock with a decoy: exploration matters.

    States 0..H-1 are the positions of the lock and H is a dead end; in position i one secret action leads on with probability
    `success`, all others to the dead end. The last position pays 1 for its secret action; giving up at once pays 0.35 once.
    """
    S, dead = H + 1, H
    secret = rng.integers(A, size=H)
    P, reward = np.zeros((S, A, S)), np.zeros((S, A))
    P[:, :, dead] = 1.0
    for i in range(H - 1):
        P[i, secret[i]] = 0.0
        P[i, secret[i], [i + 1, dead]] = success, 1.0 - success
    reward[H - 1, secret[H - 1]] = 1.0
    reward[0] = 0.35
    reward[0, secret[0]] = 0.0
    return make(P.reshape(S * A, S), reward.ravel(), H=H, K=K)


def river(*, S: int, H: int, K: int) -> Instance:
    """RiverSwim: a small reward downstream, a large one upstream, where swimming often fails."""
    P, reward = np.zeros((S, 2, S)), np.zeros((S, 2))
    for s in range(S):
        P[s, 0, max(s - 1, 0)] = 1.0
        P[s, 1, min(s + 1, S - 1)] += 0.35
        P[s, 1, s] += 0.6
        P[s, 1, max(s - 1, 0)] += 0.05
    reward[0, 0], reward[S - 1, 1] = 0.05, 1.0
    return make(P.reshape(2 * S, S), reward.ravel(), H=H, K=K)


def jackpot(*, H: int, A: int, K: int, chance: float) -> Instance:
    """Rare rewards: every action leads with a small probability to a state that pays 1 from then on, else nothing happens."""
    P, reward = np.zeros((2, A, 2)), np.zeros((2, A))
    P[0] = 1.0 - chance, chance
    P[1, :, 1] = 1.0
    reward[1] = 1.0
    return make(P.reshape(2 * A, 2), reward.ravel(), H=H, K=K)


def gamble(*, H: int, A: int, K: int, chance: float, safe: float, rare: float = 1.0) -> Instance:
    """Instance with one choice an episode: action 0 pays `safe` at each later step, others 1 with probability `chance`.

    States: the choice, the safe one, won, lost. The value of winning has the standard deviation H sqrt(chance (1 - chance)).
    Where the choice is rare, episodes begin there with that probability and otherwise in one of the three states after it, so
    that these are known well when it has been made a few times: nothing but its own bonus covers what is not known of it.
    """
    choice, sure, won, lost = range(4)
    P, reward = np.zeros((4, A, 4)), np.zeros((4, A))
    P[choice, 0, sure] = 1.0
    P[choice, 1:, won], P[choice, 1:, lost] = chance, 1.0 - chance
    for state, pay in ((sure, safe), (won, 1.0), (lost, 0.0)):
        P[state, :, state], reward[state] = 1.0, pay
    start = np.array([rare, *((1.0 - rare) / 3,) * 3])
    return make(P.reshape(4 * A, 4), reward.ravel(), H=H, K=K, start=start)


def coin(*, H: int, K: int, delta: float) -> Instance:
    """Two states, each with probability 1/2 whatever is done; the second pays 1. There is nothing to decide, only to learn."""
    return make(np.full((2, 2), 0.5), np.array([0.0, 1.0]), H=H, K=K, delta=delta)


def long_sums(*, H: int, K: int, noise: bool) -> Instance:
    """Two states, each with probability 1/2 whatever is done: sums of H K terms over two pairs.

    Rewards are 0.3 and 0.9, or in one state 0, 0.3 or 1, and in the other 0.3 or 1: a sum of them is rounded at each step.
    """
    law = RewardLaw(np.array([0.0, 0.3, 1.0]), np.array([[0.3, 0.4, 0.3], [0.0, 0.1, 0.9]]))
    return make(np.full((2, 2), 0.5), law if noise else np.array([0.3, 0.9]), H=H, K=K)


def funnel(*, worth: float, K: int) -> Instance:
    """Two steps: every action of the first state leads to the second, where the first action pays and the other does not."""
    return make(np.tile([0.0, 1.0], (4, 1)), np.array([0.0, 0.0, worth, 0.0]), H=2, K=K)


def arms(*, rewards: tuple[float, ...], H: int, K: int) -> Instance:
    """Instance with one state: a bandit without noise."""
    return make(np.ones((len(rewards), 1)), np.array(rewards), H=H, K=K)


def bandit(*, law: RewardLaw, K: int, span: tuple[float, float] | None = None) -> Instance:
    """One state, and an arm for each row of the law of rewards; agents are not told the means."""
    return make(np.ones((len(law.law), 1)), law, H=1, K=K, span=span, bandit=True)


def adversary(*, rounds: Array) -> Instance:
    """Bandit with a reward for each round and arm (K, A), all fixed before the run."""
    table = RewardTable(rounds)
    return make(np.ones((rounds.shape[1], 1)), table, H=1, K=len(rounds), bandit=True)


def constant_rewards(*, rewards: tuple[float, ...], K: int) -> Instance:
    """Adversary whose arms pay the same in every round."""
    return adversary(rounds=np.tile(np.array(rewards), (K, 1)))


def switching(*, K: int, pays: tuple[tuple[float, ...], ...]) -> Instance:
    """Adversary that changes the rewards of its arms between stretches of equal length, of which each has a row."""
    return adversary(rounds=np.array(pays)[np.arange(K) * len(pays) // K])


def near_arms(rng: np.random.Generator, *, A: int, K: int) -> Instance:
    """Adversary of lower bounds: fair coins, thrown before the run, and one arm whose coin is better by sqrt(A / K) / 4."""
    means = np.full(A, 0.5)
    means[rng.integers(A)] += np.sqrt(A / K) / 4
    return adversary(rounds=(rng.random((K, A)) < means).astype(float))


def graded_rewards(rng: np.random.Generator, *, A: int, K: int) -> Instance:
    """Adversary with rewards of 0, 1/4, 1/2, 3/4 or 1, without any order."""
    return adversary(rounds=rng.integers(5, size=(K, A)) / 4)


def linear_bandit(
    *,
    phi: Array,
    theta: Array,
    K: int,
    S: int = 1,
    law: Callable[[Array], RewardLaw] = bernoulli,
    ridge: float = 1.0,
    delta: float = 0.1,
    B: float | None = None,
) -> Instance:
    """Linear bandit: a state drawn uniformly in each round, and rewards whose means are phi theta.

    Parameters
    ----------
    phi : (S*A, d) array
        Features.
    theta : (d,) array
        Reward parameter.
    K, S : int
        Rounds and states.
    law : callable
        Law of rewards with the means (S*A,) that it is given; 0 or 1 by default.
    ridge, delta : float
        Regulariser and failure probability.
    B : float, optional
        Declared bound of the norm of theta.
    """
    start, means = np.full(S, 1.0 / S), np.clip(phi @ theta, 0.0, 1.0)  # of rounding alone may a mean leave [0, 1]
    return make(
        np.full((len(phi), S), 1.0 / S), law(means), H=1, K=K, start=start, phi=phi, ridge=ridge, delta=delta, B=B, bandit=True
    )


def signed_bandit(rng: np.random.Generator, *, S: int, A: int, d: int, K: int, **constants: Any) -> Instance:
    """Linear bandit with features in all directions: x = (1, u) / sqrt(2), theta = (1, v) / sqrt(2), ||u||, ||v|| <= 1.

    Means (1 + <u, v>) / 2 are in [0, 1], and both norms are at most 1.
    """
    u, v = rng.normal(size=(S * A, d - 1)), rng.normal(size=d - 1)
    u *= (rng.random(S * A) / np.maximum(1e-12, np.linalg.norm(u, axis=1)))[:, None]
    v /= max(1e-12, float(np.linalg.norm(v)))
    phi = np.hstack([np.ones((S * A, 1)), u]) / np.sqrt(2)
    return linear_bandit(phi=phi, theta=np.append(1.0, v) / np.sqrt(2), K=K, S=S, **constants)


def constant(rng: np.random.Generator, *, S: int, A: int, H: int, K: int, reward: float) -> Instance:
    """Instance with equal rewards: every action is optimal, all argmax are ties."""
    return make(rng.dirichlet(np.full(S, 0.5), size=S * A), np.full(S * A, reward), H=H, K=K)


def cycle(*, S: int, H: int, K: int) -> Instance:
    """Deterministic: action 0 goes round, action 1 stays; only the last state pays."""
    P, reward = np.zeros((S, 2, S)), np.zeros((S, 2))
    P[np.arange(S), 0, (np.arange(S) + 1) % S] = 1.0
    P[np.arange(S), 1, np.arange(S)] = 1.0
    reward[S - 1, 1] = 1.0
    return make(P.reshape(2 * S, S), reward.ravel(), H=H, K=K)


def absorbing(rng: np.random.Generator, *, S: int, A: int, H: int, K: int) -> Instance:
    """The last state is absorbing and pays nothing: how an episode that ends early is written with a fixed horizon."""
    P, reward = rng.dirichlet(np.full(S, 0.6), size=S * A), rng.random(S * A)
    P[-A:] = np.eye(S)[-1]
    reward[-A:] = 0.0
    return make(P, reward, H=H, K=K)


def from_prior(*, S: int, A: int, H: int, K: int, concentration: float = 1.0) -> Instance:
    """Transitions drawn for each trial, rows from a Dirichlet law; the last action pays, the more the later the state is.

    Before anything is drawn the rows are uniform, the mean of the law.
    """
    reward = np.zeros((S, A))
    reward[:, -1] = np.linspace(0.5, 1.0, S)
    base = make(np.full((S * A, S), 1.0 / S), reward.ravel(), H=H, K=K)
    return replace(base, redraw=Prior(concentration))


# Linear mixtures --------------------------------------------------------------------------------------------------------


def mixed(
    base: Array, weights: Array, reward: Array, *, H: int, K: int, start: Array | int = 0, B: float | None = None,
    span: tuple[float, float] | None = None, ridge: float = 1.0, delta: float = 0.1,
) -> Instance:  # fmt: skip
    """The linear mixture of base kernels (m, S*A, S) that agents know, with coefficients that they do not know."""
    P = np.tensordot(weights, base, axes=1)
    return make(P, reward, H=H, K=K, start=start, span=span, base=base, weights=weights, B=B, ridge=ridge, delta=delta)


def mixture(
    rng: np.random.Generator, *, S: int, A: int, m: int, H: int, K: int, low: float = 0.0, high: float = 1.0,
    anywhere: bool = False, **further: float,
) -> Instance:  # fmt: skip
    """Dirichlet kernels and coefficients, rewards that fill [low, high]."""
    base = rng.dirichlet(np.full(S, 0.3), size=(m, S * A))
    reward = low + (high - low) * rng.random(S * A) ** 2
    start: Array | int = np.full(S, 1.0 / S) if anywhere else 0
    return mixed(base, rng.dirichlet(np.ones(m)), reward, H=H, K=K, start=start, span=(low, high), **further)


def signed_mixture(rng: np.random.Generator, *, S: int, A: int, H: int, K: int) -> Instance:
    """P = 3/2 P_1 - 1/2 P_2, where P_1 is half P_2 and half something else: a coefficient that is negative, and B above 1."""
    second = rng.dirichlet(np.full(S, 0.3), size=S * A)
    base = np.stack([(second + rng.dirichlet(np.full(S, 0.3), size=S * A)) / 2, second])
    return mixed(base, np.array([1.5, -0.5]), rng.random(S * A) ** 2, H=H, K=K)


def copied_mixture(rng: np.random.Generator, *, S: int, A: int, H: int, K: int) -> Instance:
    """Instance with the same base kernel twice: coefficients that nothing can tell apart."""
    base = np.repeat(rng.dirichlet(np.full(S, 0.3), size=(1, S * A)), 2, axis=0)
    return mixed(base, np.array([0.25, 0.75]), rng.random(S * A) ** 2, H=H, K=K)


def mixture_lock(*, H: int, K: int, weights: tuple[float, float, float] = (0.5, 0.1, 0.4)) -> Instance:
    """A lock with two keys, of which it is to be learnt how often they work: exploration matters.

    In position i of H a key leads on, or to a dead end. Under the base kernels 1 and 2 the first key works, under 1 and 3 the
    second, so that by default they work with probabilities 0.6 and 0.9. Opening the last position pays 1, giving up at once pays
    0.35.
    """
    S, A, dead = H + 1, 3, H
    works = ((0, 0), (0, 1), (1, 0), (2, 1))
    base, reward = np.zeros((3, S, A, S)), np.zeros((S, A))
    base[..., dead] = 1.0
    for i in range(H - 1):
        for kernel, key in works:
            base[kernel, i, key] = np.eye(S)[i + 1]
    reward[H - 1, :2], reward[0, 2] = 1.0, 0.35
    return mixed(base.reshape(3, S * A, S), np.array(weights), reward.ravel(), H=H, K=K)


def mixture_fork(*, H: int, K: int, success: float = 0.8) -> Instance:
    """Instance in which action 1 of state 0 pays 1 and mostly leads to 1, while action 0 pays nothing and leads nowhere.

    How often is to be learnt. Nearly all that can be earned can be lost, so that large bounds of the regret mean something.
    """
    base, reward = np.zeros((2, 3, 2, 3)), np.array([[0.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    base[:, 0, 0, 1] = base[0, 0, 1, 2] = base[1, 0, 1, 1] = base[:, 1, :, 1] = base[:, 2, :, 2] = 1.0
    return mixed(base.reshape(2, 6, 3), np.array([success, 1.0 - success]), reward.ravel(), H=H, K=K)
