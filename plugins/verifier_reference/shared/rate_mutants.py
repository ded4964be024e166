"""Bugs in the learning rate of Q-learning, and in the counts that it depends on."""

from __future__ import annotations

from verifier_reference.q_learning import At, QLearning


class AverageRate(QLearning):
    """1/t: the mean of all targets, old ones included, as in textbooks."""

    def rate(self, t: float) -> float:
        """Learning rate 1/t."""
        return 1.0 / t


class RateWithoutH(QLearning):
    """2/(1 + t): the rate of another horizon."""

    def rate(self, t: float) -> float:
        """Learning rate for H = 1."""
        return 2.0 / (1.0 + t)


class FixedRate(QLearning):
    """A rate that never falls, as in deep Q-learning; the first update overwrites."""

    def rate(self, t: float) -> float:
        """Learning rate 1/2, after the first."""
        return 1.0 if t == 1.0 else 0.5


class RateOffByOne(QLearning):
    """(H + 1) / (H + t + 1): the count one too high."""

    def rate(self, t: float) -> float:
        """The initial value H is never overwritten."""
        return super().rate(t + 1.0)


class PooledCounts(QLearning):
    """N(x,a) over all steps."""

    def count(self, at: At) -> float:
        """The counts of the pair at every step grow together."""
        self.visits[:, at[1], at[2]] += 1.0
        return float(self.visits[at])


class CountsStates(QLearning):
    """N_h(x), whatever the action."""

    def count(self, at: At) -> float:
        """The counts of all actions grow together."""
        self.visits[at[0], at[1]] += 1.0
        return float(self.visits[at])


class SeenOrNot(QLearning):
    """A flag where a counter belongs: every update is a first one, and overwrites."""

    def count(self, at: At) -> float:
        """Count 1 at every visit."""
        self.visits[at] = 1.0
        return 1.0
