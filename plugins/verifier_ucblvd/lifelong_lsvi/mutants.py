"""Bugs planted in Lifelong-LSVI (Algorithm 1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_settings.lifelong import LifelongPlan
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.shared.mutants import shared_mutants


class PlansForThePreviousTask(LifelongLSVI):
    """The reward of context 0 for every task."""

    def plan(self, context: int) -> LifelongPlan:
        """A plan for context 0, passed off as one for the task at hand."""
        return replace(super().plan(0), contexts=np.array([context]), targets=np.array([context]))


class PlansInSecret(LifelongLSVI):
    """Plans for context 0 as well, and throws it away: what it yields and plays is as it should be."""

    def plan(self, context: int) -> LifelongPlan:
        """Two planning passes, the plan of the second."""
        super().plan(0)
        return super().plan(context)


DIFFERS = {
    "plans-every-other": "not planned",
    "plans-in-secret": "planned twice",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *shared_mutants(LifelongLSVI, "bonus-validity"),
        plant(LifelongLSVI, "plans-every-other", "plans in every other episode", bugs.plans_every_other(), ("planning-calls",)),
        plant(LifelongLSVI, "plans-in-secret", "plans for another task, too", PlansInSecret, ("planning-calls",)),
        plant(LifelongLSVI, "previous-task", "plans for another task", PlansForThePreviousTask, ("q-formula", "optimism")),
    ),
    DIFFERS,
)
