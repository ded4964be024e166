"""Algorithm 2, on any structure: FMDP-CH on that of the problem, UCBVI-CH on the one with a single factor."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_fmdp.model import Model
from verifier_fmdp.planning import Bonus, Optimistic
from verifier_settings.factored import FactoredPlan


class Hoeffding(Optimistic):
    """Optimistic value iteration with a bonus from the inequalities of Hoeffding."""

    def plan(self) -> FactoredPlan:
        """Algorithm 2, from the last step to the first."""
        public, model, V = self.public, self.model(), self.initial_values()
        Q, rewards, bonuses = np.empty((public.H, public.S, public.A)), self.rewards(model), {}
        known = self.known(model)
        for h in self.steps():
            following = self.target(V, h)
            bonuses[h] = bonus = self.transitions(h, following, model)
            mean = model.mean_reward + model.expectation(following)
            Q[h] = self.upper(known, mean, self.total(rewards, bonus.factors))
            V[h] = Q[h].max(axis=1)
        report = self.reported(model, rewards, [bonuses[h] for h in range(public.H)])
        return FactoredPlan(Q=Q, V=V, policy=self.greedy(Q), **report)

    def reward_bonus(self, model: Model, L: Array) -> Array:
        """CB^R_i = sqrt(2 L^R_i / N), equation (1)."""
        return np.sqrt(2 * L / np.maximum(model.reward_visits, 1.0))

    def transition_bonus(self, L: float, model: Model) -> Bonus:
        """CB^P_j = sqrt(2 H^2 L^P / N_j) + H phi_j sum_{l != j} phi_l, equation (2)."""
        return model.once(self.hoeffding, L)

    def hoeffding(self, model: Model, L: float) -> Bonus:
        """Bonus of the transitions, the same at every step."""
        cross = self.cross(self.radius(model, L))
        return Bonus(self.root(model, L) + cross, cross)

    def root(self, model: Model, L: float) -> Array:
        """(n, X) sqrt(2 H^2 L / N_j)."""
        return model.at_factors(np.sqrt(2 * self.public.H**2 * L / np.maximum(model.visits, 1.0)))

    def cross(self, phi: Array) -> Array:
        """(n, X) H phi_j sum_{l != j} phi_l."""
        return self.public.H * phi * (phi.sum(axis=0) - phi)
