"""Bugs in how data are collected: the policy and its budget on the way in, the uniform actions, the two data sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model.mutant import Mutant, plant, telling
from verifier_cvar.ela.algorithm import ELA
from verifier_settings.cvar import CVaREnvironment, CVaRPlan

# The budget on the way in -------------------------------------------------------------------------------------------


class KeepsBudget(ELA):
    """Bug: rewards are never taken off the budget."""

    def spend(self, budget: int, reward: float) -> int:
        """Budget c as it was."""
        return budget


class SpendsMean(ELA):
    """Takes the mean reward off the budget."""

    mean = 0.0

    def action(self, env: CVaREnvironment, h: int, state: int, budget: int) -> int:
        """The action of pi^{k-1}, whose mean reward is kept."""
        action, public = super().action(env, h, state, budget), self.public
        law = public.reward[h, state * public.A + action]
        self.mean = float(law @ np.arange(len(law)) / public.m)
        return action

    def spend(self, budget: int, reward: float) -> int:
        """Budget c - E r."""
        return super().spend(budget, self.mean)


class WrapsBudget(ELA):
    """Lets the budget go below 0, where indices count from the end."""

    def spend(self, budget: int, reward: float) -> int:
        """Budget c - r."""
        return budget - self.units(reward)


class StaleBudget(ELA):
    """Starts from the budget of the iteration before."""

    older = 0

    def collect(self, env: CVaREnvironment) -> None:
        """Lines 5-10 with (pi^{k-1}, c^{k-2})."""
        self.older, self.budget = self.budget, self.older
        super().collect(env)


class LargestBudget(ELA):
    """Starts from the budget H in place of c^k."""

    def roll_in(self, env: CVaREnvironment, h: int) -> int:
        """Follow pi^{k-1} from the last budget of its table."""
        if self.policy is not None:
            self.budget = self.policy.shape[2] - 1
        return super().roll_in(env, h)


# The policy on the way in -------------------------------------------------------------------------------------------


class StalePolicy(ELA):
    """Follows the policy of the iteration before."""

    older = None

    def collect(self, env: CVaREnvironment) -> None:
        """Lines 5-10 with (pi^{k-2}, c^{k-1})."""
        self.older, self.policy = self.policy, self.older
        super().collect(env)


class UniformRollIn(ELA):
    """Acts uniformly all the way."""

    def action(self, env: CVaREnvironment, h: int, state: int, budget: int) -> int:
        """Action a ~ U(A)."""
        return self.uniform_action(env)


class ShiftedSteps(ELA):
    """Uses the table of the next step."""

    def action(self, env: CVaREnvironment, h: int, state: int, budget: int) -> int:
        """Action of pi_{h+1}."""
        return super().action(env, h + 1, state, budget)


class Dithers(ELA):
    """Acts uniformly one time in ten on the way in."""

    def action(self, env: CVaREnvironment, h: int, state: int, budget: int) -> int:
        """Action of pi^{k-1}, or a ~ U(A)."""
        follows = env.rng.random() < 0.9
        return super().action(env, h, state, budget) if follows else self.uniform_action(env)


# The uniform actions ------------------------------------------------------------------------------------------------


class OwnAction(ELA):
    """Bug: one of the uniform actions is the policy's instead."""

    data: ClassVar[str]
    place: tuple[int, int, int] | None = None

    def roll_in(self, env: CVaREnvironment, h: int) -> int:
        """Follow (pi^{k-1}, c^{k-1}), and keep the budget left."""
        self.left = self.budget
        return super().roll_in(env, h)

    def spend(self, budget: int, reward: float) -> int:
        """c - r, kept."""
        self.left = super().spend(budget, reward)
        return self.left

    def explore(self, env: CVaREnvironment, state: int, h: int, data: Array) -> int:
        """Act, by the policy where it is the data set of the bug."""
        own = data is getattr(self, self.data) and self.policy is not None and h > 0
        self.place = (h, state, self.left) if own else None
        following = super().explore(env, state, h, data)
        self.place = None
        return following

    def uniform_action(self, env: CVaREnvironment) -> int:
        """Action a ~ U(A), or of pi^{k-1}."""
        if self.place is None or self.policy is None:
            return super().uniform_action(env)
        return int(self.policy[self.place])


class NeverLastAction(ELA):
    """An off-by-one in the uniform actions."""

    def uniform_action(self, env: CVaREnvironment) -> int:
        """Action a ~ U(A - 1)."""
        return int(env.rng.integers(max(self.public.A - 1, 1)))


class SameActionTwice(ELA):
    """The second uniform action is the first one once more."""

    drawn = 0

    def explore(self, env: CVaREnvironment, state: int, h: int, data: Array) -> int:
        """Draw an action for D_h, keep it for D~_{h+1}."""
        self.again = data is self.Dt and h > 0
        return super().explore(env, state, h, data)

    def uniform_action(self, env: CVaREnvironment) -> int:
        """a ~ U(A), or the last one."""
        if not getattr(self, "again", False):
            self.drawn = super().uniform_action(env)
        return self.drawn


class LeastTried(ELA):
    """Takes the action tried least in the step and state: balance instead of chance."""

    def explore(self, env: CVaREnvironment, state: int, h: int, data: Array) -> int:
        """Act so that all actions are tried equally often."""
        tried = self.__dict__.setdefault("tried", np.zeros((self.public.H, self.public.S, self.public.A)))[h, state]
        self.chosen = int(tried.argmin())
        tried[self.chosen] += 1
        return super().explore(env, state, h, data)

    def uniform_action(self, env: CVaREnvironment) -> int:
        """The action tried least."""
        return self.chosen


class RecycledDraws(ELA):
    """Draws the actions of every other iteration once more."""

    def collect(self, env: CVaREnvironment) -> None:
        """Lines 5-10 with new draws, or with those of the iteration before."""
        self.again = not getattr(self, "again", True)
        self.place = 0
        self.drawn: list[int] = getattr(self, "drawn", []) if self.again else []
        super().collect(env)

    def uniform_action(self, env: CVaREnvironment) -> int:
        """a ~ U(A), kept; or the one that was kept."""
        if not self.again or self.place >= len(self.drawn):
            self.drawn.append(super().uniform_action(env))
        self.place += 1
        return self.drawn[self.place - 1]


class TakesTurns(ELA):
    """Draws among the first half of the actions in odd iterations, among the rest in even ones."""

    odd = False

    def collect(self, env: CVaREnvironment) -> None:
        """Lines 5-10 with half of the actions."""
        self.odd = not self.odd
        super().collect(env)

    def uniform_action(self, env: CVaREnvironment) -> int:
        """Uniform on half of the actions."""
        half = self.public.A // 2
        return int(env.rng.integers(half) if self.odd else half + env.rng.integers(self.public.A - half)) if half else 0


class PlaysOn(ELA):
    """Plays a thousand trajectories when the last plan is made."""

    def run(self, env: CVaREnvironment) -> Iterator[CVaRPlan]:
        """K iterations, and then what no iteration has asked for."""
        yield from super().run(env)
        for _ in range(1000):
            self.roll_in(env, self.public.H)


class LearnsOn(ELA):
    """Calls the likelihood oracle when the last plan is made."""

    def run(self, env: CVaREnvironment) -> Iterator[CVaRPlan]:
        """K iterations, and then one more call at each step."""
        yield from super().run(env)
        for h in range(self.public.H - 1):
            self.learn(env, h)


# The data sets and what is used -------------------------------------------------------------------------------------


class NoSecondAction(ELA):
    """Breaks trajectories off after one uniform action: D~_h is empty but for the first step."""

    def explore(self, env: CVaREnvironment, state: int, h: int, data: Array) -> int:
        """Act, unless it is for D~_h."""
        return -1 if data is self.Dt and h > 0 else super().explore(env, state, h, data)


class SwappedSets(ELA):
    """Adds transitions of D_h to D~_h, and the other way round."""

    def explore(self, env: CVaREnvironment, state: int, h: int, data: Array) -> int:
        """Act, and record in the other set."""
        return super().explore(env, state, h, self.D if data is self.Dt else self.Dt)


class FirstToD(ELA):
    """Adds the first uniform transition to D_1 instead of D~_1."""

    def explore(self, env: CVaREnvironment, state: int, h: int, data: Array) -> int:
        """Act, and record; everything belongs to step 1 in D_1."""
        return super().explore(env, state, h, self.D if h == 0 else data)


class LastIterationOnly(ELA):
    """Forgets the data of earlier iterations."""

    def collect(self, env: CVaREnvironment) -> None:
        """Lines 5-10 from empty sets."""
        self.D, self.Dt = np.zeros_like(self.D), np.zeros_like(self.Dt)
        super().collect(env)


class ExtraTrajectory(ELA):
    """Plays one more trajectory to see how well the plan does."""

    def plan(self, env: CVaREnvironment) -> CVaRPlan:
        """Lines 11-16, after a trajectory that is not counted."""
        self.roll_in(env, self.public.H)
        return super().plan(env)


DIFFERS = {
    "keeps-budget": "the budget is not updated",
    "wraps-budget": "budgets below 0 count from the end",
    "largest-budget": "from the largest budget",
    "stale-policy": "by the policy of the iteration before",
    "shifted-steps": "by the policy of step h + 1",
    "learns-on": ": 2",
    "no-second-action": ": 0",
    "swapped-sets": "over D̃",
    "first-to-d": "over D and D̃",
    "last-iteration-only": "of the last iteration alone",
    "extra-trajectory": "the formula + 1",
}
"""Words that the sentence about the difference has to have, by bug."""


def collecting_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of the collection of data, planted in an algorithm that explores so."""
    way, law = ("roll-in",), ("uniform-actions",)
    return telling(
        (
            plant(original, "keeps-budget", "the budget is not updated while rolling in", KeepsBudget, way),
            plant(original, "spends-mean", "the budget is updated with the mean reward", SpendsMean, way),
            plant(original, "wraps-budget", "a negative budget indexes from the end", WrapsBudget, way),
            plant(original, "stale-budget", "rolls in from the budget of the iteration before", StaleBudget, way),
            plant(original, "largest-budget", "rolls in from the budget H", LargestBudget, way),
            plant(original, "stale-policy", "rolls in with the policy of the iteration before", StalePolicy, way),
            plant(original, "uniform-roll-in", "rolls in uniformly", UniformRollIn, way),
            plant(original, "shifted-steps", "rolls in with the table of the next step", ShiftedSteps, way),
            plant(original, "dithers", "rolls in with a uniform action one time in ten", Dithers, way),
            plant(original, "own-action-in-d", "the action of D_h is the policy's", OwnAction, law, data="D"),
            plant(original, "own-second-action", "the second action of D̃_h is the policy's", OwnAction, law, data="Dt"),
            plant(original, "never-last-action", "uniform actions leave out the last", NeverLastAction, law),
            plant(original, "same-action-twice", "the second uniform action repeats the first", SameActionTwice, law),
            plant(original, "least-tried", "the least-tried action instead of a uniform one", LeastTried, law),
            plant(original, "recycled-draws", "every other iteration draws the same actions again", RecycledDraws, law),
            plant(original, "takes-turns", "half of the actions in odd iterations, the others in even ones", TakesTurns, law),
            plant(original, "plays-on", "a thousand trajectories after the last plan", PlaysOn, ("trajectories",)),
            plant(original, "learns-on", "calls of the likelihood oracle after the last plan", LearnsOn, ("likelihood-calls",)),
            plant(original, "no-second-action", "no second uniform action", NoSecondAction, ("sizes",)),
            plant(original, "swapped-sets", "D_h and D̃_h swapped", SwappedSets, ("covariance",)),
            plant(original, "first-to-d", "the first transition goes to D_1", FirstToD, ("covariance",)),
            plant(original, "last-iteration-only", "learns from the last iteration only", LastIterationOnly, ("data-handed",)),
            plant(original, "extra-trajectory", "one more trajectory per iteration", ExtraTrajectory, ("trajectories",)),
        ),
        DIFFERS,
    )
