"""The events that the analysis rests on: Lambda_1 of FMDP-CH, (7) to (10), and Lambda_2 of FMDP-BF, (9), (10), (13), (14).

Each is about the estimates a plan reports and counts of the transcript, with the published logarithms whatever the regime: it
holds for data from any behaviour. V* is the optimal value function of the truth. Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.measurement import Inequality
from verifier.model.property import phase_property
from verifier_properties.factored import formulas
from verifier_settings.factored import Phases, logs, products, tolerances

TOPIC = "Confidence"


def _seen(view: Phases) -> BoolArray:
    """Mask (p, n, X) of the cells that were seen."""
    return np.asarray(view.estimates.visits > 0)


def _reward_error(view: Phases) -> Array:
    """(p, m, X) |Rhat_i - Rbar_i| of the Rhat_i a plan reports."""
    return np.abs(view.reward - view.truth.part_means)


def _published(view: Phases) -> Array:
    """Logarithms L^R_i, shape (m, 1)."""
    return logs.log_reward(view.public)[:, None]


def reported_differences(view: Phases) -> list[Array]:
    """Phat_j - P_j of the Phat_j a plan reports: n arrays (p, S_j, X)."""
    return view.once(_differences)


def _differences(view: Phases) -> list[Array]:
    laws = (view.kernel[:, j, :, :size] for j, size in enumerate(view.public.state_sizes))
    return [np.swapaxes(law - true, 1, 2) for law, true in zip(laws, view.instance_rows, strict=True)]


def reported_distances(view: Phases) -> Array:
    """(p, n, X) ||Phat_j - P_j||_1 of the Phat_j a plan reports."""
    return view.once(_distances)


def _distances(view: Phases) -> Array:
    return np.stack([np.abs(difference).sum(axis=1) for difference in reported_differences(view)], axis=1)


def reported_factor_errors(view: Phases, marginals: Sequence[Array]) -> Array:
    """(p, n, H, X) (Phat_j - P_j) V of the Phat_j a plan reports, true laws of the other factors.

    Parameters
    ----------
    view : Phases
    marginals : sequence of n arrays (H, S_j, X) or (p, H, S_j, X)
        E over the other factors of V, under these laws.
    """
    split = zip(reported_differences(view), marginals, strict=True)
    return np.stack([products.inner(difference[:, None], rest, axis=-2) for difference, rest in split], axis=1)


@phase_property("reward")
def reward_hoeffding(view: Phases) -> Inequality:
    """(7): |Rhat_i - Rbar_i| against sqrt(2 L^R_i / N), wherever a cell was seen."""
    bound = np.sqrt(2 * _published(view) / np.maximum(view.estimates.reward_visits, 1.0))
    return _rewards(view, bound)


@phase_property("reward", "reward_variance")
def reward_bernstein(view: Phases) -> Inequality:
    """(13): |Rhat_i - Rbar_i| against sqrt(2 sigmahat^2_i L^R_i / N) + 8 L^R_i / (3 N), likewise."""
    return _rewards(view, formulas.bernstein_reward(view, np.maximum(view.reward_variance, 0.0), _published(view)))


def _rewards(view: Phases, bound: Array) -> Inequality:
    tolerance = tolerances.frequency(view.public, view.start)[:, None, None]
    return Inequality(
        _reward_error(view), bound, ("plan", "part", "pair"), trivial=1.0, tolerance=tolerance, labels=view.labels,
        premise=view.estimates.reward_visits > 0,
    )  # fmt: skip


@phase_property("kernel")
def value_hoeffding(view: Phases) -> Inequality:
    """(8): |(Phat_j - P_j) V*_{h+1}|, true laws of the other factors, against sqrt(2 H^2 L^P / N_j), at all pairs and steps."""
    L = np.array(logs.log_transition(view.public))
    return _values(view, formulas.hoeffding_root(view, L))


@phase_property("kernel")
def value_bernstein(view: Phases) -> Inequality:
    """(14): the same against sqrt(2 sigma^2_j(V*) L^P / N_j) + 2 H L^P / (3 N_j), the variance under the true laws."""
    return _values(view, formulas.freedman(view, logs.log_transition(view.public)))


def _values(view: Phases, bound: Array) -> Inequality:
    error = reported_factor_errors(view, view.estimates.instance.marginals)
    np.abs(error, out=error)
    return Inequality(
        error, bound, ("plan", "factor", "h", "pair"), trivial=float(view.public.H), labels=view.labels,
        tolerance=tolerances.backup(view.public, view.start)[:, None, None, None], premise=_seen(view)[:, :, None],
    )  # fmt: skip


@phase_property("kernel")
def row_distance(view: Phases) -> Inequality:
    """(9): ||Phat_j - P_j||_1 against 2 sqrt(|S_j| L^P / N_j) + 4 |S_j| L^P / (3 N_j), at all cells seen."""
    distance = reported_distances(view)
    bound = formulas.radius(view, np.array(logs.log_transition(view.public)))[:, :, 0]
    tolerance = max(view.public.state_sizes) * tolerances.frequency(view.public, view.start)[:, None, None]
    return Inequality(
        distance, bound, ("plan", "factor", "pair"), trivial=2.0, tolerance=tolerance, labels=view.labels, premise=_seen(view)
    )  # fmt: skip


@phase_property("kernel")
def entry_distance(view: Phases) -> Inequality:
    """(10): |Phat_j(v) - P_j(v)| against sqrt(2 P_j(v) L^P / N_j) + L^P / (3 N_j), at all cells seen and all values."""
    longest = max(view.public.state_sizes)
    true = np.stack([np.pad(row, ((0, 0), (0, longest - row.shape[1]))) for row in view.instance_rows])
    per_visit = (logs.log_transition(view.public) / formulas.visits(view))[:, :, 0, :, None]
    inside = np.arange(longest) < np.array(view.public.state_sizes)[:, None, None]
    return Inequality(
        np.abs(view.kernel - true), np.sqrt(2 * true) * np.sqrt(per_visit) + per_visit / 3, ("plan", "factor", "pair", "v"),
        trivial=1.0, tolerance=tolerances.frequency(view.public, view.start)[:, None, None, None], labels=view.labels,
        premise=_seen(view)[..., None] & inside,
    )  # fmt: skip
