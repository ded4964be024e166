"""Simulations of a planner called once per initial budget, against the plan it led to. Views: `verifier_settings.cvar`."""

from __future__ import annotations

from collections import Counter

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.inequality import Inequality, equality
from verifier.model.property import phase_property, run_property
from verifier_settings.cvar import Iterations, Public, Run, tolerances
from verifier_settings.cvar.planner_calls import is_best, least_values, wrong_models

TOPIC = "Regret"


def _rounding(view: Iterations) -> Array:
    """(p,) rounding of an estimate: the mean of T2 values, each a budget minus H bonuses, added in two orders."""
    return np.asarray(_estimate_rounding(view.public, float(view.grid.levels[-1]) + view.bonus.max(axis=2).sum(axis=1)))


def _estimate_rounding(public: Public, largest: Array | float) -> Array | float:
    """Rounding of an estimate of values of at most `largest`."""
    return 8 * EPS * (public.T2 + public.H * public.X) * largest


@phase_property()
def simulated_model(view: Iterations) -> Inequality:
    """Every simulator plays the models of the plan."""
    wrong = [wrong_models(calls, models) for calls, models in zip(view.seen.calls, view.models, strict=True)]
    return Inequality(
        np.array(wrong, dtype=float), 0.0, ("iteration", "h"), trivial=1.0, tolerance=0.5, labels=view.labels, identity=True
    )


@phase_property("estimates")
def initial_budgets(view: Iterations) -> Inequality:
    """The calls simulate from the initial budgets 0, 1, ..., one call from each."""
    counts = [Counter(call.budget for call in calls) for calls in view.seen.calls]
    found = np.array([[count[i] for i in range(view.estimates.shape[1])] for count in counts], dtype=float)
    return equality(found, np.ones(found.shape), axes=("iteration", "budget"), tolerance=0.5, labels=view.labels)


@phase_property()
def evaluated_policies(view: Iterations) -> Inequality:
    """Policies evaluated in every call are those of the episodes for regression, all from the same budget."""
    unmatched = np.array([sum(call.unmatched for call in calls) for calls in view.seen.calls], dtype=float)
    return Inequality(unmatched, 0.0, ("iteration",), trivial=1.0, tolerance=0.5, labels=view.labels, identity=True)


@phase_property("estimates")
def estimates(view: Iterations) -> Inequality:
    """Vhat_i is the least over policies of the mean of (i ups - sum of rewards)^+ - sum of bonuses over the episodes simulated.

    A budget without any is left out: `initial_budgets` sees that.
    """
    own = np.array([least_values(calls, view.estimates.shape[1]) for calls in view.seen.calls])
    known, rounding = np.isfinite(own), _rounding(view)[:, None] + tolerances.TIES
    return equality(
        view.estimates, np.where(known, own, 0.0), axes=("iteration", "budget"), tolerance=rounding, labels=view.labels,
        premise=known,
    )  # fmt: skip


@phase_property("estimates")
def decomposition(view: Iterations) -> Inequality:
    """CVaR* - CVaR(R) <= H ups + (1/tau) { first bracket + optimism at i* + the planner's measured epsilon }, of (pi^k, i_k).

    Without H ups where rewards are on the grid. With i* the initial budget searched that is best in truth, pi* optimal there, and
    epsilon the error of the least estimate at i* minus the error of the estimate of pi^k at i_k. For the maximiser i_k of
    i ups - Vhat_i/tau over these estimates, and its policy:

        CVaR* <= i* - V_true(pi*, i*)/tau <= i* - Vhat(i*)/tau + {Vhat - V_best}(i*)/tau + {V_model - V_true}(pi*, i*)/tau
              <= i_k - Vhat(i_k)/tau + ...  and  CVaR(R) + H ups >= CVaR(Rbar) >= i_k - V_true(pi^k, i_k)/tau.
    """
    public, planned = view.public, view.planned_optimism
    known = np.isfinite(planned)
    bracket = view.at_start(view.V_true) - view.at_start(view.V_model)
    right = _rounded(public) + (bracket + np.where(known, planned, 0.0)) / public.tau
    each_value = tolerances.planned(public, view.grid, view.bonus) + _rounding(view)
    rounding = 8 * each_value / public.tau + 2 * view.truth.bracket
    return Inequality(
        view.gap, right, ("iteration",), trivial=float(public.H), tolerance=rounding, labels=view.labels, premise=known
    )


@run_property("estimates")
def regret_decomposition(view: Run) -> Inequality:
    """The sums of `decomposition` over the first k iterations, for every k, the first bracket by bonuses and model errors.

    sum of gaps <= sum { H ups + (1/tau) [ sum_h E b_h + (H + sum_h max b_h) sum_h E f_h + optimism + measured epsilon ] }, by the
    simulation lemma under pi^j and P*. The regret of the theorem, before its terms are bounded.
    """
    series, public = view.series, view.public
    known = np.logical_and.accumulate(np.isfinite(series.planned_optimism))
    largest = series.largest_bonus.sum(axis=1)
    paid = series.bonus.sum(axis=1) + (public.H + largest) * series.model_error.sum(axis=1)
    each = _rounded(public) + (paid + np.where(known, series.planned_optimism, 0.0)) / public.tau
    k = np.arange(1, public.K + 1)
    estimate = _estimate_rounding(public, float(view.grid.levels[-1]) + float(largest.max()))
    value = tolerances.value(public, view.grid, float(largest.max())) + (public.H + 1) * tolerances.TIES + estimate
    return Inequality(
        np.cumsum(series.gap), np.cumsum(each), ("iteration",), trivial=k * float(public.H),
        tolerance=k * (16 * value / public.tau + 2 * view.truth.bracket), labels=view.labels, premise=known,
    )  # fmt: skip


def _rounded(public: Public) -> float:
    """H ups, what rounding rewards costs; 0 where they are on the grid."""
    return public.H * public.ups if public.q > 1 or public.beta is not None else 0.0


@phase_property()
def chosen_policy(view: Iterations) -> Inequality:
    """pi^k was evaluated from the budget of the plan, and no policy had a lower estimate."""
    best = [
        is_best(calls, int(budget), policy, float(rounding) + tolerances.TIES)
        for calls, budget, policy, rounding in zip(view.seen.calls, view.budget, view.policy, _rounding(view), strict=True)
    ]
    differs = 1.0 - np.array(best, dtype=float)
    return Inequality(differs, 0.0, ("iteration",), trivial=1.0, tolerance=0.5, labels=view.labels, identity=True)
