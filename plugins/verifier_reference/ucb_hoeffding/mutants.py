"""Bugs planted in Q-learning with UCB-Hoeffding."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant
from verifier.settings.episodic import EpisodicEnvironment, EpisodicPlan, Public
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning

At = tuple[int, int, int]


class AverageRate(HoeffdingQLearning):
    """1/t: the mean of all targets, old ones included, as in textbooks."""

    def rate(self, t: float) -> float:
        """1/t."""
        return 1.0 / t


class RateWithoutH(HoeffdingQLearning):
    """2/(1 + t): the rate of another horizon."""

    def rate(self, t: float) -> float:
        """As where H = 1."""
        return 2.0 / (1.0 + t)


class FixedRate(HoeffdingQLearning):
    """A rate that never falls, as in deep Q-learning; the first update overwrites."""

    def rate(self, t: float) -> float:
        """One half, after the first."""
        return 1.0 if t == 1.0 else 0.5


class RateOffByOne(HoeffdingQLearning):
    """(H + 1) / (H + t + 1): the count one too high."""

    def rate(self, t: float) -> float:
        """The initial value H is never overwritten."""
        return super().rate(t + 1.0)


class PooledCounts(HoeffdingQLearning):
    """N(x,a) over all steps."""

    def count(self, at: At) -> float:
        """The counts of the pair at every step grow together."""
        self.visits[:, at[1], at[2]] += 1.0
        return float(self.visits[at])


class CountsStates(HoeffdingQLearning):
    """N_h(x), whatever the action."""

    def count(self, at: At) -> float:
        """The counts of all actions grow together."""
        self.visits[at[0], at[1]] += 1.0
        return float(self.visits[at])


class SeenOrNot(HoeffdingQLearning):
    """A flag where a counter belongs: every update is a first one, and overwrites."""

    def count(self, at: At) -> float:
        """1."""
        self.visits[at] = 1.0
        return 1.0


class SameStep(HoeffdingQLearning):
    """V_h where V_{h+1} belongs: the values of the step that is updated, as in discounted Q-learning."""

    def target(self, h: int, following: int) -> float:
        """V_h(x_{h+1})."""
        return float(self.V[h, following])


class ActionsValue(HoeffdingQLearning):
    """The mean over the next actions where their maximum belongs."""

    def target(self, h: int, following: int) -> float:
        """mean_a Q_{h+1}(x_{h+1}, a)."""
        return float(np.minimum(self.public.H, self.Q[h + 1, following].mean())) if h + 1 < self.public.H else 0.0


class UncutTarget(HoeffdingQLearning):
    """max_a Q_{h+1} in the target, V cut at H only where it is reported."""

    def target(self, h: int, following: int) -> float:
        """Not cut."""
        return float(self.Q[h + 1, following].max()) if h + 1 < self.public.H else 0.0


class Backwards(HoeffdingQLearning):
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
            self.update(*step)


class AllActions(HoeffdingQLearning):
    """Every action of the state is updated with what one of them led to."""

    def update(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """The row of Q is overwritten."""
        super().update(h, state, action, reward, following)
        self.Q[h, state] = self.Q[h, state, action]
        self.V[h, state] = self.value(self.Q[h, state])


class NoReward(HoeffdingQLearning):
    """The reward forgotten."""

    def update(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """A target of V and bonus."""
        super().update(h, state, action, 0.0, following)


class StateForSuccessor(HoeffdingQLearning):
    """V_{h+1}(x_h) where V_{h+1}(x_{h+1}) belongs."""

    def update(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """The state it came from."""
        super().update(h, state, action, reward, state)


class LastStepForgotten(HoeffdingQLearning):
    """Nothing is learned at step H, as where `done` ends the loop before the update."""

    def update(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """All but the last."""
        if h < self.public.H - 1:
            super().update(h, state, action, reward, following)


class NeverRises(HoeffdingQLearning):
    """min(Q, new Q), as for UCBVI."""

    def moved(self, Q: float, rate: float, target: float) -> float:
        """Monotone."""
        return min(Q, super().moved(Q, rate, target))


class RateForgetsBonus(HoeffdingQLearning):
    """The bonus added to Q, not to the target: it is not discounted by the rate."""

    def update(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Q <- (1 - alpha) Q + alpha (r + V) + b."""
        super().update(h, state, action, reward, following)
        at = (h, state, action)
        self.Q[at] += (1.0 - self.rates[at]) * self.bonuses[at]
        self.V[h, state] = self.value(self.Q[h, state])


class BonusOfVisit(HoeffdingQLearning):
    """width / t where width / sqrt(t) belongs."""

    def bonus(self, width: float, t: float) -> float:
        """The square root forgotten."""
        return width / t


class BonusOneLate(HoeffdingQLearning):
    """width / sqrt(t + 1)."""

    def bonus(self, width: float, t: float) -> float:
        """One visit too many."""
        return super().bonus(width, t + 1.0)


class ZeroStart(HoeffdingQLearning):
    """Q = 0 at first."""

    def initial(self) -> float:
        """As arrays are made."""
        return 0.0


class TerminalValue(HoeffdingQLearning):
    """V_{H+1} = H, as where one array of H + 1 steps is filled."""

    def __init__(self, public: Public, *arguments: object, **options: str) -> None:
        super().__init__(public, *arguments, **options)  # type: ignore[arg-type]  # a width
        self.V[-1] = public.H


class StaleValue(HoeffdingQLearning):
    """V is not computed anew after an update: the targets are those of the start."""

    def value(self, Q: Array) -> Array:
        """H."""
        return np.full(np.shape(Q)[:-1], float(self.public.H))


class RewardedLength(HoeffdingQLearning):
    """H^2 iota where H^3 iota belongs: the bonus of a bandit whose rewards are returns."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """c H sqrt(iota)."""
        return super().published_width(public, of) / math.sqrt(public.H)


class EpisodesInLog(HoeffdingQLearning):
    """K where T = KH belongs."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """iota = log(SAK/p)."""
        return super().published_width(replace(public, K=max(public.K // public.H, 1)), of)


class NoBonus(HoeffdingQLearning):
    """No bonus, and Q = 0 at first: no optimism."""

    def initial(self) -> float:
        """As arrays are made."""
        return 0.0

    def bonus(self, width: float, t: float) -> float:
        """Nothing."""
        return 0.0


_mutant = partial(plant, HoeffdingQLearning)
_RATE = ("learning-rate", "q-formula", "weighted-sum")
_BONUS = ("bonus-formula", "q-formula")
MUTANTS = (
    _mutant("average-rate", "learning rate 1/t", AverageRate, (*_RATE, "rate-total", "carried-error")),
    _mutant("rate-without-h", "learning rate 2/(1+t)", RateWithoutH, _RATE),
    _mutant("fixed-rate", "learning rate 1/2", FixedRate, (*_RATE, "rate-of-squares")),
    _mutant("rate-off-by-one", "learning rate (H+1)/(H+t+1)", RateOffByOne, (*_RATE, "rate-of-roots")),
    _mutant("pooled-counts", "visits counted over all steps", PooledCounts, ("visits", *_RATE)),
    _mutant("counts-states", "visits of states", CountsStates, ("visits", *_RATE)),
    _mutant("seen-or-not", "N_h is 1 after the first visit", SeenOrNot, ("visits", *_RATE, "visit-sum")),
    _mutant("half-bonus", "half the bonus", bugs.scaled("bonus", 0.5), (*_BONUS, "bonus-sum", "optimism")),
    _mutant("bonus-of-visit", "width/t", BonusOfVisit, _BONUS),
    _mutant("bonus-one-late", "width/sqrt(t+1)", BonusOneLate, _BONUS),
    _mutant("no-bonus", "no bonus, and Q = 0 at first", NoBonus, ("initial-values", *_BONUS, "optimism")),
    _mutant("same-step", "V_h in the target of step h", SameStep, ("q-formula", "weighted-sum", "error-recursion")),
    _mutant("backwards", "learned from the last step to the first", Backwards, ("q-formula", "weighted-sum")),
    _mutant("mean-of-actions", "the mean over actions in the target", ActionsValue, ("q-formula", "optimism")),
    _mutant("uncut-target", "the target not cut at H", UncutTarget, ("q-formula",)),
    _mutant("no-clip", "V not cut at H", bugs.returns("value", lambda V: 1.25 * V), ("value-function", "value-range")),
    _mutant("all-actions", "all actions of a state updated", AllActions, ("q-formula",)),
    _mutant("no-reward", "the reward forgotten", NoReward, ("q-formula", "weighted-sum", "optimism")),
    _mutant("state-for-successor", "V_{h+1}(x_h) in the target", StateForSuccessor, ("q-formula", "weighted-sum")),
    _mutant("last-step-forgotten", "nothing learned at step H", LastStepForgotten, ("visits", "q-formula")),
    _mutant("learns-twice", "every update twice", bugs.twice("update"), ("visits", "q-formula")),
    _mutant("half-the-data", "every other update forgotten", bugs.every_other("update"), ("visits", "q-formula")),
    _mutant("one-step-late", "an update is made at the next one", bugs.one_late("update"), ("visits", "q-formula")),
    _mutant("never-rises", "the minimum with the Q before", NeverRises, ("q-formula", "weighted-sum")),
    _mutant("bonus-beside-rate", "the bonus not multiplied by the rate", RateForgetsBonus, ("q-formula", "overestimate")),
    _mutant("zero-start", "Q = 0 at first", ZeroStart, ("initial-values",)),
    _mutant("terminal-value", "V after the last step is H", TerminalValue, ("value-function",)),
    _mutant("stale-value", "V is never updated", StaleValue, ("value-function", "regret-recursion")),
    _mutant("width-of-bandits", "H^2 for H^3 in the width", RewardedLength, ("width",)),
    _mutant("episodes-in-log", "K for T in the logarithm", EpisodesInLog, ("width",)),
    _mutant("worst-action", "argmin in one state", bugs.worst_action("greedy", axis=-1), ("greedy", "regret-recursion")),
    _mutant("disobedient", "sometimes plays another action", bugs.disobedient(), ("plays-policy",)),
    _mutant("looks-ahead", "reads the number that the next state is drawn with", bugs.looks_ahead(), ("no-foresight",)),
    _mutant("plans-every-other", "plans in every other episode", bugs.plans_every_other(), ("plans-every-episode",)),
    _mutant(
        "boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25), ("initial-values", "value-function")
    ),
)
