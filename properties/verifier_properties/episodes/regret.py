"""Regret: the recursion behind it, its pathwise form, and the bounds of the theorems.

δ_h = V_h − V^π_h at the visited states, both exact. Views: those that extend `verifier_settings.played.EpisodeRun`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_settings.phases import LinearRun
from verifier_settings.played import EpisodeRun

TOPIC = "Regret"

Slack = Callable[[Any], Array]
Bound = Callable[[Any, float], float]


def phi_slack(multiplier: Callable[[Any], float]) -> Slack:
    """g = 2 multiplier beta ||phi|| at the visited pairs, under the Gram matrices of the plan in force; shape (K, H)."""
    return lambda view: 2 * multiplier(view.public) * view.series.width * view.series.bonus


def _regret(view: EpisodeRun[Any, Any]) -> float:
    return float(view.series.regret.sum())


def _optimal(view: EpisodeRun[Any, Any]) -> float:
    """Loss of an agent that never gets any reward."""
    return float(view.series.optimal.sum())


def _noise(view: EpisodeRun[Any, Any]) -> Array:
    """(K, H) xi_{h+1} = E[delta_{h+1} | s_h, a_h] - delta_{h+1}, martingale differences."""
    return np.asarray(view.series.expected_gap - view.series.gap[:, 1:])


def _so_far(view: LinearRun[Any, Any]) -> BoolArray:
    """(K,) whether the premise held up to and in an episode: errors of earlier episodes stay in a sum."""
    return np.asarray(np.logical_and.accumulate((view.series.event & view.series.complete).all(axis=1)))


def _published(bound: Bound) -> Quantity:
    """The bound of a theorem at the K of the run."""
    return Quantity(lambda view: bound(view.public, view.public.K), "bound", "", "the bound")


REGRET = Quantity(_regret, "R", "", "R_K", 0.0, _optimal)

# Optimism keeps E[delta_{h+1}] above 0 and |V| is at most H, so a gap falls by H at most.
FALL = Quantity(
    lambda view: view.series.gap[:, :-1] - view.series.expected_gap,
    "fall", "episode h", "δ_h − E[δ_{h+1}|s_h,a_h]", -np.inf, "H", lambda view: view.regret_rounding[:, None],
)  # fmt: skip
EVENT = Quantity(lambda view: view.series.event & view.series.complete, "event", "episode h", "the event")


def recursion(slack: Slack, *needs: str, replaceable: tuple[str, ...] = ()) -> Property:
    """delta_h <= E[delta_{h+1} | s_h, a_h] + g_h at every visited (k, h), with g from `slack`, of these fields of plans.

    Something else is taken in place of those that are `replaceable`, where no plan reports them, see `Property`.
    """
    found: Property = at_most(
        "fall", "g", on=EpisodeRun, scope="run", where="event", local=(FALL, EVENT, Quantity(slack, "g", "episode h", "g_h")),
        needs=needs, replaceable=replaceable, name="regret-recursion", topic=TOPIC,
        description=(
            "V_h - V^pi_h at the visited states against its conditional expectation one step on plus twice the bonus, all exact."
        ),
    )  # fmt: skip
    return replace(found, looks_back=False)


REGRET_SO_FAR = Quantity(
    lambda view: np.cumsum(view.series.regret),
    "R_k", "episode", "R_k", 0.0, lambda view: np.cumsum(view.series.optimal),
    lambda view: view.regret_rounding * view.public.H * np.arange(1, view.public.K + 1),
)  # fmt: skip
NOISE_SO_FAR = Quantity(lambda view: np.cumsum(_noise(view).sum(axis=1)), "xi_sum", "episode", "Σ_{i≤k,h} ξ_{h+1}^i")
EVENT_SO_FAR = Quantity(_so_far, "event", "episode", "the event in all episodes up to k")


def pathwise(slack: Slack, *needs: str) -> Property:
    """R_k <= sum xi + sum g for every prefix k of the run on which the premise held throughout; arguments as of `recursion`."""
    summed = Quantity(lambda view: np.cumsum(slack(view).sum(axis=1)), "g_sum", "episode", "Σ_{i≤k,h} g_h^i")
    found: Property = at_most(
        "R_k", "xi_sum + g_sum", on=EpisodeRun, scope="run", where="event",
        local=(REGRET_SO_FAR, NOISE_SO_FAR, EVENT_SO_FAR, summed), needs=needs, name="pathwise-regret", topic=TOPIC,
        description="Exact regret of every prefix against the realised martingale differences plus twice the realised bonuses.",
    )  # fmt: skip
    return replace(found, looks_back=False)


def martingale_sum(bound: Bound) -> Property:
    """sum of xi_{h+1} over the run against an Azuma-Hoeffding bound.

    It holds for every algorithm whose values lie in [0, H], so a pass has no power: the largest value is the bound itself.
    """
    published = _published(bound)
    total = Quantity(lambda view: _noise(view).sum(), "xi_sum", "", "Σ_{k,h} ξ_{h+1}^k", -np.inf, published.computed)
    found: Property = at_most(
        "xi_sum", "bound", on=EpisodeRun, scope="run", local=(total, published), name="martingale-sum", topic=TOPIC,
        description="The sum of the martingale differences of the whole run, from exact value functions and the true kernel.",
    )  # fmt: skip
    return found


def regret_bound(bound: Bound) -> Property:
    """R_K against the explicit bound of the theorem; nothing can lose more than sum V*_1."""
    found: Property = at_most(
        "R", "bound", on=EpisodeRun, scope="run", local=(REGRET, _published(bound)), name="regret-bound", topic=TOPIC,
        description=(
            "Exact regret of the run (V* and V^pi by dynamic programming) against the theorem's bound with its constants."
        ),
    )  # fmt: skip
    return found


def expected_regret(bound: Bound, premise: Callable[[Any], bool] = lambda view: True) -> Property:
    """The regret of a run, whose mean is meant; no episode loses more than H.

    Parameters
    ----------
    bound : callable
        In (public, K).
    premise : callable, optional
        Of which runs, those of an instance or none of them; of all by default.
    """
    regret = Quantity(
        _regret, "R", "", "R_K", 0.0, lambda view: view.public.H * view.public.K, lambda view: view.regret_rounding.sum()
    )
    found: Property = at_most(
        "R", "bound", on=EpisodeRun, scope="run", where="meant", name="expected-regret", topic=TOPIC,
        local=(regret, _published(bound), Quantity(premise, "meant", "", "the instance is meant")),
        description=(
            "Exact regret of the run, where the laws are drawn for each trial that of this one, against a bound on its mean."
        ),
    )  # fmt: skip
    return found


def uniform_policy(bound: Bound) -> Property:
    """The share of the K policies that lose more than 3 bound / K against 1/3, where all episodes start in one state.

    Losses are not negative, so that if the regret is within its bound, fewer than K/3 of them exceed three times the mean.
    """

    def share(losses: Array, public: Any) -> float:
        return float((losses > 3.0 * bound(public, public.K) / public.K).mean())

    lost = Quantity(
        lambda view: share(view.series.regret, view.public),
        "share", "", "#{k: V*_1 − V^{π_k}_1 > 3·bound/K}/K", 0.0, lambda view: share(view.series.optimal, view.public),
    )  # fmt: skip
    alike = Quantity(lambda view: (view.states[:, 0] == view.states[0, 0]).all(), "alike", "", "all episodes start in one state")
    found: Property = at_most(
        "share", "1 / 3", on=EpisodeRun, scope="run", where="alike", local=(lost, alike), name="uniform-policy", topic=TOPIC,
        description="Exact losses of all policies played, against three times the mean that the theorem's bound allows.",
    )  # fmt: skip
    return found
