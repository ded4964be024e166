"""Base of all algorithms of the paper: the protocol of an episode, the bonus, the value function."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier_ucblvd.least_squares import LeastSquares, elliptical_norm


class LeastSquaresValueIteration(Algorithm):
    """Optimistic least-squares value iteration; subclasses say when to plan and how.

    Parameters
    ----------
    public : Public
    width : Width
    """

    paper: ClassVar[str] = "Provably Efficient Lifelong RL with Linear Representation (ICLR 2023)"
    setting: ClassVar[str] = "lifelong"
    groups: ClassVar[tuple[str, ...]] = ("lifelong",)
    public: Public

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.data = LeastSquares(public)

    @classmethod
    def multiplier(cls, public: Public) -> float:
        """Factor of the bonus ||phi|| beside beta."""
        return 1.0

    def bonus(self, inverse: Array) -> Array:
        """||phi(s,a)|| in the norm of Lambda_h^-1; shape (H, S*A)."""
        return elliptical_norm(self.public.phi, inverse)

    def target(self, V: Array, h: int) -> Array:
        """The values the regression of step h aims at: V_{h+1}, from V of shape (H+1, S, C)."""
        return np.asarray(V[h + 1])

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """[mean + bonus]^+, eqs. (6) and (7)."""
        return np.maximum(mean + bonus, 0.0)

    def value(self, Q: Array) -> Array:
        """V = clip(max_a Q, 0, H), from Q of shape (S, A, C)."""
        return np.minimum(Q.max(axis=1), float(self.public.H))

    def greedy_policy(self, Q: Array) -> IntArray:
        """argmax_a Q_h(s,a,w), from Q of shape (..., S, A, C); the first of several."""
        return Q.argmax(axis=-2)

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, weight: Array | None = None) -> None:
        """Play the greedy policy of a plan and add what was seen to the data: one episode, or as long as a weight allows."""
        self.learn(*env.play(plan.policy, weight))

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes to the data; shapes (n,), (n, H+1), (n, H) and (n, H)."""
        self.data.add(states, actions)
