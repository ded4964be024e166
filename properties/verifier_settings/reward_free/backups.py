"""Least squares on value functions with weighted data: what the views on both phases of a run share.

Everything here is recomputed by the harness from its own transcript, except the fields that are named as the algorithm's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from verifier.base.arrays import Array, BoolArray, cached_property
from verifier_settings.elliptical import bonus, gram_norm
from verifier_settings.reward_free.instance import Instance, Public, Truth
from verifier_settings.reward_free.tolerances import Size
from verifier_settings.reward_free.weights import StepWeights
from verifier_settings.views import PlanView, Reported

PlanT = TypeVar("PlanT")


@dataclass(eq=False, kw_only=True)
class Backups(PlanView[Public, Truth, PlanT]):
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

    # What the algorithm says ------------------------------------------------------------------------------------

    Q = Reported()
    """(p, H, S, A) its action values."""
    V = Reported()
    """(p, H+1, S) its value functions."""
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

    @cached_property
    def norm(self) -> Array:
        """(p, H, X) ||phi(s,a)|| in the norm of the inverse of Lambda-hat."""
        return bonus(self.public.phi, self.gram_inverse)

    @cached_property
    def radius(self) -> Array:
        """(p, H, X) width times norm: the half-width of confidence intervals."""
        return self.width[..., None] * self.norm

    @cached_property
    def estimate_replay(self) -> Array:
        """(p, H, d) w_h = mu-hat_h V_{h+1}, with V of the plan, by a batch solve."""
        return np.asarray(self.mean(self.V[:, 1:]))

    @cached_property
    def PV(self) -> Array:
        """(p, H, X) the true backup P_h V_{h+1}(s,a)."""
        return np.matmul(self.truth.P, self.V[:, 1:, :, None])[..., 0]

    @cached_property
    def PV_hat(self) -> Array:
        """(p, H, X) the estimated backup <phi, w_h>."""
        return np.matmul(self.estimate_replay, self.public.phi.T)

    @cached_property
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
        return np.logical_and.accumulate(self.event[:, ::-1], axis=1)[:, ::-1]

    def mean(self, values: Array) -> Array:
        """mu-hat_h v_h for functions v (p, H, S); shape (p, H, d)."""
        return np.linalg.solve(self.gram_replay, np.matmul(self.moments, values[..., None]))[..., 0]

    def error_norm(self, values: Array) -> Array:
        """||(mu_h - mu-hat_h) v_h|| in the norm of Lambda-hat for functions v (p, H, S); shape (p, H)."""
        error = np.matmul(self.truth.mu, values[..., None])[..., 0] - self.mean(values)
        return gram_norm(error[..., None], self.gram_replay)[..., 0]
