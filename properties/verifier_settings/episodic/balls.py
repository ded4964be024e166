"""Balls of plausible kernels (Jaksch, Ortner and Auer 2010), evaluated by the harness; an algorithm has its own code for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array


def radius(S: Any, A: Any, t: Any, delta: Any, N: Any) -> Any:
    """Equation (4): sqrt(14 S log(2 A t / delta) / N), in the L1 norm, at step t, counted from 1; infinite where N is 0.

    Of numbers and arrays, and of the symbols of a formula.
    """
    with np.errstate(divide="ignore"):
        return np.sqrt(14 * S * np.log(2 * A * t / delta) / N)


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


def mean_of_best_first(centre: Array, radius: Array, values: Array) -> Array:
    """Mean of V where half of d is given to the best state and taken from the next best ones, in place of the worst.

    It is no maximum: what a loop in the wrong order leaves. Arguments and shape are those of `largest_mean`.
    """
    order = np.argsort(-values, axis=-1)[..., None, :]
    shape = np.broadcast_shapes(centre.shape, order.shape)
    p = np.take_along_axis(np.broadcast_to(centre, shape), np.broadcast_to(order, shape), axis=-1)
    V = np.take_along_axis(np.broadcast_to(values[..., None, :], shape), np.broadcast_to(order, shape), axis=-1)
    first, others = np.minimum(p[..., 0] + radius / 2, 1.0), p[..., 1:]
    excess = np.maximum(first + others.sum(axis=-1) - 1.0, 0.0)
    taken = np.clip(excess[..., None] - (np.cumsum(others, axis=-1) - others), 0.0, others)
    return np.asarray(first * V[..., 0] + ((others - taken) * V[..., 1:]).sum(axis=-1))
