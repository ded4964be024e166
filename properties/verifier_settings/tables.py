"""Finite environments of gymnasium with a transition table `P`, such as FrozenLake, CliffWalking, Taxi: how they are read.

The table is read, not sampled, so the truth is exact. What an episode of a fixed number of steps cannot express is translated:

* an episode that ends (`terminated`) continues in one state more, which is never left and pays 0: returns stay what they were;
* states that cannot be reached are left out, and the others renumbered in their order;
* the horizon is the one asked for (``gym:FrozenLake-v1?H=30&K=500``), at most the environment's own limit of steps;
* rewards stay as they are. That of a step may depend on the next state in gymnasium; here it has the law it has given state and
  action, which leaves all values what they are.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import UsageError
from verifier.base.extras import install
from verifier.model.setting import InstanceT, Scenario

PREFIX = "gym:"
HORIZON, EPISODES = 15, 60

Table: TypeAlias = Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]]
"""``table[s][a]`` lists (probability, next state, reward, terminated)."""


@dataclass(frozen=True, eq=False)
class Chain:
    """A finite MDP.

    Attributes
    ----------
    P : (S*A, S) array
        Transition kernel, row ``s*A + a``.
    support : (v,) array
        All rewards there are, in increasing order; 0 is one of them.
    law : (S*A, v) array
        Their probabilities at each pair.
    start : (S,) array
        Law of the initial state.
    """

    P: Array
    support: Array
    law: Array
    start: Array


def chain(table: Table, start: Array) -> Chain:
    """The chain of a transition table; with one state more than can be reached where an episode may end.

    Parameters
    ----------
    table : Table
    start : (S,) array
        Law of the initial state.
    """
    S, A = len(table), len(table[0])
    end = S
    steps = [(s, a, *step) for s in range(S) for a in range(A) for step in table[s][a]]
    support = np.unique([0.0, *(gain for *_, gain, _ in steps)])
    P, law = np.zeros((S + 1, A, S + 1)), np.zeros((S + 1, A, len(support)))
    P[end, :, end], law[end, :, np.searchsorted(support, 0.0)] = 1.0, 1.0
    for s, a, probability, following, gain, terminated in steps:
        P[s, a, end if terminated else following] += probability
        law[s, a, np.searchsorted(support, gain)] += probability
    first = np.append(np.asarray(start, dtype=float), 0.0)
    kept = _reachable(P, first)
    reached = P[np.ix_(kept, np.arange(A), kept)].reshape(-1, len(kept))
    return Chain(reached, support, law[kept].reshape(-1, len(support)), first[kept])


def _reachable(P: Array, law: Array) -> IntArray:
    """The states that can be reached from the initial ones, in their order."""
    follows = P.max(axis=1) > 0
    found = law > 0
    while (larger := found | follows[found].any(axis=0)).sum() > found.sum():
        found = larger
    return np.flatnonzero(found)


@cache
def registered(name: str) -> tuple[Chain, int | None]:
    """The chain of a registered environment of gymnasium, and its limit of steps, if it has one.

    Raises
    ------
    UsageError
        If gymnasium is missing, there is no such environment, or it has no table.
    """
    try:
        import gymnasium
    except ImportError:
        raise UsageError(
            f"instance '{PREFIX}{name}' needs gymnasium, which is not installed; run `{install('gymnasium')}`"
        ) from None
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
    return chain(table, start), limit


@dataclass(frozen=True)
class Asked:
    """Request in the name of an instance: an environment, with a horizon and a number of episodes."""

    environment: str
    H: int | None = None
    K: int = EPISODES

    @classmethod
    def parse(cls, name: str) -> Asked:
        """Read ``gym:ENVIRONMENT?H=30&K=500``; either option may be missing.

        Raises
        ------
        UsageError
            For another option, one that is given twice, or a value that is no positive integer.
        """
        environment, _, options = name.removeprefix(PREFIX).partition("?")
        given: dict[str, int] = {}
        for option in filter(None, options.split("&")):
            key, _, value = option.partition("=")
            if key not in ("H", "K") or key in given or not re.fullmatch("[1-9][0-9]{0,8}", value):
                raise UsageError(
                    f"instance {name!r}: {option!r} is not understood; expected H (steps) and K (episodes) as positive integers, "
                    f"each once, as in '{PREFIX}{environment}?H=30&K=500'"
                )
            given[key] = int(value)
        return cls(environment, **given)


def scenario(build: Callable[..., InstanceT], name: str) -> Scenario[InstanceT]:
    """The scenario ``gym:ENVIRONMENT``, or ``gym:ENVIRONMENT?H=30&K=500``.

    Parameters
    ----------
    build : callable
        Makes an instance of a `Chain`, given `H` and `K` as well.
    name : str

    Raises
    ------
    UsageError
        As in `Asked.parse` and `registered`, if the environment ends before H steps, or if the setting has no such instance.
    """
    asked = Asked.parse(name)
    _, limit = registered(asked.environment)
    if asked.H is not None and limit is not None and limit < asked.H:
        raise UsageError(f"instance {name!r}: {asked.environment} ends after {limit} steps; expected H of at most {limit}")
    H = asked.H or min(HORIZON, limit or HORIZON)
    found = _instance(build, asked.environment, H, asked.K)
    return Scenario(name, f"transition table of {asked.environment}, cut after {H} steps", lambda rng: found, share=0.0)


@cache
def _instance(build: Callable[..., InstanceT], name: str, H: int, K: int) -> InstanceT:
    return build(registered(name)[0], H=H, K=K)
