"""Bandits of somebody else that draw among arms of equal index: a plan is a law then, and claims are about the arms it takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import verifier

from .held_agents import verdict


class Drawing:
    """UCB1 that draws among the best arms, its index a property."""

    def __init__(self, nbArms: int) -> None:
        self.pulls, self.rewards, self.c = np.zeros(nbArms), np.zeros(nbArms), 1.0

    def of(self, arm: int) -> float:
        """Index of an arm that was played."""
        return float(self.rewards[arm] / self.pulls[arm] + self.c * math.sqrt(2 * math.log(self.pulls.sum()) / self.pulls[arm]))

    @property
    def index(self) -> Any:
        """Indices; infinite of arms that were never played."""
        return np.array([self.of(arm) if self.pulls[arm] else math.inf for arm in range(len(self.pulls))])

    def choice(self) -> int:
        """One of the best arms."""
        index = self.index
        return int(np.random.choice(np.flatnonzero(index == index.max())))  # noqa: NPY002  # as published code does

    def getReward(self, arm: int, reward: float) -> None:
        """Add a reward."""
        self.pulls[arm] += 1
        self.rewards[arm] += reward


def divergence(p: float, q: float) -> float:
    """Bernoulli divergence."""
    p, q = (min(max(each, 1e-15), 1 - 1e-15) for each in (p, q))
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


class DrawingByDivergence(Drawing):
    """KL-UCB that draws among the best arms, its index found by bisection."""

    def of(self, arm: int) -> float:
        """Index of an arm that was played."""
        t, n = self.pulls.sum() + 1, self.pulls[arm]
        mean = low = self.rewards[arm] / n
        level, high = (math.log(t) + 3 * math.log(max(1.0, math.log(t)))) / n, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if divergence(mean, middle) > level else (middle, high)
        return float(low)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("agent", "to"), [(Drawing, "ucb1"), (DrawingByDivergence, "kl-ucb")])
def test_a_bandit_may_draw_among_equal_arms(agent: type[Drawing], to: str) -> None:
    entry = verdict(verifier.hold(agent, to=to, read={"Q": "index"}), ("bandit-ties",), ("published",))
    assert not entry.errors, entry.errors
    told = {claim.name: claim.verdict for claim in entry.claims}
    assert "violated" not in told.values()
    assert told["index-formula"] == told["largest-index"] == told["decisions"] == "conforms"
    assert told["gap-of-played" if to == "ucb1" else "divergence-of-played"] in ("conforms", "vacuous")
