"""The bonuses of FMDP-CH and FMDP-BF, written by the harness from its own counts and the widths it handed out.

Views: `verifier_settings.factored.Phases`. Axes: plans, factors or parts, steps, pairs; that of the steps has length 1 where all
steps are the same. N is 1 at least.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.factored import Phases, Public, logs


def log_transition(view: Phases) -> Array:
    """(p, 1, H, 1) the width times L^P; (p, 1, 1, 1) where no plan has two widths, so that what is made of it is made once."""
    same = bool((view.width == view.width[:, :1]).all())
    return (view.width[:, :1] if same else view.width)[:, None, :, None] * logs.log_transition(view.public)


def log_reward(view: Phases) -> Array:
    """(p, m, 1) the width times L^R_i."""
    return view.reward_width[:, None, None] * logs.log_reward(view.public)[:, None]


def visits(view: Phases) -> Array:
    """(p, n, 1, X) max(1, N_j)."""
    return view.once(_visits)


def _visits(view: Phases) -> Array:
    return np.maximum(view.seen, 1.0)[:, :, None]


def supports(public: Public) -> Array:
    """Sizes |S_j| of the factors, shape (n, 1, 1)."""
    return np.array(public.state_sizes)[:, None, None]


def width_radius(view: Phases) -> Array:
    """`radius` with the widths in force."""
    return radius(view, log_transition(view))


def radius(view: Phases, L: Array) -> Array:
    """(p, n, H, X) phi_j = sqrt(4 |S_j| L / N_j) + 4 |S_j| L / (3 N_j), which is the bound (9) on ||Phat_j - P_j||_1 as well."""
    share = 4 * supports(view.public) * L / visits(view)
    return np.sqrt(share) + share / 3


def hoeffding_root(view: Phases, L: Array) -> Array:
    """(p, n, H, X) sqrt(2 H^2 L / N_j), the bound (8)."""
    return view.public.H * np.sqrt(2 * L / visits(view))


def freedman(view: Phases, L: Array | float) -> Array:
    """(p, n, H, X) sqrt(2 sigma^2_j(V*) L / N_j) + 2 H L / (3 N_j), variances under the true laws: the bound (14)."""
    per_visit = L / visits(view)
    found = np.sqrt(2 * view.true_variance) * np.sqrt(per_visit)
    found += 2 * view.public.H * per_visit / 3
    return np.asarray(found)


def width_freedman(view: Phases) -> Array:
    """`freedman` with the widths in force."""
    return freedman(view, log_transition(view))


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


def hoeffding_cross(view: Phases) -> Array:
    """(p, n, H, X) H phi_j sum_{l != j} phi_l."""
    return view.public.H * pairs_of_others(view)


def hoeffding(view: Phases) -> Array:
    """(p, n, H, X) CB^P_j of equation (2)."""
    return hoeffding_root(view, log_transition(view)) + view.once(hoeffding_cross)


def hoeffding_reward(view: Phases) -> Array:
    """(p, m, X) CB^R_i of equation (1)."""
    return np.sqrt(2 * log_reward(view) / np.maximum(view.estimates.reward_visits, 1.0))


def lower_order(view: Phases) -> Array:
    """(p, 1, H, X) sum_l [(4 |S_l| L / N_l)^(1/4) + sqrt(4 |S_l| L / (3 N_l))] of equation (5)."""
    share = 4 * supports(view.public) * log_transition(view) / visits(view)
    return (share ** (1 / 4) + np.sqrt(share / 3)).sum(axis=1, keepdims=True)


def eta(view: Phases) -> Array:
    """(p, n, H, X) eta_i of equation (5)."""
    return view.public.H * (4 * np.sqrt(log_transition(view) / visits(view)) * lower_order(view) + pairs_of_all(view))


def bernstein(view: Phases, variance: Array, correction: Array) -> Array:
    """(p, n, H, X) CB^P_i of equation (4), for given sigma^2_i and u_i of that shape."""
    per_visit = log_transition(view) / visits(view)
    return np.sqrt(4 * variance * per_visit) + np.sqrt(2 * correction * per_visit) + eta(view)


def bernstein_reward(view: Phases, variance: Array, L: Array) -> Array:
    """(p, m, X) CB^R_i of equation (3), which is the bound (13), for given empirical variances."""
    per_visit = L / np.maximum(view.estimates.reward_visits, 1.0)
    return np.sqrt(2 * variance * per_visit) + 8 * per_visit / 3


def exact_reward(view: Phases) -> Array:
    """(p, m, X) the error of Rhat_i."""
    return np.abs(view.estimates.reward_error)


def exact_transition(view: Phases) -> Array:
    """(p, n, H, X) the error of Phat_j for V*_{h+1}, where the factors before j are estimated and those after it are true."""
    return np.abs(np.moveaxis(view.estimates.telescoped(view.truth.V[1:]), 0, 1))


def mean_reward(view: Phases) -> Array:
    """(p, X) Rhat."""
    return view.once(_mean_reward)


def _mean_reward(view: Phases) -> Array:
    return view.estimates.reward.mean(axis=1)


def backup(view: Phases, values: Array) -> Array:
    """(p, H, X) Phat V for values (p, H, S), by the kernel of the transcript; 0 where a pair is unknown."""
    return view.estimates.backup(values)


def backup_of_plan(view: Phases) -> Array:
    """Backup of V_{h+1} of the plan."""
    return view.once(_backup_of_plan)


def _backup_of_plan(view: Phases) -> Array:
    return backup(view, view.V[:, 1:])


def everywhere(view: Phases, known: Array, elsewhere: Array | float) -> Array:
    """(p, H, X) what holds where a pair is known, and what elsewhere; both broadcast."""
    return np.where(view.estimates.known[:, None], known, elsewhere)


def total(reward: Array, transition: Array) -> Array:
    """(p, H, X) CB_h of CB^R_i (p, m, X) and CB^P_j (p, n, H, X)."""
    return reward.mean(axis=1)[:, None] + transition.sum(axis=1)


def reported_total(view: Phases) -> Array:
    """(p, H, X) the sum of what a plan reports."""
    return view.once(_reported_total)


def _reported_total(view: Phases) -> Array:
    return total(view.reward_bonus, view.transition_bonus)
