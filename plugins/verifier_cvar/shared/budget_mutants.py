"""Bugs in the choice of the initial budget, which ELA and ELLA make alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import Mutant, plant, telling
from verifier_cvar.ela.algorithm import ELA
from verifier_settings.cvar import CVaREnvironment, CVaRPlan


class WorstBudget(ELA):
    """Minimises over the budget: with the wrong sign, the upper tail."""

    def objective(self, c: Array, value: Array) -> Array:
        """V/tau - c."""
        return -super().objective(c, value)


class NoTau(ELA):
    """Bug: c - V as the objective, without tau."""

    def objective(self, c: Array, value: Array) -> Array:
        """Objective without 1/tau."""
        return c - value


class TimesTau(ELA):
    """c - tau V."""

    def objective(self, c: Array, value: Array) -> Array:
        """tau for 1/tau."""
        return c - value * self.public.tau


class OtherTail(ELA):
    """Takes tau for a confidence level: the tail of mass 1 - tau."""

    def objective(self, c: Array, value: Array) -> Array:
        """c - V/(1 - tau)."""
        return c - value / max(1.0 - self.public.tau, 1e-9)


class BudgetsToOne(ELA):
    """Searches budgets in [0, 1], the range of one reward."""

    def objective(self, c: Array, value: Array) -> Array:
        """c - V/tau for c <= 1."""
        return np.where(c <= 1.0, super().objective(c, value), -np.inf)


class StaleChoice(ELA):
    """Chooses the budget of the iteration before."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """pi^k with c^{k-1}."""
        return replace(super().optimise(env, models, gram, b), budget=self.budget)


DIFFERS = {
    "worst-budget": "the least of the objective",
    "no-tau": "without 1/tau",
    "times-tau": "with tau for 1/tau",
    "other-tail": "with 1 - tau for tau",
    "budgets-to-one": "the best of the budgets up to 1",
    "stale-choice": "the best of the iteration before",
}
"""Words that the sentence about the difference has to have, by bug."""


def budget_mutants(original: type[Algorithm], chosen: str) -> tuple[Mutant, ...]:
    """The bugs in the choice of the budget, which the claim `chosen` is about."""
    return telling(
        (
            plant(original, "worst-budget", "the budget of least objective", WorstBudget, (chosen,)),
            plant(original, "no-tau", "c − V instead of c − V/τ", NoTau, (chosen,)),
            plant(original, "times-tau", "c − τV instead of c − V/τ", TimesTau, (chosen,)),
            plant(original, "other-tail", "the tail of mass 1 − τ", OtherTail, (chosen,)),
            plant(original, "budgets-to-one", "budgets in [0, 1] only", BudgetsToOne, (chosen,)),
            plant(original, "stale-choice", "the budget of the iteration before", StaleChoice, (chosen,)),
        ),
        DIFFERS,
    )
