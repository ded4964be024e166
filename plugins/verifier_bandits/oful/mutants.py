"""Bugs planted in OFUL."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import plant
from verifier.model.width import Width
from verifier_bandits.oful.algorithm import OFUL
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

# Data -------------------------------------------------------------------------------------------------------------------


class FirstAction(OFUL):
    """Features of the first action of the state, where those of the action belong."""

    def features(self, state: int, action: int) -> Array:
        """Features of another action."""
        return super().features(state, 0)


class FirstState(OFUL):
    """Features of the action in the first state, whatever the state is."""

    def features(self, state: int, action: int) -> Array:
        """Features of another state."""
        return super().features(0, action)


class MatrixTwice(OFUL):
    """Every feature added to V twice, to the moment once."""

    def learn(self, x: Array, reward: float) -> None:
        """Learn a round, with its matrix once more."""
        super().learn(x, reward)
        self.gram = self.gram + np.outer(x, x)


class MomentOnly(OFUL):
    """V stays lambda I."""

    def learn(self, x: Array, reward: float) -> None:
        """Learn the reward alone."""
        gram = self.gram
        super().learn(x, reward)
        self.gram = gram


class DiagonalAlone(OFUL):
    """The diagonal of V alone, as if features had nothing in common."""

    def learn(self, x: Array, reward: float) -> None:
        """Learn squares of features."""
        super().learn(x, reward)
        self.gram = np.diag(np.diag(self.gram))


class NeverLearns(OFUL):
    """Bug: every round is forgotten."""

    def learn(self, x: Array, reward: float) -> None:
        """Forget the round."""


# The estimate -----------------------------------------------------------------------------------------------------------


class StaleEstimate(OFUL):
    """theta_hat of the plan before, with the new matrix."""

    def estimate(self, inverse: Array) -> Array:
        """Estimate of the plan before."""
        before = self.__dict__.get("before", np.zeros(self.public.d))
        self.__dict__["before"] = super().estimate(inverse)
        return np.asarray(before)


class NoRidge(OFUL):
    """lambda forgotten, but for a trace of it, so that V can be inverted; the radius is of a matrix that starts there."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.gram = 1e-6 * self.gram

    def growth(self, gram: Array) -> float:
        """Growth since the start."""
        return super().growth(gram) + self.public.d * math.log(1e6)


class MatrixForInverse(OFUL):
    """V in the estimate instead of its inverse."""

    def estimate(self, inverse: Array) -> Array:
        """V times the moment."""
        return np.asarray(self.gram @ self.moment)


class NoRegulariser(OFUL):
    """Least squares without lambda; V has it."""

    def estimate(self, inverse: Array) -> Array:
        """Least squares of smallest norm."""
        return np.asarray(np.linalg.pinv(self.gram - self.public.ridge * np.eye(self.public.d)) @ self.moment)


class NotNegative(OFUL):
    """Coefficients cut at 0."""

    def estimate(self, inverse: Array) -> Array:
        """Estimate without its negative entries."""
        return np.maximum(super().estimate(inverse), 0.0)


# The radius -------------------------------------------------------------------------------------------------------------


class UnitNoise(OFUL):
    """R left out: noise as of rewards in an interval of length 2. The radius is too large, which no theorem minds."""

    def deviation(self) -> float:
        """Deviation 1."""
        return 1.0


class NoGrowth(OFUL):
    """No determinant in the radius."""

    def growth(self, gram: Array) -> float:
        """Growth 0."""
        return 0.0


class DeterminantOnly(OFUL):
    """log det(V) without what it starts with."""

    def growth(self, gram: Array) -> float:
        """Growth that is not 0 at the start, where lambda is not 1."""
        return float(np.linalg.slogdet(gram)[1])


class WholeDeterminant(OFUL):
    """The root of the determinant forgotten."""

    def growth(self, gram: Array) -> float:
        """Growth of det(V) for that of its root."""
        return 2 * super().growth(gram)


class TraceForDeterminant(OFUL):
    """The logarithm of the trace, as if there were one direction."""

    def growth(self, gram: Array) -> float:
        """log(tr(V) / (d lambda))."""
        return math.log(float(np.trace(gram)) / (self.public.d * self.public.ridge))


class RoundsForDeterminant(OFUL):
    """The determinant replaced by the most that it can be, as in the second form of Theorem 2."""

    def growth(self, gram: Array) -> float:
        """d log(1 + tr(V - lambda I) / (lambda d))."""
        d, ridge = self.public.d, self.public.ridge
        return d * math.log(float(np.trace(gram)) / (d * ridge))


class NoDelta(OFUL):
    """The failure probability left out."""

    def confidence(self) -> float:
        """Logarithm of 1."""
        return 0.0


class HalfDelta(OFUL):
    """delta/2 for delta, as for two sides; a radius that is a little too large."""

    def confidence(self) -> float:
        """log(2/delta)."""
        return math.log(2 / self.public.delta)


class HalfLog(OFUL):
    """log(1/delta) for 2 log(1/delta)."""

    def confidence(self) -> float:
        """Half the logarithm."""
        return math.log(1 / self.public.delta) / 2


class NoBias(OFUL):
    """Bug: the bias of the regulariser is forgotten."""

    def bias(self) -> float:
        """Bias 0."""
        return 0.0


class UnitBound(OFUL):
    """Parameters taken for at most 1 long."""

    def bias(self) -> float:
        """Bias with B = 1."""
        return math.sqrt(self.public.ridge)


class RidgeForRoot(OFUL):
    """lambda B for sqrt(lambda) B."""

    def bias(self) -> float:
        """Bias without the root."""
        return self.public.ridge * self.public.B


class StaleRadius(OFUL):
    """The radius of the plan before."""

    def radius(self, gram: Array) -> float:
        """Radius of the matrix before."""
        before, self.__dict__["matrix"] = self.__dict__.get("matrix", gram), gram
        return super().radius(before)


# The index, and play ----------------------------------------------------------------------------------------------------


class EuclideanNorm(OFUL):
    """||x|| without the matrix."""

    def norm(self, phi: Array, inverse: Array) -> Array:
        """Length of features."""
        return np.linalg.norm(phi, axis=1)


class DiagonalNorm(OFUL):
    """||x|| under the diagonal of V^-1."""

    def norm(self, phi: Array, inverse: Array) -> Array:
        """Norms without covariances."""
        return np.sqrt((phi**2) @ np.diag(inverse))


class LowerBound(OFUL):
    """The least mean over the ellipsoid for the largest."""

    def index(self, mean: Array, bonus: Array) -> Array:
        """The difference."""
        return mean - bonus


class FirstContext(OFUL):
    """The action that is best in the first state is played in all."""

    def greedy(self, index: Array) -> IntArray:
        """One action for all states."""
        return np.full(len(index), int(index[0].argmax()))


class SeesRewards(OFUL):
    """Bug: another action where the number that makes the reward is small, which is drawn when the round begins."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play the action of the plan only where it will pay much."""
        action = (int(plan.policy[0, state]) + int(env._row[-1] < 0.5)) % self.public.A
        _following, reward = env.step(action)
        self.learn(self.features(state, action), reward)


_mutant = partial(plant, OFUL)
_DATA, _ESTIMATE, _RADIUS, _BONUS = ("gram", "regression"), ("regression",), ("radius-formula",), ("bonus-formula",)
MUTANTS = (
    _mutant("counts-twice", "every round learned twice", bugs.twice("learn"), _DATA, differs="with 2 times the data"),
    _mutant(
        "half-the-data", "every other round forgotten", bugs.every_other("learn"), _DATA, differs="without a part of the data"
    ),
    _mutant(
        "one-round-late", "the last round not used", bugs.one_late("learn"), _DATA, differs="the formula at the previous plan"
    ),
    _mutant("never-learns", "nothing is learned", NeverLearns, _DATA, differs="without the data"),
    _mutant("first-action", "features of the first action", FirstAction, ("gram",)),
    _mutant("first-state", "features of the first state", FirstState, ("gram",)),
    _mutant("matrix-twice", "x x' added twice, x r once", MatrixTwice, ("gram", "growth"), differs="with 2 times the data"),
    _mutant("moment-only", "V stays lambda I", MomentOnly, ("gram", "potential"), differs="without the data"),
    _mutant("diagonal-alone", "V without what is beside its diagonal", DiagonalAlone, ("gram",), differs="beside the diagonal"),
    _mutant(
        "reward-forgotten", "rewards are 0", bugs.takes("learn", lambda x, reward: (x, 0.0)), _ESTIMATE, differs="everywhere: 0"
    ),
    _mutant(
        "reward-turned",
        "costs for rewards, 1 - r",
        bugs.takes("learn", lambda x, reward: (x, 1.0 - reward)),
        _ESTIMATE,
        differs="with 1 − r for r",
    ),
    _mutant("no-ridge", "lambda forgotten", NoRidge, ("gram", "bias"), differs="1e-06 times lambda"),
    _mutant("unit-ridge", "lambda = 1", bugs.unit_ridge(), ("gram",), differs="0.250 times lambda"),
    _mutant(
        "stale-estimate",
        "the estimate of the plan before",
        StaleEstimate,
        (*_ESTIMATE, "estimate-decomposition"),
        differs="the formula of the plan before",
    ),
    _mutant("matrix-for-inverse", "V in the estimate instead of its inverse", MatrixForInverse, _ESTIMATE),
    _mutant("no-regulariser", "least squares without lambda", NoRegulariser, _ESTIMATE),
    _mutant("not-negative", "coefficients cut at 0", NotNegative, _ESTIMATE),
    _mutant("unit-noise", "R = 1 for 1/2", UnitNoise, (*_RADIUS, "radius-bound"), differs="without the factor 0.5 in noise"),
    _mutant("no-growth", "no determinant in the radius", NoGrowth, _RADIUS, differs="without G in noise"),
    _mutant("determinant-only", "log det(V) with lambda in it", DeterminantOnly, _RADIUS, differs="without d · ln(λ) in G"),
    _mutant("whole-determinant", "det(V) for its root", WholeDeterminant, _RADIUS, differs="2 times G in noise"),
    _mutant("trace-for-determinant", "the trace for the determinant", TraceForDeterminant, _RADIUS),
    _mutant("rounds-for-determinant", "the most that the determinant can be", RoundsForDeterminant, _RADIUS),
    _mutant("no-delta", "delta left out", NoDelta, _RADIUS, differs="without 2 · ln(1 / δ) in noise"),
    _mutant("half-delta", "delta/2 for delta", HalfDelta, _RADIUS, differs="2 for 1 in noise"),
    _mutant("half-log", "log(1/delta) for twice that", HalfLog, _RADIUS, differs="without the factor 2 in noise"),
    _mutant("no-bias", "sqrt(lambda) B forgotten", NoBias, _RADIUS, differs="without √λB"),
    _mutant("unit-bound", "B = 1", UnitBound, _RADIUS, differs="without the factor B"),
    _mutant("ridge-for-root", "lambda B for sqrt(lambda) B", RidgeForRoot, _RADIUS, differs="λ without its root"),
    _mutant("squared-radius", "beta for its root", bugs.squared("radius"), _RADIUS, differs="the formula²"),
    _mutant("stale-radius", "the radius of the plan before", StaleRadius, _RADIUS, differs="the formula of the plan before"),
    _mutant(
        "narrow-width",
        "a tenth of the published radius",
        bugs.scaled_width(lambda public: 0.1),
        ("width",),
        differs="0.100 times the formula",
    ),
    _mutant("squared-norm", "the root of the norm forgotten", bugs.squared("norm"), _BONUS, differs="‖φ‖² for ‖φ‖"),
    _mutant("euclidean-norm", "||x|| without V", EuclideanNorm, _BONUS),
    _mutant("diagonal-norm", "||x|| under the diagonal of the inverse", DiagonalNorm, _BONUS),
    _mutant("gram-for-inverse", "V in the bonus instead of its inverse", bugs.gram_for_inverse("norm"), _BONUS),
    _mutant(
        "half-bonus", "half the bonus", bugs.scaled("norm", 0.5), (*_BONUS, "bonus-validity"), differs="1/2 times the formula"
    ),
    _mutant("no-bonus", "no bonus: the greedy policy", bugs.no_bonus("index"), ("index-formula",), differs="without bonus"),
    _mutant("lower-bound", "mean minus bonus", LowerBound, ("index-formula", "optimism"), differs="− bonus for + bonus"),
    _mutant(
        "boastful",
        "reports larger indices than it uses",
        bugs.reports(Q=lambda Q: Q + 0.25),
        ("index-formula",),
        differs="the formula + 0.25",
    ),
    _mutant(
        "worst-action",
        "argmin for argmax",
        bugs.opposite("greedy"),
        ("largest-index", "gap-of-played", "pathwise-regret"),
        differs="the worst action",
    ),
    _mutant("first-context", "the best action of the first state in all", FirstContext, ("largest-index",)),
    _mutant(
        "disobedient", "sometimes plays another action", bugs.disobedient(), ("plays-policy",), differs="at one episode in 7"
    ),
    _mutant(
        "plans-every-other",
        "plans in every other round",
        bugs.plans_every_other(),
        ("plans-every-episode",),
        differs="not planned",
    ),
    _mutant("sees-rewards", "reads the number that the reward is drawn with", SeesRewards, ("no-foresight",)),
)
