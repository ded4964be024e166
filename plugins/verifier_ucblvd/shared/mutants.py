"""Bugs that several algorithms can have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, planted, telling
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier_ucblvd.base import LeastSquaresValueIteration
from verifier_ucblvd.least_squares import GramMatrices, LeastSquares

# The bonus and the values -------------------------------------------------------------------------------------------


class NoLastBonus(LeastSquaresValueIteration):
    """Bug: no bonus at the last step, where the next value is known to be zero."""

    def bonus(self, inverse: Array) -> Array:
        """The norms, zero at step H."""
        bonus = super().bonus(inverse)
        bonus[-1] = 0.0
        return bonus


class NoClip(LeastSquaresValueIteration):
    """The value function not clipped at H."""

    def value(self, Q: Array) -> Array:
        """The maximum."""
        return np.asarray(Q.max(axis=1))


# The data -----------------------------------------------------------------------------------------------------------


class OtherData(LeastSquaresValueIteration):
    """Other sufficient statistics than the algorithm's."""

    statistics: ClassVar[type[GramMatrices]]

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.data = planted(self.statistics, LeastSquares)(public)


class GramWrongStep(GramMatrices):
    """phi of the step before in Lambda."""

    def grow(self, features: Array) -> None:
        """Add the features of one episode, each to the next step."""
        super().grow(np.roll(features, 1, axis=0))


class StateForSuccessor(LeastSquares):
    """s_h where s_{h+1} belongs in the regression."""

    def add(self, states: IntArray, actions: IntArray) -> None:
        """Add episodes."""
        before = self.transitions.copy()
        super().add(states, actions)
        self.transitions = before
        phi = self._phi[states[:, :-1] * self._A + actions]
        np.add.at(self.transitions.swapaxes(1, 2), (self._steps, states[:, :-1]), phi)


# Constants and play -------------------------------------------------------------------------------------------------


class WidthOf(LeastSquaresValueIteration):
    """The width of another lambda or delta than those of the instance."""

    other: ClassVar[Callable[[Public], Public]]

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The formula with other numbers in it."""
        return super().published_width(cls.other(public), of)


OF_WIDTH = {
    "usual-delta": "with delta = 0.1",
    "narrow-width": "0.010 times the formula",
    "unit-ridge-width": "with lambda = 1",
}
"""Words that the sentence about the difference has to have, by bug."""


def width_mutants(original: type[LeastSquaresValueIteration]) -> tuple[Mutant, ...]:
    """Widths in which a number is written that most instances have."""
    mutant = partial(plant, original, bug=WidthOf, caught_by=("width",))
    return telling(
        (
            mutant("usual-delta", "delta = 0.1 in the width", other=lambda public: replace(public, delta=0.1)),
            plant(original, "narrow-width", "beta a hundred times too small", bugs.scaled_width(lambda public: 0.01), ("width",),
                shown_on=("long-run",)),
            mutant("unit-ridge-width", "lambda = 1 in the width", other=lambda public: replace(public, ridge=1.0)),
        ),
        OF_WIDTH,
    )  # fmt: skip


class PreviousPolicy(LeastSquaresValueIteration):
    """Plays by the plan before the one in force."""

    known: tuple[LifelongPlan, LifelongPlan] | None = None

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, weight: Array | None = None) -> None:
        """Play a policy that is out of date."""
        if self.known is None:
            self.known = plan, plan
        elif plan is not self.known[1]:
            self.known = self.known[1], plan
        super().play(env, replace(plan, policy=self.known[0].policy), weight)


class PolicyInPlace(LeastSquaresValueIteration):
    """Keeps the array of the policy that it yielded, and changes it as it plays."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, weight: Array | None = None) -> None:
        """Play, having exchanged two actions in the plan."""
        plan.policy[...] = self.public.A - 1 - plan.policy
        super().play(env, plan, weight)


OF_PLAY = {
    "previous-policy": "not at the first episode",
}
"""Words that the sentence about the difference has to have, by bug."""


def play_mutants(original: type[LeastSquaresValueIteration]) -> tuple[Mutant, ...]:
    """Bugs in what is done with a plan once it is yielded."""
    mutant = partial(plant, original)
    return telling(
        (
            mutant("previous-policy", "plays by the plan before the one in force", PreviousPolicy, ("plays-policy",)),
            mutant("policy-in-place", "changes the policy of the plan in force in its array", PolicyInPlace, ("plays-policy",)),
        ),
        OF_PLAY,
    )


DIFFERS = {
    "gram-for-inverse": "for its inverse",
    "gram-every-other": "without a part of the data",
    "half-the-data": "without a part of the data",
    "state-for-successor": "at the states that are left",
    "no-clip": "not cut at H",
}
"""Words that the sentence about the difference has to have, by bug."""


def shared_mutants(algorithm: type[LeastSquaresValueIteration], validity: str) -> tuple[Mutant, ...]:
    """The bugs that Algorithms 1 and 2 can both have.

    Parameters
    ----------
    algorithm : type
    validity : str
        Name of the claim that the bonus covers the error.
    """
    mutant = partial(plant, algorithm)
    chain, gram = ("q-formula", validity, "optimism"), ("gram", "regression")
    return telling(
        (
            mutant("quarter-bonus", "bonus scaled to a quarter", bugs.scaled("bonus", 0.25), chain,
                differs="1/4 times"),
            mutant("squared-bonus", "the square root of the bonus forgotten", bugs.squared("bonus"), chain,
                differs="‖φ‖ · "),
            mutant("gram-for-inverse", "Lambda in the bonus instead of its inverse", bugs.gram_for_inverse("bonus"), chain,
                differs="with Lambda for its inverse"),
            mutant("no-last-bonus", "no bonus at the last step", NoLastBonus, ("q-formula",),
                differs="only at h = H: without"),
            mutant("wrong-step-target", "V_{h+2} regressed", bugs.wrong_step("target"),
                ("value-function", "regression", validity), differs="the formula of step h + 1"),
            mutant("no-clip", "V not clipped at H", NoClip, ("value-function", "value-range"), differs="not cut at H"),
            mutant("clip-at-one", "V clipped at 1", bugs.clipped("value", 1.0), ("value-function", "optimism")),
            mutant("no-positive-part", "Q without positive part", bugs.unclipped("optimistic"), ("q-formula",),
                differs="without the cut at 0"),
            mutant("greedy", "no bonus", bugs.no_bonus("optimistic"), chain, differs="width · ‖φ‖"),
            mutant("gram-twice", "Lambda updated twice per step", OtherData, gram, statistics=bugs.twice("grow"),
                differs="with 2 times the data"),
            mutant("gram-every-other", "Lambda lacks every other episode", OtherData, gram, statistics=bugs.every_other("grow")),
            mutant("gram-wrong-step", "phi of another step in Lambda", OtherData, ("gram",), statistics=GramWrongStep,
                differs="the formula at step h - 1"),
            mutant("half-the-data", "every other episode forgotten", OtherData, gram, statistics=bugs.every_other("add")),
            mutant("state-for-successor", "regresses on s_h, not s_{h+1}", OtherData, ("regression",),
                statistics=StateForSuccessor),
            mutant("no-ridge", "lambda forgotten", OtherData, ("gram",), statistics=bugs.no_ridge(), differs="lambda"),
            mutant("unit-ridge", "lambda = 1 in place of that of the instance", OtherData, gram, statistics=bugs.unit_ridge(),
                differs="lambda"),
            mutant("worst-action", "argmin in one state", bugs.worst_action("greedy_policy", axis=-2),
                ("greedy", "pathwise-regret"), differs="only at s = 0"),
            mutant("disobedient", "sometimes plays another action than its policy", bugs.disobedient(), ("plays-policy",),
                differs="at one episode in 7"),
            mutant("boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25),
                ("q-formula", "value-function"), differs="the formula + 0.25"),
            *play_mutants(algorithm),
            *width_mutants(algorithm),
            mutant("wishful-width", "asks for the width of another value function", bugs.wishful_width(), ("value-function",),
                differs="2 times the formula"),
        ),
        DIFFERS,
    )  # fmt: skip
