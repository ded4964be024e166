"""Bugs planted in LSVI-UCB."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.mutant import plant
from verifier.model.width import Width
from verifier.settings.episodic import Public
from verifier_reference.lsvi_ucb import LSVIUCB
from verifier_reference.mutants.planning import planning_mutants


class ScaledBonus(LSVIUCB):
    """The bonus multiplied by a wrong constant."""

    factor: ClassVar[float] = 0.25

    def norm(self, phi: Array, inverse: Array) -> Array:
        """A quarter."""
        return self.factor * super().norm(phi, inverse)


class SquaredBonus(LSVIUCB):
    """The square root of the bonus forgotten."""

    def norm(self, phi: Array, inverse: Array) -> Array:
        """The squared norm."""
        return super().norm(phi, inverse) ** 2


class GramForInverse(LSVIUCB):
    """Lambda in the bonus, scaled to norm 1, where its inverse belongs."""

    def norm(self, phi: Array, inverse: Array) -> Array:
        """The norm under Lambda."""
        gram = np.linalg.inv(inverse)
        return super().norm(phi, gram / np.linalg.norm(gram))


class ClippedAtOne(LSVIUCB):
    """V cut at 1, the range of one reward."""

    def value(self, Q: Array) -> Array:
        """min(max_a Q, 1)."""
        return np.minimum(super().value(Q), 1.0)


class PooledGram(LSVIUCB):
    """One Gram matrix for all steps."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """phi phi' added to the matrix of every step."""
        phi = self.public.phi[state * self.public.A + action]
        self.gram += np.outer(phi, phi)
        self.rewards[h] += phi * reward
        self.transitions[h, :, following] += phi


class LearnsTwice(LSVIUCB):
    """Every step added to Lambda twice."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Once more."""
        super().learn(h, state, action, reward, following)
        phi = self.public.phi[state * self.public.A + action]
        self.gram[h] += np.outer(phi, phi)


class NoRidge(LSVIUCB):
    """The regulariser forgotten (a trace of it kept so that Lambda can be inverted)."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.gram *= 1e-6


class RewardForgotten(LSVIUCB):
    """The regression on V alone."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """A reward of 0."""
        super().learn(h, state, action, 0.0, following)


class StateForSuccessor(LSVIUCB):
    """s_h where s_{h+1} belongs in the regression."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """The state it came from."""
        super().learn(h, state, action, reward, state)


class NextStep(LSVIUCB):
    """Data of step h used for step h+1."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """One step late."""
        super().learn((h + 1) % self.public.H, state, action, reward, following)


class EveryOtherEpisode(LSVIUCB):
    """Every other step forgotten."""

    seen = 0

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Half of the data."""
        self.seen += 1
        if self.seen % 2:
            super().learn(h, state, action, reward, following)


mutant = partial(plant, LSVIUCB)
CHAIN = ("q-formula", "bonus-validity")
DATA = ("gram", "regression")
MUTANTS = (
    *planning_mutants(LSVIUCB),
    mutant("quarter-bonus", "bonus scaled to a quarter", ScaledBonus, (*CHAIN, "optimism")),
    mutant("squared-bonus", "the root of the bonus forgotten", SquaredBonus, CHAIN),
    mutant("gram-for-inverse", "Lambda in the bonus instead of its inverse", GramForInverse, ("q-formula",)),
    mutant("clip-at-one", "V cut at 1", ClippedAtOne, ("value-function",)),
    mutant("pooled-gram", "one Gram matrix for all steps", PooledGram, DATA),
    mutant("learns-twice", "Lambda updated twice per step", LearnsTwice, DATA),
    mutant("no-ridge", "lambda forgotten", NoRidge, ("gram",)),
    mutant("reward-forgotten", "regression on V alone", RewardForgotten, ("regression",)),
    mutant("state-for-successor", "regresses on s_h", StateForSuccessor, ("regression",)),
    mutant("next-step", "data of the step before", NextStep, ("gram",)),
    mutant("half-the-data", "every other step forgotten", EveryOtherEpisode, DATA),
)
