"""Data, model, bonuses and plan that an algorithm with knapsacks reports, against the transcript.

Views: `verifier_settings.knapsack.Phases`. Everything is recomputed by enumeration of the next states and cost vectors of a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import UNBOUNDED, Inequality, Part, equality
from verifier.model.property import phase_property
from verifier_properties.knapsack import suspects
from verifier_settings.knapsack import Phases, tolerances

TOPIC = "Planning"


def _rounding(view: Phases, dimensions: int) -> Array:
    """Rounding of a frequency in every plan, with so many axes."""
    return tolerances.frequency(view.public, view.start).reshape(-1, *(1,) * (dimensions - 1))


def _same(view: Phases, left: Array, right: Array, axes: tuple[str, ...], tolerance: Array | float, **more: Any) -> Inequality:
    return equality(left, right, axes=axes, tolerance=tolerance, labels=view.labels, **more)


# Data -----------------------------------------------------------------------------------------------------------------------


@phase_property("visits")
def visits(view: Phases) -> Inequality:
    """N(s,a) of every plan against the steps that were played in earlier episodes: counts, which add without an error."""
    return _same(view, view.reported("visits"), view.seen, ("plan", "pair"), 0.0)


@phase_property("known")
def known(view: Phases) -> Inequality:
    """The known pairs of every plan against those that were visited."""
    return _same(view, view.reported("known"), view.is_known, ("plan", "pair"), 0.0)


@phase_property("kernel")
def kernel(view: Phases) -> Inequality:
    """Phat_S of every plan against the frequencies of earlier episodes, at known pairs."""
    return _same(
        view, view.reported("kernel"), view.rows[0], ("plan", "pair", "s"), _rounding(view, 3),
        premise=view.is_known[..., None],
        explanations={"the formula with N + 1 for N": lambda: view.rows[0] * (view.seen / (view.seen + 1.0))[..., None]},
    )  # fmt: skip


@phase_property("costs")
def costs(view: Phases) -> Inequality:
    """Phat_{C,i} of every plan against the frequencies of earlier episodes, at known pairs."""
    most = max(view.public.sizes[1:])
    laws = [np.pad(row, ((0, 0), (0, 0), (0, most - row.shape[2]))) for row in view.rows[1:]]
    return _same(
        view, view.reported("costs"), np.stack(laws, axis=1), ("plan", "cost", "pair", "value"), _rounding(view, 4),
        premise=view.is_known[:, None, :, None],
    )  # fmt: skip


@phase_property("reward")
def reward(view: Phases) -> Inequality:
    """Rhat of every plan against the mean of the rewards of earlier episodes, 1 where there are none."""
    return _same(view, view.reported("reward"), view.mean_reward, ("plan", "pair"), _rounding(view, 2))


@phase_property("reward_variance")
def reward_variance(view: Phases) -> Inequality:
    """The empirical variances of the reward of every plan against those of the transcript."""
    rounding = tolerances.second_moment(view.public, view.start)[:, None]
    return _same(
        view, view.reported("reward_variance"), view.sample_variance, ("plan", "pair"), rounding, premise=view.seen > 0,
        explanations={
            "the formula without the square of the mean": lambda: (
                view.outcomes @ view.truth.part.support**2 / np.maximum(view.seen, 1.0)
            )
        },
    )  # fmt: skip


# The bonus ------------------------------------------------------------------------------------------------------------------


def _factor(view: Phases) -> dict[str, Any]:
    """Known pairs, for arrays with axes of plans, factors, steps, pairs and budgets."""
    return {"premise": view.is_known[:, None, None, :, None]}


AXES = ("plan", "factor", "h", "pair", "b")


@phase_property("variance")
def variance(view: Phases) -> Inequality:
    """sigmahat_i^2 of every plan against its definition, by enumeration, with V of the plan and P-hat of the transcript."""
    rounding = tolerances.second_moment(view.public, view.start)[:, None, None, None, None]
    return _same(
        view, view.reported("variance"), view.variance_replay, AXES, rounding, **_factor(view),
        explanations={
            **suspects.of_budgets(view, lambda other: other.variance_replay),
            "the variance of all factors up to one": lambda: np.cumsum(view.variance_replay, axis=1),
        },
    )  # fmt: skip


@phase_property("correction", "lower")
def correction(view: Phases) -> Inequality:
    """u_i of every plan against its definition, by enumeration, with both values of the plan and P-hat of the transcript."""
    rounding = tolerances.second_moment(view.public, view.start)[:, None, None, None, None]
    gap = np.maximum(1.0, np.abs(view.V - view.lower).max(axis=(1, 2, 3)) / view.public.H)  # squared, it rounds by its square
    return _same(
        view, view.reported("correction"), view.correction_replay, AXES, rounding * gap[:, None, None, None, None] ** 2,
        **_factor(view),
        explanations={
            **suspects.of_budgets(view, lambda other: other.correction_replay),
            "squared after everything is integrated": lambda: np.broadcast_to(
                view.follow(view.V - view.lower)[:, None] ** 2, view.correction_replay.shape
            ),
        },
    )  # fmt: skip


@phase_property("reward_bonus")
def reward_bonus(view: Phases) -> Inequality:
    """CB^R of every plan against (3) at the widths handed out, at known pairs."""
    expected = view.reward_bonus_replay
    rounding = _bonus_rounding(view)[:, 0, :, 0]
    return _same(
        view, view.reported("reward_bonus"), expected, ("plan", "pair"), rounding, premise=view.is_known,
        explanations={} if view.told.any() else suspects.of_reward_bonus(view),
    )  # fmt: skip


@phase_property("transition_bonus", "lower")
def transition_bonus(view: Phases) -> Inequality:
    """CB^P_i of every plan before the cut against (4) and (5) at the widths handed out, at known pairs."""
    expected, asked = view.transition_bonus_replay, ~np.isnan(view.width)
    rounding = _bonus_rounding(view)[:, None]
    return _same(
        view, view.reported("transition_bonus"), np.nan_to_num(expected), AXES, rounding,
        premise=view.is_known[:, None, None, :, None] & asked[:, None, :, None, None],
        explanations=suspects.of_transition_bonus(view),
    )  # fmt: skip


@phase_property("cross")
def cross(view: Phases) -> Inequality:
    """eta_i of every plan against the second line of (4) and (5) at the widths handed out, at known pairs."""
    expected, asked = np.nan_to_num(view.cross_replay), ~np.isnan(view.width)
    reported = np.broadcast_to(view.reported("cross")[:, :, None], expected.shape)
    return _same(
        view, reported, expected, ("plan", "factor", "h", "pair"), 64 * EPS * (1.0 + expected),
        premise=view.is_known[:, None, None, :] & asked[:, None, :, None],
        explanations=suspects.of_cross(view),
    )  # fmt: skip


def _bonus_rounding(view: Phases) -> Array:
    """(p, H, X, G), 0 where no width was asked for."""
    return np.nan_to_num(view.bonus_rounding)


# The plan -------------------------------------------------------------------------------------------------------------------


def _plan_rounding(view: Phases) -> Array:
    return tolerances.backup(view.public, view.start)[:, None, None, None] + _bonus_rounding(view)


@phase_property("lower")
def q_formula(view: Phases) -> Inequality:
    """Q_h of every plan against min(H, Rhat + CB + Phat V_{h+1}) over all (s, a, b), and H where a pair is unknown.

    All from the transcript but V and its pessimistic side, which are the plan's.
    """
    expected = np.minimum(float(view.public.H), view.optimistic).reshape(view.Q.shape)
    tolerance = np.broadcast_to(_plan_rounding(view), view.optimistic.shape).reshape(view.Q.shape)
    return _same(
        view, view.Q, expected, ("plan", "h", "s", "a", "b"), tolerance,
        parts={"the bonus": Part(lambda: view.bonus, lambda bonus: suspects.full(view, bonus))},
        explanations=suspects.of_q(view),
    )  # fmt: skip


@phase_property("lower")
def lower_formula(view: Phases) -> Inequality:
    """Vlow_h of every plan against max(0, Rhat - CB + Phat Vlow_{h+1}) at the action of its policy, and 0 where unknown."""
    known = view.is_known[:, None, :, None]
    backup = view.mean_reward[:, None, :, None] + view.follow(view.lower) - view.bonus
    floor = np.where(known, np.maximum(0.0, backup), 0.0)
    taken = _taken(view, floor)
    expected = np.zeros(view.lower.shape)
    expected[:, :-1] = taken
    tolerance = np.zeros(view.lower.shape)
    tolerance[:, :-1] = _taken(view, np.broadcast_to(_plan_rounding(view), floor.shape))

    def added() -> Array:
        found = np.zeros(view.lower.shape)
        found[:, :-1] = _taken(view, np.where(known, np.maximum(0.0, backup + 2 * view.bonus), 0.0))
        return found

    return _same(
        view, view.lower, expected, ("plan", "step", "s", "b"), tolerance,
        explanations={"the formula with the bonus added": added},
    )  # fmt: skip


def _taken(view: Phases, per_pair: Array) -> Array:
    """(p, H, S, G) what belongs to the action that the policy takes, of (p, H, X, G)."""
    return np.take_along_axis(per_pair.reshape(view.Q.shape), view.policy[:, :, :, None], axis=3)[:, :, :, 0]


@phase_property()
def value_function(view: Phases) -> Inequality:
    """V_h of every plan against max_a Q_h, and V_{H+1} against 0."""
    expected = np.zeros(view.V.shape)
    expected[:, :-1] = view.Q.max(axis=3)
    return _same(view, view.V, expected, ("plan", "step", "s", "b"), 8 * EPS * view.public.H)


@phase_property()
def asked(view: Phases) -> Inequality:
    """The value function the width was asked with is V_{h+1} of the plan."""
    handed = np.where(np.isnan(view.handed), 0.0, view.handed)
    return _same(
        view, handed, view.V[:, 1:], ("plan", "h", "s", "b"), 8 * EPS * view.public.H, premise=~np.isnan(view.handed)
    )  # fmt: skip


@phase_property()
def greedy(view: Phases) -> Inequality:
    """The policy of every plan takes an action of largest Q, for every state and budget left; ties may fall either way."""
    best = view.Q.max(axis=3)
    chosen = _taken(view, view.Q)
    return Inequality(
        best - chosen, 0.0, ("plan", "h", "s", "b"), trivial=best - view.Q.min(axis=3), tolerance=16 * EPS * (np.abs(best) + 1.0),
        labels=view.labels, identity=True,
        explanations={
            "the same action at every budget": lambda: np.full(best.shape, (view.policy == view.policy[..., -1:]).all()),
            "the worst action": lambda: chosen <= view.Q.min(axis=3) + 16 * EPS * (np.abs(best) + 1.0),
        },
    )  # fmt: skip


@phase_property()
def value_range(view: Phases) -> Inequality:
    """0 <= V_h <= H for every value function of a plan (distance from H/2 at most H/2)."""
    H = view.public.H
    return Inequality(
        np.abs(view.V - H / 2), H / 2, ("plan", "step", "s", "b"), trivial=UNBOUNDED, tolerance=8 * EPS * H, labels=view.labels
    )
