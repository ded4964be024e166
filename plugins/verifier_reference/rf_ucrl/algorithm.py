"""RF-UCRL (Kaufmann, Ménard, Darwiche Domingues, Jonsson, Leurent and Valko 2021): exploration without rewards that stops."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_reference.exploring import StoppingExploration
from verifier_settings.episodic import EpisodicPlan


class RFUCRL(StoppingExploration):
    """Plays where its model may be most wrong, until it is nowhere wrong by more than epsilon / 2; its output is the model.

    Q of a plan is the bound E of the error of the model at a pair, for any policy and any rewards in [0, 1] from there on. It is
    written from a description of the algorithm without discount, not from the text of the paper, whose constants may be others.
    Those here are proved in `verifier_properties.episodic.error_bounds`.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "rf-ucrl"
    title: ClassVar[str] = "RF-UCRL, reward-free exploration that stops"
    hidden: ClassVar[frozenset[str]] = frozenset({"reward"})
    yields: ClassVar[frozenset[str]] = frozenset({"step_visits", "step_kernel", "bonus"})

    def certain(self, plan: EpisodicPlan) -> bool:
        """Whether the error is at most epsilon / 2 at s_1."""
        return self.error(plan) <= self.accuracy()

    def error(self, plan: EpisodicPlan) -> float:
        """max_a E_1(s_1, a)."""
        return float(plan.V[0, self.first])

    def accuracy(self) -> float:
        """epsilon / 2: the values of two policies are compared."""
        return self.public.epsilon / 2

    def plan(self) -> EpisodicPlan:
        """E_h = min(H, b + Phat_h max_a E_{h+1}), from the last step to the first."""
        H, S, A = self.public.H, self.public.S, self.public.A
        visits = self.visits()
        kernel = self.kernel(visits)
        V = self.initial_values()
        E, bonus = np.empty((2, H, S, A))
        for h in self.steps():
            target = self.target(V, h)
            width, seen = self.width(h, target, of=self.kind), visits[h] > 0
            bonus[h] = np.where(seen, width * self.bonus(np.maximum(visits[h], 1.0)), float(H))
            E[h] = np.where(seen, self.bound(h, kernel[h] @ target, bonus[h]), float(H))
            V[h] = E[h].max(axis=1)
        return EpisodicPlan(
            Q=E, V=V, policy=self.greedy(E), step_visits=visits.reshape(H, S * A), step_kernel=kernel.reshape(H, S * A, S),
            bonus=bonus.reshape(H, S * A),
        )  # fmt: skip

    def bound(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(mean + bonus, H)."""
        return np.minimum(mean + bonus, float(self.public.H))
