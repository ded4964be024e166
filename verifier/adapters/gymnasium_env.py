"""Instances of the settings as environments of gymnasium; needs the extra `gymnasium`.

The other direction, a gymnasium environment with a transition table as an instance, is `verifier_settings.tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.base.errors import UsageError, nearest
from verifier.base.extras import install
from verifier.model.simulation import Simulation
from verifier.plugins.registry import with_setting

if TYPE_CHECKING:
    import gymnasium


def make(setting: str, instance: str, *, seed: int = 0) -> gymnasium.Env[int, int]:
    """An instance of a catalogue as an environment of gymnasium.

    Parameters
    ----------
    setting : str
        One that offers a `simulation`: ``"lifelong"``, ``"episodic"``, ``"discounted"``, ``"cvar"``, ``"factored"``, or that of
        a plugin.
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
    offered = {name: found for name, found in with_setting(setting).settings.items() if found.simulation is not None}
    if setting not in offered:
        raise UsageError(f"setting {setting!r} has no gymnasium environment. {nearest(setting, offered)}")
    found = offered[setting]
    scenario = found.scenario(instance)
    if scenario is None:
        raise UsageError(
            f"setting {setting!r} has no instance {instance!r}. {nearest(instance, [s.name for s in found.catalogue])}"
        )
    assert found.simulation is not None  # it would not be offered
    return environment(found.simulation(scenario.draw(seed)))


def environment(tables: Simulation) -> gymnasium.Env[int, int]:
    """The environment of an instance given as tables."""
    try:
        import gymnasium
    except ImportError:
        raise UsageError(f"gymnasium is not installed; run `{install('gymnasium')}`") from None

    S, W = tables.start.shape
    A = tables.P.shape[1] // S
    # Entries of the start law and of kernels may be negative by rounding.
    laws = np.maximum(tables.P, 0.0) / np.maximum(tables.P, 0.0).sum(axis=2, keepdims=True)
    start = np.maximum(tables.start, 0.0).ravel() / np.maximum(tables.start, 0.0).sum()

    class InstanceEnv(gymnasium.Env[int, int]):
        """Environment of gymnasium that simulates one instance from `np_random`."""

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
