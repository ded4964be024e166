"""Simulations of a planner called once per initial budget, against the plan it led to. Views: `verifier_settings.cvar`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most, identity
from verifier_settings.cvar import Iterations, Public, Run, tolerances
from verifier_settings.cvar.planner_calls import is_best, least_values, wrong_models

TOPIC = "Regret"


def _rounding(view: Iterations) -> Array:
    """(p,) rounding of an estimate: the mean of T2 values, each a budget minus H bonuses, added in two orders."""
    return np.asarray(_estimate_rounding(view.public, float(view.grid.levels[-1]) + view.bonus.max(axis=2).sum(axis=1)))


def _estimate_rounding(public: Public, largest: Array | float) -> Array | float:
    """Rounding of an estimate of values of at most `largest`."""
    return 8 * EPS * (public.T2 + public.H * public.X) * largest


def _wrong_models(view: Iterations) -> Array:
    """(p, H-1) how many simulators play another model at a step."""
    return np.array([wrong_models(calls, models) for calls, models in zip(view.seen.calls, view.models, strict=True)])


@identity("wrong", on=Iterations, local=(Quantity(_wrong_models, "wrong", "iteration h", "#{other models}"),))
def simulated_model() -> Any:
    """Every simulator plays the models of the plan."""
    return 0


def _calls_from(view: Iterations) -> Array:
    """(p, n) how many calls simulate from each initial budget."""
    counts = [Counter(call.budget for call in calls) for calls in view.seen.calls]
    return np.array([[count[i] for i in range(view.estimates.shape[1])] for count in counts])


@identity("calls", on=Iterations, needs=("estimates",), local=(Quantity(_calls_from, "calls", "iteration budget"),))
def initial_budgets() -> Any:
    """The calls simulate from the initial budgets 0, 1, ..., one call from each."""
    return 1


@identity("unmatched", on=Iterations, local=(
    Quantity(lambda view: [sum(call.unmatched for call in calls) for calls in view.seen.calls], "unmatched", "iteration"),
))  # fmt: skip
def evaluated_policies() -> Any:
    """Policies evaluated in every call are those of the episodes for regression, all from the same budget."""
    return 0


def _known(values: Array) -> Array:
    """Values, and 0 where none is known."""
    return np.where(np.isfinite(values), values, 0.0)


def _own_estimates(view: Iterations) -> Array:
    """(p, n) least means over the episodes simulated; infinite where there are none."""
    return np.array([least_values(calls, view.estimates.shape[1]) for calls in view.seen.calls])


@identity("V_hat", on=Iterations, where="known", needs=("estimates",), local=(
    Quantity(lambda view: view.estimates, "V_hat", "iteration budget", "V̂_i"),
    Quantity(
        lambda view: _known(view.once(_own_estimates)), "least", "iteration budget", "min_t mean (iυ − Σr)⁺ − Σb",
        rounding=lambda view: _rounding(view) + tolerances.TIES,
    ),
    Quantity(lambda view: np.isfinite(view.once(_own_estimates)), "known", "iteration budget", "some were simulated"),
))  # fmt: skip
def estimates(least: Any) -> Any:
    """Vhat_i is the least over policies of the mean of (i ups - sum of rewards)^+ - sum of bonuses over the episodes simulated.

    A budget without any is left out: `initial_budgets` sees that.
    """
    return least


def _of_gaps(view: Iterations) -> Array:
    """(p,) rounding of a gap, and of its bound."""
    each_value = tolerances.planned(view.public, view.grid, view.bonus) + _rounding(view)
    return np.asarray(8 * each_value / view.public.tau + 2 * view.truth.bracket)


ROUNDED = Quantity(lambda view: _rounded(view.public), "rounded", "", "(Hυ where rewards are rounded)")


@at_most("gap", on=Iterations, where="known", needs=("estimates",), local=(
    Quantity(lambda view: view.gap, "gap", "iteration", "CVaR* − CVaR(R)", 0.0, "H", _of_gaps), ROUNDED,
    Quantity(lambda view: view.at_start(view.V_true) - view.at_start(view.V_model), "bracket", "iteration", "(V_true − V_model)"),
    Quantity(lambda view: _known(view.planned_optimism), "optimism", "iteration", "(optimism at i* + ε)"),
    Quantity(lambda view: np.isfinite(view.planned_optimism), "known", "iteration", "i* was searched"),
))  # fmt: skip
def decomposition(rounded: Any, bracket: Any, optimism: Any, tau: Any) -> Any:
    """CVaR* - CVaR(R) <= H ups + (1/tau) { first bracket + optimism at i* + the planner's measured epsilon }, of (pi^k, i_k).

    Without H ups where rewards are on the grid. With i* the initial budget searched that is best in truth, pi* optimal there, and
    epsilon the error of the least estimate at i* minus the error of the estimate of pi^k at i_k. For the maximiser i_k of
    i ups - Vhat_i/tau over these estimates, and its policy:

        CVaR* <= i* - V_true(pi*, i*)/tau <= i* - Vhat(i*)/tau + {Vhat - V_best}(i*)/tau + {V_model - V_true}(pi*, i*)/tau
              <= i_k - Vhat(i_k)/tau + ...  and  CVaR(R) + H ups >= CVaR(Rbar) >= i_k - V_true(pi^k, i_k)/tau.
    """
    return rounded + (bracket + optimism) / tau


def _paid(view: Run) -> Array:
    """(k,) sums over the first k iterations of bonuses, and of what errors of the model cost."""
    series = view.series
    spread = view.public.H + series.largest_bonus.sum(axis=1)
    return np.cumsum(series.bonus.sum(axis=1) + spread * series.model_error.sum(axis=1))


def _of_sums(view: Run) -> Array:
    """(k,) rounding of the sums over the first k iterations."""
    public, largest = view.public, float(view.series.largest_bonus.sum(axis=1).max())
    estimate = _estimate_rounding(public, float(view.grid.levels[-1]) + largest)
    value = tolerances.value(public, view.grid, largest) + (public.H + 1) * tolerances.TIES + estimate
    return np.asarray(_numbers(view) * (16 * value / public.tau + 2 * view.truth.bracket))


def _numbers(view: Run) -> Array:
    """(K,) numbers of iterations, from 1."""
    return np.arange(1, view.public.K + 1)


@at_most("gap_sum", on=Run, scope="run", where="known", needs=("estimates",), local=(
    Quantity(
        lambda view: np.cumsum(view.series.gap), "gap_sum", "iteration", "Σ_{j≤k} (CVaR* − CVaR(R))", 0.0,
        lambda view: _numbers(view) * float(view.public.H), _of_sums,
    ),
    Quantity(_numbers, "k", "iteration"), ROUNDED,
    Quantity(_paid, "paid", "iteration", "Σ_{j≤k} (Σ_h E b_h + (H + Σ_h max b_h) Σ_h E f_h)"),
    Quantity(
        lambda view: np.cumsum(_known(view.series.planned_optimism)), "optimism", "iteration", "Σ_{j≤k} (optimism at i* + ε)"
    ),
    Quantity(
        lambda view: np.logical_and.accumulate(np.isfinite(view.series.planned_optimism)), "known", "iteration",
        "i* was searched up to k",
    ),
))  # fmt: skip
def regret_decomposition(k: Any, rounded: Any, paid: Any, optimism: Any, tau: Any) -> Any:
    """The sums of `decomposition` over the first k iterations, for every k, the first bracket by bonuses and model errors.

    sum of gaps <= sum { H ups + (1/tau) [ sum_h E b_h + (H + sum_h max b_h) sum_h E f_h + optimism + measured epsilon ] }, by the
    simulation lemma under pi^j and P*. The regret of the theorem, before its terms are bounded.
    """
    return k * rounded + (paid + optimism) / tau


def _rounded(public: Public) -> float:
    """H ups, what rounding rewards costs; 0 where they are on the grid."""
    return public.H * public.ups if public.q > 1 or public.beta is not None else 0.0


def _chosen_best(view: Iterations) -> Array:
    """(p,) whether the policy of a plan was evaluated from its budget, and has the least estimate."""
    return np.array([
        is_best(calls, int(budget), policy, float(rounding) + tolerances.TIES)
        for calls, budget, policy, rounding in zip(view.seen.calls, view.budget, view.policy, _rounding(view), strict=True)
    ])  # fmt: skip


@identity("best", on=Iterations, local=(Quantity(_chosen_best, "best", "iteration", "1{π^k has the least V̂}"),))
def chosen_policy() -> Any:
    """pi^k was evaluated from the budget of the plan, and no policy had a lower estimate."""
    return 1
