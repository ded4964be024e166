"""Plans of episodic algorithms: values, greedy play, least squares, optimism.

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import UNBOUNDED, Inequality, Part, equality
from verifier.model.property import Property, phase_property
from verifier_settings.elliptical import bonus, gram_norm
from verifier_settings.episodic import Phases, Public, tolerances

TOPIC = "Planning"

Premise = Callable[[Phases], BoolArray]


def optimism(premise: Premise | None, *, previous: bool = False) -> Property:
    """Q_h >= Q*_h at all (s,a), where the premise holds at every step from h on.

    Parameters
    ----------
    premise : callable, optional
        Where the estimates are within their widths, shape (p, H); everywhere by default.
    previous : bool
        Whether Q is capped by that of the plan before, which must then have been optimistic from h on, too.
    """

    def evaluate(view: Phases) -> Inequality:
        public, best = view.public, view.truth.Q[None]
        holds = np.ones(view.width.shape, dtype=bool) if premise is None else premise(view)
        if previous:
            holds = holds & (view.previous >= best - _rounding(view)[:, :, None, None]).all(axis=(2, 3))
        later = np.flip(np.logical_and.accumulate(np.flip(holds, axis=1), axis=1), axis=1)
        steps_left = (public.H - np.arange(public.H)) * max(1.0, public.high)
        return Inequality(
            best, view.Q, ("plan", "h", "s", "a"), trivial=steps_left[None, :, None, None], labels=view.labels,
            tolerance=_rounding(view)[:, :, None, None], premise=later[:, :, None, None],
        )  # fmt: skip

    description = "Q of every plan against Q* from backward induction, at every (s,a)."
    return Property("optimism", "phase", evaluate, frozenset(), description, topic="Optimism")


def _rounding(view: Phases) -> Array:
    """(p, H) what steps h to H add to the rounding of Q."""
    public = view.public
    one = tolerances.backup(public, view.start)
    if view.plans[0].estimate is not None:
        one = one + tolerances.solve(public, view.start)
    if public.m:
        one = one + view.mixture.backup_rounding(view.width)
    return one[:, None] * (public.H - np.arange(public.H))


# Least squares ------------------------------------------------------------------------------------------------------


@phase_property("estimate")
def regression(view: Phases) -> Inequality:
    """w_h of every plan against a batch least-squares solve of r + V_{h+1} on phi, all past transitions of the step."""
    tolerance = tolerances.solve(view.public, view.start)[:, None, None]
    return equality(
        view.reported("estimate"), view.estimate_replay, axes=("plan", "h", "i"), tolerance=tolerance, labels=view.labels,
        explanations={"the formula without the reward": lambda: _without_reward(view)},
    )  # fmt: skip


def _without_reward(view: Phases) -> Array:
    """(p, H, d) least squares of V_{h+1} alone."""
    sums = np.matmul(view.counts, view.V[:, 1:, :, None])
    return np.linalg.solve(view.gram_replay, np.matmul(view.public.phi.T, sums))[..., 0]


@phase_property("estimate")
def linear_q_formula(view: Phases) -> Inequality:
    """Q_h of every plan against min(<w_h, phi> + width ||phi||, H), w_h of the plan, norms from the transcript."""
    public = view.public
    mean = np.matmul(view.reported("estimate"), public.phi.T)
    added = view.width[:, :, None] * view.bonus
    expected = np.minimum(mean + added, public.H).reshape(view.Q.shape)
    rounding = tolerances.solve(public, view.start)[:, None, None] + tolerances.norm(public, view.start)[:, None, None] * added
    return equality(
        view.Q, expected, axes=("plan", "h", "s", "a"), labels=view.labels,
        tolerance=np.broadcast_to(rounding, added.shape).reshape(view.Q.shape),
        parts={
            "the bonus": Part(lambda: added, lambda bonus: np.minimum(mean + bonus, public.H).reshape(view.Q.shape)),
            "||phi||": Part(
                lambda: view.bonus,
                lambda norm: np.minimum(mean + view.width[:, :, None] * norm, public.H).reshape(view.Q.shape),
            ),
            "the estimate": Part(lambda: mean, lambda mean: np.minimum(mean + added, public.H).reshape(view.Q.shape)),
        },
        explanations={
            "the formula without its cut at H": lambda: (mean + added).reshape(view.Q.shape),
            "the formula with Lambda for its inverse": lambda: np.minimum(
                mean + view.width[:, :, None] * bonus(public.phi, view.gram_replay), public.H
            ).reshape(view.Q.shape),
        },
    )  # fmt: skip


def largest_error(public: Public, k: Array) -> Array:
    """Largest error of a least-squares estimate: 2 H sqrt(lambda d) of bias and H sqrt(k) of noise."""
    return public.H * (2 * np.sqrt(public.ridge * public.d) + np.sqrt(k))


@phase_property("estimate", topic="Confidence")
def confidence(view: Phases) -> Inequality:
    """The distance of the plan's w_h from the true parameter of r + P V_{h+1}, in the Gram norm, against the width."""
    error = (view.reported("estimate") - view.parameter)[..., None]
    return Inequality(
        gram_norm(error, view.gram_replay)[..., 0], view.width, ("plan", "h"), labels=view.labels,
        trivial=largest_error(view.public, view.start)[:, None], tolerance=_gram_rounding(view), saturated=view.constant_target,
    )  # fmt: skip


def noise_event(bound: Callable[[Public, Array], Array | float]) -> Property:
    """The self-normalised noise of every plan against its explicit bound, for (public, episodes seen (p,)).

    The trivial bound is what any values in [0, H] make of the transitions of the run: far below H sqrt(k), which needs that the
    surprises V(s') - P V have one sign.
    """

    def evaluate(view: Phases) -> Inequality:
        limits = np.broadcast_to(bound(view.public, view.start), view.start.shape)[:, None]
        return Inequality(
            view.noise_norm, limits, ("plan", "h"), trivial=view.largest_noise, tolerance=_gram_rounding(view),
            labels=view.labels, saturated=view.constant_target,
        )  # fmt: skip

    description = "|| sum_t phi_t [V_{h+1}(s'_t) - P V_{h+1}(s_t, a_t)] ||, from the transcript and the true kernel."
    return Property("noise-event", "phase", evaluate, frozenset(), description, topic="Confidence")


def _gram_rounding(view: Phases) -> Array:
    k = view.start
    return (tolerances.solve(view.public, k) * np.sqrt(view.public.ridge + k))[:, None]


@phase_property("estimate", topic="Confidence")
def linear_validity(view: Phases) -> Inequality:
    """|<w_h, phi> - r - P V_{h+1}| of the plan's w_h against the bonus it adds, Q - <w_h, phi> where Q is below the cap."""
    public = view.public
    mean = np.matmul(view.reported("estimate"), public.phi.T)
    Q = view.Q.reshape(mean.shape)
    added = np.where(Q < public.H, Q - mean, view.width[:, :, None] * view.bonus)
    rounding = tolerances.solve(public, view.start) + tolerances.backup(public, view.start)
    return Inequality(
        np.abs(mean - view.truth.reward - view.PV), added, view.pair_axes, trivial=float(public.H), labels=view.labels,
        tolerance=rounding[:, None, None], premise=view.event[:, :, None], saturated=view.constant_target[:, :, None],
    )  # fmt: skip


@phase_property("gram", topic="Potential")
def leverage(view: Phases) -> Inequality:
    """sum_{t<k} ||phi_t||^2 of all past steps, in the norm of the inverse of the Gram matrix a plan reports, against d.

    Each comes with the rounding of a squared norm, and their sum is at most d.
    """
    public, seen = view.public, view.step_visits
    total = (seen * np.where(seen > 0, view.reported_bonus, 0.0) ** 2).sum(axis=2)
    rounding = 2 * public.d * tolerances.norm(public, view.start)[:, None]
    largest = view.start[:, None] / public.ridge
    return Inequality(total, float(public.d), ("plan", "h"), trivial=largest, tolerance=rounding, labels=view.labels)


def regression_event(view: Phases) -> BoolArray:
    """(p, H) whether the realised error of the regression is within the width."""
    return view.event


def _not_below(view: Phases) -> BoolArray:
    """(p, H) whether V_{h+1} >= -H: a minimum with H does not ensure it, and the norm bounds rest on |V| <= H."""
    return np.asarray((view.V[:, 1:] >= -view.public.H).all(axis=2))


@phase_property(topic="Confidence")
def parameter_norm(view: Phases) -> Inequality:
    """||w_h|| of the true parameter theta + sum_s' mu(s') V_{h+1}(s') against 2 H sqrt(d), where V_{h+1} >= -H."""
    bound = 2 * view.public.H * np.sqrt(view.public.d)
    norm = np.linalg.norm(view.parameter, axis=2)
    rounding = 8 * EPS * bound * view.public.S
    return Inequality(
        norm, bound, ("plan", "h"), trivial=UNBOUNDED, tolerance=rounding, labels=view.labels, premise=_not_below(view)
    )


@phase_property("estimate", topic="Confidence")
def estimate_norm(view: Phases) -> Inequality:
    """||w_h|| of every plan against 2 H sqrt(d k / lambda), where V_{h+1} >= -H."""
    public = view.public
    bound = 2 * public.H * np.sqrt(public.d * view.start / public.ridge)[:, None]
    tolerance = tolerances.solve(public, view.start)[:, None]
    norm = np.linalg.norm(view.reported("estimate"), axis=2)
    return Inequality(
        norm, bound, ("plan", "h"), trivial=UNBOUNDED, tolerance=tolerance, labels=view.labels, premise=_not_below(view)
    )
