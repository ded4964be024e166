"""Families of instances of the CVaR setting whose size varies."""

from __future__ import annotations

import numpy as np

from verifier.base.errors import UsageError
from verifier.model.setting import Family
from verifier.settings.cvar import generators
from verifier.settings.cvar.instance import Instance

STEPS = 60
"""Rewards of `grid-steps` are multiples of 1/60, which many grids divide."""


def _bait(rng: np.random.Generator, K: int) -> Instance:
    return generators.lock(rng, H=5, A=4, K=K)


def _low_rank(rng: np.random.Generator, K: int) -> Instance:
    return generators.random(rng, S=6, A=3, d=2, H=4, m=2, size=30, K=K, tau=0.3)


def _tails(rng: np.random.Generator, n: int) -> Instance:
    return generators.lock(rng, H=5, A=4, K=300, tau=1.0 / n, success=1.0)


def _grid_steps(rng: np.random.Generator, n: int) -> Instance:
    if STEPS % n:
        raise UsageError(f"grid-steps[n={n}]: the step 1/{n} is no multiple of 1/{STEPS}; give a divisor of {STEPS}")
    return generators.near_ties(H=2, m=STEPS, q=STEPS // n, K=1, tau=0.3, T1=60, T2=2)


FAMILIES: tuple[Family[Instance], ...] = (
    Family("bait", "combination lock with a bait, H = 5, A = 4; exploration matters", "K", "iterations", _bait),
    Family("low-rank", "random low-rank MDP, decoys near and far", "K", "iterations", _low_rank),
    Family("tails", "the lock that always opens, K = 300, risk level tau = 1/n", "n", "1/tau", _tails),
    Family("grid-steps", "arms that tie when rewards are rounded up to multiples of 1/n, H = 2", "n", "1/upsilon", _grid_steps),
)
