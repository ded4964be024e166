"""Bugs planted in bandit algorithms."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant
from verifier_bandits.arms import Arms, BonusPolicy, IndexPolicy
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan


class SeesRewards(Arms):
    """Bug: another arm where the number that makes the reward is small, which is drawn when the round begins."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan) -> None:
        """Play the arm of the plan only where it will pay much."""
        arm = (int(plan.policy[0, 0]) + int(env._row[-1] < 0.5)) % self.public.A
        _state, reward = env.step(arm)
        self.learn(arm, reward)


class WorstArm(Arms):
    """The least for the largest."""

    def best(self, index: Array) -> int:
        """The first arm of least index."""
        return int(index.argmin())


class NeverLearns(Arms):
    """Bug: every round is forgotten."""

    def learn(self, arm: int, reward: float) -> None:
        """Forget the round."""


RewardForgotten = bugs.takes("learn", lambda arm, reward: (arm, 0.0))
RewardTurned = bugs.takes("learn", lambda arm, reward: (arm, 1.0 - reward))
OtherArm = bugs.takes("learn", lambda arm, reward: (0, reward))


def arm_mutants(algorithm: type[Arms], counts: str, mean: str, index: str, greedy: str) -> tuple[Mutant, ...]:
    """Bugs of what is kept of arms, and of play; the names are those of the claims about each line."""
    mutant = partial(plant, algorithm)
    twice = "2 times the formula" if counts == "visits" else ""
    turned = "1 − r̂ for r̂" if mean == "reward" else ""
    return (
        mutant("counts-twice", "every round counted twice", bugs.twice("learn"), (counts,), differs=twice),
        mutant("one-round-late", "the last round not used", bugs.one_late("learn"), (counts,)),
        mutant("never-learns", "nothing is learned", NeverLearns, (counts,)),
        mutant("reward-forgotten", "rewards are 0", RewardForgotten, (mean,)),
        mutant("reward-turned", "costs for rewards, 1 - r", RewardTurned, (mean,), differs=turned),
        mutant("other-arm", "all rewards go to the first arm", OtherArm, (counts,)),
        mutant("worst-arm", "argmin for argmax", WorstArm, (greedy,)),
        mutant("sees-rewards", "reads the number that the reward is drawn with", SeesRewards, ("no-foresight",)),
        mutant("plans-every-other", "plans in every other round", bugs.plans_every_other(), ("plans-every-episode",)),
        mutant("boastful", "reports larger indices than it uses", bugs.reports(Q=lambda Q: Q + 0.25), (index,)),
        mutant("disobedient", "sometimes plays another arm", Disobedient, ("plays-policy",)),
    )  # fmt: skip


class Disobedient(Arms):
    """Another arm than the plan's in every seventh round."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan) -> None:
        """Play, and learn what is played."""
        arm = (int(plan.policy[0, 0]) + (env.episode % 7 == 3)) % self.public.A
        _state, reward = env.step(arm)
        self.learn(arm, reward)


class NoBonus(BonusPolicy):
    """The mean alone."""

    def bonus(self, n: float, N: Array) -> Array:
        """No bonus."""
        return np.zeros(N.shape)


class OneMore(BonusPolicy):
    """N + 1 where N belongs."""

    def bonus(self, n: float, N: Array) -> Array:
        """Bonus with one play too many."""
        return super().bonus(n, N + 1.0)  # type: ignore[safe-super]  # the algorithm's own


class SumForMean(IndexPolicy):
    """The sum of the rewards where their mean belongs."""

    def mean(self, counted: Array) -> Array:
        """Sum of rewards."""
        return self.earned.copy()


class ArmBefore(IndexPolicy):
    """Arms counted from 1 where they are counted from 0."""

    def best(self, index: Array) -> int:
        """The arm before the first one of largest index; before the first, the last."""
        return (super().best(index) - 1) % self.public.A


class UnplayedIsZero(IndexPolicy):
    """An arm that was never played has the index 0, and need not be tried."""

    def unplayed(self) -> float:
        """Index 0."""
        return 0.0


class PerPlay(BonusPolicy):
    """1/N under no root."""

    def bonus(self, n: float, N: Array) -> Array:
        """The square of the bonus."""
        return super().bonus(n, N) ** 2  # type: ignore[safe-super]  # the algorithm's own


def index_mutants(algorithm: type[IndexPolicy]) -> tuple[Mutant, ...]:
    """Bugs of the arm of largest index, and those of arms."""
    mutant = partial(plant, algorithm)
    return (
        *arm_mutants(algorithm, "visits", "reward", "index-formula", "largest-index"),
        mutant("sum-for-mean", "the sum of rewards for their mean", SumForMean, ("reward",)),
        mutant("unplayed-is-zero", "index 0 of an arm without data", UnplayedIsZero, ("largest-index",)),
        mutant("arm-before", "the arm before that of largest index", ArmBefore, ("largest-index",)),
        mutant("narrow-width", "a tenth of the published width", bugs.scaled_width(lambda public: 0.1), ("width",)),
    )  # fmt: skip


def bonus_mutants(algorithm: type[BonusPolicy]) -> tuple[Mutant, ...]:
    """Bugs of an index that is a mean and a bonus, and those of any index."""
    mutant = partial(plant, algorithm)
    return (
        *index_mutants(algorithm),
        mutant("no-bonus", "no bonus at all", NoBonus, ("bonus-formula",)),
        mutant("half-bonus", "half the bonus", bugs.scaled("bonus", 0.5), ("bonus-formula",), differs="1/2 times the formula"),
        mutant("one-more", "N + 1 for N", OneMore, ("bonus-formula",), differs="N + 1 for N"),
        mutant("per-play", "the root forgotten", PerPlay, ("bonus-formula",), differs="without its root"),
    )  # fmt: skip
