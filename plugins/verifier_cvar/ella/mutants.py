"""Bugs planted in ELLA: those of rounded rewards and of how it calls its planner are here."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_cvar.ella.algorithm import ELLA
from verifier_cvar.least_squares import Model
from verifier_cvar.shared.budget_mutants import budget_mutants
from verifier_cvar.shared.collecting_mutants import collecting_mutants
from verifier_cvar.shared.estimate_mutants import LargestEstimate, LastRound, estimate_mutants
from verifier_cvar.shared.learning_mutants import learning_mutants
from verifier_cvar.shared.regression_mutants import in_regression
from verifier_settings.cvar import CVaREnvironment, CVaRPlan, Simulator


class RoundsDown(ELLA):
    """floor for ceil."""

    def units(self, reward: float) -> int:
        """floor(r / ups); the summand keeps rewards on the grid where they are."""
        return math.floor(reward * self.public.m / self.public.q + 1e-12)


class RoundsToNearest(ELLA):
    """round for ceil."""

    def units(self, reward: float) -> int:
        """The nearest multiple of ups."""
        return round(reward * self.public.m / self.public.q)


class FloatCeil(ELLA):
    """Divides floats and rounds up: (9/11) / (3/11) is more than 3."""

    def units(self, reward: float) -> int:
        """ceil(r / ups) of a quotient with a rounding error."""
        return math.ceil(reward / self.public.ups)


class Ceil(ELLA):
    """Rounds the product up as it is, in two steps: 25 times 7/25 is more than 7."""

    def units(self, reward: float) -> int:
        """ceil(ceil(m r) / q)."""
        return -(-math.ceil(reward * self.public.m) // self.public.q)


class RawRewards(ELLA):
    """Takes the unrounded reward off the budget, and rounds what is left."""

    def roll_in(self, env: CVaREnvironment, h: int) -> int:
        """Follow (pi^{k-1}, c^{k-1})."""
        self.left = float(self.public.coarse.levels[self.budget])
        return super().roll_in(env, h)

    def spend(self, budget: int, reward: float) -> int:
        """ceil((c - r) / ups)."""
        self.left = max(self.left - reward, 0.0)
        return self.index(self.left)

    def index(self, budget: float) -> int:
        """The least index of a budget of at least this."""
        return math.ceil(budget * self.public.m / self.public.q - 1e-12)


class FloatBudget(RawRewards):
    """Keeps the budget as a float and rounds it up without care: 1 - 0.7 is more than 0.3."""

    def spend(self, budget: int, reward: float) -> int:
        """ceil((c - ceil(r/ups) ups) / ups)."""
        return super().spend(budget, self.units(reward) * self.public.ups)

    def index(self, budget: float) -> int:
        """Off by one wherever rounding errors point upwards."""
        return math.ceil(budget / self.public.ups)


class OtherGrid(ELLA):
    """Takes indices on the grid of rewards for indices on the coarse grid."""

    def units(self, reward: float) -> int:
        """ceil(m r)."""
        return int(super().units(reward) * self.public.q)


class TruncatedGrid(ELLA):
    """floor(H/ups) for ceil(H/ups)."""

    def objective(self, c: Array, value: Array) -> Array:
        """c - V/tau for c <= H."""
        return np.where(c <= self.public.H + 1e-12, super().objective(c, value), -np.inf)


class PlansTwice(ELLA):
    """Runs the planner twice from every budget and keeps the better."""

    def run_lsvi(self, env: CVaREnvironment, models: IntArray, b: Array, budget: int) -> tuple[float, IntArray]:
        """The lower of two estimates."""
        first, second = (super(PlansTwice, self).run_lsvi(env, models, b, budget) for _ in range(2))
        return min(first, second, key=lambda result: result[0])


class SkipsBudgets(ELLA):
    """Plans from every other budget and takes its neighbour's result for the rest."""

    kept: Any = None

    def run_lsvi(self, env: CVaREnvironment, models: IntArray, b: Array, budget: int) -> tuple[float, IntArray]:
        """Line 17, or the last result."""
        if budget % 2 == 0:
            self.kept = super().run_lsvi(env, models, b, budget)
        value, policy = self.kept
        return float(value), policy


class PlansWithoutBonus(ELLA):
    """Hands the planner no bonus."""

    def run_lsvi(self, env: CVaREnvironment, models: IntArray, b: Array, budget: int) -> tuple[float, IntArray]:
        """Line 17 with b = 0."""
        return super().run_lsvi(env, models, 0.0 * b, budget)


class LastPolicy(ELLA):
    """Returns the best budget with the policy planned last."""

    def run_lsvi(self, env: CVaREnvironment, models: IntArray, b: Array, budget: int) -> tuple[float, IntArray]:
        """Line 17."""
        result = super().run_lsvi(env, models, b, budget)
        self.last = result[1]
        return result

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 16-19 with the wrong policy."""
        plan = super().optimise(env, models, gram, b)
        return replace(plan, policy=self.last)


class StaleEstimates(ELLA):
    """Reports the estimates of the iteration before."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 16-19, the estimates one iteration late."""
        plan = super().optimise(env, models, gram, b)
        older = self.__dict__.get("older", plan.estimates)
        self.older = plan.estimates
        return replace(plan, estimates=older)


class EvaluatesLast(ELLA):
    """A loop variable too many: all T1 evaluations are of the last policy."""

    def evaluate(self, simulator: Simulator, model: Model, policies: list[IntArray], budget: int) -> Array:
        """Lines 15-16 of Algorithm 2, of the last policy."""
        return super().evaluate(simulator, model, policies[-1:] * len(policies), budget)


class StaleModels(ELLA):
    """Plans in the first model of the class and reports the one it learned."""

    def run_lsvi(self, env: CVaREnvironment, models: IntArray, b: Array, budget: int) -> tuple[float, IntArray]:
        """Line 17 in the wrong model."""
        return super().run_lsvi(env, 0 * models, b, budget)


_INHERITED = frozenset(
    {
        *("keeps-budget", "spends-mean", "stale-budget", "largest-budget", "uniform-roll-in"),
        *("never-last-action", "no-second-action", "last-iteration-only", "extra-trajectory"),
        *("learns-from-d", "learns-twice", "stale-model", "covariance-both", "no-bonus", "half-bonus", "printed-clip"),
        *("printed-width", "negative-bonus"),
    }
)
"""ELLA collects data and learns by the very methods of ELA: of the bugs in these, one for each claim is planted in both."""
_WAY = ("roll-in",)
_VALUES, _POLICY = ("planned-values",), ("planned-policy",)
_PLANNER = {
    _VALUES: (
        "lumps-atoms", "no-last-feature", "small-ridge", "learns-twice", "never-learns", "last-episode-only", "next-reward",
        "keeps-budget", "wraps-budget", "clamps-target", "adds-width", "small-bonus", "squared-norm", "other-steps",
        "forgets-bonus", "adds-bonus", "clip-at-zero", "clip-at-one", "worst-action", "one-budget",
        "other-policy",
    ),
    _POLICY: ("random-policy",),
    ("asked-widths",): ("never-asks",),
    ("planned-values", "planner-gap"): ("asks-for-nothing",),
}  # fmt: skip
"""Bugs of CVaR-LSVI, planted in the planner: by which of what is replayed of it they are caught."""
DIFFERS = {
    "planner-last-episode-only": "of the last episode alone",
    "planner-keeps-budget": "the budget is not updated",
    "planner-wraps-budget": "budgets below 0 count from the end",
    "planner-clamps-target": "the formula of V⁺",
    "planner-adds-width": "with minus the width",
    "planner-squared-norm": "the square of the norm",
    "planner-other-steps": "with Λ of step h + 1",
    "planner-forgets-bonus": "without the bonus",
    "planner-adds-bonus": "with minus the bonus",
    "planner-clip-at-zero": "0 for max",
    "planner-clip-at-one": "1 for H",
    "planner-worst-action": "the action of largest Q",
    "planner-one-budget": "as the largest budget chooses",
    "planner-small-width": "without the factor d",
    "rounds-down": "rewards are rounded down",
    "rounds-to-nearest": "rounded to the nearest multiple",
    "other-grid": "rewards are not rounded",
    "truncated-grid": "the best of the budgets up to H",
    "plans-twice": "2 times the formula",
    "skips-budgets": ": 0",
    "plans-without-bonus": "without the bonus",
    "narrow-width": "0.010 times the formula",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *(in_regression(ELLA, name, caught_by, "planner-") for caught_by, names in _PLANNER.items() for name in names),
        *(mutant for mutant in (*collecting_mutants(ELLA), *learning_mutants(ELLA)) if mutant.name in _INHERITED),
        *budget_mutants(ELLA, "best-estimate"),
        plant(ELLA, "planner-small-width", "the planner's β lacks its factor d", bugs.scaled_width(lambda public: 1.0 / public.d),
            ("planner-width",)),
        plant(ELLA, "rounds-down", "rewards rounded down while rolling in", RoundsDown, _WAY),
        plant(ELLA, "rounds-to-nearest", "rewards rounded to the nearest multiple", RoundsToNearest, _WAY),
        plant(ELLA, "float-ceil", "rewards divided as floats, then rounded up", FloatCeil, _WAY),
        plant(ELLA, "ceil", "rewards multiplied as floats, then rounded up", Ceil, _WAY),
        plant(ELLA, "raw-rewards", "raw rewards taken off the budget", RawRewards, _WAY),
        plant(ELLA, "float-budget", "the budget kept as a float, then rounded up", FloatBudget, _WAY),
        plant(ELLA, "other-grid", "indices on the grid of rewards", OtherGrid, _WAY),
        plant(ELLA, "truncated-grid", "initial budgets up to ⌊H/υ⌋", TruncatedGrid, ("best-estimate",)),
        plant(ELLA, "plans-twice", "two calls of the planner per budget", PlansTwice,
            ("planner-calls", "simulated-episodes", "initial-budgets")),
        plant(ELLA, "skips-budgets", "plans from every other budget", SkipsBudgets, ("planner-calls", "initial-budgets")),
        plant(ELLA, "plans-without-bonus", "the planner has no bonus", PlansWithoutBonus, ("planned-values", "estimates")),
        plant(ELLA, "narrow-width", "α and β a hundred times too small", bugs.scaled_width(lambda public: 0.01),
            ("width", "planner-width")),
        plant(ELLA, "plans-in-first-model", "plans in the first model of the class", StaleModels, ("simulated-model",)),
        plant(ELLA, "evaluates-last", "evaluates the last policy T1 times", EvaluatesLast, ("evaluated-policies",)),
        plant(ELLA, "last-policy", "the policy of another budget", LastPolicy, ("chosen-policy",)),
        plant(ELLA, "stale-estimates", "the estimates of the iteration before", StaleEstimates, ("estimates", "best-estimate")),
        *estimate_mutants(ELLA),
        plant(ELLA, "largest-estimate", "max_t V̂_t in the planner", LargestEstimate, ("estimates", "chosen-policy")),
        plant(ELLA, "last-round", "the last policy of the planner", LastRound, ("estimates", "chosen-policy")),
    ),
    DIFFERS,
)  # fmt: skip
