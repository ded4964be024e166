"""Bugs planted in UCBVI with either bonus."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant
from verifier_reference.shared.mutants import planning_mutants
from verifier_reference.ucbvi import UCBVI


class WithoutH(UCBVI):
    """The bonus not scaled by H."""

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """Smaller by the factor H."""
        return super().bonus(h, visits, kernel, following) / self.public.H  # type: ignore[safe-super]  # the algorithm's own


class OffByOne(UCBVI):
    """N + 1 where N belongs."""

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """One visit too many."""
        return super().bonus(h, visits + 1.0, kernel, following)  # type: ignore[safe-super]  # the algorithm's own


class PerVisit(UCBVI):
    """1/N where 1/sqrt(N) belongs."""

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """The square root forgotten."""
        return super().bonus(h, visits**2, kernel, following)  # type: ignore[safe-super]  # the algorithm's own


class ForgetsPrevious(UCBVI):
    """min(H, mean + bonus), without the plan before."""

    def optimistic(self, h: int, mean: Array, bonus: Array) -> Array:
        """Not monotone."""
        return np.minimum(float(self.public.H), mean + bonus)


class UnseenIsZero(UCBVI):
    """Q = 0 where nothing was seen."""

    def unseen(self) -> float:
        """As arrays are made."""
        return 0.0


class Greedy(UnseenIsZero):
    """No optimism at all: the mean of the model, and 0 where nothing was seen.

    Without a bonus alone every pair is still tried once, since Q = H where nothing was seen.
    """

    def optimistic(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(H, mean)."""
        return np.minimum(float(self.public.H), mean)


class FirstStepOnly(UCBVI):
    """Counts of the first step only, as if every step had its own kernel and this were the one."""

    def learn(self, states: list[int], actions: list[int]) -> None:
        """Count one transition of the episode."""
        super().learn(states[:2], actions[:1])


class ForgetsLastStep(UCBVI):
    """The last transition of an episode not counted, as where `done` breaks the loop too early."""

    def learn(self, states: list[int], actions: list[int]) -> None:
        """All but the last."""
        super().learn(states[:-1], actions[:-1])


class StateForSuccessor(UCBVI):
    """s_h counted where s_{h+1} belongs."""

    def learn(self, states: list[int], actions: list[int]) -> None:
        """Transitions to where they come from."""
        np.add.at(self.transitions, (states[:-1], actions, states[:-1]), 1.0)
        self.arrivals[np.arange(len(states)), states] += 1.0


class UniformPrior(UCBVI):
    """Phat smoothed by one uniform phantom visit."""

    def kernel(self, visits: Array) -> Array:
        """(N(y) + 1/S) / (N + 1)."""
        return (self.transitions + 1.0 / self.public.S) / (visits + 1.0)[:, :, None]


def ucbvi_mutants(algorithm: type[UCBVI]) -> tuple[Mutant, ...]:
    """These bugs, and those of planning, planted in an algorithm."""
    mutant = partial(plant, algorithm)
    formula, counts = ("bonus-formula", "q-formula"), ("visits", "q-formula")
    return (
        *planning_mutants(algorithm),
        mutant(
            "without-h", "the bonus not scaled by H", WithoutH, (*formula, "bonus-validity"), differs="0.250 times the formula"
        ),
        mutant("off-by-one", "N + 1 in the bonus", OffByOne, (*formula, "bonus-validity"), differs="with N + 1 for N"),
        mutant("per-visit", "1/N instead of 1/sqrt(N)", PerVisit, (*formula, "bonus-validity"), differs="with 1/N for its root"),
        mutant(
            "narrow-bonus",
            "the bonus divided by 2000",
            bugs.scaled_width(lambda public: 1 / 2000),
            ("width", "coverage"),
            differs="0.0005 times",
        ),
        mutant(
            "forgets-previous",
            "no minimum with the plan before",
            ForgetsPrevious,
            ("q-formula", "monotone"),
            differs="without the plan before",
        ),
        mutant(
            "unseen-is-zero",
            "Q = 0 where nothing was seen",
            UnseenIsZero,
            ("q-formula", "optimism"),
            differs="0 instead of the formula",
        ),
        mutant(
            "greedy",
            "no bonus, and Q = 0 where nothing was seen",
            Greedy,
            ("q-formula", "optimism"),
            differs="the mean alone, and 0 where nothing was seen",
        ),
        mutant("first-step-only", "counts of the first step only", FirstStepOnly, counts, differs="the visits of the first step"),
        mutant(
            "counts-twice",
            "every episode counted twice",
            bugs.twice("learn"),
            ("visits", "bonus-formula"),
            differs="2 times the formula",
        ),
        mutant(
            "forgets-last-step",
            "the last transition not counted",
            ForgetsLastStep,
            counts,
            differs="without those of the last step",
        ),
        mutant(
            "state-for-successor",
            "s_h counted for s_{h+1}",
            StateForSuccessor,
            ("kernel", "q-formula"),
            differs="of the states that are left",
        ),
        mutant(
            "one-episode-late",
            "the last episode not used",
            bugs.one_late("learn"),
            counts,
            differs="the formula at the previous plan",
        ),
        mutant("uniform-prior", "Phat smoothed", UniformPrior, ("kernel", "q-formula"), differs="smoothed by one uniform visit"),
    )
