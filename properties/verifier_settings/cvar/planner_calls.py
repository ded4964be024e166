"""Simulations of a planner for one plan, reduced to what the plan is compared with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray, cached_property
from verifier_settings.cvar import augmented
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.evaluations import merged, unmatched
from verifier_settings.cvar.instance import Public
from verifier_settings.cvar.simulator import Evaluation, Rehearsal, Simulator


@dataclass(frozen=True, eq=False)
class PlannerCall:
    """Call of a planner, as its simulator recorded it.

    Parameters
    ----------
    public : Public
    models : (H-1,) int array
        The model simulated.
    bonus : (H, X) array
        The bonuses of the plan.
    rehearsals : tuple of Rehearsal
        The episodes for regression.
    evaluations : tuple of Evaluation
        Each batch of episodes for evaluation.
    """

    public: Public
    models: IntArray
    bonus: Array
    rehearsals: tuple[Rehearsal, ...]
    evaluations: tuple[Evaluation, ...]

    @classmethod
    def of(cls, public: Public, models: IntArray, simulator: Simulator, bonus: Array) -> PlannerCall:
        """The record of a simulator that is no longer used."""
        return cls(public, models, bonus, tuple(simulator.rehearsals), tuple(simulator.evaluations))

    @property
    def budget(self) -> int:
        """The initial budget of its episodes for regression; -1 where nothing was simulated."""
        return self.rehearsals[0].budget if self.rehearsals else -1

    @property
    def asked(self) -> BoolArray:
        """(rounds, H) whether the width of a step was asked for in a round."""
        return np.array([[h in one.asked for h in range(self.public.H)] for one in self.rehearsals], dtype=bool).reshape(
            -1, self.public.H
        )

    @property
    def complete(self) -> bool:
        """Whether there are T1 rounds and the width was asked for at every step of each, so that they can be replayed."""
        return len(self.rehearsals) == self.public.T1 and bool(self.asked.all())

    @cached_property
    def P(self) -> Array:
        """(H-1, X, S) the kernel simulated."""
        return self.public.kernels[self.models, np.arange(self.public.H - 1)]

    def ways(self, policies: Iterable[IntArray], budget: int) -> list[bytes]:
        """Keys of policies from an initial budget, see `augmented.ways`."""
        stacked = [*policies]
        public = self.public
        if not stacked:
            return []
        return augmented.ways(self.P, public.coarse_reward, np.stack(stacked), budget, public.start, public.coarse)

    @cached_property
    def _way(self) -> dict[tuple[int, bytes], bytes]:
        """Keys of the policies, by initial budget and table: most tables are those of a round and of an evaluation."""
        tables: defaultdict[int, dict[bytes, IntArray]] = defaultdict(dict)
        played: list[Rehearsal | Evaluation] = [*self.rehearsals, *self.evaluations]
        for one in played:
            tables[one.budget][one.policy.tobytes()] = one.policy
        return {
            (budget, table): way
            for budget, policies in tables.items()
            for table, way in zip(policies, self.ways(policies.values(), budget), strict=True)
        }

    def _ways_of(self, played: Iterable[Rehearsal | Evaluation]) -> list[bytes]:
        return [self._way[one.budget, one.policy.tobytes()] for one in played]

    @cached_property
    def found(self) -> dict[bytes, list[Evaluation]]:
        """The evaluations of each policy."""
        return merged(self._ways_of(self.evaluations), self.evaluations, self.public.T2)

    @cached_property
    def unmatched(self) -> int:
        """Policies of rounds that have no evaluation of their own, and evaluations of other policies or from other budgets."""
        return unmatched(self._ways_of(self.rehearsals), self.found)

    @cached_property
    def values(self) -> dict[bytes, float]:
        """The Monte Carlo estimate of each policy evaluated from the initial budget, the least where there are several."""
        return {
            way: min(one.value(self.bonus) for one in known)
            for way, known in self.found.items()
            if known[0].budget == self.budget
        }


def least_values(calls: tuple[PlannerCall, ...], budgets: int) -> Array:
    """(budgets,) the least estimate from each initial budget; infinite where there is none."""
    least = np.full(budgets, np.inf)
    for call in calls:
        if 0 <= call.budget < budgets:
            least[call.budget] = min(least[call.budget], *call.values.values(), np.inf)
    return least


def planner_error(calls: tuple[PlannerCall, ...], policy: IntArray, chosen: int, budget: int, V: Array, grid: Grid) -> float:
    """Accuracy epsilon of a planner as far as a plan depends on it, measured; NaN where there is no estimate.

    Two errors are added, both in the simulated model with bonuses: the least estimate from `budget` minus the least value V
    (H+1, S, N+1) there, and the value of the plan's policy (H, S, N+1) from `chosen` minus the estimate of this policy.
    Policies often tie in their estimates and differ in value, so another policy of least estimate cannot stand for the plan's.
    A policy that was never evaluated is not the planner's; the first policy of least estimate is used in its place.
    """
    own = {call.budget: call for call in calls}
    if not {chosen, budget} <= {b for b, call in own.items() if call.values}:
        return float("nan")
    compared, call = own[budget], own[chosen]
    (way,) = call.ways([policy], chosen)
    if way not in call.values:
        way = min(call.values, key=lambda other: call.values[other])
        policy = call.found[way][0].policy.astype(np.int64)
    public = call.public
    worth = augmented.evaluate(call.P, public.coarse_reward, call.bonus, policy, grid)[0, public.start, chosen]
    return float(min(compared.values.values()) - V[0, public.start, budget] + worth - call.values[way])


def is_best(calls: tuple[PlannerCall, ...], budget: int, policy: IntArray, rounding: float) -> bool:
    """Whether a policy was evaluated from this budget and none had an estimate that is lower by more than rounding."""
    known = [call for call in calls if call.budget == budget]
    own = [call.values.get(call.ways([policy], budget)[0], np.inf) for call in known]
    every = [value for call in known for value in call.values.values()]
    return bool(own) and min(own) < np.inf and min(own) <= min(every) + rounding


def wrong_models(calls: tuple[PlannerCall, ...], models: IntArray) -> BoolArray:
    """(H-1,) whether any call simulated another model of the step."""
    return np.asarray(
        np.array([call.models != models for call in calls], dtype=bool).reshape(len(calls), len(models)).any(axis=0)
    )
