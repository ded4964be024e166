"""The logarithms in the confidence widths, evaluated by the harness; an algorithm has its own code for them."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.factored.instance import Public


def log_transition(public: Public) -> float:
    """L^P = ln(18 n T S A / delta)."""
    return float(np.log(18 * public.n * public.T * public.S * public.A / public.delta))


def log_reward(public: Public) -> Array:
    """(m,) L^R_i = ln(18 m T X^R_i / delta), where X^R_i is the number of cells of the scope of part i."""
    cells = np.array([public.cell_count(scope) for scope in public.reward_scopes])
    return np.log(18 * public.m * public.T * cells / public.delta)
