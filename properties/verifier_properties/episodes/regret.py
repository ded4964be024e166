"""Regret: the recursion behind it, its pathwise form, and the bounds of the theorems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.inequality import Inequality
from verifier.model.property import Property
from verifier_settings.phases import LinearRun
from verifier_settings.played import EpisodeRun

TOPIC = "Regret"

Slack = Callable[[Any], Array]
Bound = Callable[[Any, float], float]


def phi_slack(multiplier: Callable[[Any], float]) -> Slack:
    """g = 2 multiplier beta ||phi|| at the visited pairs, under the Gram matrices of the plan in force; shape (K, H)."""
    return lambda view: 2 * multiplier(view.public) * view.series.width * view.series.bonus


def _premise(view: LinearRun[Any, Any]) -> BoolArray:
    return np.asarray(view.series.event & view.series.complete)


def recursion(slack: Slack, *needs: str) -> Property:
    """delta_h <= E[delta_{h+1} | s_h, a_h] + g_h at every visited (k, h), with g from `slack`, which follows from these fields.

    delta_h = V_h - V^pi_h, both exact. Since |V| <= H and optimism keeps E[delta_{h+1}] above 0, H is a trivial bound.
    """

    def evaluate(view: LinearRun[Any, Any]) -> Inequality:
        series = view.series
        return Inequality(
            series.gap[:, :-1] - series.expected_gap,
            slack(view),
            ("episode", "h"),
            trivial=float(view.public.H),
            tolerance=view.regret_rounding[:, None],
            labels=view.labels,
            premise=_premise(view),
        )

    description = (
        "V_h - V^pi_h at the visited states against its conditional expectation one step on plus twice the bonus, all exact."
    )
    return Property("regret-recursion", "run", evaluate, frozenset(needs), description, looks_back=False)


def pathwise(slack: Slack, *needs: str) -> Property:
    """R_k <= sum xi + sum g for every prefix k of the run on which the premise held throughout; arguments as of `recursion`."""

    def evaluate(view: LinearRun[Any, Any]) -> Inequality:
        series = view.series
        noise = (series.expected_gap - series.gap[:, 1:]).sum(axis=1)
        episodes = np.arange(1, len(noise) + 1)
        return Inequality(
            np.cumsum(series.regret),
            np.cumsum(noise + slack(view).sum(axis=1)),
            ("episode",),
            trivial=np.cumsum(series.optimal),
            tolerance=view.regret_rounding * view.public.H * episodes,
            labels=view.labels,
            # A prefix counts only if no episode in it broke the premise: errors of earlier episodes stay in the sum.
            premise=np.logical_and.accumulate(_premise(view).all(axis=1)),
        )

    description = "Exact regret of every prefix against the realised martingale differences plus twice the realised bonuses."
    return Property("pathwise-regret", "run", evaluate, frozenset(needs), description, looks_back=False)


def martingale_sum(bound: Bound) -> Property:
    """sum of xi_{h+1} = E[delta_{h+1} | s_h, a_h] - delta_{h+1} over the run against an Azuma-Hoeffding bound.

    It holds for every algorithm whose values lie in [0, H], so a pass has no power: the trivial bound is the bound itself.
    """

    def evaluate(view: EpisodeRun[Any, Any]) -> Inequality:
        total = float((view.series.expected_gap - view.series.gap[:, 1:]).sum())
        limit = bound(view.public, view.public.K)
        return Inequality(total, limit, trivial=limit)

    description = "The sum of the martingale differences of the whole run, from exact value functions and the true kernel."
    return Property("martingale-sum", "run", evaluate, frozenset(), description)


def regret_bound(bound: Bound) -> Property:
    """R_K against the explicit bound of the theorem; nothing can lose more than sum V*_1."""

    def evaluate(view: EpisodeRun[Any, Any]) -> Inequality:
        return Inequality(
            float(view.series.regret.sum()), bound(view.public, view.public.K), trivial=float(view.series.optimal.sum())
        )

    description = "Exact regret of the run (V* and V^pi by dynamic programming) against the theorem's bound with its constants."
    return Property("regret-bound", "run", evaluate, frozenset(), description)


def expected_regret(bound: Bound, premise: Callable[[Any], bool] = lambda view: True) -> Property:
    """The regret of a run, whose mean is meant; no episode loses more than H.

    Parameters
    ----------
    bound : callable
        In (public, K).
    premise : callable, optional
        Of which runs, those of an instance or none of them; of all by default.
    """

    def evaluate(view: EpisodeRun[Any, Any]) -> Inequality:
        public = view.public
        return Inequality(
            float(view.series.regret.sum()), bound(public, public.K), trivial=float(public.H * public.K),
            tolerance=float(view.regret_rounding.sum()), premise=premise(view),
        )  # fmt: skip

    description = (
        "Exact regret of the run, where the laws are drawn for each trial that of this one, against a bound on its mean."
    )
    return Property("expected-regret", "run", evaluate, frozenset(), description)


def uniform_policy(bound: Bound) -> Property:
    """The share of the K policies that lose more than 3 bound / K against 1/3, where all episodes start in one state.

    Losses are not negative, so that if the regret is within its bound, fewer than K/3 of them exceed three times the mean.
    """

    def evaluate(view: EpisodeRun[Any, Any]) -> Inequality:
        K, series = view.public.K, view.series
        limit = 3.0 * bound(view.public, K) / K
        return Inequality(
            float((series.regret > limit).mean()), 1.0 / 3.0, trivial=float((series.optimal > limit).mean()),
            premise=bool((view.states[:, 0] == view.states[0, 0]).all()),
        )  # fmt: skip

    description = "Exact losses of all policies played, against three times the mean that the theorem's bound allows."
    return Property("uniform-policy", "run", evaluate, frozenset(), description)
