"""Bugs of planning and play that all algorithms here can have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant


class ForwardOrder(Algorithm):
    """Steps planned from the first to the last, with the next step's values not yet known."""

    def steps(self) -> Iterable[int]:
        """1, 2, ..., H."""
        return range(self.public.H)


class TerminalValue(Algorithm):
    """V initialised with ones instead of zeros: the value after the last step."""

    def initial_values(self) -> Array:
        """Ones."""
        return np.ones((self.public.H + 1, self.public.S))


class _Replanning:
    """An environment after each step of which something is done."""

    def __init__(self, env: Any, then: Callable[[], object]) -> None:
        self._env, self._then = env, then

    def step(self, action: int) -> Any:
        """As the environment's."""
        seen = self._env.step(action)
        self._then()
        return seen


class PlansInSecret(Algorithm):
    """Plans again after every step and throws it away: nothing that it yields or plays is different."""

    plan: Callable[[], Any]

    def play(self, env: Any, plan: Any, state: int) -> None:
        """Play an episode, planning all the time."""
        super().play(_Replanning(env, self.plan), plan, state)  # type: ignore[misc]  # the algorithm comes after this class


def planning_mutants(algorithm: type[Algorithm]) -> tuple[Mutant, ...]:
    """These bugs, planted in an algorithm."""
    mutant = partial(plant, algorithm)
    return (
        mutant(
            "forward-order",
            "steps planned from first to last",
            ForwardOrder,
            ("width-target",),
            differs="0 instead of the formula",
        ),
        mutant("terminal-value", "V after the last step is not 0", TerminalValue, ("value-function",), differs="step = H + 1"),
        mutant(
            "wrong-step-target",
            "V_{h+2} in the backup",
            bugs.wrong_step("target"),
            ("width-target",),
            differs="the formula at step h + 1",
        ),
        mutant("worst-action", "argmin in one state", bugs.worst_action("greedy", axis=-1), ("greedy",), differs="only at s = 0"),
        mutant(
            "no-bonus", "no bonus at all", bugs.no_bonus("optimistic"), ("q-formula", "optimism"), differs="without the bonus"
        ),
        mutant("no-clip", "Q not cut at H", bugs.unclipped("optimistic"), ("q-formula",), differs="without its cut"),
        mutant(
            "disobedient", "sometimes plays another action", bugs.disobedient(), ("plays-policy",), differs="at one episode in 7"
        ),
        mutant("looks-ahead", "reads the number that the next state is drawn with", bugs.looks_ahead(), ("no-foresight",)),
        mutant(
            "plans-every-other",
            "plans in every other episode",
            bugs.plans_every_other(),
            ("plans-every-episode",),
            differs="at one episode in 2",
        ),
        mutant("plans-in-secret", "plans again after every step", PlansInSecret, ("plans-every-episode",), differs="everywhere"),
        mutant(
            "boastful",
            "reports larger Q than it uses",
            bugs.reports(Q=lambda Q: Q + 0.25),
            ("q-formula", "value-function"),
            differs="the formula plus 0.250",
        ),
    )
