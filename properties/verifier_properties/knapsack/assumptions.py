"""Assumptions on MDPs with knapsacks. Views: `verifier_settings.knapsack.Instance`."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier_properties.any_setting.assumed import ROUNDING, assumed, fact, unit_range
from verifier_settings.knapsack import Instance


@assumed("total", local=(
    fact(lambda instance: np.stack([law.sum(axis=1) for law in instance.truth.rows]), "total", "factor pair", "ΣP",
        lambda instance: ROUNDING * max(instance.public.sizes)),
))  # fmt: skip
def laws() -> Any:
    """Rows of the kernel and of all costs sum to 1."""
    return 1


def _numbers(instance: Instance) -> Array:
    """(n,) budgets and costs."""
    return np.array([*instance.public.budgets, *(c for support in instance.public.supports for c in support)], dtype=float)


@assumed("abs(number - nearest)", local=(
    fact(_numbers, "number", "number"),
    fact(lambda instance: np.maximum(np.round(_numbers(instance)), 0.0), "nearest", "number", "the nearest in ℕ"),
))  # fmt: skip
def unit_costs() -> Any:
    """Budgets and costs are non-negative multiples of the unit: distance from the nearest integer that is not negative."""
    return 0


reward_range = unit_range(
    lambda instance: instance.truth.part.support, "value", "Rewards lie in [0, 1] (distance from 1/2 at most 1/2).", 0.0
)  # fmt: skip
