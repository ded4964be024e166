"""Somebody's agent as an algorithm of the factored setting: it is told the parts of each reward, and its actions are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from verifier.model.algorithm import Algorithm
from verifier.model.held import Held
from verifier_settings import acting
from verifier_settings.factored.environment import FactoredEnvironment
from verifier_settings.factored.instance import Public
from verifier_settings.factored.plan import FactoredPlan

SIZES: Mapping[str, tuple[str, ...]] = {
    "state_sizes": ("state_sizes", "state_factors", "state_shape"),
    "action_sizes": ("action_sizes", "action_factors", "action_shape"),
    "transition_scopes": ("transition_scopes", "scopes"),
    "reward_scopes": ("reward_scopes",),
    "n": ("n", "n_factors"),
    "m": ("m", "n_parts", "n_rewards"),
}
"""Names that parameters of a constructor may have, by what agents of this setting may be made of beside the usual."""


class ActingAgent(acting.PlayingAgent):
    """Agent that is asked for an action at each step; states and actions are their flat numbers, a reward is its m parts."""

    setting: ClassVar[str] = "factored"
    width_names: ClassVar[tuple[str, ...]] = ("transition", "reward")
    public: Public

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """First width of the algorithm it is held against."""
        return cls.reference.published_width(public, cls.reference.width_names[0])

    def sizes(self, env: FactoredEnvironment) -> dict[str, Any]:
        """Arguments that a constructor may ask for, and what is public as a whole."""
        names = ("S", "A", "H", "K", "T", "delta", *SIZES)
        known = {name: getattr(self.public, name) for name in names}
        acting.require_known(self.held, {**known, "seed": 0, "rng": env.rng}, self.setting)
        return {"rng": env.rng, "seed": int(env.rng.integers(2**31)), **known, "_public": self.public}

    def plan(self, agent: Any) -> FactoredPlan:
        """Plan that says nothing, at which the widths of this run are asked for."""
        H, S, A = self.public.H, self.public.S, self.public.A
        for h in range(H):
            self.width(h, self.nothing())
        self.width(0, of="reward")
        return FactoredPlan(np.zeros((H, S, A)), np.zeros((H + 1, S)), np.zeros((H, S), dtype=np.int64))


class Anybody(acting.Anybody):
    """Algorithm that an agent is held against as long as nobody knows what it is."""

    width_names: ClassVar[tuple[str, ...]] = ("transition", "reward")
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.001)")


def held_agent(held: Held, name: str, title: str, reference: type[Algorithm] = Anybody) -> type[Algorithm]:
    """The class of an agent that is held against another algorithm.

    Raises
    ------
    UsageError
        If it shows something, or drives its environment.
    """
    acting.require_actions_alone(held, "has to be told the parts of each reward")
    return type(held.factory.__name__, (ActingAgent,), acting.of_agent(held, name, title, reference))
