"""Mistakes for models that change at powers of two, from which explanations of a failure are made.

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier_properties.episodic.doubled_replay import Steps, doubled, power_below, steps_of
from verifier_settings.episodic import Phases

Others: TypeAlias = Mapping[str, Callable[[Phases], Array]]
"""Arrays that may be computed in the place of a quantity, by their names in a sentence."""


def _each(view: Phases, of: Callable[[Steps, int], Array]) -> Array:
    """Quantity of the steps before each plan."""
    steps = steps_of(view)
    return np.stack([of(steps, int(k)) for k in view.start])


def _power_of_three(view: Phases) -> Array:
    powers = 3.0 ** np.arange(40)  # 3^40 is more than any number of visits
    return np.where(view.visits > 0, powers[np.searchsorted(powers, view.visits, side="right") - 1], 0.0)


def _one_more(view: Phases) -> Array:
    return np.where(view.visits > 1, power_below(view.visits - 1.0) + 1.0, 0.0)


def _together(steps: Steps, episodes: int) -> Array:
    """(X,) all visits up to the step at which the count of any pair last reached a power of two."""
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


def _smoothed(view: Phases) -> Array:
    n = doubled(view).visits[..., None]
    return (doubled(view).kernel * n + 1.0 / view.public.S) / (n + 1.0)


def _staying(view: Phases) -> Array:
    left = np.repeat(np.eye(view.public.S), view.public.A, axis=0)
    return np.broadcast_to(left, doubled(view).kernel.shape)


OTHER_VISITS: Others = {
    "the power of two of the visits of first steps": lambda view: power_below(view.counts[:, 0].sum(axis=2)),
    "the power of two without the visits of last steps": lambda view: power_below(view.counts[:, :-1].sum(axis=(1, 3))),
    "1 where there was a visit": lambda view: np.minimum(view.visits, 1.0),
    "the largest power of three": _power_of_three,
    "one visit more than a power of two": _one_more,
    "all visits when a count of any pair last reached a power of two": lambda view: _each(view, _together),
}
OTHER_KERNELS: Others = {
    "frequencies of all visits": lambda view: view.kernel,
    "frequencies with one uniform visit added to every pair": _smoothed,
    "frequencies of the states that are left": _staying,
    "frequencies of the later half of the visits": lambda view: _each(view, _later),
}
OTHER_REWARDS: Others = {
    "the mean over all visits": lambda view: view.mean_reward,
    "the mean over visits 1 to n": lambda view: _each(view, _all_up_to_n),
    "the sum of these rewards": lambda view: doubled(view).reward * np.ceil(doubled(view).visits / 2),
}
