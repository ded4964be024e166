"""Bugs planted in Lifelong-LSVI (Algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from verifier.model.mutant import plant
from verifier.settings.lifelong import LifelongEnvironment, LifelongPlan
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.shared.mutants import shared_mutants


class PlansEveryOther(LifelongLSVI):
    """Plans in every other episode only, unless the context changes."""

    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        """Play with plans that are one episode old."""
        plan, planned_for = None, -1
        for k in range(self.public.K):
            state, context = env.begin_episode()
            if plan is None or k % 2 == 0 or context != planned_for:
                plan, planned_for = self.plan(context), context
                yield plan
            self.play(env, plan, state, column=0)


class PlansForThePreviousTask(LifelongLSVI):
    """The reward of context 0 for every task."""

    def plan(self, context: int) -> LifelongPlan:
        """A plan for context 0, passed off as one for the task at hand."""
        return replace(super().plan(0), contexts=np.array([context]), targets=np.array([context]))


MUTANTS = (
    *shared_mutants(LifelongLSVI, "bonus-validity"),
    plant(LifelongLSVI, "plans-every-other", "plans in every other episode", PlansEveryOther, ("planning-calls",)),
    plant(LifelongLSVI, "previous-task", "plans for another task", PlansForThePreviousTask, ("q-formula", "optimism")),
)
