"""Upper and lower bounds of values, as in BPI-UCRL: replayed, valid for the policy they belong to, and how far apart they are.

With b and Phat_h as in `verifier_properties.episodic.error_bounds`, rewards r_h in [0, 1] that are known, and pi greedy for U,

    U_h = min(H, r_h + Phat_h max_a U_{h+1} + b),   L_h = max(0, r_h + Phat_h L_{h+1}(., pi_{h+1}) - b),

and H and 0 where nothing was seen. In a plan, Q is U and `lower` is L.

On the event H ||Phat_h - P_h||_1 / 2 <= b, |(Phat_h - P_h) v| <= b for all v with values in an interval of length H. So by
induction, from the last step to the first, U_h >= Q*_h and L_h <= Q^pi_h. So V*_1 - V^pi_1 <= max_a U_1 - L_1(., pi_1).

Without the event U_h - L_h <= 2b + Phat_h (max_a U_{h+1} - L_{h+1}(., pi_{h+1})). What Phat_h is applied to lies in [0, H], so on
the event U_h - L_h <= min(H, 3b) + P_h (max_a U_{h+1} - L_{h+1}(., pi_{h+1})).

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity, reports
from verifier.model.statement import at_most, identity
from verifier_properties.episodic.error_bounds import DIVERGENCE, covered, covered_from
from verifier_properties.episodic.planning import optimism
from verifier_properties.episodic.stopping import stopping_rule
from verifier_settings.episodic import Phases, bonuses, tolerances

TOPIC = "Confidence"

upper_bound = optimism(covered)
"""Q of every plan against Q*, where the event holds from the step on."""


def _of_values(view: Phases) -> Array:
    """(p,) rounding of values of all steps."""
    return np.asarray(2 * view.public.H * tolerances.backup(view.public, view.start))


def _followed(view: Phases) -> Array:
    """(p, H+1, S) L_h(s, pi_h(s)) of the plans; 0 after the last step."""
    public = view.public
    table = view.reported("lower").reshape(len(view.plans), public.H, public.S, public.A)
    if view.policy.ndim == 4:
        taken = (table * view.policy).sum(axis=3)
    else:
        taken = np.take_along_axis(table, view.policy[..., None], axis=3)[..., 0]
    return np.concatenate([taken, np.zeros((len(taken), 1, public.S))], axis=1)


def _lower_backup(view: Phases) -> Array:
    """(p, H, X) Phat_h L_{h+1}(., pi_{h+1}), L of the plan."""
    return bonuses.expected(view.step_kernel, view.once(_followed)[:, 1:])


def _lower_backup_of_reports(view: Phases) -> Array | None:
    """(p, H, X) the same, of the Phat_h that plans report."""
    return bonuses.expected(view.reported("step_kernel"), view.once(_followed)[:, 1:]) if reports(view, "step_kernel") else None


def _backup_of_best(view: Phases) -> Array:
    """(p, H, X) Phat_h max_a L_{h+1}, for that of the action of the policy."""
    public = view.public
    best = view.reported("lower").reshape(len(view.plans), public.H, public.S, public.A).max(axis=3)
    return bonuses.expected(view.step_kernel, np.concatenate([best[:, 1:], 0.0 * best[:, :1]], axis=1))


def _backup_rounding(view: Phases) -> Array:
    """(p,) rounding of r + Phat v."""
    return tolerances.backup(view.public, view.start)


LOWER = Quantity(lambda view: view.reported("lower"), "lower", "plan h pair", "L_h", -np.inf, np.inf)
BACKUP = Quantity(
    _lower_backup,
    "PL_hat_h",
    "plan h pair",
    "P̂_h L_{h+1}(·, π_{h+1})",
    -np.inf,
    np.inf,
    _backup_rounding,
    _lower_backup_of_reports,
    others={"P̂_h max_a L_{h+1}": _backup_of_best},
)


@identity("lower", on=Phases, needs=("lower",), define={**DIVERGENCE.define, "b": DIVERGENCE.formula}, reported={"b": "bonus"},
    local=(LOWER, BACKUP))  # fmt: skip
def lower_formula(N_h: Any, r: Any, PL_hat_h: Any, b: Any) -> Any:
    """L of every plan against max(0, r + Phat_h L_{h+1}(., pi_{h+1}) - b), counts from the transcript, and L of the plan."""
    return np.where(N_h > 0, np.maximum(r + PL_hat_h - b, 0), 0)


# What follows from the event ----------------------------------------------------------------------------------------


def _policy_values(view: Phases) -> Array:
    """(p, H, X) Q^pi_h of the policies of plans."""
    return view.truth.rewards + bonuses.expected(view.truth.kernel[None], view.V_policy[:, 1:])


@at_most("lower", on=Phases, where="holds", needs=("lower",), topic="Confidence", local=(
    LOWER,
    Quantity(_policy_values, "Q_policy", "plan h pair", "Q^π_h", rounding=_of_values),
    Quantity(covered_from, "holds", "plan h", "the event from h on"),
))  # fmt: skip
def lower_bound(Q_policy: Any) -> Any:
    """L of every plan against the value of its own policy, where the event holds from the step on."""
    return Q_policy


@at_most("abs(lower - Q / 2)", on=Phases, needs=("lower",), local=(
    Quantity(lambda view: view.reported("lower"), "lower", "plan h pair", "L_h", -np.inf, np.inf, rounding=_of_values),
))  # fmt: skip
def bounds_in_order(Q: Any) -> Any:
    """0 <= L_h <= Q_h <= H: the distance of L_h from the middle of 0 and Q_h against half of Q_h."""
    return Q / 2


def gap(view: Phases) -> Array:
    """(p, H+1, S) V_h(s) - L_h(s, pi_h(s)) of the plans."""
    return view.V - view.once(_followed)


@at_most("loss", on=Phases, where="covered", needs=("lower",), local=(
    Quantity(lambda view: view.truth.V[0] - view.V_policy[:, 0], "loss", "plan s", "V*_1 − V^π_1", 0.0, "H", _of_values),
    Quantity(lambda view: view.once(gap)[:, 0], "gap_1", "plan s", "V_1 − L_1(·, π_1)"),
    Quantity(lambda view: view.once(covered).all(axis=1), "covered", "plan", "the event"),
))  # fmt: skip
def policy_loss(gap_1: Any) -> Any:
    """V*_1 - V^pi_1 of the policy of every plan against V_1 - L_1(., pi_1), where the event holds at all steps."""
    return gap_1


@at_most("loss", on=Phases, where="output", local=(
    Quantity(
        lambda view: (view.truth.V[0] - view.V_policy[:, 0]) @ np.asarray(view.instance.start), "loss", "plan", "E[V* − V^π]",
        0.0, "H", _of_values,
    ),
    Quantity(lambda view: view.output, "output", "plan", "the run ends with it"),
))  # fmt: skip
def certified(epsilon: Any) -> Any:
    """E[V* - V^pi] of the policy of the output against epsilon; of runs that have stopped."""
    return epsilon


# What is explored ---------------------------------------------------------------------------------------------------


@at_most("distance", on=Phases, where="covered", needs=("lower",), topic="Exploration",
    define={**DIVERGENCE.define, "b": DIVERGENCE.formula}, local=(
    Quantity(lambda view: view.Q.reshape(len(view.plans), view.public.H, view.public.X) - view.reported("lower"), "distance",
        "plan h pair", "Q_h − L_h", -np.inf, np.inf),
    Quantity(covered, "covered", "plan h", "the event"),
    Quantity(lambda view: bonuses.expected(view.truth.kernel[None], view.once(gap)[:, 1:]), "P_gap", "plan h pair",
        "P_h(V_{h+1} − L_{h+1}(·, π_{h+1}))", rounding=_of_values),
))  # fmt: skip
def gap_recursion(N_h: Any, H: Any, b: Any, P_gap: Any) -> Any:
    """Q_h - L_h of every plan against min(H, 3 b) + P_h (V_{h+1} - L_{h+1}(., pi_{h+1})), where the event holds at the step."""
    return np.where(N_h > 0, np.minimum(3 * b, H), H) + P_gap


gap_rule = stopping_rule(
    lambda view: view.once(gap)[:, 0], 1.0,
    "Whether the run ends with a plan, against whether V_1(s_1) - L_1(s_1, pi_1(s_1)) is at most epsilon.", frozenset({"lower"}),
)  # fmt: skip
