"""Bugs planted in UCB1."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model.mutant import plant
from verifier_bandits.shared.mutants import bonus_mutants
from verifier_bandits.ucb1.algorithm import UCB1


class OneForTwo(UCB1):
    """ln n / N under the root, the 2 forgotten."""

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(ln n / N)."""
        return np.sqrt(np.log(n) / N)


class CommonLog(UCB1):
    """The logarithm to the base 10."""

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(2 lg n / N)."""
        return np.sqrt(2 * np.log10(n) / N)


class NoLogarithm(UCB1):
    """The rounds themselves where their logarithm belongs: arms that lose are played for ever."""

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(2 n / N)."""
        return np.sqrt(2 * n / N)


class CountsSwapped(UCB1):
    """The rounds and the plays of the arm change places."""

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(2 ln N / n)."""
        return np.sqrt(2 * np.log(N) / n)


class Horizon(UCB1):
    """The logarithm of all rounds to come."""

    def bonus(self, n: float, N: Array) -> Array:
        """sqrt(2 ln K / N)."""
        return super().bonus(float(self.public.K), N)


_mutant = partial(plant, UCB1)
MUTANTS = (
    *bonus_mutants(UCB1),
    _mutant("one-for-two", "the 2 under the root forgotten", OneForTwo, ("bonus-formula",), differs="1 for 2"),
    _mutant("common-log", "lg for ln", CommonLog, ("bonus-formula",), differs="1/ln 10 times"),
    _mutant("no-logarithm", "n for ln n", NoLogarithm, ("bonus-formula",)),
    _mutant("counts-swapped", "n and N change places", CountsSwapped, ("bonus-formula", "bonus-validity")),
    _mutant("horizon", "ln K for ln n", Horizon, ("bonus-formula",), differs="K for n"),
)
