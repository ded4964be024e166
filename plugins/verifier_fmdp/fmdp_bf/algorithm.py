"""FMDP-BF (Algorithms 1 and 3)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier_fmdp import bernstein
from verifier_fmdp.model import Model, Moments
from verifier_fmdp.planning import Bonus, Optimistic
from verifier_settings.factored import FactoredPlan


class FMDPBF(Optimistic):
    """FMDP-BF: a bonus from the empirical variances, and pessimistic values that say how far the optimistic ones are off."""

    name: ClassVar[str] = "fmdp-bf"
    title: ClassVar[str] = "FMDP-BF (Algorithms 1, 3)"
    yields: ClassVar[frozenset[str]] = frozenset(
        {"visits", "kernel", "reward_visits", "reward", "reward_variance", "known", "reward_bonus", "transition_bonus", "cross"}
        | {"variance", "correction", "lower"}
    )

    def plan(self) -> FactoredPlan:
        """Algorithm 1, with the bonus and the two sides of Algorithm 3, from the last step to the first."""
        public, model, V, lower = self.public, self.model(), self.initial_values(), self.initial_values()
        Q, policy = np.empty((public.H, public.S, public.A)), np.empty((public.H, public.S), dtype=np.int64)
        known, rewards, bonuses, moments = self.known(model), self.rewards(model), {}, {}
        for h in self.steps():
            above, below = self.target(V, h), self.target(lower, h)
            moments[h] = found = self.moments(model, above, above - below)
            bonuses[h] = bonus = self.transitions(h, above, model, found)
            mean, CB = model.mean_reward + found.f, self.total(rewards, bonus.factors)
            Q[h] = self.upper(known, mean, CB)
            policy[h], V[h] = self.greedy(Q[h]), Q[h].max(axis=1)
            lower[h] = self.pessimistic(known, mean - found.g, CB)[np.arange(public.S), policy[h]]
        steps = range(public.H)
        return FactoredPlan(
            Q=Q, V=V, policy=policy, lower=lower, reward_variance=model.at_parts(model.reward_variance),
            variance=np.stack([moments[h].variances for h in steps], axis=1),
            correction=np.stack([moments[h].squares for h in steps], axis=1),
            **self.reported(model, rewards, [bonuses[h] for h in steps]),
        )  # fmt: skip

    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        """sigma^2_i of the optimistic values and u_i of what they are above the pessimistic ones."""
        return model.moments(above, gap)

    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        """(S, A) max(0, mean - bonus) where the pair is known, 0 elsewhere."""
        Q = np.where(known, np.maximum(0.0, mean - bonus), 0.0)
        return Q.reshape(self.public.S, self.public.A)

    def reward_bonus(self, model: Model, L: Array) -> Array:
        """CB^R_i = sqrt(2 sigmahat^2 L^R_i / N) + 8 L^R_i / (3 N), equation (3)."""
        return bernstein.reward_bonus(model.reward_variance, L / np.maximum(model.reward_visits, 1.0))

    def transition_bonus(self, L: float, model: Model, moments: Moments) -> Bonus:
        """CB^P_i = sqrt(4 sigma_i^2 L^P / N_i) + sqrt(2 u_i L^P / N_i) + eta_i, equation (4)."""
        per_visit = model.at_factors(L / np.maximum(model.visits, 1.0))
        eta = model.once(self.eta, L)
        return Bonus(self.deviation(moments.variances * per_visit) + self.correction(moments.squares * per_visit) + eta, eta)

    def deviation(self, share: Array) -> Array:
        """(n, X) sqrt(4 sigma_i^2 L / N_i), given what the root is of but for the constant."""
        return np.sqrt(4 * share)

    def correction(self, share: Array) -> Array:
        """(n, X) sqrt(2 u_i L / N_i), likewise."""
        return np.sqrt(2 * share)

    def eta(self, model: Model, L: float) -> Array:
        """(n, X) 4 H sqrt(L / N_i) sum_j [(4 |S_j| L / N_j)^(1/4) + sqrt(4 |S_j| L / (3 N_j))] + sum_j H phi_i phi_j."""
        per_visit = L / np.maximum(model.visits, 1.0)
        wide = model.at_factors(4 * model.structure.support * per_visit)
        return bernstein.eta(self.public.H, model.at_factors(per_visit), wide, self.radius(model, L))
