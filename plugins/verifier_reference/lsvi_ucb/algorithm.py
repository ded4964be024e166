"""LSVI-UCB (Algorithm 1 of Jin, Yang, Wang and Jordan 2020)."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_reference.episodes import BackwardInduction, StepByStep
from verifier_settings.episodic import EpisodicPlan, Public

C = 5.5
"""The absolute constant c of beta, which the paper leaves open: large enough for its proof on all instances."""


class LSVIUCB(BackwardInduction, StepByStep):
    """Least-squares value iteration on r + V with a bonus, planned in every episode.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "lsvi-ucb"
    title: ClassVar[str] = "LSVI-UCB (Algorithm 1)"
    paper: ClassVar[str] = "Provably Efficient Reinforcement Learning with Linear Function Approximation (COLT 2020)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.03)", "oracle")
    instances: ClassVar[tuple[str, ...]] = ("*", "!much-data")
    yields: ClassVar[frozenset[str]] = frozenset({"gram", "estimate"})
    width_names: ClassVar[tuple[str, ...]] = ("regression",)
    hidden: ClassVar[frozenset[str]] = frozenset({"reward"})

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        H, d = public.H, public.d
        self.gram: Array = np.broadcast_to(public.ridge * np.eye(d), (H, d, d)).copy()
        self.rewards: Array = np.zeros((H, d))
        self.transitions: Array = np.zeros((H, d, public.S))

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem 3.1: beta = c d H sqrt(log(2 d T / p))."""
        return C * public.d * public.H * math.sqrt(math.log(2 * public.d * public.T / public.delta))

    def plan(self) -> EpisodicPlan:
        """w_h = Lambda_h^-1 sum phi [r + max_a Q_{h+1}], Q_h = min(<w_h, phi> + beta ||phi||, H), from the last step on.

        With finitely many states the sum is a matrix times V_{h+1}, so planning costs the same in every episode.
        """
        public, phi = self.public, self.public.phi
        inverse = np.linalg.inv(self.gram)
        V = self.initial_values()
        Q = np.empty((public.H, public.S, public.A))
        estimate = np.empty((public.H, public.d))
        for h in self.steps():
            target = self.target(V, h)
            beta = self.width(h, target, of="regression")
            estimate[h] = inverse[h] @ (self.rewards[h] + self.transitions[h] @ target)
            Q[h] = self.optimistic(phi @ estimate[h], beta * self.norm(phi, inverse[h])).reshape(public.S, public.A)
            V[h] = self.value(Q[h])
        return EpisodicPlan(Q=Q, V=V, policy=self.greedy(Q), gram=self.gram.copy(), estimate=estimate)

    def norm(self, phi: Array, inverse: Array) -> Array:
        """||phi(s,a)|| in the norm of Lambda^-1."""
        return np.sqrt(np.maximum((phi @ inverse * phi).sum(axis=1), 0.0))

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """min(mean + bonus, H)."""
        return np.minimum(mean + bonus, float(self.public.H))

    def value(self, Q: Array) -> Array:
        """max_a Q, from Q of shape (S, A)."""
        return np.asarray(Q.max(axis=1))

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Add one step to the data."""
        phi = self.public.phi[state * self.public.A + action]
        self.gram[h] += phi[:, None] * phi
        self.rewards[h] += phi * reward
        self.transitions[h, :, following] += phi
