"""Bugs in the weights, in both Gram matrices, and in what is regressed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, telling
from verifier.model.width import Width
from verifier_lsvi_rfe.least_squares import GramMatrices
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_settings.reward_free import ExplorationPlan, Public


class FirstPowerThreshold(LSVIRFE):
    """1/d in place of 1/d^3."""

    def enlarged(self, relative: Array) -> BoolArray:
        """Mask that is true too seldom."""
        return np.asarray(relative > 1.0 / self.public.d)


class FirstPowerVariance(LSVIRFE):
    """d/H in place of d^2/H."""

    def variance(self, spread: Array) -> Array:
        """Variance that is too small."""
        return np.maximum(float(self.public.H), self.public.d / self.public.H * spread)


class SpreadWithoutH(LSVIRFE):
    """W without its factor H."""

    def spread(self, mean: Array, norm: Array) -> Array:
        """Spread that is too small."""
        return super().spread(mean, norm) / self.public.H


class SpreadWithoutZeta(LSVIRFE):
    """W without zeta."""

    def spread(self, mean: Array, norm: Array) -> Array:
        """Spread without the term of the net."""
        return np.minimum(self.public.H * (mean + self.beta * norm), float(self.public.H**2))


class RunningZeta(LSVIRFE):
    """zeta of the episodes so far in place of K."""

    def spread(self, mean: Array, norm: Array) -> Array:
        """Spread that is larger than it should be."""
        k = self.__dict__["k"] = self.__dict__.get("k", 0) + 1
        H = self.public.H
        zeta = H * math.sqrt(self.public.ridge) / (2 * k * math.sqrt(self.public.d))
        return np.minimum(H * (mean + self.beta * norm + zeta), float(H**2))


class UncutSpread(LSVIRFE):
    """W not cut at H^2."""

    def spread(self, mean: Array, norm: Array) -> Array:
        """Can be larger than any variance."""
        H = self.public.H
        zeta = H * math.sqrt(self.public.ridge) / (2 * self.public.K * math.sqrt(self.public.d))
        return np.asarray(H * (mean + self.beta * norm + zeta))


class NoVariance(LSVIRFE):
    """sigma-hat = sigma-bar: the variance has no part in the final weight."""

    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        """The maximum forgotten."""
        weights, H, d = super().weigh(plan, x), self.public.H, self.public.d
        return {**weights, "weight": np.where(weights["enlarged"] == 1, float(H * d**3), float(H))}


class HiddenEnlargement(LSVIRFE):
    """Every weight enlarged, and not said so."""

    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        """The largest weight."""
        weights, H, d = super().weigh(plan, x), self.public.H, self.public.d
        return {
            **weights,
            "weight": np.full_like(weights["weight"], 2.0 * H * d**3),
            "enlarged": np.zeros_like(weights["enlarged"]),
        }


class Moments(LSVIRFE):
    """mu-hat made of moments of its own, for bugs in them."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.moments: Array = np.zeros((public.H, public.d, public.S))

    def update(self, x: Array, following: IntArray) -> None:
        """The usual matrices, and mu-hat from the moments."""
        super().update(x, following)
        self.moments[np.arange(self.public.H), :, following] += x / self.moment_weight()[:, None]
        self.model.measures = self.model.inverse @ self.moments

    def moment_weight(self) -> Array:
        """Weight of the moment, without a mistake."""
        return self.weights["weight"]


class VarianceMoments(Moments):
    """Moments with sigma-tilde, Gram matrix with sigma-hat."""

    def moment_weight(self) -> Array:
        """The other weight."""
        return self.weights["variance"]


class StateForSuccessor(LSVIRFE):
    """e_{s_h} where e_{s_{h+1}} belongs."""

    def learn(self, plan: ExplorationPlan, states: IntArray, actions: IntArray) -> None:
        """Keep the states it came from."""
        self.came_from = states[:-1]
        super().learn(plan, states, actions)

    def update(self, x: Array, following: IntArray) -> None:
        """Update with the states that were left."""
        super().update(x, self.came_from)


class VarianceGram(LSVIRFE):
    """Gram matrix with sigma-tilde, moments with sigma-hat."""

    def update(self, x: Array, following: IntArray) -> None:
        """Lambda-hat becomes Lambda-tilde; mu-hat is that of the moments of sigma-hat."""
        moments = self.__dict__.setdefault("moments", np.zeros((self.public.H, self.public.d, self.public.S)))
        super().update(x, following)
        moments[np.arange(self.public.H), :, following] += x / self.weights["weight"][:, None]
        self.model.gram, self.model.inverse = self.variances.gram.copy(), self.variances.inverse.copy()
        self.model.measures = self.model.inverse @ moments
        self.model.squares = np.einsum("xi,hij,xj->hx", self.public.phi, self.model.inverse, self.public.phi)


class UnweightedInverse(LSVIRFE):
    """The rank-one correction of the inverse without the weight in it."""

    def update(self, x: Array, following: IntArray) -> None:
        """The Gram matrix as it should be, everything else as for weight 1."""
        gram = self.model.gram + x[:, :, None] * (x / self.weights["weight"][:, None])[:, None, :]
        self.variances.add(x, self.weights["variance"])
        self.model.observe(x, np.ones_like(self.weights["weight"]), following)
        self.model.gram = gram


class TestsAfterUpdate(LSVIRFE):
    """Lambda-tilde updated before the threshold is tested."""

    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        """The threshold with the step itself in the matrix."""
        weights, H, d = super().weigh(plan, x), self.public.H, self.public.d
        after = GramMatrices(H, d, self.public.ridge)
        after.inverse, after.gram = self.variances.inverse.copy(), self.variances.gram.copy()
        after.add(x, weights["variance"])
        enlarged = self.enlarged(after.norm(x) / np.sqrt(weights["variance"]))
        weight = np.maximum(np.where(enlarged, float(H * d**3), float(H)), weights["variance"])
        return {**weights, "weight": weight, "enlarged": enlarged.astype(np.int64)}


class OtherNormThreshold(LSVIRFE):
    """The threshold under Lambda-hat in place of Lambda-tilde."""

    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        """Exchanged for as long as it takes."""
        variances, self.variances = self.variances, self.model
        weights = super().weigh(plan, x)
        self.variances = variances
        return weights


class PeeksAtSuccessor(LSVIRFE):
    """W with the norm of the pair that followed, which its step must not know."""

    def learn(self, plan: ExplorationPlan, states: IntArray, actions: IntArray) -> None:
        """Keep what came next."""
        self.met = states[1:] * self.public.A
        super().learn(plan, states, actions)

    def spread(self, mean: Array, norm: Array) -> Array:
        """The bonus of the state that followed."""
        return super().spread(mean, self.model.norm(self.public.phi[self.met]))


class NextPlanWeights(LSVIRFE):
    """W from the plan that follows, made with the step itself."""

    def learn(self, plan: ExplorationPlan, states: IntArray, actions: IntArray) -> None:
        """Learn, and once more with what came of it: the weight of an episode knows where its steps led."""
        model, variances = self.model, self.variances
        kept = {name: getattr(model, name).copy() for name in ("gram", "inverse", "measures", "squares")}
        beside = {name: getattr(variances, name).copy() for name in ("gram", "inverse")}
        super().learn(plan, states, actions)
        ahead = np.stack([self.model.backup(h, plan.V[h + 1]) for h in range(self.public.H)])
        vars(model).update(kept)
        vars(variances).update(beside)
        object.__setattr__(self, "ahead", ahead)
        x = self.public.phi[states[:-1] * self.public.A + actions]
        self.weights = self.weigh(_with(plan, ahead), x)
        self.update(x, states[1:])


def _with(plan: ExplorationPlan, estimate: Array) -> ExplorationPlan:
    return replace(plan, estimate=estimate)


class PooledSteps(LSVIRFE):
    """The data of a step used for the one after it."""

    def update(self, x: Array, following: IntArray) -> None:
        """Update one step late."""
        super().update(np.roll(x, 1, axis=0), np.roll(following, 1))


class SharedSteps(LSVIRFE):
    """The data of all steps in every step, as if the kernels did not depend on it."""

    def update(self, x: Array, following: IntArray) -> None:
        """H observations of each step."""
        weights = self.weights
        for h in range(self.public.H):
            self.weights = {name: np.full_like(value, value[h]) for name, value in weights.items()}
            super().update(np.repeat(x[h : h + 1], len(x), axis=0), np.full_like(following, following[h]))
        self.weights = weights


class UnitRidge(LSVIRFE):
    """lambda = 1 in place of that of the instance."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        for matrices in (self.model, self.variances):
            matrices.gram, matrices.inverse = matrices.gram / public.ridge, matrices.inverse * public.ridge
        self.model.squares = self.model.squares * public.ridge


_mutant = partial(plant, LSVIRFE)
_DATA = ("variance-gram", "gram")
DIFFERS = {
    "first-power-variance": "d for d²",
    "no-variance": "without the cut at variance",
    "never-enlarged": "0 also where",
    "hidden-enlargement": "0 also where",
    "gram-with-variance": "Σφφᵀ/σ̃² for Σφφᵀ/σ̂²",
    "next-step": "the formula at step h",
    "shared-steps": "of all steps",
    "unit-ridge": "without the factor λ",
    "learns-twice": "2 times Σφφᵀ/σ̃²",
    "spread-without-zeta": "without ζ",
    "uncut-spread": "without the cut at H²",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS: tuple[Mutant, ...] = telling(
    (
        _mutant("first-power-threshold", "threshold 1/d in place of 1/d^3", FirstPowerThreshold, ("enlarged", "threshold")),
        _mutant(
            "swapped-weights",
            "enlarged weights below the threshold",
            bugs.returns("enlarged", np.logical_not),
            ("enlarged", "threshold"),
        ),
        _mutant("first-power-variance", "d/H in place of d^2/H", FirstPowerVariance, ("variance",)),
        _mutant("spread-without-h", "W without its factor H", SpreadWithoutH, ("spread",)),
        _mutant("spread-without-zeta", "W without zeta", SpreadWithoutZeta, ("spread",)),
        _mutant("running-zeta", "zeta with k in place of K", RunningZeta, ("spread",)),
        _mutant("uncut-spread", "W not cut at H^2", UncutSpread, ("spread", "spread-range", "variance-range")),
        _mutant("no-variance", "the variance has no part in the final weight", NoVariance, ("weight", "weight-range")),
        _mutant(
            "hidden-enlargement",
            "weights twice as large as any, and not said so",
            HiddenEnlargement,
            ("enlarged", "weight", "weight-range", "enlarged-sum"),
        ),
        _mutant("never-enlarged", "no weight is enlarged", bugs.scaled("enlarged", 0), ("enlarged", "threshold")),
        _mutant("always-enlarged", "every weight is enlarged", bugs.returns("enlarged", np.ones_like), ("enlarged",)),
        _mutant(
            "variance-moments",
            "moments with sigma-tilde, Gram matrix with sigma-hat",
            VarianceMoments,
            ("regression", "measures-error"),
        ),
        _mutant("gram-with-variance", "Gram matrix with sigma-tilde, moments with sigma-hat", VarianceGram, ("gram",)),
        _mutant("state-for-successor", "regresses on s_h", StateForSuccessor, ("regression", "estimate-error")),
        _mutant("unweighted-inverse", "rank-one update without the weight", UnweightedInverse, ("regression", "bonus")),
        _mutant("tests-after-update", "Lambda-tilde updated before the threshold is tested", TestsAfterUpdate, ("enlarged",)),
        _mutant("other-norm-threshold", "the threshold under Lambda-hat", OtherNormThreshold, ("enlarged",)),
        _mutant("peeks-at-successor", "W knows the state that followed", PeeksAtSuccessor, ("spread", "step-measurability")),
        _mutant("next-plan-weights", "W knows what is learned from the step", NextPlanWeights, ("spread",)),
        _mutant("next-step", "data of the step before", PooledSteps, _DATA),
        _mutant("shared-steps", "the data of all steps in every step", SharedSteps, (*_DATA, "determinant")),
        _mutant("unit-ridge", "lambda = 1 always", UnitRidge, _DATA),
        _mutant("learns-twice", "every episode counted twice", bugs.twice("update"), (*_DATA, "determinant")),
        _mutant("half-the-data", "every other episode forgotten", bugs.every_other("update"), _DATA),
        _mutant("learns-late", "data used an episode late", bugs.one_late("update"), _DATA),
    ),
    DIFFERS,
)
