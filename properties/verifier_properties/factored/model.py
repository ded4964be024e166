"""Counts and estimates of every plan, against the harness's own from the transcript.

Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most, identity
from verifier_settings.factored import Phases, products, tolerances
from verifier_settings.factored.phases import gap_rounding, spread_rounding

TOPIC = "Decomposition"


@identity("visits", on=Phases)
def visits(N: Any) -> Any:
    """N_{k-1}(x[Z_j]) of every plan against the visits of earlier episodes: counts, which add without an error."""
    return N


@identity("reward_visits", on=Phases)
def reward_visits(N_R: Any) -> Any:
    """N_{k-1}(x[Z_i]) of the scopes of the rewards against the visits of earlier episodes."""
    return N_R


@identity("kernel", on=Phases, where="N > 0")
def kernel(N_v: Any, N: Any) -> Any:
    """Phat_j(v | x[Z_j]) of every plan against the frequencies of earlier episodes, where the cell was seen."""
    return N_v / N


@identity("reward", on=Phases)
def reward(N_R: Any, r_sum: Any) -> Any:
    """Rhat_i of every plan against the mean of what was seen, 1 where nothing was."""
    return np.where(N_R > 0, r_sum / N_R, 1.0)


def _squares_rounding(view: Phases) -> Array:
    """E[r^2] - E[r]^2 of rewards in [0, 1] cancels: it loses what two means lose, and one rounding more."""
    return (4 * tolerances.frequency(view.public, view.start)[:, None, None] + 4 * EPS) * view.rewards_seen


@identity("reward_variance", on=Phases, where="N_R > 0", local=(
    Quantity(lambda view: view.estimates.reward_variance * view.rewards_seen, "D2", "plan part pair", "Σ (r_i − R̂_i)²", 0.0,
             rounding=_squares_rounding),
))  # fmt: skip
def reward_variance(D2: Any, N_R: Any) -> Any:
    """The empirical variance of r_i of every plan against that of what was seen, where anything was."""
    return D2 / N_R


@identity("known", on=Phases)
def known(known_pair: Any) -> Any:
    """The known pairs of every plan against those whose cell was seen in every transition scope."""
    return known_pair


@identity("variance", on=Phases, where="known_pair > 0")
def variances(sigma2: Any) -> Any:
    """sigma^2_i of every plan for its V_{h+1}, against the same of the transcript's Phat, by the definition."""
    return sigma2


@identity("correction", on=Phases, where="known_pair > 0", needs=("lower",))
def corrections(u: Any) -> Any:
    """u_i of every plan for its V_{h+1} and lower values, against the same of the transcript's Phat."""
    return u


@identity("variance_sum", on=Phases, where="known_pair > 0", needs=("variance", "kernel"), local=(
    Quantity(lambda view: view.variance.sum(axis=1), "variance_sum", "plan h pair", "Σ_i σ̂²_i",
             rounding=lambda view: 2 * view.public.n * spread_rounding(view)),
    Quantity(lambda view: _flat_mean(view, view.V[:, 1:]), "mean", "plan h pair", "E V_{h+1}"),
    Quantity(lambda view: _flat_mean(view, view.V[:, 1:] ** 2), "square", "plan h pair", "E V_{h+1}²"),
))  # fmt: skip
def variance_sum(square: Any, mean: Any) -> Any:
    """sum_i sigma^2_i against Var(V_{h+1}), both of the plan: of its own Phat, as a flat law."""
    return square - mean**2


def _ascending(view: Phases) -> Array:
    """(p, n + 3, H, X) (E G)^2, u_1 to u_n, E G^2, and u_n once more."""
    gap = view.V[:, 1:] - view.lower[:, 1:]
    ends = _flat_mean(view, gap)[:, None] ** 2, _flat_mean(view, gap**2)[:, None]
    return np.concatenate([ends[0], view.correction, ends[1], view.correction[:, -1:]], axis=1)


@at_most("lesser", on=Phases, where="known_pair > 0", needs=("correction", "kernel", "lower"), local=(
    Quantity(lambda view: view.once(_ascending)[:, :-1], "lesser", "plan between h pair", low=0.0, high=np.inf,
             rounding=lambda view: 2 * view.public.n * gap_rounding(view)),
    Quantity(lambda view: view.once(_ascending)[:, 1:], "greater", "plan between h pair"),
))  # fmt: skip
def correction_order(greater: Any) -> Any:
    """(E G)^2 <= u_1 <= ... <= u_n = E G^2 with G = V_{h+1} - lower, all of the plan (Jensen); u_n with equality.

    The flat law of the plan's own Phat is one route, what the plan reports is the other.
    """
    return greater


def _flat_mean(view: Phases, values: Array) -> Array:
    """(p, H, X) E V under the product of the laws that a plan reports, for values (p, H, S)."""
    return np.matmul(values, np.swapaxes(reported_kernel(view), 1, 2))


def reported_kernel(view: Phases) -> Array:
    """(p, X, S) the product of the laws that a plan reports."""
    return view.once(_reported_kernel)


def _reported_kernel(view: Phases) -> Array:
    return products.product([view.kernel[:, j, :, :size] for j, size in enumerate(view.public.state_sizes)])


def kernel_error(view: Phases) -> Array:
    """(p, S, X) Phat - P of the same: before anything is summed, so that nothing is left where the two agree."""
    return view.once(_kernel_error)


def _kernel_error(view: Phases) -> Array:
    return np.swapaxes(reported_kernel(view), 1, 2) - view.truth.P.T
