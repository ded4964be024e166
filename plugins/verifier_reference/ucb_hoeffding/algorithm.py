"""Q-learning with UCB-Hoeffding bonuses (Algorithm 1 of Jin, Allen-Zhu, Bubeck and Jordan 2018)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier.settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

C = math.sqrt(2.0)
"""The absolute constant c of the bonus, which the paper leaves open: large enough for its proof, see `shared/q_learning`."""


class HoeffdingQLearning(Algorithm):
    """Optimistic Q-learning: no model, one update for each step played.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "ucb-hoeffding"
    title: ClassVar[str] = "Q-learning with UCB-Hoeffding (Algorithm 1)"
    paper: ClassVar[str] = "Is Q-learning Provably Efficient? (NeurIPS 2018)"
    setting: ClassVar[str] = "episodic"
    groups: ClassVar[tuple[str, ...]] = ("reference",)
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.03)", "oracle")
    handles: ClassVar[frozenset[str]] = frozenset({"step-dependent"})
    yields: ClassVar[frozenset[str]] = frozenset({"Q", "V", "step_visits", "bonus", "rate"})
    width_names: ClassVar[tuple[str, ...]] = ("update",)
    public: Public

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        H, S, A = public.H, public.S, public.A
        self.Q: Array = np.full((H, S, A), self.initial())
        self.V: Array = np.zeros((H + 1, S))
        self.V[:H] = self.value(self.Q)
        self.visits: Array = np.zeros((H, S, A))
        self.bonuses: Array = np.zeros((H, S, A))
        self.rates: Array = np.zeros((H, S, A))

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """c sqrt(H^3 iota) with iota = log(S A T / p); Lemma 4.3 has b_t = c sqrt(H^3 iota / t)."""
        return C * math.sqrt(public.H**3 * math.log(public.S * public.A * public.T / public.delta))

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """An episode is played by the Q at its start: what it learns at a step is about that step alone."""
        for _k in range(self.public.K):
            state = env.begin_episode()
            plan = self.plan()
            yield plan
            self.play(env, plan, state)

    def plan(self) -> EpisodicPlan:
        """The tables as they are."""
        H = self.public.H
        return EpisodicPlan(
            Q=self.Q.copy(), V=self.V.copy(), policy=self.greedy(self.Q), step_visits=self.visits.reshape(H, -1).copy(),
            bonus=self.bonuses.reshape(H, -1).copy(), rate=self.rates.reshape(H, -1).copy(),
        )  # fmt: skip

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Lines 4 to 8."""
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, reward = env.step(action)
            self.update(h, state, action, reward, following)
            state = following

    def update(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Lines 6 to 8: Q <- (1 - alpha_t) Q + alpha_t [r + V_{h+1}(x_{h+1}) + b_t], V <- min(H, max_a Q)."""
        at = (h, state, action)
        t = self.count(at)
        self.bonuses[at] = self.bonus(self.width(h, of="update"), t)
        self.rates[at] = self.rate(t)
        self.Q[at] = self.moved(self.Q[at], self.rates[at], reward + self.target(h, following) + self.bonuses[at])
        self.V[h, state] = self.value(self.Q[h, state])

    def initial(self) -> float:
        """Q before anything was seen."""
        return float(self.public.H)

    def count(self, at: tuple[int, int, int]) -> float:
        """t = N_h(x_h, a_h), this visit included."""
        self.visits[at] += 1.0
        return float(self.visits[at])

    def rate(self, t: float) -> float:
        """alpha_t = (H + 1) / (H + t)."""
        return (self.public.H + 1.0) / (self.public.H + t)

    def bonus(self, width: float, t: float) -> float:
        """b_t = width / sqrt(t)."""
        return width / math.sqrt(t)

    def target(self, h: int, following: int) -> float:
        """V_{h+1}(x_{h+1}), which this episode has not changed yet."""
        return float(self.V[h + 1, following])

    def moved(self, Q: float, rate: float, target: float) -> float:
        """A step of this rate towards the target."""
        return (1.0 - rate) * Q + rate * target

    def value(self, Q: Array) -> Array:
        """min(H, max_a Q), over the last axis."""
        return np.minimum(float(self.public.H), Q.max(axis=-1))

    def greedy(self, Q: Array) -> IntArray:
        """argmax_a Q_h(x,a), the first of several."""
        return Q.argmax(axis=-1)
