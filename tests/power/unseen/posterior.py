"""Bugs of PSRL and of RLSVI, which explore by what they draw."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier_reference.psrl.algorithm import PSRL
from verifier_reference.rlsvi.algorithm import RLSVI
from verifier_settings.episodic import EpisodicPlan

from .bug import Unseen


class PriorTwice(PSRL):
    def sample(self, posterior: Array) -> Array:
        return super().sample(posterior + self.prior())


class DrawsEveryOther(PSRL):
    drawn: Array | None = None

    def sample(self, posterior: Array) -> Array:
        fresh = super().sample(posterior)
        kept, self.drawn = self.drawn, fresh if self.drawn is None else None
        return fresh if kept is None else kept


class RowsByAction(PSRL):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        self.posterior[action * self.public.S + state, following] += 1.0


class CountsTwice(PSRL):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        for _ in range(2):
            super().learn(h, state, action, reward, following)


class VarianceForDeviation(RLSVI):
    def deviation(self, visits: Array) -> Array:
        return self.beta(self.episode()) / (visits + 1.0)


class OneDrawForAllSteps(RLSVI):
    normal: Array

    def plan(self) -> EpisodicPlan:
        self.normal = self.rng.normal(size=(self.public.S, self.public.A))
        return super().plan()

    def noise(self, deviation: Array) -> Array:
        return self.normal * deviation


class UniformNoise(RLSVI):
    def noise(self, deviation: Array) -> Array:
        edge = math.sqrt(3.0) * deviation  # a uniform number on [-edge, edge] has this standard deviation, too
        return self.rng.uniform(-edge, edge)


class KernelOfVisits(RLSVI):
    def kernel(self, visits: Array) -> Array:
        return self.transitions / np.maximum(visits, 1.0)[..., None]


class FirstEpisodeAlways(RLSVI):
    def episode(self) -> float:
        return 1.0


BUGS = (
    Unseen(
        "prior-twice", PriorTwice, ("sample-law",), "law of the kernel drawn",
        "the kernel is drawn from the posterior with the prior added once more, Dirichlet(2 + N)", "random", trials=3,
    ),
    Unseen(
        "draws-every-other", DrawsEveryOther, ("sample-law",), "law of the kernel drawn",
        "a kernel is drawn in every other episode and used in two", "random", trials=3,
    ),
    Unseen(
        "rows-by-action", RowsByAction, ("posterior",), "posterior",
        "state and action are transposed in the row that a transition is added to", "random",
    ),
    Unseen(
        "counts-twice", CountsTwice, ("posterior",), "posterior",
        "every transition is counted twice", "anywhere",
    ),
    Unseen(
        "variance-for-deviation", VarianceForDeviation, ("noise-law",), "standard deviation of the noise",
        "the variance beta/(n + 1) of the noise is used as its standard deviation", "anywhere",
    ),
    Unseen(
        "one-draw-for-all-steps", OneDrawForAllSteps, ("noise-law",), "noise",
        "the noise of a pair is drawn once for all steps, so it is not independent between them", "anywhere", trials=3,
    ),
    Unseen(
        "uniform-noise", UniformNoise, ("noise-law",), "law of the noise",
        "the noise is uniform, with the right variance, and not normal", "anywhere", trials=3,
    ),
    Unseen(
        "kernel-of-visits", KernelOfVisits, ("kernel",), "P-hat",
        "N in place of N + 1 in the empirical kernel", "anywhere",
    ),
    Unseen(
        "first-episode-always", FirstEpisodeAlways, ("noise-law",), "k in the noise",
        "k is 1 in every episode in the logarithm of the noise", "anywhere", trials=3,
    ),
)  # fmt: skip
