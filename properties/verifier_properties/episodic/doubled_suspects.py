"""Suspects of `doubled_model`: models in place of those that change at powers of two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.inequality import Explanations
from verifier_properties.episodic.doubled_replay import Steps, doubled, power_below, steps_of
from verifier_settings.episodic import Phases


def of_visits(view: Phases) -> Explanations:
    """Suspects of n, (p, X)."""
    N = view.visits
    return {
        "all visits, not the last power of two": lambda: N,
        "half of the formula, where that is 1 or more": lambda: np.floor(doubled(view).visits / 2),
        "the formula with the visits of first steps alone": lambda: power_below(view.counts[:, 0].sum(axis=2)),
        "the formula without the visits of last steps": lambda: power_below(view.counts[:, :-1].sum(axis=(1, 3))),
        "1 where there was a visit": lambda: np.minimum(N, 1.0),
        "the largest power of three": lambda: _power_of_three(N),
        "one visit more than a power of two": lambda: np.where(N > 1, power_below(N - 1.0) + 1.0, 0.0),
        "all visits when a count of any pair last reached a power of two": lambda: _each(view, _together),
    }


def of_kernel(view: Phases) -> Explanations:
    """Suspects of Phat, (p, X, S)."""
    public, found = view.public, doubled(view)
    left = np.repeat(np.eye(public.S), public.A, axis=0)
    return {
        "frequencies of all visits": lambda: view.kernel,
        "the formula smoothed by one uniform visit": lambda: (
            (found.kernel * found.visits[..., None] + 1.0 / public.S) / (found.visits[..., None] + 1.0)
        ),
        "frequencies of the states that are left, not of those that follow": lambda: np.broadcast_to(left, found.kernel.shape),
        "frequencies of the later half of the visits": lambda: _each(view, _later),
    }


def of_reward(view: Phases) -> Explanations:
    """Suspects of rhat, (p, X)."""
    found = doubled(view)
    return {
        "the mean over all visits": lambda: view.mean_reward,
        "the mean over visits 1 to n": lambda: _each(view, _all_up_to_n),
        "the sum in place of the mean": lambda: found.reward * np.ceil(found.visits / 2),
    }


def of_plans(planned: Array, expected: Array) -> Explanations:
    """Suspects of the number of plans of each episode, (K,)."""

    def always(true: BoolArray) -> Callable[[], BoolArray]:
        return lambda: np.full(len(planned), bool(true.all()))

    return {
        "plans in every episode": always(planned == 1),
        "plans once and never again": always(planned[1:] == 0),
        "plans several times in an episode": lambda: planned > 1,
        "no plan where one is due": lambda: planned < expected,
        "a plan where none is due": lambda: planned > expected,
    }


def _each(view: Phases, of: Callable[[Steps, int], Array]) -> Array:
    """Quantity of the steps before each plan."""
    steps = steps_of(view)
    return np.stack([of(steps, int(k)) for k in view.start])


def _power_of_three(visits: Array) -> Array:
    powers = 3.0 ** np.arange(40)
    return np.where(visits > 0, powers[np.searchsorted(powers, visits, side="right") - 1], 0.0)


def _together(steps: Steps, episodes: int) -> Array:
    rows = steps.rows[: episodes * steps.public.H]
    count = steps.earlier[: len(rows)] + 1.0
    last = np.flatnonzero(power_below(count) == count)[-1:] + 1
    return np.bincount(rows[: int(last.sum())], minlength=steps.public.X).astype(float)


def _later(steps: Steps, episodes: int) -> Array:
    n = power_below(steps.visits(episodes))
    return steps.frequencies(episodes, np.floor(n / 2), n)


def _all_up_to_n(steps: Steps, episodes: int) -> Array:
    n = power_below(steps.visits(episodes))
    return steps.mean(episodes, 0.0 * n, n)
