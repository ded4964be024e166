"""Bugs planted in Q-learning with either bonus."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, telling
from verifier_reference.q_learning import At, QLearning
from verifier_reference.shared.rate_mutants import (
    AverageRate,
    CountsStates,
    FixedRate,
    PooledCounts,
    RateOffByOne,
    RateWithoutH,
    SeenOrNot,
)
from verifier_reference.shared.step_mutants import LastStepForgotten, RewardForgotten, StateForSuccessor
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class SameStep(QLearning):
    """V_h where V_{h+1} belongs: the values of the step that is updated, as in discounted Q-learning."""

    def target(self, h: int, following: int) -> float:
        """Target V_h(x_{h+1})."""
        return float(self.V[h, following])


class ActionsValue(QLearning):
    """The mean over the next actions where their maximum belongs."""

    def target(self, h: int, following: int) -> float:
        """mean_a Q_{h+1}(x_{h+1}, a)."""
        return float(np.minimum(self.public.H, self.Q[h + 1, following].mean())) if h + 1 < self.public.H else 0.0


class UncutTarget(QLearning):
    """max_a Q_{h+1} in the target, V cut at H only where it is reported."""

    def target(self, h: int, following: int) -> float:
        """Target without its cut."""
        return float(self.Q[h + 1, following].max()) if h + 1 < self.public.H else 0.0


class Backwards(QLearning):
    """The episode is learned from its last step to its first, with values that it has changed."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play first, then sweep from H to 1."""
        seen = []
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, reward = env.step(action)
            seen.append((h, state, action, reward, following))
            state = following
        for step in reversed(seen):
            self.learn(*step)


class AllActions(QLearning):
    """Every action of the state is updated with what one of them led to."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """The row of Q is overwritten."""
        super().learn(h, state, action, reward, following)
        self.Q[h, state] = self.Q[h, state, action]
        self.V[h, state] = self.value(self.Q[h, state])


class NeverRises(QLearning):
    """min(Q, new Q), as for UCBVI."""

    def moved(self, Q: float, rate: float, target: float) -> float:
        """Monotone."""
        return min(Q, super().moved(Q, rate, target))


class RateForgetsBonus(QLearning):
    """The bonus added to Q, not to the target: it is not discounted by the rate."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Q <- (1 - alpha) Q + alpha (r + V) + b."""
        super().learn(h, state, action, reward, following)
        at = (h, state, action)
        self.Q[at] += (1.0 - self.rates[at]) * self.bonuses[at]
        self.V[h, state] = self.value(self.Q[h, state])


class ZeroStart(QLearning):
    """Q = 0 at first."""

    def initial(self) -> float:
        """Initial value 0, as arrays are made."""
        return 0.0


class TerminalValue(QLearning):
    """V_{H+1} = H, as where one array of H + 1 steps is filled."""

    def __init__(self, public: Public, *arguments: object, **options: str) -> None:
        super().__init__(public, *arguments, **options)  # type: ignore[arg-type]  # a width
        self.V[-1] = public.H


class StaleValue(QLearning):
    """V is not computed anew after an update: the targets are those of the start."""

    def value(self, Q: Array) -> Array:
        """Value H in every state."""
        return np.full(np.shape(Q)[:-1], float(self.public.H))


class EpisodesInLog(QLearning):
    """K where T = KH belongs."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """iota = log(SAK/p)."""
        return super().published_width(replace(public, K=max(public.K // public.H, 1)), of)


class NoBonus(QLearning):
    """Bug: no bonus, and Q = 0 at first, so no optimism."""

    def initial(self) -> float:
        """Initial value 0, as arrays are made."""
        return 0.0

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """Bonus of 0."""
        return 0.0


DIFFERS = {
    "average-rate": "1/t",
    "rate-without-h": "1 for H",
    "rate-off-by-one": "H + t + 1 for H + t",
    "pooled-counts": "the visits at any step",
    "counts-states": "whatever the action",
    "seen-or-not": "1 where there was a visit",
    "same-step": "V_h for V_{h+1}",
    "backwards": "as it is after the episode",
    "mean-of-actions": "the mean of Q over actions",
    "uncut-target": "max Q, not cut at H",
    "all-actions": "also where not (s,a) played",
    "no-reward": "without r",
    "state-for-successor": "at the state that is left",
    "last-step-forgotten": "only at h = H: 0 instead of the formula",
    "never-rises": "Q_k also where (s,a) played",
    "bonus-beside-rate": "b / α for b",
    "terminal-value": "only at step = H + 1",
    "stale-value": "whatever the formula is",
    "episodes-in-log": "K for T",
    "plans-every-other": "not planned",
    "boastful": "times the formula",
}
"""Words that the sentence about the difference has to have, by bug."""


def q_learning_mutants(algorithm: type[QLearning], value: tuple[str, ...] = ()) -> tuple[Mutant, ...]:
    """Bugs of Q-learning, planted in an algorithm; `value` are the lines that take the next value, beside the update."""
    mutant = partial(plant, algorithm)
    rate = ("learning-rate", "q-formula", "weighted-sum")
    bonus = ("bonus-formula", "q-formula")
    return telling(
        (
            mutant("average-rate", "learning rate 1/t", AverageRate, (*rate, "rate-total", "carried-error")),
            mutant("rate-without-h", "learning rate 2/(1+t)", RateWithoutH, rate),
            mutant("fixed-rate", "learning rate 1/2", FixedRate, (*rate, "rate-of-squares")),
            mutant("rate-off-by-one", "learning rate (H+1)/(H+t+1)", RateOffByOne, (*rate, "rate-of-roots")),
            mutant("pooled-counts", "visits counted over all steps", PooledCounts, ("visits", *rate)),
            mutant("counts-states", "visits of states", CountsStates, ("visits", *rate)),
            mutant("seen-or-not", "N_h is 1 after the first visit", SeenOrNot, ("visits", *rate, "visit-sum"),
                differs="cut at 1"),
            mutant("half-bonus", "half the bonus", bugs.scaled("bonus", 0.5), (*bonus, "bonus-sum", "optimism")),
            mutant("no-bonus", "no bonus, and Q = 0 at first", NoBonus, ("initial-values", *bonus, "optimism"),
                differs="everywhere: 0"),
            mutant("same-step", "V_h in the target of step h", SameStep, ("q-formula", "weighted-sum", "error-recursion")),
            mutant("backwards", "learned from the last step to the first", Backwards, (*value, "q-formula", "weighted-sum")),
            mutant("mean-of-actions", "the mean over actions in the target", ActionsValue, (*value, "q-formula", "optimism")),
            mutant("uncut-target", "the target not cut at H", UncutTarget, (*value, "q-formula")),
            mutant("no-clip", "V not cut at H", bugs.returns("value", lambda V: 1.25 * V), ("value-function", "value-range"),
                differs="1.250 times the formula"),
            mutant("all-actions", "all actions of a state updated", AllActions, ("q-formula",)),
            mutant("no-reward", "the reward forgotten", RewardForgotten, ("q-formula", "weighted-sum", "optimism")),
            mutant("state-for-successor", "V_{h+1}(x_h) in the target", StateForSuccessor, (*value, "q-formula", "weighted-sum")),
            mutant("last-step-forgotten", "nothing learned at step H", LastStepForgotten, ("visits", "q-formula"),
                differs="0 instead of the formula"),
            mutant("learns-twice", "every update twice", bugs.twice("learn"), ("visits", "q-formula"),
                differs="2 times the formula"),
            mutant("half-the-data", "every other update forgotten", bugs.every_other("learn"), ("visits", "q-formula")),
            mutant("one-step-late", "an update is made at the next one", bugs.one_late("learn"), ("visits", "q-formula")),
            mutant("never-rises", "the minimum with the Q before", NeverRises, ("q-formula", "weighted-sum")),
            mutant("bonus-beside-rate", "the bonus not multiplied by the rate", RateForgetsBonus, ("q-formula", "overestimate")),
            mutant("zero-start", "Q = 0 at first", ZeroStart, ("initial-values",), differs="everywhere: 0"),
            mutant("terminal-value", "V after the last step is H", TerminalValue, ("value-function",)),
            mutant("stale-value", "V is never updated", StaleValue, ("value-function", "regret-recursion")),
            mutant("episodes-in-log", "K for T in the logarithm", EpisodesInLog, ("width",)),
            mutant("worst-action", "argmin in one state", bugs.worst_action("greedy", axis=-1), ("greedy", "regret-recursion"),
                differs="only at s = 0"),
            mutant("disobedient", "sometimes plays another action", bugs.disobedient(), ("plays-policy",),
                differs="at one episode in 7"),
            mutant("looks-ahead", "reads the number that the next state is drawn with", bugs.looks_ahead(), ("no-foresight",),
                differs="what is done depends on what is drawn later"),
            mutant("plans-every-other", "plans in every other episode", bugs.plans_every_other(), ("plans-every-episode",),
                differs="at one episode in 2"),
            mutant("boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25),
                ("initial-values", "value-function")),
        ),
        DIFFERS,
    )  # fmt: skip
