"""Edge cases: small instances on which an implementation is likely to trip. All are linear mixtures, for both algorithms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier_settings.discounted.generators import mixed, mixture, sparse_rewards
from verifier_settings.discounted.instance import Instance


def small(
    rng: np.random.Generator, *, X: int = 3, A: int = 2, d: int = 2, gamma: float = 0.8, T: int = 300,
    reward: float | None = None, declared: float = 1.0, ridge: float = 1.0,
) -> Instance:  # fmt: skip
    """A small exact instance with one thing changed; arguments as for `families.mixture`."""
    return mixture(rng, X=X, A=A, d=d, gamma=gamma, T=T, reward=reward, declared=declared, ridge=ridge)


def absorbing(rng: np.random.Generator) -> Instance:
    """Every state is absorbing in every kernel: nothing but a reset changes the state, and phi(x,a) has one direction only."""
    X, A, d = 3, 2, 2
    kernels = np.broadcast_to(np.repeat(np.eye(X), A, axis=0), (d, X * A, X))
    return mixed(kernels, rng.dirichlet(np.ones(d)), reward=sparse_rewards(rng, X, A), start=np.full(X, 1 / X), gamma=0.8, T=300)


def zero_prior(rng: np.random.Generator) -> Instance:
    """pi_0 excludes the optimal action of the state most visited under pi*, and is uniform elsewhere.

    H(pi*||pi_0) is infinite, so Lemma 4.3 is vacuous. The action is never played and the regret grows like T, so that Theorem
    4.1, stated for any pi_0, cannot hold once T is large.
    """
    instance = small(rng, A=3)
    x = int(instance.optimal_occupancy.sum(axis=1).argmax())
    pi = np.full((instance.public.X, instance.public.A), 1.0 / instance.public.A)
    pi[x] = np.where(np.arange(instance.public.A) == instance.truth.policy[x], 0.0, 1.0 / (instance.public.A - 1))
    pi.flags.writeable = False
    return replace(instance, public=replace(instance.public, initial_policy=pi))
