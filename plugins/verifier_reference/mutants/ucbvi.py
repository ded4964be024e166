"""Bugs planted in UCBVI."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model.mutant import Mutant, plant
from verifier.model.width import Width
from verifier.settings.episodic import Public
from verifier_reference.mutants.planning import planning_mutants
from verifier_reference.ucbvi import UCBVI, BernsteinUCBVI, HoeffdingUCBVI

# The bonus --------------------------------------------------------------------------------------------------------------


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


class WrongLog(HoeffdingUCBVI):
    """ln(SAT/delta), the 5 of the union bound forgotten."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """7 H ln(SAT/delta)."""
        return 7 * public.H * math.log(public.S * public.A * public.T / public.delta)


class EpisodesInLog(BernsteinUCBVI):
    """K where T = KH belongs."""

    @property
    def L(self) -> float:
        """ln(5 S A K / delta)."""
        return math.log(5 * self.public.S * self.public.A * self.public.K / self.public.delta)


class VarianceOfThisStep(BernsteinUCBVI):
    """The variance of V_h of the plan before where V_{h+1} belongs."""

    def bonus(self, h: int, visits: Array, kernel: Array, following: Array) -> Array:
        """The bonus of other values."""
        return super().bonus(h, visits, kernel, self.Q[h].max(axis=1))


class DeviationForVariance(BernsteinUCBVI):
    """The standard deviation under the root."""

    def spread(self, visits: Array, kernel: Array, following: Array) -> Array:
        """The root of the root."""
        variance = np.maximum(kernel @ following**2 - (kernel @ following) ** 2, 0.0)
        return np.sqrt(8 * self.L * np.sqrt(variance) / visits)


class NoCorrection(BernsteinUCBVI):
    """The third term forgotten: the bonus of the textbooks."""

    def correction(self, h: int, visits: Array, kernel: Array) -> Array:
        """Nothing."""
        return np.zeros(visits.shape)


class SmallTermForgotten(BernsteinUCBVI):
    """The term of order 1/N forgotten."""

    def small(self, visits: Array) -> Array:
        """Nothing."""
        return np.zeros(visits.shape)


# Planning -----------------------------------------------------------------------------------------------------------------


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


# Counts -------------------------------------------------------------------------------------------------------------------


class FirstStepOnly(UCBVI):
    """Counts of the first step only, as if every step had its own kernel and this were the one."""

    def learn(self, states: list[int], actions: list[int]) -> None:
        """Count one transition of the episode."""
        super().learn(states[:2], actions[:1])


class CountsTwice(UCBVI):
    """Every episode counted twice."""

    def learn(self, states: list[int], actions: list[int]) -> None:
        """Once more."""
        super().learn(states, actions)
        super().learn(states, actions)


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


class OneEpisodeLate(UCBVI):
    """Plans without the data of the episode just played."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.kept: tuple[list[int], list[int]] | None = None

    def learn(self, states: list[int], actions: list[int]) -> None:
        """Count the episode before."""
        if self.kept is not None:
            super().learn(*self.kept)
        self.kept = states, actions


class UniformPrior(UCBVI):
    """Phat smoothed by one uniform phantom visit."""

    def kernel(self, visits: Array) -> Array:
        """(N(y) + 1/S) / (N + 1)."""
        return (self.transitions + 1.0 / self.public.S) / (visits + 1.0)[:, :, None]


class ArrivalsOfThisStep(BernsteinUCBVI):
    """N'_h(y) where N'_{h+1}(y) belongs."""

    def correction(self, h: int, visits: Array, kernel: Array) -> Array:
        """The counts of the step before."""
        return super().correction(h - 1, visits, kernel)


def _mutants(algorithm: type[UCBVI]) -> tuple[Mutant, ...]:
    mutant = partial(plant, algorithm)
    formula, counts = ("bonus-formula", "q-formula"), ("visits", "q-formula")
    return (
        *planning_mutants(algorithm),
        mutant("without-h", "the bonus not scaled by H", WithoutH, (*formula, "bonus-validity")),
        mutant("off-by-one", "N + 1 in the bonus", OffByOne, (*formula, "bonus-validity")),
        mutant("per-visit", "1/N instead of 1/sqrt(N)", PerVisit, (*formula, "bonus-validity")),
        mutant("forgets-previous", "no minimum with the plan before", ForgetsPrevious, ("monotone", "q-formula")),
        mutant("unseen-is-zero", "Q = 0 where nothing was seen", UnseenIsZero, ("q-formula", "optimism")),
        mutant("greedy", "no bonus, and Q = 0 where nothing was seen", Greedy, ("q-formula", "optimism")),
        mutant("first-step-only", "counts of the first step only", FirstStepOnly, counts),
        mutant("counts-twice", "every episode counted twice", CountsTwice, ("visits", "bonus-formula")),
        mutant("forgets-last-step", "the last transition not counted", ForgetsLastStep, counts),
        mutant("state-for-successor", "s_h counted for s_{h+1}", StateForSuccessor, ("kernel", "q-formula")),
        mutant("one-episode-late", "the last episode not used", OneEpisodeLate, counts),
        mutant("uniform-prior", "Phat smoothed", UniformPrior, ("kernel", "q-formula")),
    )


HOEFFDING_MUTANTS = (
    *_mutants(HoeffdingUCBVI),
    plant(HoeffdingUCBVI, "wrong-log", "the 5 in the logarithm forgotten", WrongLog, ("width",)),
)
BERNSTEIN_MUTANTS = (
    *_mutants(BernsteinUCBVI),
    plant(BernsteinUCBVI, "episodes-in-log", "K for T in the logarithm", EpisodesInLog, ("bonus-formula",)),
    plant(BernsteinUCBVI, "variance-of-this-step", "variance of V_h", VarianceOfThisStep, ("bonus-formula",)),
    plant(BernsteinUCBVI, "deviation-for-variance", "the root taken twice", DeviationForVariance, ("bonus-formula",)),
    plant(BernsteinUCBVI, "no-correction", "the third term forgotten", NoCorrection, ("bonus-formula",)),
    plant(BernsteinUCBVI, "no-small-term", "the term of order 1/N forgotten", SmallTermForgotten, ("bonus-formula",)),
    plant(
        BernsteinUCBVI,
        "arrivals-of-this-step",
        "N' of the step before",
        ArrivalsOfThisStep,
        (),
        equivalent="the minimum is H^2 until N' exceeds 100^2 H S^2 A L^2, which is above a million visits for any sizes",
    ),
)
