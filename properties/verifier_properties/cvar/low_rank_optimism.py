"""Regret by model errors in low-rank MDPs: simulation lemma, one-step-back inequalities, optimism, decomposition.

Views: `verifier_settings.cvar`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_settings.cvar import Iterations, Public, Run, tolerances

TOPIC = "Optimism"

Events = Callable[[Iterations], BoolArray]


def _of_values(view: Iterations) -> Array:
    """(p,) rounding of a difference of values V_1, or of their sum over steps."""
    return 4 * tolerances.values(view.public, view.grid, view.bonus)


def _bracket(view: Iterations) -> Array:
    """(p,) V_true - V_model of pi^k at (s_1, c^k)."""
    return view.at_start(view.V_true) - view.at_start(view.V_model)


def _under_either(view: Iterations) -> Array:
    """(p, 2) sum_h E[f_h] under P* and under the learned model."""
    return np.stack([(d * view.f).sum(axis=(1, 2)) for d in (view.occupancy, view.occupancy_model)], axis=1)


@identity("sums", on=Iterations, local=(
    Quantity(lambda view: np.stack(view.simulation, axis=1), "sums", "iteration kernel", "Σ_h E[−b_h + (P̂ − P*)V_{h+1}]"),
    Quantity(lambda view: -_bracket(view), "apart", "iteration", "V_model − V_true", rounding=_of_values),
))  # fmt: skip
def simulation_lemma(apart: Any) -> Any:
    """V_model - V_true of pi^k at (s_1, c^k) = sum_h E[-b_h + (Phat - P*) V_{h+1}], under either kernel."""
    return apart


def model_error(sharp: bool) -> Property:
    """|V_true - V_model| without bonuses, at (s_1, c^k), against H sum_h E[f_h] under either kernel; sharp: c/2 for H."""
    return at_most(
        "apart", "c / 2 * E_f" if sharp else "H * E_f", on=Iterations, name="model-error", topic=TOPIC, local=(
            Quantity(
                lambda view: np.abs(view.at_start(view.V_true) - view.at_start(view.V_model_plain)), "apart", "iteration",
                "|V_true − V_model|", 0.0, lambda view: view.grid.levels[view.budget],
                lambda view: 4 * tolerances.value(view.public, view.grid),
            ),
            Quantity(lambda view: view.grid.levels[view.budget], "c", "iteration"),
            Quantity(_under_either, "E_f", "iteration kernel", "Σ_h E f_h"),
        ),
        description="Values by backward induction, exact occupancies.",
    )  # fmt: skip


def _tested(view: Iterations) -> Array:
    """(p, H, X, 2) the functions g of a one-step-back inequality: f, at most 2, and the constant 1."""
    return np.stack([view.f, np.ones(view.f.shape)], axis=3)


def one_step_back(learned: bool) -> Property:
    """E[g(s_{h+1}, a_{h+1})] against E[||phi||_{Sigma^-1}] one step earlier, for g = f and g = 1.

    Learned (Lemma E.3, repaired): under pi* and the learned model, its features and Sigma over uniform actions, right side
    sqrt(2 k A E_eta[g^2] + B^2 lambda d + k B^2 E_rho[f^2] / 2). Else (Lemma E.4): under pi^k and P*, true features, Sigma over
    the policies' actions, sqrt(k A E_{rho x U}[g^2] + B^2 lambda d).
    """

    def d(view: Iterations) -> Array:
        return view.optimal_occupancy_model if learned else view.occupancy

    def rounding(view: Iterations) -> Array:
        public, either = view.public, tolerances.occupancy(view.public, view.grid) + tolerances.norm(view.public, view.k)
        return np.asarray(8 * either * np.sqrt(public.ridge * public.d + 8 * public.K * public.A))

    def squares(view: Iterations) -> Array:
        law = view.uniform(view.eta if learned else view.rho_state)
        return np.asarray((law[..., None] * _tested(view) ** 2).sum(axis=2)[:, 1:])

    return at_most(
        "E_g",
        "E_norm * sqrt(2 * k * A * E_g2 + B ** 2 * ridge * d + k * B ** 2 * E_f2 / 2)" if learned
        else "E_norm * sqrt(k * A * E_g2 + B ** 2 * ridge * d)",
        on=Iterations, name="one-step-back", topic=TOPIC, local=(
            Quantity(
                lambda view: (d(view)[..., None] * _tested(view)).sum(axis=2)[:, 1:], "E_g", "iteration h g", "E g_{h+1}", 0.0,
                2.0, rounding,
            ),
            Quantity(
                lambda view: (d(view)[:, :-1] * (view.norm_sigma if learned else view.norm_true)).sum(axis=2), "E_norm",
                "iteration h", "E‖φ‖_{Σ⁻¹}",
            ),
            Quantity(squares, "E_g2", "iteration h g", "E g²_{h+1}"),
            Quantity(
                lambda view: (view.uniform(view.rho_state) * view.f**2).sum(axis=2)[:, :-1], "E_f2", "iteration h", "E_ρ f²"
            ),
            Quantity(lambda view: np.array([2.0, 1.0]), "B", "g"),
        ),
        description="Exact laws of states under all policies so far.",
    )  # fmt: skip


def per_step_optimism(events: Events) -> Property:
    """H E[f_{h+1}] <= E[b_h] under pi* and the learned model, h <= H-2: bonuses pay for the model's error one step later."""
    return at_most(
        "due", "paid", on=Iterations, where="event", name="per-step-optimism", topic=TOPIC, local=(
            Quantity(
                lambda view: view.one_step_back[0], "due", "iteration h", "H E f_{h+1}", 0.0, lambda view: 2.0 * view.public.H,
                lambda view: tolerances.one_step_back(view.public, view.grid, 2.0 * view.public.H),
            ),
            Quantity(lambda view: view.one_step_back[1], "paid", "iteration h", "E b_h"),
            Quantity(lambda view: view.once(events), "event", "iteration"),
        ),
        description="Exact occupancies of the optimal policy in the learned model, and the exact error of that model.",
    )  # fmt: skip


def optimism(events: Events, bound: Callable[[Iterations], Array]) -> Property:
    """V^{pi*} in the learned model with bonuses, minus V* of the planning MDP, at (s_1, c*), against what is left unpaid.

    Bonuses are not negative, so that without any the left side is largest: where it is within the bound even then, whatever is
    paid, nothing could have failed.
    """
    return at_most(
        "optimism", "unpaid", on=Iterations, where="event", name="optimism", topic=TOPIC, local=(
            Quantity(
                lambda view: view.optimism, "optimism", "iteration", "V^{π*}_{P̂,b} − V*", high=lambda view: view.optimism_unpaid,
                rounding=_of_values,
            ),
            Quantity(bound, "unpaid", "iteration"),
            Quantity(lambda view: view.once(events), "event", "iteration"),
        ),
        description="Both values by backward induction.",
    )  # fmt: skip


def first_step_error(view: Iterations) -> Array:
    """(p,) H E[f_1] under pi* and the learned model: the error that no bonus pays."""
    return np.asarray(view.public.H * (view.optimal_occupancy_model * view.f).sum(axis=2)[:, 0])


BRACKET = Quantity(
    _bracket, "bracket", "iteration", "(V_true − V_model)", rounding=lambda view: 2 * _of_values(view),
    high=lambda view: view.grid.levels[view.budget] + np.abs(view.bonus).max(axis=2).sum(axis=1),
)  # fmt: skip
"""V_true - V_model: V_true is at most c^k, and V_model is below 0 by the bonuses at most."""


def _of_gaps(view: Iterations) -> Array:
    """(p,) rounding of a gap, of which each value is divided by tau."""
    return 8 * tolerances.planned(view.public, view.grid, view.bonus) / view.public.tau


@at_most("gap", on=Iterations, topic="Regret", needs=("V",), local=(
    Quantity(lambda view: view.grid_gap, "gap", "iteration", "CVaR* − CVaR(π^k, c^k)", 0.0, "H", _of_gaps),
    Quantity(_bracket, "bracket", "iteration", "(V_true − V_model)"),
    Quantity(lambda view: view.optimism, "optimism", "iteration", "(V^{π*}_{P̂,b} − V*)"),
))  # fmt: skip
def decomposition(bracket: Any, optimism: Any, tau: Any) -> Any:
    """CVaR* - CVaR(pi^k, c^k) <= (1/tau) { [V_true - V_model](pi^k, c^k) + [V_model - V_true](pi*, c*) }, for exact planning."""
    return (bracket + optimism) / tau


@at_most("bracket", on=Iterations, local=(
    BRACKET,
    Quantity(lambda view: (view.occupancy * view.bonus).sum(axis=(1, 2)), "E_b", "iteration", "Σ_h E b_h"),
    Quantity(lambda view: view.bonus.max(axis=2).sum(axis=1), "most", "iteration", "Σ_h max b_h"),
    Quantity(lambda view: (view.occupancy * view.f).sum(axis=(1, 2)), "E_f", "iteration", "Σ_h E f_h"),
))  # fmt: skip
def first_bracket(E_b: Any, H: Any, most: Any, E_f: Any) -> Any:
    """V_true - V_model of pi^k at c^k against sum_h E[b_h] + (H + sum_h max b_h) sum_h E[f_h], under P*.

    It needs bonuses that are not negative: H + sum_h max b_h is then the range of V_model.
    """
    return E_b + (H + most) * E_f


def _of_norms(view: Iterations) -> Array:
    """(p,) rounding of a norm."""
    return tolerances.norm(view.public, view.k)


@at_most("k * E_norm2", on=Iterations, topic="Potential", local=(
    # What rounds are the squares of norms, which are at most 1/sqrt(lambda).
    Quantity(
        lambda view: (view.uniform(view.rho_state)[:, :-1] * view.norm_sigma**2).sum(axis=2), "E_norm2", "iteration h",
        "E_{ρ×U}‖φ̂‖²_{Σ⁻¹}", 0.0, lambda view: 1 / view.public.ridge,
        lambda view: 4 * _of_norms(view) / np.sqrt(view.public.ridge),
    ),
))  # fmt: skip
def trace(d: Any) -> Any:
    """k E_{rho x U} ||phi-hat||^2_{Sigma^-1} <= d for the learned features; true of any weights that sum to k."""
    return d


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

    def before(view: Iterations) -> Array:
        return np.concatenate([np.zeros_like(view.potential[:, :1]), view.potential], axis=1)[:, : view.public.H - 2]

    return at_most(
        "E_b",
        lambda step, E_norm, alpha, A, H, ridge, d, k: np.where(
            step > 1, E_norm * np.sqrt(d * (3 * A * alpha**2 + (2 * H) ** 2 * ridge)), alpha * np.sqrt(3 * A * d / k)
        ),
        on=Iterations, where="event", name="expected-bonus", topic="Potential", local=(
            Quantity(
                lambda view: (view.occupancy * view.bonus).sum(axis=2)[:, : view.public.H - 2], "E_b", "iteration h", "E b_h",
                0.0, lambda view: 2.0 * view.public.H,
                lambda view: tolerances.one_step_back(view.public, view.grid, 2.0 * view.public.H),
            ),
            Quantity(lambda view: np.arange(1, view.public.H - 1), "step", "h", "h"),
            Quantity(before, "E_norm", "iteration h", "E‖φ*_{h−1}‖_{Σ⁻¹}", rounding=_of_norms),
            Quantity(lambda view: view.seen.width[:, : view.public.H - 2], "alpha", "iteration h", "α"),
            Quantity(lambda view: view.once(holds)[:, : view.public.H - 2], "event", "iteration h"),
        ),
        description="Exact occupancies; the widths handed out.",
    )  # fmt: skip


# Sums over a run --------------------------------------------------------------------------------------------------------------

UPTO = Quantity(lambda view: np.arange(1, view.public.K + 1), "k", "iteration")


def _of_sums(view: Run) -> Array:
    """(K,) rounding of the sums over the first k iterations of statements about values."""
    public = view.public
    each = tolerances.value(public, view.grid, 2.0 * public.H**2) + (public.H + 1) * tolerances.TIES
    return np.asarray(np.arange(1, public.K + 1) * (16 * each / public.tau))


@at_most("potential", on=Run, scope="run", topic="Potential", where="ridge >= 1", local=(
    UPTO,
    Quantity(
        lambda view: view.potential, "potential", "iteration h", "Σ_{j≤k} E‖φ*‖_{Σ_j⁻¹}", 0.0,
        lambda view: np.arange(1, view.public.K + 1) / np.sqrt(view.public.ridge),
        lambda view: np.arange(1, view.public.K + 1) * tolerances.norm(view.public, float(view.public.K)),
    ),
))  # fmt: skip
def potential(d: Any, k: Any, ridge: Any) -> Any:
    """sum_{j<=k} E ||phi*||_{Sigma_j^-1} under pi^j <= sqrt(2 d k log(1 + k/(d lambda))), for every k and h; lambda >= 1."""
    return np.sqrt(2 * d * k * np.log(1 + k / (d * ridge)))


def _errors(view: Run) -> Array:
    """(K,) (H + sum_h max b_h) sum_h E[f_h]."""
    scale = view.public.H + view.series.largest_bonus.sum(axis=1)
    return np.asarray(scale * view.series.model_error.sum(axis=1))


@at_most("gaps", on=Run, scope="run", topic="Regret", needs=("V",), local=(
    Quantity(
        lambda view: np.cumsum(view.series.grid_gap), "gaps", "iteration", "Σ_{j≤k} gaps", 0.0,
        lambda view: np.arange(1, view.public.K + 1) * float(view.public.H), _of_sums,
    ),
    Quantity(lambda view: np.cumsum(view.series.bonus.sum(axis=1)), "bonuses", "iteration", "ΣΣ_h E b_h"),
    Quantity(lambda view: np.cumsum(_errors(view)), "errors", "iteration", "Σ(H + Σ_h max b_h) Σ_h E f_h"),
    Quantity(lambda view: np.cumsum(view.series.optimism), "optimism", "iteration", "Σ optimism"),
))  # fmt: skip
def regret_decomposition(bonuses: Any, errors: Any, optimism: Any, tau: Any) -> Any:
    """sum_{j<=k} gaps <= (1/tau) sum {sum_h E[b_h] + (H + sum_h max b_h) sum_h E[f_h] + optimism}: exact planning, every k."""
    return (bonuses + errors + optimism) / tau


def regret(bound: Callable[[Public, float], float], average: bool = False) -> Property:
    """sum_k CVaR* - CVaR(pi^k, c^k), or its average over k, against the explicit bound of the theorem."""

    def share(view: Run) -> float:
        return 1.0 if average else float(view.public.K)

    def rounding(view: Run) -> float:
        return share(view) * (tolerances.cvar(view.public, view.grid) + 2 * view.truth.bracket)

    return at_most(
        "regret", "most", on=Run, scope="run", name="regret", topic="Regret", local=(
            Quantity(
                lambda view: max(float(view.series.grid_gap.mean()), 0.0) * share(view), "regret", "", low=0.0,
                high=lambda view: share(view) * view.public.H, rounding=rounding,
            ),
            Quantity(lambda view: bound(view.public, view.public.K) * share(view) / view.public.K, "most", "", "the bound"),
        ),
        description="Exact CVaR of the return of every policy by forward convolution, in the planning MDP.",
    )  # fmt: skip
