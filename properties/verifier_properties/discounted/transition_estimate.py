"""Transition estimates and bonuses of discounted planning: replayed from the transcript, and valid.

Views: `verifier_settings.discounted.Epochs`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.any_setting import bonus
from verifier_settings.discounted import Epochs, tolerances

TOPIC = "Confidence"

ESTIMATE = "From the transitions of earlier epochs and V_k of the plan; left out where the regime replaced the estimate."
BONUS = "The width handed out and what it is multiplied by, from the transcript; left out where the regime replaced the bonus."

estimate = identity("estimate", "NV / N", on=Epochs, where="w >= 0", name="estimate", description=ESTIMATE, topic=TOPIC)
"""Phat_k V_k of every plan of an algorithm that counts."""
estimate_of_mixture = identity(
    "estimate", "PV_hat", on=Epochs, where="w >= 0", name="estimate", description=ESTIMATE, topic=TOPIC
)
"""Phat_k V_k of every plan of an algorithm that regresses."""
bonus_formula = identity(
    "bonus", "w / sqrt(N)", on=Epochs, where="w >= 0", name="bonus-formula", description=BONUS, topic=TOPIC
)  # fmt: skip
"""CB_k of every plan of an algorithm that counts."""
bonus_of_mixture = identity(
    "bonus", "w * norm", on=Epochs, where="w >= 0", name="bonus-formula", description=BONUS, topic=TOPIC
)  # fmt: skip
"""CB_k of every plan of an algorithm that regresses."""


@identity("V_asked", on=Epochs, local=(
    Quantity(lambda view: view.handed, "V_asked", "epoch x"), Quantity(lambda view: view.V, "V_k", "epoch x"),
))  # fmt: skip
def target(V_k: Any) -> Any:
    """The value function the width was asked with is V_k of the plan."""
    return V_k


@identity("visits", on=Epochs)
def visits(N: Any) -> Any:
    """N_k(x,a) of every plan: one phantom visit, and the visits of earlier epochs; counts add without an error."""
    return N


@identity("theta", on=Epochs)
def regression(theta_hat: Any) -> Any:
    """theta_k of every plan against a batch solve of V_i(x_{t+1}) on the features phi_i(x_t, a_t) of earlier epochs."""
    return theta_hat


# Validity is shared with other settings, see `verifier_properties.any_setting.bonus`.


def validity(discounted: bool) -> Property:
    """|P V_k - Phat_k V_k| <= CB_k, or g times that as in eq. (2)."""
    factor = "gamma " if discounted else ""
    return bonus.validity(
        Epochs,
        lambda view: view.estimate,
        lambda view: view.bonus,
        lambda view: view.once(tolerances.backup),
        lambda view: np.ones(view.count, dtype=bool),
        (),
        f"{factor}|P V_k - Phat_k V_k| from the true kernel and the plan's estimate, against its bonus, at all (x, a).",
        (lambda view: view.public.gamma) if discounted else (lambda view: 1.0),
    )


# Linear mixtures --------------------------------------------------------------------------------------------------------


def _rounding_of_features(view: Epochs) -> Array:
    """(p, 1) of ||phi_k||: X products of size at most B H, and V_k, which may exceed H by rounding."""
    public = view.public
    return 8 * EPS * public.B * public.H * public.X + public.B * view.once(tolerances.value)[:, None]


@at_most("size", on=Epochs, name="feature-norm", local=(Quantity(
    lambda view: np.linalg.norm(view.mixture.phi, axis=2), "size", "epoch pair", "‖φ_k‖", 0.0, np.inf, _rounding_of_features
),))  # fmt: skip
def feature_norm(B: Any, H: Any) -> Any:
    """||phi_k(x,a)||_2 <= B H, with V_k of the plan, which may exceed H by rounding."""
    return B * H


def _noise(view: Epochs) -> Array:
    """(p, d) sum_t phi_t [V_i(x_{t+1}) - P V_i(x_t, a_t)].

    As P V_i(x,a) = <theta, phi_i(x,a)>, that is b - (Lambda - lambda I) theta.
    """
    found, added = view.mixture, view.public.ridge * np.eye(view.public.d)
    return np.asarray(found.moments - np.matmul(found.gram - added, view.truth.theta[:, None])[..., 0])


def _decomposed(view: Epochs) -> Array:
    """(p, d) Lambda_k^{-1} (sum_t phi_t noise_t - lambda theta)."""
    right = view.once(_noise) - view.public.ridge * view.truth.theta
    return np.asarray(np.linalg.solve(view.mixture.gram, right[..., None])[..., 0])


def _rounding_of_decomposed(view: Epochs) -> Array:
    """(p,) twice that of the parameter, and of what the solve makes of Lambda theta.

    The right side has Lambda theta in it, also where the moments are zero: rounded, and solved for, it is off by |Lambda^{-1}|
    |Lambda| |theta| times the unit.
    """
    found, theta = view.mixture, np.abs(view.truth.theta)
    amplified = np.matmul(np.abs(found.inverse), np.matmul(np.abs(found.gram), theta)[..., None])[..., 0]
    return np.asarray(2 * (tolerances.parameter(view) + tolerances.unit(view) * np.linalg.norm(amplified, axis=1)))


@identity("theta - theta_true", on=Epochs, local=(
    Quantity(lambda view: view.truth.theta, "theta_true", "i", "θ"),
    Quantity(_decomposed, "decomposed", "epoch i", "Λ_k⁻¹(Σ φ_t noise_t − λθ)", rounding=_rounding_of_decomposed),
))  # fmt: skip
def estimate_decomposition(decomposed: Any) -> Any:
    """theta_k - theta = Lambda_k^{-1} (sum_t phi_t noise_t - lambda theta), of the plan's theta_k; noise from the true kernel."""
    return decomposed


def noise_norm(view: Epochs) -> Array:
    """(p,) ||sum_t phi_t noise_t|| in the norm of Lambda_k^{-1}."""
    noise = view.once(_noise)
    solved = np.linalg.solve(view.mixture.gram, noise[..., None])[..., 0]
    return np.sqrt(np.maximum((noise * solved).sum(axis=1), 0.0))


def noise_bound(sigma: Any, log_det: Any, d: Any, ridge: Any, delta: Any) -> Any:
    """sigma sqrt(2 log(det(Lambda)^{1/2} lambda^{-d/2} / delta))."""
    return sigma * np.sqrt(2 * (log_det / 2 - d / 2 * np.log(ridge) - np.log(delta)))


def noise_event(deviation: str) -> Property:
    """The self-normalised noise of every plan against sigma sqrt(2 log(det(Lambda)^{1/2} lambda^{-d/2} / delta)).

    Parameters
    ----------
    deviation : str
        Formula of sigma: H in the paper, H/2 for values in [0, H].
    """
    made: Property = at_most(
        "noise", noise_bound, on=Epochs, name="noise-event", topic=TOPIC, define={"sigma": deviation}, local=(
            Quantity(
                noise_norm, "noise", "epoch", "‖Σ φ_t noise_t‖", 0.0, rounding=tolerances.gram_norm,
                high=lambda view: view.public.H * np.sqrt(view.steps_before),
            ),
            Quantity(lambda view: view.mixture.log_det[:-1], "log_det", "epoch", "ln det Λ_k"),
        ),
        description="The noise of the regression recomputed from the transcript and the true kernel, and log det of the Gram."
    )  # fmt: skip
    return made


def _bias(view: Epochs) -> Array:
    """(p,) lambda ||theta|| in the norm of Lambda_k^{-1}, for the matrix the plan reports; infinite where it has no inverse."""
    theta, regular, norm = view.truth.theta, view.regular, np.full(view.count, np.inf)
    inverse = np.linalg.inv(view.plans["gram"][regular])
    norm[regular] = view.public.ridge * np.sqrt(np.maximum(inverse @ theta @ theta, 0.0))
    return norm


@at_most("bias", on=Epochs, local=(
    Quantity(_bias, "bias", "epoch", "λ‖θ‖_{Λ_k⁻¹}", 0.0, np.inf, rounding=tolerances.gram_norm),
))  # fmt: skip
def bias(ridge: Any, B: Any) -> Any:
    """lambda ||theta|| in the norm of Lambda_k^{-1}, for the matrix the plan reports, against sqrt(lambda) B.

    Infinite where that matrix has no inverse.
    """
    return np.sqrt(ridge) * B
