"""Bandits in words of our own that have a bug which was reported, and those without it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from verifier_bandits.arms import Arms
from verifier_settings.episodic import EpisodicPlan, Public


class UCB1:
    """UCB1: each arm once, then the arm whose mean and bonus are largest."""

    def __init__(self, A: int) -> None:
        self.N, self.earned, self.c = np.zeros(A), np.zeros(A), 1.0
        self.means, self.bonuses, self.index = np.zeros(A), np.zeros(A), np.zeros(A)

    def act(self, h: int, s: int) -> int:
        """The arm of largest index."""
        n, played, N = max(self.N.sum(), 1.0), self.N > 0, np.maximum(self.N, 1.0)
        self.means = self.mean(n, N)
        self.bonuses = np.where(played, self.c * self.bonus(n, N), 0.0)
        self.index = self.indices(np.where(played, self.means + self.bonuses, self.unplayed()))
        return int(self.index.argmax())

    def mean(self, n: float, N: Any) -> Any:
        """What an arm has paid, over its plays."""
        return self.earned / N

    def bonus(self, n: float, N: Any) -> Any:
        """sqrt(2 ln n / N)."""
        return np.sqrt(2 * np.log(n) / N)

    def indices(self, fresh: Any) -> Any:
        """Indices that are played by, of those that the counts give now."""
        return fresh

    def unplayed(self) -> float:
        """Index of an arm that was never played."""
        return float("inf")

    def update(self, a: int, r: float) -> None:
        """Count, and add."""
        self.N[a] += 1
        self.earned[a] += r


class CountsSwapped(UCB1):
    """Plays of the arm for rounds, and rounds for plays."""

    def bonus(self, n: float, N: Any) -> Any:
        """sqrt(2 ln N / n)."""
        return np.sqrt(2 * np.log(N) / n)


class OwnPlaysInLog(UCB1):
    """Plays of the arm for rounds."""

    def bonus(self, n: float, N: Any) -> Any:
        """sqrt(2 ln N / N)."""
        return np.sqrt(2 * np.log(N) / N)


class QuotientInLog(UCB1):
    """The logarithm of the quotient."""

    def bonus(self, n: float, N: Any) -> Any:
        """sqrt(2 ln(n / N))."""
        return np.sqrt(2 * np.log(n / N))


class TwoInLog(UCB1):
    """The 2 under the logarithm."""

    def bonus(self, n: float, N: Any) -> Any:
        """sqrt(ln(2n) / N)."""
        return np.sqrt(np.log(2 * n) / N)


class RoundsInMean(UCB1):
    """Rounds for the plays of the arm in its mean."""

    def mean(self, n: float, N: Any) -> Any:
        """What an arm has paid, over the rounds."""
        return self.earned / n


class DividedTwice(UCB1):
    """A mean is kept where the sum of rewards belongs, and divided once more."""

    def mean(self, n: float, N: Any) -> Any:
        """The mean of an arm over its plays."""
        return self.earned / N / N


class UnplayedIsZero(UCB1):
    """An arm that was never played has the index 0."""

    def unplayed(self) -> float:
        """Index 0."""
        return 0.0


class OldIndices(UCB1):
    """The index of an arm is renewed when the arm was played, and not by rounds of others."""

    last = -1

    def indices(self, fresh: Any) -> Any:
        """The index of the arm that was played last is new."""
        return np.where((np.arange(len(fresh)) == self.last) | (self.N == 0), fresh, self.index)

    def update(self, a: int, r: float) -> None:
        """Remember which arm it was."""
        super().update(a, r)
        self.last = a


class FirstPlayUncounted(UCB1):
    """The play of an arm that was never played is not counted."""

    def update(self, a: int, r: float) -> None:
        """Count from the second play on, which never comes."""
        self.N[a] += self.N[a] > 0
        self.earned[a] += r

    def unplayed(self) -> float:
        """A finite number, so that the index can be read where the arm was played and not counted."""
        return 99.0


class Thompson(Arms):
    """Thompson sampling with the Beta posterior of coins."""

    name: ClassVar[str] = "after-thompson"
    title: ClassVar[str] = "Thompson sampling"
    paper: ClassVar[str] = "Analysis of Thompson Sampling for the Multi-armed Bandit Problem (COLT 2012)"
    regimes: ClassVar[tuple[str, ...]] = ("published",)
    extra: ClassVar[dict[str, tuple[int | str, ...]]] = {"alpha": ("A",), "beta_s": ("A",)}
    yields: ClassVar[frozenset[str]] = frozenset({"Q"})
    width_names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """None is asked for."""
        return 0.0

    def failures(self) -> Any:
        """Plays that paid nothing."""
        return self.visits - self.earned

    def plan(self) -> EpisodicPlan:
        """A draw for each arm."""
        alpha, beta = self.earned + 1.0, self.failures() + 1.0
        drawn = self.rng.beta(alpha, beta)
        V, policy = np.array([[drawn.max()], [0.0]]), np.array([[drawn.argmax()]])
        return EpisodicPlan(Q=drawn[None, None], V=V, policy=policy, extra={"alpha": alpha, "beta_s": beta})


class PlaysForFailures(Thompson):
    """Every play counts as a failure."""

    name: ClassVar[str] = "before-647"

    def failures(self) -> Any:
        """All plays."""
        return self.visits


class NoFailures(Thompson):
    """No play counts as a failure."""

    name: ClassVar[str] = "before-10a89b7"

    def failures(self) -> Any:
        """None."""
        return np.zeros(self.public.A)
