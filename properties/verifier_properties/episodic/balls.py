"""Balls of plausible kernels, and extended value iteration over them: replayed, by another route, and valid.

A ball is {p : ||p(.|s,a) - Phat(.|s,a)||_1 <= d(s,a)}, at each pair by itself. Views: `verifier_settings.episodic.Phases` and
`Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity, reports
from verifier.model.measurement import UNBOUNDED, Inequality, Part, equality
from verifier.model.property import Property, phase_property
from verifier.model.statement import at_most
from verifier_properties.episodic import ball_suspects, tabular_model
from verifier_properties.episodic.tabular_model import Model
from verifier_settings.episodic import Phases, Run, tolerances
from verifier_settings.episodic.balls import largest_mean
from verifier_settings.episodic.balls import radius as published_radius

TOPIC = "Confidence"


@dataclass(frozen=True, eq=False)
class Ball:
    """Balls around frequencies, whose radii are from the widths handed out.

    Parameters
    ----------
    model : Model
        Whose frequencies are the centres.
    radius : callable
        Maps phases to d, shape (p, H, X); 2 where nothing was seen: every law is plausible.
    """

    model: Model
    radius: Callable[[Phases], Array]


POOLED = Ball(tabular_model.POOLED, lambda view: view.radius)
"""Balls of the visits at any step: the kernel is the same at all."""
BY_STEP = Ball(tabular_model.BY_STEP, lambda view: view.step_radius)
"""Balls of the visits at each step: each has a kernel of its own."""


def _of_distances(view: Phases) -> Array:
    """(p,) rounding of the distance of two laws: each entry as of a frequency, and the mass that an implementation moves."""
    return np.asarray(2 * view.public.S * (tolerances.frequency(view.public, view.start) + 16 * EPS))


DISTANCE = Quantity(
    lambda view: np.abs(view.reported("optimistic_kernel") - view.truth.kernel).sum(axis=3), "distance", "plan h pair",
    symbol="‖p − P_h‖₁", low=0.0, high=2.0, rounding=_of_distances,
)  # fmt: skip
RADIUS = Quantity(lambda view: view.radius, "d", "plan h pair")
INSIDE = Quantity(lambda view: view.inside, "inside", "plan h", symbol="P_h in the ball")


def radius_formula(ball: Ball) -> Property:
    """The radius a plan reports against width sqrt(14 S log(2 A t / delta) / N), where N > 0; above 2, any radius above 2."""

    def evaluate(view: Phases) -> Inequality:
        reported, expected = np.minimum(view.reported("radius"), 2.0), ball.radius(view)
        visits, seen = np.maximum(ball.model.visits(view), 1.0), ball.model.seen(view)

        def uncut() -> Array:
            return np.asarray(view.width[:, :, None] * published_radius(view.public, visits, view.start[:, None, None]))

        return equality(
            reported, expected, axes=view.pair_axes, tolerance=16 * EPS * expected, labels=view.labels, premise=seen,
            parts={"the radius before its cut": Part(uncut, lambda found: np.minimum(found, 2.0))},
            explanations=ball_suspects.of_radius(view, uncut, visits),
        )  # fmt: skip

    description = "The radii of every plan against equation (4), with the visits and the time of the transcript."
    return Property("radius-formula", "phase", evaluate, frozenset({"radius"}), description)


def plausible(ball: Ball) -> Property:
    """The kernel a plan was made with lies in the ball: rows are laws, at most d from the frequencies in L1.

    What is compared is the largest of its negative mass, its distance from total mass 1, and its distance from the ball.
    """

    def evaluate(view: Phases) -> Inequality:
        rows = view.reported("optimistic_kernel")
        distance = np.abs(rows - ball.model.kernel(view)).sum(axis=3)
        radius = ball.radius(view)
        outside = np.where(ball.model.seen(view), np.maximum(distance - radius, 0.0), 0.0)
        rounding = _of_distances(view)[:, None, None]
        return Inequality(
            np.maximum(_lawless(rows), outside), 0.0, view.pair_axes, trivial=1.0, tolerance=rounding, labels=view.labels,
            identity=True, explanations=ball_suspects.of_laws(rows, distance, radius),
        )  # fmt: skip

    description = "The optimistic kernels of every plan against the balls around the frequencies of the transcript."
    return Property("plausible", "phase", evaluate, frozenset({"optimistic_kernel"}), description)


def _lawless(rows: Array) -> Array:
    """The larger of the distance of rows, along the last axis, from total mass 1 and of their negative mass."""
    return np.maximum(np.abs(rows.sum(axis=-1) - 1.0), -np.minimum(rows, 0.0).sum(axis=-1))


# In the old form: that a reported Q is larger by a constant is told of it, and solving the formula does not tell it yet.
@phase_property("optimistic_kernel")
def attained(view: Phases) -> Inequality:
    """Q_h of every plan against r + p V_{h+1}, for the kernel p it was made with, as reported."""
    rows = view.reported("optimistic_kernel")
    expected = view.truth.reward + np.matmul(rows, view.V[:, 1:, :, None])[..., 0]
    tolerance = tolerances.backup(view.public, view.start)[:, None, None, None]
    return equality(view.Q, expected.reshape(view.Q.shape), axes=("plan", "h", "s", "a"), tolerance=tolerance, labels=view.labels)


def extended_values(ball: Ball) -> Property:
    """Q_h of every plan against r + max p V_{h+1} over the ball, V of the plan, the maximum by its dual programme.

    The ball is from the transcript and the widths handed out. An implementation moves mass from the worst states to the best one;
    `balls.largest_mean` neither sorts states nor moves mass, and is an upper bound of what any law in the ball attains.
    """

    def evaluate(view: Phases) -> Inequality:
        centre, radius, V, reward = ball.model.kernel(view), ball.radius(view), view.V[:, 1:], view.truth.reward

        def values(radius: Array) -> Array:
            return np.asarray((reward + largest_mean(centre, radius, V)).reshape(view.Q.shape))

        def least() -> Array:
            return np.asarray((reward - largest_mean(centre, radius, -V)).reshape(view.Q.shape))

        def repaired() -> Array:
            """Formula with the balls that plans report; NaN where their kernels are not even in these, or do not give their Q.

            V is what the width was asked with: what a plan reports may have been changed after.
            """
            own, reported, rows = ball.model.reported_kernel(view), view.reported("radius"), view.reported("optimistic_kernel")
            asked = view.handed
            room = _of_distances(view)[:, None, None]
            inside = np.maximum(_lawless(rows), np.abs(rows - own).sum(axis=3) - reported) <= room
            given = reward + np.matmul(rows, asked[..., None])[..., 0]
            inside &= np.abs(view.Q.reshape(given.shape) - given) <= tolerances.backup(view.public, view.start)[:, None, None]
            return np.where(inside, reward + largest_mean(own, reported, asked), np.nan).reshape(view.Q.shape)

        told = reports(view, ball.model.field, "radius", "optimistic_kernel")
        rounding = 2 * tolerances.backup(view.public, view.start)[:, None, None]
        return equality(
            view.Q, values(radius), axes=("plan", "h", "s", "a"), labels=view.labels, tolerance=rounding[..., None],
            parts={"the radius": Part(lambda: radius, values)},
            explanations={
                "the least over the ball": least,
                "the formula without the ball": lambda: values(0.0 * radius),
                **ball_suspects.of_values(view, centre, radius, ball.model.seen(view)),
                "the formula with the reward alone where nothing was seen": lambda: np.where(
                    ball.model.seen(view), reward + largest_mean(centre, radius, V), reward
                ).reshape(view.Q.shape),
            },
            repaired=repaired if told else None,
        )  # fmt: skip

    description = (
        "Q of every plan against rewards and the largest mean of its own V over the balls, by linear programming duality."
    )
    return Property("extended-values", "phase", evaluate, frozenset(), description)


@phase_property(topic="Planning")
def values_of_steps_left(view: Phases) -> Inequality:
    """0 <= V_h <= H - h + 1 (distance from the middle at most half of it): no value is cut, each step adds a reward in [0, 1].

    Means over laws that sum to 1 but for rounding may exceed that by the rounding of all steps left.
    """
    left = np.arange(view.public.H, -1.0, -1.0)[:, None]
    rounding = tolerances.backup(view.public, view.start)[:, None, None] * left
    return Inequality(
        np.abs(view.V - left / 2), left / 2, ("plan", "step", "s"), trivial=UNBOUNDED,
        tolerance=rounding + 8 * EPS * left, labels=view.labels
    )  # fmt: skip


# What holds where the truth is in the ball --------------------------------------------------------------------------


def confidence(ball: Ball) -> Property:
    """||Phat_k - P_h||_1 of the plan's Phat against the radius it reports, at all pairs and steps, where N > 0.

    The event is one of each plan and step. For a pair, n visits and a fixed t its chance to fail is at most 2^S exp(-n d^2 / 2)
    (Weissman et al. 2003). With x = delta / (2 A t), d^2 = 14 S log(1/x) / n makes that (2 x^7)^S, where 2 x^7 <= 1/64. Over all
    pairs and n < t it is at most S A t (2 x^7)^S <= 2 A t x^7 <= delta / (64 t^6), and over all t below delta / 60.
    """

    def evaluate(view: Phases) -> Inequality:
        centre = view.reported(ball.model.field).reshape(ball.model.kernel(view).shape)
        distance = np.abs(centre - view.truth.kernel).sum(axis=3)
        tolerance = view.public.S * tolerances.frequency(view.public, view.start)[:, None, None]
        return Inequality(
            distance, view.reported("radius"), view.pair_axes, trivial=2.0, tolerance=tolerance, labels=view.labels,
            premise=ball.model.seen(view),
        )  # fmt: skip

    description = "The distance of the plan's frequencies from the true kernel, in L1, against the radius of the plan."
    return Property("ball-confidence", "phase", evaluate, frozenset({ball.model.field, "radius"}), description)


@at_most("distance", on=Phases, where="inside", local=(DISTANCE, RADIUS, INSIDE), needs=("optimistic_kernel",))
def kernel_distance(d: Any) -> Any:
    """||p - P_h||_1 of the kernel a plan was made with against 2 d, where the true kernel is in the ball at all pairs."""
    return 2 * d


def slack(view: Run) -> Array:
    """(K, H) what a step of the regret adds: min(1, d)(H - h) at the pair visited.

    (p - P) V_{h+1} of two laws is at most half their distance times the range of V_{h+1}, which is at most H - h for rewards in
    [0, 1]; their distance is at most 2 d, and 2.
    """
    steps_left = view.public.H - 1.0 - np.arange(view.public.H)
    return np.asarray(np.minimum(view.series.radius, 1.0) * steps_left)
