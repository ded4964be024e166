"""Suspects of the way to a step: with which policy, and from which budget. Tried only where an action differs.

Views: `verifier_settings.cvar`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.model.measurement import Explanations
from verifier_settings.cvar import CVaRPlan, Iterations

Spends = Callable[[IntArray, IntArray], IntArray]
"""Maps budgets and rewards to the budgets left, indices all."""


def explanations(view: Iterations) -> Explanations:
    """Other budgets and policies that all actions on the way in would follow."""
    grid = view.grid

    def left(budget: IntArray, spent: Array) -> IntArray:
        return np.maximum(budget - spent, 0)

    rules: dict[str, Spends] = {
        "the budget is not updated": lambda budget, reward: budget,
        "the budget goes below 0, and indexes from the end": lambda budget, reward: budget - grid.rounded(reward),
        "rewards are rounded down": lambda budget, reward: left(budget, reward // grid.q),
        "rewards are rounded to the nearest multiple": lambda budget, reward: left(budget, np.rint(reward / grid.q).astype(int)),
        "rewards are indices of the grid before rounding": lambda budget, reward: left(budget, reward),
    }

    def usual(budget: IntArray, reward: IntArray) -> IntArray:
        return left(budget, grid.rounded(reward))

    return {
        **{said: partial(_follows, view, spends=spends) for said, spends in rules.items()},
        "from the budget of the iteration before": partial(_follows, view, spends=usual, stale_budget=True),
        "from the largest budget": partial(_follows, view, spends=usual, largest=True),
        "by the policy of the iteration before": partial(_follows, view, spends=usual, stale_policy=True),
        "by the policy of step h + 1": partial(_follows, view, spends=usual, later=1),
    }


def _follows(
    view: Iterations,
    *,
    spends: Spends,
    stale_budget: bool = False,
    stale_policy: bool = False,
    largest: bool = False,
    later: int = 0,
) -> BoolArray:
    """Whether all actions on the way in are those of another rule; nothing is known of iterations before the batch."""
    plans: list[CVaRPlan | None] = [view.seen.previous, *view.plans]
    actions, states, H = view.seen.actions, view.seen.states, view.public.H
    agrees = True
    for p in range(len(view.plans)):
        # `plans` has the plan before the batch in front: index p is the plan in force in iteration p, p - 1 the one before.
        policy, budget = plans[p - stale_policy] if p else plans[0], plans[p - stale_budget] if p else plans[0]
        unknown = (stale_policy or stale_budget) and p == 0
        if policy is None or budget is None or unknown:
            continue
        table = policy.policy
        b = np.full(H, table.shape[2] - 1 if largest else budget.budget)
        for h in range(H):
            due = view.roll_in[p, :, h]
            if due.any():
                agrees &= bool((table[min(h + later, H - 1), states[p, :, h], b] == actions[p, :, h])[due].all())
            b = spends(b, np.maximum(view.seen.rewards[p, :, h], 0))
    return np.full(actions.shape, agrees)
