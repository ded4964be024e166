"""UCRL2 (Jaksch, Ortner and Auer 2010) in episodes of H steps, with known rewards."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_reference.empirical import EmpiricalPlanning
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class UCRL2(EmpiricalPlanning):
    """The best policy of the best model in a ball of plausible ones, kept until the visits of some pair have doubled.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "ucrl2"
    title: ClassVar[str] = "UCRL2 (Figures 1 and 2, in episodes)"
    paper: ClassVar[str] = "Near-optimal Regret Bounds for Reinforcement Learning (JMLR 2010)"
    yields: ClassVar[frozenset[str]] = frozenset({"visits", "kernel", "radius", "optimistic_kernel"})
    kind: ClassVar[str] = "ball"
    width_names: ClassVar[tuple[str, ...]] = (kind,)

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.planned: Array = np.zeros((public.S, public.A))

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The radius as it is printed."""
        return 1.0

    def due(self) -> bool:
        """Figure 1: plan anew when the visits of some pair have doubled."""
        return self.doubled(self.planned, self.visits())

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play until a plan is due, and count what was seen."""
        states, actions, _rewards = env.play(plan.policy, visits=self.patience())
        self.learn(states, actions)

    def patience(self) -> Array | None:
        """(S*A,) max(1, N) of the plan in force, the visits until one is due; with another rule it is asked in every episode."""
        return np.maximum(self.planned, 1.0).ravel() if self.keeps(UCRL2, "due", "doubled", "learn") else None

    def doubled(self, before: Array, now: Array) -> bool:
        """Whether v(s,a) >= max(1, N(s,a)) at some pair, of the visits v since the last plan and N before it."""
        return bool((now - before >= np.maximum(before, 1.0)).any())

    def plan(self) -> EpisodicPlan:
        """Extended value iteration: Q_h = r + max p V_{h+1} over the kernels p in the ball, from the last step to the first."""
        S, A, H = self.public.S, self.public.A, self.public.H
        visits = self.planned = self.visits()
        kernel = self.kernel(visits)
        V = self.initial_values()
        Q, radius, best = np.empty((H, S, A)), np.empty((H, S, A)), np.empty((H, S, A, S))
        for h in self.steps():
            target = self.target(V, h)
            radius[h] = self.ball(self.width(h, target, of=self.kind), visits)
            best[h] = self.best(kernel, radius[h], self.order(h, target))
            Q[h] = self.reward + best[h] @ target
            V[h] = Q[h].max(axis=1)
        return EpisodicPlan(
            Q=Q, V=V, policy=self.greedy(Q), visits=visits.ravel(), kernel=kernel.reshape(S * A, S),
            radius=radius.reshape(H, S * A), optimistic_kernel=best.reshape(H, S * A, S),
        )  # fmt: skip

    def ball(self, width: float, visits: Array) -> Array:
        """The radius at every pair; every law is plausible where nothing was seen, and 2 is the largest distance of two."""
        return np.where(visits > 0, width * self.radius(np.maximum(visits, 1.0)), 2.0)

    def radius(self, visits: Array) -> Array:
        """Equation (4): sqrt(14 S log(2 A t / delta) / N)."""
        public = self.public
        return np.sqrt(14 * public.S * math.log(2 * public.A * self.time() / public.delta) / visits)

    def time(self) -> float:
        """The step t at which the plan is made, counted from 1."""
        return float(self.transitions.sum()) + 1.0

    def order(self, h: int, target: Array) -> IntArray:
        """States by the value of being there next, the best first."""
        return np.argsort(-target, kind="stable")

    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        """Figure 2: half the radius is added at the best state, and what is then too much is taken from the worst ones."""
        p = kernel[..., order]
        p[..., 0] = self.raised(p[..., 0], radius)
        excess = np.maximum(p.sum(axis=-1) - 1.0, 0.0)
        for i in reversed(range(1, len(order))):
            taken = np.minimum(p[..., i], excess)
            p[..., i] -= taken
            excess -= taken
        return p[..., np.argsort(order)]

    def raised(self, p: Array, radius: Array) -> Array:
        """min(1, Phat + d/2), the probability of the best state."""
        return np.minimum(1.0, p + radius / 2)
