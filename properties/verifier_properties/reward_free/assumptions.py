"""Assumptions of the reward-free setting (Definition 3.1), checked on the instance before anything runs."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier_properties.any_setting.assumed import ROUNDING, assumed, assumed_at_most, fact, laws, unit_range
from verifier_settings.reward_free import Instance

ENUMERATED = 12
"""Largest number of states with which all sign vectors are tried."""

transition_kernel = laws(
    lambda instance: instance.truth.P, "h pair s", "P_h(.|s,a) has no negative entry and rows that sum to 1."
)  # fmt: skip


def _of_product(instance: Instance) -> float:
    """Rounding of <phi, mu>."""
    return ROUNDING * instance.public.d * max(1.0, float(np.abs(instance.truth.mu).max(initial=0.0)))


@assumed("P", local=(
    fact(lambda instance: instance.truth.P, "P", "h pair s", "P_h"),
    fact(lambda instance: instance.public.phi @ instance.truth.mu, "phi_mu", "h pair s", "⟨φ, μ_h⟩", _of_product),
))  # fmt: skip
def linear_kernel(phi_mu: Any) -> Any:
    """P_h(.|s,a) = <phi(s,a), mu_h(.)>."""
    return phi_mu


@assumed_at_most("phi_norm", local=(
    fact(lambda instance: np.linalg.norm(instance.public.phi, axis=1), "phi_norm", "pair", "‖φ‖", ROUNDING),
))  # fmt: skip
def feature_norms() -> Any:
    """||phi(s,a)|| <= 1."""
    return 1


def _largest_norms(instance: Instance) -> Array:
    """(H,) the largest ||mu_h v|| over v with entries in [-1, 1].

    A norm is convex, so its maximum over the cube is at a vertex: all of them are tried where there are few states, else the
    smaller of two bounds from above stands in, by columns and by the largest singular value.
    """
    mu = instance.truth.mu
    return _over_signs(mu) if mu.shape[2] <= ENUMERATED else _from_above(mu)


def _over_signs(mu: Array) -> Array:
    vertices = np.array([(1.0, *others) for others in product((1.0, -1.0), repeat=mu.shape[2] - 1)])  # v and -v are alike
    return np.asarray(np.linalg.norm(mu @ vertices.T, axis=1).max(axis=1))


def _from_above(mu: Array) -> Array:
    columns = np.linalg.norm(np.abs(mu).sum(axis=2), axis=1)
    spectral = np.sqrt(mu.shape[2]) * np.linalg.norm(mu, ord=2, axis=(1, 2))
    return np.minimum(columns, spectral)


@assumed_at_most("largest / sqrt(d)", local=(
    fact(_largest_norms, "largest", "h", "max_v ‖μ_h v‖",
        lambda instance: ROUNDING * instance.public.S * np.sqrt(instance.public.d)),
))  # fmt: skip
def measure_norms() -> Any:
    """||mu_h v|| <= sqrt(d) for every v with entries in [-1, 1]."""
    return 1


def _rewards(instance: Instance) -> Array:
    """(n, H, X) every fixed reward, and what adversaries make of all pieces."""
    every = np.broadcast_to(instance.pieces.sum(axis=0), (instance.public.H, instance.public.d))
    return instance.reward(np.stack([*instance.fixed.values(), every]))


reward_range = unit_range(
    _rewards, "reward h pair",
    "0 <= r_h(s,a) <= 1 for every fixed reward, and for what adversaries make of all pieces (distance from 1/2 at most 1/2).",
    lambda instance: ROUNDING * instance.public.d,
)  # fmt: skip


def _parameter_norms(instance: Instance) -> Array:
    """(n,) ||theta_h|| of every fixed reward, and of all sums of pieces: every subset where there are few, else a bound."""
    pieces = instance.pieces
    if len(pieces) <= ENUMERATED:
        chosen = np.array(list(product((0.0, 1.0), repeat=len(pieces)))) @ pieces
    else:
        chosen = np.abs(pieces).sum(axis=0)[None]
    return np.asarray(np.linalg.norm(np.concatenate([*instance.fixed.values(), chosen]), axis=1))


@assumed_at_most("theta_norm / reward_norm", local=(
    fact(_parameter_norms, "theta_norm", "reward", "‖θ_h‖", lambda instance: ROUNDING * instance.public.reward_norm),
))  # fmt: skip
def reward_norms() -> Any:
    """||theta_h|| <= W for every fixed reward, and for all sums of pieces: every subset where there are few, else a bound."""
    return 1
