"""Sentences on mistakes that somebody from outside made, of which nothing was told when they were first tried."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.power.unseen.bug import Unseen
from tests.power.unseen.bugs import run
from verifier import Algorithm
from verifier.base.arrays import Array
from verifier_bandits.oful.algorithm import OFUL
from verifier_bandits.thompson.algorithm import ThompsonSampling
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_reference.ucb_bernstein.algorithm import BernsteinQLearning
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning


class RateOfEpisode(HoeffdingQLearning):
    """The number of the episode is the t of the learning rate."""

    episodes = 0

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        self.episodes += h == 0
        super().learn(h, state, action, reward, following)

    def rate(self, t: float) -> float:
        return float(super().rate(float(self.episodes)))


class ValueBeforeUpdate(HoeffdingQLearning):
    """V is set from Q before Q is updated."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        before = self.value(self.Q[h, state])
        super().learn(h, state, action, reward, following)
        self.V[h, state] = before


class ValueOfPlayed(HoeffdingQLearning):
    """V is the value of the action that was played, not the largest one."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        super().learn(h, state, action, reward, following)
        self.V[h, state] = self.value(self.Q[h, state, action : action + 1])


class KeepsOldValue(HoeffdingQLearning):
    """The old value keeps the weight 1."""

    def moved(self, Q: float, rate: float, target: float) -> float:
        return Q + rate * target


class SumsOfState(BernsteinQLearning):
    """The sums of values are those of all actions of the state."""

    def add(self, at: Any, value: float) -> None:
        self.sums[at[0], at[1]] += value
        self.squares[at[0], at[1]] += value**2


class CreditsArmBefore(ThompsonSampling):
    """What a round paid is counted for the arm of the round before."""

    before: int | None = None

    def learn(self, arm: int, reward: float) -> None:
        super().learn(arm if self.before is None else self.before, reward)
        self.before = arm


class StaleInverse(OFUL):
    """The estimate has the inverse of the round before."""

    before: Array | None = None

    def estimate(self, inverse: Array) -> Array:
        used, self.before = (inverse if self.before is None else self.before), inverse
        return np.asarray(used @ self.moment)


class WholeQuotient(RFUCRL):
    """A division of integers within the threshold."""

    def states(self, n: Array) -> Array:
        others = self.public.S - 1
        return np.asarray(others * np.log(math.e * (1 + n // max(others, 1))))


class ValuesOfEpochBefore(MixtureRaviUCB):
    """The targets of the regression are values of the epoch before."""

    before: Array | None = None

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        used, self.before = (V if self.before is None else self.before), V
        met = self.phi[rows]
        self.gram = self.gram + met.T @ met
        self.moment = self.moment + used[successors] @ met


BUGS: dict[str, tuple[type[Algorithm], str, str, str]] = {
    "k for t in α.": (RateOfEpisode, "learning-rate", "random", "scaled(0.03)"),
    "max_a Q_h before the last update for max_a Q_h.": (ValueBeforeUpdate, "value-function", "random", "scaled(0.03)"),
    "Q_h of the action that was updated last for max_a Q_h.": (ValueOfPlayed, "value-function", "random", "scaled(0.03)"),
    "1 for 1 − α.": (KeepsOldValue, "q-formula", "random", "scaled(0.03)"),
    "the formula with the sums of the state.": (SumsOfState, "variance", "random", "scaled(1e-06)"),
    "Σr with a_{k−1} for a_k.": (CreditsArmBefore, "successes", "bandit-two", "published"),
    "with Λ_h of the plan before.": (StaleInverse, "regression", "linear-bandit-random", "published"),
    "⌊1 + N_h / max(S − 1, 1)⌋ for 1 + N_h / max(S − 1, 1) in β.": (WholeQuotient, "bonus-formula", "random", "published"),
    "with V_{k−1} for V_k.": (ValuesOfEpochBefore, "regression", "mixture-base", "published"),
}
"""What is told: of which algorithm and claim, and on which instance in which regime."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("told", BUGS)
def test_the_cause_is_told(told: str) -> None:
    algorithm, line, instance, regime = BUGS[told]
    entry = run(Unseen("later", algorithm, (line,), "", "", instance, regime))
    assert not entry.errors
    assert line in entry.first_broken
    (broken,) = (claim for claim in entry.claims if claim.name == line)
    assert broken.difference.endswith(told)
