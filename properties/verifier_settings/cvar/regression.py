"""Least squares on simulated episodes of a known model, recomputed from transition counts: what CVaR-LSVI estimates, and the
truth.

The features of step h are phibar = phi (x) (rbar(0|s,a), ..., rbar(n|s,a)), phi index major, so D = d (n+1); after the last
action there is no transition and phi_H = e_1. The backup of a value function V(s', i) is linear in them, for every budget i, with
the parameter theta(i) whose entry (l, j) is sum_s' psi_l(s') V(s', (i-j)^+).
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.cvar.augmented import Grid
from verifier_settings.elliptical import gram_norm, gram_of
from verifier_settings.sessions import oracle_width, require_values


def features(phi: Array, r: Array) -> Array:
    """(H, X, D) phibar from phi (H-1, X, d) and reward laws (H, X, n+1)."""
    H, X, d = len(r), r.shape[1], phi.shape[2]
    last = np.zeros((1, X, d))
    last[..., 0] = 1.0
    return (np.concatenate([phi, last])[..., :, None] * r[..., None, :]).reshape(H, X, -1)


def parameter(psi: Array, V: Array, h: int, grid: Grid) -> Array:
    """(..., D, N+1) theta_h(i) of the next step's values V (..., S, N+1); psi is (H-1, d, S)."""
    d = psi.shape[1]
    if h < grid.H - 1:
        means = np.matmul(psi[h], V)
    else:
        means = np.zeros((*V.shape[:-2], d, grid.N + 1))
        means[..., 0, :] = V[..., 0, :]
    shifted = np.swapaxes(means[..., grid.below], -1, -2)  # (..., d, n+1, N+1)
    return shifted.reshape(*shifted.shape[:-3], -1, grid.N + 1)


def gram(rows: Array, counts: Array, ridge: float) -> Array:
    """(..., D, D) ridge I + sum phibar phibar' from rows (..., X, D) and counts (..., X, n+1, S)."""
    return gram_of(rows, counts.sum(axis=(-2, -1)), ridge)


def responses(counts: Array, V: Array, grid: Grid) -> Array:
    """(..., X, N+1) sum over transitions of V(s', (i-j)^+) by state-action pair; counts (..., X, n+1, S), V (..., S, N+1)."""
    *batch, X, atoms, S = counts.shape
    totals = np.matmul(counts.reshape(*batch, X * atoms, S), V)
    totals = totals.reshape(*totals.shape[:-2], X, atoms, totals.shape[-1])
    found = np.zeros((*totals.shape[:-2], totals.shape[-1]))
    for j, below in enumerate(grid.below.T):  # one reward after the other, which are few
        found += np.take(totals[..., j, :], below, axis=-1)
    return found


def estimate(rows: Array, counts: Array, V: Array, grid: Grid, ridge: float) -> Array:
    """(..., D, N+1) w_h(i) by a batch solve."""
    return np.linalg.solve(gram(rows, counts, ridge), np.matmul(rows.T, responses(counts, V, grid)))


def error(rows: Array, psi: Array, counts: Array, V: Array, h: int, grid: Grid, ridge: float) -> Array:
    """(D, N+1) w_h(i) - theta_h(i); rows and counts of this step, psi of all.

    Raises
    ------
    ContractError
        If V is no value function (S, N+1).
    """
    require_values(h, V, psi.shape[2], grid.N + 1)
    return np.asarray(estimate(rows, counts, V, grid, ridge) - parameter(psi, V, h, grid))


def least_width(error: Array, rows: Array, counts: Array, ridge: float) -> float:
    """The largest such error over budgets in the Gram norm, plus rounding slack."""
    return oracle_width(gram_norm(error, gram(rows, counts, ridge)).max(initial=0.0))
