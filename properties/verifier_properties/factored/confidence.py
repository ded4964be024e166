"""The events that the analysis rests on: Lambda_1 of FMDP-CH, (7) to (10), and Lambda_2 of FMDP-BF, (9), (10), (13), (14).

Each is about the estimates a plan reports and counts of the transcript, with the published logarithms whatever the regime: it
holds for data from any behaviour. V* is the optimal value function of the truth. Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most
from verifier_properties.factored import formulas
from verifier_properties.factored.formulas import backup_rounding, frequency_rounding
from verifier_settings.factored import Phases, logs, products

TOPIC = "Confidence"


def reported_differences(view: Phases) -> list[Array]:
    """Phat_j - P_j of the Phat_j a plan reports: n arrays (p, S_j, X)."""
    return view.once(_differences)


def _differences(view: Phases) -> list[Array]:
    laws = (view.kernel[:, j, :, :size] for j, size in enumerate(view.public.state_sizes))
    return [np.swapaxes(law - true, 1, 2) for law, true in zip(laws, view.instance_rows, strict=True)]


def reported_distances(view: Phases) -> Array:
    """(p, n, X) ||Phat_j - P_j||_1 of the Phat_j a plan reports."""
    return np.stack([np.abs(difference).sum(axis=1) for difference in reported_differences(view)], axis=1)


def reported_factor_errors(view: Phases, marginals: Sequence[Array]) -> Array:
    """(p, n, H, X) |(Phat_j - P_j) V| of the Phat_j a plan reports, true laws of the other factors.

    Parameters
    ----------
    view : Phases
    marginals : sequence of n arrays (H, S_j, X) or (p, H, S_j, X)
        E over the other factors of V, under these laws.
    """
    split = zip(reported_differences(view), marginals, strict=True)
    return np.abs(np.stack([products.inner(difference[:, None], rest, axis=-2) for difference, rest in split], axis=1))


def _padded(view: Phases) -> Array:
    """(n, X, B) P_j(v); 0 past the values of a factor, as what plans report."""
    longest = max(view.public.state_sizes)
    return np.stack([np.pad(row, ((0, 0), (0, longest - row.shape[1]))) for row in view.instance_rows])


_of_rewards = partial(at_most, "R_error", on=Phases, where="N > 0", local=(
    Quantity(lambda view: np.abs(view.reward - view.truth.part_means), "R_error", "plan part pair", "|R̂_i − R̄_i|", 0.0, 1.0,
             frequency_rounding),
    Quantity(lambda view: view.rewards_seen, "N", "plan part pair", "N_i"),
    Quantity(lambda view: logs.log_reward(view.public), "L_R", "part", "L^R_i"),
    Quantity(lambda view: np.maximum(view.reward_variance, 0.0), "Var_R", "plan part pair", "σ̂²_{R,i}"),
))  # fmt: skip
_of_laws = partial(at_most, on=Phases, where="N > 0", needs=("kernel",), local=(
    Quantity(lambda view: reported_factor_errors(view, view.estimates.instance.marginals), "PV_error", "plan factor h pair",
             "|(P̂_j − P_j)V*_{h+1}|", 0.0, "H", backup_rounding),
    Quantity(reported_distances, "distance", "plan factor pair", "‖P̂_j − P_j‖₁", 0.0, 2.0,
             lambda view: max(view.public.state_sizes) * frequency_rounding(view)),
    Quantity(lambda view: np.abs(view.kernel - view.once(_padded)), "off", "plan factor pair v", "|P̂_j(v) − P_j(v)|", 0.0, 1.0,
             frequency_rounding),
    Quantity(lambda view: logs.log_transition(view.public), "L", "", "L^P"),
    Quantity(lambda view: view.true_variance, "sigma2", "factor h pair", "σ²_j(V*)"),
    Quantity(lambda view: view.public.state_sizes, "S_j", "factor", "|S_j|"),
    Quantity(_padded, "P", "factor pair v", "P_j(v)"),
    Quantity(lambda view: np.arange(max(view.public.state_sizes)) < view.factor_sizes[:, 0], "inside", "factor v"),
))  # fmt: skip


@_of_rewards(needs=("reward",))
def reward_hoeffding(L_R: Any, N: Any) -> Any:
    """(7): |Rhat_i - Rbar_i| against sqrt(2 L^R_i / N), wherever a cell was seen."""
    return formulas.hoeffding_reward(L_R, N)


@_of_rewards(needs=("reward", "reward_variance"))
def reward_bernstein(Var_R: Any, L_R: Any, N: Any) -> Any:
    """(13): |Rhat_i - Rbar_i| against sqrt(2 sigmahat^2_i L^R_i / N) + 8 L^R_i / (3 N), likewise."""
    return formulas.bernstein_reward(Var_R, L_R, N)


@_of_laws("PV_error")
def value_hoeffding(H: Any, L: Any, N: Any) -> Any:
    """(8): |(Phat_j - P_j) V*_{h+1}|, true laws of the other factors, against sqrt(2 H^2 L^P / N_j), at all pairs and steps."""
    return formulas.hoeffding_root(H, L, N)


@_of_laws("PV_error")
def value_bernstein(sigma2: Any, H: Any, L: Any, N: Any) -> Any:
    """(14): the same against sqrt(2 sigma^2_j(V*) L^P / N_j) + 2 H L^P / (3 N_j), the variance under the true laws."""
    return formulas.freedman(sigma2, H, L, N)


@_of_laws("distance")
def row_distance(S_j: Any, L: Any, N: Any) -> Any:
    """(9): ||Phat_j - P_j||_1 against 2 sqrt(|S_j| L^P / N_j) + 4 |S_j| L^P / (3 N_j), at all cells seen."""
    return formulas.radius(S_j, L, N)


@_of_laws("off", where="(N > 0) & inside")
def entry_distance(P: Any, L: Any, N: Any) -> Any:
    """(10): |Phat_j(v) - P_j(v)| against sqrt(2 P_j(v) L^P / N_j) + L^P / (3 N_j), at all cells seen and all values."""
    return formulas.entry_radius(P, L, N)
