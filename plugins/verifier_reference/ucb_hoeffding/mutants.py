"""Bugs planted in Q-learning with UCB-Hoeffding."""

from __future__ import annotations

import math
from functools import partial

from verifier.model.mutant import plant, telling
from verifier_reference.q_learning import At
from verifier_reference.shared.q_learning_mutants import q_learning_mutants
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_settings.episodic import Public


class BonusOfVisit(HoeffdingQLearning):
    """width / t where width / sqrt(t) belongs."""

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """The square root forgotten."""
        return width / t


class BonusOneLate(HoeffdingQLearning):
    """width / sqrt(t + 1)."""

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """Bonus with one visit too many."""
        return super().bonus(at, t + 1.0, value, width)


class RewardedLength(HoeffdingQLearning):
    """H^2 iota where H^3 iota belongs: the bonus of a bandit whose rewards are returns."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """c H sqrt(iota)."""
        return super().published_width(public, of) / math.sqrt(public.H)


_mutant = partial(plant, HoeffdingQLearning)
_BONUS = ("bonus-formula", "q-formula")
DIFFERS = {
    "half-bonus": "1/2 times the formula",
    "bonus-of-visit": "t without its root",
    "bonus-one-late": "t + 1 for t",
    "width-of-bandits": "2 for 3",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *q_learning_mutants(HoeffdingQLearning),
        _mutant("bonus-of-visit", "width/t", BonusOfVisit, _BONUS),
        _mutant("bonus-one-late", "width/sqrt(t+1)", BonusOneLate, _BONUS),
        _mutant("width-of-bandits", "H^2 for H^3 in the width", RewardedLength, ("width",)),
    ),
    DIFFERS,
)
