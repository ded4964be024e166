"""Bugs of planning and play that UCBVI and LSVI-UCB can both have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import Mutant, plant
from verifier.settings.episodic import EpisodicEnvironment, EpisodicPlan


class Planner(Algorithm):
    """What both algorithms have."""

    steps: Callable[[], Iterable[int]]
    initial_values: Callable[[], Array]
    greedy: Callable[[Array], IntArray]
    target: Callable[[Array, int], Array]
    plan: Callable[[], EpisodicPlan]
    play: Callable[[EpisodicEnvironment, EpisodicPlan, int], None]
    optimistic: Callable[..., Array]


class ForwardOrder(Planner):
    """Steps planned from the first to the last, with the next step's values not yet known."""

    def steps(self) -> Iterable[int]:
        """1, 2, ..., H."""
        return range(self.public.H)


class TerminalValue(Planner):
    """V initialised with ones instead of zeros: the value after the last step."""

    def initial_values(self) -> Array:
        """Ones."""
        return np.ones((self.public.H + 1, self.public.S))


class WrongStepTarget(Planner):
    """V_{h+2} in the backup of step h."""

    def target(self, V: Array, h: int) -> Array:
        """The values of the wrong step."""
        return np.asarray(V[min(h + 2, self.public.H)])


class WorstAction(Planner):
    """Plays the action of least Q in state 0."""

    def greedy(self, Q: Array) -> IntArray:
        """The argmax, in state 0 the argmin."""
        policy = Q.argmax(axis=-1)
        policy[:, 0] = Q[:, 0].argmin(axis=-1)
        return policy


class NoBonus(Planner):
    """No bonus at all: the greedy policy, whose regret is often lower."""

    def optimistic(self, *arguments: Any) -> Array:
        """As without a bonus, which comes last."""
        return super().optimistic(*arguments[:-1], 0.0 * arguments[-1])


class NoClip(Planner):
    """Q not cut at H."""

    def optimistic(self, *arguments: Any) -> Array:
        """mean + bonus."""
        return np.asarray(arguments[-2] + arguments[-1])


class Disobedient(Planner):
    """Plays another action than its policy's in every seventh episode."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play another policy than the plan's."""
        policy = (plan.policy + (env.episode % 7 == 3)) % self.public.A
        super().play(env, replace(plan, policy=policy), state)


class PlansEveryOther(Planner):
    """Plans in every other episode only."""

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Play with plans that are one episode old."""
        plan: EpisodicPlan | None = None
        for k in range(self.public.K):
            state = env.begin_episode()
            if plan is None or k % 2 == 0:
                plan = self.plan()
                yield plan
            self.play(env, plan, state)


class Boastful(Planner):
    """Reports larger Q than it plans with."""

    factor: ClassVar[float] = 1.0

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Plan and play, with a raised report."""
        for _k in range(self.public.K):
            state = env.begin_episode()
            plan = self.plan()
            yield replace(plan, Q=plan.Q + 0.25)
            self.play(env, plan, state)


def planning_mutants(algorithm: type[Algorithm]) -> tuple[Mutant, ...]:
    """These bugs, planted in an algorithm."""
    mutant = partial(plant, algorithm)
    return (
        mutant("forward-order", "steps planned from first to last", ForwardOrder, ("width-target",)),
        mutant("terminal-value", "V after the last step is not 0", TerminalValue, ("value-function",)),
        mutant("wrong-step-target", "V_{h+2} in the backup", WrongStepTarget, ("width-target",)),
        mutant("worst-action", "argmin in one state", WorstAction, ("greedy",)),
        mutant("no-bonus", "no bonus at all", NoBonus, ("q-formula", "optimism")),
        mutant("no-clip", "Q not cut at H", NoClip, ("q-formula",)),
        mutant("disobedient", "sometimes plays another action", Disobedient, ("plays-policy",)),
        mutant("plans-every-other", "plans in every other episode", PlansEveryOther, ("plans-every-episode",)),
        mutant("boastful", "reports larger Q than it uses", Boastful, ("q-formula", "value-function")),
    )
