"""Rounding that the comparisons of this setting allow, each derived from the sizes it depends on.

Features have norm at most 1 and lambda is the same in every iteration, so that the condition number of a Gram matrix of k
transitions is at most 1 + k/lambda. `k` is an array or a number.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier_settings import rounding
from verifier_settings.cvar import augmented
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.instance import Public

TIES = 1e-11
"""Actions, budgets and estimates whose values differ by no more than this are ties, of which any may be taken.

Implementations break ties by adding noise, or compare with some slack; what that is usually, 1e-12, is far above rounding errors
and far below any difference that matters: taken in each of H steps, such actions cost H times as much.
"""


def kernel(public: Public) -> float:
    """A transition probability, a sum of d products of size at most 1, and a distance of two laws over S states."""
    return 4 * EPS * (public.d + 1) * public.S


def occupancy(public: Public, grid: Grid) -> float:
    """An occupancy, summed over everything.

    Each of H steps adds X + n products of masses that sum to 1, and two kernels differ by `kernel`.
    """
    return public.H * (4 * EPS * (public.X + grid.n + 2) + kernel(public))


def value(public: Public, grid: Grid, bonuses: float = 0.0) -> float:
    """A value V_1 by any of the routes: backward, forward, or from the law of the return.

    Parameters
    ----------
    public : Public
    grid : Grid
    bonuses : float
        Sum over steps of the largest bonus.
    """
    return float(_value(public, grid, bonuses))


def _value(public: Public, grid: Grid, bonuses: Array | float) -> Array | float:
    scale = float(grid.levels[-1]) + bonuses
    return augmented.rounding(public.S, grid, bonuses) + occupancy(public, grid) * scale


def planned(public: Public, grid: Grid, bonus: Array) -> Array:
    """(p,) `values` of policies that may take any of tied actions in each of H steps, and any of tied budgets."""
    return values(public, grid, bonus) + (public.H + 1) * TIES


def values(public: Public, grid: Grid, bonus: Array) -> Array:
    """(p,) `value` for bonuses (p, H, X) of p plans."""
    return np.asarray(_value(public, grid, np.abs(bonus).max(axis=2).sum(axis=1)))


def cvar(public: Public, grid: Grid) -> float:
    """A CVaR, or an objective c - V / tau: the rounding of a value is divided by tau."""
    return value(public, grid) / public.tau + 4 * EPS * float(grid.levels[-1])


def one_step_back(public: Public, grid: Grid, cap: float) -> float:
    """H E[f_{h+1}] and E[b_h]: occupancies times numbers of size at most 2H and `cap`, the largest bonus, and the error of f."""
    scale = max(2.0 * public.H, cap)
    return occupancy(public, grid) * scale + public.H * kernel(public) + 4 * EPS * public.X * scale


def gram(public: Public, k: Array | float) -> Array:
    """An entry of Sigma: k products of size at most 1 added in two orders, each with the rounding of phi."""
    k = np.asarray(k, dtype=float)
    return 4 * EPS * (k + public.X) * (public.ridge + k)


def norm(public: Public, k: Array | float) -> Array:
    """||phi||_{Sigma^-1} for the features of all models, by two routes."""
    return rounding.bonus(public.phi, public.ridge, k, routes=2)
