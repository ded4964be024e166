"""Identities: the algorithm's quantities against the harness's own, recomputed from the transcript by another route."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import phase_property
from verifier.model.statement import at_most, identity
from verifier_properties.any_setting.suspects import other_choices, worst_action
from verifier_settings import rounding
from verifier_settings.lifelong import Phases, Public, tolerances
from verifier_settings.lifelong.columns import columns, columns_of_table
from verifier_settings.lifelong.phases import solve_rounding

TOPIC = "Planning"

Term = Callable[[Phases], Array]

# Terms of Q -----------------------------------------------------------------------------------------------------------------


def known_reward(view: Phases) -> Array:
    """r_h(s,a,w) for the contexts of the plan, shape (p, H, X, C)."""
    return columns_of_table(view.public.reward, view.contexts)


def estimated_reward(view: Phases) -> Array:
    """<eta-hat_h, psi(s,a,w)> from the algorithm's own estimate; plans for all contexts in order."""
    return view.along_psi(view.reward_estimate)


def phi_bonus(multiplier: Callable[[Public], float]) -> Term:
    """Multiplier beta ||phi||, for every context alike."""
    return lambda view: (multiplier(view.public) * view.width[:, :, None] * view.bonus)[..., None]


def psi_bonus(view: Phases) -> Array:
    """beta ||psi||, for values regressed on psi."""
    return view.width[:, :, None, None] * view.psi_bonus


def psi_mean(view: Phases) -> Array:
    """<nu-hat_h, psi(s,a,w)> from the algorithm's own estimate; plans for all contexts in order."""
    return view.along_psi(view.psi_estimate)


def ridge_mean(view: Phases) -> Array:
    """<theta-hat_h(w), phi(s,a)> of the plan's targets."""
    return np.matmul(view.public.phi, view.estimate)


def distilled_mean(view: Phases) -> Array:
    """<xi_h, psi(s,a,w)> for the contexts of the plan."""
    return columns(view.distilled, view.contexts)


def _norm_rounding(view: Phases, norm: Array, dimension: int) -> Array:
    """Rounding of a norm of features of some dimension.

    That of a norm is absolute. It becomes relative by the least norm there can be: ||phi||^2 = 1 under lambda + k, which is
    1 / sqrt(lambda + k). A solve rounds with the square of its dimension.
    """
    k, ridge = view.start, view.public.ridge
    relative = rounding.bonus(view.public.phi, ridge, k) * np.sqrt(ridge + k) * (dimension / view.public.d) ** 2
    return np.asarray(relative.reshape(-1, *(1,) * (norm.ndim - 1)) * norm)


REWARD = Quantity(known_reward, "r", "plan h pair w", "r_h", 0.0, 1.0)
PHI_NORM = Quantity(
    lambda view: view.bonus, "phi_norm", "plan h pair", "‖φ‖",
    rounding=lambda view: _norm_rounding(view, view.bonus, view.public.d),
)  # fmt: skip
PSI_NORM = Quantity(
    lambda view: view.psi_bonus, "psi_norm", "plan h pair w", "‖ψ‖",
    rounding=lambda view: _norm_rounding(view, view.psi_bonus, view.public.dp),
)  # fmt: skip
DISTILLED = Quantity(distilled_mean, "xi_psi", "plan h pair w", "⟨ξ_h, ψ⟩", rounding=solve_rounding)


# The plan -------------------------------------------------------------------------------------------------------------------


@identity("Q", on=Phases, name="q-formula", local=(
    REWARD, Quantity(ridge_mean, "theta_phi", "plan h pair w", "⟨θ̂_h, φ⟩", rounding=solve_rounding), PHI_NORM,
))  # fmt: skip
def ridge_q(r: Any, theta_phi: Any, w: Any, phi_norm: Any) -> Any:
    """Q_h of every plan against [r + <theta-hat, phi> + beta ||phi||]^+, norms from the transcript."""
    return np.maximum(r + theta_phi + w * phi_norm, 0)


@identity("Q", on=Phases, name="q-formula", local=(REWARD, DISTILLED, PHI_NORM), needs=("xi",))
def distilled_q(r: Any, xi_psi: Any, L: Any, w: Any, phi_norm: Any) -> Any:
    """Q_h of every plan against [r + <xi, psi> + 2 L beta ||phi||]^+, norms from the transcript."""
    return np.maximum(r + xi_psi + 2 * L * w * phi_norm, 0)


@identity("Q", on=Phases, name="q-formula", needs=("xi", "reward_estimate"), local=(
    Quantity(estimated_reward, "eta_psi", "plan h pair w", "⟨η̂_h, ψ⟩", rounding=solve_rounding), DISTILLED, PHI_NORM,
    Quantity(lambda view: view.extra.reward_width, "w_r", "plan h", "β̃", 0.0, np.inf), PSI_NORM,
))  # fmt: skip
def estimated_reward_q(eta_psi: Any, xi_psi: Any, L: Any, w: Any, phi_norm: Any, w_r: Any, psi_norm: Any) -> Any:
    """Q_h of every plan against [<eta-hat + xi, psi> + 2 L beta ||phi|| + beta-tilde ||psi||]^+, norms from the transcript."""
    return np.maximum(eta_psi + xi_psi + 2 * L * w * phi_norm + w_r * psi_norm, 0)


@identity("Q", on=Phases, name="q-formula", needs=("psi_estimate",), local=(
    REWARD, Quantity(psi_mean, "nu_psi", "plan h pair w", "⟨ν̂_h, ψ⟩", rounding=solve_rounding), PSI_NORM,
))  # fmt: skip
def psi_q(r: Any, nu_psi: Any, w: Any, psi_norm: Any) -> Any:
    """Q_h of every plan against [r + <nu-hat, psi> + beta ||psi||]^+, norms from the transcript."""
    return np.maximum(r + nu_psi + w * psi_norm, 0)


@identity("V_asked", on=Phases, local=(
    Quantity(lambda view: columns(view.V[:, 1:], view.target_columns), "V_next", "plan h s target", "V_{h+1}",
        rounding=lambda view: tolerances.value(view.public, view.start)),
))  # fmt: skip
def value_function(V_next: Any) -> Any:
    """The V_{h+1} the algorithm regressed on against clip(max_a Q_{h+1}, 0, H) of the plan it yielded."""
    return V_next


@at_most("abs(V_asked - H / 2)", on=Phases)
def value_range(H: Any) -> Any:
    """0 <= V_{h+1} <= H for the value functions the algorithm regressed on (distance from H/2 at most H/2)."""
    return H / 2


# Not a formula: ties may fall either way, so that there is none of the action.
@phase_property()
def greedy_policy(view: Phases) -> Inequality:
    """The policy of every plan takes an action of largest Q, at every state, step and context of the plan.

    A tie may fall either way when the policy was found by another evaluation of the same formula.
    """
    condition = 1.0 + view.start / view.public.ridge
    chosen = np.take_along_axis(view.Q, view.policy[:, :, :, None, :], axis=3)[:, :, :, 0, :]
    best, least = view.best, functools.reduce(np.minimum, np.moveaxis(view.Q, 3, 0))
    return Inequality(
        value=best - chosen,
        bound=0.0,
        trivial=best - least,
        tolerance=_value(view) + 4 * view.public.d**2 * EPS * condition[:, None, None, None] * np.abs(best),
        axes=("plan", "h", "s", "w"),
        labels=view.labels,
        identity=True,
        explanations={
            **other_choices(view.Q, view.policy, _value(view), view.public.H),
            **worst_action(chosen, least, _value(view), view.public.A),
        },
    )


def _value(view: Phases) -> Array:
    return tolerances.value(view.public, view.start)[:, None, None, None]


# Regressions ----------------------------------------------------------------------------------------------------------------


@identity("theta_hat", on=Phases)
def regression(theta_replay: Any) -> Any:
    """theta-hat of every target against a batch least-squares solve on V_{h+1} of the same plan and all past transitions."""
    return theta_replay


def _psi_solve(view: Phases) -> Array:
    return np.asarray(solve_rounding(view) * (view.public.dp / view.public.d) ** 2.5)


@identity("psi_estimate", on=Phases, local=(
    Quantity(lambda view: view.psi_estimate_replay, "nu_replay", "plan h i", "Λ̃⁻¹ Σ ψV_{h+1}", rounding=_psi_solve),
))  # fmt: skip
def psi_regression(nu_replay: Any) -> Any:
    """nu-hat_h against a batch least-squares solve of V_{h+1}(s'_t, w_t) on psi_t, at the tasks that were met."""
    return nu_replay


@identity("reward_estimate", on=Phases, local=(
    Quantity(lambda view: view.reward_estimate_replay, "eta_replay", "plan h i", "Λ̃⁻¹ Σ ψr", rounding=_psi_solve),
))  # fmt: skip
def reward_regression(eta_replay: Any) -> Any:
    """eta-hat_h against a batch least-squares solve of the rewards seen on psi_t."""
    return eta_replay
