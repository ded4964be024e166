"""UCBVI (Algorithms 1 and 2); `ucbvi_ch` and `ucbvi_bf` have the bonuses of Algorithms 3 and 4."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_reference.empirical import EmpiricalPlanning
from verifier_settings.episodic import EpisodicPlan, Public


class UCBVI(EmpiricalPlanning):
    """Optimistic value iteration on the empirical model, planned in every episode; subclasses have the bonus.

    Parameters
    ----------
    public : Public
    width : Width
    """

    paper: ClassVar[str] = "Minimax Regret Bounds for Reinforcement Learning (ICML 2017)"
    yields: ClassVar[frozenset[str]] = frozenset({"visits", "kernel", "bonus"})

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        S, A, H = public.S, public.A, public.H
        self.arrivals: Array = np.zeros((H + 1, S))
        self.Q: Array = np.full((H, S, A), float(H))

    def plan(self) -> EpisodicPlan:
        """Algorithm 2: value iteration on the empirical model, from the last step to the first."""
        public = self.public
        visits = self.visits()
        kernel = self.kernel(visits)
        seen, counted = visits > 0, np.maximum(visits, 1.0)
        V = self.initial_values()
        bonus = np.zeros(self.Q.shape)
        for h in self.steps():
            target = self.target(V, h)
            beta = self.width(h, target, of=self.kind)
            bonus[h] = np.where(seen, beta * self.bonus(h, counted, kernel, target), float(public.H))
            optimistic = self.optimistic(h, self.reward + kernel @ target, bonus[h])
            self.Q[h] = np.where(seen, optimistic, self.unseen())
            V[h] = self.Q[h].max(axis=1)
        S, A = public.S, public.A
        return EpisodicPlan(
            Q=self.Q.copy(), V=V, policy=self.greedy(self.Q), visits=visits.ravel(), kernel=kernel.reshape(S * A, S),
            bonus=bonus.reshape(-1, S * A),
        )  # fmt: skip

    @abstractmethod
    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """The bonus of width 1 at every pair, shape (S, A); `visits` is at least 1, `following` is V_{h+1}."""

    def unseen(self) -> float:
        """Q where nothing was seen."""
        return float(self.public.H)

    def optimistic(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(Q_{k-1,h}, H, mean + bonus)."""
        return np.minimum(np.minimum(self.Q[h], float(self.public.H)), mean + bonus)

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Count the transitions of an episode, over all steps, and its states, step by step."""
        super().learn(states, actions)
        self.arrivals[np.arange(len(states)), states] += 1.0
