"""Values in exploration: optimism about the truncated optimum, the variance bound, what the values are at most, their sum."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.reward_free.replay import Phase, chain_rounding
from verifier_settings.reward_free import Phases, Public, Run, tolerances
from verifier_settings.reward_free.weights import precision

TOPIC = "Exploration"

Bound = Callable[[Run], float]
BOX = 10
"""Largest number of states with which all vertices of a box of value functions are tried."""

V = Quantity(lambda view: view.V, "V", "plan step s", "V_{k,h}", -np.inf, "H", lambda view: chain_rounding(view, 4))

# One plan ---------------------------------------------------------------------------------------------------------------


@at_most("V_b", on=Phases, where="event", local=(V, Quantity(
    lambda view: view.truncated, "V_b", "plan step s", "Ṽ_h(β‖φ‖)", 0.0, "H"
)))  # fmt: skip
def optimism(V: Any) -> Any:
    """V_{k,h}(s) >= V~_h(s; width ||phi||), the optimal value truncated at H, where the event holds from h on.

    V~ is at least 0 and at most H, so this also says that V_{k,h} >= 0.
    """
    return V


@at_most("V_2b", on=Phases, where="event", local=(V, Quantity(
    lambda view: view.instance.truncated(2 * view.radius), "V_2b", "plan step s", "Ṽ_h(2β‖φ‖)", 0.0, "H"
)))  # fmt: skip
def twofold_optimism(V: Any) -> Any:
    """V_{k,h}(s) >= V~_h(s; 2 width ||phi||), where the event holds from h on.

    Reward and bonus are three times width ||phi||, and the error of the estimate is once that at most. So Q is at least 2 width
    ||phi|| + P V_{k,h+1}, from the last step on, and an algorithm with half a bonus is below this, which it is not below V~(width
    ||phi||).
    """
    return V


def _largest_variance(view: Phases) -> Array:
    """(p, H) the largest variance under P_h, at the pairs played, of a function between -zeta and V_{k,h+1} + zeta, at most H.

    It is convex in the function, so it is largest at a vertex of this box, all of which are tried; none where they are too many.
    """
    H, zeta = view.public.H, precision(view.public)
    law, high = view.truth.P[np.arange(H), view.pairs], np.minimum(view.V[:, 1:] + zeta, H)
    largest = np.zeros(law.shape[:2])
    if view.public.S > BOX:
        return largest
    for corner in product((False, True), repeat=view.public.S):
        u = np.where(np.array(corner), high, -zeta)
        mean = (law * u).sum(axis=2)
        largest = np.maximum(largest, (law * (u - mean[..., None]) ** 2).sum(axis=2))
    return largest


@at_most("variance", on=Phases, where="event", needs=("spread",), local=(
    Quantity(_largest_variance, "variance", "plan h", "max Var_h(V − V*)", 0.0, lambda view: float(view.public.H**2)),
    Quantity(lambda view: np.concatenate([view.spread[1:], view.played.spread[-1:]]), "W", "plan h",
        rounding=lambda view: tolerances.spread(view.public, view.size, view.width, view.played.norm)),
    Quantity(lambda view: view.event_holds[:, :-1] & (view.public.S <= BOX), "event", "plan h", "event from h on"),
))  # fmt: skip
def variance_bound(W: Any) -> Any:
    """The largest variance of V - V* that W is claimed to bound, for every reward, at the pairs played in the episode.

    V - V* is anything between -zeta and V_{k,h+1} + zeta, at most H in absolute value. W is what the next plan reports of the
    episode.
    """
    return W


@at_most("V", on=Phases, where="event", local=(V, Quantity(
    lambda view: view.instance.under(view.policy, np.minimum(4 * view.radius, float(view.public.H))), "bonuses", "plan step s",
    "E Σ_{i≥h} min(4β‖φ_i‖, H)",
)))  # fmt: skip
def from_above(bonuses: Any, H: Any) -> Any:
    """V_{k,h}(s) <= min(H, E sum_{i >= h} min(4 width ||phi_i||, H)) under the plan's policy, where the event holds from h on."""
    return cut(bonuses, H)


def _taken(view: Phases, values: Array) -> Array:
    """(p, H, S) values (p, H, X) at the plan's action."""
    by_action = values.reshape(*view.policy.shape, view.public.A)
    return np.take_along_axis(by_action, view.policy[..., None], axis=3)[..., 0]


@at_most("V_h", on=Phases, where="decided", local=(
    Quantity(lambda view: view.V[:, :-1], "V_h", "plan h s", "V_{k,h}", -np.inf, "H", lambda view: chain_rounding(view, 4)),
    Quantity(lambda view: _taken(view, view.norm), "norm", "plan h s", "‖φ‖"),
    Quantity(lambda view: _taken(view, view.PV), "PV", "plan h s", "P_hV_{k,h+1}"),
))  # fmt: skip
def one_step(beta: Any, e: Any, norm: Any, PV: Any, H: Any) -> Any:
    """V_{k,h}(s) <= min(H, (3 width + e_h) ||phi|| + P_h V_{k,h+1}) at the plan's action, e_h the norm of the realised error."""
    return cut((3 * beta + e) * norm + PV, H)


# Sums over the run ------------------------------------------------------------------------------------------------------

OF_RUN: Phase = {"on": Run, "scope": "run"}
HELD = Quantity(lambda view: view.planning.explored[0] & view.planning.decided.all(), "held", "", "event in every episode")


def _sum_rounding(view: Run) -> float:
    public = view.public
    return float(public.K * public.H**2 * tolerances.backup(public))


def least_radius(public: Public) -> float:
    """sqrt(H) / 4, which stands for smaller radii in sums: a larger one is as good a bound of V.

    From there on 4 width sigma-hat >= H, so that min(4 width ||phi||, H) <= 4 width sigma-hat min(||phi / sigma-hat||, 1).
    """
    return float(np.sqrt(public.H) / 4)


def weighted_radius(view: Run) -> float:
    """sqrt(sum (width sigma-hat)^2): beta_E sqrt(sum sigma-hat^2) where the radius does not change."""
    width = np.maximum(view.series.width, least_radius(view.public))
    return float(np.sqrt((width**2 * view.series.weight).sum()))


def weighted_norms(view: Run) -> float:
    """sqrt(sum min(||phi / sigma-hat||^2, 1))."""
    ratio = view.series.norm**2 / view.series.weight
    return float(np.sqrt(np.minimum(ratio, 1.0).sum()))


def azuma(public: Public, largest: float, terms: float, failures: float) -> float:
    """M sqrt(2 n log(failures / delta))."""
    return float(largest * np.sqrt(2 * terms * np.log(failures / public.delta)))


@at_most("backups", where="held", **OF_RUN, local=(
    Quantity(lambda view: view.series.expected.sum(), "backups", "", "Σ P_hV_{k,h+1}", 0.0,
        lambda view: view.public.H * view.public.K * (view.public.H - 1.0), lambda view: view.public.H * _sum_rounding(view)),
    HELD, Quantity(weighted_radius, "sigma", "", "√Σ(βσ̂)²"), Quantity(weighted_norms, "x", "", "√Σ min(‖φ/σ̂‖², 1)"),
    Quantity(lambda view: azuma(view.public, view.public.H**2 + view.public.H, view.public.K * view.public.H, view.public.H),
        "azuma", "", "(H² + H)√(2T log(H/δ))"),
))  # fmt: skip
def sum_of_backups(H: Any, sigma: Any, x: Any, azuma: Any) -> Any:
    """sum P_h V_{k,h+1} <= 4 H sqrt(sum (width sigma)^2) sqrt(sum min(||phi/sigma||^2, 1)) + (H^2 + H) sqrt(2 T log(H/delta))."""
    return 4 * H * sigma * x + azuma


def _largest_weights(view: Run) -> float:
    public = view.public
    return float(public.K * public.H**2 * public.d**3)


WEIGHTS = Quantity(lambda view: view.reported_weight.sum(), "weights", "", "Σ σ̂²", 0.0, _largest_weights,
    lambda view: 8 * EPS * view.public.K * _largest_weights(view))  # fmt: skip
VALUES = Quantity(lambda view: view.series.V.sum(), "values", "", "Σ_k V_{k,1}(s_1^k)", 0.0,
    lambda view: float(view.public.H * view.public.K), _sum_rounding)  # fmt: skip


def _sum(name: str, total: Quantity, bound: Bound, description: str, *needs: str) -> Property:
    options = {**OF_RUN, "where": "held", "local": (total, HELD, Quantity(bound, "bound", "")), "topic": TOPIC}
    found: Property = at_most(total.name, "bound", name=name, description=description, needs=needs, **options)
    return found


def sum_of_weights(bound: Bound) -> Property:
    """sum sigma-hat^2, as reported, against its bound."""
    return _sum("sum-of-weights", WEIGHTS, bound, "Weights of all steps, as reported.", "weight")


def sum_of_values(bound: Bound) -> Property:
    """sum_k V_{k,1}(s_1^k) against its bound, where the event held throughout."""
    return _sum("sum-of-values", VALUES, bound, "Values of the plans in force at the first states.")


@at_most("gap", needs=("reward",), **OF_RUN, local=(
    Quantity(lambda view: (view.series.mean_truncated - view.series.truncated).sum(), "gap", "",
        "Σ_k (E Ṽ_1(s; r_k) − Ṽ_1(s_1^k; r_k))", 0.0,
        lambda view: float(view.public.H * view.public.K * (view.instance.start.max() < 1)), _sum_rounding),
    Quantity(lambda view: azuma(view.public, view.public.H, view.public.K, 1), "azuma", "", "H√(2K log(1/δ))"),
))  # fmt: skip
def first_states(azuma: Any) -> Any:
    """sum_k (E V~_1(s; r_k) - V~_1(s_1^k; r_k)) <= H sqrt(2 K log(1/delta)), r_k the exploration reward that was reported."""
    return azuma
