"""Gram matrices of exploration and the weights in them, as the algorithm reports them: order, ranges, sums.

With the harness's own matrices most of this is a theorem about any sequence of features and no implementation could break it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import UNBOUNDED, Inequality, equality
from verifier.model.property import Property, phase_property, run_property
from verifier.model.statement import at_most
from verifier_properties.reward_free.replay import wide
from verifier_settings import rounding
from verifier_settings.reward_free import Phases, Public, Run, tolerances

TOPIC = "Potential"

Bound = Callable[[Public, float], float]

# Order ----------------------------------------------------------------------------------------------------------------


def _least(matrices: Array) -> Array:
    """Least eigenvalues of symmetric parts (..., d, d)."""
    return np.asarray(np.linalg.eigvalsh((matrices + np.swapaxes(matrices, -1, -2)) / 2)[..., 0])


def _eigenvalue(view: Phases) -> Array:
    """(p, H) rounding of an eigenvalue of a difference of Gram matrices: that of d entries in a row, of both."""
    size = view.size
    return 2 * view.public.d * (tolerances.gram(view.public, size) + tolerances.variance_gram(view.public, size))


def _before(view: Phases, reported: Array, first: Array) -> Array:
    """Matrices reported one plan before; where the batch begins `first`, which every one of them has to keep to."""
    return np.concatenate([np.broadcast_to(first, reported[:1].shape), reported[:-1]])


@phase_property("gram")
def gram_order(view: Phases) -> Inequality:
    """lambda I <= Lambda-hat_k <= Lambda-hat_{k+1}, by least eigenvalues of differences; a batch begins with lambda I."""
    return _growth(view, view.gram)


@phase_property("variance_gram")
def variance_gram_order(view: Phases) -> Inequality:
    """lambda I <= Lambda-tilde_k <= Lambda-tilde_{k+1}, by least eigenvalues of differences; a batch begins with lambda I."""
    return _growth(view, view.variance_gram)


def _growth(view: Phases, reported: Array) -> Inequality:
    growth = reported - _before(view, reported, view.public.ridge * np.eye(view.public.d))
    return Inequality(-_least(growth), 0.0, view.axes, trivial=UNBOUNDED, tolerance=_eigenvalue(view), labels=view.labels)


@phase_property("gram")
def norm_order(view: Phases) -> Inequality:
    """||phi(s,a)|| under the reported Lambda-hat^-1 does not grow from one plan to the next; a batch begins with lambda I."""
    public = view.public
    first = np.linalg.norm(public.phi, axis=1) / np.sqrt(public.ridge)
    previous = _before(view, view.reported_norm, first)
    known = np.isfinite(previous)
    previous = np.where(known, previous, 0.0)
    relative = tolerances.relative_norm(public, view.size)
    return Inequality(
        view.reported_norm,
        previous,
        view.pair_axes,
        trivial=first,
        tolerance=wide(relative, 1) * previous,
        labels=view.labels,
        premise=known,
    )


def gram_ratio(above: bool) -> Property:
    """d^3 Lambda-hat >= Lambda-tilde, or Lambda-tilde >= Lambda-hat: sigma-hat^2 / sigma-tilde^2 is between 1 and d^3."""

    def evaluate(view: Phases) -> Inequality:
        d = view.public.d
        difference = d**3 * view.gram - view.variance_gram if above else view.variance_gram - view.gram
        tolerance = (d**3 if above else 1) * _eigenvalue(view)
        return Inequality(-_least(difference), 0.0, view.axes, trivial=UNBOUNDED, tolerance=tolerance, labels=view.labels)

    name = "gram-above" if above else "gram-below"
    description = "The least eigenvalue of the difference of the matrices that are reported."
    return Property(name, "phase", evaluate, frozenset({"gram", "variance_gram"}), description)


# Ranges -----------------------------------------------------------------------------------------------------------------


@at_most("abs(variance - (d**2 + 1) / 2 * H)", on=Phases, where="k > 0")
def variance_range(H: Any, d: Any) -> Any:
    """H <= sigma-tilde^2 <= d^2 H (distance from the middle at most half of the range)."""
    return (d**2 - 1) / 2 * H


@at_most("abs(weight - (variance + high) / 2)", on=Phases, where="k > 0", define={"high": "max(variance, H * d**3)"})
def weight_range(variance: Any, high: Any) -> Any:
    """sigma-tilde^2 <= sigma-hat^2 <= max(sigma-tilde^2, H d^3), likewise."""
    return (high - variance) / 2


@at_most("spread", on=Phases, where="k > 0")
def spread_range(H: Any) -> Any:
    """Spread in its range: W <= H^2."""
    return H**2


@at_most("V", on=Phases, topic="Planning")
def value_cap(H: Any) -> Any:
    """V_h <= H for every value function of a plan."""
    return H


@phase_property("weight")
def threshold(view: Phases) -> Inequality:
    """min(||x/sigma-hat||, 1) / sigma-hat <= 1/sqrt(H d^3), x of the episode before under Lambda-hat as it was then."""
    public, sigma = view.public, np.sqrt(np.maximum(view.weight, EPS))
    relative = tolerances.relative_norm(public, view.size)
    return Inequality(
        np.minimum(view.before.norm / sigma, 1.0) / sigma, 1.0 / np.sqrt(public.H * public.d**3), view.axes,
        trivial=1.0 / np.sqrt(public.H), tolerance=relative / np.sqrt(public.H), labels=view.labels,
        premise=((view.episodes > 0) & view.decided)[:, None],
    )  # fmt: skip


# Sums over the run ------------------------------------------------------------------------------------------------------


def _ratios(view: Run) -> Array:
    """(K, H) ||x/sigma-hat||^2 under the Lambda-hat in force, all as reported."""
    return view.series.reported_norm**2 / np.maximum(view.reported_weight, EPS)


def _log_det(view: Run, k: Array | float) -> Array:
    """Rounding of log det after k episodes, and of as many of its increments."""
    public = view.public
    k = np.asarray(k, dtype=float)
    relative = 2 * tolerances.relative_norm(public, view.planning.size).max()
    return (k + public.d) * (rounding.log_det(public.d, public.ridge, k / public.H) + relative)


def potential(bound: Bound) -> Property:
    """sum_{i <= k} min(1, ||x_i / sigma-hat_i||^2) for every k against its bound; matrices and weights as reported.

    Parameters
    ----------
    bound : callable
        Maps (public, k) to the bound.
    """

    def evaluate(view: Run) -> Inequality:
        k = np.arange(1, view.public.K + 1)
        total = np.cumsum(np.minimum(1.0, _ratios(view)), axis=0)
        limits = np.array([bound(view.public, float(n)) for n in k])[:, None]
        return Inequality(
            total, limits, ("episode", "h"), trivial=k[:, None].astype(float), tolerance=_log_det(view, k)[:, None],
            labels=view.labels,
        )  # fmt: skip

    return Property(
        "potential", "run", evaluate, frozenset({"gram", "weight"}), "Squared norms of the pairs played, under what is reported."
    )


@run_property("gram", "weight")
def determinant(view: Run) -> Inequality:
    """log det of the last Lambda-hat - d log lambda = sum_k log(1 + ||x_k / sigma-hat_k||^2), all as reported."""
    public = view.public
    sign, log_det = np.linalg.slogdet(view.planning.gram[0])
    left = np.where(sign > 0, log_det, np.inf) - public.d * np.log(public.ridge)
    right = np.log1p(np.minimum(_ratios(view), np.finfo(float).max)).sum(axis=0)
    return equality(
        np.where(np.isfinite(left), left, np.finfo(float).max), right, axes=("h",), tolerance=_log_det(view, public.K),
        labels={"h": view.labels["h"]},
    )  # fmt: skip


def enlarged_steps(bound: Callable[[Public], float]) -> Property:
    """Number of times the threshold is reported exceeded, at each step of an episode, against its bound.

    ||x / sigma-tilde|| is at most 1 / sqrt(lambda H): where that is within the threshold 1/d^3, nothing exceeds it.
    """

    def evaluate(view: Run) -> Inequality:
        public, count = view.public, view.reported_enlarged.sum(axis=0)
        most = public.K if 1.0 / np.sqrt(public.ridge * public.H) > public.d**-3.0 else 0
        return Inequality(
            count, bound(public), ("h",), trivial=float(most), tolerance=0.5, labels={"h": view.labels["h"]},
        )  # fmt: skip

    return Property("enlarged-steps", "run", evaluate, frozenset({"enlarged"}), "Enlarged weights reported, counted by step.")


@run_property("weight", "variance", "enlarged")
def enlarged_sum(view: Run) -> Inequality:
    """sum sigma-bar^2 <= H T + H d^3 times the number of steps with an enlarged weight.

    sigma-bar^2 as far as the reported weight shows it: it is sigma-hat^2 where that exceeds sigma-tilde^2, else at least H.
    """
    H, d = view.public.H, view.public.d
    shown = np.where(view.reported_weight > view.reported_variance, view.reported_weight, float(H)).sum()
    total = float(view.public.K * H)
    bound = H * total + H * d**3 * view.reported_enlarged.sum()
    return Inequality(shown, bound, (), trivial=H * d**3 * total, tolerance=8 * EPS * total * H * d**3)
