"""Assumptions of the episodic setting, checked on the instance before anything runs."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.inequality import UNBOUNDED, Inequality, equality
from verifier.model.property import instance_property
from verifier_settings.episodic import Instance

ROUNDING = 64 * EPS


@instance_property()
def reward_range(instance: Instance) -> Inequality:
    """0 <= r(s,a) <= 1 (distance from 1/2 at most 1/2), of every reward that may be drawn where they are random."""
    reward, law = instance.truth.reward, instance.truth.law
    if law is not None:
        return Inequality(np.abs(law.support - 0.5), 0.5, ("outcome",), trivial=UNBOUNDED, tolerance=ROUNDING)
    return Inequality(np.abs(reward - 0.5), 0.5, ("h", "pair")[-reward.ndim :], trivial=UNBOUNDED, tolerance=ROUNDING)


@instance_property()
def noiseless(instance: Instance) -> Inequality:
    """r_h(s,a) is what is paid, always: the variance of a reward, at most a quarter of the squared range."""
    law = instance.truth.law
    variance = np.zeros(1) if law is None else law.law @ law.support**2 - law.mean**2
    quarter = (instance.public.high - instance.public.low) ** 2 / 4
    return Inequality(variance.ravel(), 0.0, ("pair",), tolerance=ROUNDING * max(quarter, 1.0), trivial=max(quarter, 1.0))


@instance_property()
def transition_kernel(instance: Instance) -> Inequality:
    """P(.|s,a) has no negative entry and rows that sum to 1."""
    P = instance.truth.P
    defect = np.maximum(np.abs(P.sum(axis=-1) - 1.0), np.maximum(-P, 0.0).max(axis=-1))
    axes = ("h", "pair")[-defect.ndim :]
    return Inequality(defect, 0.0, axes, tolerance=ROUNDING * P.shape[-1], trivial=1.0, identity=True)


@instance_property()
def stationary(instance: Instance) -> Inequality:
    """P_h and r_h are those of the first step at every step: their largest difference, the probabilities' and the rewards'."""
    truth = instance.truth
    change = [np.abs(table - table[0]).max(initial=0.0) for table in (truth.kernel, truth.rewards)]
    return Inequality(np.array(change), 0.0, ("table",), tolerance=0.0, trivial=1.0, identity=True)


@instance_property()
def linear_kernel(instance: Instance) -> Inequality:
    """P(.|s,a) = <phi(s,a), mu(.)>."""
    P, tolerance = instance.truth.P, ROUNDING * instance.public.d
    return equality(instance.public.phi @ instance.truth.mu, P, axes=("h", "pair", "s")[-P.ndim :], tolerance=tolerance)


@instance_property()
def linear_rewards(instance: Instance) -> Inequality:
    """r(s,a) = <theta, phi(s,a)>."""
    scale = max(1.0, float(np.abs(instance.truth.theta).max(initial=0.0)))
    tolerance = ROUNDING * instance.public.d * scale
    reward = instance.truth.reward
    return equality(
        (instance.public.phi @ instance.truth.theta.T).T, reward, axes=("h", "pair")[-reward.ndim :], tolerance=tolerance
    )  # fmt: skip


@instance_property()
def feature_norms(instance: Instance) -> Inequality:
    """||phi(s,a)||_2 <= 1."""
    return Inequality(np.linalg.norm(instance.public.phi, axis=1), 1.0, ("pair",), trivial=UNBOUNDED, tolerance=ROUNDING)


@instance_property()
def parameter_norms(instance: Instance) -> Inequality:
    """||theta||_2 <= sqrt(d) and || |mu|(S) ||_2 <= sqrt(d), as ratios."""
    root = np.sqrt(instance.public.d)
    theta, measures = instance.truth.theta, np.abs(instance.truth.mu).sum(axis=-1)
    norms = np.array([max(map(np.linalg.norm, np.atleast_2d(parameter))) for parameter in (theta, measures)])
    return Inequality(norms / root, 1.0, ("norm",), trivial=UNBOUNDED, tolerance=ROUNDING * instance.public.S)
