"""Bugs planted in LSVI-UCB."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant
from verifier.model.width import Width
from verifier.settings.episodic import Public
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.shared.mutants import planning_mutants


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


_mutant = partial(plant, LSVIUCB)
_CHAIN = ("q-formula", "bonus-validity")
_DATA = ("gram", "regression")
MUTANTS = (
    *planning_mutants(LSVIUCB),
    _mutant("quarter-bonus", "bonus scaled to a quarter", bugs.scaled("norm", 0.25), (*_CHAIN, "optimism")),
    _mutant("squared-bonus", "the root of the bonus forgotten", bugs.squared("norm"), _CHAIN),
    _mutant("gram-for-inverse", "Lambda in the bonus instead of its inverse", bugs.gram_for_inverse("norm"), ("q-formula",)),
    _mutant("clip-at-one", "V cut at 1", ClippedAtOne, ("value-function",)),
    _mutant("pooled-gram", "one Gram matrix for all steps", PooledGram, _DATA),
    _mutant("learns-twice", "Lambda updated twice per step", LearnsTwice, _DATA),
    _mutant("no-ridge", "lambda forgotten", NoRidge, ("gram",)),
    _mutant("reward-forgotten", "regression on V alone", RewardForgotten, ("regression",)),
    _mutant("state-for-successor", "regresses on s_h", StateForSuccessor, ("regression",)),
    _mutant("next-step", "data of the step before", NextStep, ("gram",)),
    _mutant("half-the-data", "every other step forgotten", bugs.every_other("learn"), _DATA),
)
