"""Gram matrices of exploration and the weights in them, as the algorithm reports them: order, ranges, sums.

With the harness's own matrices most of this is a theorem about any sequence of features and no implementation could break it.
Lemmas and lines are those of the paper of LSVI-RFE. Views: `verifier_settings.reward_free.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.reward_free.replay import LATER
from verifier_settings import rounding
from verifier_settings.reward_free import Phases, Public, Run, tolerances

TOPIC = "Potential"

Bound = Callable[[Public, float], float]

# Order ----------------------------------------------------------------------------------------------------------------


def _of_eigenvalues(view: Phases) -> Array:
    """(p, H) rounding of an eigenvalue of a difference of Gram matrices: that of d entries in a row, of both."""
    size = view.size
    return 2 * view.public.d * (tolerances.gram(view.public, size) + tolerances.variance_gram(view.public, size))


def _least(difference: Callable[[Phases], Array], symbol: str, times: Callable[[Public], float] = lambda public: 1.0) -> Quantity:
    """Least eigenvalue of the symmetric part of a difference of Gram matrices; `times` multiplies its rounding."""

    def least(view: Phases) -> Array:
        matrices = difference(view)
        return np.asarray(np.linalg.eigvalsh((matrices + np.swapaxes(matrices, -1, -2)) / 2)[..., 0])

    return Quantity(
        least, "least", "plan h", f"λ_min({symbol})", -np.inf, np.inf, lambda view: times(view.public) * _of_eigenvalues(view)
    )  # fmt: skip


def _before(reported: Array, first: Array) -> Array:
    """Arrays reported one plan before; where the batch begins `first`, which every one of them has to keep to."""
    return np.concatenate([np.broadcast_to(first, reported[:1].shape), reported[:-1]])


def _growth(view: Phases, reported: Array) -> Array:
    """(p, H, d, d) what was added to matrices since the plan before; to lambda I where the batch begins."""
    return reported - _before(reported, view.public.ridge * np.eye(view.public.d))


@at_most("-least", on=Phases, needs=("gram",), local=(_least(lambda view: _growth(view, view.gram), "Λ̂_{k+1} − Λ̂_k"),))
def gram_order() -> Any:
    """lambda I <= Lambda-hat_k <= Lambda-hat_{k+1}, by least eigenvalues of differences; a batch begins with lambda I."""
    return 0


@at_most("-least", on=Phases, needs=("variance_gram",),
    local=(_least(lambda view: _growth(view, view.variance_gram), "Λ̃_{k+1} − Λ̃_k"),))  # fmt: skip
def variance_gram_order() -> Any:
    """lambda I <= Lambda-tilde_k <= Lambda-tilde_{k+1}, by least eigenvalues of differences; a batch begins with lambda I."""
    return 0


def _at_start(view: Phases) -> Array:
    """(X,) ||phi(s,a)|| under the inverse of lambda I."""
    return np.asarray(np.linalg.norm(view.public.phi, axis=1) / np.sqrt(view.public.ridge))


def _norm_before(view: Phases) -> Array:
    """(p, H, X) norms under the matrix reported one plan before; infinite or NaN where that has no inverse."""
    return _before(view.reported_norm, _at_start(view))


def _finite_norm_before(view: Phases) -> Array:
    found = view.once(_norm_before)
    return np.where(np.isfinite(found), found, 0.0)


@at_most("norm", on=Phases, needs=("gram",), where="known", local=(
    Quantity(lambda view: view.reported_norm, "norm", "plan h pair", "‖φ‖ under Λ̂_{k+1}⁻¹", 0.0,
        lambda view: _at_start(view)[None, None]),
    Quantity(_finite_norm_before, "norm_before", "plan h pair", "‖φ‖ under Λ̂_k⁻¹",
        rounding=lambda view: tolerances.relative_norm(view.public, view.size)[..., None] * view.once(_finite_norm_before)),
    Quantity(lambda view: np.isfinite(view.once(_norm_before)), "known", "plan h pair", "Λ̂_k has an inverse"),
))  # fmt: skip
def norm_order(norm_before: Any) -> Any:
    """||phi(s,a)|| under the reported Lambda-hat^-1 does not grow from one plan to the next; a batch begins with lambda I."""
    return norm_before


def gram_ratio(above: bool) -> Property:
    """d^3 Lambda-hat >= Lambda-tilde, or Lambda-tilde >= Lambda-hat: sigma-hat^2 / sigma-tilde^2 is between 1 and d^3."""

    def difference(view: Phases) -> Array:
        return np.asarray(view.public.d**3 * view.gram - view.variance_gram if above else view.variance_gram - view.gram)

    least = _least(difference, "d³Λ̂ − Λ̃", lambda public: public.d**3) if above else _least(difference, "Λ̃ − Λ̂")
    made: Property = at_most(
        "-least", "0", on=Phases, local=(least,), name="gram-above" if above else "gram-below", topic=TOPIC,
        needs=("gram", "variance_gram"), description="The least eigenvalue of the difference of the matrices that are reported.",
    )  # fmt: skip
    return made


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


# sigma-hat^2 is at least sigma-tilde^2, and that at least H: with less, a plan violates the two ranges above.
@at_most("cut(x / sigma, 1) / sigma", on=Phases, where=LATER, needs=("weight",), local=(
    Quantity(lambda view: view.before.norm, "x", "plan h", "‖φ‖", 0.0, np.inf,
        lambda view: tolerances.relative_norm(view.public, view.size) * view.before.norm),
    Quantity(lambda view: np.sqrt(np.maximum(view.weight, EPS)), "sigma", "plan h", "σ̂", lambda view: view.public.H**0.5, np.inf),
))  # fmt: skip
def threshold(H: Any, d: Any) -> Any:
    """min(||x/sigma-hat||, 1) / sigma-hat <= 1/sqrt(H d^3), x of the episode before under Lambda-hat as it was then."""
    return 1 / np.sqrt(H * d**3)


# Sums over the run ------------------------------------------------------------------------------------------------------


def _ratios(view: Run) -> Array:
    """(K, H) ||x/sigma-hat||^2 under the Lambda-hat in force, all as reported."""
    return view.series.reported_norm**2 / np.maximum(view.reported_weight, EPS)


def _episodes(view: Run) -> Array:
    """(K, 1) numbers of episodes."""
    return np.arange(1.0, view.public.K + 1)[:, None]


def _of_log_det(view: Run, k: Array | float) -> Array:
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
    total = Quantity(
        lambda view: np.cumsum(np.minimum(1.0, _ratios(view)), axis=0), "total", "episode h", "Σ_{i≤k} min(1, ‖φ/σ̂‖²)", 0.0,
        _episodes, lambda view: _of_log_det(view, _episodes(view)),
    )  # fmt: skip
    limit = Quantity(lambda view: [bound(view.public, float(n)) for n in _episodes(view)[:, 0]], "bound", "episode", "bound(k)")
    made: Property = at_most(
        "total", "bound", on=Run, scope="run", local=(total, limit), name="potential", topic=TOPIC, needs=("gram", "weight"),
        description="Squared norms of the pairs played, under what is reported.",
    )  # fmt: skip
    return made


def _last_log_det(view: Run) -> Array:
    """(H,) log det of the last Lambda-hat; the largest number there is where that has no logarithm."""
    sign, log_det = np.linalg.slogdet(view.planning.gram[0])
    return np.where((sign > 0) & np.isfinite(log_det), log_det, np.finfo(float).max)


@identity("log_det - d * log(ridge)", on=Run, scope="run", needs=("gram", "weight"), local=(
    Quantity(_last_log_det, "log_det", "h", "ln det Λ̂_{K+1}", rounding=lambda view: _of_log_det(view, view.public.K)),
    Quantity(lambda view: np.log1p(np.minimum(_ratios(view), np.finfo(float).max)).sum(axis=0), "growth", "h",
        "Σ_k ln(1 + ‖φ/σ̂‖²)"),
))  # fmt: skip
def determinant(growth: Any) -> Any:
    """log det of the last Lambda-hat - d log lambda = sum_k log(1 + ||x_k / sigma-hat_k||^2), all as reported."""
    return growth


def _most_enlarged(public: Public) -> float:
    """Number of episodes in which a step can exceed the threshold.

    ||x / sigma-tilde|| is at most 1 / sqrt(lambda H): where that is within the threshold 1/d^3, nothing exceeds it.
    """
    return float(public.K) if 1.0 / np.sqrt(public.ridge * public.H) > public.d**-3.0 else 0.0


def enlarged_steps(bound: Callable[[Public], float]) -> Property:
    """Number of times the threshold is reported exceeded, at each step of an episode, against its bound."""
    count = Quantity(
        lambda view: view.reported_enlarged.sum(axis=0), "n", "h", "number of enlarged σ̂", 0.0,
        lambda view: _most_enlarged(view.public),
    )  # fmt: skip
    made: Property = at_most(
        "n", "bound", on=Run, scope="run", local=(count, Quantity(lambda view: bound(view.public), "bound", "")),
        name="enlarged-steps", topic=TOPIC, needs=("enlarged",), description="Enlarged weights reported, counted by step.",
    )  # fmt: skip
    return made


def _shown(view: Run) -> Array:
    """Sum of sigma-bar^2 as the reported weights show it: sigma-hat^2 where that exceeds sigma-tilde^2, else at least H."""
    return np.where(view.reported_weight > view.reported_variance, view.reported_weight, float(view.public.H)).sum()


def _largest_sum(view: Run) -> float:
    """Sum of weights that are all enlarged."""
    return float(view.public.K * view.public.H**2 * view.public.d**3)


@at_most("shown", on=Run, scope="run", needs=("weight", "variance", "enlarged"), local=(
    Quantity(_shown, "shown", "", "Σ σ̄²", 0.0, _largest_sum, lambda view: 8 * EPS * _largest_sum(view)),
    Quantity(lambda view: view.reported_enlarged.sum(), "n", "", "number of enlarged σ̂"),
))  # fmt: skip
def enlarged_sum(H: Any, K: Any, d: Any, n: Any) -> Any:
    """sum sigma-bar^2 <= H T + H d^3 times the number n of steps with an enlarged weight, T = K H.

    sigma-bar^2 as far as the reported weight shows it: it is sigma-hat^2 where that exceeds sigma-tilde^2, else at least H.
    """
    return H * (K * H) + H * d**3 * n
