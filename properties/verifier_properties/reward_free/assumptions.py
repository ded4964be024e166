"""Assumptions of the reward-free setting (Definition 3.1), checked on the instance before anything runs."""

from __future__ import annotations

from itertools import product

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.inequality import UNBOUNDED, Inequality, equality
from verifier.model.property import instance_property
from verifier_settings.reward_free import Instance

ROUNDING = 64 * EPS
ENUMERATED = 12
"""Largest number of states with which all sign vectors are tried."""


@instance_property()
def transition_kernel(instance: Instance) -> Inequality:
    """P_h(.|s,a) has no negative entry and rows that sum to 1."""
    P = instance.truth.P
    defect = np.maximum(np.abs(P.sum(axis=2) - 1.0), np.maximum(-P, 0.0).max(axis=2))
    return Inequality(defect, 0.0, ("h", "pair"), tolerance=ROUNDING * P.shape[2], trivial=1.0, identity=True)


@instance_property()
def linear_kernel(instance: Instance) -> Inequality:
    """P_h(.|s,a) = <phi(s,a), mu_h(.)>."""
    size = max(1.0, float(np.abs(instance.truth.mu).max(initial=0.0)))
    tolerance = ROUNDING * instance.public.d * size
    return equality(instance.public.phi @ instance.truth.mu, instance.truth.P, axes=("h", "pair", "s"), tolerance=tolerance)


@instance_property()
def feature_norms(instance: Instance) -> Inequality:
    """||phi(s,a)|| <= 1."""
    return Inequality(np.linalg.norm(instance.public.phi, axis=1), 1.0, ("pair",), trivial=UNBOUNDED, tolerance=ROUNDING)


@instance_property()
def measure_norms(instance: Instance) -> Inequality:
    """||mu_h v|| <= sqrt(d) for every v with entries in [-1, 1].

    A norm is convex, so its maximum over the cube is at a vertex: all of them are tried where there are few states, else the
    smaller of two bounds from above stands in, by columns and by the largest singular value.
    """
    mu = instance.truth.mu
    largest = _over_signs(mu) if mu.shape[2] <= ENUMERATED else _from_above(mu)
    return Inequality(largest / np.sqrt(instance.public.d), 1.0, ("h",), trivial=UNBOUNDED, tolerance=ROUNDING * mu.shape[2])


def _over_signs(mu: Array) -> Array:
    vertices = np.array([(1.0, *others) for others in product((1.0, -1.0), repeat=mu.shape[2] - 1)])  # v and -v are alike
    return np.asarray(np.linalg.norm(mu @ vertices.T, axis=1).max(axis=1))


def _from_above(mu: Array) -> Array:
    columns = np.linalg.norm(np.abs(mu).sum(axis=2), axis=1)
    spectral = np.sqrt(mu.shape[2]) * np.linalg.norm(mu, ord=2, axis=(1, 2))
    return np.minimum(columns, spectral)


@instance_property()
def reward_range(instance: Instance) -> Inequality:
    """0 <= r_h(s,a) <= 1 for every fixed reward, and for what adversaries make of all pieces (distance from 1/2 at most 1/2)."""
    rewards = _rewards(instance)
    return Inequality(
        np.abs(rewards - 0.5), 0.5, ("reward", "h", "pair"), trivial=UNBOUNDED, tolerance=ROUNDING * instance.public.d
    )


def _rewards(instance: Instance) -> Array:
    every = np.broadcast_to(instance.pieces.sum(axis=0), (instance.public.H, instance.public.d))
    return instance.reward(np.stack([*instance.fixed.values(), every]))


@instance_property()
def reward_norms(instance: Instance) -> Inequality:
    """||theta_h|| <= W for every fixed reward, and for all sums of pieces: every subset where there are few, else a bound."""
    pieces = instance.pieces
    if len(pieces) <= ENUMERATED:
        chosen = np.array(list(product((0.0, 1.0), repeat=len(pieces)))) @ pieces
    else:
        chosen = np.abs(pieces).sum(axis=0)[None]
    norms = np.linalg.norm(np.concatenate([*instance.fixed.values(), chosen]), axis=1)
    return Inequality(norms / instance.public.reward_norm, 1.0, ("reward",), trivial=UNBOUNDED, tolerance=ROUNDING)
