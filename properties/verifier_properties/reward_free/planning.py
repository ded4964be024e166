"""Values in planning: optimism, what exploration says about them, and what the returned policy loses.

Views: the run. Truth: V* and V^pi by dynamic programming for every reward that was revealed. V~(b) is the optimal value,
truncated at H, of the bonus as a reward; b is width ||phi||, recomputed, unless it is said to be the reported one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.measurement import UNBOUNDED, Inequality
from verifier.model.property import Property, run_property
from verifier_properties.reward_free.confidence import dominates, explored_from, judged
from verifier_properties.reward_free.replay import chain_rounding
from verifier_settings.reward_free import Planning, Run, tolerances

TOPIC = "Planning"

Bound = Callable[[Run], float]


def event_from(view: Planning) -> BoolArray:
    """(p, H+1) whether the planning event holds from this step on; False at the end, where values are 0 and say nothing of it."""
    holds = view.event_from & view.decided[:, None]
    return np.column_stack([holds, np.zeros(len(holds), dtype=bool)])


def _left(view: Run) -> Array:
    """(H+1,) what V* can be at most: the number of steps left."""
    return (view.public.H - np.arange(view.public.H + 1)).astype(float)


# Lemmas -----------------------------------------------------------------------------------------------------------------


@run_property(topic="Optimism")
def optimism(view: Run) -> Inequality:
    """V_h(s) >= V*_h(s; r) for every reward, where the planning event holds from h on."""
    planning = view.planning
    return Inequality(
        planning.optimal, planning.V, ("reward", "step", "s"), trivial=_left(view)[:, None],
        tolerance=chain_rounding(planning, 2), labels=planning.labels, premise=event_from(planning)[..., None],
    )  # fmt: skip


@run_property()
def certified_by_exploration(view: Run) -> Inequality:
    """V_h(s) <= V*_h(s; r) + V_{k,h}(s) for every reward and the plans of exploration that were kept, the last among them.

    Where the events of both phases hold from h on, and the radius of exploration is at least that of planning: only then is the
    bonus of planning within what exploration adds.
    """
    planning, H = view.planning, view.public.H
    explored = np.append(explored_from(view), False)
    premise = event_from(planning) & explored & dominates(view)[:, None] & bool(view.series.sound.all())
    return Inequality(
        planning.V[:, None], planning.optimal[:, None] + view.values[None], ("reward", "checkpoint", "step", "s"),
        trivial=float(H), tolerance=3 * chain_rounding(planning, 2)[:, None],
        labels={**planning.labels, "checkpoint": view.checkpoints + 1}, premise=premise[:, None, :, None],
    )  # fmt: skip


@run_property("bonus")
def bonus_ratio(view: Run) -> Inequality:
    """Bonus of planning, twice, against the bonus of exploration, 2 width ||phi||, in every episode that was kept.

    Both as the algorithm reports them; where the radius of exploration is at least that of planning.
    """
    planning = view.planning
    relative = tolerances.relative_norm(view.public, planning.size).max()
    bound = view.added[None]
    return Inequality(
        2 * planning.added[:, None], bound, ("reward", "checkpoint", "h", "pair"), trivial=UNBOUNDED,
        tolerance=2 * relative * np.abs(bound),
        labels={**planning.labels, "checkpoint": view.checkpoints + 1}, premise=dominates(view)[:, None, None, None],
    )  # fmt: skip


# Theorem 4.2 --------------------------------------------------------------------------------------------------------------


def _returned(view: Run, value: Array, bound: Array, most: Array | float) -> Inequality:
    """A statement about what the policy of a plan loses, in all states at the first step, where the planning event holds."""
    planning = view.planning
    return Inequality(
        value[:, 0], bound[:, 0], ("reward", "s"), trivial=most, labels=planning.labels,
        tolerance=2 * chain_rounding(planning, 2)[:, 0], premise=event_from(planning)[:, :1],
    )  # fmt: skip


@run_property()
def gap_of_plan(view: Run) -> Inequality:
    """V_1 - V^pi_1 <= V~^pi_1(2b), the value of 2b under the returned policy, cut at H at every step."""
    planning = view.planning
    bound = view.instance.under(planning.policy, 2 * planning.radius, float(view.public.H))
    return _returned(view, planning.V - planning.achieved, bound, float(view.public.H))


@run_property()
def gap_by_bonus(view: Run) -> Inequality:
    """Loss of the returned policy by bonuses: V_1 - V^pi_1 <= 2 V~_1(b)."""
    planning = view.planning
    return _returned(view, planning.V - planning.achieved, 2 * planning.truncated, float(view.public.H))


@run_property(topic="Regret")
def loss_of_plan(view: Run) -> Inequality:
    """V*_1 - V^pi_1 <= V_1 - V^pi_1 of the plan, where the planning event holds.

    The two sides have V^pi in common: V* <= H, so that a plan whose value is cut at H could not have failed, whatever its policy.
    """
    planning = view.planning
    most = float(view.public.H) - planning.achieved[:, 0]
    return _returned(view, planning.optimal - planning.achieved, planning.V - planning.achieved, most)


def _certificate(view: Run) -> Array:
    """(p,) E V~_1(b) under nu_0."""
    return np.asarray(view.planning.truncated[:, 0] @ view.instance.start)


@run_property("reward", "bonus")
def average(view: Run) -> Inequality:
    """E V~_1(alpha b) <= (1/K) sum_k E V~_1(r_k), alpha b <= r_k for alpha = width of exploration / width of planning.

    Both as the algorithm reports them. The norms under Lambda-hat never grow, so that the last b is within every r_k.
    """
    planning, public = view.planning, view.public
    alpha = view.series.width.min() / planning.width.max(axis=1)
    scaled = view.instance.truncated(alpha[:, None, None] * planning.added)
    relative = tolerances.relative_norm(public, planning.size).max()
    tolerance = public.H * tolerances.backup(public) + relative * public.H
    return Inequality(
        scaled[:, 0] @ view.instance.start, view.series.mean_truncated.mean(), ("reward",), trivial=float(public.H),
        tolerance=tolerance, labels=planning.labels,
    )  # fmt: skip


def certificate(bound: Bound) -> Property:
    """E V~_1(b) under nu_0 against its bound, where the exploration event held throughout."""

    def evaluate(view: Run) -> Inequality:
        planning = view.planning
        premise = bool(explored_from(view)[0]) & judged(planning, True) & bool(view.series.sound.all())
        return Inequality(
            _certificate(view), bound(view), ("reward",), trivial=float(view.public.H),
            tolerance=chain_rounding(planning, 2)[:, 0, 0], labels=planning.labels, premise=premise,
        )  # fmt: skip

    description = "The truncated optimal value of the planning bonus."
    return Property("certificate", "run", evaluate, frozenset(), description, topic="Regret")


def loss(bound: Bound, *, fixed: bool = True) -> Property:
    """E[V*_1 - V^pi_1] under nu_0 of the returned policy against its bound.

    Parameters
    ----------
    bound : callable
    fixed : bool
        Whether it is about a reward that was fixed before the data; else about those that were chosen after.
    """

    def evaluate(view: Run) -> Inequality:
        planning = view.planning
        return Inequality(
            planning.loss, bound(view), ("reward",), trivial=float(view.public.H),
            tolerance=view.public.H * tolerances.backup(view.public), labels=planning.labels, premise=judged(planning, fixed),
        )  # fmt: skip

    description = "What the returned policy loses, by dynamic programming."
    return Property("loss", "run", evaluate, frozenset(), description, topic="Regret")
