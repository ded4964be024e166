"""MVP, monotonic value propagation (Zhang, Ji and Du 2021, Algorithm 1), with values up to H."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_reference.episodes import BackwardInduction, StepByStep
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

C1, C2, C3 = 460 / 9, 2 * math.sqrt(2.0), 544 / 9
"""The constants of the bonus."""

Pair = tuple[int, int]
"""State and action."""


class MVP(BackwardInduction, StepByStep):
    """Optimistic value iteration on a model that changes, pair by pair, when a count reaches a power of two.

    The paper has rewards that add up to at most 1 in an episode. Here they do to at most H: r/H is its reward, Q/H its Q. What is
    asked for as a width is iota, the logarithm in the bonus.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "mvp"
    title: ClassVar[str] = "MVP, monotonic value propagation (Algorithm 1)"
    paper: ClassVar[str] = "Is Reinforcement Learning More Difficult Than Bandits? (COLT 2021)"
    handles: ClassVar[frozenset[str]] = frozenset({"noisy-rewards"})
    hidden: ClassVar[frozenset[str]] = frozenset({"reward"})
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.001)", "oracle")
    yields: ClassVar[frozenset[str]] = frozenset({"V", "visits", "kernel", "reward", "bonus"})
    kind: ClassVar[str] = "logarithm"
    width_names: ClassVar[tuple[str, ...]] = (kind,)

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        S, A = public.S, public.A
        self.counts: Array = np.zeros((S, A, S))
        self.sums: Array = np.zeros((S, A))
        self.visits: Array = np.zeros((S, A))
        self.kernel: Array = np.zeros((S, A, S))
        self.reward: Array = np.zeros((S, A))
        self.triggered = False

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """iota = log(9 S^2 A H (1 + log2 T) / delta)."""
        return math.log(9 * public.S**2 * public.A * public.H * (1 + math.log2(public.T)) / public.delta)

    def due(self) -> bool:
        """Plan anew when the model has changed."""
        return self.triggered

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play until the model changes, which it does in the last episode, and learn from what was seen."""
        states, actions, rewards = env.play(plan.policy, visits=self.patience())
        self.count(states[:-1, :-1], actions[:-1], rewards[:-1], states[:-1, 1:])
        last = states[-1, :-1], actions[-1], rewards[-1], states[-1, 1:]
        for h, step in enumerate(zip(*(seen.tolist() for seen in last), strict=True)):
            self.learn(h, *step)

    def patience(self) -> Array | None:
        """(S*A,) visits until N is 1, 2, 4, 8, ... again; with another rule it is asked in every episode."""
        N = self.counts.sum(axis=2).ravel()
        return np.ldexp(1.0, np.frexp(N)[1]) - N if self.keeps(MVP, "due", "triggers", "learn") else None

    def count(self, states: IntArray, actions: IntArray, rewards: Array, following: IntArray) -> None:
        """Count steps, arrays of any shape, at which no model changes."""
        np.add.at(self.counts, (states, actions, following), 1.0)
        np.add.at(self.sums, (states, actions), rewards)

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Count a step; the model of its pair changes when the count is 1, 2, 4, 8, ..."""
        at = (state, action)
        self.counts[state, action, following] += 1.0
        self.sums[at] += reward
        count = float(self.counts[at].sum())
        if self.triggers(count):
            self.update(at, count)
            self.triggered = True

    def triggers(self, count: float) -> bool:
        """Whether a count is a power of two."""
        return math.log2(count).is_integer()

    def update(self, at: Pair, count: float) -> None:
        """n = N, Phat = N(.) / N; rhat is the mean of the rewards since the update before, of N/2 steps or of the first one."""
        self.visits[at] = count
        self.kernel[at] = self.counts[at] / count
        self.reward[at] = self.sums[at] / self.recent(count)
        self.sums[at] = 0.0

    def recent(self, count: float) -> float:
        """Number of rewards since the update before."""
        return max(count / 2, 1.0)

    def plan(self) -> EpisodicPlan:
        """Q_h = min(rhat + Phat V_{h+1} + b_h, H), from the last step to the first."""
        S, A, H = self.public.S, self.public.A, self.public.H
        self.triggered = False
        V = self.initial_values()
        Q, bonus = np.empty((2, H, S, A))
        for h in self.steps():
            target = self.target(V, h)
            bonus[h] = np.where(self.visits > 0, self.bonus(target, self.width(h, target, of=self.kind)), float(H))
            Q[h] = self.optimistic(self.reward + self.kernel @ target, bonus[h])
            V[h] = Q[h].max(axis=1)
        return EpisodicPlan(
            Q=Q, V=V, policy=self.greedy(Q), visits=self.visits.ravel().copy(), kernel=self.kernel.reshape(S * A, S).copy(),
            reward=self.reward.ravel().copy(), bonus=bonus.reshape(H, S * A),
        )  # fmt: skip

    def bonus(self, target: Array, iota: float) -> Array:
        """c_1 sqrt(Var(Phat, V) iota / n) + c_2 sqrt(H rhat iota / n) + c_3 H iota / n; H where nothing was seen."""
        share = iota / self.counted()
        return self.spread(target, share) + self.noise(share) + self.small(share)

    def counted(self) -> Array:
        """max(n, 1)."""
        return np.maximum(self.visits, 1.0)

    def spread(self, target: Array, share: Array) -> Array:
        """The term of the empirical variance of the next value."""
        return C1 * np.sqrt(self.variance(target) * share)

    def variance(self, target: Array) -> Array:
        """Var(Phat, V); rounding makes no variance negative."""
        return np.maximum(self.kernel @ target**2 - (self.kernel @ target) ** 2, 0.0)

    def noise(self, share: Array) -> Array:
        """The term of the noise of rewards, of which H rhat bounds the variance."""
        return C2 * np.sqrt(self.public.H * np.maximum(self.reward, 0.0) * share)

    def small(self, share: Array) -> Array:
        """The term of order 1/n."""
        return C3 * self.public.H * share

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """min(mean + bonus, H)."""
        return np.minimum(mean + bonus, float(self.public.H))
