"""The bonuses cover the errors, and so the values are optimistic, and for FMDP-BF pessimistic.

Premises are events at the widths in force, evaluated by the harness; where the algorithm was told the errors, the bonus is one of
these, and there is nothing to assume. Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import Inequality
from verifier.model.property import Property, phase_property
from verifier_properties.factored import formulas
from verifier_properties.factored.model import kernel_error
from verifier_settings.factored import Phases, tolerances

TOPIC = "Optimism"

Premise = Callable[[Phases], BoolArray]


def _within(error: Array, bound: Array, seen: BoolArray) -> BoolArray:
    """Whether errors are within bounds wherever something was seen, up to rounding of the bound (the oracle's has slack)."""
    return np.asarray((error <= bound * (1 + 16 * EPS)) | ~seen)


def _events(view: Phases, reward: Array, value: Array) -> BoolArray:
    """(p, H, X) whether bounds of the rewards (p, m, X) and of the values (p, n, H, X), and (9), hold at the cells of a pair."""
    estimates, seen = view.estimates, np.asarray(view.estimates.visits > 0)[:, :, None]
    radius = view.once(formulas.width_radius)
    rewards = np.asarray(_within(formulas.exact_reward(view), reward, estimates.reward_visits > 0).all(axis=1))
    values = _within(np.abs(view.factor_error), value, seen) & _within(estimates.distance[:, :, None], radius, seen)
    # Rewards have no axis of steps. Where the error itself is the bonus nothing needs to be within a width (`told`).
    return np.asarray((rewards[:, None] & values.all(axis=1) & view.asked[..., None]) | view.told[:, None, None])


def hoeffding_event(view: Phases) -> BoolArray:
    """(p, H, X) (7), (8) and (9) at the cells of a pair, with the widths in force."""
    return _events(view, formulas.hoeffding_reward(view), formulas.hoeffding_root(view, formulas.log_transition(view)))


def bernstein_event(view: Phases) -> BoolArray:
    """(p, H, X) (13), (14) and (9), likewise."""
    reward = formulas.bernstein_reward(view, view.estimates.reward_variance, formulas.log_reward(view))
    return _events(view, reward, view.once(formulas.width_freedman))


def _covers(view: Phases, reward: Array, transition: Array) -> BoolArray:
    """(p, H) whether bonuses (p, m, X) and (p, n, H, X) cover the errors at every known pair, up to rounding."""
    error = np.abs(formulas.mean_reward(view) - view.truth.reward)[:, None] + np.abs(view.backup_error)
    enough = error <= formulas.total(reward, transition) + tolerances.backup(view.public, view.start)[:, None, None]
    # Unknown pairs are planned with H, which covers any error.
    return np.asarray(((enough | ~view.estimates.known[:, None]).all(axis=2) & view.asked) | view.told[:, None])


def hoeffding_covers(view: Phases) -> BoolArray:
    """(p, H) whether the harness's own bonus (1), (2) covers the errors of the transcript's estimates."""
    return _covers(view, formulas.hoeffding_reward(view), view.once(formulas.hoeffding))


def bernstein_covers(view: Phases) -> BoolArray:
    """(p, H) the same of (3) to (5), with the variances and corrections of the plan's values under the transcript's Phat."""
    reward = formulas.bernstein_reward(view, view.estimates.reward_variance, formulas.log_reward(view))
    return _covers(view, reward, formulas.bernstein(view, view.variance_replay, view.correction_replay))


def between(view: Phases) -> BoolArray:
    """(p, H) Omega_{h+1}: lower_{h+1} <= V*_{h+1} <= V_{h+1} of the plan, in all states."""
    slack = _chain(view)[:, None, None]
    best = view.truth.V[1:]
    return np.asarray(((view.lower[:, 1:] <= best + slack) & (best <= view.V[:, 1:] + slack)).all(axis=2))


def bernstein_and_between(view: Phases) -> BoolArray:
    """(p, H, X) `bernstein_event` and `between`."""
    return view.once(bernstein_event) & view.once(between)[:, :, None]


def reward_coverage(premise: Premise) -> Property:
    """|Rhat - Rbar| <= mean_i CB^R_i of every plan, at all pairs whose cells were seen, where the premise holds at all steps."""

    def evaluate(view: Phases) -> Inequality:
        error = np.abs(formulas.mean_reward(view) - view.truth.reward)
        applies = np.asarray(view.once(premise).all(axis=1) & (view.estimates.reward_visits > 0).all(axis=1))
        return Inequality(
            error, view.reward_bonus.mean(axis=1), ("plan", "pair"), trivial=1.0, labels=view.labels,
            tolerance=2 * tolerances.frequency(view.public, view.start)[:, None], premise=applies,
        )  # fmt: skip

    description = "The error of the transcript's Rhat against the bonuses a plan reports."
    return Property("reward-coverage", "phase", evaluate, frozenset({"reward_bonus"}), description, topic="Confidence")


def transition_coverage(premise: Premise, *further: str) -> Property:
    """|(Phat - P) V*_{h+1}| <= sum_j CB^P_j of every plan, at all known pairs; `further` fields are what the premise reads."""

    def evaluate(view: Phases) -> Inequality:
        return Inequality(
            np.abs(view.backup_error), view.transition_bonus.sum(axis=1), view.pair_axes, trivial=float(view.public.H),
            tolerance=tolerances.backup(view.public, view.start)[:, None, None], labels=view.labels,
            premise=view.once(premise) & view.estimates.known[:, None],
        )  # fmt: skip

    description = "The error of the transcript's Phat at V* from backward induction, against the bonuses a plan reports."
    needs = frozenset({"transition_bonus", *further})
    return Property("transition-coverage", "phase", evaluate, needs, description, topic="Confidence")


@phase_property("reward_bonus", "transition_bonus", topic="Confidence")
def coverage(view: Phases) -> Inequality:
    """|Rhat - R| + |(Phat - P) V*_{h+1}| against CB_h of every plan, at all known pairs, whatever holds."""
    error = np.abs(formulas.mean_reward(view) - view.truth.reward)[:, None] + np.abs(view.backup_error)
    return Inequality(
        error, formulas.reported_total(view), view.pair_axes, trivial=float(view.public.H), labels=view.labels,
        tolerance=tolerances.backup(view.public, view.start)[:, None, None], premise=view.estimates.known[:, None],
    )  # fmt: skip


def optimism(premise: Premise, *needs: str) -> Property:
    """V_h >= V*_h of every plan in all states, where the premise, which reads these fields, holds at every step from h on."""

    def evaluate(view: Phases) -> Inequality:
        left = view.public.H - np.arange(view.public.H)
        return Inequality(
            view.truth.V[:-1], view.V[:, :-1], ("plan", "h", "s"), trivial=left[:, None].astype(float), labels=view.labels,
            tolerance=_chain(view)[:, None, None], premise=_from_here_on(view.once(premise))[:, :, None],
        )  # fmt: skip

    description = "V of every plan against V* from backward induction."
    return Property("optimism", "phase", evaluate, frozenset(needs), description)


def pessimism(premise: Premise) -> Property:
    """lower_h <= V*_h of every plan in all states, where the premise holds at every step from h on.

    Lower values are cut at 0, which V* is never below.
    """

    def evaluate(view: Phases) -> Inequality:
        return Inequality(
            view.lower[:, :-1], view.truth.V[:-1], ("plan", "h", "s"), trivial=float(view.public.H), cut=0.0, labels=view.labels,
            tolerance=_chain(view)[:, None, None], premise=_from_here_on(view.once(premise))[:, :, None],
        )  # fmt: skip

    description = "The pessimistic values of every plan against V* from backward induction."
    return Property("pessimism", "phase", evaluate, frozenset({"lower"}), description)


def _from_here_on(holds: BoolArray) -> BoolArray:
    """(p, H) whether it holds at h and at every later step."""
    return np.asarray(np.flip(np.logical_and.accumulate(np.flip(holds, axis=1), axis=1), axis=1))


def _chain(view: Phases) -> Array:
    """(p,) rounding of values that rest on all later steps."""
    return np.asarray(tolerances.chain(view.public, view.start))


# What lies between the events and the bonus of FMDP-BF -------------------------------------------------------------------


@phase_property("kernel", topic="Confidence")
def product_error(view: Phases) -> Inequality:
    """Lemma F.1: |(Phat - P) V*| against sum_j [sqrt(2 sigma^2_j(V*) L / N_j) + 2 H L / (3 N_j)] + sum_{i != j} H phi_i phi_j.

    The error is that of the kernel a plan reports; where (14) and (9) hold of the transcript.
    """
    bound = (view.once(formulas.width_freedman) + view.once(formulas.hoeffding_cross)).sum(axis=1)
    told = view.told[:, None, None]
    return Inequality(
        _reported_error(view), np.where(told, 0.0, bound), view.pair_axes, trivial=float(view.public.H), labels=view.labels,
        tolerance=tolerances.backup(view.public, view.start)[:, None, None],
        premise=~told & view.once(bernstein_event) & view.estimates.known[:, None],
    )  # fmt: skip


def _reported_error(view: Phases) -> Array:
    """(p, H, X) |(Phat - P) V*_{h+1}| of the kernel a plan reports."""
    return np.abs(np.matmul(view.truth.V[1:], kernel_error(view)))


@phase_property("variance", "correction", "lower")
def deviation(view: Phases) -> Inequality:
    """Lemma F.7 (Minkowski): sd_i(V*) <= sdhat_i(V) + sqrt(u_i) + sqrt(4 H^2 B), B = sum_j ||Phat_j - P_j||_1.

    The printed form has sigma^2_i(V*) - 2 sigmahat^2_i(V) <= u_i + ..., which is false with the coefficient 1 of u_i. An sd is a
    seminorm, sdhat_i(V*) <= sdhat_i(V) + sdhat_i(V - V*), and sdhat_i(V - V*)^2 <= E (E_{i+1:n}(V - V*))^2 <= u_i where
    lower <= V* <= V; Lemma F.6 has the rest. sigmahat^2_i(V) and u_i are those a plan reports.
    """
    H = view.public.H
    left = np.broadcast_to(np.sqrt(view.true_variance), view.variance.shape)
    right = np.sqrt(np.maximum(view.variance, 0.0)) + np.sqrt(np.maximum(view.correction, 0.0))
    bracket = view.estimates.distance.sum(axis=1)[:, None, None]
    rounding = np.sqrt(6 * H * tolerances.backup(view.public, view.start))[:, None, None, None]
    return Inequality(
        left, right + 2 * H * np.sqrt(bracket), ("plan", "factor", "h", "pair"), trivial=H / 2, labels=view.labels,
        tolerance=rounding,
        premise=view.once(between)[:, None, :, None] & view.estimates.known[:, None, None],
    )  # fmt: skip


@phase_property("lower", "reward_bonus", "transition_bonus")
def value_gap(view: Phases) -> Inequality:
    """Lemma F.17: V_1 - lower_1 of every episode against what is expected under its policy: 2 CB_h + sum_j H ||Phat_j - P_j||_1.

    H where a pair is unknown. V_h - lower_h <= 2 CB_h + Phat (V - lower)_{h+1} at the pair the plan takes, |V - lower| <= H. In
    place of the printed radius sqrt(2 H^2 L / N_j), which lacks |S_j|, stands the distance itself.
    """
    H = view.public.H
    known = 2 * formulas.reported_total(view) + H * view.estimates.distance.sum(axis=1)[:, None]
    bound = (view.occupancy * formulas.everywhere(view, known, H)[view.phase]).sum(axis=(1, 2))
    p, first = view.phase, view.states[:, 0]
    gap = (view.V - view.lower)[p, 0, first]
    return Inequality(
        gap, bound, ("episode",), trivial=float(H), tolerance=2 * _chain(view)[p] + 64 * EPS * np.abs(bound), labels=view.labels
    )  # fmt: skip
