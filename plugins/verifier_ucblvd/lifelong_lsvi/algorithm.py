"""Lifelong-LSVI (Algorithm 1): plan for the task at hand, in every episode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier_ucblvd import widths
from verifier_ucblvd.base import LeastSquaresValueIteration


class LifelongLSVI(LeastSquaresValueIteration):
    """Algorithm 1 of the paper, with the positive part in eq. (6) that its proofs need."""

    name: ClassVar[str] = "lifelong-lsvi"
    title: ClassVar[str] = "Lifelong-LSVI (Algorithm 1)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.03)", "oracle")

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem 1: beta = c H (d + sqrt(d')) sqrt(log(d d' T / delta))."""
        return widths.beta(public, public.d * public.dp)

    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        """Run: for each episode plan for w_k with all past data, then act greedily."""
        for _k in range(self.public.K):
            _state, context = env.begin_episode()
            plan = self.plan(context)
            yield plan
            self.play(env, plan)

    def plan(self, context: int) -> LifelongPlan:
        """Eq. (6) backwards in h, for one context."""
        public, data = self.public, self.data
        inverse = data.inverse()
        bonus = self.multiplier(public) * self.bonus(inverse)
        V: Array = np.zeros((public.H + 1, public.S, 1))
        Q = np.empty((public.H, public.S, public.A, 1))
        estimate = np.empty((public.H, public.d, 1))
        for h in reversed(range(public.H)):
            target = self.target(V, h)
            beta = self.width(h, target)
            estimate[h] = inverse[h] @ (data.transitions[h] @ target)
            mean = public.reward[h, :, context] + (public.phi @ estimate[h])[:, 0]
            Q[h] = self.optimistic(mean, beta * bonus[h]).reshape(public.S, public.A, 1)
            V[h] = self.value(Q[h])
        contexts = np.array([context])
        return LifelongPlan(contexts, contexts, Q, self.greedy_policy(Q), data.gram.copy(), estimate)
