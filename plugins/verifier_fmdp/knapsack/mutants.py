"""Bugs planted in FMDP-BF for knapsacks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_fmdp.knapsack.algorithm import Knapsack, Steps
from verifier_fmdp.knapsack.model import Model
from verifier_fmdp.shared.budget_mutants import (
    BudgetBlind,
    BudgetsSwapped,
    CostsPerBudget,
    DebtForgiven,
    DiesAtZero,
    KeepsActing,
    NeverRefilled,
    OneBudgetOnly,
    SpendsNothing,
)
from verifier_settings.knapsack import KnapsackEnvironment, KnapsackPlan

# Data -----------------------------------------------------------------------------------------------------------------------


class LastStepForgotten(Knapsack):
    """The last step of an episode is not counted, as where `over` breaks the loop too early."""

    def learn(self, steps: Steps) -> None:
        """Learn all steps but the last."""
        super().learn(steps[:-1])


class LastRewardForgotten(Knapsack):
    """The reward of the step that overspends is taken for 0."""

    def learn(self, steps: Steps) -> None:
        """The reward of the last step, where the episode is shorter than H, is not counted."""
        if len(steps) < self.public.H:
            *before, (pair, following, costs, _reward) = steps
            steps = [*before, (pair, following, costs, 0.0)]
        super().learn(steps)


class StateForSuccessor(Knapsack):
    """The state that a step left is counted where the one it came to belongs."""

    def learn(self, steps: Steps) -> None:
        """Learn transitions to the state itself: N(s,a,s) += 1."""
        super().learn([(pair, pair // self.public.A, costs, reward) for pair, _following, costs, reward in steps])


class RewardsNotDivided(Knapsack):
    """The sum of the rewards for their mean."""

    def mean_reward(self, visits: Array) -> Array:
        """Rhat = sum of rewards, 1 where nothing was seen."""
        return np.where(visits > 0, self.rewards[:, 0], self.unseen_reward())


class Smoothed(Knapsack):
    """Frequencies divided by N + 1."""

    def law(self, counts: Array, visits: Array) -> Array:
        """Laws N(v) / (N + 1)."""
        return counts / (visits + 1.0)[:, None]


class TwiceToBeKnown(Knapsack):
    """A pair is known once it was visited twice."""

    def known(self, visits: Array) -> BoolArray:
        """Mask of the pairs with N > 1."""
        return np.asarray(visits > 1)


class UnseenPaysNothing(Knapsack):
    """Rhat = 0 where nothing was seen."""

    def unseen_reward(self) -> float:
        """Reward 0, as arrays are made."""
        return 0.0


class SecondMoment(Knapsack):
    """mean(r^2) for the variance of the reward."""

    def reward_variance(self, visits: Array) -> Array:
        """Reward variance without the square of the mean."""
        return np.asarray(self.rewards[:, 1] / np.maximum(visits, 1.0))


# Bonus ----------------------------------------------------------------------------------------------------------------------


class LogWithoutBudgets(Knapsack):
    """Bug: no union over the budgets in the logarithm."""

    @property
    def log(self) -> float:
        """log(18 (d+1) T S A / delta)."""
        return super().log - float(np.log(self.public.G))


class NoEta(Knapsack):
    """The products of errors forgotten."""

    def eta(self, share: Array) -> Array:
        """Zeros in place of eta."""
        return np.zeros((self.public.d + 1, len(share)))


class BudgetsInBonus(Knapsack):
    """The number of budgets where that of the values of a cost belongs, as if the next budget were learned and not the cost."""

    def sizes(self) -> Array:
        """S and B_i + 1."""
        return np.array([self.public.S, *(B + 1 for B in self.public.budgets)])


class NoGap(Knapsack):
    """The term of u forgotten."""

    def leading(self, variance: Array, correction: Array, share: Array) -> Array:
        """sqrt(4 sigmahat_i^2 L / N)."""
        return np.sqrt(4 * variance * share)


class NoSmallTerm(Knapsack):
    """The term of order 1/N of CB^R forgotten."""

    def reward_bonus(self, variance: Array, share: Array) -> Array:
        """sqrt(2 sigmahat^2 L / N)."""
        return np.sqrt(2 * variance * share)


class NextStateOnly(Knapsack):
    """Only the bonus of the next state is added, none for the costs."""

    def total(self, reward: Array, transition: Array) -> Array:
        """Bonus CB^R + CB^P_0."""
        return reward[:, None] + np.asarray(transition[0])


class WholeVariance(Knapsack):
    """The variance of everything up to a factor where that of the factor belongs."""

    def moments(self, model: Model, above: Array, below: Array) -> tuple[Array, Array, Array]:
        """M_i - (P V)^2 for M_i - M_{i-1}."""
        mean, variance, correction = super().moments(model, above, below)
        return mean, np.cumsum(variance, axis=0), correction


class MeanGap(Knapsack):
    """u from the mean of V - Vlow: squared after everything was integrated."""

    def moments(self, model: Model, above: Array, below: Array) -> tuple[Array, Array, Array]:
        """(P (V - Vlow))^2 for every factor."""
        mean, variance, correction = super().moments(model, above, below)
        return mean, variance, np.broadcast_to(model.mean(above - below) ** 2, correction.shape)


class TimidPessimist(Knapsack):
    """The bonus added to the pessimistic value."""

    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        """max(0, mean + bonus)."""
        return super().pessimistic(known, mean, -bonus)


# Planning and play ----------------------------------------------------------------------------------------------------------


class UnknownIsZero(Knapsack):
    """Q = 0 where nothing was seen."""

    def unknown(self) -> float:
        """Value 0, as arrays are made."""
        return 0.0


class Greedy(UnknownIsZero):
    """Bug: no optimism at all, the mean of the model, and 0 where nothing was seen."""

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """min(H, mean)."""
        return np.minimum(float(self.public.H), mean)


class ForwardOrder(Knapsack):
    """Steps planned from the first to the last, with the next step's values not yet known."""

    def steps(self) -> Iterable[int]:
        """Steps 1, 2, ..., H."""
        return range(self.public.H)


class WholeBudget(Knapsack):
    """The whole budget is looked up at every step of an episode."""

    def play(self, env: KnapsackEnvironment, plan: KnapsackPlan, state: int) -> None:
        """Play the policy for b = B at every b."""
        whole: Any = np.repeat(plan.policy[:, :, -1:], plan.policy.shape[2], axis=2)
        super().play(env, replace(plan, policy=whole), state)


bug = partial(plant, Knapsack)
_LEFT = ("variance", "q-formula", "embedding")
"""Claims that break where the law of what is left of a budget is wrong. No line reports that law: the variances are the first
that take a mean under it, and the backup is one of the last."""

DIFFERS = {
    "looks-ahead": "what is done depends on what is drawn later",
    "keeps-acting": "everywhere",
    "dies-at-zero": "a budget just spent is overspent",
    "spends-nothing": "V(s', b) for V(s', b - c)",
    "debt-forgiven": "what exceeds a budget is forgotten",
    "one-budget-only": "with the first budget only",
    "budget-blind": "the same action at every budget",
    "never-refilled": "from episode 2 on",
    "smoothed": "with N + 1 for N",
    "twice-to-be-known": "the formula − 1",
    "unseen-pays-nothing": "the formula − 1",
    "second-moment": "without the square of the mean",
    "counts-twice": "2 times the formula",
    "one-episode-late": "the formula of the plan before",
    "log-without-budgets": "without the union over budgets",
    "no-eta": "everywhere: 0",
    "no-gap": "without √(2 · u_i",
    "no-small-term": "without 8 · (L_R / max(N, 1)) / 3",
    "next-state-only": "without the bonus of the costs",
    "whole-variance": "the variance of all factors up to one",
    "mean-gap": "squared after everything is integrated",
    "narrow-width": "1e-06 times the formula",
    "timid-pessimist": "+ CB(π_h) for − CB(π_h)",
    "unknown-is-zero": "0 for H where not known",
    "no-clip": "without the cut at H",
    "forward-order": "everywhere: 0",
    "wrong-step-target": "the formula of step h + 1",
    "worst-action": "only at s = 0",
    "disobedient": "at one episode in 7",
    "plans-every-other": "at one episode in 2: not planned",
    "boastful": "the formula + 0.25",
    "boastful-bonus": "0.0001 times the formula",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling((
    bug("keeps-acting", "acts on after a cost has ended the episode", KeepsActing, ("stops", "visits")),
    bug("dies-at-zero", "takes a budget that is just spent for overspent", DiesAtZero, (*_LEFT, "first-example")),
    bug("never-refilled", "the budget is not refilled", NeverRefilled, ("plays-policy",)),
    bug("costs-per-budget", "learns costs for each budget left", CostsPerBudget, ("variance", "q-formula")),
    bug("budget-blind", "a policy of the state alone", BudgetBlind, ("greedy", "value-function", "second-example")),
    bug("spends-nothing", "V(s', b) for V(s', b - c)", SpendsNothing, (*_LEFT, "second-example")),
    bug("debt-forgiven", "goes on with nothing left where a budget is overspent", DebtForgiven, (*_LEFT, "first-example")),
    bug("budgets-swapped", "numbers what is left in the other order", BudgetsSwapped, ("plays-policy",)),
    bug("one-budget-only", "plans with the first budget only", OneBudgetOnly, _LEFT),
    bug("last-step-forgotten", "does not count the last step", LastStepForgotten, ("visits", "q-formula", "regret-recursion")),
    bug("last-reward-forgotten", "no reward for the step that overspends", LastRewardForgotten, ("reward-estimate",)),
    bug("state-for-successor", "counts the state it was in for the next one", StateForSuccessor, ("kernel", "law-confidence"),
        shown_on=("one-budget",)),
    bug("rewards-not-divided", "the sum of the rewards for their mean", RewardsNotDivided,
        ("reward-estimate", "reward-confidence"), shown_on=("one-budget",)),
    bug("smoothed", "N + 1 in the frequencies", Smoothed, ("kernel", "cost-laws")),
    bug("twice-to-be-known", "known after two visits", TwiceToBeKnown, ("known-set", "q-formula")),
    bug("unseen-pays-nothing", "R = 0 where nothing was seen", UnseenPaysNothing, ("reward-estimate",)),
    bug("second-moment", "no square of the mean in the variance", SecondMoment, ("reward-variance", "reward-bonus")),
    bug("counts-twice", "every episode counted twice", bugs.twice("learn"), ("visits",)),
    bug("single-sums", "sums of rewards in 32 bits", bugs.kept_in(np.float32, "learn", "rewards"), ("reward-estimate",)),
    bug("half-sums", "sums of rewards in 16 bits", bugs.kept_in(np.float16, "learn", "rewards"), ("reward-estimate",)),
    bug("one-episode-late", "the last episode not used", bugs.one_late("learn"), ("visits",)),
    bug("log-without-budgets", "no union over budgets", LogWithoutBudgets, ("cross-term", "reward-bonus", "transition-bonus")),
    bug("no-eta", "products of errors forgotten", NoEta, ("cross-term", "transition-bonus")),
    bug("budgets-in-bonus", "B_i + 1 where the number of costs belongs", BudgetsInBonus, ("cross-term", "transition-bonus")),
    bug("no-gap", "the term of u forgotten", NoGap, ("transition-bonus",)),
    bug("no-small-term", "the term of order 1/N of CB^R forgotten", NoSmallTerm, ("reward-bonus",)),
    bug("next-state-only", "no bonus for the costs", NextStateOnly, ("q-formula",)),
    bug("whole-variance", "the variance of all factors up to one", WholeVariance, ("variance", "transition-bonus")),
    bug("mean-gap", "u squared after the mean", MeanGap, ("correction",)),
    bug("narrow-width", "the logarithm divided by a million", bugs.scaled_width(lambda public: 1e-6), ("width", "coverage"),
        shown_on=("one-budget",)),
    bug("timid-pessimist", "the bonus added to the pessimistic value", TimidPessimist, ("lower-formula", "pessimism")),
    bug("unknown-is-zero", "Q = 0 where nothing was seen", UnknownIsZero, ("q-formula", "optimism")),
    bug("greedy", "no bonus, and Q = 0 where nothing was seen", Greedy, ("q-formula", "optimism", "pathwise-regret")),
    bug("no-clip", "Q not cut at H", bugs.unclipped("optimistic"), ("q-formula", "value-range")),
    bug("forward-order", "steps planned from first to last", ForwardOrder, ("width-target", "q-formula")),
    bug("wrong-step-target", "V_{h+2} in the backup", bugs.wrong_step("target"), ("width-target", "q-formula")),
    bug("worst-action", "argmin in one state", bugs.worst_action("greedy", axis=0), ("greedy",)),
    bug("whole-budget", "plays as if nothing had been spent", WholeBudget, ("plays-policy",)),
    bug("disobedient", "sometimes plays another action", bugs.disobedient(), ("plays-policy",)),
    bug("looks-ahead", "reads the number that the next state is drawn with", bugs.looks_ahead(), ("no-foresight",)),
    bug("plans-every-other", "plans in every other episode", bugs.plans_every_other(), ("plans-every-episode",)),
    bug("boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25), ("q-formula", "value-function")),
    bug("boastful-bonus", "reports a smaller bonus than it adds", bugs.reports(transition_bonus=lambda CB: CB / 1e4),
        ("transition-bonus", "bonus-validity")),
), DIFFERS)  # fmt: skip
