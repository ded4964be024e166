"""Confidence in the model that an algorithm with knapsacks reports: its laws of next states and costs, and its mean rewards.

Views: `verifier_settings.knapsack.Phases`. For one value of one law at a pair, the first n samples are independent, so that with
the logarithm l its frequency is off by more than sqrt(2 p (1 - p) l / n) + l / (3 n), to either side, with probability exp(-l) at
most (Bernstein); a mean of rewards in [0, 1] by more than sqrt(l / (2 n)) likewise (Hoeffding). There are S + sum_i n_i values,
one mean, X pairs, and n <= T, hence l = log(2 (S + sum_i n_i + 1) X T / delta) makes all of it hold together with probability at
least 1 - delta, whatever the behaviour.
"""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier.model.measurement import Inequality
from verifier.model.property import phase_property
from verifier_settings.knapsack import Phases, Public, tolerances

TOPIC = "Confidence"


def _log(public: Public) -> float:
    return math.log(2 * (sum(public.sizes) + 1) * public.X * public.T / public.delta)


def _per_visit(view: Phases) -> Array:
    """Logarithm per visit, l / N, shape (p, X)."""
    return np.asarray(_log(view.public) / np.maximum(view.seen, 1.0))


def law_deviation(P: Array, share: Array) -> Array:
    """sqrt(2 P (1 - P) l / N) + l / (3 N), share = l / N."""
    return np.asarray(np.sqrt(2 * P * (1 - P) * share) + share / 3)


def reward_deviation(share: Array) -> Array:
    """sqrt(l / (2 N))."""
    return np.asarray(np.sqrt(share / 2))


@phase_property("kernel", "costs")
def laws(view: Phases) -> Inequality:
    """|Phat - P| of every next state and value of a cost against sqrt(2 P (1 - P) l / N) + l / (3 N), at pairs seen."""
    sizes = view.public.sizes
    costs = view.reported("costs")
    reported = [view.reported("kernel"), *(costs[:, i, :, :size] for i, size in enumerate(sizes[1:]))]
    true = np.concatenate(view.truth.rows, axis=-1)
    share = _per_visit(view)[..., None]
    return Inequality(
        np.abs(np.concatenate(reported, axis=-1) - true), law_deviation(true, share),
        ("plan", "pair", "value"), trivial=1.0, tolerance=tolerances.frequency(view.public, view.start)[:, None, None],
        labels=view.labels, premise=(view.seen > 0)[..., None],
    )  # fmt: skip


@phase_property("reward")
def rewards(view: Phases) -> Inequality:
    """|Rhat - R| of every plan against sqrt(l / (2 N)), at pairs seen."""
    return Inequality(
        np.abs(view.reported("reward") - view.truth.reward), reward_deviation(_per_visit(view)), ("plan", "pair"), trivial=1.0,
        tolerance=tolerances.frequency(view.public, view.start)[:, None], labels=view.labels, premise=view.seen > 0,
    )  # fmt: skip
