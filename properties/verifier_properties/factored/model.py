"""Counts and estimates of every plan, against the harness's own from the transcript.

Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import Inequality, equality
from verifier.model.property import phase_property
from verifier_properties.factored import formulas, suspects
from verifier_settings.factored import Phases, products, tolerances

TOPIC = "Decomposition"

FACTORS, PARTS = ("plan", "factor", "pair"), ("plan", "part", "pair")


@phase_property("visits")
def visits(view: Phases) -> Inequality:
    """N_{k-1}(x[Z_j]) of every plan against the visits of earlier episodes: counts, which add without an error."""
    return equality(
        view.visits, view.estimates.visits, axes=FACTORS, tolerance=0.0, labels=view.labels, explanations=suspects.of_visits(view)
    )  # fmt: skip


@phase_property("reward_visits")
def reward_visits(view: Phases) -> Inequality:
    """N_{k-1}(x[Z_i]) of the scopes of the rewards against the visits of earlier episodes."""
    cells = [view.public.cells(scope) for scope in view.public.reward_scopes]
    return equality(
        view.reward_visits, view.estimates.reward_visits, axes=PARTS, tolerance=0.0, labels=view.labels,
        explanations=suspects.of_steps(view, view.reward_visits, cells),
    )  # fmt: skip


@phase_property("kernel")
def kernel(view: Phases) -> Inequality:
    """Phat_j(v | x[Z_j]) of every plan against the frequencies of earlier episodes, where the cell was seen."""
    return equality(
        view.kernel, padded(view), axes=(*FACTORS, "v"), labels=view.labels,
        tolerance=tolerances.frequency(view.public, view.start)[:, None, None, None],
        premise=(view.estimates.visits > 0)[..., None], explanations=suspects.of_kernel(view, padded(view)),
    )  # fmt: skip


def padded(view: Phases) -> Array:
    """(p, n, X, B) Phat_j of the transcript, zeros past the values of a factor."""
    longest = max(view.public.state_sizes)
    rows = [np.pad(row, ((0, 0), (0, 0), (0, longest - row.shape[-1]))) for row in view.estimates.rows]
    return np.stack(rows, axis=1)


@phase_property("reward")
def reward(view: Phases) -> Inequality:
    """Rhat_i of every plan against the mean of what was seen, 1 where nothing was."""
    tolerance = tolerances.frequency(view.public, view.start)[:, None, None]
    return equality(
        view.reward, view.estimates.reward, axes=PARTS, tolerance=tolerance, labels=view.labels,
        explanations={"the mean of all parts": lambda: suspects.mean_of_parts(view)},
    )  # fmt: skip


@phase_property("reward_variance")
def reward_variance(view: Phases) -> Inequality:
    """The empirical variance of r_i of every plan against that of what was seen, where anything was.

    E[r^2] - E[r]^2 of rewards in [0, 1] cancels: it loses what two means lose, and one rounding more.
    """
    tolerance = 4 * tolerances.frequency(view.public, view.start)[:, None, None] + 4 * EPS
    own, visits = view.estimates.reward_variance, view.estimates.reward_visits
    return equality(
        view.reward_variance, own, axes=PARTS, tolerance=tolerance, labels=view.labels, premise=visits > 0,
        explanations={"the formula with N - 1 for N": lambda: own * visits / np.maximum(visits - 1.0, 1.0)},
    )  # fmt: skip


@phase_property("known")
def known(view: Phases) -> Inequality:
    """The known pairs of every plan against those whose cell was seen in every transition scope."""
    expected = view.estimates.known
    return Inequality(
        np.abs(view.known - expected), 0.0, ("plan", "pair"), trivial=1.0, tolerance=0.5, labels=view.labels, identity=True,
        explanations={
            "known where some factor was seen": lambda: view.known == (view.estimates.visits > 0).any(axis=1),
            "not known": lambda: view.known == 0,
        },
    )  # fmt: skip


@phase_property("variance")
def variances(view: Phases) -> Inequality:
    """sigma^2_i of every plan for its V_{h+1}, against the same of the transcript's Phat, by the definition."""
    return equality(
        view.variance, view.variance_replay, axes=("plan", "factor", "h", "pair"), labels=view.labels,
        tolerance=spread_rounding(view), premise=view.estimates.known[:, None, None],
        explanations={"the variances of the pessimistic values": lambda: view.variances_of(view.lower)},
    )  # fmt: skip


@phase_property("correction", "lower")
def corrections(view: Phases) -> Inequality:
    """u_i of every plan for its V_{h+1} and lower values, against the same of the transcript's Phat."""
    own, gap = view.correction_replay, view.V[:, 1:] - view.lower[:, 1:]
    return equality(
        view.correction, own, axes=("plan", "factor", "h", "pair"), labels=view.labels,
        tolerance=spread_rounding(view, gap), premise=view.estimates.known[:, None, None],
        explanations={
            "squared before anything is integrated": lambda: np.broadcast_to(own[:, -1:], own.shape),
            "squared after everything is integrated": lambda: np.broadcast_to(
                formulas.backup(view, gap)[:, None] ** 2, own.shape
            ),
        },
    )  # fmt: skip


def spread_rounding(view: Phases, values: Array | None = None) -> Array:
    """(p, 1, 1, 1) rounding of second moments and variances: H times that of a backup of values, three times for a difference.

    The square of a value of at most H has H times the error of the value, twice. Values (p, ..., S), those of the plan by
    default, may be larger where they are wrong, and so may differences of V and the pessimistic values: a square, and what it
    rounds by, grows with that of their size.
    """
    largest = np.abs(view.V if values is None else values).max(axis=(1, 2))
    size = np.maximum(1.0, largest / view.public.H) ** 2
    return (3 * view.public.H * size * tolerances.backup(view.public, view.start))[:, None, None, None]


@phase_property("variance", "kernel")
def variance_sum(view: Phases) -> Inequality:
    """sum_i sigma^2_i against Var(V_{h+1}), both of the plan: of its own Phat, as a flat law."""
    mean, square = (_flat_mean(view, values) for values in (view.V[:, 1:], view.V[:, 1:] ** 2))
    return equality(
        view.variance.sum(axis=1), square - mean**2, axes=view.pair_axes, labels=view.labels,
        tolerance=2 * view.public.n * spread_rounding(view)[:, 0], premise=view.estimates.known[:, None],
    )  # fmt: skip


@phase_property("correction", "kernel", "lower")
def correction_order(view: Phases) -> Inequality:
    """(E G)^2 <= u_1 <= ... <= u_n = E G^2 with G = V_{h+1} - lower, all of the plan (Jensen); u_n with equality.

    The flat law of the plan's own Phat is one route, what the plan reports is the other.
    """
    gap = view.V[:, 1:] - view.lower[:, 1:]
    mean, square = _flat_mean(view, gap), _flat_mean(view, gap**2)
    ascending = np.stack([mean**2, *np.moveaxis(view.correction, 1, 0), square])
    steps = ascending[:-1] - ascending[1:]
    steps[-1] = np.abs(steps[-1])
    return Inequality(
        np.moveaxis(steps, 0, 1), 0.0, ("plan", "between", "h", "pair"), trivial=float(view.public.H**2), labels=view.labels,
        tolerance=2 * view.public.n * spread_rounding(view, gap), premise=view.estimates.known[:, None, None], identity=True,
    )  # fmt: skip


def _flat_mean(view: Phases, values: Array) -> Array:
    """(p, H, X) E V under the product of the laws that a plan reports, for values (p, H, S)."""
    return np.matmul(values, np.swapaxes(reported_kernel(view), 1, 2))


def reported_kernel(view: Phases) -> Array:
    """(p, X, S) the product of the laws that a plan reports."""
    return view.once(_reported_kernel)


def _reported_kernel(view: Phases) -> Array:
    return products.product([view.kernel[:, j, :, :size] for j, size in enumerate(view.public.state_sizes)])


def kernel_error(view: Phases) -> Array:
    """(p, S, X) Phat - P of the same: before anything is summed, so that nothing is left where the two agree."""
    return view.once(_kernel_error)


def _kernel_error(view: Phases) -> Array:
    return np.swapaxes(reported_kernel(view), 1, 2) - view.truth.P.T
