"""Suspects of `bernstein_updates`, the bonus of UCB-Bernstein, tried only where a comparison fails.

Arrays are (K-1, H), one entry for each update but those of the last episode.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array
from verifier.model.measurement import Explanations
from verifier_properties.episodic.updates import Updates


def of_variance(found: Updates, W: Array) -> Explanations:
    """Suspects of W_t: another moment, and the variance of other values."""
    view, V, H = found.view, found.V, found.public.H
    t = found.t[:-1]

    def mean_square() -> Array:
        return moments(found, found.following(V))[1]

    def old_mean() -> Array:
        values, visits = found.following(V), found.t

        def step(k: int, old: Array) -> Array:
            mean, squares = old[:, 0], old[:, 1]
            # At the first visit there is no mean to differ from: the square added is 0.
            change = (values[k] - mean) * (visits[k] > 1)
            return np.stack([mean + (values[k] - mean) / visits[k], squares + change**2], axis=1)

        return found.fold(np.zeros(2), step)[1][:-1, :, 1] / t

    def of(values: Array) -> Array:
        mean, square = moments(found, values)
        return np.maximum(square - mean**2, 0.0)

    def later() -> Array:
        """(K, H) Q_{h+1} of all actions at the next state, 0 after the last step."""
        Q = view.in_force("Q")
        following = np.concatenate([Q[:, 1:], np.zeros_like(Q[:, :1])], axis=1)
        # Axes (k, h, s, a): the next state s_{h+1} selects along s, which is left with length 1.
        return np.take_along_axis(following, view.states[:, 1:, None, None], axis=2)[:, :, 0]

    def at(values: Array, states: Array) -> Array:
        return np.take_along_axis(values, states[..., None], axis=2)[..., 0]

    return {
        "the second moment": mean_square,
        "the formula times t": lambda: W * t,
        "the formula with t - 1 for t": lambda: W * t / np.maximum(t - 1.0, 1.0),
        "the formula with the mean before each visit": old_mean,
        "the formula with V_h at the state that is left": lambda: of(at(V[:, :-1], view.states[:, :-1])),
        "the formula with V_{h+1} at the state that is left": lambda: of(at(V[:, 1:], view.states[:, :-1])),
        # V[1:] are the values of the next episode; the last episode has none after it and keeps its own.
        "the formula with V_{h+1} as it is after the episode": lambda: of(found.following(np.append(V[1:], V[-1:], axis=0))),
        "the formula with the mean of Q over actions": lambda: of(np.minimum(later().mean(axis=2), H)),
        "the formula with max Q, not cut at H": lambda: of(later().max(axis=2)),
        "the formula with Q at the pair": lambda: of(
            view.in_force("Q").reshape(len(V), H, -1)[np.arange(len(V))[:, None], found.at, found.rows]
        ),
    }


def moments(found: Updates, values: Array) -> tuple[Array, Array]:
    """The means of values (K, H), and of their squares, over the visits of each pair so far."""
    # One pass for both moments: the last axis has the sum of values and the sum of squares.
    sums = found.fold(np.zeros(2), lambda k, old: old + np.stack([values[k], values[k] ** 2], axis=1))[1]
    mean = sums[:-1] / found.t[:-1, :, None]
    return mean[..., 0], mean[..., 1]


def of_beta(first: Callable[[float, float], Array], second: Array, H: float) -> Explanations:
    """Suspects of beta_t: one of both bounds, and bounds without a term.

    Parameters
    ----------
    first : callable
        Maps what is added to W_t, and a factor of the term of lower order, to the first bound.
    second : array
        The other one.
    H : float
        What should be added.
    """
    return {
        "the first bound alone": lambda: first(H, 1.0),
        "the second bound alone": lambda: second,
        "the larger bound": lambda: np.maximum(first(H, 1.0), second),
        "the formula without its term of lower order": lambda: np.minimum(first(H, 0.0), second),
        "the formula with W for W + H": lambda: np.minimum(first(0.0, 1.0), second),
    }


def of_bonus(beta: Array, before: Array, rate: Array, bonus: Array) -> Explanations:
    """Suspects of b_t, which is made of beta_t and beta_{t-1}."""
    return {
        "beta_t": lambda: beta,
        "beta_t / (2 alpha_t)": lambda: beta / (2.0 * rate),
        "(beta_t - beta_{t-1}) / (2 alpha_t)": lambda: (beta - before) / (2.0 * rate),
        "the formula not divided by the rate": lambda: bonus * rate,
    }
