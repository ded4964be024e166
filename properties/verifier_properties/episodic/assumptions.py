"""Assumptions of the episodic setting, checked on the instance before anything runs."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.measurement import Inequality, equality
from verifier.model.property import instance_property
from verifier.settings.episodic import Instance

ROUNDING = 64 * EPS


@instance_property()
def reward_range(instance: Instance) -> Inequality:
    """0 <= r(s,a) <= 1 (distance from 1/2 at most 1/2)."""
    return Inequality(np.abs(instance.truth.reward - 0.5), 0.5, ("pair",), tolerance=ROUNDING)


@instance_property()
def transition_kernel(instance: Instance) -> Inequality:
    """P(.|s,a) has no negative entry and rows that sum to 1."""
    P = instance.truth.P
    defect = np.maximum(np.abs(P.sum(axis=1) - 1.0), np.maximum(-P, 0.0).max(axis=1))
    return Inequality(defect, 0.0, ("pair",), tolerance=ROUNDING * P.shape[1], trivial=1.0, identity=True)


@instance_property()
def linear_kernel(instance: Instance) -> Inequality:
    """P(.|s,a) = <phi(s,a), mu(.)>."""
    return equality(
        instance.public.phi @ instance.truth.mu, instance.truth.P, axes=("pair", "s"), tolerance=ROUNDING * instance.public.d
    )


@instance_property()
def linear_rewards(instance: Instance) -> Inequality:
    """r(s,a) = <theta, phi(s,a)>."""
    scale = max(1.0, float(np.abs(instance.truth.theta).max(initial=0.0)))
    tolerance = ROUNDING * instance.public.d * scale
    return equality(instance.public.phi @ instance.truth.theta, instance.truth.reward, axes=("pair",), tolerance=tolerance)


@instance_property()
def feature_norms(instance: Instance) -> Inequality:
    """||phi(s,a)||_2 <= 1."""
    return Inequality(np.linalg.norm(instance.public.phi, axis=1), 1.0, ("pair",), tolerance=ROUNDING)


@instance_property()
def parameter_norms(instance: Instance) -> Inequality:
    """||theta||_2 <= sqrt(d) and || |mu|(S) ||_2 <= sqrt(d), as ratios."""
    root = np.sqrt(instance.public.d)
    norms = np.array([np.linalg.norm(instance.truth.theta), np.linalg.norm(np.abs(instance.truth.mu).sum(axis=1))])
    return Inequality(norms / root, 1.0, ("norm",), tolerance=ROUNDING * instance.public.S)
