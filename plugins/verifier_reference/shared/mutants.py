"""Bugs of planning and play that all algorithms here can have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant
from verifier_reference.empirical import EmpiricalPlanning


class ForwardOrder(Algorithm):
    """Steps planned from the first to the last, with the next step's values not yet known."""

    def steps(self) -> Iterable[int]:
        """Steps 1, 2, ..., H."""
        return range(self.public.H)


class TerminalValue(Algorithm):
    """V initialised with ones instead of zeros: the value after the last step."""

    def initial_values(self) -> Array:
        """Initial values of 1."""
        return np.ones((self.public.H + 1, self.public.S))


class _Replanning:
    """An environment after each step, or call of `play`, of which something is done."""

    def __init__(self, env: Any, then: Callable[[], object]) -> None:
        self._env, self._then = env, then

    def step(self, action: int) -> Any:
        """Step of the environment."""
        seen = self._env.step(action)
        self._then()
        return seen

    def play(self, *policy: Any, **limits: Any) -> Any:
        """Block of episodes of the environment."""
        seen = self._env.play(*policy, **limits)
        self._then()
        return seen


class PlansInSecret(Algorithm):
    """Plans again after whatever is played and throws it away: nothing that it yields or plays is different."""

    plan: Callable[[], Any]

    def play(self, env: Any, plan: Any, state: int) -> None:
        """Play an episode, planning all the time."""
        super().play(_Replanning(env, self.plan), plan, state)  # type: ignore[misc]  # the algorithm comes after this class


EVERY = "plans-every-episode"
"""The claim of most algorithms about when they plan."""


def value_mutants(algorithm: type[Algorithm], planned: str = EVERY, backup: str = "q-formula") -> tuple[Mutant, ...]:
    """Bugs of backups and play; `planned` is the claim about when the algorithm plans, `backup` that about one backup."""
    mutant = partial(plant, algorithm)
    return (
        mutant("forward-order", "steps planned from first to last", ForwardOrder, ("width-target",),
            differs="0 instead of the formula"),
        mutant("terminal-value", "V after the last step is not 0", TerminalValue, ("value-function",), differs="step = H + 1"),
        mutant("wrong-step-target", "V_{h+2} in the backup", bugs.wrong_step("target"), ("width-target",),
            differs="the formula at step h + 1"),
        mutant("worst-action", "argmin in one state", bugs.worst_action("greedy", axis=-1), ("greedy",), differs="only at s = 0"),
        mutant("disobedient", "sometimes plays another action", bugs.disobedient(), ("plays-policy",),
            differs="at one episode in 7"),
        mutant("looks-ahead", "reads the number that the next state is drawn with", bugs.looks_ahead(), ("no-foresight",),
            differs="what is done depends on what is drawn later"),
        mutant("plans-every-other", "plans in every other episode", bugs.plans_every_other(), (planned,),
            differs="at one episode in 2" if planned == EVERY else ""),
        mutant("plans-in-secret", "plans again after every step", PlansInSecret, (planned,),
            differs="everywhere" if planned == EVERY else ""),
        mutant("boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25), (backup, "value-function"),
            differs="the formula plus 0.250"),
    )  # fmt: skip


def planning_mutants(algorithm: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of planning: those of values, and bugs of a bonus and of what it is cut at."""
    mutant = partial(plant, algorithm)
    return (
        *value_mutants(algorithm),
        mutant("no-bonus", "no bonus at all", bugs.no_bonus("optimistic"), ("q-formula", "optimism"),
            differs="without the bonus"),
        mutant("no-clip", "Q not cut at H", bugs.unclipped("optimistic"), ("q-formula",), differs="without its cut"),
    )  # fmt: skip


# Data of all steps together -----------------------------------------------------------------------------------------


class FirstStepOnly(EmpiricalPlanning):
    """Counts of the first step only, as if every step had its own kernel and this were the one."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Count one transition of each episode."""
        super().learn(states[..., :2], actions[..., :1])


class ForgetsLastStep(EmpiricalPlanning):
    """The last transition of an episode not counted, as where `done` breaks the loop too early."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Learn all steps but the last."""
        super().learn(states[..., :-1], actions[..., :-1])


class StateForSuccessor(EmpiricalPlanning):
    """s_h counted where s_{h+1} belongs."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Transitions to where they come from."""
        super().learn(states, actions)
        np.add.at(self.transitions, (states[..., :-1], actions, states[..., 1:]), -1.0)
        np.add.at(self.transitions, (states[..., :-1], actions, states[..., :-1]), 1.0)


class UniformPrior(EmpiricalPlanning):
    """Phat smoothed by one uniform phantom visit."""

    def kernel(self, visits: Array) -> Array:
        """Rows (N(y) + 1/S) / (N + 1)."""
        return (self.transitions + 1.0 / self.public.S) / (visits + 1.0)[:, :, None]


def model_mutants(algorithm: type[EmpiricalPlanning], formula: str) -> tuple[Mutant, ...]:
    """Bugs of counts and of the empirical kernel; `formula` is the claim about what is computed from the counts."""
    mutant, counts = partial(plant, algorithm), ("visits", "q-formula")
    return (
        mutant("first-step-only", "counts of the first step only", FirstStepOnly, counts, differs="of the first step alone"),
        mutant("counts-twice", "every episode counted twice", bugs.twice("learn"), ("visits", formula),
            differs="2 times the formula"),
        mutant("forgets-last-step", "the last transition not counted", ForgetsLastStep, counts,
            differs="without the last step of each episode"),
        mutant("state-for-successor", "s_h counted for s_{h+1}", StateForSuccessor, ("kernel", "q-formula"),
            differs="of the states that are left"),
        mutant("one-episode-late", "the last episode not used", bugs.one_late("learn"), counts, differs="of the plan before"),
        mutant("uniform-prior", "Phat smoothed", UniformPrior, ("kernel", "q-formula"), differs="with one uniform visit added"),
    )  # fmt: skip
