"""Bugs planted in UCRL-VTR."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_reference.shared.mutants import planning_mutants
from verifier_reference.ucrl_vtr.algorithm import UCRLVTR

# Data -------------------------------------------------------------------------------------------------------------------


class OtherTarget(UCRLVTR):
    """A regression on something else than V_{h+1}(s_{h+1})."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """The target put in place of that of the algorithm."""
        x = self.played.extra["features"][h, state * self.public.A + action]
        self.gram = self.gram + np.outer(x, x)
        self.moment = self.moment + x * self.other(h, state, reward, following)

    def other(self, h: int, state: int, reward: float, following: int) -> float:
        """Target of the regression."""
        raise NotImplementedError


class StateForSuccessor(OtherTarget):
    """Bug: the target V_{h+1}(s_h)."""

    def other(self, h: int, state: int, reward: float, following: int) -> float:
        """The value of the state that was left."""
        return float(self.played.V[h + 1, state])


class RewardInTarget(OtherTarget):
    """r + V_{h+1}(s_{h+1}), as in LSVI-UCB, while the reward is added once more in the backup."""

    def other(self, h: int, state: int, reward: float, following: int) -> float:
        """Target with the reward."""
        return reward + float(self.played.V[h + 1, following])


class SameStep(OtherTarget):
    """Bug: the target V_h(s_{h+1})."""

    def other(self, h: int, state: int, reward: float, following: int) -> float:
        """The values of the step that was played."""
        return float(self.played.V[h, following])


class FirstStepOnly(UCRLVTR):
    """The first transition of each episode alone is learned from."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Learn at the first step alone."""
        if h == 0:
            super().learn(h, state, action, reward, following)


class NextPair(UCRLVTR):
    """Features of the first action of the next state, where those of the pair belong."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """The features of another pair."""
        x = self.played.extra["features"][h, following * self.public.A]
        self.gram = self.gram + np.outer(x, x)
        self.moment = self.moment + x * self.played.V[h + 1, following]


class ForgetsMatrix(UCRLVTR):
    """M of the last episode alone, w of all."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """A new matrix at the start of each episode."""
        if h == 0:
            self.gram = self.public.ridge * np.eye(self.public.m)
        super().learn(h, state, action, reward, following)


# The estimate -----------------------------------------------------------------------------------------------------------


class StaleEstimate(UCRLVTR):
    """theta_hat of the plan before, with the new matrix."""

    def estimate(self, inverse: Array) -> Array:
        """Estimate of the plan before."""
        before = self.__dict__.get("before", np.zeros(self.public.m))
        self.__dict__["before"] = super().estimate(inverse)
        return np.asarray(before)


class OnTheSimplex(UCRLVTR):
    """Coefficients cut at 0 and divided by their sum, as if they had to be a law."""

    def estimate(self, inverse: Array) -> Array:
        """A law."""
        found = np.maximum(super().estimate(inverse), 0.0)
        return np.asarray(found / found.sum() if found.sum() > 0 else np.full(len(found), 1.0 / len(found)))


class UniformPrior(UCRLVTR):
    """Shrunk towards equal coefficients instead of 0."""

    def estimate(self, inverse: Array) -> Array:
        """Estimate with lambda/m in each moment."""
        public = self.public
        return np.asarray(inverse @ (self.moment + public.ridge / public.m))


class FirstKernel(UCRLVTR):
    """The first base kernel alone."""

    def features(self, V: Array) -> Array:
        """The others are taken for 0."""
        return super().features(V) * (np.arange(self.public.m) == 0)


class ValueForFeatures(UCRLVTR):
    """The value of the state itself where its expectation one step on belongs."""

    def features(self, V: Array) -> Array:
        """Features that are the same for all base kernels."""
        return np.repeat(np.repeat(V, self.public.A)[:, None], self.public.m, axis=1)


# The radius and the bonus -----------------------------------------------------------------------------------------------


class NoBias(UCRLVTR):
    """Bug: the bias of the regulariser is forgotten."""

    def bias(self) -> float:
        """Bias 0."""
        return 0.0


class UnitBound(UCRLVTR):
    """Coefficients taken for at most 1."""

    def bias(self) -> float:
        """Bias with B = 1."""
        return math.sqrt(self.public.ridge)


class WholeRange(UCRLVTR):
    """H where H/2 belongs: a radius that is too large, which no theorem minds."""

    def deviation(self) -> float:
        """The range itself."""
        return float(self.public.H)


class UnitNoise(UCRLVTR):
    """Noise as of rewards in [0, 1]."""

    def deviation(self) -> float:
        """Deviation 1/2."""
        return 0.5


class NoGrowth(UCRLVTR):
    """The radius of a fixed design, of one direction: no determinant."""

    def growth(self, gram: Array) -> float:
        """Growth 0."""
        return 0.0


class DeterminantOnly(UCRLVTR):
    """log det(M) without what it starts with."""

    def growth(self, gram: Array) -> float:
        """Growth that is too large where lambda > 1."""
        return float(np.linalg.slogdet(gram)[1])


class TraceForDeterminant(UCRLVTR):
    """The logarithm of the trace, as if there were one direction."""

    def growth(self, gram: Array) -> float:
        """log(tr(M) / (m lambda))."""
        return math.log(float(np.trace(gram)) / (self.public.m * self.public.ridge))


class StepNoise(UCRLVTR):
    """The noise of step h taken as (H - h + 1)/2, as the paper has it, in an ellipsoid of all steps."""

    def bonus(self, h: int, root_beta: float, features: Array, inverse: Array) -> Array:
        """The bias, and a part of the noise."""
        part = (self.public.H - h) / self.public.H
        return super().bonus(h, self.bias() + part * (root_beta - self.bias()), features, inverse)


class BonusWithoutFloor(UCRLVTR):
    """Q cut at H and not at 0."""

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """The minimum alone."""
        return np.minimum(mean + bonus, float(self.public.H))


_mutant = partial(plant, UCRLVTR)
_DATA, _BONUS = ("gram", "regression"), ("bonus", "bonus-validity")
MUTANTS = (
    *telling(
        planning_mutants(UCRLVTR),
        {"boastful": "the formula + 0.25", "no-bonus": "without bonus", "no-clip": "without the cut at H"},
    ),
    _mutant("learns-twice", "every step learned twice", bugs.twice("learn"), _DATA, differs="with 2 times the data"),
    _mutant(
        "half-the-data", "every other step forgotten", bugs.every_other("learn"), _DATA, differs="without a part of the data"
    ),
    _mutant("first-step-only", "the first step of an episode alone", FirstStepOnly, _DATA, differs="without a part of the data"),
    _mutant("next-pair", "features of the next pair", NextPair, _DATA),
    _mutant(
        "forgets-matrix",
        "M of the last episode alone",
        ForgetsMatrix,
        ("gram", "potential"),
        differs="without a part of the data",
    ),
    _mutant("no-ridge", "lambda forgotten", bugs.no_ridge(), ("gram", "bias"), differs="1e-06 times lambda"),
    _mutant("unit-ridge", "lambda = 1", bugs.unit_ridge(), ("gram",), differs="0.250 times lambda"),
    _mutant(
        "state-for-successor",
        "regresses on V(s_h)",
        StateForSuccessor,
        ("regression", "estimate-decomposition"),
        differs="at the states that are left",
    ),
    _mutant(
        "reward-in-target",
        "regresses on r + V",
        RewardInTarget,
        ("regression", "estimate-decomposition"),
        differs="with r + V_{h+1}",
    ),
    _mutant(
        "same-step", "regresses on V_h", SameStep, ("regression", "estimate-decomposition"), differs="with V_h at the next states"
    ),
    _mutant(
        "stale-estimate",
        "the estimate of the plan before",
        StaleEstimate,
        ("regression", "estimate-decomposition"),
        differs="the formula of the plan before",
    ),
    _mutant("on-the-simplex", "coefficients made a law", OnTheSimplex, ("regression", "estimate-decomposition")),
    _mutant("uniform-prior", "shrunk towards equal coefficients", UniformPrior, ("regression", "estimate-decomposition")),
    _mutant("first-kernel", "the first base kernel alone", FirstKernel, ("features",), differs="only at i = 1: 0"),
    _mutant(
        "value-for-features",
        "V(s) for its expectation",
        ValueForFeatures,
        ("features",),
        differs="with V_{h+1} of the state that is left",
    ),
    _mutant("no-bias", "sqrt(lambda) B forgotten", NoBias, ("radius-formula",), differs="without √λB"),
    _mutant("unit-bound", "B = 1", UnitBound, ("radius-formula",), differs="without the factor B"),
    _mutant("whole-range", "H for H/2", WholeRange, ("radius-formula",), differs="without the divisor 2 in noise"),
    _mutant("unit-noise", "1/2 for H/2", UnitNoise, ("radius-formula",), differs="for H / 2 in noise"),
    _mutant("no-growth", "no determinant in the radius", NoGrowth, ("radius-formula",), differs="without G in noise"),
    _mutant(
        "determinant-only", "log det(M) with lambda in it", DeterminantOnly, ("radius-formula",), differs="without m · ln(λ) in G"
    ),
    _mutant(
        "trace-for-determinant",
        "the trace for the determinant",
        TraceForDeterminant,
        ("radius-formula",),
    ),
    _mutant("step-noise", "the noise of step h alone", StepNoise, _BONUS, differs="only at h = 2"),
    _mutant("quarter-bonus", "bonus scaled to a quarter", bugs.scaled("norm", 0.25), _BONUS, differs="1/4 times"),
    _mutant("squared-bonus", "the root of the norm forgotten", bugs.squared("norm"), ("bonus",), differs="‖X_h‖² for ‖X_h‖"),
    _mutant("matrix-for-inverse", "M in the bonus instead of its inverse", bugs.gram_for_inverse("norm"), ("bonus",)),
    _mutant("no-floor", "Q not cut at 0", BonusWithoutFloor, ("q-formula", "value-range"), differs="without the cut at 0"),
    _mutant("clip-at-one", "V cut at 1", bugs.clipped("value", 1.0), ("value-function",), differs="cut at 1"),
    _mutant(
        "narrow-width",
        "the radius a hundred times too small",
        bugs.scaled_width(lambda public: 0.01),
        ("width",),
        differs="0.010 times",
    ),
    _mutant(
        "blind",
        "Q = 0: always the first action",
        bugs.scaled("optimistic", 0.0),
        ("q-formula", "optimism"),
        differs="0, at which the formula is cut",
    ),
)
