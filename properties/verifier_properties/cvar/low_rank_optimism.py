"""Regret by model errors in low-rank MDPs: simulation lemma, one-step-back inequalities, optimism, decomposition.

Views: `verifier_settings.cvar`. Facts about any policies and models, which no implementation can break, have their own bound for
a trivial one, so that a pass is vacuous.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.measurement import Inequality, equality
from verifier.model.property import Property, phase_property, run_property
from verifier_settings.cvar import Iterations, Public, Run, tolerances

TOPIC = "Optimism"

Events = Callable[[Iterations], BoolArray]
STEPS = ("iteration", "h")


@phase_property()
def simulation_lemma(view: Iterations) -> Inequality:
    """V_model - V_true of pi^k at (s_1, c^k) = sum_h E[-b_h + (Phat - P*) V_{h+1}], under either kernel."""
    apart = view.at_start(view.V_model) - view.at_start(view.V_true)
    sides = np.stack(view.simulation, axis=1)
    tolerance = 4 * tolerances.values(view.public, view.grid, view.bonus)[:, None]
    return equality(
        sides, np.broadcast_to(apart[:, None], sides.shape), axes=("iteration", "kernel"), tolerance=tolerance, labels=view.labels
    )


def model_error(sharp: bool) -> Property:
    """|V_true - V_model| without bonuses, at (s_1, c^k), against H sum_h E[f_h] under either kernel; sharp: c/2 for H."""

    def evaluate(view: Iterations) -> Inequality:
        apart = np.abs(view.at_start(view.V_true) - view.at_start(view.V_model_plain))[:, None]
        either = np.stack([(d * view.f).sum(axis=(1, 2)) for d in (view.occupancy, view.occupancy_model)], axis=1)
        factor = view.grid.levels[view.budget][:, None] / 2 if sharp else float(view.public.H)
        bound = factor * either
        rounding = 4 * tolerances.value(view.public, view.grid)
        return Inequality(apart, bound, ("iteration", "kernel"), trivial=bound, tolerance=rounding, labels=view.labels)

    return Property("model-error", "phase", evaluate, frozenset(), "Values by backward induction, exact occupancies.")


def one_step_back(learned: bool) -> Property:
    """E[g(s_{h+1}, a_{h+1})] against E[||phi||_{Sigma^-1}] one step earlier, for g = f and g = 1.

    Learned (Lemma E.3, repaired): under pi* and the learned model, its features and Sigma over uniform actions, right side
    sqrt(2 k A E_eta[g^2] + B^2 lambda d + k B^2 E_rho[f^2] / 2). Else (Lemma E.4): under pi^k and P*, true features, Sigma over
    the policies' actions, sqrt(k A E_{rho x U}[g^2] + B^2 lambda d).
    """

    def evaluate(view: Iterations) -> Inequality:
        public = view.public
        A, base = public.A, public.ridge * public.d
        d = view.optimal_occupancy_model if learned else view.occupancy
        norm = (d[:, :-1] * (view.norm_sigma if learned else view.norm_true)).sum(axis=2)
        # States times uniform actions: each state repeats A times with 1/A, in the order of the rows s*A + a.
        law = np.repeat((view.eta if learned else view.rho_state) / A, A, axis=2)[:, 1:]
        k = view.k[:, None]
        misfit = (np.repeat(view.rho_state / A, A, axis=2) * view.f**2).sum(axis=2)[:, :-1] if learned else 0.0
        left, right = [], []
        # B bounds g: L1 distances are at most 2, and the constant function is 1.
        for g, B in ((view.f, 2.0), (np.ones(view.f.shape), 1.0)):
            spread = (2 if learned else 1) * k * A * (law * g[:, 1:] ** 2).sum(axis=2)
            right.append(norm * np.sqrt(spread + B**2 * base + k * B**2 * misfit / 2))
            # The left side is one step later than the right: [:, 1:] against the norms of steps [:, :-1].
            left.append((d[:, 1:] * g[:, 1:]).sum(axis=2))
        bound = np.stack(right, axis=2)
        rounding = (
            8 * (tolerances.occupancy(public, view.grid) + tolerances.norm(public, view.k)) * np.sqrt(base + 8 * public.K * A)
        )
        return Inequality(
            np.stack(left, axis=2), bound, (*STEPS, "g"), trivial=bound, tolerance=rounding[:, None, None], labels=view.labels
        )

    return Property("one-step-back", "phase", evaluate, frozenset(), "Exact laws of states under all policies so far.")


def per_step_optimism(events: Events) -> Property:
    """H E[f_{h+1}] <= E[b_h] under pi* and the learned model, h <= H-2: bonuses pay for the model's error one step later."""

    def evaluate(view: Iterations) -> Inequality:
        due, paid = view.one_step_back
        cap = 2.0 * view.public.H
        rounding = tolerances.one_step_back(view.public, view.grid, cap)
        holds = view.once(events)[:, None]
        return Inequality(due, paid, STEPS, trivial=cap, tolerance=rounding, labels=view.labels, premise=holds)

    description = "Exact occupancies of the optimal policy in the learned model, and the exact error of that model."
    return Property("per-step-optimism", "phase", evaluate, frozenset(), description)


def optimism(events: Events, bound: Callable[[Iterations], Array]) -> Property:
    """V^{pi*} in the learned model with bonuses, minus V* of the planning MDP, at (s_1, c*), against what is left unpaid.

    Bonuses are not negative, so that without any the left side is largest: where it is within the bound even then, whatever is
    paid, nothing could have failed.
    """

    def evaluate(view: Iterations) -> Inequality:
        rounding = 4 * tolerances.values(view.public, view.grid, view.bonus)
        return Inequality(
            view.optimism, bound(view), ("iteration",), trivial=view.optimism_unpaid, tolerance=rounding, labels=view.labels,
            premise=view.once(events),
        )  # fmt: skip

    return Property("optimism", "phase", evaluate, frozenset(), "Both values by backward induction.")


def first_step_error(view: Iterations) -> Array:
    """(p,) H E[f_1] under pi* and the learned model: the error that no bonus pays."""
    return np.asarray(view.public.H * (view.optimal_occupancy_model * view.f).sum(axis=2)[:, 0])


@phase_property("V", topic="Regret")
def decomposition(view: Iterations) -> Inequality:
    """CVaR* - CVaR(pi^k, c^k) <= (1/tau) { [V_true - V_model](pi^k, c^k) + [V_model - V_true](pi*, c*) }, for exact planning."""
    tau = view.public.tau
    right = (view.at_start(view.V_true) - view.at_start(view.V_model) + view.optimism) / tau
    return Inequality(
        view.grid_gap,
        right,
        ("iteration",),
        trivial=float(view.public.H),
        tolerance=8 * tolerances.planned(view.public, view.grid, view.bonus) / tau,
        labels=view.labels,
    )


@phase_property()
def first_bracket(view: Iterations) -> Inequality:
    """V_true - V_model of pi^k at c^k against sum_h E[b_h] + (H + sum_h max b_h) sum_h E[f_h], under P*.

    It needs bonuses that are not negative: H + sum_h max b_h is then the range of V_model. Whatever they are, V_true is at most
    c^k, and V_model is below 0 by the bonuses at most.
    """
    d, largest = view.occupancy, view.bonus.max(axis=2).sum(axis=1)
    bound = (d * view.bonus).sum(axis=(1, 2)) + (view.public.H + largest) * (d * view.f).sum(axis=(1, 2))
    apart = view.at_start(view.V_true) - view.at_start(view.V_model)
    return Inequality(
        apart,
        bound,
        ("iteration",),
        trivial=view.grid.levels[view.budget] + np.abs(view.bonus).max(axis=2).sum(axis=1),
        tolerance=8 * tolerances.values(view.public, view.grid, view.bonus),
        labels=view.labels,
    )


@phase_property(topic="Potential")
def trace(view: Iterations) -> Inequality:
    """k E_{rho x U} ||phi-hat||^2_{Sigma^-1} <= d for the learned features.

    True of any weights that sum to k: what rounds are the squares of norms, which are at most 1/sqrt(lambda).
    """
    weight = view.k[:, None, None] * np.repeat(view.rho_state / view.public.A, view.public.A, axis=2)[:, :-1]
    total = (weight * view.norm_sigma**2).sum(axis=2)
    bound = float(view.public.d)
    rounding = 4 * view.k * tolerances.norm(view.public, view.k) / np.sqrt(view.public.ridge)
    return Inequality(total, bound, STEPS, trivial=bound, tolerance=rounding[:, None], labels=view.labels)


def expected_bonus(holds: Events) -> Property:
    """E[b_h] under pi^k and P*, h <= H-2, against alpha sqrt(3 A d / k) for h = 1 and, from one step earlier, else.

    Where norms are concentrated at step h, b_h^2 <= 3 alpha^2 ||phi-hat||^2_{Sigma^-1}, whose mean under rho_h and uniform
    actions is at most 3 alpha^2 d / k by the trace inequality. Lemma E.4 for g = b_h makes it
    E[||phi*_{h-1}||_{Sigma^-1}] sqrt(3 A alpha^2 d + (2H)^2 lambda d).

    Parameters
    ----------
    holds : callable
        (p, H-1) whether norms are concentrated at a step.
    """

    def evaluate(view: Iterations) -> Inequality:
        public, steps = view.public, max(view.public.H - 2, 0)
        cap, width = 2.0 * public.H, view.seen.width[:, :steps]
        paid = (view.occupancy * view.bonus).sum(axis=2)[:, :steps]
        reach = np.sqrt(public.d * (3 * public.A * width**2 + cap**2 * public.ridge))
        bound = width * np.sqrt(3 * public.A * public.d / view.k)[:, None]
        # From the second step on the bound is in terms of the potential one step earlier; with one step there is none.
        bound[:, 1:] = (view.potential[:, : steps - 1] * reach[:, 1:]) if steps > 1 else bound[:, 1:]
        rounding = tolerances.one_step_back(public, view.grid, cap) + tolerances.norm(public, view.k)[:, None] * reach
        premise = view.once(holds)[:, :steps]
        return Inequality(paid, bound, STEPS, trivial=cap, tolerance=rounding, labels=view.labels, premise=premise)

    description = "Exact occupancies; the widths handed out."
    return Property("expected-bonus", "phase", evaluate, frozenset(), description, topic="Potential")


@run_property(topic="Potential")
def potential(view: Run) -> Inequality:
    """sum_{j<=k} E ||phi*||_{Sigma_j^-1} under pi^j <= sqrt(2 d k log(1 + k/(d lambda))), for every k and h; lambda >= 1."""
    d, ridge = view.public.d, view.public.ridge
    k = np.arange(1, view.public.K + 1)
    bound = np.sqrt(2 * d * k * np.log1p(k / (d * ridge)))[:, None]
    rounding = k * tolerances.norm(view.public, float(view.public.K))
    return Inequality(
        view.potential, bound, STEPS, trivial=bound, tolerance=rounding[:, None], labels=view.labels, premise=ridge >= 1
    )


@run_property("V", topic="Regret")
def regret_decomposition(view: Run) -> Inequality:
    """sum_{j<=k} gaps <= (1/tau) sum {sum_h E[b_h] + (H + sum_h max b_h) sum_h E[f_h] + optimism}: exact planning, every k."""
    series, public = view.series, view.public
    scale = public.H + series.largest_bonus.sum(axis=1)
    each = series.bonus.sum(axis=1) + scale * series.model_error.sum(axis=1) + series.optimism
    k = np.arange(1, public.K + 1)
    each_value = tolerances.value(public, view.grid, 2.0 * public.H**2) + (public.H + 1) * tolerances.TIES
    rounding = 16 * each_value / public.tau
    return Inequality(
        np.cumsum(series.grid_gap), np.cumsum(each) / public.tau, ("iteration",), trivial=k * float(public.H),
        tolerance=k * rounding, labels=view.labels,
    )  # fmt: skip


def regret(bound: Callable[[Public, float], float], average: bool = False) -> Property:
    """sum_k CVaR* - CVaR(pi^k, c^k), or its average over k, against the explicit bound of the theorem."""

    def evaluate(view: Run) -> Inequality:
        K = view.public.K
        unit = float(K) if average else 1.0
        most = K * view.public.H / unit
        rounding = K * (tolerances.cvar(view.public, view.grid) + 2 * view.instance.truth.bracket) / unit
        total = max(float(view.series.grid_gap.sum()), 0.0) / unit
        return Inequality(total, bound(view.public, K) / unit, trivial=most, tolerance=rounding)

    description = "Exact CVaR of the return of every policy by forward convolution, in the planning MDP."
    return Property("regret", "run", evaluate, frozenset(), description, topic="Regret")
