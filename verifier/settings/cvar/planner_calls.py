"""What a planner simulated for one plan, reduced to what the plan is compared with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.settings.cvar.simulator import Simulator, policy_digest


@dataclass(frozen=True)
class PlannerCall:
    """One call of a planner: what its simulator recorded.

    Attributes
    ----------
    models : (H-1,) int array
        The model simulated.
    played, evaluated : tuple of (int, bytes)
        Initial budget and digest of the policy, of each episode for regression and of each batch for evaluation.
    values : (len(evaluated),) array
        The Monte Carlo estimates that follow from the episodes, with the bonuses of the plan.
    """

    models: IntArray
    played: tuple[tuple[int, bytes], ...]
    evaluated: tuple[tuple[int, bytes], ...]
    values: Array

    @classmethod
    def of(cls, models: IntArray, simulator: Simulator, bonus: Array) -> PlannerCall:
        """The record of a simulator that is no longer used; bonuses (H, X)."""
        evaluations = simulator.evaluations
        values = np.array([evaluation.value(bonus) for evaluation in evaluations])
        return cls(models, tuple(simulator.played), tuple(evaluation.played for evaluation in evaluations), values)

    @property
    def budget(self) -> int:
        """The initial budget of its first episode; -1 where nothing was simulated."""
        return self.played[0][0] if self.played else -1

    @property
    def unmatched(self) -> int:
        """Episodes for regression whose policy is not evaluated from the same budget, and evaluations of other policies."""
        played, evaluated = Counter(self.played), Counter(self.evaluated)
        others = sum(budget != self.budget for budget, _ in self.played)
        return (played - evaluated).total() + (evaluated - played).total() + others


def least_values(calls: tuple[PlannerCall, ...], budgets: int) -> Array:
    """(budgets,) the least estimate from each initial budget; infinite where there is none."""
    least = np.full(budgets, np.inf)
    for call in calls:
        for (budget, _), value in zip(call.evaluated, call.values, strict=True):
            if budget < budgets:
                least[budget] = min(least[budget], value)
    return least


def is_best(calls: tuple[PlannerCall, ...], budget: int, policy: IntArray, rounding: float) -> bool:
    """Whether a policy was evaluated from this budget and none had an estimate that is lower by more than rounding."""
    digest = policy_digest(policy)
    values = [
        (value, other == digest)
        for call in calls
        for (start, other), value in zip(call.evaluated, call.values, strict=True)
        if start == budget
    ]
    own = [value for value, same in values if same]
    return bool(own) and min(own) <= min(value for value, _ in values) + rounding


def wrong_models(calls: tuple[PlannerCall, ...], models: IntArray) -> BoolArray:
    """(H-1,) whether any call simulated another model of the step."""
    return np.asarray(
        np.array([call.models != models for call in calls], dtype=bool).reshape(len(calls), len(models)).any(axis=0)
    )
