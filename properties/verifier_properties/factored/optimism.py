"""The bonuses cover the errors, and so the values are optimistic, and for FMDP-BF pessimistic.

Premises are events at the widths in force, evaluated by the harness; where the algorithm was told the errors, the bonus is one of
these, and there is nothing to assume. Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.factored import formulas
from verifier_properties.factored.formulas import backup_rounding, chain_rounding, frequency_rounding
from verifier_properties.factored.model import kernel_error
from verifier_properties.factored.planning import CB_P, CB_R
from verifier_settings.factored import Phases

TOPIC = "Optimism"

Premise = Callable[[Phases], BoolArray]


def _events(view: Phases, reward: Array, value: Array) -> BoolArray:
    """(p, H, X) whether bounds of the rewards (p, m, X) and of the values (p, n, H, X), and (9), hold at the cells of a pair."""
    estimates, slack = view.estimates, 1 + 16 * EPS  # the width of the oracle has slack, and its bound rounds
    rewards = ((formulas.exact_reward(view) <= reward * slack) | (view.rewards_seen == 0)).all(axis=1)[:, None]
    radius = estimates.distance[:, :, None] <= view.once(formulas.width_radius) * slack
    values = ((np.abs(view.factor_error) <= value * slack) & radius) | (view.seen == 0)[:, :, None]
    # Rewards have no axis of steps. Where the error itself is the bonus nothing needs to be within a width (`told`).
    return np.asarray((rewards & values.all(axis=1) & view.asked[..., None]) | view.told[:, None, None])


def hoeffding_event(view: Phases) -> BoolArray:
    """(p, H, X) (7), (8) and (9) at the cells of a pair, with the widths in force."""
    H, L, N = formulas.in_transitions(view)
    return _events(view, formulas.hoeffding_reward(*formulas.in_rewards(view)), formulas.hoeffding_root(H, L, N))


def bernstein_event(view: Phases) -> BoolArray:
    """(p, H, X) (13), (14) and (9), likewise."""
    reward = formulas.bernstein_reward(view.estimates.reward_variance, *formulas.in_rewards(view))
    return _events(view, reward, view.once(formulas.width_freedman))


def _covers(view: Phases, reward: Array, transition: Array) -> BoolArray:
    """(p, H) whether bonuses (p, m, X) and (p, n, H, X) cover the errors at every known pair, up to rounding."""
    error = view.once(_reward_error)[:, None] + np.abs(view.backup_error)
    enough = error <= formulas.total(reward, transition) + backup_rounding(view)[:, None, None]
    # Unknown pairs are planned with H, which covers any error.
    return np.asarray(((enough | ~view.estimates.known[:, None]).all(axis=2) & view.asked) | view.told[:, None])


def hoeffding_covers(view: Phases) -> BoolArray:
    """(p, H) whether the harness's own bonus (1), (2) covers the errors of the transcript's estimates."""
    H, L, N = formulas.in_transitions(view)
    bonus = formulas.hoeffding(H, L, N, formulas.cross(H, view.once(formulas.pairs_of_others)))
    return _covers(view, formulas.hoeffding_reward(*formulas.in_rewards(view)), bonus)


def bernstein_covers(view: Phases) -> BoolArray:
    """(p, H) the same of (3) to (5), with the variances and corrections of the plan's values under the transcript's Phat."""
    H, L, N = formulas.in_transitions(view)
    eta = formulas.eta(H, L, N, formulas.lower_order(view), formulas.pairs_of_all(view))
    reward = formulas.bernstein_reward(view.estimates.reward_variance, *formulas.in_rewards(view))
    return _covers(view, reward, formulas.bernstein(view.variance_replay, view.correction_replay, L, N, eta))


def between(view: Phases) -> BoolArray:
    """(p, H) Omega_{h+1}: lower_{h+1} <= V*_{h+1} <= V_{h+1} of the plan, in all states."""
    slack, best = chain_rounding(view)[:, None, None], view.truth.V[1:]
    return np.asarray(((view.lower[:, 1:] <= best + slack) & (best <= view.V[:, 1:] + slack)).all(axis=2))


def bernstein_and_between(view: Phases) -> BoolArray:
    """(p, H, X) `bernstein_event` and `between`."""
    return view.once(bernstein_event) & view.once(between)[:, :, None]


def _reward_error(view: Phases) -> Array:
    """(p, X) |Rhat - R|."""
    return np.abs(formulas.mean_reward(view) - view.truth.reward)


def _holds(premise: Premise, axes: str) -> Quantity:
    return Quantity(lambda view: view.once(premise), "event", axes)


def _R_error(rounding: Callable[[Phases], Array] | None = None) -> Quantity:
    return Quantity(_reward_error, "R_error", "plan pair", "|R̂ − R|", 0.0, 1.0, rounding)


def _steps_after(view: Phases) -> float:
    return view.public.H - 1.0


def _PV_error() -> Quantity:
    """|(Phat - P) V*_{h+1}|, at most H - 1, the largest value after a step: 0 where H = 1, and then a bound has no power."""
    symbol = "|(P̂ − P)V*_{h+1}|"
    return Quantity(lambda view: np.abs(view.backup_error), "PV_error", "plan h pair", symbol, 0.0, _steps_after, backup_rounding)


def reward_coverage(premise: Premise) -> Property:
    """|Rhat - Rbar| <= mean_i CB^R_i of every plan, at all pairs whose cells were seen, where the premise holds at all steps."""

    def applies(view: Phases) -> BoolArray:
        return np.asarray(view.once(premise).all(axis=1) & (view.rewards_seen > 0).all(axis=1))

    error = _R_error(lambda view: 2 * frequency_rounding(view))
    return at_most(
        "R_error", "CB_R", on=Phases, where="event", local=(error, CB_R, _holds(applies, "plan pair")), name="reward-coverage",
        needs=("reward_bonus",), topic="Confidence",
    )  # fmt: skip


def transition_coverage(premise: Premise, *further: str) -> Property:
    """|(Phat - P) V*_{h+1}| <= sum_j CB^P_j of every plan, at all known pairs; `further` fields are what the premise reads."""
    return at_most(
        "PV_error", "CB_P", on=Phases, where="event & known_pair", local=(_PV_error(), CB_P, _holds(premise, "plan h pair")),
        name="transition-coverage", needs=("transition_bonus", *further), topic="Confidence",
    )  # fmt: skip


@at_most("R_error + PV_error", on=Phases, where="known_pair", topic="Confidence", needs=("reward_bonus", "transition_bonus"),
         local=(_R_error(), _PV_error(), CB_R, CB_P))  # fmt: skip
def coverage(CB_R: Any, CB_P: Any) -> Any:
    """|Rhat - R| + |(Phat - P) V*_{h+1}| against CB_h of every plan, at all known pairs, whatever holds."""
    return CB_R + CB_P


def _from_here_on(premise: Premise) -> Quantity:
    """Whether a premise (p, H) holds at h and at every later step."""
    return Quantity(lambda view: np.logical_and.accumulate(view.once(premise)[:, ::-1], axis=1)[:, ::-1], "event", "plan h")


VALUES = (
    Quantity(lambda view: view.truth.V[:-1], "V_star", "h s", "V*_h", 0.0, lambda view: np.arange(view.public.H, 0, -1)[:, None]),
    Quantity(lambda view: view.V[:, :-1], "V_h", "plan h s", rounding=chain_rounding),
    Quantity(lambda view: view.lower[:, :-1], "V_low", "plan h s", "V̲_h", -np.inf, "H", chain_rounding),
)


def optimism(premise: Premise, *needs: str) -> Property:
    """V_h >= V*_h of every plan in all states, where the premise, which reads these fields, holds at every step from h on."""
    return at_most(
        "V_star", "V_h", on=Phases, where="event", local=(*VALUES, _from_here_on(premise)), name="optimism", topic=TOPIC,
        needs=needs,
    )  # fmt: skip


def pessimism(premise: Premise) -> Property:
    """lower_h <= V*_h of every plan in all states, where the premise holds at every step from h on; cut at 0, as V* is."""
    return at_most(
        "V_low", "V_star", on=Phases, where="event", local=(*VALUES, _from_here_on(premise)), name="pessimism", topic=TOPIC,
        needs=("lower",),
    )  # fmt: skip


# What lies between the events and the bonus of FMDP-BF -------------------------------------------------------------------


@at_most("PV_error", on=Phases, where="event & known_pair", topic="Confidence", needs=("kernel",), local=(
    Quantity(lambda view: np.abs(np.matmul(view.truth.V[1:], kernel_error(view))), "PV_error", "plan h pair",
             "|(P̂ − P)V*_{h+1}|", 0.0, "H", backup_rounding),
    Quantity(lambda view: view.once(formulas.width_freedman).sum(axis=1), "single", "plan h pair",
             "Σ_j (√(2σ²_j(V*)L/N_j) + 2HL/(3N_j))"),
    Quantity(lambda view: view.once(formulas.pairs_of_others).sum(axis=1), "pairs", "plan h pair", "Σ_{i≠j} φ_iφ_j"),
    _holds(lambda view: view.once(bernstein_event) & ~view.told[:, None, None], "plan h pair"),
))  # fmt: skip
def product_error(single: Any, pairs: Any, H: Any) -> Any:
    """Lemma F.1: |(Phat - P) V*| of the kernel a plan reports, where (13), (14) and (9) hold and no errors were told."""
    return single + H * pairs


@at_most("sqrt(sigma2_star)", on=Phases, where="event & known_pair", needs=("variance", "correction", "lower"), local=(
    Quantity(lambda view: view.true_variance, "sigma2_star", "factor h pair", "σ²_i(V*)", 0.0,
             lambda view: view.public.H**2 / 4),
    Quantity(lambda view: view.estimates.distance.sum(axis=1), "B", "plan pair", "Σ_j ‖P̂_j − P_j‖₁"),
    Quantity(lambda view: np.maximum(view.variance, 0.0), "sigma2", "plan factor h pair", "σ̂²_i(V)",
             rounding=lambda view: 6 * view.public.H * backup_rounding(view)),
    Quantity(lambda view: np.maximum(view.correction, 0.0), "u", "plan factor h pair", "u_i"),
    _holds(between, "plan h"),
))  # fmt: skip
def deviation(sigma2: Any, u: Any, H: Any, B: Any) -> Any:
    """Lemma F.7 (Minkowski): sd_i(V*) <= sdhat_i(V) + sqrt(u_i) + sqrt(4 H^2 B), B = sum_j ||Phat_j - P_j||_1.

    The printed form has sigma^2_i(V*) - 2 sigmahat^2_i(V) <= u_i + ..., which is false with the coefficient 1 of u_i. An sd is a
    seminorm, sdhat_i(V*) <= sdhat_i(V) + sdhat_i(V - V*), and sdhat_i(V - V*)^2 <= E (E_{i+1:n}(V - V*))^2 <= u_i where
    lower <= V* <= V; Lemma F.6 has the rest. sigmahat^2_i(V) and u_i are those a plan reports.
    """
    return np.sqrt(sigma2) + np.sqrt(u) + np.sqrt(4 * H**2 * B)


@at_most("gap", on=Phases, needs=("lower", "reward_bonus", "transition_bonus"), local=(
    Quantity(lambda view: (view.V - view.lower)[view.phase, 0, view.states[:, 0]], "gap", "episode", "V_1 − V̲_1", -np.inf, "H",
             lambda view: 2 * chain_rounding(view)[view.phase]),
    formulas.expected(lambda view: view.once(formulas.reported_total), "CB", "Σ_h E_w[CB_h]"),
    formulas.expected(lambda view: view.estimates.distance.sum(axis=1)[:, None], "B", "Σ_h E_w[Σ_j ‖P̂_j − P_j‖₁]"),
    formulas.expected(lambda view: 1.0, "unknown", "Σ_h P_w(unknown)", known=False),
))  # fmt: skip
def value_gap(CB: Any, B: Any, unknown: Any, H: Any) -> Any:
    """Lemma F.17: V_1 - lower_1 of every episode against what is expected under its policy: 2 CB_h + sum_j H ||Phat_j - P_j||_1.

    H where a pair is unknown. V_h - lower_h <= 2 CB_h + Phat (V - lower)_{h+1} at the pair the plan takes, |V - lower| <= H. In
    place of the printed radius sqrt(2 H^2 L / N_j), which lacks |S_j|, stands the distance itself.
    """
    return 2 * CB + H * B + H * unknown
