"""Bugs in exact planning and in the choice of the initial budget."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import Mutant, plant
from verifier.settings.cvar import CVaREnvironment, CVaRPlan
from verifier_cvar.ela import ELA

# The Bellman equation -----------------------------------------------------------------------------------------------


class AddsBonus(ELA):
    """Adds the bonus to what is minimised: pessimism."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16 with +b."""
        return replace(super().optimise(env, models, gram, -b), bonus=b)


class ForgetsBonus(ELA):
    """Reports the bonus and plans without it."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16 without b."""
        return replace(super().optimise(env, models, gram, 0.0 * b), bonus=b)


class ShiftedBonus(ELA):
    """Plans with the bonus of the next step."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16 with b_{h+1}."""
        return replace(super().optimise(env, models, gram, np.roll(b, -1, axis=0)), bonus=b)


class PlansInFirstModel(ELA):
    """Plans in the first model of the class and reports the one it learned."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16 in the wrong model."""
        return replace(super().optimise(env, 0 * models, gram, b), models=models)


class WorstAction(ELA):
    """Maximises values of what falls short of the budget."""

    def minimiser(self, Q: Array) -> IntArray:
        """The argmax."""
        return super().minimiser(-Q)


class FirstState(ELA):
    """Takes in every state the best action of the first."""

    def minimiser(self, Q: Array) -> IntArray:
        """The argmin of state 0."""
        return np.repeat(super().minimiser(Q)[:1], len(Q), axis=0)


class WrapsValues(ELA):
    """Values at negative budgets are those at the other end of the grid."""

    def expected(self, following: Array, r: Array) -> Array:
        """E[V(x, (i - j) mod (N+1))]."""
        return np.asarray(sum(r[:, j, None] * np.roll(following, j, axis=1) for j in range(r.shape[1])))


class MeanReward(ELA):
    """Takes the mean reward, rounded, off the budget."""

    def expected(self, following: Array, r: Array) -> Array:
        """V(x, (i - E j)^+)."""
        mean = np.rint(r @ np.arange(r.shape[1])).astype(int)
        return super().expected(following, np.eye(r.shape[1])[mean])


class IgnoresRewards(ELA):
    """Takes nothing off the budget while planning."""

    def expected(self, following: Array, r: Array) -> Array:
        """V(x, i)."""
        return following.copy()


class RiskNeutralPolicy(ELA):
    """Plays at every budget what is best at the largest one, where CVaR is the mean."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16, then a policy of the state alone."""
        plan = super().optimise(env, models, gram, b)
        return replace(plan, policy=np.repeat(plan.policy[..., -1:], plan.policy.shape[-1], axis=-1))


# The initial budget -------------------------------------------------------------------------------------------------


class WorstBudget(ELA):
    """Minimises over the budget: with the wrong sign, the upper tail."""

    def objective(self, c: Array, value: Array) -> Array:
        """V/tau - c."""
        return -super().objective(c, value)


class NoTau(ELA):
    """c - V."""

    def objective(self, c: Array, value: Array) -> Array:
        """Without 1/tau."""
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


class OptimisticRegret(ELA):
    """Reports a regret of its own, with optimistic values for those of its policies."""

    regret = 0.0

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16, and a sum of largest minus optimistic values."""
        plan = super().optimise(env, models, gram, b)
        if plan.V is not None:
            self.regret += self.public.H - float(plan.V[0, self.public.start, plan.budget])
        return plan


def mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """The bugs of exact planning."""
    bellman = ("bellman",)
    return (
        plant(original, "adds-bonus", "the bonus is added: pessimism", AddsBonus, bellman),
        plant(original, "forgets-bonus", "plans without the bonus it reports", ForgetsBonus, bellman),
        plant(original, "shifted-bonus", "plans with the bonus of the next step", ShiftedBonus, bellman),
        plant(original, "plans-in-first-model", "plans in the first model of the class", PlansInFirstModel, bellman),
        plant(original, "worst-action", "max over actions", WorstAction, ("bellman", "greedy", "decomposition")),
        plant(original, "first-state", "plays everywhere what is best in state 0", FirstState, ("bellman", "greedy")),
        plant(original, "wraps-values", "negative budgets index from the end", WrapsValues, bellman),
        plant(original, "mean-reward", "plans with the mean reward", MeanReward, bellman),
        plant(original, "ignores-rewards", "plans without updating the budget", IgnoresRewards, bellman),
        plant(original, "risk-neutral-policy", "a policy of the state alone", RiskNeutralPolicy, ("greedy",)),
        *budget_mutants(original, "best-budget"),
        plant(
            original,
            "optimistic-regret",
            "regret from optimistic values",
            OptimisticRegret,
            ("regret",),
            "the harness computes the regret from exact values of every policy; a plugin's own is never read",
        ),
    )


def budget_mutants(original: type[Algorithm], chosen: str) -> tuple[Mutant, ...]:
    """The bugs in the choice of the budget, which the claim `chosen` is about."""
    return (
        plant(original, "worst-budget", "the budget of least objective", WorstBudget, (chosen,)),
        plant(original, "no-tau", "c − V instead of c − V/τ", NoTau, (chosen,)),
        plant(original, "times-tau", "c − τV instead of c − V/τ", TimesTau, (chosen,)),
        plant(original, "other-tail", "the tail of mass 1 − τ", OtherTail, (chosen,)),
        plant(original, "budgets-to-one", "budgets in [0, 1] only", BudgetsToOne, (chosen,)),
        plant(original, "stale-choice", "the budget of the iteration before", StaleChoice, (chosen,)),
    )
