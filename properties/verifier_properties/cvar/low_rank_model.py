"""Assumptions of the CVaR setting, checked on the instance before anything runs."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.inequality import UNBOUNDED, Inequality
from verifier.model.property import instance_property
from verifier_settings.cvar import Instance

ROUNDING = 64 * EPS


@instance_property()
def transition_kernels(instance: Instance) -> Inequality:
    """Every model of the class, not only the true one, is a kernel: <phi, psi> has no negative entry, its rows sum to 1."""
    tolerance = ROUNDING * instance.public.S
    return Inequality(instance.kernel_residual, 0.0, ("model", "h", "pair"), tolerance=tolerance, trivial=1.0, identity=True)


@instance_property()
def feature_norms(instance: Instance) -> Inequality:
    """||phi(s,a)||_2 <= 1 for every model of the class."""
    return Inequality(instance.feature_norm, 1.0, ("model", "h", "pair"), trivial=UNBOUNDED, tolerance=ROUNDING)


@instance_property()
def measure_norms(instance: Instance) -> Inequality:
    """||sum_s psi(s) g(s)||_2 <= sqrt(d) for every g: S -> [0, 1] and every model of the class."""
    bound = np.sqrt(instance.public.d)
    return Inequality(
        instance.measure_norm, bound, ("model", "h"), trivial=UNBOUNDED, tolerance=ROUNDING * instance.public.S * bound
    )


@instance_property()
def realizability(instance: Instance) -> Inequality:
    """The true kernel is that of a model of the class, at every step."""
    residual = instance.realizability_residual
    return Inequality(residual, 0.0, ("h", "pair", "next"), tolerance=ROUNDING, trivial=1.0, identity=True)


@instance_property()
def reward_laws(instance: Instance) -> Inequality:
    """The reward of every (h, s, a) has a probability law on [0, 1]."""
    residual = instance.reward_residual
    return Inequality(residual, 0.0, ("h", "pair"), tolerance=ROUNDING * residual.size, trivial=1.0, identity=True)
