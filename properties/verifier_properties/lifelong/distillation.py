"""The distillation step: feasibility and value of the program (8), and what completeness implies."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most, identity
from verifier_settings.elliptical import gram_norm
from verifier_settings.lifelong import Phases, tolerances
from verifier_settings.lifelong.columns import columns

TOPIC = "Planning"


def _distance_rounding(view: Phases) -> Array:
    """(p, H, n) rounding of a distance from an estimate; a solver's feasibility tolerance of 1e-10 is relative to the data."""
    rounding = tolerances.solve(view.public, view.start) * np.sqrt(view.public.ridge + view.start)
    return rounding[:, None, None] + tolerances.PROGRAM * view.width[:, :, None] + 1e-9 * gram_norm(view.centre, view.gram_replay)


@at_most("distance", on=Phases, needs=("theta",), local=(
    Quantity(lambda view: gram_norm(view.theta - view.centre, view.gram_replay), "distance", "plan h target",
        "‖θ^(j) − θ̂_h(w^(j))‖_Λ", 0.0, np.inf, _distance_rounding),
    Quantity(lambda view: view.width, "radius", "plan h", "width"),  # no range: at the centre, too, a wrong program is seen
))  # fmt: skip
def ball_constraint(radius: Any) -> Any:
    """||theta^(j) - theta-hat_h(w^(j))||_Lambda against the width handed out, with the harness's own theta-hat and Lambda."""
    return radius


@at_most("norm", on=Phases, needs=("xi",), local=(
    Quantity(lambda view: np.linalg.norm(view.xi, axis=2), "norm", "plan h", "‖ξ_h‖", 0.0, np.inf,
        lambda view: tolerances.PROGRAM * view.public.H * np.sqrt(view.public.dp)),
))  # fmt: skip
def norm_constraint(H: Any, dp: Any) -> Any:
    """||xi_h||_2 against H sqrt(d')."""
    return H * np.sqrt(dp)


def _feasible(view: Phases) -> BoolArray:
    """(p, H) the rho(w^(j)) are independent, and ||Theta-hat R^-1||_F <= H sqrt(md).

    The norm is asked to be 1e-9 smaller, so that the program is feasible also up to the 1e-10 its solver allows itself.
    """
    R = view.public.rho[view.targets[:1] if (view.targets == view.targets[0]).all() else view.targets]
    inverse = np.linalg.pinv(R.transpose(0, 2, 1))[:, None]
    norm = np.linalg.norm(np.matmul(view.centre, inverse), axis=(2, 3))
    fits = norm <= view.public.H * np.sqrt(view.public.dp) * (1 - 1e-9)
    return np.asarray(fits & (np.linalg.matrix_rank(R) == R.shape[1])[:, None])


XI_PSI = Quantity(lambda view: columns(view.distilled, view.targets), "xi_psi", "plan h pair target", "⟨ξ_h, ψ⟩")


@identity("theta_phi", on=Phases, where="event & complete", needs=("theta", "xi"), local=(XI_PSI,))
def zero_value(xi_psi: Any) -> Any:
    """<theta^(j), phi(s,a)> = <xi_h, psi(s,a,w^(j))> at all (s,a), where the event and completeness hold for this V_{h+1}."""
    return xi_psi


@identity("theta_phi", on=Phases, where="feasible", needs=("theta", "xi"), local=(
    XI_PSI, Quantity(_feasible, "feasible", "plan h", "‖Θ̂R⁻¹‖ ≤ H√(md)"),
))  # fmt: skip
def zero_value_from_norm(xi_psi: Any) -> Any:
    """<theta^(j), phi(s,a)> = <xi_h, psi(s,a,w^(j))> where the rho(w^(j)) are independent, ||Theta-hat R^-1||_F <= H sqrt(md)."""
    return xi_psi


def _combined(view: Phases) -> Array:
    """(p, H, X, C) sum_j c_j(w) P_h V_{h+1}(., w^(j))."""
    coefficients = view.public.coefficients[:, view.contexts].transpose(1, 0, 2, 3)[:, None]
    return np.asarray((columns(view.PV, view.representative_columns)[..., None, :] * coefficients).sum(axis=-1))


# Representatives combine from themselves with coefficient 1, which no implementation breaks.
@identity("combined", on=Phases, where="other", local=(
    Quantity(_combined, "combined", "plan h pair w", "Σ_j c_j P_hV_{h+1}(·, w^(j))",
        rounding=lambda view: tolerances.completeness(view.public) * (1 + view.public.L)),
    Quantity(lambda view: ~(view.contexts[:, :, None] == view.targets[:, None, :]).any(axis=2), "other", "plan w",
        "w is no representative"),
))  # fmt: skip
def backup_combination(PV: Any) -> Any:
    """P_h V_{h+1}(., w) = sum_j c_j(w) P_h V_{h+1}(., w^(j)) at all w but representatives; it rests on V_{h+1} lying in F."""
    return PV
