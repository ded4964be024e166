"""Values in planning: optimism, what exploration says about them, and what the returned policy loses.

Views: the planning phase. Truth: V* and V^pi by dynamic programming for every reward that was revealed. V~(b) is the optimal
value, truncated at H, of the bonus as a reward; b is width ||phi||, recomputed, unless it is said to be the reported one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.reward_free.replay import PLANNED, chain_rounding
from verifier_settings.reward_free import Planning, tolerances

TOPIC = "Planning"

Bound = Callable[[Planning], float]


def _values(view: Planning) -> Array:
    """(p, 1) rounding of values of a plan."""
    return chain_rounding(view, 2)[:, 0]


def _norm(view: Planning) -> float:
    """Relative rounding of ||phi||."""
    return float(tolerances.relative_norm(view.public, view.size).max())


V = Quantity(lambda view: view.V, "V", "plan step s", "V_h", -np.inf, "H", lambda view: chain_rounding(view, 2))
FIRST = (
    Quantity(lambda view: view.V[:, 0], "V_1", "plan s", "", -np.inf, "H", _values),
    Quantity(lambda view: view.event_holds[:, 0], "event", "plan"),
)
"""Quantities of the first step."""


@at_most("V_star", where="event", topic="Optimism", local=(V,), **PLANNED)
def optimism(V: Any) -> Any:
    """V_h(s) >= V*_h(s; r) for every reward, where the planning event holds from h on."""
    return V


# Of exploration values rest on estimates and norms as those of planning do, with three times the bonus.
@at_most("V", where="event & explored & dominates", **PLANNED, local=(V, Quantity(
    lambda view: view.values, "V_k", "checkpoint step s", "V_{k,h}", rounding=lambda view: 2 * _values(view).max()
)))  # fmt: skip
def certified_by_exploration(V_star: Any, V_k: Any) -> Any:
    """V_h(s) <= V*_h(s; r) + V_{k,h}(s) for every reward and the plans of exploration that were kept, the last among them.

    Where the events of both phases hold from h on, and the radius of exploration is at least that of planning: only then is the
    bonus of planning within what exploration adds.
    """
    return V_star + V_k


@at_most("2 * bonus", where="dominates", **PLANNED, local=(Quantity(
    lambda view: view.explored_bonus, "b_k", "checkpoint h pair", "b_{k,h}",
    rounding=lambda view: 2 * _norm(view) * np.abs(view.explored_bonus),
),))  # fmt: skip
def bonus_ratio(b_k: Any) -> Any:
    """Bonus of planning, twice, against the bonus of exploration, 2 width ||phi||, in every episode that was kept.

    Both as the algorithm reports them; where the radius of exploration is at least that of planning.
    """
    return b_k


# Theorem 4.2 --------------------------------------------------------------------------------------------------------------


@at_most("V_1 - V_pi", where="event", **PLANNED, local=(*FIRST, Quantity(
    lambda view: view.instance.under(view.policy, 2 * view.radius, float(view.public.H))[:, 0], "V_2b", "plan s", "Ṽ^π_1(2b)",
    rounding=_values,
)))  # fmt: skip
def gap_of_plan(V_2b: Any) -> Any:
    """V_1 - V^pi_1 <= V~^pi_1(2b), the value of 2b under the returned policy, cut at H at every step."""
    return V_2b


@at_most("V_1 - V_pi", where="event", **PLANNED, local=(*FIRST, Quantity(
    lambda view: view.truncated, "V_b", "plan s", "Ṽ_1(b)", rounding=lambda view: _values(view) / 2
)))  # fmt: skip
def gap_by_bonus(V_b: Any) -> Any:
    """Loss of the returned policy by bonuses: V_1 - V^pi_1 <= 2 V~_1(b)."""
    return 2 * V_b


@at_most("loss", where="event", topic="Regret", **PLANNED, local=(*FIRST, Quantity(
    lambda view: view.optimal[:, 0] - view.achieved, "loss", "plan s", "V*_1 − V^π_1", 0.0,
    lambda view: view.public.H - view.achieved,
)))  # fmt: skip
def loss_of_plan(V_1: Any, V_pi: Any) -> Any:
    """V*_1 - V^pi_1 <= V_1 - V^pi_1 of the plan, where the planning event holds.

    The two sides have V^pi in common: V* <= H, so that a plan whose value is cut at H could not have failed, whatever its policy.
    """
    return V_1 - V_pi


def _scaled(view: Planning) -> Array:
    """(p,) E V~_1(alpha b)."""
    alpha = view.series.width.min() / view.width.max(axis=1)
    return np.asarray(view.instance.truncated(alpha[:, None, None] * view.added)[:, 0] @ view.instance.start)


@at_most("scaled", needs=("reward", "bonus"), **PLANNED, local=(
    Quantity(_scaled, "scaled", "plan", "E Ṽ_1(αb)", 0.0, "H",
        lambda view: view.public.H * (tolerances.backup(view.public) + _norm(view))),
    Quantity(lambda view: view.series.mean_truncated.mean(), "mean", "", "Σ_k E Ṽ_1(r_k)/K"),
))  # fmt: skip
def average(mean: Any) -> Any:
    """E V~_1(alpha b) <= (1/K) sum_k E V~_1(r_k), alpha b <= r_k for alpha = width of exploration / width of planning.

    Both as the algorithm reports them. The norms under Lambda-hat never grow, so that the last b is within every r_k.
    """
    return mean


MEAN = Quantity(
    lambda view: view.truncated @ view.instance.start, "mean", "plan", "E Ṽ_1(b)", 0.0, "H", lambda view: _values(view)[:, 0]
)
THROUGHOUT = Quantity(lambda view: view.explored[0], "throughout", "", "event of exploration")


def certificate(bound: Bound) -> Property:
    """E V~_1(b) under nu_0 against its bound, where the exploration event held throughout."""
    found: Property = at_most(
        "mean", "bound", where="judged & throughout & decided", local=(MEAN, THROUGHOUT, Quantity(bound, "bound", "")),
        name="certificate", description="The truncated optimal value of the planning bonus.", topic="Regret", **PLANNED,
    )  # fmt: skip
    return found


def loss(bound: Bound, *, fixed: bool = True) -> Property:
    """E[V*_1 - V^pi_1] under nu_0 of the returned policy against its bound.

    Parameters
    ----------
    bound : callable
    fixed : bool
        Whether it is about a reward that was fixed before the data; else about those that were chosen after.
    """
    found: Property = at_most(
        "loss", "bound", where="judged" if fixed else "chosen", local=(Quantity(bound, "bound", ""),), name="loss",
        description="What the returned policy loses, by dynamic programming.", topic="Regret", **PLANNED,
    )  # fmt: skip
    return found
