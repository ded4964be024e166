"""Somebody's agent as an algorithm of the lifelong setting: it is told the task of each episode, and its actions are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.algorithm import Algorithm
from verifier.model.held import Held
from verifier_settings import acting
from verifier_settings.lifelong.environment import LifelongEnvironment
from verifier_settings.lifelong.instance import Public
from verifier_settings.lifelong.plan import LifelongPlan

TASK: Mapping[str, tuple[str, ...]] = {"w": ("w", "context", "task", "ctx", "task_id")}
"""Names that a parameter may have which is given the number of the context of an episode."""

SIZES: Mapping[str, tuple[str, ...]] = {
    "W": ("nw", "n_contexts", "num_contexts", "n_tasks", "num_tasks", "contexts", "tasks"),
    "rho": ("rho", "context_features", "task_features"),
    "psi": ("psi", "reward_features"),
    "dp": ("dp", "reward_dim"),
}
"""Names that parameters of a constructor may have, by what agents of this setting may be made of beside the usual."""


class ActingAgent(acting.PlayingAgent):
    """Agent that is asked for an action at each step, in the context of its episode."""

    setting: ClassVar[str] = "lifelong"
    width_names: ClassVar[tuple[str, ...]] = ("transition",)
    public: Public

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """First width of the algorithm it is held against."""
        return cls.reference.published_width(public, cls.reference.width_names[0])

    def begun(self, env: LifelongEnvironment) -> tuple[int, Mapping[str, Any]]:
        """First state, and the context."""
        state, self.context = env.begin_episode()
        return state, {"w": self.context}

    def nothing(self) -> Array:
        """Values of 0 in one context, (S, 1)."""
        return np.zeros((self.public.S, 1))

    def sizes(self, env: LifelongEnvironment) -> dict[str, Any]:
        """Arguments that a constructor may ask for, and what is public as a whole; `reward` has shape (H, S, A, W)."""
        public = self.public
        names = ("S", "A", "W", "H", "K", "T", "delta", "d", "dp", "phi", "rho", "psi", "ridge")
        reward = public.reward.reshape(public.H, public.S, public.A, public.W)
        seed = int(env.rng.integers(2**31))
        known = {name: getattr(public, name) for name in names}
        return {"rng": env.rng, "seed": seed, "reward": reward, **known, "_public": public}

    def plan(self, agent: Any) -> LifelongPlan:
        """Plan that says nothing, for the context at hand; the widths of this run are asked for."""
        H, S, A, d = self.public.H, self.public.S, self.public.A, self.public.d
        for h in range(H):
            self.width(h, self.nothing())
        here = np.array([self.context])
        gram = np.broadcast_to(self.public.ridge * np.eye(d), (H, d, d))
        Q, policy = np.zeros((H, S, A, 1)), np.zeros((H, S, 1), dtype=np.int64)
        return LifelongPlan(here, here, Q, policy, gram, np.zeros((H, d, 1)))


class Anybody(acting.Anybody):
    """Algorithm that an agent is held against as long as nobody knows what it is."""

    width_names: ClassVar[tuple[str, ...]] = ("transition",)


def held_agent(held: Held, name: str, title: str, reference: type[Algorithm] = Anybody) -> type[Algorithm]:
    """The class of an agent that is held against another algorithm.

    Raises
    ------
    UsageError
        If it shows something, or drives its environment.
    """
    acting.require_actions_alone(held, "has to be told the task of each episode")
    return type(held.factory.__name__, (ActingAgent,), acting.of_agent(held, name, title, reference))
