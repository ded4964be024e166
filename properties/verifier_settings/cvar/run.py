"""The view on a whole run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.environment import Meters
from verifier_settings.cvar.instance import Public, Truth
from verifier_settings.cvar.iterations import Iterations
from verifier_settings.views import Series, View


@dataclass(frozen=True, eq=False)
class IterationSeries(Series):
    """Per-iteration series, first axis K.

    Attributes
    ----------
    gap : (K,) CVaR* - CVaR(R(pi^k, c^k))
    grid_gap : (K,) the same in the planning MDP
    cvar : (K,) CVaR(R(pi^k, c^k))
    budget : (K,) int, index of c^k
    potential : (K, H-1) E[||phi*||_{Sigma^-1}] under d^{pi^k}_h
    bonus : (K, H) E[b_h] under d^{pi^k}_h and P*
    model_error : (K, H) E[f_h] under d^{pi^k}_h and P*
    largest_bonus : (K, H) max b_h
    optimism : (K,) V^{pi*} in the learned model with bonuses minus V* of the planning MDP, at (s_1, c*): what Lemma C.2 bounds
    planned_optimism : (K,) the same at the best budget planned from, with what the planner's estimates are off
    likelihood_error : (K, H-1) E_rho[f_h^2] + E_eta[f_h^2]
    trajectories : (K,) int, trajectories of iteration k
    """

    gap: Array
    grid_gap: Array
    cvar: Array
    budget: IntArray
    potential: Array
    bonus: Array
    model_error: Array
    largest_bonus: Array
    optimism: Array
    planned_optimism: Array
    likelihood_error: Array
    trajectories: IntArray

    @classmethod
    def of(cls, view: Iterations) -> IterationSeries:
        """The series of a batch."""
        return cls(
            gap=view.gap,
            grid_gap=view.grid_gap,
            cvar=view.cvar,
            budget=view.budget,
            potential=view.potential,
            bonus=(view.occupancy * view.bonus).sum(axis=2),
            model_error=(view.occupancy * view.f).sum(axis=2),
            largest_bonus=view.bonus.max(axis=2),
            optimism=view.optimism,
            planned_optimism=view.planned_optimism,
            likelihood_error=view.likelihood_error,
            trajectories=view.seen.trajectories,
        )


@dataclass(eq=False, kw_only=True)
class Run(View[Public, Truth]):
    """The whole run.

    Parameters
    ----------
    instance : Instance
    grid : Grid
        The algorithm's grid of budgets.
    series : IterationSeries
        Of all K iterations.
    meters : Meters
        What the run used in all.
    states : (K, H, H+1) int array
        States of the first H trajectories of each iteration, -1 where one was over.
    actions, rewards : (K, H, H) int arrays
        Their actions, and their reward indices on the grid of 1/m.
    """

    grid: Grid
    series: IterationSeries
    meters: Meters
    states: IntArray
    actions: IntArray
    rewards: IntArray

    @cached_property
    def regret(self) -> Array:
        """(K,) sum over the first k iterations of CVaR* - CVaR(R(pi^k, c^k))."""
        return np.cumsum(self.series.gap)

    @property
    def average_gap(self) -> float:
        """Mean over k of the gap: what the PAC statement of Theorem 4.1 bounds (not the CVaR of the mixture)."""
        return float(self.series.gap.mean())

    @cached_property
    def potential(self) -> Array:
        """(K, H-1) cumulative sums of E[||phi*||_{Sigma^-1}]."""
        return np.cumsum(self.series.potential, axis=0)

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: iterations and steps counted from 1."""
        return {"iteration": np.arange(1, len(self.series.gap) + 1), "h": np.arange(1, self.public.H + 1)}
