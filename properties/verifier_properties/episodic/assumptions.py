"""Assumptions of the episodic setting, checked on the instance before anything runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier_properties.any_setting.assumed import ROUNDING, assumed, assumed_at_most, fact, laws, unit_range
from verifier_settings.episodic import Instance
from verifier_settings.views import Facts


def _by_step(table: Array, axes: int) -> Array:
    """A table with a first axis of steps; of length 1 where it is the same at all of them."""
    return table if table.ndim == axes else table[None]


def _rewards(instance: Instance) -> Array:
    """(1 or H, 1 or X, 1 or v) the rewards that are paid, or that may be drawn where they are random."""
    law = instance.truth.law
    return _by_step(instance.truth.reward, 2)[:, :, None] if law is None else law.support[None, None]


reward_range = unit_range(
    _rewards, "h pair outcome",
    "0 <= r(s,a) <= 1 (distance from 1/2 at most 1/2), of every reward that may be drawn where they are random.",
)  # fmt: skip


def _variance(view: Facts) -> Array:
    """(1 or H, 1 or X) the variance of a reward."""
    law = view.truth.law
    return np.zeros((1, 1)) if law is None else _by_step(law.law @ law.support**2 - law.mean**2, 2)


def _largest_variance(view: Facts) -> float:
    """A quarter of the squared range, and 1 at least, since it is also what rounding is relative to."""
    return max((view.public.high - view.public.low) ** 2 / 4, 1.0)


@assumed_at_most("variance", local=(
    Quantity(_variance, "variance", "h pair", "Var r", 0.0, _largest_variance, lambda view: ROUNDING * _largest_variance(view)),
))  # fmt: skip
def noiseless() -> Any:
    """r_h(s,a) is what is paid, always: the variance of a reward, at most a quarter of the squared range."""
    return 0


transition_kernel = laws(
    lambda instance: _by_step(instance.truth.P, 3), "h pair s", "P(.|s,a) has no negative entry and rows that sum to 1."
)  # fmt: skip


def _changes(instance: Instance) -> list[float]:
    """Largest difference of the tables of a step from those of the first: the probabilities', and the rewards'."""
    return [np.abs(table - table[0]).max(initial=0.0) for table in (instance.truth.kernel, instance.truth.rewards)]


@assumed("change", local=(fact(_changes, "change", "table", "max_h |·_h − ·_1|"),))
def stationary() -> Any:
    """P_h and r_h are those of the first step at every step: their largest difference, the probabilities' and the rewards'."""
    return 0


@assumed("phi_mu", local=(
    fact(lambda instance: _by_step(instance.public.phi @ instance.truth.mu, 3), "phi_mu", "h pair s", "⟨φ, μ⟩",
        lambda instance: ROUNDING * instance.public.d),
    fact(lambda instance: _by_step(instance.truth.P, 3), "P", "h pair s"),
))  # fmt: skip
def linear_kernel(P: Any) -> Any:
    """P(.|s,a) = <phi(s,a), mu(.)>."""
    return P


def _of_rewards(instance: Instance) -> float:
    """Rounding of <theta, phi>."""
    return ROUNDING * instance.public.d * max(1.0, float(np.abs(instance.truth.theta).max(initial=0.0)))


@assumed("theta_phi", local=(
    fact(lambda instance: _by_step((instance.public.phi @ instance.truth.theta.T).T, 2), "theta_phi", "h pair", "⟨θ, φ⟩",
        _of_rewards),
    fact(lambda instance: _by_step(instance.truth.reward, 2), "r", "h pair"),
))  # fmt: skip
def linear_rewards(r: Any) -> Any:
    """r(s,a) = <theta, phi(s,a)>."""
    return r


@assumed_at_most("phi_norm", local=(
    fact(lambda instance: np.linalg.norm(instance.public.phi, axis=1), "phi_norm", "pair", "‖φ‖", ROUNDING),
))  # fmt: skip
def feature_norms() -> Any:
    """||phi(s,a)||_2 <= 1."""
    return 1


def _parameter_norms(instance: Instance) -> list[float]:
    """Largest norm of theta, and of the masses of mu, over the steps."""
    parameters = instance.truth.theta, np.abs(instance.truth.mu).sum(axis=-1)
    return [float(np.linalg.norm(np.atleast_2d(parameter), axis=-1).max()) for parameter in parameters]


@assumed_at_most("size / sqrt(d)", local=(
    fact(_parameter_norms, "size", "norm", "‖·‖", lambda instance: ROUNDING * instance.public.S * np.sqrt(instance.public.d)),
))  # fmt: skip
def parameter_norms() -> Any:
    """||theta||_2 <= sqrt(d) and || |mu|(S) ||_2 <= sqrt(d), as ratios."""
    return 1
