"""Steps of a run of Q-learning, and what the updates before each make of its pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.formulas.quantity import quantity
from verifier_properties.episodic.updates import Updates
from verifier_settings.episodic import Public, Truth
from verifier_settings.views import View


@dataclass(eq=False, kw_only=True)
class Visits(View[Public, Truth]):
    """Steps of a run, the last episode's included: shapes (K, H).

    Parameters
    ----------
    updates : Updates
    """

    updates: Updates

    @classmethod
    def of(cls, updates: Updates) -> Visits:
        """Steps of the run of some updates, made once."""
        return updates.once(_visits)

    @property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes."""
        return self.updates.labels

    @property
    def rounding(self) -> Array:
        """(K, 1) of a statement about the values of one step in each episode."""
        public = self.public
        return 32 * self.updates.unit * (np.arange(1, public.K + 1) + public.S * public.H)[:, None]

    @property
    def _steps_left(self) -> Array:
        """(1, H) steps left, H - h + 1."""
        return np.arange(self.public.H, 0.0, -1.0)[None]

    @property
    def table_rounding(self) -> Array:
        """(K, H) of the tables: each of up to K updates keeps the rounding of those before, and of those of the steps left."""
        return 16 * self.updates.unit * (np.arange(1, self.public.K + 1)[:, None] + self.public.S) * self._steps_left

    @quantity("Q", "episode h s a", symbol="Q_h", rounding=lambda view: view.table_rounding)
    def Q(self) -> Array:
        """(K, H, S, A) tables in force."""
        return self.updates.view.in_force("Q")

    @quantity("Q_best", "episode h s a", symbol="Q*_h", low=0.0, high=lambda view: view._steps_left)
    def best(self) -> Array:
        """(1, H, S, A) Q*_h, at most the steps left."""
        return self.truth.Q[None]

    @quantity("sound", "episode h", symbol="bonuses covered all errors before")
    def sound(self) -> BoolArray:
        """Whether bonuses covered the errors after all updates of earlier episodes at this step and later ones."""
        return self.updates.sound

    @quantity("all_sound", "episode", symbol="bonuses covered all errors before")
    def all_sound(self) -> BoolArray:
        """(K,) whether they did at all steps."""
        return self.sound[:, 0]

    @quantity("covered", "episode h", symbol="bonuses covered the last error of the pair")
    def covered(self) -> BoolArray:
        """Whether the weighted bonuses covered the weighted error after the last update of the pair."""
        return self.updates.previous(self.updates.covered, 1.0) > 0

    @quantity("rest", "episode h", symbol="α_t⁰", low=0.0, high=1.0)
    def rest(self) -> Array:
        """alpha_t^0."""
        return 1.0 - self.updates.mean["ones"][0]

    @quantity("Lead", "episode h", symbol="Σ_i α_tⁱφ_{h+1}")
    def mean_lead(self) -> Array:
        """sum_i alpha_t^i phi_{h+1}^{k_i}."""
        return self.updates.mean["lead"][0]

    @quantity("B", "episode h", symbol="Σ_i α_tⁱb_i")
    def mean_bonus(self) -> Array:
        """sum_i alpha_t^i b_i = beta_t / 2."""
        return self.updates.mean["bonus"][0]

    @quantity("delta_h", "episode h", symbol="δ_h", low=-np.inf, high="H", rounding=lambda view: view.rounding)
    def gap(self) -> Array:
        """delta_h = (V_h - V^pi_h)(s_h)."""
        return self.updates.view.series.gap[:, :-1]

    @quantity("next_gap", "episode h", symbol="P_h(V* − V^π)_{h+1}")
    def next_gap(self) -> Array:
        """Expected gap (P_h (V* - V^pi)_{h+1})(s, a)."""
        found = self.updates
        return found.view.series.expected_gap - (found.backup(found.V) - found.backup(self.truth.V))

    @property
    def value_noise(self) -> Array:
        """Noise xi_{h+1} = P_h (V* - V^pi)_{h+1}(s,a) - (V* - V^pi)_{h+1}(s')."""
        found = self.updates
        return self.next_gap - (found.view.series.gap[:, 1:] - (found.next(found.V) - found.next(self.truth.V)))

    # Sums over episodes ---------------------------------------------------------------------------------------------

    @property
    def growth(self) -> Array:
        """(H,) weights (1 + 1/H)^{h-1}."""
        return np.asarray((1 + 1 / self.public.H) ** np.arange(self.public.H))

    def _so_far(self, values: Array) -> Array:
        """(K,) sum_{j <= k} sum_h (1 + 1/H)^{h-1} of values."""
        return np.cumsum((values * self.growth).sum(axis=1))

    @quantity("R", "episode", symbol="R_k", low=0.0, high=lambda view: np.cumsum(view.updates.view.series.optimal),
              rounding=lambda view: np.cumsum(view.rounding) * view.growth.sum())  # fmt: skip
    def regret(self) -> Array:
        """(K,) regret so far."""
        return np.cumsum(self.updates.view.series.regret)

    @quantity("rest_sum", "episode", symbol="Σ_h (1+1/H)^{h−1} Σ_{j≤k} α_t⁰")
    def rest_sum(self) -> Array:
        """(K,) sum of alpha_t^0 so far."""
        return self._so_far(self.rest)

    @quantity("B_sum", "episode", symbol="Σ_h (1+1/H)^{h−1} Σ_{j≤k} β_t/2")
    def bonus_sum(self) -> Array:
        """(K,) sum of beta_t / 2 so far."""
        return self._so_far(self.mean_bonus)

    @quantity("xi_sum", "episode", symbol="Σ_h (1+1/H)^{h−1} Σ_{j≤k} ξ_{h+1}")
    def noise_sum(self) -> Array:
        """(K,) sum of xi_{h+1} so far."""
        return self._so_far(self.value_noise)


def _visits(updates: Updates) -> Visits:
    return Visits(instance=updates.instance, updates=updates)
