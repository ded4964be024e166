"""Bugs that several algorithms can have."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, planted
from verifier.model.width import Width
from verifier.settings.lifelong import Public
from verifier_ucblvd.base import LeastSquaresValueIteration
from verifier_ucblvd.least_squares import GramMatrices, LeastSquares

# The bonus and the values -------------------------------------------------------------------------------------------


class NoLastBonus(LeastSquaresValueIteration):
    """No bonus at the last step, where the next value is known to be zero."""

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

    def add(self, states: list[int], actions: list[int]) -> None:
        """Add an episode."""
        phi = self._phi[np.array(states[:-1]) * self._A + actions]
        self.grow(phi)
        self.transitions[self._steps, :, states[:-1]] += phi


def shared_mutants(algorithm: type[LeastSquaresValueIteration], validity: str) -> tuple[Mutant, ...]:
    """The bugs that Algorithms 1 and 2 can both have.

    Parameters
    ----------
    algorithm : type
    validity : str
        Name of the claim that the bonus covers the error.
    """
    mutant = partial(plant, algorithm)
    chain, gram = (validity, "optimism", "q-formula"), ("gram", "regression")
    return (
        mutant("quarter-bonus", "bonus scaled to a quarter", bugs.scaled("bonus", 0.25), chain),
        mutant("squared-bonus", "the square root of the bonus forgotten", bugs.squared("bonus"), chain),
        mutant("gram-for-inverse", "Lambda in the bonus instead of its inverse", bugs.gram_for_inverse("bonus"), chain),
        mutant("no-last-bonus", "no bonus at the last step", NoLastBonus, ("q-formula",)),
        mutant("wrong-step-target", "V_{h+2} regressed", bugs.wrong_step("target"), ("regression", "value-function", validity)),
        mutant("no-clip", "V not clipped at H", NoClip, ("value-range", "value-function")),
        mutant("clip-at-one", "V clipped at 1", bugs.clipped("value", 1.0), ("value-function", "optimism")),
        mutant("no-positive-part", "Q without positive part", bugs.unclipped("optimistic"), ("q-formula",)),
        mutant("greedy", "no bonus", bugs.no_bonus("optimistic"), chain),
        mutant("gram-twice", "Lambda updated twice per step", OtherData, gram, statistics=bugs.twice("grow")),
        mutant("gram-every-other", "Lambda lacks every other episode", OtherData, gram, statistics=bugs.every_other("grow")),
        mutant("gram-wrong-step", "phi of another step in Lambda", OtherData, ("gram",), statistics=GramWrongStep),
        mutant("half-the-data", "every other episode forgotten", OtherData, gram, statistics=bugs.every_other("add")),
        mutant("state-for-successor", "regresses on s_h, not s_{h+1}", OtherData, ("regression",), statistics=StateForSuccessor),
        mutant("no-ridge", "lambda forgotten", OtherData, ("gram",), statistics=bugs.no_ridge()),
        mutant("unit-ridge", "lambda = 1 in place of that of the instance", OtherData, gram, statistics=bugs.unit_ridge()),
        mutant("worst-action", "argmin in one state", bugs.worst_action("greedy_policy", axis=-2), ("greedy",)),
        mutant("disobedient", "sometimes plays another action than its policy", bugs.disobedient(), ("plays-policy",)),
        mutant("boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25), ("q-formula", "value-function")),
        mutant("wishful-width", "asks for the width of another value function", bugs.wishful_width(), ("value-function",)),
    )
