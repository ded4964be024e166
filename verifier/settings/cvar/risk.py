"""Conditional value at risk of laws on a grid.

Larger is better and risk is in the lower tail: CVaR_tau(X) = sup_c { c - E[(c - X)^+] / tau } for tau in (0, 1], eq. (2) of
Zhao et al. (ICLR 2024). It is the mean of the worst tau of the law, (1/tau) int_0^tau F^{-1}(u) du: tau = 1 gives the mean, and a
tau at most the mass of the smallest atom gives the minimum. Tests compare it with the supremum and the dual linear program.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array


def cvar_of_laws(values: Array, laws: Array, tau: float) -> Array:
    """CVaR of laws (..., n) on increasing values (n,); shape (...)."""
    before = np.cumsum(laws, axis=-1) - laws
    worst = np.clip(tau - before, 0.0, laws)
    return np.asarray(worst @ values) / tau
