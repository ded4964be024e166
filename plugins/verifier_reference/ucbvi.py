"""UCBVI (Algorithms 1 and 2); `ucbvi_ch` and `ucbvi_bf` have the bonuses of Algorithms 3 and 4."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier.settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class UCBVI(Algorithm):
    """Optimistic value iteration on the empirical model, planned in every episode; subclasses have the bonus.

    Parameters
    ----------
    public : Public
    width : Width
    """

    paper: ClassVar[str] = "Minimax Regret Bounds for Reinforcement Learning (ICML 2017)"
    setting: ClassVar[str] = "episodic"
    groups: ClassVar[tuple[str, ...]] = ("reference",)
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.03)", "oracle")
    yields: ClassVar[frozenset[str]] = frozenset({"visits", "kernel", "bonus"})
    public: Public

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        S, A, H = public.S, public.A, public.H
        self.reward = public.reward.reshape(S, A)
        self.transitions: Array = np.zeros((S, A, S))
        self.arrivals: Array = np.zeros((H + 1, S))
        self.Q: Array = np.full((H, S, A), float(H))

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Algorithm 1: plan, then act greedily."""
        for _k in range(self.public.K):
            state = env.begin_episode()
            plan = self.plan()
            yield plan
            self.play(env, plan, state)

    def plan(self) -> EpisodicPlan:
        """Algorithm 2: value iteration on the empirical model, from the last step to the first."""
        public = self.public
        visits = self.visits()
        kernel = self.kernel(visits)
        V = self.initial_values()
        bonus = np.zeros(self.Q.shape)
        for h in self.steps():
            target = self.target(V, h)
            beta = self.width(h, target, of=self.kind)
            bonus[h] = np.where(visits > 0, beta * self.bonus(h, np.maximum(visits, 1.0), kernel, target), float(public.H))
            optimistic = self.optimistic(h, self.reward + kernel @ target, bonus[h])
            self.Q[h] = np.where(visits > 0, optimistic, self.unseen())
            V[h] = self.Q[h].max(axis=1)
        S, A = public.S, public.A
        return EpisodicPlan(
            Q=self.Q.copy(), V=V, policy=self.greedy(self.Q), visits=visits.ravel(), kernel=kernel.reshape(S * A, S),
            bonus=bonus.reshape(-1, S * A),
        )  # fmt: skip

    kind: ClassVar[str]
    """What the width is for, see `verifier.settings.episodic.session.WIDTHS`."""

    @abstractmethod
    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """The bonus of width 1 at every pair, shape (S, A); `visits` is at least 1, `following` is V_{h+1}."""

    def visits(self) -> Array:
        """N(s,a), over all steps."""
        return np.asarray(self.transitions.sum(axis=2))

    def kernel(self, visits: Array) -> Array:
        """Phat(.|s,a); zero where nothing was seen."""
        return self.transitions / np.maximum(visits, 1.0)[:, :, None]

    def steps(self) -> Iterable[int]:
        """The order in which steps are planned."""
        return reversed(range(self.public.H))

    def initial_values(self) -> Array:
        """V before planning; what counts is V_{H+1} = 0."""
        return np.zeros((self.public.H + 1, self.public.S))

    def unseen(self) -> float:
        """Q where nothing was seen."""
        return float(self.public.H)

    def target(self, V: Array, h: int) -> Array:
        """The value function of the next step."""
        return np.asarray(V[h + 1])

    def optimistic(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(Q_{k-1,h}, H, mean + bonus)."""
        return np.minimum(np.minimum(self.Q[h], float(self.public.H)), mean + bonus)

    def greedy(self, Q: Array) -> IntArray:
        """argmax_a Q_h(s,a), the first of several."""
        return Q.argmax(axis=-1)

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play an episode and count what was seen."""
        states, actions = [state], []
        for h in range(self.public.H):
            actions.append(int(plan.policy[h, states[-1]]))
            following, _reward = env.step(actions[-1])
            states.append(following)
        self.learn(states, actions)

    def learn(self, states: list[int], actions: list[int]) -> None:
        """Count the transitions of an episode, over all steps, and its states, step by step."""
        np.add.at(self.transitions, (states[:-1], actions, states[1:]), 1.0)
        self.arrivals[np.arange(len(states)), states] += 1.0
