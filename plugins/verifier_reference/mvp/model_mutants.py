"""Bugs in the model of MVP: what is counted, when the model of a pair changes, and its rewards."""

from __future__ import annotations

import math

import numpy as np

from verifier_reference.mvp.algorithm import MVP, Pair
from verifier_settings.episodic import EpisodicPlan


class FirstStepOnly(MVP):
    """Only the first step of an episode counted."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """The others forgotten."""
        if h == 0:
            super().learn(h, state, action, reward, following)


class ForgetsLastStep(MVP):
    """The last step of an episode not counted, as where `done` breaks the loop too early."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Learn all steps but the last."""
        if h < self.public.H - 1:
            super().learn(h, state, action, reward, following)


class StateForSuccessor(MVP):
    """s_h counted where s_{h+1} belongs."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Transitions to where they come from."""
        super().learn(h, state, action, reward, state)


class UniformPrior(MVP):
    """Phat smoothed by one uniform phantom visit."""

    def update(self, at: Pair, count: float) -> None:
        """Update by (N(y) + 1/S) / (N + 1)."""
        super().update(at, count)
        self.kernel[at] = (self.counts[at] + 1.0 / self.public.S) / (count + 1.0)


class NotFrozen(MVP):
    """Plans made with Phat of all visits, while n is that of the last power of two."""

    def plan(self) -> EpisodicPlan:
        """The kernel as it is now."""
        self.kernel = self.counts / np.maximum(self.counts.sum(axis=2, keepdims=True), 1.0)
        return super().plan()


class CountsNotFrozen(MVP):
    """N where n belongs, in plans that come when they should."""

    def plan(self) -> EpisodicPlan:
        """The visits as they are now."""
        self.visits = self.counts.sum(axis=2)
        return super().plan()


class RecentOnly(MVP):
    """Phat of the visits since the update before, like the rewards."""

    def update(self, at: Pair, count: float) -> None:
        """N(.) of the later half."""
        known = self.__dict__.setdefault("known", np.zeros_like(self.counts))
        super().update(at, count)
        self.kernel[at] = (self.counts[at] - known[at]) / self.recent(count)
        known[at] = self.counts[at]


class UpdatesAlways(MVP):
    """The model changes at every visit."""

    def triggers(self, count: float) -> bool:
        """Whether a count changes the model: any does."""
        return True

    def recent(self, count: float) -> float:
        """The last reward."""
        return 1.0


class Triples(MVP):
    """Powers of three."""

    def triggers(self, count: float) -> bool:
        """Whether a count is 1, 3, 9, ..."""
        return round(3 ** round(math.log(count, 3))) == count


class TriggersLate(MVP):
    """The model changes one visit late."""

    def triggers(self, count: float) -> bool:
        """Whether a count is 2, 3, 5, 9, ..."""
        return count > 1 and super().triggers(count - 1.0)


class NeverAgain(MVP):
    """The model of a pair changes at its first visit only."""

    def triggers(self, count: float) -> bool:
        """Whether a count is 1."""
        return count == 1.0


class UpdatesTogether(MVP):
    """The models of all pairs change when that of any does."""

    def update(self, at: Pair, count: float) -> None:
        """Counts of all."""
        super().update(at, count)
        self.visits = self.counts.sum(axis=2)
        self.kernel = self.counts / np.maximum(self.visits, 1.0)[:, :, None]


class PlansAlways(MVP):
    """A plan in every episode, though the model is the same."""

    def due(self) -> bool:
        """Whether a plan is due: always."""
        return True


class RewardsNotReset(MVP):
    """theta not set to 0 after an update."""

    def update(self, at: Pair, count: float) -> None:
        """Rewards since the beginning, divided by N/2."""
        sums = self.sums[at]
        super().update(at, count)
        self.sums[at] = sums


class RewardsNotHalved(MVP):
    """theta / N where 2 theta / N belongs."""

    def recent(self, count: float) -> float:
        """Number of visits in the mean: all of them."""
        return count


class RewardsNotDivided(MVP):
    """theta where 2 theta / N belongs."""

    def recent(self, count: float) -> float:
        """The sum."""
        return 1.0


class RewardsForgotten(MVP):
    """theta set to 0 before it is used."""

    def update(self, at: Pair, count: float) -> None:
        """rhat = 0."""
        self.sums[at] = 0.0
        super().update(at, count)


class RewardsOfAll(MVP):
    """The mean of all rewards, which is a legal estimate and not the one of the algorithm."""

    def update(self, at: Pair, count: float) -> None:
        """Sums kept, and divided by N."""
        sums = self.sums[at]
        super().update(at, count)
        self.reward[at] = sums / count
        self.sums[at] = sums
