"""Balls of plausible kernels (Jaksch, Ortner and Auer 2010), evaluated by the harness; an algorithm has its own code for them."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.episodic.instance import Public


def radius(public: Public, visits: Array, episodes: Array | float) -> Array:
    """Equation (4): sqrt(14 S log(2 A t / delta) / N), in the L1 norm, at the first step t after so many episodes.

    Parameters
    ----------
    public : Public
    visits : array
        N; the radius is infinite where it is 0.
    episodes : array or float
        How many were played, broadcast against `visits`.
    """
    t = public.H * np.asarray(episodes, dtype=float) + 1.0
    with np.errstate(divide="ignore"):
        return np.sqrt(14 * public.S * np.log(2 * public.A * t / public.delta) / visits)


def largest_mean(centre: Array, radius: Array, values: Array) -> Array:
    """max p V over the laws p with ||p - q||_1 <= d, by its dual programme.

    With a multiplier mu/2 of the radius and the best one of the total mass, the Lagrangian of a law q is the upper bound

        max V + mu d / 2 - sum_s q(s) min(max V - V(s), mu),

    and no duality gap is left at its least value over mu >= 0. It is convex and linear between the numbers max V - V(s), and
    increases after the largest, so that it is least at one of these. Nothing is sorted, and no mass is moved.

    Parameters
    ----------
    centre : (..., X, S) array
        q; where the radius is 2, zeros are allowed in place of a law, and nothing depends on them.
    radius : (..., X) array
        d.
    values : (..., S) array
        V.

    Returns
    -------
    (..., X) array
    """
    top = values.max(axis=-1, keepdims=True)
    gap = top - values
    cut = np.minimum(gap[..., None, :], gap[..., :, None])
    return np.asarray(top + (radius[..., None] / 2 * gap[..., None, :] - np.matmul(centre, cut)).min(axis=-1))
