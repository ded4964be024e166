"""Plan of an algorithm of the CVaR setting, yielded at the end of each iteration."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.base.arrays import Array, IntArray
from verifier_settings import plans
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.instance import Public


@dataclass(frozen=True, eq=False)
class CVaRPlan:
    """The plan of iteration k: learned models, bonuses and the pair (pi^k, c^k), which collects the data of iteration k + 1.

    Budgets are indices on a grid: multiples of 1/m, or of q/m for algorithms that declare `estimates`. The trajectories of an
    iteration are played in the order of Algorithm 1 (see `verifier_settings.cvar.datasets`), and may go on to the end. An
    algorithm that plans by simulation opens a simulator for each call of its planner. Where pi^k cannot come to, its actions do
    not matter.

    Attributes
    ----------
    models : (H-1,) int array
        Index of the model learned for each step.
    gram : (H-1, d, d) array
        Sigma-hat_h.
    bonus : (H, S*A) array
        b-hat_h(s,a), zero in the last two steps.
    policy : (H, S, N+1) int array
        Action at (h, s, budget).
    budget : int
        c^k, as an index.
    V : (H+1, S, N+1) array, optional
        Values with bonus in the learned model, for algorithms that plan exactly.
    estimates : (ceil(H m/q)+1,) array, optional
        Value estimate of each initial budget, for algorithms that plan by simulation on the coarse grid.
    """

    models: IntArray
    gram: Array
    bonus: Array
    policy: IntArray
    budget: int
    V: Array | None = None
    estimates: Array | None = None


def grid_of(public: Public, declared: frozenset[str]) -> Grid:
    """The grid of budgets of an algorithm that declares these optional plan fields."""
    return public.coarse if "estimates" in declared else public.fine


def shapes(public: Public, declared: frozenset[str]) -> dict[str, tuple[int, ...]]:
    """The shape of each field, for an algorithm that declares these optional fields."""
    H, S, d, grid = public.H, public.S, public.d, grid_of(public, declared)
    return {
        "models": (H - 1,), "gram": (H - 1, d, d), "bonus": (H, public.X), "policy": (H, S, grid.N + 1), "budget": (),
        "V": (H + 1, S, grid.N + 1), "estimates": (grid.initial + 1,),
    }  # fmt: skip


def limits(public: Public, declared: frozenset[str]) -> dict[str, int]:
    """The fields that hold indices, and what these are below."""
    return {"models": public.M, "policy": public.A, "budget": grid_of(public, declared).N + 1}


def checked(plan: object, public: Public, declared: frozenset[str], k: int) -> CVaRPlan:
    """Plan of iteration k, counted from 1, checked by `plans.checked`."""
    where = f"plan of iteration {k}"
    return plans.checked(plan, CVaRPlan, shapes(public, declared), limits(public, declared), where, declared)
