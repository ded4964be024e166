"""Bugs planted in ELA: those of exact planning are here."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.shared.budget_mutants import budget_mutants
from verifier_cvar.shared.collecting_mutants import collecting_mutants
from verifier_cvar.shared.learning_mutants import learning_mutants
from verifier_cvar.value_iteration import value_iteration
from verifier_settings.cvar import CVaREnvironment, CVaRPlan


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


class SimulatesToo(ELA):
    """Evaluates the policy it reports by an episode in a simulator, though planning is exact."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16, and what nobody asked for."""
        plan = super().optimise(env, models, gram, b)
        simulator = env.simulator(models)
        simulator.episodes(np.resize(plan.policy, (self.public.H, self.public.S, simulator.grid.N + 1)), 0, 1)
        return plan


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


class Ceil(ELA):
    """Rounds the product up as it is: 25 times 7/25 is more than 7."""

    def units(self, reward: float) -> int:
        """ceil(m r)."""
        return math.ceil(reward * self.public.m)


class MeanReward(ELA):
    """Takes the mean reward, rounded, off the budget."""

    def expected(self, following: Array, r: Array) -> Array:
        """Values V(x, (i - E j)^+) at the mean reward."""
        mean = np.rint(r @ np.arange(r.shape[1])).astype(int)
        return super().expected(following, np.eye(r.shape[1])[mean])


class IgnoresRewards(ELA):
    """Takes nothing off the budget while planning."""

    def expected(self, following: Array, r: Array) -> Array:
        """Values V(x, i) without the reward."""
        return following.copy()


class RiskNeutralPolicy(ELA):
    """Plays at every budget what is best at the largest one, where CVaR is the mean."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16, then a policy of the state alone."""
        plan = super().optimise(env, models, gram, b)
        return replace(plan, policy=np.repeat(plan.policy[..., -1:], plan.policy.shape[-1], axis=-1))


class FirstStart(ELA):
    """Takes the first state for s_1."""

    def objective(self, c: Array, value: Array) -> Array:
        """c - V_1(0, c) / tau."""
        return super().objective(c, self.first)

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16, the budget from the wrong state."""
        P = self.public.kernels[models, np.arange(self.public.H - 1)]
        self.first = value_iteration(P, self.public.reward, b, self.public.fine.levels)[0][0, 0]
        return super().optimise(env, models, gram, b)


class StopsLearning(ELA):
    """Learns from the first 300 iterations only."""

    def collect(self, env: CVaREnvironment) -> None:
        """Lines 5-10, the data thrown away after some time."""
        kept = self.D.copy(), self.Dt.copy()
        super().collect(env)
        if len(self.D) and kept[0][0].sum() >= 300:
            self.D, self.Dt = kept


class OptimisticRegret(ELA):
    """Reports a regret of its own, with optimistic values for those of its policies."""

    regret = 0.0

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16, and a sum of largest minus optimistic values."""
        plan = super().optimise(env, models, gram, b)
        if plan.V is not None:
            self.regret += self.public.H - float(plan.V[0, self.public.start, plan.budget])
        return plan


_BELLMAN = ("bellman",)
DIFFERS = {
    "adds-bonus": "with minus the bonus",
    "forgets-bonus": "without the bonus",
    "shifted-bonus": "with the bonus of step h + 1",
    "plans-in-first-model": "in the first model of the class",
    "worst-action": "the action of largest Q",
    "first-state": "as state 0 chooses",
    "wraps-values": "budgets below 0 count from the end",
    "mean-reward": "with the mean reward",
    "ignores-rewards": "the budget is not updated",
    "risk-neutral-policy": "the same action at every budget",
    "simulates-too": ": 1",
    "first-start": "the formula at state 0",
    "stops-learning": "from iteration 301 on",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *collecting_mutants(ELA),
        *learning_mutants(ELA),
        plant(ELA, "adds-bonus", "the bonus is added: pessimism", AddsBonus, _BELLMAN),
        plant(ELA, "forgets-bonus", "plans without the bonus it reports", ForgetsBonus, _BELLMAN),
        plant(ELA, "shifted-bonus", "plans with the bonus of the next step", ShiftedBonus, _BELLMAN),
        plant(ELA, "plans-in-first-model", "plans in the first model of the class", PlansInFirstModel, _BELLMAN),
        plant(ELA, "worst-action", "max over actions", bugs.opposite("minimiser"), ("bellman", "greedy", "decomposition")),
        plant(ELA, "first-state", "plays everywhere what is best in state 0", FirstState, ("bellman", "greedy")),
        plant(ELA, "wraps-values", "negative budgets index from the end", WrapsValues, _BELLMAN),
        plant(ELA, "ceil", "rewards multiplied as floats, then rounded up", Ceil, ("roll-in",)),
        plant(ELA, "mean-reward", "plans with the mean reward", MeanReward, _BELLMAN),
        plant(ELA, "ignores-rewards", "plans without updating the budget", IgnoresRewards, _BELLMAN),
        plant(ELA, "risk-neutral-policy", "a policy of the state alone", RiskNeutralPolicy, ("greedy",)),
        *budget_mutants(ELA, "best-budget"),
        plant(ELA, "simulates-too", "simulates what it plans exactly", SimulatesToo, ("planner-calls", "simulated-episodes")),
        plant(ELA, "first-start", "the first state for s_1", FirstStart, ("best-budget",)),
        plant(ELA, "half-counts", "counts in 16 bits", bugs.kept_in(np.float16, "collect", "D", "Dt"), ("data-handed",),
            shown_on=("long-counts",)),
        plant(ELA, "stops-learning", "learns from 300 iterations", StopsLearning, ("data-handed", "covariance")),
        plant(ELA, "optimistic-regret", "regret from optimistic values", OptimisticRegret, ("regret",),
            "the harness computes the regret from exact values of every policy; a plugin's own is never read"),
    ),
    DIFFERS,
)  # fmt: skip
