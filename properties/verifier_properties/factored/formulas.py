"""Equations (1) to (14) of FMDP-CH and FMDP-BF, each written once, and what stands in them by the harness.

An equation is a function of arrays or of the symbols of a statement: bounds, bonuses and premises are made of the same. What
follows them is of a view, `verifier_settings.factored.Phases`, from the harness's own counts and the widths it handed out. Axes:
plans, factors or parts, steps, pairs; that of the steps has length 1 where all steps are the same. N is 1 at least.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier_settings.factored import Phases, logs, tolerances


def hoeffding_reward(L_R: Any, N: Any) -> Any:
    """Bonus CB^R_i of (1), which is the bound (7)."""
    return np.sqrt(2 * L_R / N)


def bernstein_reward(Var_R: Any, L_R: Any, N: Any) -> Any:
    """Bonus CB^R_i of (3), which is the bound (13)."""
    return np.sqrt(2 * Var_R * L_R / N) + 8 * L_R / (3 * N)


def hoeffding_root(H: Any, L: Any, N: Any) -> Any:
    """The bound (8) on |(Phat_j - P_j) V*|."""
    return H * np.sqrt(2 * L / N)


def radius(S_j: Any, L: Any, N: Any) -> Any:
    """phi_j, which is the bound (9) on ||Phat_j - P_j||_1."""
    return np.sqrt(4 * S_j * L / N) + 4 * S_j * L / (3 * N)


def entry_radius(P: Any, L: Any, N: Any) -> Any:
    """The bound (10) on |Phat_j(v) - P_j(v)|."""
    return np.sqrt(2 * P * L / N) + L / (3 * N)


def freedman(sigma2: Any, H: Any, L: Any, N: Any) -> Any:
    """The bound (14) on |(Phat_j - P_j) V*|, for the variance of V* under the true laws."""
    return np.sqrt(2 * sigma2 * L / N) + 2 * H * L / (3 * N)


def cross(H: Any, others: Any) -> Any:
    """H phi_j sum_{l != j} phi_l."""
    return H * others


def hoeffding(H: Any, L: Any, N: Any, cross: Any) -> Any:
    """Bonus CB^P_j of (2)."""
    return hoeffding_root(H, L, N) + cross


def eta(H: Any, L: Any, N: Any, mixed: Any, all_pairs: Any) -> Any:
    """eta_i of (5), for `lower_order` and `pairs_of_all`."""
    return H * (4 * np.sqrt(L / N) * mixed + all_pairs)


def bernstein(sigma2: Any, u: Any, L: Any, N: Any, eta: Any) -> Any:
    """Bonus CB^P_i of (4)."""
    return np.sqrt(4 * sigma2 * L / N) + np.sqrt(2 * u * L / N) + eta


# Roundings, (p,) --------------------------------------------------------------------------------------------------------------


def frequency_rounding(view: Phases) -> Array:
    """Rounding of a mean."""
    return tolerances.frequency(view.public, view.start)


def backup_rounding(view: Phases, sizes: Array | float = 1.0) -> Array:
    """Rounding of a backup of values whose sizes (p,) are these times H."""
    return np.asarray(sizes * tolerances.backup(view.public, view.start))


def value_sizes(view: Phases) -> Array:
    """(p,) the size of V of the plan in units of H, 1 at least: it may be above H."""
    return np.maximum(1.0, np.abs(view.V).max(axis=(1, 2)) / view.public.H)


def chain_rounding(view: Phases) -> Array:
    """Rounding of values that rest on all later steps."""
    return tolerances.chain(view.public, view.start)


# What stands in them ----------------------------------------------------------------------------------------------------------


def log_transition(view: Phases) -> Array:
    """(p, 1, H, 1) the width times L^P; (p, 1, 1, 1) where no plan has two widths, so that what is made of it is made once."""
    same = bool((view.width == view.width[:, :1]).all())
    return (view.width[:, :1] if same else view.width)[:, None, :, None] * logs.log_transition(view.public)


def visits(view: Phases) -> Array:
    """(p, n, 1, X) max(1, N_j)."""
    return np.maximum(view.seen, 1.0)[:, :, None]


def in_transitions(view: Phases) -> tuple[float, Array, Array]:
    """H, L and N of the equations about transitions, with the widths in force."""
    return view.public.H, log_transition(view), visits(view)


def in_rewards(view: Phases) -> tuple[Array, Array]:
    """(p, m, 1) L_R and (p, m, X) N of those about rewards."""
    return view.reward_log[..., None], np.maximum(view.rewards_seen, 1.0)


def width_radius(view: Phases) -> Array:
    """(p, n, H, X) phi_j with the widths in force."""
    return np.asarray(radius(view.factor_sizes, *in_transitions(view)[1:]))


def width_freedman(view: Phases) -> Array:
    """(p, n, H, X) the bound (14) with the widths in force."""
    return np.asarray(freedman(view.true_variance, *in_transitions(view)))


def pairs_of_all(view: Phases) -> Array:
    """(p, n, H, X) phi_j sum_l phi_l."""
    phi = view.once(width_radius)
    return phi * phi.sum(axis=1, keepdims=True)


def pairs_of_others(view: Phases) -> Array:
    """(p, n, H, X) phi_j sum_{l != j} phi_l: sums over the others, so that nothing cancels."""
    phi = view.once(width_radius)
    before, after = np.zeros_like(phi), np.zeros_like(phi)
    for j in range(1, view.public.n):
        np.add(before[:, j - 1], phi[:, j - 1], out=before[:, j])
        np.add(after[:, -j], phi[:, -j], out=after[:, -j - 1])
    return phi * (before + after)


def lower_order(view: Phases) -> Array:
    """(p, 1, H, X) sum_l [(4 |S_l| L / N_l)^(1/4) + sqrt(4 |S_l| L / (3 N_l))] of equation (5)."""
    share = 4 * view.factor_sizes * log_transition(view) / visits(view)
    return (share ** (1 / 4) + np.sqrt(share / 3)).sum(axis=1, keepdims=True)


def exact_reward(view: Phases) -> Array:
    """(p, m, X) the error of Rhat_i."""
    return np.abs(view.estimates.reward_error)


def exact_transition(view: Phases) -> Array:
    """(p, n, H, X) the error of Phat_j for V*_{h+1}, where the factors before j are estimated and those after it are true."""
    return np.abs(np.moveaxis(view.estimates.telescoped(view.truth.V[1:]), 0, 1))


def mean_reward(view: Phases) -> Array:
    """(p, X) Rhat."""
    return view.estimates.reward.mean(axis=1)


def backup_of_plan(view: Phases) -> Array:
    """(p, H, X) Phat V_{h+1} of the plan, by the kernel of the transcript; 0 where a pair is unknown."""
    return view.estimates.backup(view.V[:, 1:])


def expected(of: Callable[[Phases], Array | float], name: str, symbol: str, known: bool = True) -> Quantity:
    """(e,) what an episode is expected to meet of `of`, (p, 1 or H, X), at its known or its unknown pairs, under its policy."""

    def found(view: Phases, size: Callable[[Any], Any] = np.asarray) -> Array:
        at_pairs = np.where(view.estimates.known[:, None] == known, size(of(view)), 0.0)
        return np.asarray((view.occupancy * at_pairs[view.phase]).sum(axis=(1, 2)))

    return Quantity(found, name, "episode", symbol, rounding=lambda view: 64 * EPS * found(view, np.abs))


def total(reward: Array, transition: Array) -> Array:
    """(p, H, X) CB_h of CB^R_i (p, m, X) and CB^P_j (p, n, H, X)."""
    return reward.mean(axis=1)[:, None] + transition.sum(axis=1)


def reported_total(view: Phases) -> Array:
    """(p, H, X) the sum of what a plan reports."""
    return total(view.reward_bonus, view.transition_bonus)
