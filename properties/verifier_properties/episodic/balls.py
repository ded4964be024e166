"""Balls of plausible kernels, and extended value iteration over them: replayed, by another route, and valid.

A ball is {p : ||p(.|s,a) - Phat(.|s,a)||_1 <= d(s,a)}, at each pair by itself. Equations and figures are those of Jaksch, Ortner
and Auer 2010, "Near-optimal regret bounds for reinforcement learning". Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity, reports
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.episodic import tabular_model
from verifier_properties.episodic.tabular_model import Model
from verifier_settings.episodic import Phases, Run, balls, tolerances

TOPIC = "Confidence"


@dataclass(frozen=True, eq=False)
class Ball:
    """Balls around frequencies, whose radii are from the widths handed out.

    Parameters
    ----------
    model : Model
        Whose frequencies are the centres.
    visits : str
        The quantity that counts its visits.
    formula : callable
        The radius d before it is cut at 2, as a function of quantities by their names.
    radius : callable
        Maps phases to d, shape (p, H, X); 2 where nothing was seen: every law is plausible.
    """

    model: Model
    visits: str
    formula: Callable[..., Any]
    radius: Callable[[Phases], Array]


POOLED = Ball(
    tabular_model.POOLED, "N", lambda w, S, A, t, delta, N: w * balls.radius(S, A, t, delta, N), lambda view: view.radius
)  # fmt: skip
"""Balls of the visits at any step: the kernel is the same at all."""
BY_STEP = Ball(
    tabular_model.BY_STEP, "N_h", lambda w, S, A, t, delta, N_h: w * balls.radius(S, A, t, delta, N_h),
    lambda view: view.step_radius,
)  # fmt: skip
"""Balls of the visits at each step: each has a kernel of its own."""


# Rounding -----------------------------------------------------------------------------------------------------------


def _of_distances(view: Phases) -> Array:
    """(p,) rounding of the distance of two laws: each entry as of a frequency, and the mass that an implementation moves."""
    return np.asarray(2 * view.public.S * (tolerances.frequency(view.public, view.start) + 16 * EPS))


def _of_backups(view: Phases) -> Array:
    """(p,) rounding of r + p V."""
    return tolerances.backup(view.public, view.start)


def _steps_left(view: Phases) -> Array:
    """(H+1,) H - h + 1, the number of rewards that are left."""
    return np.arange(view.public.H, -1.0, -1.0)


def _of_steps_left(view: Phases) -> Array:
    """(p, H+1) rounding of V: means over laws that sum to 1 but for rounding exceed the range by that of all steps left."""
    return np.asarray(_of_backups(view)[:, None] * _steps_left(view))


# Quantities ---------------------------------------------------------------------------------------------------------


def _kernels(view: Phases) -> Array:
    """(p, H, X, S) the kernels p_h that plans were made with, as reported."""
    return view.reported("optimistic_kernel")


def _distance(ball: Ball) -> Quantity:
    """Distance of the kernel of a plan from the centre of its ball."""
    return Quantity(
        lambda view: np.abs(_kernels(view) - ball.model.kernel(view)).sum(axis=3), "distance", "plan h pair",
        symbol="‖p_h − P̂‖₁", low=0.0, high=np.inf, rounding=_of_distances,
    )  # fmt: skip


def _radius(ball: Ball) -> Quantity:
    return Quantity(ball.radius, "d", "plan h pair", low=0.0, high=2.0)


BEFORE = Quantity(lambda view: view.start, "before", "plan", symbol="(k − 1)", low=0.0, high=np.inf)
"""The episodes before a plan."""
MASS = Quantity(
    lambda view: _kernels(view).sum(axis=3), "mass", "plan h pair", symbol="Σp_h", low=-np.inf, high=np.inf,
    rounding=_of_distances,
)  # fmt: skip
NEGATIVE = Quantity(
    lambda view: -np.minimum(_kernels(view), 0.0).sum(axis=3), "negative", "plan h pair", symbol="Σmax(−p_h, 0)", low=0.0,
    high=np.inf, rounding=_of_distances,
)  # fmt: skip
MEAN = Quantity(
    lambda view: np.matmul(_kernels(view), view.following[..., None])[..., 0], "pV", "plan h pair", symbol="p_h·V_{h+1}",
    rounding=_of_backups,
)  # fmt: skip
VALUE = Quantity(lambda view: view.V, "V", "plan step s", symbol="V_h", low=-np.inf, high=np.inf, rounding=_of_steps_left)
LEFT = Quantity(_steps_left, "left", "step", symbol="(H − h + 1)", low=0.0, high="H")


# The ball -----------------------------------------------------------------------------------------------------------


def radius_formula(ball: Ball) -> Property:
    """The radius a plan reports against width sqrt(14 S log(2 A t / delta) / N), where N > 0; above 2, any radius above 2."""
    made: Property = identity(
        "cut(radius, 2)", "cut(d, 2)", on=Phases, where=f"{ball.visits} > 0", local=(BEFORE,),
        define={"d": ball.formula, "t": "H * before + 1"}, name="radius-formula", topic=TOPIC,
        description="The radii of every plan against equation (4), with the visits and the time of the transcript.",
    )  # fmt: skip
    return made


def plausible(ball: Ball) -> Property:
    """The kernel a plan was made with lies in the ball: rows are laws, at most d from the frequencies in L1.

    What is compared is the largest of its negative mass, its distance from total mass 1, and its distance from the ball.
    """
    made: Property = identity(
        "max(lawless, outside)", "0", on=Phases, local=(MASS, NEGATIVE, _distance(ball), _radius(ball)),
        define={"lawless": "max(abs(mass - 1), negative)", "outside": f"where({ball.visits} > 0, max(distance - d, 0), 0)"},
        name="plausible", topic=TOPIC, needs=("optimistic_kernel",),
        description="The optimistic kernels of every plan against the balls around the frequencies of the transcript.",
    )  # fmt: skip
    return made


# Extended value iteration -------------------------------------------------------------------------------------------


@identity("Q", on=Phases, local=(MEAN,), needs=("optimistic_kernel",))
def attained(r: Any, pV: Any) -> Any:
    """Q_h of every plan against r + p V_{h+1}, for the kernel p it was made with, as reported."""
    return r + pV


def _of_reports(view: Phases, ball: Ball) -> Array | None:
    """(p, H, X) the largest mean over the balls that plans report; None where they report none.

    NaN where their kernels are not even in these, or do not give their Q. V is what the width was asked with: what a plan reports
    may have been changed after.
    """
    if not reports(view, ball.model.field, "radius", "optimistic_kernel"):
        return None
    centre, radius, rows, V = ball.model.reported_kernel(view), view.reported("radius"), _kernels(view), view.handed
    lawless = np.maximum(np.abs(MASS.on(view) - 1.0), NEGATIVE.on(view))
    inside = np.maximum(lawless, np.abs(rows - centre).sum(axis=3) - radius) <= _of_distances(view)[:, None, None]
    given = view.truth.reward + np.matmul(rows, V[..., None])[..., 0]
    inside &= np.abs(view.Q.reshape(given.shape) - given) <= _of_backups(view)[:, None, None]
    return np.where(inside, balls.largest_mean(centre, radius, V), np.nan)


def extended_values(ball: Ball) -> Property:
    """Q_h of every plan against r + max p V_{h+1} over the ball, V of the plan, the maximum by its dual programme.

    The ball is from the transcript and the widths handed out. An implementation moves mass from the worst states to the best one;
    `balls.largest_mean` neither sorts states nor moves mass, and is an upper bound of what any law in the ball attains.
    """
    best = Quantity(
        lambda view: balls.largest_mean(ball.model.kernel(view), ball.radius(view), view.following), "pV_max", "plan h pair",
        symbol="max_p p·V_{h+1}", rounding=lambda view: 2 * _of_backups(view), reported=lambda view: _of_reports(view, ball),
        others={"p·V_{h+1}, taken from the best states first,": lambda view: (
            balls.mean_of_best_first(ball.model.kernel(view), ball.radius(view), view.following)
        )},
    )  # fmt: skip
    # In no formula: it is what the maximum is mistaken for.
    worst = Quantity(
        lambda view: -balls.largest_mean(ball.model.kernel(view), ball.radius(view), -view.following), "pV_min", "plan h pair",
        symbol="min_p p·V_{h+1}",
    )  # fmt: skip
    made: Property = identity(
        "Q", "r + pV_max", on=Phases, local=(best, worst), name="extended-values", topic=TOPIC,
        description=(
            "Q of every plan against rewards and the largest mean of its own V over the balls, by linear programming duality."
        ),
    )  # fmt: skip
    return made


@at_most("abs(V - left / 2)", on=Phases, topic="Planning", local=(VALUE, LEFT))
def values_of_steps_left(left: Any) -> Any:
    """0 <= V_h <= H - h + 1 (distance from the middle at most half of it): no value is cut, each step adds a reward in [0, 1]."""
    return left / 2


# What holds where the truth is in the ball --------------------------------------------------------------------------


def confidence(ball: Ball) -> Property:
    """||Phat_k - P_h||_1 of the plan's Phat against the radius it reports, at all pairs and steps, where N > 0.

    The event is one of each plan and step. For a pair, n visits and a fixed t its chance to fail is at most 2^S exp(-n d^2 / 2)
    (Weissman et al. 2003). With x = delta / (2 A t), d^2 = 14 S log(1/x) / n makes that (2 x^7)^S, where 2 x^7 <= 1/64. Over all
    pairs and n < t it is at most S A t (2 x^7)^S <= 2 A t x^7 <= delta / (64 t^6), and over all t below delta / 60.
    """
    error = Quantity(
        lambda view: np.abs(ball.model.reported_kernel(view) - view.truth.kernel).sum(axis=3), "error", "plan h pair",
        symbol="‖P̂_k − P_h‖₁", low=0.0, high=2.0,
        rounding=lambda view: view.public.S * tolerances.frequency(view.public, view.start),
    )  # fmt: skip
    made: Property = at_most(
        "error", "radius", on=Phases, where=f"{ball.visits} > 0", local=(error,), name="ball-confidence", topic=TOPIC,
        needs=(ball.model.field,),
        description="The distance of the plan's frequencies from the true kernel, in L1, against the radius of the plan.",
    )  # fmt: skip
    return made


DISTANCE = Quantity(
    lambda view: np.abs(_kernels(view) - view.truth.kernel).sum(axis=3), "distance", "plan h pair", symbol="‖p_h − P_h‖₁",
    low=0.0, high=2.0, rounding=_of_distances,
)  # fmt: skip
INSIDE = Quantity(lambda view: view.inside, "inside", "plan h", symbol="P_h in the ball")


@at_most("distance", on=Phases, where="inside", local=(DISTANCE, _radius(POOLED), INSIDE), needs=("optimistic_kernel",))
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
