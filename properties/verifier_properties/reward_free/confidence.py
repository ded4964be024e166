"""Confidence: errors of the estimates in the norm of Lambda-hat, against the radii, in both phases.

mu are the true measures, mu-hat those of weighted least squares. An error is that of what the algorithm reports (w_h, or mu-hat
itself in the planning phase), its norm is under the harness's Lambda-hat; premises are events of the harness alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.reward_free.replay import PLANNED
from verifier_settings.elliptical import gram_norm
from verifier_settings.reward_free import Phases, Planning, Public, tolerances
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
    return gram_norm((view.parameter - view.estimate)[..., None], view.gram_replay)[..., 0]


def ranged(view: Any) -> BoolArray:
    """(p, H) whether 0 <= V_{h+1} <= H: what concentration needs of every function that it covers.

    Algorithm 1 cuts values at H only. On the event none is negative (Lemma A.7), so nothing is lost by leaving the others out.
    """
    slack = tolerances.backup(view.public)
    return np.asarray(((view.V[:, 1:] >= -slack) & (view.V[:, 1:] <= view.public.H + slack)).all(axis=2))


def _error(value: Callable[[Any], Array], symbol: str) -> Quantity:
    """An error of an estimate in the norm of Lambda-hat."""
    return Quantity(
        value, "error", "plan h", symbol, 0.0, lambda view: largest_error(view.public, view.episodes), norm_rounding
    )  # fmt: skip


ERROR = _error(error, "‖μ_hV_{h+1} − w_h‖")
RANGED = Quantity(ranged, "ranged", "plan h", "0 ≤ V_{h+1} ≤ H")

# Exploration ----------------------------------------------------------------------------------------------------------


@at_most("error", on=Phases, where="ranged & decided", saturated="constant", local=(ERROR, RANGED), needs=("estimate",))
def exploration_event(beta: Any) -> Any:
    """||mu_h V_{k,h+1} - w_{k,h}|| in the norm of Lambda-hat against the radius, for the algorithm's own w and V."""
    return beta


@at_most("error", on=Phases, where="(e <= beta) & decided", saturated="constant", needs=("estimate",), local=(Quantity(
    lambda view: np.abs(view.mean_of_reports - view.PV), "error", "plan h pair", "|⟨w_h, φ⟩ − P_hV_{h+1}|", 0.0, "H",
    lambda view: tolerances.estimate(view.public, view.size) * view.norm.max(axis=2) + tolerances.backup(view.public),
),))  # fmt: skip
def pointwise(radius: Any) -> Any:
    """|(P-hat_h - P_h) V_{h+1}(s,a)| <= width ||phi(s,a)||, where the event holds; P-hat_h V_{h+1} = <w_h, phi> as reported."""
    return radius


def _solved(view: Any, sums: Array) -> Array:
    """(p, H, d) Lambda-hat^-1 of sums (p, H, d)."""
    return np.linalg.solve(view.gram_replay, sums[..., None])[..., 0]


@identity("estimate - mu_V", on=Phases, where="decided", local=(
    Quantity(lambda view: view.parameter, "mu_V", "plan h i", "μ_hV_{h+1}"),
    Quantity(lambda view: _solved(view, view.parameter), "bias", "plan h i", "Λ̂⁻¹μ_hV_{h+1}"),
    Quantity(
        lambda view: _solved(view, np.matmul(view.surprise, view.V[:, 1:, :, None])[..., 0]), "noise", "plan h i",
        "Λ̂⁻¹ Σ φ(P_hV_{h+1} − V_{h+1}(s′))/σ̂²", rounding=lambda view: 2 * euclidean_rounding(view),
    ),
))  # fmt: skip
def decomposition(ridge: Any, bias: Any, noise: Any) -> Any:
    """w_h - mu_h V_{h+1} = Lambda-hat^-1 (-lambda mu_h V_{h+1} - sum x (P_h V - V(s')) / sigma-hat^2): Lemma C.4 with a minus."""
    return -ridge * bias - noise


# Planning ---------------------------------------------------------------------------------------------------------------


@identity("measures - mu", where="decided", **PLANNED, local=(
    Quantity(lambda view: view.truth.mu, "mu", "h i s", "μ_h"),
    Quantity(lambda view: np.linalg.solve(view.gram_replay, view.truth.mu), "bias", "plan h i s", "Λ̂⁻¹μ_h"),
    Quantity(lambda view: np.linalg.solve(view.gram_replay, view.surprise), "noise", "plan h i s", "Λ̂⁻¹ Σ φ(P_h − e_{s′})/σ̂²",
        rounding=lambda view: 2 * euclidean_rounding(view)),
))  # fmt: skip
def measures(ridge: Any, bias: Any, noise: Any) -> Any:
    """mu-hat_h - mu_h = Lambda-hat^-1 (-lambda mu_h - sum x (P_h - e_{s'}) / sigma-hat^2), Lemma C.4 with a minus, by column."""
    return -ridge * bias - noise


def _measure_error(view: Planning, values: Array) -> Array:
    """(p, H) ||(mu_h - mu-hat_h) v_h|| in the norm of Lambda-hat, with the mu-hat that the algorithm reports."""
    difference = np.matmul(view.truth.mu - view.measures, values[..., None])
    return gram_norm(difference, view.gram_replay)[..., 0]


def _radius(radius: Radius, name: str, symbol: str) -> Quantity:
    return Quantity(lambda view: radius(view.public), name, "", symbol)


ON_OPTIMAL = _error(lambda view: _measure_error(view, view.optimal[:, 1:]), "‖(μ_h − μ̂_h)V*_{h+1}‖")
ON_REST = _error(lambda view: _measure_error(view, (view.V - view.optimal)[:, 1:]), "‖(μ_h − μ̂_h)(V_{h+1} − V*_{h+1})‖")
BEFORE = Quantity(
    lambda view: np.pad(view.event_from[:, 1:], ((0, 0), (0, 1)), constant_values=True) & view.explored[:-1], "before", "plan h",
    "event of exploration from h on and of planning from h+1 on",
)  # fmt: skip


def _planned(name: str, radius: str, where: str, needs: str, description: str, *local: Quantity) -> Property:
    options = {**PLANNED, "where": f"{where} & decided", "needs": (needs,), "local": local, "name": name, "topic": TOPIC}
    found: Property = at_most("error", radius, description=description, **options)
    return found


def fixed_target(radius: Radius, *, fixed: bool = True) -> Property:
    """||(mu_h - mu-hat_h) V*_{h+1}|| against the radius of Lemma A.11, for the reported mu-hat.

    Parameters
    ----------
    radius : callable
    fixed : bool
        Whether it is about a reward that was fixed before the data; else about those that were chosen after.
    """
    description, where = "The error of mu-hat on V* of every such reward.", "judged" if fixed else "chosen"
    return _planned("fixed-target", "beta_1", where, "measures", description, ON_OPTIMAL, _radius(radius, "beta_1", "β_P1"))


def difference(radius: Radius) -> Property:
    """||(mu_h - mu-hat_h)(V_{h+1} - V*_{h+1})|| against the radius of Lemma A.12, where the events it rests on hold.

    These are: exploration's in every episode from step h on, planning's from step h+1 on, and width of exploration >= that of
    planning.
    """
    description = "The error of mu-hat on V - V* of every reward."
    local = ON_REST, BEFORE, RANGED, _radius(radius, "beta_2", "β_P2")
    return _planned("difference", "beta_2", "before & dominates & judged & ranged", "measures", description, *local)


def triangle(first: Radius, second: Radius) -> Property:
    """||mu_h V_{h+1} - w_h|| <= beta_P where the two parts, on V* and on V - V*, are within beta_P1 and beta_P2."""
    description = "The error of w_h in planning; both parts recomputed from mu."
    local = ERROR, _radius(first, "beta_1", "β_P1"), _radius(second, "beta_2", "β_P2")
    return _planned("triangle", "beta", "(e_star <= beta_1) & (e_rest <= beta_2)", "estimate", description, *local)


def both_events(*, fixed: bool = True) -> Property:
    """The exploration event in every episode, and the planning event, at all steps: norms over radii.

    Parameters
    ----------
    fixed : bool
        Whether it is about a reward that was fixed before the data; else about those that were chosen after.
    """

    def about(view: Planning) -> BoolArray:
        return view.judged if fixed else view.chosen

    def worst(view: Planning) -> Array:
        planned = error(view)[about(view)].max(axis=0, initial=0.0) / view.width.min(axis=0)
        return np.maximum((view.series.event_norm / view.series.width).max(axis=0), planned)

    def least(view: Planning) -> Array:
        return np.minimum(view.series.width.min(axis=0), view.width.min(axis=0))

    local = (
        Quantity(worst, "worst", "h", "max(‖error‖/β)", 0.0, lambda view: largest_error(view.public, view.public.K) / least(view),
            lambda view: norm_rounding(view).max(axis=0) / least(view)),
        Quantity(lambda view: about(view).any() & view.decided.all(), "judged", ""),
    )  # fmt: skip
    found: Property = at_most(
        "worst", "1", where="judged", local=local, name="both-events", topic=TOPIC, needs=("estimate",),
        description="Errors over radii, in all episodes and in planning.", **PLANNED,
    )  # fmt: skip
    return found
