"""Transition estimates and bonuses of discounted planning: replayed from the transcript, and valid.

Views: `verifier_settings.discounted.Epochs`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray
from verifier.model.measurement import UNBOUNDED, Explanations, Inequality, Part, equality
from verifier.model.property import Property, phase_property
from verifier_properties.any_setting import bonus
from verifier_settings.discounted import Epochs, tolerances
from verifier_settings.discounted.models import CountEstimates
from verifier_settings.elliptical import bonus as elliptical_norm

TOPIC = "Confidence"

TABLE = ("epoch", "x", "a")


@phase_property()
def estimate(view: Epochs) -> Inequality:
    """Phat_k V_k of every plan against the harness's own, from the transitions of earlier epochs and V_k of the plan.

    Left out where the regime replaced the estimate.
    """
    own, premise = view.estimates.mean, view.asked[:, None, None]
    allowed, careful = view.once(tolerances.estimate), tolerances.estimate(view, updated=False)
    return equality(
        view.estimate, own, axes=TABLE, tolerance=allowed, labels=view.labels, premise=premise, careful=careful,
        explanations=_of_phantom(view) if isinstance(view.estimates, CountEstimates) else {},
    )  # fmt: skip


def _of_phantom(view: Epochs) -> Explanations:
    """Suspects of the visit that every pair starts with."""
    own, visits = view.counting.mean, view.counting.visits
    return {
        "the formula without the phantom visit": lambda: own * visits / np.maximum(visits - 1.0, 1.0),
        "the formula with a uniform successor of the phantom visit": lambda: own + view.V.mean(axis=1)[:, None, None] / visits,
    }


@phase_property()
def bonus_formula(view: Epochs) -> Inequality:
    """CB_k of every plan against the width handed out times the norm recomputed from the transcript."""
    width = np.where(view.asked, view.width, 0.0)[:, None, None]
    own = width * view.estimates.norm
    allowed, careful = (width * tolerances.norm(view, updated) + 8 * EPS * own for updated in (True, False))
    premise = view.asked[:, None, None]
    return equality(
        view.bonus, own, axes=TABLE, tolerance=allowed, labels=view.labels, premise=premise, careful=careful,
        explanations={
            "the formula with the square of the norm": lambda: width * view.estimates.norm**2,
            "the formula with 1 for the norm": lambda: np.broadcast_to(width, view.bonus.shape),
            **({} if isinstance(view.estimates, CountEstimates) else _of_norm(view, width)),
        },
    )  # fmt: skip


def _of_norm(view: Epochs, width: Array) -> Explanations:
    """Suspects of the norm of the features."""
    public, phi, shape = view.public, view.mixture.phi, view.bonus.shape
    before = np.concatenate([np.full((1, *phi.shape[1:]), np.nan), phi[:-1]])
    largest = public.B * public.H / np.sqrt(public.ridge)
    return {
        "the formula with Lambda for its inverse": lambda: width * elliptical_norm(phi, view.mixture.gram).reshape(shape),
        "the formula with the features of the previous epoch": lambda: (
            width * elliptical_norm(before, view.mixture.inverse).reshape(shape)
        ),
        "the formula with the norm at its largest": lambda: np.broadcast_to(width * largest, shape),
    }


@phase_property()
def target(view: Epochs) -> Inequality:
    """The value function the width was asked with is V_k of the plan."""
    tolerance = 4 * EPS * view.public.H
    return equality(view.handed, view.V, axes=("epoch", "x"), tolerance=tolerance, labels=view.labels)


@phase_property("visits")
def visits(view: Epochs) -> Inequality:
    """N_k(x,a) of every plan: one phantom visit, and the visits of earlier epochs; counts add without an error."""
    reported, own = view.plans["visits"], view.counting.visits
    return equality(
        reported, own, axes=TABLE, tolerance=0.0, labels=view.labels,
        parts={"the data": Part(lambda: own - 1.0, lambda data: data + 1.0)},
        explanations={
            "the visits of the first step of each epoch alone": lambda: _grows(reported, _per_epoch(view, _first_steps(view))),
            "one visit for each epoch, however many there were": lambda: _grows(
                reported, np.minimum(_per_epoch(view, np.ones(len(view.steps.rows), dtype=bool)), 1.0)
            ),
        },
    )  # fmt: skip


def _per_epoch(view: Epochs, which: BoolArray) -> Array:
    """(p, X, A) visits in each epoch, at some of its steps (n,)."""
    found = np.zeros((view.count, view.public.X * view.public.A))
    np.add.at(found, (view.steps.epoch[which], view.steps.rows[which]), 1.0)
    return found.reshape(view.count, view.public.X, view.public.A)


def _first_steps(view: Epochs) -> BoolArray:
    """(n,) whether a step is the first of its epoch."""
    return np.diff(view.steps.epoch, prepend=-1) > 0


def _grows(reported: Array, by: Array, rounding: float = 0.0) -> BoolArray:
    """Whether what a plan reports is what the plan before does, and what its epoch adds; unknown of a single plan."""
    wrong = np.abs(np.diff(reported, axis=0) - by[:-1]) > rounding
    return np.full(reported.shape, len(reported) > 1 and not wrong.any())


@phase_property("theta")
def regression(view: Epochs) -> Inequality:
    """theta_k of every plan against a batch solve of V_i(x_{t+1}) on the features phi_i(x_t, a_t) of earlier epochs."""
    own, axes = view.mixture.theta, ("epoch", "i")
    allowed, careful = (tolerances.parameter(view, updated)[:, None] for updated in (True, False))
    return equality(
        view.plans["theta"], own, axes=axes, tolerance=allowed, labels=view.labels, careful=careful,
        explanations={
            "the formula with V at the states that are left": lambda: _moment_of(view, view.steps.rows // view.public.A),
            "the formula with V after the reset at the end of an epoch": lambda: _moment_of(view, _after_resets(view)),
            "the formula with the first step of each epoch alone": lambda: _moment_of(view, view.steps.successors, first=True),
        },
    )  # fmt: skip


MOMENTS = 1e-6
"""Relative to the largest moment: they are solved back from the parameter a plan reports, which loses digits. Moments of other
states differ by as much as values do."""


def _moment_of(view: Epochs, at: IntArray, first: bool = False) -> BoolArray:
    """Whether Lambda theta grows by sum phi_k V_k(at), of a state for each step, in every epoch of the batch."""
    steps = view.steps
    which = _first_steps(view) if first else np.ones(len(at), dtype=bool)
    found = np.zeros((view.count, view.public.d))
    met = view.mixture.phi[steps.epoch, steps.rows] * view.V[steps.epoch, at][:, None]
    # add.at, since an epoch has several steps.
    np.add.at(found, steps.epoch[which], met[which])
    moments = np.matmul(view.mixture.gram, view.plans["theta"][..., None])[..., 0]
    return _grows(moments, found, MOMENTS * float(np.abs(moments).max()))


def _after_resets(view: Epochs) -> IntArray:
    """(n,) the state after each step, that of the next epoch at the end of one; the last one keeps its successor."""
    following = np.append(view.steps.rows[1:] // view.public.A, view.steps.successors[-1])
    return np.where(np.append(np.diff(view.steps.epoch) > 0, False), following, view.steps.successors)


def validity(discounted: bool) -> Property:
    """|P V_k - Phat_k V_k| <= CB_k, or g times that as in eq. (2)."""
    factor = "gamma " if discounted else ""
    return bonus.validity(
        lambda view: view.estimate,
        lambda view: view.bonus,
        lambda view: view.once(tolerances.backup),
        lambda view: np.ones(view.count, dtype=bool),
        (),
        f"{factor}|P V_k - Phat_k V_k| from the true kernel and the plan's estimate, against its bonus, at all (x, a).",
        (lambda view: view.public.gamma) if discounted else (lambda view: 1.0),
    )


# Linear mixtures --------------------------------------------------------------------------------------------------------


@phase_property()
def feature_norm(view: Epochs) -> Inequality:
    """||phi_k(x,a)||_2 <= B H, with V_k of the plan, which may exceed H by rounding."""
    public = view.public
    norm = np.linalg.norm(view.mixture.phi, axis=2)
    bound = public.B * public.H
    rounding = 8 * EPS * bound * public.X + public.B * view.once(tolerances.value)[:, None]
    return Inequality(norm, bound, ("epoch", "pair"), trivial=UNBOUNDED, tolerance=rounding, labels=view.labels)


@phase_property("theta")
def estimate_decomposition(view: Epochs) -> Inequality:
    """theta_k - theta = Lambda_k^{-1} (sum_t phi_t noise_t - lambda theta), of the plan's theta_k; noise from the true kernel."""
    found, theta = view.mixture, view.truth.theta
    noise = found.moments - np.matmul(found.gram - view.public.ridge * np.eye(view.public.d), theta[:, None])[..., 0]
    expected = np.linalg.solve(found.gram, (noise - view.public.ridge * theta)[..., None])[..., 0]
    # The right side has Lambda theta in it, also where the moments are zero: rounded, and solved for, it is off by |Lambda^{-1}|
    # |Lambda| |theta| times the unit.
    amplified = np.matmul(np.abs(found.inverse), np.matmul(np.abs(found.gram), np.abs(theta))[..., None])[..., 0]
    tolerance = 2 * (tolerances.parameter(view) + tolerances.unit(view) * np.linalg.norm(amplified, axis=1))[:, None]
    return equality(view.plans["theta"] - theta, expected, axes=("epoch", "i"), tolerance=tolerance, labels=view.labels)


def noise_norm(view: Epochs) -> Array:
    """(p,) ||sum_t phi_t [V_i(x_{t+1}) - P V_i(x_t, a_t)]|| in the norm of Lambda_k^{-1}.

    As P V_i(x,a) = <theta, phi_i(x,a)>, the sum is b - (Lambda - lambda I) theta.
    """
    found = view.mixture
    noise = found.moments - np.matmul(found.gram - view.public.ridge * np.eye(view.public.d), view.truth.theta[:, None])[..., 0]
    solved = np.linalg.solve(found.gram, noise[..., None])[..., 0]
    return np.sqrt(np.maximum((noise * solved).sum(axis=1), 0.0))


def noise_bound(deviation: float, growth: Array, delta: float) -> Array:
    """sigma sqrt(2 (growth + log(1/delta))), growth = log(det(Lambda)^{1/2} lambda^{-d/2})."""
    return np.asarray(deviation * np.sqrt(2 * (growth - np.log(delta))))


def noise_event(deviation: Callable[[float], float]) -> Property:
    """The self-normalised noise of every plan against sigma sqrt(2 log(det(Lambda)^{1/2} lambda^{-d/2} / delta)).

    Parameters
    ----------
    deviation : callable
        Maps H to sigma: H in the paper, H/2 for values in [0, H].
    """

    def evaluate(view: Epochs) -> Inequality:
        public = view.public
        growth = 0.5 * (view.mixture.log_det[:-1] - public.d * np.log(public.ridge))
        bound = noise_bound(deviation(public.H), growth, public.delta)
        largest = public.H * np.sqrt(view.steps_before)
        noise = noise_norm(view)
        rounding = tolerances.gram_norm(view)
        return Inequality(noise, bound, ("epoch",), trivial=largest, tolerance=rounding, labels=view.labels)

    description = (
        "The noise of the regression recomputed from the transcript and the true kernel, and log det of the harness's Gram."
    )
    return Property("noise-event", "phase", evaluate, frozenset(), description)


@phase_property()
def bias(view: Epochs) -> Inequality:
    """lambda ||theta|| in the norm of Lambda_k^{-1}, for the matrix the plan reports, against sqrt(lambda) B.

    Infinite where that matrix has no inverse.
    """
    theta, ridge, regular = view.truth.theta, view.public.ridge, view.regular
    norm = np.full(view.count, np.inf)
    norm[regular] = ridge * np.sqrt(np.maximum(np.linalg.inv(view.plans["gram"][regular]) @ theta @ theta, 0.0))
    bound = np.sqrt(ridge) * view.public.B
    return Inequality(norm, bound, ("epoch",), trivial=UNBOUNDED, tolerance=tolerances.gram_norm(view), labels=view.labels)
