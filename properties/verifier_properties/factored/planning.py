"""Bonuses, values and choices of every plan, from its own parts and from the transcript.

Views: `verifier_settings.factored.Phases`. Greedy play and the range of values are in `episodes.tabular_planning`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.statement import identity
from verifier_properties.factored import formulas
from verifier_properties.factored.formulas import backup_rounding, frequency_rounding, value_sizes
from verifier_settings.factored import Phases

TOPIC = "Planning"

RELATIVE = 64 * EPS
"""Rounding of a bonus: a dozen products, quotients and roots, and sums over factors, on both sides."""


def _backup(view: Phases) -> Array:
    """(p,) rounding of Phat V, for values that may be above H."""
    return backup_rounding(view, value_sizes(view))


# Bonuses ----------------------------------------------------------------------------------------------------------------------

WAS_TOLD = Quantity(lambda view: view.told.astype(float), "was_told", "plan", "told")
OF_REWARDS = (
    WAS_TOLD,
    Quantity(formulas.exact_reward, "R_error", "plan part pair", "|R̂_i − R_i|", rounding=frequency_rounding),
    Quantity(lambda view: np.maximum(view.reward_variance, 0.0), "Var_R", "plan part pair", "σ̂²_{R,i}"),
    Quantity(lambda view: np.maximum(view.rewards_seen, 1.0), "N", "plan part pair", "max(N_i, 1)"),
)
"""Quantities of CB^R_i, the variance as the plan reports it: `model.reward_variance` compares that."""


@identity("reward_bonus", on=Phases, local=OF_REWARDS)
def hoeffding_reward(was_told: Any, R_error: Any, L_R: Any, N: Any) -> Any:
    """CB^R_i of every plan, before the mean over i, against (1); the exact error where it asked for that."""
    return np.where(was_told > 0, R_error, formulas.hoeffding_reward(L_R, N))


@identity("reward_bonus", on=Phases, local=OF_REWARDS, needs=("reward_variance",))
def bernstein_reward(was_told: Any, R_error: Any, Var_R: Any, L_R: Any, N: Any) -> Any:
    """CB^R_i of every plan, before the mean over i, against (3); the exact error where it asked for that."""
    return np.where(was_told > 0, R_error, formulas.bernstein_reward(Var_R, L_R, N))


def _exact_transition(view: Phases) -> Array:
    """(p, n, H, X) the errors that are told; evaluated where any are, because it takes long."""
    return formulas.exact_transition(view) if view.told.any() else np.full((1, 1, 1, 1), np.nan)


def _pairs_rounding(view: Phases) -> Array:
    """Rounding of sums of products of radii: one summand may be subtracted from the sum of all."""
    return np.asarray(RELATIVE * view.public.n * view.once(formulas.pairs_of_all))


def _mixed_rounding(view: Phases) -> Array:
    """Rounding of sums over the factors, all terms positive."""
    return np.asarray(RELATIVE * view.public.n * view.once(formulas.lower_order))


def _of_two(axes: str, at: Callable[[Array], Array]) -> tuple[Quantity, ...]:
    """Quantities of the errors of two factors: entries of arrays (p, n, H, X), over these axes."""

    def entries(of: Callable[[Phases], Array]) -> Callable[[Phases], Array]:
        return lambda view: at(view.once(of))

    return (
        Quantity(entries(formulas.log_transition), "L", axes, "L^P"),
        Quantity(entries(formulas.pairs_of_others), "others", axes, "φ_j Σ_{l≠j} φ_l", rounding=entries(_pairs_rounding)),
        Quantity(entries(formulas.pairs_of_all), "all_pairs", axes, "φ_j Σ_l φ_l", rounding=entries(_pairs_rounding)),
        Quantity(
            entries(formulas.lower_order), "mixed", axes, "Σ_l (a_l^{1/4} + √(a_l/3)), a_l = 4|S_l|L/N_l",
            rounding=entries(_mixed_rounding),
        ),
    )  # fmt: skip


FIRST_STEP = _of_two("plan factor pair", lambda array: array[:, :, 0])
OF_TRANSITIONS = (
    *_of_two("plan factor h pair", lambda array: array),
    WAS_TOLD,
    Quantity(_exact_transition, "PV_error", "plan factor h pair", "|(P̂_j − P_j)V*|", rounding=backup_rounding),
    Quantity(lambda view: np.maximum(view.variance, 0.0), "sigma2", "plan factor h pair", "σ̂²_i"),
    Quantity(lambda view: np.maximum(view.correction, 0.0), "u", "plan factor h pair", "u_i"),
)  # fmt: skip
"""Quantities of CB^P_j, the moments as the plan reports them: `model.variances` and `model.corrections` compare these."""


@identity("transition_bonus", on=Phases, where="known_pair > 0", local=OF_TRANSITIONS, define={"cross": formulas.cross})
def hoeffding(was_told: Any, PV_error: Any, H: Any, L: Any, N: Any, cross: Any) -> Any:
    """CB^P_j of every plan, before the sum over j and the clip, against (2), where the pair is known; the error where told."""
    return np.where(was_told > 0, PV_error, formulas.hoeffding(H, L, N, cross))


@identity(
    "transition_bonus", on=Phases, where="known_pair > 0", local=OF_TRANSITIONS, define={"eta": formulas.eta},
    needs=("variance", "correction"),
)  # fmt: skip
def bernstein(was_told: Any, PV_error: Any, sigma2: Any, u: Any, L: Any, N: Any, eta: Any) -> Any:
    """CB^P_i of every plan, before the sum over i and the clip, against (4), where the pair is known; the error where told."""
    return np.where(was_told > 0, PV_error, formulas.bernstein(sigma2, u, L, N, eta))


cross_term = identity(
    "cross", formulas.cross, on=Phases, where="(known_pair > 0) & (L >= 0)", local=FIRST_STEP, name="cross-term", topic=TOPIC,
    description="The part of CB^P_j in (2) from the errors of two factors, at the widths handed out.",
)  # fmt: skip
eta = identity(
    "cross", formulas.eta, on=Phases, where="(known_pair > 0) & (L >= 0)", local=FIRST_STEP, name="eta", topic=TOPIC,
    description="The part of CB^P_i in (4) from the errors of two factors, (5), at the widths handed out.",
)  # fmt: skip


# Values -----------------------------------------------------------------------------------------------------------------------


def _per_step(of: Callable[[Phases], Array]) -> Callable[[Phases], Array]:
    """Array (p, H+1, S) of what belongs to the action of the policy, of arrays (p, 1 or H, X); 0 after the last step."""

    def taken(view: Phases) -> Array:
        table = np.broadcast_to(of(view), (len(view.plans), view.public.H, view.public.X)).reshape(view.Q.shape)
        found = np.take_along_axis(table, view.policy[..., None], axis=3)[..., 0]
        return np.concatenate([found, np.zeros((len(found), 1, view.public.S))], axis=1)

    return taken


def _CB_rounding(view: Phases) -> Array:
    """(p, H, X) rounding of the sum of both."""
    return RELATIVE * np.abs(view.once(formulas.reported_total))


CB_R = Quantity(lambda view: view.reward_bonus.mean(axis=1), "CB_R", "plan pair", "(1/m)Σ CB^R_i")
CB_P = Quantity(lambda view: view.transition_bonus.sum(axis=1), "CB_P", "plan h pair", "Σ CB^P_j")
"""The bonuses as a plan reports them: the mean over the parts, and the sum over the factors."""


@identity("Q", on=Phases, define={"CB": lambda CB_R, CB_P: CB_R + CB_P}, needs=("reward_bonus", "transition_bonus"), local=(
    Quantity(formulas.mean_reward, "R_hat", "plan pair", "R̂"),
    CB_R, CB_P,
    Quantity(formulas.backup_of_plan, "PV_hat", "plan h pair", "P̂V_{h+1}",
             rounding=lambda view: _backup(view)[:, None, None] + _CB_rounding(view)),
))  # fmt: skip
def q_formula(known_pair: Any, R_hat: Any, CB: Any, PV_hat: Any, H: Any) -> Any:
    """Q_h against min(H, Rhat + CB_h + Phat V_{h+1}) where the pair is known, and H elsewhere.

    Rhat and Phat from the transcript; V and the parts of CB are the plan's, and compared by themselves.
    """
    return np.where(known_pair > 0, cut(R_hat + CB + PV_hat, H), H)


@identity("lower", on=Phases, needs=("reward_bonus", "transition_bonus"), local=(
    Quantity(_per_step(lambda view: view.one_if_known[:, None]), "known_pi", "plan step s", "known"),
    Quantity(_per_step(lambda view: formulas.mean_reward(view)[:, None]), "R_pi", "plan step s", "R̂(π_h)"),
    Quantity(_per_step(lambda view: view.once(formulas.reported_total)), "CB_pi", "plan step s", "CB(π_h)",
             rounding=_per_step(_CB_rounding)),
    Quantity(_per_step(lambda view: view.estimates.backup(view.lower[:, 1:])), "PV_pi", "plan step s", "P̂V̲_{h+1}(π_h)",
             rounding=_backup),
))  # fmt: skip
def lower_formula(known_pi: Any, R_pi: Any, CB_pi: Any, PV_pi: Any) -> Any:
    """The pessimistic values against max(0, Rhat - CB_h + Phat lower_{h+1}) of the plan's action, 0 where its pair is unknown."""
    return np.where(known_pi > 0, np.maximum(R_pi - CB_pi + PV_pi, 0.0), 0.0)
