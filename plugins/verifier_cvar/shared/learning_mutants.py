"""Bugs in the learned model, its covariance and its bonus."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, telling
from verifier.model.width import Width
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.shared import constants
from verifier_settings.cvar import CVaREnvironment, Public

# Maximum likelihood -------------------------------------------------------------------------------------------------


class OneSetOnly(ELA):
    """Learns from one of the two data sets."""

    data: ClassVar[str]

    def learn(self, env: CVaREnvironment, h: int) -> int:
        """The maximum likelihood model on D_h, or on D~_h."""
        return env.mle(h, getattr(self, self.data)[h])


class SmoothedData(ELA):
    """Every transition has been seen once more, spread over all states, before it is counted."""

    def learn(self, env: CVaREnvironment, h: int) -> int:
        """The maximum likelihood model of counts plus 1/S."""
        return env.mle(h, self.D[h] + self.Dt[h] + 1.0 / self.public.S)


class FirstStepData(ELA):
    """Bug: one call for all steps, each of which gets the model that is likely at the first."""

    def learn(self, env: CVaREnvironment, h: int) -> int:
        """The model of step 1."""
        return super().learn(env, 0)


class StaleModel(ELA):
    """Uses the model of the iteration before."""

    def learn(self, env: CVaREnvironment, h: int) -> int:
        """The last but one maximum likelihood model of the step."""
        kept = self.__dict__.setdefault("kept", {})
        new = super().learn(env, h)
        old, kept[h] = kept.get(h, new), new
        return int(old)


class LearnsSeldom(ELA):
    """Learns every other time and keeps the model otherwise."""

    def learn(self, env: CVaREnvironment, h: int) -> int:
        """Line 11, or the model at hand."""
        kept = self.__dict__.setdefault("kept", {})
        kept[h] = super().learn(env, h) if h not in kept or self.D[h].sum() % 2 else kept[h]
        return int(kept[h])


# The covariance -----------------------------------------------------------------------------------------------------


class OtherVisits(ELA):
    """Sums phi phi' over the wrong data."""

    own: ClassVar[float]
    second: ClassVar[float]

    def covariance(self, phi: Array, h: int) -> Array:
        """Sigma-hat of own D + second D~."""
        visits = (self.own * self.D[h] + self.second * self.Dt[h]).sum(axis=1)
        return np.asarray((phi.T * visits) @ phi + self.ridge() * np.eye(self.public.d))


class OldFeatures(ELA):
    """Adds to Sigma-hat what is new with the features of the day, and never recomputes it."""

    def covariance(self, phi: Array, h: int) -> Array:
        """The sum of phi phi', each with the features learned then."""
        kept, counted = self.__dict__.setdefault("kept", {}).get(h, (0.0, 0.0))
        visits = self.D[h].sum(axis=1)
        total = kept + (phi.T * (visits - counted)) @ phi
        self.__dict__["kept"][h] = (total, visits)
        return np.asarray(total + self.ridge() * np.eye(self.public.d))


class FixedFeatures(ELA):
    """Computes Sigma-hat with the features of the first model of the class."""

    def covariance(self, phi: Array, h: int) -> Array:
        """Sigma-hat of the wrong features."""
        return super().covariance(self.public.phi[0, h], h)


class AverageCovariance(ELA):
    """Divides by the number of iterations: a covariance, not a sum."""

    def covariance(self, phi: Array, h: int) -> Array:
        """Sigma-hat / k."""
        return super().covariance(phi, h) / self.D[h].sum()


class SmallRidge(ELA):
    """lambda = 1/1000."""

    def ridge(self) -> float:
        """Far below d log |F|."""
        return 1e-3


class ShrinkingRidge(ELA):
    """lambda_k decreases with k."""

    def ridge(self) -> float:
        """lambda / k."""
        return super().ridge() / max(float(self.D[:1].sum()), 1.0)


# The bonus ----------------------------------------------------------------------------------------------------------


class LateBonus(ELA):
    """A bonus in step H - 1, too: an off-by-one."""

    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        """Line 13 for h <= H-1; the width of the step before, since the harness gives none for this one."""
        return super().bonus(phi, gram, h - 1 if h == self.public.H - 2 and h > 0 else h)


class NoFirstBonus(ELA):
    """Bug: no bonus in step 1, an off-by-one."""

    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        """Line 13 for 2 <= h <= H-2."""
        return super().bonus(phi, gram, h) * (h > 0)


class Capped(ELA):
    """Another cap of the bonus."""

    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        """min(alpha ||phi||, 2H) cut off at H."""
        return np.minimum(super().bonus(phi, gram, h), self.public.H)


class PrintedClip(ELA):
    """The bonus capped at 2, as the paper has it."""

    def __init__(self, public: Public, width: Width) -> None:
        super().__init__(public, width, "printed")


class PrintedWidth(ELA):
    """alpha as printed, with the constant 1."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """sqrt(H^2 (A + d^2) log(|F| H K / delta))."""
        return constants.alpha_printed(public, public.K) if of == "bonus" else super().published_width(public, of)


DIFFERS = {
    "learns-from-d": "without D̃",
    "learns-from-dt": "without D",
    "smoothed-data": "the formula + ",
    "first-step-data": "the model of step 1",
    "stale-model": "likeliest before the last iteration",
    "learns-twice": ": 2",
    "covariance-both": "over D and D̃",
    "covariance-second": "over D̃",
    "covariance-twice": "2 times Σφ̂φ̂ᵀ",
    "fixed-features": "in the first model of the class",
    "average-covariance": "the formula / k",
    "small-ridge": "times λ · 1_{ij}",
    "shrinking-ridge": "λ · 1_{ij} / k for λ · 1_{ij}",
    "no-bonus": ": 0",
    "half-bonus": "times the formula",
    "squared-bonus": "‖φ̂‖_Σ̂⁻¹ · α · ‖φ̂‖_Σ̂⁻¹",
    "gram-for-inverse": "with Σ̂, scaled, for its inverse",
    "no-first-bonus": "only at h = 1: 0",
    "capped-at-h": "without the factor 2 in cap",
    "printed-clip": "without the factor H in cap",
    "printed-width": "times the formula",
    "width-over-h": "without the factor H",
}
"""Words that the sentence about the difference has to have, by bug."""


def learning_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of learning, planted in an algorithm that explores so."""
    handed, model, matrix, bonus = ("data-handed",), ("likelihood-argmax",), ("covariance",), ("bonus",)
    return telling(
        (
            plant(original, "learns-from-d", "maximum likelihood on D_h only", OneSetOnly, (*handed, *model), data="D"),
            plant(original, "learns-from-dt", "maximum likelihood on D̃_h only", OneSetOnly, (*handed, *model), data="Dt"),
            plant(original, "smoothed-data", "1/S added to every count", SmoothedData, handed),
            plant(original, "first-step-data", "every step has the model of the first", FirstStepData,
                (*model, "likelihood-calls")),
            plant(original, "stale-model", "the model of the iteration before", StaleModel, model),
            plant(original, "learns-twice", "two calls of the likelihood oracle", bugs.twice("learn"), ("likelihood-calls",)),
            plant(original, "learns-seldom", "learns every other iteration", LearnsSeldom, (*model, "likelihood-calls")),
            plant(original, "covariance-both", "Σ̂ from D_h and D̃_h", OtherVisits, matrix, own=1.0, second=1.0),
            plant(original, "covariance-second", "Σ̂ from D̃_h", OtherVisits, matrix, own=0.0, second=1.0),
            plant(original, "covariance-twice", "Σ̂ counts D_h twice", OtherVisits, matrix, own=2.0, second=0.0),
            plant(original, "old-features", "Σ̂ keeps the features of past iterations", OldFeatures, matrix),
            plant(original, "fixed-features", "Σ̂ has the features of the first model", FixedFeatures, matrix),
            plant(original, "average-covariance", "Σ̂ divided by k", AverageCovariance, matrix),
            plant(original, "small-ridge", "λ = 1/1000", SmallRidge, matrix),
            plant(original, "shrinking-ridge", "λ_k = λ/k", ShrinkingRidge, matrix),
            plant(original, "no-bonus", "no bonus", bugs.scaled("norm", 0.0), bonus),
            plant(original, "half-bonus", "half the bonus", bugs.scaled("norm", 0.5), bonus),
            plant(original, "negative-bonus", "the bonus subtracted", bugs.scaled("norm", -1.0), (*bonus, "first-bracket")),
            plant(original, "squared-bonus", "‖φ̂‖² instead of ‖φ̂‖", bugs.squared("norm"), bonus),
            plant(original, "gram-for-inverse", "Σ̂ instead of its inverse", bugs.gram_for_inverse("norm"), bonus),
            plant(original, "late-bonus", "a bonus in step H − 1", LateBonus, bonus),
            plant(original, "no-first-bonus", "no bonus in step 1", NoFirstBonus, bonus),
            plant(original, "capped-at-h", "the bonus capped at H", Capped, bonus),
            plant(original, "printed-clip", "the bonus capped at 2, as printed", PrintedClip, bonus),
            plant(original, "printed-width", "α as printed", PrintedWidth, ("width",)),
            plant(original, "width-over-h", "α lacks its factor H", bugs.scaled_width(lambda public: 1.0 / public.H), ("width",)),
        ),
        DIFFERS,
    )  # fmt: skip
