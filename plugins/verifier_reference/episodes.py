"""Base classes of the algorithms here: plans for episodes, played as they say."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class Episodes(Algorithm):
    """Plans when an episode has begun, and plays it; subclasses say how."""

    setting: ClassVar[str] = "episodic"
    groups: ClassVar[tuple[str, ...]] = ("reference",)
    public: Public

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Plan where that is due, then play."""
        plan = None
        while env.episode < self.public.K:
            state = env.begin_episode()
            if plan is None or self.due():
                plan = self.plan()
                yield plan
            self.play(env, plan, state)

    def due(self) -> bool:
        """Whether the episode gets a plan of its own; the first one does."""
        return True

    def keeps(self, algorithm: type[Episodes], *rule: str) -> bool:
        """Whether the methods that decide when a plan is due are those of the algorithm, not of a subclass with another rule."""
        return all(getattr(type(self), name) is getattr(algorithm, name) for name in rule)

    @abstractmethod
    def plan(self) -> EpisodicPlan:
        """The plan of the next episode, and of those after it until one is due."""

    @abstractmethod
    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play an episode, or those in which the plan stays in force, and learn from what was seen."""

    def greedy(self, Q: Array) -> IntArray:
        """argmax_a Q_h(s,a), the first of several."""
        return Q.argmax(axis=-1)


class EpisodeByEpisode(Episodes):
    """Learns from each episode as soon as it has been played."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play an episode and learn from what was seen."""
        states, actions = [state], []
        for h in range(self.public.H):
            actions.append(int(plan.policy[h, states[-1]]))
            following, _reward = env.step(actions[-1])
            states.append(following)
        self.learn(np.array(states), np.array(actions))

    @abstractmethod
    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Learn from the states (H+1,) and actions (H,) of an episode."""


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
        """Learn one step, counted from 0."""


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
