"""Bugs in the value-targeted regression and its bonus."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier.model.width import Width
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB, elliptical_norm
from verifier_ravi_ucb.shared.planning_mutants import planning_mutants
from verifier_ravi_ucb.shared.playing_mutants import playing_mutants
from verifier_settings.discounted import DiscountedEnvironment, Public


class GramForInverse(MixtureRaviUCB):
    """||phi|| in the norm of Lambda instead of its inverse."""

    def norm(self, V: Array) -> Array:
        """The wrong norm."""
        return elliptical_norm(self.phi, self.gram).reshape(self.public.X, self.public.A)


class CurrentStateTarget(MixtureRaviUCB):
    """Regresses on V(x_t) instead of V(x_{t+1})."""

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """The state in place of the successor."""
        super().learn(rows, [row // self.public.A for row in rows], V)


class RecomputedFeatures(MixtureRaviUCB):
    """Recomputes old rows with the newest V."""

    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, bonus, model, **options)
        self.transitions: Array = np.zeros((public.X * public.A, public.X))

    def estimate(self, V: Array) -> Array:
        """Build Lambda and b afresh from phi_k."""
        phi = self.features(V)
        self.gram = self.public.ridge * np.eye(self.public.d) + (phi.T * self.transitions.sum(axis=1)) @ phi
        self.moment = phi.T @ (self.transitions @ V)
        return super().estimate(V)

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """Keep transitions."""
        np.add.at(self.transitions, (rows, successors), 1.0)


class StaleFeatures(MixtureRaviUCB):
    """The features of the epoch before in the bonus."""

    before: Array | None = None

    def norm(self, V: Array) -> Array:
        """||phi_{k-1}||."""
        stale = self.phi if self.before is None else self.before
        self.before = self.phi
        return elliptical_norm(stale, self.inverse).reshape(self.public.X, self.public.A)


class NoMoment(MixtureRaviUCB):
    """Adds up Lambda step by step and b once per epoch."""

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """b gets the first step only."""
        met = self.phi[rows]
        self.gram = self.gram + met.T @ met
        self.moment = self.moment + V[successors[0]] * met[0]


class LooseInverse(MixtureRaviUCB):
    """A pseudo-inverse, which takes directions of small eigenvalues for none at all."""

    cut: ClassVar[float] = 1e-6

    def estimate(self, V: Array) -> Array:
        """theta_k without what was cut off."""
        super().estimate(V)
        self.inverse = np.linalg.pinv(self.gram, rcond=self.cut, hermitian=True)
        self.theta = self.inverse @ self.moment
        return (self.phi @ self.theta).reshape(self.public.X, self.public.A)


class ConstantBonus(MixtureRaviUCB):
    """The bonus is always as large as it can be."""

    def norm(self, V: Array) -> Array:
        """B H / sqrt(lambda)."""
        public = self.public
        return np.full((public.X, public.A), public.B * public.H / np.sqrt(public.ridge))


class Timid(ConstantBonus):
    """Promises to explore all actions but the first, and always plays that one."""

    def norm(self, V: Array) -> Array:
        """The largest of all norms, and 0 for action 0."""
        norm = super().norm(V)
        norm[:, 0] = 0.0
        return norm

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """Play one action for the whole epoch."""
        return super().play_epoch(env, np.eye(self.public.A)[np.zeros(self.public.X, dtype=int)])


class UnitRidgeWidth(MixtureRaviUCB):
    """The width for lambda = 1."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Lemma 5.4 with another lambda."""
        return super().published_width(replace(public, ridge=1.0), of)


class UnitNormWidth(MixtureRaviUCB):
    """The width for B = 1."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Lemma 5.4 with another B."""
        return super().published_width(replace(public, B=1.0), of)


DIFFERS = {
    "gram-for-inverse": "‖φ_k‖_{Λ_k} for ‖φ_k‖_{Λ_k⁻¹}",
    "first-step-only": "without a part of the data",
    "no-root": "‖φ_k‖_{Λ_k⁻¹}² for ‖φ_k‖_{Λ_k⁻¹}",
    "current-state-target": "with V at the state that is left",
    "stale-features": "with the features of the epoch before",
    "unit-ridge": "times lambda",
    "width-without-d": "times the formula",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *planning_mutants(MixtureRaviUCB),
        *playing_mutants(MixtureRaviUCB, "gram", "regression"),
        plant(MixtureRaviUCB, "gram-for-inverse", "Λ instead of Λ⁻¹ in the bonus", GramForInverse, ("bonus",)),
        plant(MixtureRaviUCB, "no-root", "the square of the norm in the bonus", bugs.squared("norm"), ("bonus",)),
        plant(MixtureRaviUCB, "current-state-target", "regresses on V(x_t)", CurrentStateTarget, ("regression", "estimate")),
        plant(MixtureRaviUCB, "recomputed-features", "old rows get the newest V", RecomputedFeatures, ("gram", "regression")),
        plant(MixtureRaviUCB, "stale-features", "φ_{k−1} in the bonus", StaleFeatures, ("bonus",)),
        plant(MixtureRaviUCB, "unit-ridge", "λ = 1 in place of that of the instance", bugs.unit_ridge(), ("gram",)),
        plant(MixtureRaviUCB, "one-moment", "b gets one step per epoch", NoMoment, ("regression",)),
        plant(MixtureRaviUCB, "loose-inverse", "a pseudo-inverse with cut-off 1e-6", LooseInverse, ("bonus",)),
        plant(MixtureRaviUCB, "constant-bonus", "the bonus never shrinks", ConstantBonus, ("bonus", "bonus-sum-expectation")),
        plant(MixtureRaviUCB, "timid", "no bonus for action 0, which is always played", Timid, ("bonus", "bonuses-expectation")),
        plant(MixtureRaviUCB, "unit-ridge-width", "β has λ = 1", UnitRidgeWidth, ("width",)),
        plant(MixtureRaviUCB, "unit-norm-width", "β has B = 1", UnitNormWidth, ("width",)),
        plant(MixtureRaviUCB, "width-without-d", "β lacks √d", bugs.scaled_width(lambda public: public.d**-0.5), ("width",)),
    ),
    DIFFERS,
)
