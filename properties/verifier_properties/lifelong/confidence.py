"""Confidence events: realised estimation errors against the width, and the noise they consist of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Limit, Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_settings.elliptical import gram_norm
from verifier_settings.lifelong import Phases, Public, tolerances
from verifier_settings.lifelong.columns import columns

TOPIC = "Confidence"

Bound = Callable[[Public, Array], Array | float]


def largest_error(public: Public, k: Array) -> Array:
    """Largest error of a least-squares estimate: H sqrt(lambda d) of bias and H sqrt(k) of noise.

    || sum_t a_t phi_t ||_{Lambda^-1} <= sqrt(sum a_t^2), and |V(s') - P V| <= H.
    """
    return public.H * (np.sqrt(public.ridge * public.d) + np.sqrt(k))


def _error(view: Phases) -> Array:
    """(p, H, n) the distance of the algorithm's theta-hat_h(w) from the true theta_h(w), in the Gram norm."""
    return gram_norm(columns(view.parameter, view.target_columns) - view.estimate, view.gram_replay)


def _psi_norm(view: Phases, difference: Array) -> Array:
    """(p, H) norms of differences of parameters (p, H, dp) in the Gram norm of psi."""
    return gram_norm(difference[..., None], view.psi_gram_replay)[..., 0]


def _rounding(view: Phases) -> Array:
    """(p,) rounding of an estimate, turned into the Gram norm by sqrt(lambda + k)."""
    return tolerances.solve(view.public, view.start) * np.sqrt(view.public.ridge + view.start)


def _psi_rounding(view: Phases) -> Array:
    return (view.public.dp / view.public.d) ** 2.5 * _rounding(view)


def _psi_error(high: Limit, rounding: Callable[[Phases], Array] = _psi_rounding) -> Quantity:
    """The distance of the algorithm's nu-hat_h from the true nu_h, in the Gram norm of psi."""

    def value(view: Phases) -> Array:
        return _psi_norm(view, view.psi_parameter - view.psi_estimate)

    return Quantity(value, "error", "plan h", "‖ν̂_h − ν_h‖_Λ̃", 0.0, high, rounding)


def _phi_error(high: Limit) -> Quantity:
    return Quantity(_error, "error", "plan h target", "‖θ̂_h(w) − θ_h(w)‖_Λ", 0.0, high, _rounding)


CONSTANT = Quantity(lambda view: view.constant_targets, "constant", "plan h target")
PSI_CONSTANT = Quantity(lambda view: view.constant_target, "constant", "plan h")
NOISE = Quantity(lambda view: columns(view.noise_norm, view.target_columns), "noise", "plan h target",
    "‖Σ_t φ_t(V_{h+1} − P_hV_{h+1})‖_{Λ⁻¹}", 0.0, lambda view: view.largest_noise)  # fmt: skip
PSI_NOISE = Quantity(lambda view: view.psi_noise_norm, "noise", "plan h", "‖Σ_t ψ_t(V_{h+1} − P_hV_{h+1})‖_{Λ̃⁻¹}", 0.0,
    lambda view: view.largest_psi_noise)  # fmt: skip


def _above(bound: Bound, rounding: Callable[[Phases], Array]) -> Quantity:
    return Quantity(lambda view: np.broadcast_to(bound(view.public, view.start), view.start.shape), "bound", "plan", "",
        rounding=rounding)  # fmt: skip


@at_most("error", on=Phases, saturated="constant", local=(
    _phi_error(lambda view: largest_error(view.public, view.start)), CONSTANT,
))  # fmt: skip
def confidence_event(w: Any) -> Any:
    """The distance of the algorithm's theta-hat_h(w) from the true theta_h(w), in the Gram norm, against the width handed out."""
    return w


@at_most("error", on=Phases, local=(_phi_error(np.inf), NOISE))
def error_decomposition(H: Any, ridge: Any, d: Any, noise: Any) -> Any:
    """||theta-hat - theta||_Lambda of the algorithm's estimates against H sqrt(lambda d) plus the noise, recomputed."""
    return H * np.sqrt(ridge * d) + noise


REWARD_WIDTH = Quantity(lambda view: view.extra.reward_width, "w_r", "plan h", "width of rewards", 0.0, np.inf)
"""The widths handed out for the reward estimates."""


def noise_event(bound: Bound) -> Property:
    """The self-normalised noise of every plan against its explicit bound.

    Parameters
    ----------
    bound : callable
        Maps (public, episodes seen (p,)) to the bound of each, or of all; it holds for all targets and steps at once.

    The trivial bound is what any value function makes of the transitions of the run: far below H sqrt(k), which needs that the
    surprises V(s') - P V have one sign.
    """
    found: Property = at_most(
        "noise", "bound", on=Phases, saturated="constant", local=(NOISE, _above(bound, _rounding), CONSTANT), name="noise-event",
        description="The noise of regressions on phi, recomputed from the transcript and the true kernel.", topic=TOPIC,
    )  # fmt: skip
    return found


@at_most("error", on=Phases, saturated="constant", needs=("psi_estimate",), local=(
    _psi_error(lambda view: view.public.H * (np.sqrt(view.public.ridge * view.public.dp) + np.sqrt(view.start))), PSI_CONSTANT,
))  # fmt: skip
def psi_confidence_event(w: Any) -> Any:
    """The distance of the algorithm's nu-hat_h from the true nu_h, in the Gram norm of psi, against the width handed out."""
    return w


def psi_noise_event(bound: Bound) -> Property:
    """Event that the noise of regressions on psi is bounded; `bound` as for regressions on phi."""
    found: Property = at_most(
        "noise", "bound", on=Phases, saturated="constant", local=(PSI_NOISE, _above(bound, _psi_rounding), PSI_CONSTANT),
        name="psi-noise-event", needs=("psi_gram",), topic=TOPIC,
        description="The noise of regressions on psi, recomputed from the transcript and the true kernel.",
    )  # fmt: skip
    return found


@at_most("error", on=Phases, where="complete", needs=("psi_estimate",), local=(
    _psi_error(np.inf, lambda view: _psi_rounding(view) + tolerances.completeness(view.public) * np.sqrt(view.start)), PSI_NOISE,
))  # fmt: skip
def psi_error_decomposition(H: Any, ridge: Any, dp: Any, noise: Any) -> Any:
    """||nu-hat - nu|| of the algorithm's estimates against H sqrt(lambda d') plus the noise, where nu exists: nu-hat - nu =
    -lambda Lambda-tilde^{-1} nu + Lambda-tilde^{-1} sum_t psi_t [V - P V], and ||nu|| <= H sqrt(d').
    """
    return H * np.sqrt(ridge * dp) + noise


@at_most("error", on=Phases, needs=("reward_estimate",), local=(Quantity(
    lambda view: _psi_norm(view, view.truth.eta - view.reward_estimate), "error", "plan h", "‖η̂_h − η_h‖_Λ̃", 0.0,
    lambda view: np.sqrt(view.public.ridge * view.public.dp) + np.sqrt(view.start), _psi_rounding,
),))  # fmt: skip
def reward_confidence(ridge: Any, dp: Any) -> Any:
    """||eta-hat_h - eta_h|| of the algorithm's estimate in the Gram norm of psi against sqrt(lambda m d); rewards have
    no noise.
    """
    return np.sqrt(ridge * dp)


@identity("reward_estimate - eta", on=Phases, local=(
    Quantity(lambda view: view.truth.eta, "eta", "h i", "η_h"),
    Quantity(lambda view: np.linalg.solve(view.psi_gram_replay, view.truth.eta[..., None])[..., 0], "bias", "plan h i", "Λ̃⁻¹η_h",
        rounding=lambda view: _psi_rounding(view) / view.public.ridge),
))  # fmt: skip
def reward_error_identity(ridge: Any, bias: Any) -> Any:
    """eta-hat - eta = -lambda Lambda-tilde^{-1} eta: without noise the error is the bias of the regulariser alone."""
    return -ridge * bias
