"""Planning for CVaR on the augmented state (s, budget), and what rounding rewards costs. Views: `verifier_settings.cvar`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import phase_property
from verifier.model.statement import at_most, identity
from verifier_settings.cvar import Iterations, tolerances

TOPIC = "Planning"


@identity("V", on=Iterations)
def bellman(least_Q: Any) -> Any:
    """V_h = min_a { -b_h + E[V_{h+1}(s', (c-r)^+)] } in the learned model with the plan's bonuses, V_{H+1}(s,c) = c."""
    return least_Q


# Not a formula: ties may fall either way, so that there is none of the action.
@phase_property("V", recomputed=("V",))
def greedy(view: Iterations) -> Inequality:
    """pi^k takes an action of least Q wherever it can come to from (s_1, c^k), in the learned model.

    Line 16 asks for no more: what a table holds elsewhere changes no value.
    """
    chosen = np.take_along_axis(view.Q_replay, view.policy[:, :, :, None], axis=3)[:, :, :, 0]
    by_action = np.moveaxis(view.Q_replay, 3, 0)
    least, most = functools.reduce(np.minimum, by_action), functools.reduce(np.maximum, by_action)
    rounding = 2 * tolerances.values(view.public, view.grid, view.bonus)[:, None, None, None] + tolerances.TIES
    return Inequality(
        chosen - least, 0.0, ("iteration", "h", "s", "budget"), trivial=most - least, tolerance=rounding, labels=view.labels,
        premise=view.reached, identity=True,
        explanations={
            "the same action at every budget": lambda: np.full(chosen.shape, (view.policy == view.policy[..., -1:]).all())
        },
    )  # fmt: skip


# Not a formula: ties may fall either way, so that there is none of the budget.
@phase_property("V", recomputed=("V",))
def best_budget(view: Iterations) -> Inequality:
    """c^k maximises c - V_1(s_1, c) / tau, V solved by the harness in the learned model with the plan's bonuses."""
    tolerance = 2 * tolerances.planned(view.public, view.grid, view.bonus) / view.public.tau
    of_first = view.grid.levels - view.V_best[:, 0, 0] / view.public.tau
    return _loss(view, view.objective, tolerance, {"the formula at state 0": of_first})


# Not a formula: ties may fall either way, so that there is none of the budget.
@phase_property("estimates")
def best_estimate(view: Iterations) -> Inequality:
    """i_k maximises i ups - Vhat_i / tau over the initial budgets, for the plan's own estimates."""
    objective = view.grid.levels[: view.estimates.shape[1]] - view.estimates / view.public.tau
    tolerance = 8 * EPS * (np.abs(view.estimates).max(axis=1) / view.public.tau + view.public.H) + tolerances.TIES
    return _loss(view, objective, tolerance, {})


# Not a formula: ties may fall either way, so that there is none of the budget.
def _loss(view: Iterations, objective: Array, tolerance: Array, others: dict[str, Array]) -> Inequality:
    """Distance of the budgets of the plans from the maxima of (p, n), with the other objectives that all of them may maximise."""
    tau, levels = view.public.tau, view.grid.levels[: objective.shape[1]]
    V, budget, best = (levels - objective) * tau, np.minimum(view.budget, len(levels) - 1), objective.max(axis=1)
    others = others | {
        "the least of the objective": -objective,
        "the formula without 1/tau": levels - V,
        "the formula with tau for 1/tau": levels - tau * V,
        "the formula with 1 - tau for tau": levels - V / max(1.0 - tau, 1e-9),
        "the best of the budgets up to 1": np.where(levels <= 1.0, objective, -np.inf),
        "the best of the budgets up to H": np.where(levels <= view.public.H + 1e-12, objective, -np.inf),
    }

    def attains(other: Array, after: int = 0) -> BoolArray:
        other, chosen = other[: len(other) - after], budget[after:]
        found = other[np.arange(len(chosen)), chosen] >= other.max(axis=1) - tolerance[after:]
        return np.full(len(budget), len(found) > 0 and found.all())

    return Inequality(
        best - objective[np.arange(len(best)), budget], 0.0, ("iteration",), trivial=best - objective.min(axis=1),
        tolerance=tolerance, labels=view.labels, identity=True,
        explanations={
            **{said: functools.partial(attains, other) for said, other in others.items()},
            "the best of the iteration before": lambda: attains(objective, 1),
        },
    )  # fmt: skip


# Values and estimates of policies ---------------------------------------------------------------------------------------------


def _spread(view: Iterations) -> Array:
    """(p,) H + sum_h max b_h: the length of an interval that values with bonuses are in."""
    return np.asarray(view.public.H + view.bonus.max(axis=2).sum(axis=1))


def _estimation_error(view: Iterations) -> Array:
    """(p,) |Vhat - V^{pi^k}| at (s_1, i_k), in the learned model with bonuses."""
    budget = np.minimum(view.budget, view.estimates.shape[1] - 1)
    return np.abs(view.estimates[np.arange(len(view.plans)), budget] - view.at_start(view.V_model))


def _of_values(view: Iterations) -> Array:
    """(p,) rounding of a value V_1."""
    return tolerances.values(view.public, view.grid, view.bonus)


def _of_grid(view: Iterations) -> float:
    """Rounding of a CVaR on the grid of the algorithm."""
    return tolerances.cvar(view.public, view.grid)


def _of_fine(view: Iterations) -> float:
    """Rounding of a CVaR on the grid of rewards."""
    return tolerances.cvar(view.public, view.public.fine)


def _of_pair(view: Iterations) -> float:
    """Rounding of a difference of two of these; for continuous rewards it is known up to the bracket."""
    return 2 * _of_fine(view) + view.truth.bracket


def hoeffding(means: Any, each: Any, delta: Any) -> Any:
    """sqrt(log(2 m / delta) / (2 n)): what m means of n numbers in intervals of length 1 are off by, all at once."""
    return np.sqrt(np.log(2 * means / delta) / (2 * each))


@at_most("off", on=Iterations, needs=("estimates",), local=(
    Quantity(_estimation_error, "off", "iteration", "|V̂ − V^π|", 0.0, _spread, rounding=_of_values),
    Quantity(_spread, "R", "iteration", "(H + Σ max b)"),
    Quantity(lambda view: view.estimates.shape[1], "budgets", "", "(⌈H/υ⌉ + 1)"),
))  # fmt: skip
def evaluation_error(R: Any, T1: Any, budgets: Any, K: Any, T2: Any, delta: Any) -> Any:
    """|Vhat - V^{pi^k}| at (s_1, i_k), in the learned model with bonuses, against Hoeffding's bound for all estimates of the run.

    T2 episodes each, of values in an interval of length H + sum_h max b_h; the union is over the T1 policies of every budget of
    every iteration, since the estimate is the least of T1.
    """
    return R * hoeffding(T1 * budgets * K, T2, delta)


@at_most("promised", on=Iterations, local=(
    Quantity(
        lambda view: view.grid.levels[view.budget] - view.at_start(view.V_true) / view.public.tau, "promised", "iteration",
        "c^k − V/τ", high=lambda view: view.grid_cvar, rounding=_of_grid,  # no implementation can break the bound
    ),
    Quantity(lambda view: view.grid_cvar, "CVaR", "iteration", "CVaR(R̄)", rounding=_of_grid),
))  # fmt: skip
def value_attained(CVaR: Any) -> Any:
    """c^k - V^{pi^k}_1(s_1, c^k) / tau <= CVaR of the return of (pi^k, c^k), by backward induction and by forward convolution."""
    return CVaR


def _supremum(view: Iterations) -> Array:
    """(p,) sup_c { c - E[(c-X)^+] / tau } of the return."""
    levels = view.public.fine.levels
    shortfall = np.maximum(levels[:, None] - levels[None, :], 0.0)
    return np.asarray((levels - view.return_law @ shortfall.T / view.public.tau).max(axis=1))


def _tail_mean(view: Iterations) -> Array:
    """(p,) mean of the worst tau of the return."""
    before = np.cumsum(view.return_law, axis=1) - view.return_law
    tail = np.clip(view.public.tau - before, 0.0, view.return_law)
    return np.asarray(tail @ view.public.fine.levels / view.public.tau)


@identity("supremum", on=Iterations, local=(
    Quantity(_supremum, "supremum", "iteration", "sup_c {c − E(c − R)⁺/τ}", rounding=_of_fine),
    Quantity(_tail_mean, "tail_mean", "iteration", "E[R | worst τ]", rounding=_of_fine),
))  # fmt: skip
def cvar_forms(tail_mean: Any) -> Any:
    """sup_c { c - E[(c-X)^+] / tau } of the return of (pi^k, c^k), over the grid of returns, against its lower-tail mean."""
    return tail_mean


@at_most("abs(gain - H * ups / 2)", on=Iterations, where="q > 1", local=(
    Quantity(lambda view: view.grid_cvar - view.cvar, "gain", "iteration", "(CVaR(R̄) − CVaR(R))", 0.0, "H", rounding=_of_pair),
))  # fmt: skip
def discretised_return(H: Any, ups: Any) -> Any:
    """0 <= CVaR(Rbar) - CVaR(R) <= H ups for (pi^k, c^k), rewards rounded up in Rbar (distance from the middle)."""
    return H * ups / 2


@at_most("loss", on=Iterations, where="q > 1", local=(
    Quantity(
        lambda view: view.gap - view.grid_gap, "loss", "iteration", "(CVaR* − CVaR(R)) − (CVaR*(M̄) − CVaR(R̄))", high="H",
        rounding=lambda view: 2 * _of_pair(view),
    ),
))  # fmt: skip
def discretisation(H: Any, ups: Any) -> Any:
    """CVaR* - CVaR(R) of (pi^k, c^k) exceeds its gap in the planning MDP, rewards rounded up, by at most H ups."""
    return H * ups
