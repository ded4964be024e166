"""The bonuses of Algorithm 4, (3) to (5) for d + 1 factors of one count each, evaluated by the harness.

An algorithm has its own code for them. Where nothing was seen, N counts as 1.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.knapsack.instance import Public


def log_term(public: Public) -> float:
    """L = log(18 (d+1) T S A prod_i (B_i + 1) / delta): a union over factors, pairs, visits and budgets.

    The paper's has no delta, and as many budgets as units.
    """
    return float(np.log(18 * (public.d + 1) * public.T * public.X * public.G / public.delta))


def reward_bonus(variance: Array, L: Array | float, visits: Array) -> Array:
    """(3): sqrt(2 sigmahat^2 L / N) + 8 L / (3 N)."""
    share = L / np.maximum(visits, 1.0)
    return np.sqrt(2 * variance * share) + 8 * share / 3


def cross(public: Public, L: Array, visits: Array) -> Array:
    """(n, ...) eta_i, for L and N of one shape: the second line of (4) and (5).

    4 H sqrt(L/N) sum_j [(4 s_j L/N)^(1/4) + sqrt(4 s_j L/(3 N))] + H phi_i sum_j phi_j,
    phi_j = sqrt(4 s_j L/N) + 4 s_j L/(3 N).
    """
    share = L / np.maximum(visits, 1.0)
    wide = 4 * np.array(public.sizes).reshape(-1, *(1,) * share.ndim) * share
    radius = np.sqrt(wide) + wide / 3
    roots = (np.sqrt(np.sqrt(wide)) + np.sqrt(wide / 3)).sum(axis=0)
    return public.H * (4 * np.sqrt(share) * roots + radius * radius.sum(axis=0))


def leading(variance: Array, correction: Array, L: Array, visits: Array) -> Array:
    """sqrt(4 sigmahat_i^2 L / N) + sqrt(2 u_i L / N), the first line of (4)."""
    share = L / np.maximum(visits, 1.0)
    return np.sqrt(4 * variance * share) + np.sqrt(2 * correction * share)
