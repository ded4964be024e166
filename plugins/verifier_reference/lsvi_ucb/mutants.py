"""Bugs planted in LSVI-UCB."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.model import bugs
from verifier.model.mutant import plant
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.shared.mutants import planning_mutants


class PooledGram(LSVIUCB):
    """Bug: one Gram matrix for all steps."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """phi phi' added to the matrix of every step."""
        phi = self.public.phi[state * self.public.A + action]
        self.gram += np.outer(phi, phi)
        self.rewards[h] += phi * reward
        self.transitions[h, :, following] += phi


class LearnsTwice(LSVIUCB):
    """Every step added to Lambda twice."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Learn a step, with its Gram matrix once more."""
        super().learn(h, state, action, reward, following)
        phi = self.public.phi[state * self.public.A + action]
        self.gram[h] += np.outer(phi, phi)


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
        """Learn one step late."""
        super().learn((h + 1) % self.public.H, state, action, reward, following)


_mutant = partial(plant, LSVIUCB)
_CHAIN = ("q-formula", "bonus-validity")
_DATA = ("gram", "regression")
MUTANTS = (
    *planning_mutants(LSVIUCB),
    _mutant(
        "quarter-bonus",
        "bonus scaled to a quarter",
        bugs.scaled("norm", 0.25),
        (*_CHAIN, "optimism"),
        differs="with 0.250 times the bonus",
    ),
    _mutant("squared-bonus", "the root of the bonus forgotten", bugs.squared("norm"), _CHAIN, differs="the square of ||phi||"),
    _mutant(
        "gram-for-inverse",
        "Lambda in the bonus instead of its inverse",
        bugs.gram_for_inverse("norm"),
        ("q-formula",),
        differs="with Lambda for its inverse",
    ),
    _mutant("clip-at-one", "V cut at 1", bugs.clipped("value", 1.0), ("value-function",), differs="cut at 1"),
    _mutant("pooled-gram", "one Gram matrix for all steps", PooledGram, _DATA, differs="of all steps"),
    _mutant(
        "narrow-width",
        "beta a hundred times too small",
        bugs.scaled_width(lambda public: 0.01),
        ("width",),
        differs="0.010 times",
    ),
    _mutant("learns-twice", "Lambda updated twice per step", LearnsTwice, _DATA, differs="with 2 times the data"),
    _mutant("no-ridge", "lambda forgotten", bugs.no_ridge(), ("gram",), differs="times lambda"),
    _mutant("reward-forgotten", "regression on V alone", RewardForgotten, ("regression",), differs="without the reward"),
    _mutant("state-for-successor", "regresses on s_h", StateForSuccessor, ("regression",)),
    _mutant("next-step", "data of the step before", NextStep, ("gram",), differs="the formula at step h - 1"),
    _mutant(
        "blind",
        "Q = 0: always the first action",
        bugs.scaled("optimistic", 0.0),
        ("q-formula", "pathwise-regret"),
        differs="0 instead of the formula",
    ),
    _mutant(
        "half-the-data", "every other step forgotten", bugs.every_other("learn"), (*_DATA, "leverage"), differs="without the data"
    ),
)
