"""Optimistic Q-learning (Jin, Allen-Zhu, Bubeck and Jordan 2018); `ucb_hoeffding` and `ucb_bernstein` have the bonuses."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_reference.episodes import StepByStep
from verifier_settings.episodic import EpisodicPlan, Public

At = tuple[int, int, int]
"""Step, state and action."""


class QLearning(StepByStep):
    """Q-learning: one update for each step played, and no model; subclasses have the bonus.

    Parameters
    ----------
    public : Public
    width : Width
    """

    paper: ClassVar[str] = "Is Q-learning Provably Efficient? (NeurIPS 2018)"
    handles: ClassVar[frozenset[str]] = frozenset({"step-dependent"})
    yields: ClassVar[frozenset[str]] = frozenset({"Q", "V", "step_visits", "bonus", "rate"})
    width_names: ClassVar[tuple[str, ...]] = ("update",)

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        H, S, A = public.H, public.S, public.A
        self.Q: Array = np.full((H, S, A), self.initial())
        self.V: Array = np.zeros((H + 1, S))
        self.V[:H] = self.value(self.Q)
        self.visits: Array = np.zeros((H, S, A))
        self.bonuses: Array = np.zeros((H, S, A))
        self.rates: Array = np.zeros((H, S, A))

    def plan(self) -> EpisodicPlan:
        """The tables as they are: what an episode teaches at a step is about that step alone."""
        H = self.public.H
        return EpisodicPlan(
            Q=self.Q.copy(), V=self.V.copy(), policy=self.greedy(self.Q), step_visits=self.visits.reshape(H, -1).copy(),
            bonus=self.bonuses.reshape(H, -1).copy(), rate=self.rates.reshape(H, -1).copy(),
        )  # fmt: skip

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Q <- (1 - alpha_t) Q + alpha_t [r + V_{h+1}(x_{h+1}) + b_t], V <- min(H, max_a Q)."""
        at = (h, state, action)
        t = self.count(at)
        value = self.target(h, following)
        self.rates[at] = self.rate(t)
        self.bonuses[at] = self.bonus(at, t, value, self.width(h, of="update"))
        self.Q[at] = self.moved(self.Q[at], self.rates[at], reward + value + self.bonuses[at])
        self.V[h, state] = self.value(self.Q[h, state])

    @abstractmethod
    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """b_t, where the value of the next state is V_{h+1}(x_{h+1})."""

    def initial(self) -> float:
        """Q before anything was seen."""
        return float(self.public.H)

    def count(self, at: At) -> float:
        """t = N_h(x_h, a_h), this visit included."""
        self.visits[at] += 1.0
        return float(self.visits[at])

    def rate(self, t: float) -> float:
        """alpha_t = (H + 1) / (H + t)."""
        return (self.public.H + 1.0) / (self.public.H + t)

    def target(self, h: int, following: int) -> float:
        """V_{h+1}(x_{h+1}), which this episode has not changed yet."""
        return float(self.V[h + 1, following])

    def moved(self, Q: float, rate: float, target: float) -> float:
        """A step of this rate towards the target."""
        return (1.0 - rate) * Q + rate * target

    def value(self, Q: Array) -> Array:
        """min(H, max_a Q), over the last axis."""
        return np.minimum(float(self.public.H), Q.max(axis=-1))
