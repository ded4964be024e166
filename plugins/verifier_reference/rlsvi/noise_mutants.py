"""Bugs in the noise of RLSVI: how large it is, and how it is drawn."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier_reference.rlsvi.algorithm import RLSVI

# The variance of the noise ------------------------------------------------------------------------------------------------


class VisitsAlone(RLSVI):
    """n where n + 1 belongs, but 1 where nothing was seen."""

    def deviation(self, visits: Array) -> Array:
        """sqrt(beta / max(1, n))."""
        return super().deviation(np.maximum(visits, 1.0) - 1.0)


class PerVisit(RLSVI):
    """1/(n + 1) instead of its root."""

    def deviation(self, visits: Array) -> Array:
        """Deviation smaller by another root of n + 1."""
        return super().deviation(visits) / np.sqrt(visits + 1.0)


class SameForAll(RLSVI):
    """Noise that does not fall with the visits."""

    def deviation(self, visits: Array) -> Array:
        """sqrt(beta)."""
        return super().deviation(0.0 * visits)


class VisitsOfStates(RLSVI):
    """n(h,s) where n(h,s,a) belongs."""

    def deviation(self, visits: Array) -> Array:
        """The noise of all actions of a state falls together."""
        return super().deviation(np.broadcast_to(visits.sum(axis=1, keepdims=True), visits.shape))


class VisitsOfAllSteps(RLSVI):
    """n(s,a) where n(h,s,a) belongs."""

    def deviation(self, visits: Array) -> Array:
        """The noise of all steps falls together."""
        return super().deviation(self.visits().sum(axis=0))


class SilentWhereUnseen(RLSVI):
    """Bug: no noise where nothing was seen."""

    def deviation(self, visits: Array) -> Array:
        """0 there."""
        return np.where(visits > 0, super().deviation(visits), 0.0)


class FirstEpisode(RLSVI):
    """The logarithm of the first episode for ever."""

    def episode(self) -> float:
        """Episode 1 for ever."""
        return 1.0


class StepsForEpisodes(RLSVI):
    """The number of steps in the logarithm."""

    def episode(self) -> float:
        """Episode k times H."""
        return super().episode() * self.public.H


class BetaOfPerturbedRewards(RLSVI):
    """H^2, as if rewards alone were off."""

    def beta(self, k: float) -> float:
        """beta / H."""
        return super().beta(k) / self.public.H


class WithoutStates(RLSVI):
    """The S of beta forgotten."""

    def beta(self, k: float) -> float:
        """beta / S."""
        return super().beta(k) / self.public.S


class NoHalf(RLSVI):
    """The factor 1/2 of beta forgotten."""

    def beta(self, k: float) -> float:
        """2 beta."""
        return 2.0 * super().beta(k)


# How the noise is drawn ---------------------------------------------------------------------------------------------------


class NoiseForever(RLSVI):
    """The numbers of the first episode are used again in each one."""

    def noise(self, deviation: Array) -> Array:
        """Noise of the first episode, kept for all."""
        kept: list[Array] = self.__dict__.setdefault("kept", [])
        calls = self.__dict__["calls"] = self.__dict__.get("calls", -1) + 1
        if len(kept) < self.public.H:
            kept.append(super().noise(np.ones_like(deviation)))
        return deviation * kept[calls % self.public.H]


class NoiseTwice(RLSVI):
    """Numbers are used for two episodes."""

    def noise(self, deviation: Array) -> Array:
        """New ones in every other episode."""
        kept: dict[int, Array] = self.__dict__.setdefault("kept", {})
        calls = self.__dict__["calls"] = self.__dict__.get("calls", -1) + 1
        episode, step = divmod(calls, self.public.H)
        if episode % 2 == 0:
            kept[step] = super().noise(np.ones_like(deviation))
        return deviation * kept[step]


class NoiseOfTheEpisode(RLSVI):
    """Bug: one table of numbers for all steps of an episode."""

    def noise(self, deviation: Array) -> Array:
        """Noise drawn at the first call of an episode."""
        calls = self.__dict__["calls"] = self.__dict__.get("calls", -1) + 1
        if calls % self.public.H == 0:
            self.__dict__["kept"] = super().noise(np.ones_like(deviation))
        return np.asarray(deviation * self.__dict__["kept"])


class NoiseOfStates(RLSVI):
    """Bug: one number for all actions of a state, so that the choice is not disturbed."""

    def noise(self, deviation: Array) -> Array:
        """Noise with one number for each state."""
        return deviation * super().noise(np.ones((len(deviation), 1)))


class NoiseOfActions(RLSVI):
    """Bug: one number for each action, the same in all states."""

    def noise(self, deviation: Array) -> Array:
        """Noise with one number for each action."""
        return deviation * super().noise(np.ones((1, deviation.shape[1])))


class OneSided(RLSVI):
    """The absolute value of the noise, so that it is always optimistic."""

    def noise(self, deviation: Array) -> Array:
        """Noise without its sign."""
        return np.abs(super().noise(deviation))


class UniformNoise(RLSVI):
    """Uniform noise of the same variance."""

    def noise(self, deviation: Array) -> Array:
        """Noise in an interval."""
        return math.sqrt(3.0) * deviation * self.rng.uniform(-1.0, 1.0, size=deviation.shape)


class CoinNoise(RLSVI):
    """Coins: one standard deviation up or down."""

    def noise(self, deviation: Array) -> Array:
        """Two values."""
        return deviation * self.rng.choice([-1.0, 1.0], size=deviation.shape)


class NoiseAtFirstStep(RLSVI):
    """Noise at the first step only, where the episode begins."""

    def noise(self, deviation: Array) -> Array:
        """Steps are planned backwards: the last call of an episode."""
        calls = self.__dict__["calls"] = self.__dict__.get("calls", 0) + 1
        return super().noise(deviation if calls % self.public.H == 0 else 0.0 * deviation)


class SilentNoise(RLSVI):
    """Noise is drawn, and reported, and not added."""

    def perturbed(self, mean: Array, noise: Array) -> Array:
        """The mean."""
        return mean


class Subtracted(RLSVI):
    """Noise with the other sign: of the same law, but not what is reported."""

    def perturbed(self, mean: Array, noise: Array) -> Array:
        """The mean minus the noise."""
        return mean - noise


class Clipped(RLSVI):
    """Values cut at H, as where they are known to be at most that."""

    def perturbed(self, mean: Array, noise: Array) -> Array:
        """min(H, mean + noise)."""
        return np.minimum(super().perturbed(mean, noise), float(self.public.H))
