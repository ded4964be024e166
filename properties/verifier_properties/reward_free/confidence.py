"""Confidence: errors of the estimates in the norm of Lambda-hat, against the radii, in both phases.

mu are the true measures, mu-hat those of weighted least squares. An error is that of what the algorithm reports (w_h, or mu-hat
itself in the planning phase), its norm is under the harness's Lambda-hat; premises are events of the harness alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.measurement import Inequality, equality
from verifier.model.property import Property, phase_property, run_property
from verifier_properties.any_setting.bonus import validity
from verifier_properties.reward_free.replay import wide
from verifier_settings.elliptical import gram_norm
from verifier_settings.reward_free import Phases, Planning, Public, Run, tolerances
from verifier_settings.reward_free.backups import euclidean_rounding

TOPIC = "Confidence"

Radius = Callable[[Public], float]


def largest_error(public: Public, k: Array | float) -> Array:
    """Largest error of an estimate, for values in [0, H].

    H sqrt(lambda d) of bias and sqrt(H k) of noise: ||sum x eta / sigma^2|| <= sqrt(sum eta^2 / sigma^2), |eta| <= H, and no
    weight sigma^2 is below H.
    """
    return public.H * np.sqrt(public.ridge * public.d) + np.sqrt(public.H * np.asarray(k, dtype=float))


def norm_rounding(view: Any) -> Array:
    """(p, H) rounding of the norm of an error under Lambda-hat: that of an estimate, and of the matrix."""
    public, size = view.public, view.size
    return tolerances.estimate(public, size) + tolerances.relative_norm(public, size) * largest_error(public, size.count)


def error(view: Any) -> Array:
    """(p, H) ||mu_h V_{h+1} - w_h|| in the norm of Lambda-hat, with w_h and V of the plan."""
    difference = np.matmul(view.truth.mu, view.V[:, 1:, :, None])[..., 0] - view.estimate
    return gram_norm(difference[..., None], view.gram_replay)[..., 0]


def ranged(view: Any) -> BoolArray:
    """(p, H) whether 0 <= V_{h+1} <= H: what concentration needs of every function that it covers.

    Algorithm 1 cuts values at H only. On the event none is negative (Lemma A.7), so nothing is lost by leaving the others out.
    """
    slack = tolerances.backup(view.public)
    return np.asarray(((view.V[:, 1:] >= -slack) & (view.V[:, 1:] <= view.public.H + slack)).all(axis=2))


# Exploration ----------------------------------------------------------------------------------------------------------


@phase_property("estimate")
def exploration_event(view: Phases) -> Inequality:
    """||mu_h V_{k,h+1} - w_{k,h}|| in the norm of Lambda-hat against the radius, for the algorithm's own w and V."""
    return Inequality(
        error(view), view.width, view.axes, trivial=largest_error(view.public, view.episodes)[:, None],
        tolerance=norm_rounding(view), labels=view.labels, premise=ranged(view) & view.decided[:, None],
        saturated=view.constant_target,
    )  # fmt: skip


def _event(view: Phases) -> BoolArray:
    return np.asarray(view.event & view.decided[:, None])


def _pair_rounding(view: Phases) -> Array:
    """(p, H) rounding of <w, phi> and of a backup."""
    return tolerances.estimate(view.public, view.size) * view.norm.max(axis=2) + tolerances.backup(view.public)


pointwise = validity(
    lambda view: np.matmul(view.estimate, view.public.phi.T),
    lambda view: view.radius,
    _pair_rounding,
    _event,
    ("estimate",),
    "|<w_h, phi> - P_h V_{h+1}| against width ||phi||, at every pair.",
)
"""|(P-hat_h - P_h) V_{h+1}(s,a)| <= width ||phi(s,a)||, where the event holds."""


@phase_property("estimate")
def decomposition(view: Phases) -> Inequality:
    """w_h - mu_h V_{h+1} = Lambda-hat^-1 (-lambda mu_h V_{h+1} - sum x (P_h V - V(s')) / sigma-hat^2): Lemma C.4 with a minus.

    The sum is taken over the transcript: of x V(s') from the moments, of x P_h V = x x' mu_h V from the Gram matrix.
    """
    public, values = view.public, view.V[:, 1:]
    truth = np.matmul(view.truth.mu, values[..., None])
    data = view.gram_replay - public.ridge * np.eye(public.d)
    surprise = np.matmul(data, truth) - np.matmul(view.moments, values[..., None])
    expected = np.linalg.solve(view.gram_replay, -public.ridge * truth - surprise)[..., 0]
    return equality(
        view.estimate - truth[..., 0], expected, axes=(*view.axes, "i"), labels=view.labels,
        tolerance=2 * wide(euclidean_rounding(view), 1), premise=wide(view.decided, 2),
    )  # fmt: skip


# Planning ---------------------------------------------------------------------------------------------------------------


def judged(view: Planning, fixed: bool) -> BoolArray:
    """(p,) the rewards that a statement with a failure probability is about.

    Of those fixed before the data it is the last one: the theorem is about any single one, not about all at once. Of those chosen
    after the data it is every one.
    """
    if not fixed:
        return ~view.fixed
    return np.asarray(np.arange(len(view.fixed)) == np.flatnonzero(view.fixed).max(initial=-1))


def _measure_error(view: Planning, values: Array) -> Array:
    """(p, H) ||(mu_h - mu-hat_h) v_h|| in the norm of Lambda-hat, with the mu-hat that the algorithm reports."""
    difference = np.matmul(view.truth.mu - view.measures, values[..., None])
    return gram_norm(difference, view.gram_replay)[..., 0]


@run_property("measures")
def measures(view: Run) -> Inequality:
    """mu-hat_h - mu_h = Lambda-hat^-1 (-lambda mu_h - sum x (P_h - e_{s'}) / sigma-hat^2), Lemma C.4 with a minus, by column."""
    planning, public = view.planning, view.public
    mu = view.truth.mu
    data = planning.gram_replay - public.ridge * np.eye(public.d)
    surprise = np.matmul(data, mu) - planning.moments
    expected = np.linalg.solve(planning.gram_replay, -public.ridge * mu - surprise)
    return equality(
        planning.measures - mu, expected, axes=(*planning.axes, "i", "s"), labels=planning.labels,
        tolerance=2 * wide(euclidean_rounding(planning), 2), premise=wide(planning.decided, 3),
    )  # fmt: skip


def _planning_event(view: Run, value: Array, bound: Array | float, premise: BoolArray) -> Inequality:
    planning = view.planning
    return Inequality(
        value, bound, planning.axes, trivial=largest_error(view.public, planning.episodes)[:, None],
        tolerance=norm_rounding(planning), labels=planning.labels, premise=premise & planning.decided[:, None],
    )  # fmt: skip


def fixed_target(radius: Radius, *, fixed: bool = True) -> Property:
    """||(mu_h - mu-hat_h) V*_{h+1}|| against the radius of Lemma A.11, for the reported mu-hat.

    Parameters
    ----------
    radius : callable
    fixed : bool
        Whether it is about a reward that was fixed before the data; else about those that were chosen after.
    """

    def evaluate(view: Run) -> Inequality:
        planning = view.planning
        value = _measure_error(planning, planning.optimal[:, 1:])
        return _planning_event(view, value, radius(view.public), judged(planning, fixed)[:, None])

    return Property("fixed-target", "run", evaluate, frozenset({"measures"}), "The error of mu-hat on V* of every such reward.")


def difference(radius: Radius) -> Property:
    """||(mu_h - mu-hat_h)(V_{h+1} - V*_{h+1})|| against the radius of Lemma A.12, where the events it rests on hold.

    These are: exploration's in every episode from step h on, planning's from step h+1 on, and width of exploration >= that of
    planning.
    """

    def evaluate(view: Run) -> Inequality:
        planning = view.planning
        value = _measure_error(planning, (planning.V - planning.optimal)[:, 1:])
        later = np.column_stack([planning.event_from[:, 1:], np.ones(len(planning.plans), dtype=bool)])
        premise = later & explored_from(view) & dominates(view)[:, None] & judged(planning, True)[:, None]
        return _planning_event(view, value, radius(view.public), premise & ranged(planning))

    return Property("difference", "run", evaluate, frozenset({"measures"}), "The error of mu-hat on V - V* of every reward.")


def explored_from(view: Run) -> BoolArray:
    """(H,) whether the exploration event held in every episode, at this step and all later ones."""
    held = np.asarray(view.events.all(axis=0))
    return np.logical_and.accumulate(held[::-1])[::-1]


def dominates(view: Run) -> BoolArray:
    """(p,) whether the radius of exploration was at least that of planning, in every episode and at every step."""
    least = float(view.series.width.min())
    return np.asarray(view.planning.width.max(axis=1) <= least)


def triangle(first: Radius, second: Radius) -> Property:
    """||mu_h V_{h+1} - w_h|| <= beta_P where the two parts, on V* and on V - V*, are within beta_P1 and beta_P2."""

    def evaluate(view: Run) -> Inequality:
        planning = view.planning
        parts = (planning.optimal_norm <= first(view.public)) & (planning.excess_norm <= second(view.public))
        return _planning_event(view, error(planning), planning.width, parts)

    return Property(
        "triangle", "run", evaluate, frozenset({"estimate"}), "The error of w_h in planning; both parts recomputed from mu."
    )


def both_events(*, fixed: bool = True) -> Property:
    """The exploration event in every episode, and the planning event, at all steps: norms over radii.

    Parameters
    ----------
    fixed : bool
        Whether it is about a reward that was fixed before the data; else about those that were chosen after.
    """

    def evaluate(view: Run) -> Inequality:
        planning, public = view.planning, view.public
        chosen = judged(planning, fixed)
        worst = error(planning)[chosen].max(axis=0, initial=0.0)
        explored = (view.series.event_norm / view.series.width).max(axis=0)
        planned = worst / planning.width.min(axis=0)
        width = np.minimum(view.series.width.min(axis=0), planning.width.min(axis=0))
        trivial = largest_error(public, public.K) / width
        return Inequality(
            np.maximum(explored, planned), 1.0, ("h",), trivial=trivial, tolerance=norm_rounding(planning).max(axis=0) / width,
            labels={"h": view.labels["h"]}, premise=bool(chosen.any() and planning.decided.all()),
        )  # fmt: skip

    return Property(
        "both-events", "run", evaluate, frozenset({"estimate"}), "Errors over radii, in all episodes and in planning."
    )
