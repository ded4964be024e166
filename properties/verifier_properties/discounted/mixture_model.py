"""Assumptions of the discounted setting, checked on the instance before anything runs."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.inequality import UNBOUNDED, Inequality, equality
from verifier.model.property import instance_property
from verifier_settings.discounted import Instance
from verifier_settings.discounted.mixture import largest_norms, rounding

# Checked on instances, of which there is no view with quantities.

ROUNDING = 64 * EPS


@instance_property()
def transition_kernel(instance: Instance) -> Inequality:
    """P(.|x,a) has no negative entry and rows that sum to 1."""
    P = instance.truth.P
    defect = np.maximum(np.abs(P.sum(axis=1) - 1.0), np.maximum(-P, 0.0).max(axis=1))
    return Inequality(defect, 0.0, ("pair",), tolerance=ROUNDING * P.shape[1], trivial=1.0, identity=True)


@instance_property()
def reward_range(instance: Instance) -> Inequality:
    """0 <= r(x,a) <= 1 (distance from 1/2 at most 1/2)."""
    return Inequality(np.abs(instance.public.reward - 0.5), 0.5, ("x", "a"), trivial=UNBOUNDED, tolerance=ROUNDING)


@instance_property()
def uniform_start(instance: Instance) -> Inequality:
    """pi_0 is the uniform policy."""
    pi = instance.public.initial_policy
    return equality(pi, np.full(pi.shape, 1.0 / pi.shape[1]), axes=("x", "a"), tolerance=ROUNDING)


@instance_property()
def linear_mixture(instance: Instance) -> Inequality:
    """P(x'|x,a) = <theta, psi(x,a,x')>."""
    truth = instance.truth
    mixed = instance.public.psi @ truth.theta
    return equality(truth.P, mixed, axes=("pair", "next"), tolerance=ROUNDING * max(instance.public.d, 1))


@instance_property()
def parameter_norm(instance: Instance) -> Inequality:
    """||theta||_2 <= B."""
    return Inequality(
        float(np.linalg.norm(instance.truth.theta)), instance.public.B, trivial=UNBOUNDED, tolerance=ROUNDING * instance.public.B
    )


@instance_property()
def feature_norm(instance: Instance) -> Inequality:
    """||sum_x' psi(x,a,x') V(x')||_2 <= B H for every V in [0, H]^X, at the worst V (a vertex)."""
    public = instance.public
    norms = largest_norms(public.psi)
    return Inequality(
        public.H * norms.upper,
        public.B * public.H,
        ("pair",),
        trivial=UNBOUNDED,
        tolerance=public.H * (rounding(public.psi) + ROUNDING * public.B),
    )
