"""Confidence events: realised estimation errors against the width, and the noise they consist of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array
from verifier.model.measurement import UNBOUNDED, Inequality, equality
from verifier.model.property import Property, phase_property
from verifier_settings.elliptical import gram_norm
from verifier_settings.lifelong import Phases, Public, tolerances
from verifier_settings.lifelong.columns import columns

TOPIC = "Confidence"


def largest_error(public: Public, k: Array) -> Array:
    """Largest error of a least-squares estimate: H sqrt(lambda d) of bias and H sqrt(k) of noise.

    || sum_t a_t phi_t ||_{Lambda^-1} <= sqrt(sum a_t^2), and |V(s') - P V| <= H.
    """
    return public.H * (np.sqrt(public.ridge * public.d) + np.sqrt(k))


def _error(view: Phases) -> Array:
    """(p, H, n) the distance of the algorithm's theta-hat_h(w) from the true theta_h(w), in the Gram norm."""
    return gram_norm(columns(view.parameter, view.target_columns) - view.estimate, view.gram_replay)


@phase_property()
def confidence_event(view: Phases) -> Inequality:
    """The distance of the algorithm's theta-hat_h(w) from the true theta_h(w), in the Gram norm, against the width handed out."""
    return Inequality(
        view.once(_error),
        view.width[:, :, None],
        ("plan", "h", "target"),
        trivial=largest_error(view.public, view.start)[:, None, None],
        tolerance=_rounding(view)[:, None, None],
        labels=view.labels,
        saturated=view.constant_targets,
    )


@phase_property()
def error_decomposition(view: Phases) -> Inequality:
    """||theta-hat - theta||_Lambda of the algorithm's estimates against H sqrt(lambda d) plus the noise, recomputed."""
    bound = view.public.H * np.sqrt(view.public.ridge * view.public.d) + columns(view.noise_norm, view.target_columns)
    return Inequality(
        view.once(_error),
        bound,
        ("plan", "h", "target"),
        trivial=UNBOUNDED,
        tolerance=_rounding(view)[:, None, None],
        labels=view.labels,
    )


def reward_width(view: Phases) -> Array:
    """The widths handed out for the reward estimates."""
    assert view.extra.reward_width is not None
    return view.extra.reward_width


def noise_event(bound: Callable[[Public, Array], Array | float]) -> Property:
    """The self-normalised noise of every plan against its explicit bound.

    Parameters
    ----------
    bound : callable
        Maps (public, episodes seen (p,)) to the bound of each, or of all; it holds for all targets and steps at once.

    The trivial bound is what any value function makes of the transitions of the run: far below H sqrt(k), which needs that the
    surprises V(s') - P V have one sign.
    """

    def evaluate(view: Phases) -> Inequality:
        noise = columns(view.noise_norm, view.target_columns)
        limits = np.broadcast_to(bound(view.public, view.start), view.start.shape)[:, None, None]
        trivial = view.largest_noise[:, :, None]
        return Inequality(
            noise, limits, ("plan", "h", "target"), trivial=trivial, tolerance=_rounding(view)[:, None, None], labels=view.labels,
            saturated=view.constant_targets,
        )  # fmt: skip

    description = (
        "|| sum_t phi_t [V_{h+1}(s'_t, w) - P_h V_{h+1}(s_t, a_t, w)] ||_{Lambda^-1}, recomputed from the "
        "transcript and the true kernel."
    )
    return Property("noise-event", "phase", evaluate, frozenset(), description)


def _psi_error(view: Phases) -> Array:
    """(p, H) the distance of the algorithm's nu-hat_h from the true nu_h, in the Gram norm of psi."""
    return gram_norm((view.psi_parameter - view.psi_estimate)[..., None], view.psi_gram_replay)[..., 0]


@phase_property("psi_estimate")
def psi_confidence_event(view: Phases) -> Inequality:
    """The distance of the algorithm's nu-hat_h from the true nu_h, in the Gram norm of psi, against the width handed out."""
    trivial = view.public.H * (np.sqrt(view.public.ridge * view.public.dp) + np.sqrt(view.start))
    return Inequality(
        view.once(_psi_error), view.width, ("plan", "h"), trivial=trivial[:, None], tolerance=_psi_rounding(view)[:, None],
        labels=view.labels, saturated=view.constant_target,
    )  # fmt: skip


def psi_noise_event(bound: Callable[[Public, Array], Array | float]) -> Property:
    """Event that the noise of regressions on psi is bounded; `bound` as for regressions on phi."""

    def evaluate(view: Phases) -> Inequality:
        limits = np.broadcast_to(bound(view.public, view.start), view.start.shape)[:, None]
        return Inequality(
            view.psi_noise_norm,
            limits,
            ("plan", "h"),
            trivial=view.largest_psi_noise,
            tolerance=_psi_rounding(view)[:, None],
            labels=view.labels,
            saturated=view.constant_target,
        )

    description = (
        "|| sum_t psi_t [V_{h+1}(s'_t, w_t) - P_h V_{h+1}(s_t, a_t, w_t)] ||, in the norm of the inverse Gram matrix of psi, "
        "recomputed from the transcript and the true kernel."
    )
    return Property("psi-noise-event", "phase", evaluate, frozenset({"psi_gram"}), description)


@phase_property("psi_estimate")
def psi_error_decomposition(view: Phases) -> Inequality:
    """||nu-hat - nu|| of the algorithm's estimates against H sqrt(lambda d') plus the noise, where nu exists: nu-hat - nu =
    -lambda Lambda-tilde^{-1} nu + Lambda-tilde^{-1} sum_t psi_t [V - P V], and ||nu|| <= H sqrt(d').
    """
    bound = view.public.H * np.sqrt(view.public.ridge * view.public.dp) + view.psi_noise_norm
    tolerance = _psi_rounding(view)[:, None] + tolerances.completeness(view.public) * np.sqrt(view.start)[:, None]
    return Inequality(
        view.once(_psi_error),
        bound,
        ("plan", "h"),
        trivial=UNBOUNDED,
        tolerance=tolerance,
        labels=view.labels,
        premise=view.complete,
    )


@phase_property("reward_estimate")
def reward_confidence(view: Phases) -> Inequality:
    """||eta-hat_h - eta_h|| of the algorithm's estimate in the Gram norm of psi against sqrt(lambda m d); rewards have
    no noise.
    """
    error = gram_norm((view.truth.eta - view.reward_estimate)[..., None], view.psi_gram_replay)[..., 0]
    bound = np.sqrt(view.public.ridge * view.public.dp)
    trivial = bound + np.sqrt(view.start)
    return Inequality(
        error, bound, ("plan", "h"), trivial=trivial[:, None], tolerance=_psi_rounding(view)[:, None], labels=view.labels
    )


@phase_property("reward_estimate")
def reward_error_identity(view: Phases) -> Inequality:
    """eta-hat - eta = -lambda Lambda-tilde^{-1} eta: without noise the error is the bias of the regulariser alone."""
    bias = np.linalg.solve(
        view.psi_gram_replay, np.broadcast_to(view.truth.eta[..., None], (*view.psi_gram_replay.shape[:3], 1))
    )[..., 0]
    return equality(
        view.reward_estimate - view.truth.eta,
        -view.public.ridge * bias,
        axes=("plan", "h", "i"),
        tolerance=_psi_rounding(view)[:, None, None],
        labels=view.labels,
    )


def _psi_rounding(view: Phases) -> Array:
    ratio = (view.public.dp / view.public.d) ** 2.5
    return ratio * _rounding(view)


def _rounding(view: Phases) -> Array:
    """Rounding of an estimate, turned into the Gram norm by sqrt(lambda + k)."""
    return tolerances.solve(view.public, view.start) * np.sqrt(view.public.ridge + view.start)
