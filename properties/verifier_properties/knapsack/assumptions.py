"""Assumptions on MDPs with knapsacks. Views: `verifier_settings.knapsack.Instance`."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.inequality import UNBOUNDED, Inequality
from verifier.model.property import instance_property
from verifier_settings.knapsack import Instance


@instance_property()
def laws(instance: Instance) -> Inequality:
    """Rows of the kernel and of all costs sum to 1."""
    sums = np.stack([law.sum(axis=1) for law in instance.truth.rows])
    rounding = 64 * EPS * max(instance.public.sizes)
    return Inequality(np.abs(sums - 1.0), 0.0, ("factor", "pair"), trivial=1.0, tolerance=rounding, identity=True)


@instance_property()
def unit_costs(instance: Instance) -> Inequality:
    """Budgets and costs are non-negative multiples of the unit: distance from the nearest integer that is not negative."""
    values = np.array([*instance.public.budgets, *(c for support in instance.public.supports for c in support)], dtype=float)
    return Inequality(np.abs(values - np.maximum(np.round(values), 0.0)), 0.0, ("number",), trivial=UNBOUNDED)


@instance_property()
def reward_range(instance: Instance) -> Inequality:
    """Rewards lie in [0, 1] (distance from 1/2 at most 1/2)."""
    return Inequality(np.abs(instance.truth.part.support - 0.5), 0.5, ("value",), trivial=UNBOUNDED)
