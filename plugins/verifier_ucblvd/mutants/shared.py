"""Bugs that several algorithms can have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import Mutant, plant, planted
from verifier.model.width import Width
from verifier.settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier_ucblvd.base import LeastSquaresValueIteration
from verifier_ucblvd.least_squares import GramMatrices, LeastSquares


def asked(width: Width, about: Callable[[Array], Array]) -> Width:
    """A width that passes `about(target)` to the harness for every target it is given."""
    return Width(
        lambda of, h, target: width(h, about(target), of),
        lambda of, h, target: width.error(h, about(target), of),
    )


# The bonus and the values -------------------------------------------------------------------------------------------


class ScaledBonus(LeastSquaresValueIteration):
    """The bonus multiplied by a wrong constant."""

    factor: ClassVar[float]

    @classmethod
    def multiplier(cls, public: Public) -> float:
        """A multiple of what it should be."""
        return cls.factor * super().multiplier(public)


class SquaredBonus(LeastSquaresValueIteration):
    """The square root of the bonus forgotten."""

    def bonus(self, inverse: Array) -> Array:
        """The squared norm."""
        return super().bonus(inverse) ** 2


class GramForInverse(LeastSquaresValueIteration):
    """Lambda, scaled to norm 1, where its inverse belongs."""

    def bonus(self, inverse: Array) -> Array:
        """The norm under Lambda."""
        gram = np.linalg.inv(inverse)
        return super().bonus(gram / np.linalg.norm(gram, axis=(1, 2), keepdims=True))


class NoLastBonus(LeastSquaresValueIteration):
    """No bonus at the last step, where the next value is known to be zero."""

    def bonus(self, inverse: Array) -> Array:
        """The norms, zero at step H."""
        bonus = super().bonus(inverse)
        bonus[-1] = 0.0
        return bonus


class Greedy(LeastSquaresValueIteration):
    """No bonus at all: the greedy policy, whose regret is often lower."""

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """The mean."""
        return super().optimistic(mean, 0.0 * bonus)


class NoPositivePart(LeastSquaresValueIteration):
    """The positive part forgotten."""

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """The sum."""
        return mean + bonus


class WrongStepTarget(LeastSquaresValueIteration):
    """V_{h+2} in the regression of step h."""

    def target(self, V: Array, h: int) -> Array:
        """The values of the wrong step."""
        return super().target(V, min(h + 1, self.public.H - 1))


class Clipped(LeastSquaresValueIteration):
    """The value function clipped at a wrong limit (infinity: not at all)."""

    limit: ClassVar[float]

    def value(self, Q: Array) -> Array:
        """The maximum, up to the wrong limit."""
        return np.minimum(Q.max(axis=1), self.limit)


# Play, and what the harness is told ---------------------------------------------------------------------------------


class WorstAction(LeastSquaresValueIteration):
    """Plays the action of least Q in one state."""

    def greedy_policy(self, Q: Array) -> IntArray:
        """The argmax, in state 0 the argmin."""
        policy = super().greedy_policy(Q)
        policy[..., 0, :] = Q[..., 0, :, :].argmin(axis=-2)
        return policy


class Boastful(LeastSquaresValueIteration):
    """Reports action values larger than those it plans with."""

    def greedy_policy(self, Q: Array) -> IntArray:
        """The argmax; Q is raised in place for the report."""
        policy = super().greedy_policy(Q)
        Q += 0.25
        return policy


class Disobedient(LeastSquaresValueIteration):
    """Plays other actions than its policy's in every seventh episode."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        """Play another policy than the plan's."""
        policy = (plan.policy + (env.episode % 7 == 3)) % self.public.A
        super().play(env, replace(plan, policy=policy), state, column)


class WishfulWidth(LeastSquaresValueIteration):
    """Hands a value function with larger errors to the width, to get a wider interval."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, asked(width, lambda target: 2.0 * target), **options)


# The data -----------------------------------------------------------------------------------------------------------


class OtherData(LeastSquaresValueIteration):
    """Other sufficient statistics than the algorithm's."""

    statistics: ClassVar[type[GramMatrices]]

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.data = planted(self.statistics, LeastSquares)(public)


class GramTwice(GramMatrices):
    """Lambda updated twice per step."""

    def grow(self, features: Array) -> None:
        """Add the features of one episode, twice."""
        super().grow(features)
        super().grow(features)


class GramEveryOther(GramMatrices):
    """Every other episode missing from Lambda, not from the targets."""

    odd = False

    def grow(self, features: Array) -> None:
        """Add the features of every second episode."""
        self.odd = not self.odd
        if not self.odd:
            super().grow(features)


class GramWrongStep(GramMatrices):
    """phi of the step before in Lambda."""

    def grow(self, features: Array) -> None:
        """Add the features of one episode, each to the next step."""
        super().grow(np.roll(features, 1, axis=0))


class HalfTheData(LeastSquares):
    """Every other episode forgotten."""

    odd = False

    def add(self, states: list[int], actions: list[int]) -> None:
        """Add every other episode."""
        self.odd = not self.odd
        if self.odd:
            super().add(states, actions)


class StateForSuccessor(LeastSquares):
    """s_h where s_{h+1} belongs in the regression."""

    def add(self, states: list[int], actions: list[int]) -> None:
        """Add an episode."""
        phi = self._phi[np.array(states[:-1]) * self._A + actions]
        self.grow(phi)
        self.transitions[self._steps, :, states[:-1]] += phi


class NoRidge(LeastSquares):
    """The regulariser forgotten (a trace of it kept so that Lambda can be inverted)."""

    def __init__(self, public: Public) -> None:
        super().__init__(public)
        self.gram *= 1e-6


class UnitRidge(LeastSquares):
    """lambda = 1 in place of that of the instance."""

    def __init__(self, public: Public) -> None:
        super().__init__(public)
        self.gram /= public.ridge


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
        mutant("quarter-bonus", "bonus scaled to a quarter", ScaledBonus, chain, factor=0.25),
        mutant("squared-bonus", "the square root of the bonus forgotten", SquaredBonus, chain),
        mutant("gram-for-inverse", "Lambda in the bonus instead of its inverse", GramForInverse, chain),
        mutant("no-last-bonus", "no bonus at the last step", NoLastBonus, ("q-formula",)),
        mutant("wrong-step-target", "V_{h+2} regressed", WrongStepTarget, ("regression", "value-function", validity)),
        mutant("no-clip", "V not clipped at H", Clipped, ("value-range", "value-function"), limit=np.inf),
        mutant("clip-at-one", "V clipped at 1", Clipped, ("value-function", "optimism"), limit=1.0),
        mutant("no-positive-part", "Q without positive part", NoPositivePart, ("q-formula",)),
        mutant("greedy", "no bonus", Greedy, chain),
        mutant("gram-twice", "Lambda updated twice per step", OtherData, gram, statistics=GramTwice),
        mutant("gram-every-other", "Lambda lacks every other episode", OtherData, gram, statistics=GramEveryOther),
        mutant("gram-wrong-step", "phi of another step in Lambda", OtherData, ("gram",), statistics=GramWrongStep),
        mutant("half-the-data", "every other episode forgotten", OtherData, gram, statistics=HalfTheData),
        mutant("state-for-successor", "regresses on s_h, not s_{h+1}", OtherData, ("regression",), statistics=StateForSuccessor),
        mutant("no-ridge", "lambda forgotten", OtherData, ("gram",), statistics=NoRidge),
        mutant("unit-ridge", "lambda = 1 in place of that of the instance", OtherData, gram, statistics=UnitRidge),
        mutant("worst-action", "argmin in one state", WorstAction, ("greedy",)),
        mutant("disobedient", "sometimes plays another action than its policy", Disobedient, ("plays-policy",)),
        mutant("boastful", "reports larger Q than it uses", Boastful, ("q-formula", "value-function")),
        mutant("wishful-width", "asks for the width of another value function", WishfulWidth, ("value-function",)),
    )
