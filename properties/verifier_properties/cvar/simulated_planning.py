"""Planning in a known model by least squares on simulated episodes. Views: `verifier_settings.cvar.planning`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import Property, run_property
from verifier.model.statement import at_most, identity
from verifier_properties.cvar.risk_planning import hoeffding
from verifier_settings.cvar.evaluations import own_values, unmatched
from verifier_settings.cvar.planning import Rounds, Run
from verifier_settings.cvar.planning.views import copy_rounding, largest, solve_rounding
from verifier_settings.cvar.tolerances import TIES
from verifier_settings.elliptical import bonus as elliptical_norm

TOPIC = "Planning"

UPS = Quantity(lambda view: view.public.grid.q / view.public.grid.m, "ups", "", "υ")
LOWEST = Quantity(lambda view: view.public.lowest, "lowest", "", "LO")
RANGE = Quantity(lambda view: largest(view.public), "R", "", "(H + Σ max b)")
"""Length of an interval that all values are in."""


@identity("gram", on=Rounds)
def gram_matrix(ridge: Any, one: Any, G: Any) -> Any:
    """Lambda_h of every round against lambda I + sum phibar phibar' of the simulated transitions, recomputed in one batch."""
    return ridge * one + G


@identity("w", on=Rounds)
def regression(w_hat: Any) -> Any:
    """w_h(i) of every round and budget against a batch solve on V_{h+1}(s', (i - r)^+) of the plan."""
    return w_hat


@identity("Q", on=Rounds, local=(LOWEST, Quantity(lambda view: -view.public.H, "printed", "", "−H")))
def formula(b: Any, mean: Any, beta: Any, norm: Any, lowest: Any, H: Any) -> Any:
    """Q_h = Clip[ -b_h + phibar'w_h(i) - beta ||phibar|| ] to [LO, H], from the width handed out and harness estimates."""
    return np.maximum(cut(mean - b - beta * norm, H), lowest)


@identity("V", on=Rounds)
def values(least_Q: Any) -> Any:
    """V_h = min_a Q_h and V_{H+1}(s, c) = c."""
    return least_Q


def greedy_by(Q: Callable[[Any], Array], rounding: Callable[[Any], Any], name: str = "greedy") -> Property:
    """The policy takes an action of least Q, wherever it can come to from (s_1, i_1); elsewhere no value depends on it.

    Ties may fall either way, so that what is bounded is the loss by an action.
    """

    def loss(view: Rounds) -> Array:
        table = Q(view)
        return np.take_along_axis(table, view.policy[:, :, :, None], axis=3)[:, :, :, 0] - table.min(axis=3)

    return at_most(
        "loss", "0", on=Rounds, where="reached", name=name, topic=TOPIC, description="Loss by the action of every policy.",
        local=(
            Quantity(loss, "loss", "t h s budget", "Q_h(π_t) − min_a Q_h", 0.0, lambda view: np.ptp(Q(view), axis=3), rounding),
            Quantity(lambda view: view.reached, "reached", "t h s budget"),
        ),
    )  # fmt: skip


greedy = greedy_by(lambda view: view.Q, copy_rounding)


@identity("asked", on=Rounds, local=(
    Quantity(lambda view: view.handed, "asked", "t h s budget"),
    Quantity(lambda view: view.V[:, 1:], "V_next", "t h s budget", "V_{h+1}", rounding=copy_rounding),
))  # fmt: skip
def handed(V_next: Any) -> Any:
    """The value function the width was asked with is V_{h+1} of the plan."""
    return V_next


@identity("strays", on=Rounds, local=(Quantity(lambda view: view.strays, "strays", "t h"),))
def plays_policy() -> Any:
    """The episode simulated in every round follows pi_t, the budget followed by the harness."""
    return 0.0


def width(beta: Callable[..., Any]) -> Property:
    """beta as handed out at the published constants against its formula."""
    about = "The widths the harness handed out, against the formula."
    return identity("beta", beta, on=Rounds, name="width", topic=TOPIC, description=about, local=(UPS, LOWEST))


# Confidence and optimism ------------------------------------------------------------------------------------------------------


def _largest_error(view: Rounds) -> Array:
    """(p,) what the error of a regression can be at most: bias sqrt(lambda D) and noise sqrt(t), times the largest value."""
    public = view.public
    return np.asarray(2 * largest(public) * (np.sqrt(public.ridge * public.D) + np.sqrt(view.t - 1.0)))


def _of_norms(view: Rounds) -> Array:
    """(p,) rounding of an error in the Gram norm."""
    return np.asarray(solve_rounding(view) * np.sqrt(view.public.ridge + view.t))


def _is_constant(view: Rounds) -> BoolArray:
    """(p, H) whether V_{h+1} is the same everywhere, as at its cap."""
    return np.asarray(np.ptp(view.handed, axis=(2, 3)) <= 8 * EPS * np.abs(view.handed).max(axis=(2, 3), initial=1.0))


CONSTANT = Quantity(_is_constant, "constant", "t h")


@at_most("error", on=Rounds, topic="Confidence", saturated="constant", local=(
    CONSTANT,
    Quantity(lambda view: view.error_norm, "error", "t h budget", "‖w_h(i) − θ_h(i)‖_Λ", 0.0, _largest_error, _of_norms),
))  # fmt: skip
def confidence_event(beta: Any) -> Any:
    """||w_h(i) - theta_h(i)|| in the Gram norm, of the harness's own estimate, against beta, for every budget."""
    return beta


@at_most("noise", on=Rounds, topic="Confidence", saturated="constant", local=(
    CONSTANT,
    Quantity(lambda view: view.noise_norm, "noise", "t h budget", "‖Σ_j φ̄_j(V − PV)‖_{Λ⁻¹}", 0.0, _largest_error, _of_norms),
))  # fmt: skip
def noise_event(beta: Any) -> Any:
    """|| sum_j phibar_j [V_{h+1}(s'_j, .) - P V_{h+1}] ||_{Lambda^-1} against beta, for every budget."""
    return beta


@at_most("abs(xi)", on=Rounds, topic="Confidence", where="event", local=(
    Quantity(
        lambda view: np.matmul(view.public.features, view.w) - view.backup, "xi", "t h pair budget", "φ̄ᵀw(i) − E V_{h+1}",
        lambda view: -2 * largest(view.public), lambda view: 2 * largest(view.public), lambda view: 2 * solve_rounding(view),
    ),
    Quantity(lambda view: view.event, "event", "t h"),
))  # fmt: skip
def estimation_error(beta: Any, norm: Any) -> Any:
    """|phibar'w_h(i) - E[V_{h+1}(s', (i-r)^+)]| of the plan's coefficients against beta ||phibar||, where the event holds."""
    return beta * norm


def _from_here_on(view: Rounds) -> BoolArray:
    """(p, H) whether the event holds at this step and all later ones."""
    return np.flip(np.logical_and.accumulate(np.flip(view.event, axis=1), axis=1), axis=1)


def _of_steps(view: Rounds) -> Array:
    """(p,) rounding of H backups, each with a choice between actions."""
    return np.asarray(view.public.H * (solve_rounding(view) + TIES))


@at_most("V_t", on=Rounds, topic="Optimism", where="event", local=(
    Quantity(lambda view: view.V[:, :-1], "V_t", "t h s budget", "V^t_h", high="H", rounding=_of_steps),
    # Values are clipped from below at what V* cannot fall below.
    Quantity(lambda view: view.truth.V[:-1], "V_star", "h s budget", "V*_h", "lowest", "H"),
    Quantity(_from_here_on, "event", "t h"),
))  # fmt: skip
def optimism(V_star: Any) -> Any:
    """V^t_h(s, i) <= V*_h(s, i), the least value, where the event holds at every step from h on."""
    return V_star


@at_most("gap", on=Rounds, where="event", local=(
    Quantity(
        lambda view: view.value - view.at_start(view.V), "gap", "t", "V^{π_t}_1 − V^t_1",
        high=lambda view: 2 * largest(view.public), rounding=lambda view: 2 * _of_steps(view),
    ),
    Quantity(lambda view: view.spent, "spent", "t", "E_{π_t} Σ_h 2β‖φ̄‖"),
    Quantity(lambda view: view.event.all(axis=1), "event", "t"),
))  # fmt: skip
def round_gap(spent: Any) -> Any:
    """V^{pi_t}_1 - V^t_1 at (s_1, i_1) <= E[ sum_h 2 beta ||phibar|| ] under pi_t, where the event holds at every step."""
    return spent


def squared_noise_bound(R: Any, growth: Any, N: Any, H: Any, delta: Any) -> Any:
    """R^2/2 (log(det(Lambda) / lambda^D) / 2 + log((N+1) H / delta)), R = H + sum_h max b_h."""
    return R**2 / 2 * (growth / 2 + np.log((N + 1) * H / delta))


def _of_squares(view: Rounds) -> Array:
    """(p,) rounding of a squared noise."""
    public = view.public
    return np.asarray(8 * EPS * public.D**2 * largest(public) ** 2 * view.t * (1.0 + view.t / public.ridge))


fixed_noise: Property = at_most(
    "squared_noise", squared_noise_bound, on=Rounds, name="fixed-noise", topic="Confidence", local=(
        Quantity(
            lambda view: view.fixed_noise_norm**2, "squared_noise", "t h budget", "‖Σ_j φ̄_j[V*(s′_j) − PV*]‖²_{Λ⁻¹}", 0.0,
            lambda view: largest(view.public)**2 * (view.t - 1.0), _of_squares,
        ),
        Quantity(lambda view: view.log_det - view.public.D * np.log(view.public.ridge), "growth", "t h", "ln det Λ_h/λ^D"),
        RANGE, Quantity(lambda view: view.public.grid.N, "N", ""),
    ),
    description="""The squared noise of the regression on V*, a fixed function.

    Lemma E.7 without a covering: the self-normalised bound (Abbasi-Yadkori et al., 2011, Theorem 1) for all t at once, of noise
    in an interval of length R = H + sum_h max b_h, which is R/2-sub-Gaussian; a union over steps and budgets.
    """,
)  # fmt: skip


def _of_reported_norms(view: Rounds) -> Array:
    """(p, H) sum_{j<t} phibar_j' Lambda_h^-1 phibar_j."""
    try:
        norm = elliptical_norm(view.public.features, np.linalg.inv(view.gram))
    except np.linalg.LinAlgError:
        norm = np.full(view.norm.shape, np.inf)
    counts = view.counts.sum(axis=(3, 4))
    return np.asarray((counts * np.where(counts > 0, norm, 0.0) ** 2).sum(axis=2))  # 0 times infinity is no number


@at_most("potential", on=Rounds, topic="Potential", local=(
    Quantity(
        _of_reported_norms, "potential", "t h", "Σ_{j<t} φ̄_jᵀΛ_h⁻¹φ̄_j", 0.0, lambda view: view.t - 1.0,
        lambda view: 32 * view.public.D**2 * EPS * view.t * (1.0 + view.t / view.public.ridge),
    ),
))  # fmt: skip
def trace(D: Any) -> Any:
    """sum_{j<t} phibar_j' Lambda_h^-1 phibar_j <= D, Lambda_h as the plan reports it."""
    return D


# Not a formula: two bounds, one after the other, of which a formula states one.
@run_property(topic="Potential")
def elliptical(view: Run) -> Inequality:
    """sum_{j<=t} phibar_j' (Lambda_h^j)^-1 phibar_j <= 2 log(det Lambda_h^{t+1} / det Lambda_h^1), for every t.

    And twice that logarithm is at most 2 D log(1 + t/(D lambda)), the determinant being at most the power of the mean of the
    eigenvalues. Facts about any sequence of features, so the trivial bound is the bound itself.
    """
    public = view.public
    growth = 2 * (view.log_det - public.D * np.log(public.ridge))
    most = 2 * public.D * np.log1p(view.labels["t"] / (public.D * public.ridge))[:, None]
    bound = np.stack([growth, np.broadcast_to(most, growth.shape)], axis=2)
    tolerance = 32 * public.D**2 * EPS * public.T1 * (1.0 + public.T1)
    value = np.stack([view.elliptical, growth], axis=2)
    return Inequality(value, bound, ("t", "h", "side"), trivial=bound, tolerance=tolerance, labels=view.labels)


# Estimates, and what is returned ----------------------------------------------------------------------------------------------


@identity("simulated", on=Run, scope="run", local=(
    Quantity(lambda view: view.simulated, "simulated", "purpose"),
    Quantity(lambda view: np.arange(2), "evaluates", "purpose", "for evaluation"),
))  # fmt: skip
def simulated_episodes(evaluates: Any, T1: Any, T2: Any) -> Any:
    """T1 simulated episodes for regression and T1 T2 for evaluation, counted by the simulator."""
    return np.where(evaluates > 0, T2 * T1, T1)


@identity("unmatched", on=Run, scope="run", local=(
    Quantity(lambda view: unmatched(view.ways, view.evaluations), "unmatched", ""),
))  # fmt: skip
def evaluated_policies() -> Any:
    """The policies evaluated are those of the rounds, each as often as it was planned.

    Two tables are the same policy if they agree wherever the policy can come to from the initial budget. The order of the
    evaluations, and in how many batches they were made, is left to the planner.
    """
    return 0.0


def _of_estimates(view: Run) -> float:
    """Rounding of an estimate: the mean of T2 values, each a budget minus H bonuses, added in two orders."""
    public = view.public
    return 8 * EPS * (public.T2 + public.H * public.X) * largest(public)


def _short(view: Run) -> Array:
    """(T1,) mean of (c - sum of rewards)^+ over the episodes of a policy.

    A policy that was never evaluated has no estimate: whatever is reported differs by all that values can differ by.
    """
    own = own_values(view.ways, view.evaluations, 0.0 * view.public.bonus, view.answer.estimates)
    return np.where(np.isfinite(own), own, view.answer.estimates + 2 * largest(view.public))


def _paid(view: Run) -> Array:
    """(T1,) mean sum of bonuses over the episodes of a policy."""
    return np.where(np.isfinite(view.estimates), view.once(_short) - view.estimates, 0.0)


@identity("V_hat", on=Run, scope="run", local=(
    Quantity(lambda view: view.answer.estimates, "V_hat", "t", "V̂_t"),
    Quantity(_short, "short", "t", "mean (c − Σr)⁺", rounding=_of_estimates),
    Quantity(_paid, "paid", "t", "mean Σb"),
))  # fmt: skip
def estimates(short: Any, paid: Any) -> Any:
    """Vhat_t of every round against the mean of (c - sum of rewards)^+ - sum of bonuses over the episodes of its policy."""
    return short - paid


ALLOWED = {"allowed": lambda R, T1, T2, delta: R * hoeffding(T1, T2, delta)}
"""Hoeffding's bound on the error of T1 averages of T2 values each, all at once, with probability 1 - delta."""


@at_most("off", on=Run, scope="run", topic="Confidence", define=ALLOWED, local=(
    RANGE,
    Quantity(
        lambda view: np.abs(view.answer.estimates - view.series.value), "off", "t", "|V̂_t − V^{π_t}|", 0.0,
        lambda view: largest(view.public),
    ),
))  # fmt: skip
def evaluation_error(allowed: Any) -> Any:
    """|Vhat_t - V^{pi_t}| at (s_1, i_1) against Hoeffding's bound, for all t at once."""
    return allowed


def _of_answers(view: Run) -> float:
    """Rounding of a value or an estimate that is chosen among those that tie."""
    return 8 * EPS * largest(view.public) + TIES


@identity("chosen", on=Run, scope="run", local=(
    Quantity(lambda view: np.array([view.answer.value, view.answer.estimates[view.answer.chosen]]), "chosen", "which"),
    Quantity(lambda view: view.answer.estimates.min(), "least", "", "min_t V̂_t", rounding=_of_answers),
    Quantity(lambda view: view.answer.estimates.max(), "most", "", "max_t V̂_t"),
    Quantity(lambda view: view.answer.estimates[-1], "last", "", "V̂_{T1}"),
    Quantity(lambda view: view.answer.estimates.mean(), "average", "", "mean_t V̂_t"),
))  # fmt: skip
def chosen_estimate(least: Any) -> Any:
    """The value returned is the least estimate, and that of the policy returned."""
    return least


def _within(view: Run) -> bool:
    """Whether all estimates are within Hoeffding's bound of the values; the same floats are compared as in the conclusion."""
    public = view.public
    allowed = largest(public) * hoeffding(public.T1, public.T2, public.delta)
    return bool((np.abs(view.answer.estimates - view.series.value) <= allowed).all())


def _returned(high: Callable[[Run], float], rounding: Callable[[Run], float]) -> Quantity:
    """Exact value of the policy returned, with the most that it can be."""
    return Quantity(lambda view: view.returned_value, "V_returned", "", "V^{π̃}", high=high, rounding=rounding)


@at_most("V_returned", on=Run, scope="run", define=ALLOWED, where="within", local=(
    RANGE,
    _returned(lambda view: view.series.value.max(), _of_answers),
    Quantity(lambda view: view.series.value.min(), "V_best", "", "min_t V^{π_t}"),
    Quantity(_within, "within", ""),
))  # fmt: skip
def returned_policy(V_best: Any, allowed: Any) -> Any:
    """V of the policy returned <= the least V^{pi_t} plus twice the evaluation error, where all estimates are within it."""
    return V_best + 2 * allowed


def _of_run(view: Run) -> float:
    """Rounding of the mean of the gaps of a run."""
    public = view.public
    return 2 * public.H * TIES + 1e3 * EPS * public.D**2 * largest(public) * public.T1


@at_most("V_returned", on=Run, scope="run", define=ALLOWED, where="within", local=(
    RANGE,
    # No policy has less than no reward and no bonus.
    _returned(lambda view: view.public.grid.levels[view.public.budget], _of_run),
    Quantity(lambda view: view.optimum, "V_star", "", "V*"),
    Quantity(lambda view: view.series.spent.mean(), "spent", "", "(1/T1) Σ_t E Σ_h 2β‖φ̄‖"),
    Quantity(lambda view: _within(view) and view.series.event.all(), "within", ""),
))  # fmt: skip
def near_optimum(V_star: Any, spent: Any, allowed: Any) -> Any:
    """V of the policy returned <= V* + (1/T1) sum_t E[ sum_h 2 beta ||phibar|| ] + twice the evaluation error.

    Where all estimates are within Hoeffding's bound and the regression's errors within beta in every round: the least gap of the
    rounds is at most their mean, and choosing by estimates costs twice their error. The right side is the epsilon of this run.
    """
    return V_star + spent + 2 * allowed
