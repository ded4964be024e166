"""Assumptions of the factored setting, checked on the instance before anything runs."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.inequality import UNBOUNDED, Inequality
from verifier.model.property import instance_property
from verifier_settings.factored import Instance

ROUNDING = 64 * EPS


@instance_property()
def product_kernel(instance: Instance) -> Inequality:
    """P(s'|x) is the product over j of P_j(s'[j] | x[Z_j]), each of which is a law, at every pair and next state."""
    truth, states = instance.truth, instance.public.state_factors()
    product = np.ones_like(truth.P)
    for j, rows in enumerate(instance.rows):
        product = product * rows[:, states[:, j]]
    defect = np.maximum(np.abs(product - truth.P), np.abs(truth.P.sum(axis=1) - 1.0)[:, None])
    return Inequality(defect, 0.0, ("pair", "s"), tolerance=ROUNDING * instance.public.S, trivial=1.0, identity=True)


@instance_property()
def reward_range(instance: Instance) -> Inequality:
    """Every part of the reward is in [0, 1] (distance from 1/2 at most 1/2)."""
    worst = [np.abs(part.support - 0.5).max() for part in instance.truth.parts]
    return Inequality(np.array(worst), 0.5, ("part",), trivial=UNBOUNDED, tolerance=ROUNDING)
