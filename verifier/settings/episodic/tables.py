"""Finite environments of gymnasium as instances: those with a transition table `P`, such as FrozenLake, CliffWalking, Taxi.

The table is read, not sampled, so the truth is exact. What an episode of a fixed number of steps cannot express is translated:

* an episode that ends (`terminated`) continues in one state more, which is never left and pays 0: returns stay what they were;
* states that cannot be reached are left out, and the others renumbered in their order;
* the horizon is the given one, or the environment's own limit of steps if that is shorter;
* rewards stay as they are. Where they leave [0, 1], the claims that assume this range are not applicable; the declared range is
  [0, 1], stretched to what the table pays.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import UsageError
from verifier.model.setting import Scenario
from verifier.settings.episodic.instance import Instance, make

PREFIX = "gym:"
HORIZON, EPISODES = 15, 60

Table = Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]]


def from_table(table: Table, start: Array, *, H: int, K: int, delta: float = 0.1) -> Instance:
    """An instance from a transition table of gymnasium.

    Parameters
    ----------
    table : mapping
        ``table[s][a]`` lists (probability, next state, reward, terminated).
    start : (S,) array
        Law of the initial state.
    H, K : int
        Steps and episodes.
    delta : float
        Failure probability.

    Returns
    -------
    Instance
        With one state more than can be reached where an episode may end; r(s,a) is the mean reward of the transition.
    """
    S, A = len(table), len(table[0])
    end = S
    P, reward = np.zeros((S + 1, A, S + 1)), np.zeros((S + 1, A))
    P[end, :, end] = 1.0
    for s in range(S):
        for a in range(A):
            for probability, following, gain, terminated in table[s][a]:
                P[s, a, end if terminated else following] += probability
                reward[s, a] += probability * gain
    law = np.append(np.asarray(start, dtype=float), 0.0)
    kept = _reachable(P, law)
    reached = P[np.ix_(kept, np.arange(A), kept)].reshape(-1, len(kept))
    return make(reached, reward[kept].ravel(), H=H, K=K, start=law[kept], delta=delta)


def _reachable(P: Array, law: Array) -> IntArray:
    """The states that can be reached from the initial ones, in their order."""
    follows = P.max(axis=1) > 0
    found = law > 0
    while (larger := found | follows[found].any(axis=0)).sum() > found.sum():
        found = larger
    return np.flatnonzero(found)


@cache
def instance_of(name: str, *, H: int = HORIZON, K: int = EPISODES) -> Instance:
    """The instance of a registered environment of gymnasium.

    Raises
    ------
    UsageError
        If gymnasium is missing, there is no such environment, it has no table, or it is too large.
    """
    try:
        import gymnasium
    except ImportError:
        raise UsageError(f"instance '{PREFIX}{name}' needs gymnasium; run: pip install 'rl-verifier[gymnasium]'") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a newer version of the environment exists is no concern of a check
            env: Any = gymnasium.make(name)
    except (gymnasium.error.Error, ImportError) as error:
        raise UsageError(f"gymnasium cannot make {name!r} ({error}); try {PREFIX}FrozenLake-v1") from None
    inner, limit = env.unwrapped, getattr(env.spec, "max_episode_steps", None)
    env.close()
    table, start = getattr(inner, "P", None), getattr(inner, "initial_state_distrib", None)
    if table is None or start is None:
        raise UsageError(
            f"environment {name!r} has no transition table `P` with `initial_state_distrib`, so its truth is not known; "
            f"expected one such as {PREFIX}FrozenLake-v1"
        )
    return from_table(table, start, H=min(H, limit or H), K=K)


def table_scenario(name: str) -> Scenario[Instance]:
    """The scenario ``gym:ENVIRONMENT``; errors as in `instance_of`."""
    instance = instance_of(name.removeprefix(PREFIX))
    description = f"transition table of {name.removeprefix(PREFIX)}, cut after {instance.public.H} steps"
    return Scenario(name, description, lambda rng: instance, share=0.0)
