"""What the algorithms here have in common: one plan for each episode, played as it says."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class Episodes(Algorithm):
    """Plans when an episode has begun, and plays it; subclasses say how."""

    setting: ClassVar[str] = "episodic"
    groups: ClassVar[tuple[str, ...]] = ("reference",)
    public: Public

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """A plan for each episode."""
        for _k in range(self.public.K):
            state = env.begin_episode()
            plan = self.plan()
            yield plan
            self.play(env, plan, state)

    @abstractmethod
    def plan(self) -> EpisodicPlan:
        """The plan of the next episode."""

    @abstractmethod
    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play an episode and learn from what was seen."""

    def greedy(self, Q: Array) -> IntArray:
        """argmax_a Q_h(s,a), the first of several."""
        return Q.argmax(axis=-1)


class StepByStep(Episodes):
    """Learns from each step as soon as it has been played."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play an episode and learn from what was seen."""
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, reward = env.step(action)
            self.learn(h, state, action, reward, following)
            state = following

    @abstractmethod
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """What one step, counted from 0, adds."""


class BackwardInduction(Episodes):
    """Plans from the last step to the first, each with the values of the next one."""

    def steps(self) -> Iterable[int]:
        """The order in which steps are planned."""
        return reversed(range(self.public.H))

    def initial_values(self) -> Array:
        """V before planning; what counts is V_{H+1} = 0."""
        return np.zeros((self.public.H + 1, self.public.S))

    def target(self, V: Array, h: int) -> Array:
        """The value function of the next step."""
        return np.asarray(V[h + 1])
