"""Confidence in the model that an algorithm with knapsacks reports: its laws of next states and costs, and its mean rewards.

Views: `verifier_settings.knapsack.Phases`. For one value of one law at a pair, the first n samples are independent, so that with
the logarithm l its frequency is off by more than sqrt(2 p (1 - p) l / n) + l / (3 n), to either side, with probability exp(-l) at
most (Bernstein); a mean of rewards in [0, 1] by more than sqrt(l / (2 n)) likewise (Hoeffding). There are S + sum_i n_i values,
one mean, X pairs, and n <= T, hence l = log(2 (S + sum_i n_i + 1) X T / delta) makes all of it hold together with probability at
least 1 - delta, whatever the behaviour.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most
from verifier_settings.knapsack import Phases, tolerances

TOPIC = "Confidence"


def logarithm(values: Any, X: Any, T: Any, delta: Any) -> Any:
    """l = log(2 (S + sum_i n_i + 1) X T / delta)."""
    return np.log(2 * (values + 1) * X * T / delta)


def law_deviation(P: Any, l: Any, N: Any) -> Any:  # noqa: E741  # as it is called in the derivation
    """sqrt(2 P (1 - P) l / N) + l / (3 N)."""
    return np.sqrt(2 * P * (1 - P) * l / N) + l / (3 * N)


def reward_deviation(l: Any, N: Any) -> Any:  # noqa: E741  # the same
    """sqrt(l / (2 N))."""
    return np.sqrt(l / (2 * N))


def _rounding(view: Phases) -> Array:
    """(p,) rounding of a frequency or mean."""
    return tolerances.frequency(view.public, view.start)


def _reported_laws(view: Phases) -> Array:
    """(p, X, S + sum_i n_i) the laws of the next state and of all costs that plans report, one after the other."""
    costs = view.reported("costs")
    return np.concatenate(
        [view.reported("kernel"), *(costs[:, i, :, :size] for i, size in enumerate(view.public.sizes[1:]))], axis=-1
    )


def _true_laws(view: Phases) -> Array:
    """(X, S + sum_i n_i) the true ones."""
    return np.concatenate(view.truth.rows, axis=-1)


VALUES = Quantity(lambda view: sum(view.public.sizes), "values", "", "(S + Σ_i n_i)")

laws = at_most(
    "error", law_deviation, on=Phases, where="N > 0", define={"l": logarithm}, name="laws", topic=TOPIC,
    needs=("kernel", "costs"), local=(
        VALUES, Quantity(_true_laws, "P", "pair value"),
        Quantity(lambda view: np.abs(_reported_laws(view) - _true_laws(view)), "error", "plan pair value", "|P̂ − P|", 0.0, 1.0,
            _rounding),
    ),
    description="|Phat - P| of every next state and value of a cost against sqrt(2 P (1 - P) l / N) + l / (3 N), at pairs seen.",
)  # fmt: skip
rewards = at_most(
    "error", reward_deviation, on=Phases, where="N > 0", define={"l": logarithm}, name="rewards", topic=TOPIC,
    needs=("reward",), local=(
        VALUES,
        Quantity(lambda view: np.abs(view.reported("reward") - view.truth.reward), "error", "plan pair", "|R̂ − R|", 0.0, 1.0,
            _rounding),
    ),
    description="|Rhat - R| of every plan against sqrt(l / (2 N)), at pairs seen.",
)  # fmt: skip
