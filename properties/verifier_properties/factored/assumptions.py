"""Assumptions of the factored setting, checked on the instance before anything runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier_properties.any_setting.assumed import ROUNDING, assumed, assumed_at_most, fact
from verifier_settings.factored import Instance


def _product(instance: Instance) -> Array:
    """(X, S) the product over j of P_j(s'[j] | x[Z_j])."""
    states = instance.public.state_factors()
    product = np.ones_like(instance.truth.P)
    for j, rows in enumerate(instance.rows):
        product = product * rows[:, states[:, j]]
    return product


def _of_rows(instance: Instance) -> float:
    """Rounding of a sum of probabilities, and of a product."""
    return ROUNDING * instance.public.S


@assumed("max(abs(product - P), abs(total - 1))", local=(
    fact(_product, "product", "pair s", "Π_j P_j(s′[j]|x[Z_j])", _of_rows),
    fact(lambda instance: instance.truth.P, "P", "pair s", "P(s′|x)"),
    fact(lambda instance: instance.truth.P.sum(axis=1), "total", "pair", "ΣP", _of_rows),
))  # fmt: skip
def product_kernel() -> Any:
    """P(s'|x) is the product over j of P_j(s'[j] | x[Z_j]), each of which is a law, at every pair and next state."""
    return 0


@assumed_at_most("off", local=(
    fact(lambda instance: [np.abs(part.support - 0.5).max() for part in instance.truth.parts], "off", "part", "max |r_i − 1/2|",
        ROUNDING),
))  # fmt: skip
def reward_range() -> Any:
    """Every part of the reward is in [0, 1] (distance from 1/2 at most 1/2)."""
    return 1 / 2
