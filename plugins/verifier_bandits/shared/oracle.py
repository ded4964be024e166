"""Error of the means of arms, which widths are made of in the oracle regime."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from verifier import Oracle
from verifier.base.arrays import Array
from verifier_settings.sessions import oracle_width


class Tallies(Oracle):
    """Oracle of a bandit, which counts the plays and adds the rewards of each arm."""

    def tallies(self) -> tuple[Array, Array]:
        """Plays and sum of rewards of each arm, so far."""
        done, A = self.transcript.episodes, self.instance.public.A
        arms, rewards = self.transcript.actions[:done, 0], self.transcript.rewards[:done, 0]
        return np.bincount(arms, minlength=A), np.bincount(arms, weights=rewards, minlength=A)


class MeanError(Tallies):
    """Least factor of the bonuses that covers the errors of the means of all arms played; subclasses have the bonus."""

    def error(self, step: int, target: Array) -> Array:
        """Mean minus truth of each arm; 0 of one that was never played."""
        plays, earned = self.tallies()
        return np.where(plays > 0, earned / np.maximum(plays, 1) - self.instance.truth.reward, 0.0)

    def width(self, step: int, target: Array) -> float:
        """Largest ratio of an error to the bonus; an arm whose bonus is 0 is covered by none."""
        plays, _earned = self.tallies()
        unit = self.bonus(max(float(plays.sum()), 1.0), np.maximum(plays, 1.0))
        errors = np.abs(self.error(step, target))
        return oracle_width(float(np.max(errors / np.where(unit > 0, unit, np.inf))))

    @abstractmethod
    def bonus(self, n: float, N: Array) -> Array:
        """The bonus of each arm after n rounds."""
