"""Values in exploration: optimism about the truncated optimum, the variance bound, what the values are at most, their sum."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import Inequality
from verifier.model.property import Property, phase_property, run_property
from verifier_properties.reward_free.replay import chain_rounding, wide
from verifier_settings.reward_free import Phases, Public, Run, tolerances
from verifier_settings.reward_free.weights import precision

TOPIC = "Exploration"

Bound = Callable[[Run], float]
BOX = 10
"""Largest number of states with which all vertices of a box of value functions are tried."""


def event_from(view: Phases) -> BoolArray:
    """(p, H+1) whether the realised errors are within the radius from this step on; False at the end, where values are 0."""
    holds = view.event_from & view.decided[:, None]
    return np.column_stack([holds, np.zeros(len(holds), dtype=bool)])


# One plan ---------------------------------------------------------------------------------------------------------------


@phase_property()
def optimism(view: Phases) -> Inequality:
    """V_{k,h}(s) >= V~_h(s; width ||phi||), the optimal value truncated at H, where the event holds from h on.

    V~ is at least 0 and at most H, so this also says that V_{k,h} >= 0.
    """
    return _above(view, view.truncated)


@phase_property()
def twofold_optimism(view: Phases) -> Inequality:
    """V_{k,h}(s) >= V~_h(s; 2 width ||phi||), where the event holds from h on.

    Reward and bonus are three times width ||phi||, and the error of the estimate is once that at most. So Q is at least 2 width
    ||phi|| + P V_{k,h+1}, from the last step on, and an algorithm with half a bonus is below this, which it is not below V~(width
    ||phi||).
    """
    return _above(view, view.instance.truncated(2 * view.radius))


def _above(view: Phases, least: Array) -> Inequality:
    return Inequality(
        least, view.V, ("plan", "step", "s"), trivial=float(view.public.H), tolerance=chain_rounding(view, 4),
        labels=view.labels, premise=event_from(view)[..., None],
    )  # fmt: skip


@phase_property("spread")
def variance_bound(view: Phases) -> Inequality:
    """The largest variance of V - V* that W is claimed to bound, for every reward, at the pairs played in the episode.

    V - V* is anything between -zeta and V_{k,h+1} + zeta, at most H in absolute value. The variance of u under P_h is convex in
    u, so it is largest at a vertex of this box, all of which are tried. W is what the next plan reports of the episode.
    """
    public, p = view.public, len(view.plans)
    H, zeta = public.H, precision(public)
    law = view.truth.P[np.arange(H), view.pairs]
    high = np.minimum(view.V[:, 1:] + zeta, H)
    if public.S > BOX:
        return Inequality(np.zeros((p, H)), np.zeros((p, H)), view.axes, trivial=0.0, premise=False)
    largest = np.zeros((p, H))
    for corner in product((False, True), repeat=public.S):
        u = np.where(np.array(corner), high, -zeta)
        mean = (law * u).sum(axis=2)
        largest = np.maximum(largest, (law * (u - mean[..., None]) ** 2).sum(axis=2))
    stated = np.concatenate([view.spread[1:], view.played.spread[-1:]])
    tolerance = tolerances.spread(public, view.size, view.width, view.played.norm)
    return Inequality(
        largest, stated, view.axes, trivial=float(H**2), tolerance=tolerance, labels=view.labels,
        premise=event_from(view)[:, :-1],
    )  # fmt: skip


@phase_property()
def from_above(view: Phases) -> Inequality:
    """V_{k,h}(s) <= min(H, E sum_{i >= h} min(4 width ||phi_i||, H)) under the plan's policy, where the event holds from h on."""
    H = float(view.public.H)
    expected = view.instance.under(view.policy, np.minimum(4 * view.radius, H))
    return Inequality(
        view.V, np.minimum(expected, H), ("plan", "step", "s"), trivial=H, tolerance=chain_rounding(view, 4), labels=view.labels,
        premise=event_from(view)[..., None],
    )  # fmt: skip


@phase_property()
def one_step(view: Phases) -> Inequality:
    """V_{k,h}(s) <= min(H, (3 width + e_h) ||phi|| + P_h V_{k,h+1}) at the plan's action, e_h the norm of the realised error."""
    public, (p, H, S) = view.public, view.policy.shape
    rows = np.arange(S) * public.A + view.policy
    plan, step = np.arange(p)[:, None, None], np.arange(H)[None, :, None]
    slack = (3 * view.width + view.event_norm)[..., None] * view.norm[plan, step, rows]
    tolerance = chain_rounding(view, 4) + wide(4 * EPS * view.event_norm.max(axis=1, initial=0.0), 2)
    return Inequality(
        view.V[:, :-1], np.minimum(float(H), slack + view.PV[plan, step, rows]), ("plan", "h", "s"), trivial=float(H),
        tolerance=tolerance, labels=view.labels, premise=wide(view.decided, 2),
    )  # fmt: skip


# Sums over the run ------------------------------------------------------------------------------------------------------


def _held(view: Run) -> bool:
    """Whether the event held in every episode and at every step."""
    return bool(view.events.all() and view.series.sound.all())


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


@run_property()
def sum_of_backups(view: Run) -> Inequality:
    """sum P_h V_{k,h+1} <= 4 H sqrt(sum (width sigma)^2) sqrt(sum min(||phi/sigma||^2, 1)) + (H^2 + H) sqrt(2 T log(H/delta))."""
    public, H = view.public, view.public.H
    bound = 4 * H * weighted_radius(view) * weighted_norms(view) + azuma(public, H**2 + H, public.K * H, H)
    return Inequality(
        view.series.expected.sum(), bound, (), trivial=float(H * public.K * (H - 1)), tolerance=H * _sum_rounding(view),
        premise=_held(view),
    )  # fmt: skip


def sum_of_weights(bound: Bound) -> Property:
    """sum sigma-hat^2, as reported, against its bound."""

    def evaluate(view: Run) -> Inequality:
        public = view.public
        largest = float(public.K * public.H**2 * public.d**3)
        return Inequality(
            view.reported_weight.sum(), bound(view), (), trivial=largest, tolerance=8 * EPS * public.K * largest,
            premise=_held(view),
        )  # fmt: skip

    return Property("sum-of-weights", "run", evaluate, frozenset({"weight"}), "Weights of all steps, as reported.")


def sum_of_values(bound: Bound) -> Property:
    """sum_k V_{k,1}(s_1^k) against its bound, where the event held throughout."""

    def evaluate(view: Run) -> Inequality:
        public = view.public
        return Inequality(
            view.series.V.sum(), bound(view), (), trivial=float(public.H * public.K), tolerance=_sum_rounding(view),
            premise=_held(view),
        )  # fmt: skip

    return Property("sum-of-values", "run", evaluate, frozenset(), "Values of the plans in force at the first states.")


@run_property("reward")
def first_states(view: Run) -> Inequality:
    """sum_k (E V~_1(s; r_k) - V~_1(s_1^k; r_k)) <= H sqrt(2 K log(1/delta)), r_k the exploration reward that was reported."""
    public = view.public
    gap = (view.series.mean_truncated - view.series.truncated).sum()
    trivial = float(public.H * public.K * (view.instance.start.max() < 1))
    return Inequality(gap, azuma(public, public.H, public.K, 1), (), trivial=trivial, tolerance=_sum_rounding(view))
