"""Bugs planted in UCBVI-BF."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier.model.mutant import plant
from verifier_reference.shared.ucbvi_mutants import ucbvi_mutants
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI


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
        """Zeros in place of the correction."""
        return np.zeros(visits.shape)


class SmallTermForgotten(BernsteinUCBVI):
    """The term of order 1/N forgotten."""

    def small(self, visits: Array) -> Array:
        """Zeros in place of the term of lower order."""
        return np.zeros(visits.shape)


class ArrivalsOfThisStep(BernsteinUCBVI):
    """N'_h(y) where N'_{h+1}(y) belongs."""

    def correction(self, h: int, visits: Array, kernel: Array) -> Array:
        """The counts of the step before."""
        return super().correction(h - 1, visits, kernel)


MUTANTS = (
    *ucbvi_mutants(BernsteinUCBVI),
    plant(BernsteinUCBVI, "episodes-in-log", "K for T in the logarithm", EpisodesInLog, ("bonus-formula",)),
    plant(BernsteinUCBVI, "variance-of-this-step", "variance of V_h", VarianceOfThisStep, ("bonus-formula",)),
    plant(BernsteinUCBVI, "deviation-for-variance", "the root taken twice", DeviationForVariance, ("bonus-formula",)),
    plant(BernsteinUCBVI, "no-correction", "the third term forgotten", NoCorrection, ("bonus-formula",)),
    plant(BernsteinUCBVI, "no-small-term", "the term of order 1/N forgotten", SmallTermForgotten, ("bonus-formula",)),
    plant(BernsteinUCBVI, "arrivals-of-this-step", "N' of the step before", ArrivalsOfThisStep, (),
        equivalent="the minimum is H^2 until N' exceeds 100^2 H S^2 A L^2, which is above a million visits for any sizes"),
)  # fmt: skip
