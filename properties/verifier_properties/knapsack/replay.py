"""Data, model, bonuses and plan that an algorithm with knapsacks reports, against the transcript.

Views: `verifier_settings.knapsack.Phases`. Everything is recomputed by enumeration of the next states and cost vectors of a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import phase_property
from verifier.model.statement import at_most, identity
from verifier_properties.any_setting.suspects import other_choices, worst_action
from verifier_settings.knapsack import Phases
from verifier_settings.knapsack.phases import copy_rounding, plan_rounding

TOPIC = "Planning"

# Data -----------------------------------------------------------------------------------------------------------------------


@identity("visits", on=Phases)
def visits(N: Any) -> Any:
    """N(s,a) of every plan against the steps that were played in earlier episodes: counts, which add without an error."""
    return N


@identity("known", on=Phases)
def known(known_pair: Any) -> Any:
    """The known pairs of every plan against those that were visited."""
    return known_pair


@identity("kernel", on=Phases, where="known_pair > 0")
def kernel(P_hat: Any) -> Any:
    """Phat_S of every plan against the frequencies of earlier episodes, at known pairs."""
    return P_hat


@identity("costs", on=Phases, where="known_pair > 0")
def costs(C_hat: Any) -> Any:
    """Phat_{C,i} of every plan against the frequencies of earlier episodes, at known pairs."""
    return C_hat


@identity("reward", on=Phases)
def reward(R_hat: Any) -> Any:
    """Rhat of every plan against the mean of the rewards of earlier episodes, 1 where there are none."""
    return R_hat


@identity("reward_variance", on=Phases, where="N > 0")
def reward_variance(Var_R: Any) -> Any:
    """The empirical variances of the reward of every plan against those of the transcript."""
    return Var_R


# The bonus ------------------------------------------------------------------------------------------------------------------


@identity("variance", on=Phases, where="known_pair > 0")
def variance(sigma2: Any) -> Any:
    """sigmahat_i^2 of every plan against its definition, by enumeration, with V of the plan and P-hat of the transcript."""
    return sigma2


@identity("correction", on=Phases, where="known_pair > 0", needs=("lower",))
def correction(u: Any) -> Any:
    """u_i of every plan against its definition, by enumeration, with both values of the plan and P-hat of the transcript."""
    return u


@identity("reward_bonus", on=Phases, where="known_pair > 0", local=(
    Quantity(lambda view: view.told.astype(float), "was_told", "plan", "told"),
))  # fmt: skip
def reward_bonus(was_told: Any, R_hat: Any, R: Any, Var_R: Any, L_R: Any, N: Any) -> Any:
    """CB^R of every plan against (3) at the widths handed out, at known pairs."""
    return np.where(was_told > 0, abs(R_hat - R), np.sqrt(2 * Var_R * L_R / N) + 8 * L_R / (3 * N))


@identity("transition_bonus", on=Phases, where="(known_pair > 0) & (L >= 0)", needs=("lower",))
def transition_bonus(sigma2: Any, u: Any, L: Any, N: Any, eta: Any) -> Any:
    """CB^P_i of every plan before the cut against (4) and (5) at the widths handed out, at known pairs."""
    return np.sqrt(4 * sigma2 * L / N) + np.sqrt(2 * u * L / N) + eta


@identity("cross", on=Phases, where="(known_pair > 0) & (L >= 0)")
def cross(eta: Any) -> Any:
    """eta_i of every plan against the second line of (4) and (5) at the widths handed out, at known pairs."""
    return eta


# The plan -------------------------------------------------------------------------------------------------------------------


def _greedy_values(view: Phases) -> Array:
    """(p, H+1, S, G) max_a Q_h, and 0 after the last step."""
    return _with_last(view.Q.max(axis=3))


def _taken(view: Phases, per_pair: Array) -> Array:
    """(p, H, S, G) what belongs to the action that the policy takes, of (p, H, X, G)."""
    table = np.broadcast_to(per_pair, (*view.Q.shape[:2], view.public.X, view.public.G)).reshape(view.Q.shape)
    return np.take_along_axis(table, view.policy[:, :, :, None], axis=3)[:, :, :, 0]


def _with_last(values: Array) -> Array:
    """Values of all steps, and 0 after the last one."""
    return np.concatenate([values, np.zeros_like(values[:, :1])], axis=1)


def _at_policy(
    name: str, symbol: str, of: Callable[[Phases], Array], rounding: Callable[[Phases], Array] | None = None
) -> Quantity:
    """Quantity of pairs at the action of the policy: axes plan, step, state and budget."""
    off = None if rounding is None else (lambda view: _with_last(_taken(view, view.once(rounding))))
    return Quantity(lambda view: _with_last(_taken(view, of(view))), name, "plan step s b", symbol, rounding=off)


@identity("Q", on=Phases, needs=("lower",))
def q_formula(known_pair: Any, R_hat: Any, CB: Any, PV_hat: Any, H: Any) -> Any:
    """Q_h of every plan against min(H, Rhat + CB + Phat V_{h+1}) over all (s, a, b), and H where a pair is unknown.

    All from the transcript but V and its pessimistic side, which are the plan's.
    """
    return np.where(known_pair > 0, cut(R_hat + CB + PV_hat, H), H)


@identity("lower", on=Phases, local=(
    _at_policy("known_pi", "known", lambda view: view.one_if_known[:, None, :, None]),
    _at_policy("R_pi", "R̂(π_h)", lambda view: view.mean_reward[:, None, :, None]),
    _at_policy("CB_pi", "CB(π_h)", lambda view: view.bonus),
    _at_policy("PV_pi", "P̂V̲_{h+1}(π_h)", lambda view: view.follow(view.lower), plan_rounding),
))  # fmt: skip
def lower_formula(known_pi: Any, R_pi: Any, CB_pi: Any, PV_pi: Any) -> Any:
    """Vlow_h of every plan against max(0, Rhat - CB + Phat Vlow_{h+1}) at the action of its policy, and 0 where unknown."""
    return np.where(known_pi > 0, np.maximum(R_pi - CB_pi + PV_pi, 0.0), 0.0)


@identity("V", on=Phases, local=(
    Quantity(_greedy_values, "Q_best", "plan step s b", "max_a Q_h", rounding=copy_rounding),
))  # fmt: skip
def value_function(Q_best: Any) -> Any:
    """V_h of every plan against max_a Q_h, and V_{H+1} against 0."""
    return Q_best


@identity("V_asked", on=Phases, where="was_asked > 0", local=(
    Quantity(lambda view: np.nan_to_num(view.handed), "V_asked", "plan h s b"),
    Quantity(lambda view: (~np.isnan(view.handed)).astype(float), "was_asked", "plan h s b", "asked"),
    Quantity(lambda view: view.V[:, 1:], "V_next", "plan h s b", "V_{h+1}", rounding=copy_rounding),
))  # fmt: skip
def asked(V_next: Any) -> Any:
    """The value function the width was asked with is V_{h+1} of the plan."""
    return V_next


# Not a formula: ties may fall either way, so that there is none of the action.
@phase_property()
def greedy(view: Phases) -> Inequality:
    """The policy of every plan takes an action of largest Q, for every state and budget left; ties may fall either way."""
    best, least = view.Q.max(axis=3), view.Q.min(axis=3)
    chosen = _taken(view, view.Q.reshape(*view.Q.shape[:2], view.public.X, view.public.G))
    tolerance = 16 * EPS * (np.abs(best) + 1.0)
    return Inequality(
        best - chosen, 0.0, ("plan", "h", "s", "b"), trivial=best - least, tolerance=tolerance, labels=view.labels, identity=True,
        explanations={
            "the same action at every budget": lambda: np.full(best.shape, (view.policy == view.policy[..., -1:]).all()),
            **other_choices(view.Q, view.policy, tolerance, view.public.H),
            **worst_action(chosen, least, tolerance, view.public.A),
        },
    )  # fmt: skip


@at_most("abs(V - H / 2)", on=Phases)
def value_range(H: Any) -> Any:
    """0 <= V_h <= H for every value function of a plan (distance from H/2 at most H/2)."""
    return H / 2
