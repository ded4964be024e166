"""Suspects of `balls`: where a radius, a kernel in a ball, or the values over a ball differ.

Each is told only where it is true of all comparisons that fail. Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model.measurement import Explanations
from verifier_settings.episodic import Phases

_ROUNDING = 1e-9
"""Rounding of masses and distances of laws, more than the 1e-12 that sizes of 1 have; what is told apart differs by more."""


def of_radius(view: Phases, uncut: Callable[[], Array], visits: Array) -> Explanations:
    """Suspects of the radius sqrt(14 S log(2 A t / delta) / N), above 2 where the ball holds every law.

    Parameters
    ----------
    view : Phases
    uncut : callable
        Gives the radius before it is cut at 2, shape (p, H, X).
    visits : (p, 1 or H, X) array
        N, at least 1.
    """
    public = view.public
    shape = (*visits.shape[:2], public.S, public.A)

    def logarithm(t: Array) -> Array:
        return np.asarray(np.log(2 * public.A * t[:, None, None] / public.delta))

    def with_visits(other: Array) -> Array:
        return np.asarray(np.minimum(uncut() * np.sqrt(visits / other), 2.0))

    def since() -> Array:
        before = np.full(visits.shape, np.nan)
        before[1:] = np.where(view.seen[:-1, None], visits[:-1], 0.0)  # of the first plan of a batch nothing is known
        return np.maximum(visits - before, 1.0)

    return {
        "the formula with N + 1 for N": lambda: with_visits(visits + 1.0),
        "the formula with 1/N for its root": lambda: with_visits(visits**2),
        "the formula with N(s) for N(s,a)": lambda: with_visits(
            np.where(view.seen[:, None], view.visits[:, None], 0.0).reshape(shape).sum(axis=3).repeat(public.A, axis=2)
        ),
        "the formula with the visits since the plan before for N": lambda: with_visits(since()),
        "the formula without its S": lambda: np.minimum(uncut() / np.sqrt(public.S), 2.0),
        "the formula with k for t in the logarithm": lambda: np.minimum(
            uncut() * np.sqrt(logarithm(view.start + 1.0) / logarithm(public.H * view.start + 1.0)), 2.0
        ),
    }


def of_laws(rows: Array, distance: Array, radius: Array) -> Explanations:
    """Suspects of rows that are no laws, or outside their balls.

    Parameters
    ----------
    rows : (p, H, X, S) array
    distance, radius : (p, H, X) array
        From the centre, and the most it may be.
    """

    def mass() -> Array:
        return np.asarray(rows.sum(axis=3))

    def as_far_as(times: float) -> Array:
        law = np.asarray((np.abs(mass() - 1.0) <= _ROUNDING) & (rows.min(axis=3) >= -_ROUNDING))
        far = law & (distance <= times * radius + _ROUNDING)
        reached = law & (distance > radius) & (np.abs(distance - times * radius) <= _ROUNDING)
        return np.asarray(far & np.any(reached))

    return {
        "rows of zeros": lambda: mass() == 0,
        "rows with a probability above 1": lambda: rows.max(axis=3) > 1 + _ROUNDING,
        "rows that sum to more than 1": lambda: mass() > 1 + _ROUNDING,
        "laws that are up to sqrt(2) times the radius away": partial(as_far_as, 2**0.5),
        "laws that are up to 2 times the radius away": partial(as_far_as, 2.0),
    }


def of_values(view: Phases, centre: Array, radius: Array, seen: Array) -> Explanations:
    """Suspects of r + max p V over a ball: laws of the ball that are not the best, and others.

    Parameters
    ----------
    view : Phases
    centre : (p, 1 or H, X, S) array
    radius : (p, H, X) array
    seen : (p, 1 or H, X) bool array
    """
    V = view.V[:, 1:]
    shape = (*radius.shape, V.shape[-1])
    frequencies = np.broadcast_to(centre, shape)

    def values(laws: Array) -> Array:
        return np.asarray((view.truth.reward + np.matmul(laws, V[..., None])[..., 0]).reshape(view.Q.shape))

    def before() -> Array:
        scores = np.full(V.shape, np.nan)
        scores[1:] = view.V[:-1, :-1]  # of the first plan of a batch nothing is known
        return scores

    def in_order_of(scores: Array) -> Array:
        unknown = np.isnan(scores[..., :1])[..., None]
        laws = moved(frequencies, radius, np.nan_to_num(scores), cut=True)
        return values(np.where(unknown, np.nan, laws))

    def divided() -> Array:
        raised = moved(frequencies, radius, V, cut=False)
        return values(raised / raised.sum(axis=3, keepdims=True))

    def uniform() -> Array:
        best = moved(frequencies, radius, V, cut=True)
        return values(np.where(seen[..., None], best, 1.0 / V.shape[-1]))

    return {
        "the formula with the uniform law where nothing was seen": uniform,
        "the formula with rows divided by their sums": divided,
        "the formula with mass moved in the order of the states' numbers": lambda: in_order_of(
            np.broadcast_to(-np.arange(V.shape[-1], dtype=float), V.shape)
        ),
        "the formula with mass moved in the order of V_h of the plan before": lambda: in_order_of(before()),
    }


def moved(centre: Array, radius: Array, scores: Array, *, cut: bool) -> Array:
    """The law of the ball with half the radius moved to the state of the highest score.

    Parameters
    ----------
    centre : (p, H, X, S) array
    radius : (p, H, X) array
    scores : (p, H, S) array
        What is too much is taken from the states of the lowest scores.
    cut : bool
        Whether anything is taken, so that rows have mass 1.

    Returns
    -------
    (p, H, X, S) array
    """
    order = np.broadcast_to(np.argsort(-scores, axis=-1, kind="stable")[:, :, None], centre.shape)
    sorted_laws = np.take_along_axis(centre, order, axis=-1)
    sorted_laws[..., 0] = np.minimum(1.0, sorted_laws[..., 0] + radius / 2)
    if cut:
        left = np.minimum(np.cumsum(sorted_laws, axis=-1), 1.0)  # what there is up to each state
        sorted_laws = np.diff(left, axis=-1, prepend=0.0)
    return np.take_along_axis(sorted_laws, np.argsort(order, axis=-1), axis=-1)
