"""Base classes of bandit algorithms: what is kept of each arm, and policies that play the arm of largest index."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class Arms(Algorithm):
    """Number of plays and sum of rewards of each arm; a plan before each round.

    Parameters
    ----------
    public : Public
    width : Width
    """

    setting: ClassVar[str] = "episodic"
    groups: ClassVar[tuple[str, ...]] = ("bandits",)
    instances: ClassVar[tuple[str, ...]] = ("bandit-*",)
    handles: ClassVar[frozenset[str]] = frozenset({"noisy-rewards", "bandit"})
    public: Public
    rng: np.random.Generator

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.visits: Array = np.zeros(public.A)
        self.earned: Array = np.zeros(public.A)

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Plan, play an arm, learn what it paid, K times."""
        self.rng = env.rng
        while env.episode < self.public.K:
            env.begin_episode()
            plan = self.plan()
            yield plan
            self.play(env, plan)

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan) -> None:
        """Play the arm of the plan."""
        arm = int(plan.policy[0, 0])
        _state, reward = env.step(arm)
        self.learn(arm, reward)

    def learn(self, arm: int, reward: float) -> None:
        """Count the play and add what it paid."""
        self.visits[arm] += 1.0
        self.earned[arm] += reward

    @abstractmethod
    def plan(self) -> EpisodicPlan:
        """The plan of the next round."""


class IndexPolicy(Arms):
    """Plays each arm once, and from then on the arm of largest index."""

    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.1)", "oracle")
    yields: ClassVar[frozenset[str]] = frozenset({"visits", "reward"})
    kind: ClassVar[str] = "mean"
    width_names: ClassVar[tuple[str, ...]] = (kind,)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The bonus, or the level, as it is printed."""
        return 1.0

    def plan(self) -> EpisodicPlan:
        """Index of each arm, and the arm to play."""
        public, N = self.public, self.visits
        played, counted = N > 0, np.maximum(N, 1.0)
        mean = self.mean(counted)
        width = self.width(0, np.zeros(1), of=self.kind)
        index = np.where(played, self.indices(mean, width, max(N.sum(), 1.0), counted), public.high)
        arm = self.best(np.where(played, index, self.unplayed()))
        return EpisodicPlan(
            Q=index[None, None], V=np.array([[index.max()], [0.0]]), policy=np.array([[arm]]), visits=N.copy(), reward=mean
        )

    def mean(self, counted: Array) -> Array:
        """Mean reward of each arm."""
        return self.earned / counted

    def unplayed(self) -> float:
        """Index that an arm counts for that was never played."""
        return float("inf")

    def best(self, index: Array) -> int:
        """The first arm of largest index."""
        return int(index.argmax())

    @abstractmethod
    def indices(self, mean: Array, width: float, n: float, N: Array) -> Array:
        """The index of each arm after n rounds, N >= 1 of them its own; what it is of an arm never played does not matter."""


class BonusPolicy(IndexPolicy):
    """Plays each arm once, and from then on the arm whose mean reward plus bonus is largest."""

    yields: ClassVar[frozenset[str]] = frozenset({"visits", "reward", "bonus"})

    def plan(self) -> EpisodicPlan:
        """Index and bonus of each arm, and the arm to play."""
        plan = super().plan()
        return replace(plan, bonus=np.where(self.visits > 0, self.added, 0.0)[None])

    def indices(self, mean: Array, width: float, n: float, N: Array) -> Array:
        """Mean and bonus."""
        self.added = width * self.bonus(n, N)
        return mean + self.added

    @abstractmethod
    def bonus(self, n: float, N: Array) -> Array:
        """The bonus of each arm after n rounds, N >= 1 of them its own."""
