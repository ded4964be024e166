"""Least squares on value functions with weighted data: what the views on both phases of a run share.

Everything here is recomputed by the harness from its own transcript, except the fields that are named as the algorithm's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, cached_property, from_here_on
from verifier.formulas.quantity import quantity, reports
from verifier.formulas.scope import altered
from verifier_settings.elliptical import bonus, bonus_under, gram_norm
from verifier_settings.played import ActionValues
from verifier_settings.reward_free import tolerances
from verifier_settings.reward_free.instance import Instance, Public, Truth
from verifier_settings.reward_free.tolerances import Size
from verifier_settings.reward_free.weights import StepWeights
from verifier_settings.views import PlanT, Reported


def _of_gram(view: Any) -> Array:
    """(p, H) rounding of an entry of Lambda-hat."""
    return tolerances.gram(view.public, view.size)


def _of_variance_gram(view: Any) -> Array:
    """(p, H) rounding of an entry of Lambda-tilde."""
    return tolerances.variance_gram(view.public, view.size)


def euclidean_rounding(view: Any) -> Array:
    """(p, H) rounding of an estimate in the Euclidean norm: that under Lambda-hat over the root of its least eigenvalue."""
    return np.asarray(tolerances.estimate(view.public, view.size) / np.sqrt(np.linalg.eigvalsh(view.gram_replay)[..., 0]))


def _of_norm(view: Any) -> Array:
    """(p, H, X) rounding of ||phi||."""
    return np.asarray(tolerances.relative_norm(view.public, view.size)[..., None] * view.norm)


def _of_products(view: Any) -> Array:
    """(p, H, 1) rounding of <w, phi>: d products, or <phi, mu> V, whose terms are of size H."""
    size = np.linalg.norm(view.estimate, axis=2) + view.public.H
    return np.asarray(8 * EPS * (view.public.d + 2) * size[..., None])


def _norm_of_reports(view: Any) -> Array | None:
    """(p, H, X) ||phi|| under Lambda-hat as reported."""
    found: Array | None = view.reported_norm if reports(view, "gram") else None
    return found


@dataclass(eq=False, kw_only=True)
class Backups(ActionValues[Public, Truth, PlanT]):
    """Plans, each with the least squares it was made with.

    Shapes: p plans, K episodes, H steps, S states, A actions, X = S*A.

    Parameters
    ----------
    instance : Instance
    plans : sequence
        The algorithm's plans.
    width : (p, H) array
        The radii the harness handed out while the plan was made.
    handed : (p, H, S) array
        The value functions V_{h+1} the algorithm handed to the width.
    gram_replay, variance_replay : (p, H, d, d) arrays
        Lambda-hat and Lambda-tilde.
    moments : (p, H, d, S) array
        Sums of x e_{s'} / sigma-hat^2.
    before : StepWeights
        Of the episode before each plan, shapes (p, H).
    size : Size
        Of the data before each plan, shapes (p, H).
    episodes : (p,) int array
        How many episodes had been played.
    decided : (p,) bool array
        Whether rounding cannot have changed the weight of a step before, by the side of the threshold it is on. Where it
        can, two correct implementations may have different weights from then on.
    """

    instance: Instance
    width: Array
    handed: Array
    gram_replay: Array
    variance_replay: Array
    moments: Array
    before: StepWeights
    size: Size
    episodes: Array
    decided: BoolArray

    plan_axes: ClassVar[Mapping[str, str]] = {
        "gram": "h row column", "variance_gram": "h row column", "estimate": "h i", "bonus": "h pair", "reward": "h pair",
        "spread": "h", "variance": "h", "weight": "h", "enlarged": "h", "measures": "h i s",
    }  # fmt: skip
    """Axes of the fields that plans may have."""

    # What the algorithm says ------------------------------------------------------------------------------------

    @quantity("w_phi", "plan h pair", symbol="⟨w_h, φ⟩", rounding=_of_products)
    def mean_of_reports(self) -> Array:
        """(p, H, X) <w_h, phi> of its w_h."""
        return np.matmul(self.estimate, self.public.phi.T)

    @cached_property
    def reported_norm(self) -> Array:
        """(p, H, X) ||phi(s,a)|| under the matrices Lambda-hat that the algorithm reports; infinite where one is singular."""
        return bonus_under(self.public.phi, self.gram)

    policy = Reported()
    """(p, H, S) its actions."""
    gram = Reported()
    """(p, H, d, d) its Lambda-hat."""
    variance_gram = Reported()
    """(p, H, d, d) its Lambda-tilde."""
    estimate = Reported()
    """(p, H, d) its w_h."""
    added = Reported("bonus")
    """(p, H, X) its bonuses."""
    spread = Reported()
    """(p, H) its W of the steps of the episode before; so are the three that follow."""
    variance = Reported()
    """(p, H) its sigma-tilde^2."""
    weight = Reported()
    """(p, H) its sigma-hat^2."""
    enlarged = Reported()
    """(p, H) 1 where it says that the threshold was exceeded."""

    # What the harness recomputes --------------------------------------------------------------------------------

    @cached_property
    def gram_inverse(self) -> Array:
        """(p, H, d, d) inverses of Lambda-hat."""
        return np.linalg.inv(self.gram_replay)

    @quantity("beta", "plan h", symbol="β", low=0.0, high=np.inf)
    def handed_width(self) -> Array:
        """(p, H) the radii that the harness handed out."""
        return self.width

    @quantity("k", "plan", low=0.0)
    def played_before(self) -> Array:
        """(p,) how many episodes had been played."""
        return self.episodes.astype(float)

    @quantity("decided", "plan")
    def weights_decided(self) -> BoolArray:
        """(p,) `decided`."""
        return self.decided

    @quantity("data", "plan h row column", symbol="Σφφᵀ/σ̂²", rounding=_of_gram)
    def weighted_data(self) -> Array:
        """(p, H, d, d) sums of x x' / sigma-hat^2."""
        return self.gram_replay - self.public.ridge * np.eye(self.public.d)

    @quantity("variance_data", "plan h row column", symbol="Σφφᵀ/σ̃²", rounding=_of_variance_gram)
    def variance_weighted_data(self) -> Array:
        """(p, H, d, d) sums of x x' / sigma-tilde^2."""
        return self.variance_replay - self.public.ridge * np.eye(self.public.d)

    @cached_property
    def surprise(self) -> Array:
        """(p, H, d, S) sums of x (P_h - e_{s'}) / sigma-hat^2: of x P_h = x x' mu_h from the Gram matrix."""
        return np.matmul(self.weighted_data, self.truth.mu) - self.moments

    @quantity("norm", "plan h pair", symbol="‖φ‖", low=0.0, rounding=_of_norm, reported=_norm_of_reports)
    def norm(self) -> Array:
        """(p, H, X) ||phi(s,a)|| in the norm of the inverse of Lambda-hat."""
        return bonus(self.public.phi, self.gram_inverse)

    @quantity("radius", "plan h pair", symbol="β‖φ‖")
    def radius(self) -> Array:
        """(p, H, X) width times norm: the half-width of confidence intervals."""
        return self.width[..., None] * self.norm

    @quantity("w_hat", "plan h i", symbol="Λ̂⁻¹ΣφV/σ̂²", rounding=euclidean_rounding,
              reported=lambda view: view.estimate_of_reports())  # fmt: skip
    def estimate_replay(self) -> Array:
        """(p, H, d) w_h = mu-hat_h V_{h+1}, with V of the plan, by a batch solve."""
        return np.asarray(self.mean(self.V[:, 1:]))

    @cached_property
    def parameter(self) -> Array:
        """(p, H, d) mu_h V_{h+1}, which w_h aims at."""
        return np.matmul(self.truth.mu, self.V[:, 1:, :, None])[..., 0]

    @cached_property
    def PV(self) -> Array:
        """(p, H, X) the true backup P_h V_{h+1}(s,a)."""
        return np.matmul(self.truth.P, self.V[:, 1:, :, None])[..., 0]

    @cached_property
    def PV_hat(self) -> Array:
        """(p, H, X) the estimated backup <phi, w_h>."""
        return np.matmul(self.estimate_replay, self.public.phi.T)

    @quantity("e", "plan h", symbol="‖(μ_h − μ̂_h)V_{h+1}‖")
    def event_norm(self) -> Array:
        """(p, H) ||(mu_h - mu-hat_h) V_{h+1}|| in the norm of Lambda-hat, for V of the plan."""
        return self.error_norm(self.V[:, 1:])

    @cached_property
    def event(self) -> BoolArray:
        """(p, H) whether that is within the width."""
        return np.asarray(self.event_norm <= self.width)

    @cached_property
    def event_from(self) -> BoolArray:
        """(p, H) whether it is, at this step and all later ones."""
        return from_here_on(self.event)

    @quantity("event", "plan step", symbol="event from h on")
    def event_holds(self) -> BoolArray:
        """(p, H+1) the same, where weights are decided; False at the end, where values are 0 and say nothing of it."""
        return np.pad(self.event_from & self.decided[:, None], ((0, 0), (0, 1)))

    def mean(self, values: Array) -> Array:
        """mu-hat_h v_h for functions v (p, H, S); shape (p, H, d)."""
        return np.linalg.solve(self.gram_replay, np.matmul(self.moments, values[..., None]))[..., 0]

    def error_norm(self, values: Array) -> Array:
        """||(mu_h - mu-hat_h) v_h|| in the norm of Lambda-hat for functions v (p, H, S); shape (p, H)."""
        error = np.matmul(self.truth.mu, values[..., None])[..., 0] - self.mean(values)
        return gram_norm(error[..., None], self.gram_replay)[..., 0]

    @property
    def altered(self) -> dict[str, Callable[[], Any]]:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them."""

        def of_all_steps(gram: Array) -> Array:
            added = self.public.ridge * np.eye(self.public.d)
            return np.broadcast_to(added + (gram - added).sum(axis=1, keepdims=True), gram.shape)

        return {
            "under Λ̃": lambda: altered(self, gram_replay=self.variance_replay),
            "of all steps": lambda: altered(
                self, gram_replay=of_all_steps(self.gram_replay), variance_replay=of_all_steps(self.variance_replay)
            ),
        }
