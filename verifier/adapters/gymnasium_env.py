"""Instances of the settings as environments of gymnasium; needs the extra `gymnasium`.

The other direction, a gymnasium environment with a transition table as an instance, is `verifier.settings.episodic.tables`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError, nearest

if TYPE_CHECKING:
    import gymnasium

Reward = Callable[[int, int, int, np.random.Generator], float]
"""Maps step from 0, row ``s*A + a``, context and generator to a reward."""


@dataclass(frozen=True)
class Tables:
    """What is needed to simulate an instance.

    Parameters
    ----------
    P : (n, S*A, S) array
        Transition kernel, one for each step, or one for all.
    start : (S, W) array
        Joint law of initial state and context.
    reward : callable
    horizon : int or None
        Steps of an episode; None where it never ends.
    """

    P: Array
    start: Array
    reward: Reward
    horizon: int | None


def _lifelong(instance: Any) -> Tables:
    public = instance.public
    uniform = np.full((public.S, public.W), 1.0 / (public.S * public.W))
    return Tables(instance.truth.P, uniform, lambda h, row, w, rng: float(public.reward[h, row, w]), public.H)


def _episodic(instance: Any) -> Tables:
    reward = instance.truth.reward
    return Tables(instance.truth.P[None], instance.start[:, None], lambda h, row, w, rng: float(reward[row]), instance.public.H)


def _discounted(instance: Any) -> Tables:
    reward = instance.public.reward.ravel()
    start = np.asarray(instance.truth.start)[:, None]
    return Tables(instance.truth.P[None], start, lambda h, row, w, rng: float(reward[row]), None)


def _cvar(instance: Any) -> Tables:
    public = instance.public
    start = np.eye(public.S)[public.start][:, None]

    def reward(h: int, row: int, w: int, rng: np.random.Generator) -> float:
        if public.beta is None:
            law = np.maximum(public.reward[h, row], 0.0)
            return float(rng.choice(len(law), p=law / law.sum())) / public.m
        return float(rng.beta(*public.beta[h, row]))

    # Nothing follows the last reward; the state then stays what it is.
    stay = np.repeat(np.eye(public.S), public.A, axis=0)[None]
    return Tables(np.concatenate([instance.truth.P, stay]), start, reward, public.H)


TABLES: dict[str, Callable[[Any], Tables]] = {
    "lifelong": _lifelong,
    "episodic": _episodic,
    "discounted": _discounted,
    "cvar": _cvar,
}


def make(setting: str, instance: str, *, seed: int = 0) -> gymnasium.Env[int, int]:
    """An instance of a catalogue as an environment of gymnasium.

    Parameters
    ----------
    setting : {"lifelong", "episodic", "discounted", "cvar"}
    instance : str
        A name of its catalogue.
    seed : int
        Master seed the instance is drawn from, as ``--seed``.

    Returns
    -------
    gymnasium.Env
        Observations and actions are `Discrete`. In the lifelong setting the observation is ``s*W + w``, with task w and
        initial state uniform in each episode. An episode ends by truncation after H steps, in the discounted setting never.

    Raises
    ------
    UsageError
        If there is no such setting or instance, or gymnasium is missing.
    """
    from verifier.plugins.registry import registry

    if setting not in TABLES:
        raise UsageError(f"setting {setting!r} has no gymnasium environment. {nearest(setting, TABLES)}")
    found = registry().setting(setting)
    scenario = found.scenario(instance)
    if scenario is None:
        raise UsageError(
            f"setting {setting!r} has no instance {instance!r}. {nearest(instance, [s.name for s in found.catalogue])}"
        )
    return environment(TABLES[setting](scenario.draw(seed)))


def environment(tables: Tables) -> gymnasium.Env[int, int]:
    """The environment of given tables."""
    try:
        import gymnasium
    except ImportError:
        raise UsageError("gymnasium is not installed; run: pip install 'rl-verifier[gymnasium]'") from None

    S, W = tables.start.shape
    A = tables.P.shape[1] // S
    # Entries of the start law and of kernels may be negative by rounding.
    laws = np.maximum(tables.P, 0.0) / np.maximum(tables.P, 0.0).sum(axis=2, keepdims=True)
    start = np.maximum(tables.start, 0.0).ravel() / np.maximum(tables.start, 0.0).sum()

    class InstanceEnv(gymnasium.Env[int, int]):
        """One instance, simulated from `np_random`."""

        def __init__(self) -> None:
            self.observation_space: gymnasium.Space[int] = gymnasium.spaces.Discrete(S * W)  # type: ignore[assignment]  # numpy's int
            self.action_space: gymnasium.Space[int] = gymnasium.spaces.Discrete(A)  # type: ignore[assignment]  # numpy's int
            self._steps, self._state, self._context = -1, 0, 0

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
            """Start an episode."""
            super().reset(seed=seed)
            self._state, self._context = divmod(int(self.np_random.choice(S * W, p=start)), W)
            self._steps = 0
            return self._observation, {}

        def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
            """Play an action."""
            row, h = self._state * A + int(action), self._steps
            reward = tables.reward(h, row, self._context, self.np_random)
            self._state = int(self.np_random.choice(S, p=laws[min(h, len(laws) - 1), row]))
            self._steps += 1
            return self._observation, reward, False, self._steps == tables.horizon, {}

        @property
        def _observation(self) -> int:
            return self._state * W + self._context

    return InstanceEnv()
