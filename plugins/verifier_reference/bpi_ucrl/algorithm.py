"""BPI-UCRL (Kaufmann, Ménard, Darwiche Domingues, Jonsson, Leurent and Valko 2021): a policy that is certified when it stops."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_reference.exploring import StoppingExploration
from verifier_settings.episodic import EpisodicPlan, Public


class BPIUCRL(StoppingExploration):
    """Plays the policy of largest upper bound, until its lower bound is at most epsilon below that; its output is the policy.

    It is written from a description of the algorithm without discount, not from the text of the paper, whose confidence sets and
    constants may be others. Those here are balls in the L1 norm, proved in `verifier_properties.episodic.error_bounds`.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "bpi-ucrl"
    title: ClassVar[str] = "BPI-UCRL, best-policy identification that stops"
    yields: ClassVar[frozenset[str]] = frozenset({"step_visits", "step_kernel", "bonus", "lower"})

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        H, S, A = public.H, public.S, public.A
        self.reward = np.broadcast_to(public.reward, (H, S * A)).reshape(H, S, A)

    def certain(self, plan: EpisodicPlan) -> bool:
        """Whether the gap is at most epsilon at s_1."""
        return self.gap(plan) <= self.accuracy()

    def gap(self, plan: EpisodicPlan) -> float:
        """max_a U_1(s_1, a) - L_1(s_1, pi_1(s_1))."""
        assert plan.lower is not None
        s = self.first
        return float(plan.V[0, s] - plan.lower[0, s * self.public.A + plan.policy[0, s]])

    def accuracy(self) -> float:
        """The accuracy epsilon."""
        return self.public.epsilon

    def plan(self) -> EpisodicPlan:
        """U_h = min(H, r_h + Phat_h max_a U_{h+1} + b), L_h = max(0, r_h + Phat_h L_{h+1}(., pi_{h+1}) - b)."""
        H, S, A = self.public.H, self.public.S, self.public.A
        visits = self.visits()
        kernel = self.kernel(visits)
        V, below = self.initial_values(), np.zeros((H + 1, S))
        U, L, bonus = np.empty((3, H, S, A))
        policy = np.zeros((H, S), dtype=np.int64)
        for h in self.steps():
            target = self.target(V, h)
            width, seen = self.width(h, target, of=self.kind), visits[h] > 0
            bonus[h] = np.where(seen, width * self.bonus(np.maximum(visits[h], 1.0)), float(H))
            U[h] = np.where(seen, self.upper(h, self.reward[h] + kernel[h] @ target, bonus[h]), float(H))
            mean = self.reward[h] + kernel[h] @ self.next_lower(below, h)
            L[h] = np.where(seen, self.lower(h, mean, bonus[h]), 0.0)
            policy[h], V[h] = self.greedy(U[h]), U[h].max(axis=1)
            below[h] = self.followed(L[h], policy[h])
        return EpisodicPlan(
            Q=U, V=V, policy=policy, step_visits=visits.reshape(H, S * A), step_kernel=kernel.reshape(H, S * A, S),
            bonus=bonus.reshape(H, S * A), lower=L.reshape(H, S * A),
        )  # fmt: skip

    def upper(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(mean + bonus, H)."""
        return np.minimum(mean + bonus, float(self.public.H))

    def lower(self, h: int, mean: Array, bonus: Array) -> Array:
        """max(mean - bonus, 0)."""
        return np.maximum(mean - bonus, 0.0)

    def next_lower(self, below: Array, h: int) -> Array:
        """The lower bounds of the policy's values at the next step."""
        return np.asarray(below[h + 1])

    def followed(self, lower: Array, policy: IntArray) -> Array:
        """L_h(s, pi_h(s)), of L_h (S, A) and actions (S,)."""
        return np.asarray(lower[np.arange(len(policy)), policy])
