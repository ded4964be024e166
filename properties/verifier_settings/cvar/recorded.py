"""Plans and records of a batch of iterations, before anything is derived from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier.formulas.quantity import Quantity, quantity
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.instance import Planned, Public, Truth
from verifier_settings.cvar.plan import CVaRPlan
from verifier_settings.cvar.planner_calls import PlannerCall
from verifier_settings.views import PlanView, Reported


@dataclass(frozen=True, eq=False)
class Observed:
    """Records of the harness of p iterations.

    Attributes
    ----------
    k : (p,) int array
        The iterations, from 1.
    D, Dt : (p, H-1, X, S) arrays
        Transitions in D_h and D~_h after the data of iteration k are in, from the transcript.
    handed : (p, H-1, X, S) array
        Transitions the algorithm last handed to the likelihood oracle in iteration k; -1 where it did not ask.
    width : (p, H) array
        alpha_k as handed out, by step; 0 in the last two, which have no bonus.
    states : (p, H, H+1) int array
        States of the first H trajectories of each iteration; -1 where one was over.
    actions, rewards : (p, H, H) int arrays
        Their actions and reward indices on the grid of 1/m; -1 where a trajectory was over.
    trajectories, steps, planner_calls : (p,) int arrays
    mle_calls : (p, H-1) int array
    simulated : (p, 2) int array
        What each iteration used (see `Meters`).
    calls : list of tuple of PlannerCall
        What was simulated for the plan of each iteration.
    before : (H, X) array
        Sum of the occupancies of pi^0, ..., pi^{k-1} for the first k of the batch.
    previous : CVaRPlan, optional
        The plan before the first of the batch.
    """

    k: IntArray
    D: Array
    Dt: Array
    handed: Array
    width: Array
    states: IntArray
    actions: IntArray
    rewards: IntArray
    trajectories: IntArray
    steps: IntArray
    planner_calls: IntArray
    mle_calls: IntArray
    simulated: IntArray
    calls: list[tuple[PlannerCall, ...]]
    before: Array
    previous: CVaRPlan | None


@dataclass(eq=False, kw_only=True)
class Recorded(PlanView[Public, Truth, CVaRPlan]):
    """Plans and records of a batch of iterations; shapes as in `Iterations`.

    Parameters
    ----------
    instance : Instance
    plans : list of CVaRPlan
        The algorithm's plans.
    grid : Grid
        The algorithm's grid of budgets.
    seen : Observed
        What the harness recorded.
    """

    grid: Grid
    seen: Observed

    plan_axis: ClassVar[str] = "iteration"
    plan_axes: ClassVar[Mapping[str, str]] = {"V": "step s budget"}

    # What the algorithm says ------------------------------------------------------------------------------------

    models = Reported()
    """(p, H-1) indices of the learned models."""
    gram = Quantity(lambda view: view.reported("gram"), "gram", "iteration h row column", "Σ̂")
    """(p, H-1, d, d) its Sigma-hat_h."""
    bonus = Quantity(lambda view: view.reported("bonus"), "bonus", "iteration h pair", "b̂")
    """(p, H, X) its bonuses."""
    policy = Reported()
    """Policies pi^k, shape (p, H, S, N+1)."""
    budget = Reported()
    """(p,) index of c^k."""
    V = Reported()
    """(p, H+1, S, N+1) its values, of algorithms that plan exactly."""
    estimates = Reported()
    """(p, ceil(H m/q)+1) its value estimates by initial budget, of algorithms that plan by simulation."""

    # The problem ------------------------------------------------------------------------------------------------

    @property
    def optimum(self) -> Planned:
        """pi*, c* and CVaR* of the planning MDP."""
        return self.truth.fine if self.grid.q == 1 else self.truth.coarse

    @cached_property
    def reward(self) -> Array:
        """(H, X, n+1) reward laws of the planning MDP."""
        return self.public.reward if self.grid.q == 1 else self.public.coarse_reward

    @quantity("k", "iteration", low=1.0, high="K")
    def k(self) -> IntArray:
        """(p,) the iterations, from 1."""
        return self.seen.k

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: iterations and steps counted from 1."""
        return {"iteration": self.k, "h": np.arange(1, self.public.H + 1), "step": np.arange(1, self.public.H + 2)}
