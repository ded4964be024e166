"""The bonus of Algorithm 3, (3) to (5): what FMDP-BF adds in factored MDPs and with knapsacks."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array


def reward_bonus(variance: Array, per_visit: Array) -> Array:
    """CB^R = sqrt(2 sigmahat^2 L / N) + 8 L / (3 N), equation (3); `per_visit` is L / N."""
    return np.sqrt(2 * variance * per_visit) + 8 * per_visit / 3


def eta(H: int, per_visit: Array, wide: Array, phi: Array) -> Array:
    """(n, X) sqrt(16 H^2 L / N_i) sum_j [(4 |S_j| L / N_j)^(1/4) + sqrt(4 |S_j| L / (3 N_j))] + sum_j H phi_i phi_j, in (5).

    Parameters
    ----------
    H : int
    per_visit : (n, X) or (X,) array
        L / N_i.
    wide : (n, X) array
        4 |S_j| L / N_j.
    phi : (n, X) array
        Twice what covers the L1 error of each factor.
    """
    lower_order = (wide**0.25 + np.sqrt(wide / 3)).sum(axis=0)
    return np.sqrt(16 * H**2 * per_visit) * lower_order + H * phi * phi.sum(axis=0)
