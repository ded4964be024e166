"""Plans of episodic algorithms: values, greedy play, least squares, optimism.

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, from_here_on
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_settings.elliptical import gram_norm
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
    found: Property = at_most(
        "Q_star", "Q", on=Phases, where="holds", name="optimism", topic="Optimism", local=(
            Quantity(lambda view: view.truth.Q[None], "Q_star", "plan h s a", "Q*_h", -np.inf, _most_left, _rounding),
            Quantity(lambda view: _later(view, premise, previous), "holds", "plan h", "the premise from h on"),
        ), description="Q of every plan against Q* from backward induction, at every (s,a).",
    )  # fmt: skip
    return found


def _most_left(view: Phases) -> Array:
    """(1, H) H - h + 1 of the largest rewards, which Q* is at most."""
    return (view.public.H - np.arange(view.public.H))[None] * max(1.0, view.public.high)


def _later(view: Phases, premise: Premise | None, previous: bool) -> BoolArray:
    """(p, H) whether the premise of optimism holds at a step and all later ones: induction over h goes backwards from H."""
    holds = np.ones(view.width.shape, dtype=bool) if premise is None else premise(view)
    if previous:
        holds = holds & (view.previous >= view.truth.Q[None] - _rounding(view)[:, :, None, None]).all(axis=(2, 3))
    return from_here_on(holds)


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


WEIGHTS = Quantity(
    lambda view: view.estimate_replay, "w_replay", "plan h i", "Λ_h⁻¹ Σ_τ φ_τ(r_τ + V_{h+1}(s′_τ))",
    rounding=lambda view: tolerances.solve(view.public, view.start),
)  # fmt: skip
PREDICTED = Quantity(
    lambda view: view.predicted, "w_phi", "plan h pair", "⟨w_h, φ⟩",
    rounding=lambda view: tolerances.solve(view.public, view.start),
)  # fmt: skip
PHI_NORM = Quantity(
    lambda view: view.bonus, "phi_norm", "plan h pair", "‖φ‖", low=0.0,
    rounding=lambda view: tolerances.norm(view.public, view.start)[:, None, None] * view.bonus,
)  # fmt: skip


@identity("estimate", on=Phases, local=(WEIGHTS,))
def regression(w_replay: Any) -> Any:
    """w_h of every plan against a batch least-squares solve of r + V_{h+1} on phi, all past transitions of the step."""
    return w_replay


@identity(
    "Q", on=Phases, name="q-formula", needs=("estimate",), local=(PREDICTED, PHI_NORM),
    define={"iota": lambda d, T, delta: np.log(2 * d * T / delta)}, made_of={"w": "d * H * sqrt(iota)"},
)  # fmt: skip
def linear_q_formula(w_phi: Any, w: Any, phi_norm: Any, H: Any) -> Any:
    """Q_h of every plan against min(<w_h, phi> + width ||phi||, H), w_h of the plan, norms from the transcript."""
    return np.minimum(w_phi + w * phi_norm, H)


def largest_error(public: Public, k: Array) -> Array:
    """Largest error of a least-squares estimate: 2 H sqrt(lambda d) of bias and H sqrt(k) of noise."""
    return public.H * (2 * np.sqrt(public.ridge * public.d) + np.sqrt(k))


def _gram_rounding(view: Phases) -> Array:
    """(p,) rounding of an estimate, turned into the Gram norm by sqrt(lambda + k)."""
    return tolerances.solve(view.public, view.start) * np.sqrt(view.public.ridge + view.start)


def _error(view: Phases) -> Array:
    """(p, H) the distance of the plan's w_h from the true parameter, in the Gram norm."""
    return gram_norm((view.reported("estimate") - view.parameter)[..., None], view.gram_replay)[..., 0]


CONSTANT = Quantity(lambda view: view.constant_target, "constant", "plan h", "V_{h+1} is constant")
NOT_BELOW = Quantity(  # a minimum with H does not ensure it, and the norm bounds rest on |V| <= H
    lambda view: (view.V[:, 1:] >= -view.public.H).all(axis=2), "not_below", "plan h", "V_{h+1} ≥ −H"
)


@at_most("error", on=Phases, saturated="constant", needs=("estimate",), topic="Confidence", local=(
    CONSTANT,
    Quantity(_error, "error", "plan h", "‖w_h − w*_h‖_Λ", 0.0, lambda view: largest_error(view.public, view.start)[:, None],
        _gram_rounding),
))  # fmt: skip
def confidence(w: Any) -> Any:
    """The distance of the plan's w_h from the true parameter of r + P V_{h+1}, in the Gram norm, against the width."""
    return w


def noise_event(bound: Callable[[Public, Array], Array | float]) -> Property:
    """The self-normalised noise of every plan against its explicit bound, for (public, episodes seen (p,)).

    The trivial bound is what any values in [0, H] make of the transitions of the run: far below H sqrt(k), which needs that the
    surprises V(s') - P V have one sign.
    """
    local = (
        CONSTANT,
        Quantity(
            lambda view: view.noise_norm, "noise_norm", "plan h", "‖Σ_t φ_t(V_{h+1}(s′_t) − P_hV_{h+1})‖_{Λ⁻¹}", 0.0,
            lambda view: view.largest_noise, _gram_rounding,
        ),
        Quantity(lambda view: np.broadcast_to(bound(view.public, view.start), view.start.shape), "most", "plan", "the bound"),
    )  # fmt: skip
    found: Property = at_most(
        "noise_norm", "most", on=Phases, saturated="constant", local=local, name="noise-event", topic="Confidence",
        description="|| sum_t phi_t [V_{h+1}(s'_t) - P V_{h+1}(s_t, a_t)] ||, from the transcript and the true kernel.",
    )  # fmt: skip
    return found


def _backup_error(view: Phases) -> Array:
    """(p, H, X) |<w_h, phi> - r - P V_{h+1}|, w_h of the plan."""
    return np.abs(np.matmul(view.reported("estimate"), view.public.phi.T) - view.truth.reward - view.PV)


@at_most("error", on=Phases, where="event", saturated="constant", needs=("estimate",), topic="Confidence", local=(
    CONSTANT,
    Quantity(lambda view: view.event, "event", "plan h", "the event"),
    Quantity(_backup_error, "error", "plan h pair", "|⟨w_h, φ⟩ − r − P_hV_{h+1}|", 0.0, "H",
        lambda view: tolerances.solve(view.public, view.start) + tolerances.backup(view.public, view.start)),
    Quantity(lambda view: np.matmul(view.reported("estimate"), view.public.phi.T), "w_phi", "plan h pair", "⟨w_h, φ⟩"),
    Quantity(lambda view: view.bonus, "phi_norm", "plan h pair", "‖φ‖"),
))  # fmt: skip
def linear_validity(Q: Any, H: Any, w_phi: Any, w: Any, phi_norm: Any) -> Any:
    """|<w_h, phi> - r - P V_{h+1}| of the plan's w_h against the bonus it adds, Q - <w_h, phi> where Q is below the cap."""
    return np.where(Q < H, Q - w_phi, w * phi_norm)


def _leverage(view: Phases) -> Array:
    """(p, H) sum_{t<k} ||phi_t||^2 under the Gram matrices that plans report; what was not visited adds nothing."""
    seen = view.step_visits
    return np.asarray((seen * np.where(seen > 0, view.reported_bonus, 0.0) ** 2).sum(axis=2))


@at_most("leverage", on=Phases, needs=("gram",), topic="Potential", local=(
    Quantity(_leverage, "leverage", "plan h", "Σ_{τ<k} φ_τᵀΛ_h⁻¹φ_τ", 0.0, lambda view: view.start[:, None] / view.public.ridge,
        # each square comes with its own rounding, and their sum is at most d
        lambda view: 2 * view.public.d * tolerances.norm(view.public, view.start)),
))  # fmt: skip
def leverage(d: Any) -> Any:
    """sum_{t<k} ||phi_t||^2 of all past steps, in the norm of the inverse of the Gram matrix a plan reports, against d."""
    return d


def regression_event(view: Phases) -> BoolArray:
    """(p, H) whether the realised error of the regression is within the width."""
    return view.event


def _parameter_rounding(view: Phases) -> float:
    """Rounding of the norm of a parameter: sums over S states, relative to its bound."""
    return float(16 * EPS * view.public.S * view.public.H * np.sqrt(view.public.d))


def _norm(symbol: str, of: Callable[[Phases], Array], rounding: Callable[[Phases], Array | float]) -> Quantity:
    """Euclidean norms of parameters."""
    return Quantity(lambda view: np.linalg.norm(of(view), axis=2), "norm", "plan h", symbol, 0.0, np.inf, rounding)


@at_most("norm", on=Phases, where="not_below", topic="Confidence", local=(
    NOT_BELOW, _norm("‖θ_h + Σ_s′ μ_h(s′)V_{h+1}(s′)‖", lambda view: view.parameter, _parameter_rounding),
))  # fmt: skip
def parameter_norm(H: Any, d: Any) -> Any:
    """||w_h|| of the true parameter theta + sum_s' mu(s') V_{h+1}(s') against 2 H sqrt(d), where V_{h+1} >= -H."""
    return 2 * H * np.sqrt(d)


@at_most("norm", on=Phases, where="not_below", needs=("estimate",), topic="Confidence", local=(
    NOT_BELOW, Quantity(lambda view: view.start, "k", "plan"),
    _norm("‖w_h‖", lambda view: view.reported("estimate"), lambda view: tolerances.solve(view.public, view.start)),
))  # fmt: skip
def estimate_norm(H: Any, d: Any, k: Any, ridge: Any) -> Any:
    """||w_h|| of every plan against 2 H sqrt(d k / lambda), where V_{h+1} >= -H."""
    return 2 * H * np.sqrt(d * k / ridge)
