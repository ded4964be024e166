"""Bugs planted in Q-learning with UCB-Bernstein."""

from __future__ import annotations

import math
from functools import partial

from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_reference.q_learning import At
from verifier_reference.shared.q_learning_mutants import q_learning_mutants
from verifier_reference.ucb_bernstein.algorithm import C1, BernsteinQLearning


class MeanForgotten(BernsteinQLearning):
    """The second moment where the variance belongs."""

    def variance(self, at: At, t: float) -> float:
        """sigma / t."""
        return float(self.squares[at] / t)


class SumsForMeans(BernsteinQLearning):
    """(sigma - mu^2) / t with mu the sum: negative from the second visit on, and cut at 0."""

    def variance(self, at: At, t: float) -> float:
        """0, but for the first visit."""
        return max(float((self.squares[at] - self.sums[at] ** 2) / t), 0.0)


class NotDivided(BernsteinQLearning):
    """The sum of squared deviations, as Welford's recursion keeps it, not divided by t."""

    def variance(self, at: At, t: float) -> float:
        """Variance t W_t."""
        return t * super().variance(at, t)


class UnbiasedVariance(BernsteinQLearning):
    """Divided by t - 1, as statisticians do."""

    def variance(self, at: At, t: float) -> float:
        """Variance t / (t - 1) W_t."""
        return super().variance(at, t) * t / max(t - 1.0, 1.0)


class Deviation(BernsteinQLearning):
    """The standard deviation where the variance belongs."""

    def variance(self, at: At, t: float) -> float:
        """sqrt(W_t)."""
        return math.sqrt(super().variance(at, t))


class OldMean(BernsteinQLearning):
    """Welford's recursion with the old mean in both factors: every square is too large."""

    def add(self, at: At, value: float) -> None:
        """m2 <- m2 + (v - mean before)^2, kept such that the variance is m2 / t."""
        t = self.visits[at]
        before = self.sums[at] / max(t - 1.0, 1.0)
        spread = super().variance(at, max(t - 1.0, 1.0)) * (t - 1.0) + (value - before) ** 2 * (t > 1)
        self.sums[at] += value
        self.squares[at] = spread + self.sums[at] ** 2 / t


class OneStepEarly(BernsteinQLearning):
    """The variance of V_h at the next state."""

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """V_h for V_{h+1}: the values of the step that is updated, at this state."""
        return super().bonus(at, t, float(self.V[at[0], at[1]]), width)


class VarianceOfTargets(BernsteinQLearning):
    """Cut values forgotten: the variance of max_a Q, of the state itself."""

    def add(self, at: At, value: float) -> None:
        """The action value where the next value belongs."""
        super().add(at, float(self.Q[at]))


class PooledMoments(BernsteinQLearning):
    """Bug: one variance of a pair for all steps, while visits are counted for each."""

    def add(self, at: At, value: float) -> None:
        """Every step's sums grow."""
        self.sums[:, at[1], at[2]] += value
        self.squares[:, at[1], at[2]] += value**2


class NoMinimum(BernsteinQLearning):
    """Bug: no second arm."""

    def beta(self, t: float, variance: float, iota: float) -> float:
        """The first arm."""
        return self.first_arm(t, variance, iota)


class SecondArm(BernsteinQLearning):
    """Bug: no first arm, so no variance at all."""

    def beta(self, t: float, variance: float, iota: float) -> float:
        """The second arm."""
        return self.second_arm(t, iota)


class Largest(BernsteinQLearning):
    """The larger arm."""

    def beta(self, t: float, variance: float, iota: float) -> float:
        """max for min."""
        return max(self.first_arm(t, variance, iota), self.second_arm(t, iota))


class NoCorrection(BernsteinQLearning):
    """Bug: no term of lower order."""

    def first_arm(self, t: float, variance: float, iota: float) -> float:
        """c_1 sqrt(H (W_t + H) iota / t)."""
        return C1 * math.sqrt(self.public.H * (variance + self.public.H) * iota / t)


class NoFloor(BernsteinQLearning):
    """W_t where W_t + H belongs."""

    def first_arm(self, t: float, variance: float, iota: float) -> float:
        """The H under the root forgotten."""
        H, S, A = self.public.H, self.public.S, self.public.A
        return C1 * (math.sqrt(H * variance * iota / t) + math.sqrt(H**7 * S * A) * iota / t)


class BetaForBonus(BernsteinQLearning):
    """beta_t added, not the difference."""

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """Bonus as if Q were made anew at every visit."""
        super().bonus(at, t, value, width)
        return float(self.betas[at])


class NoDifference(BernsteinQLearning):
    """beta_t / (2 alpha_t): what was paid before is forgotten."""

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """beta_{t-1} = 0."""
        self.betas[at] = 0.0
        return super().bonus(at, t, value, width)


class PlainDifference(BernsteinQLearning):
    """(beta_t - beta_{t-1}) / (2 alpha_t): the old bonuses do not fade."""

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """1 - alpha_t forgotten."""
        before = float(self.betas[at])
        return super().bonus(at, t, value, width) - before / 2.0


class NotNegative(BernsteinQLearning):
    """Bonuses cut at 0."""

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """max(b_t, 0)."""
        return max(super().bonus(at, t, value, width), 0.0)


class Undivided(BernsteinQLearning):
    """(beta_t - (1 - alpha_t) beta_{t-1}) / 2, without the rate."""

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """The rate forgotten."""
        return super().bonus(at, t, value, width) * float(self.rates[at])


_mutant = partial(plant, BernsteinQLearning)
_VARIANCE = ("variance", "beta", "bonus-formula")
_BETA = ("beta", "bonus-formula", "q-formula")
_BONUS = ("bonus-formula", "q-formula", "bonus-sum")
_BUGS = (
    *q_learning_mutants(BernsteinQLearning, ("variance",)),
    _mutant("mean-forgotten", "the second moment for the variance", MeanForgotten, _VARIANCE),
    _mutant("sums-for-means", "the square of the sum subtracted from the sum of squares", SumsForMeans, _VARIANCE),
    _mutant("not-divided", "the sum of squared deviations for the variance", NotDivided, _VARIANCE),
    _mutant("unbiased-variance", "divided by t - 1", UnbiasedVariance, _VARIANCE),
    _mutant("deviation", "the standard deviation for the variance", Deviation, _VARIANCE),
    _mutant("old-mean", "Welford's recursion with the old mean in both factors", OldMean, _VARIANCE),
    _mutant("one-step-early", "the variance of V_h", OneStepEarly, _VARIANCE),
    _mutant("variance-of-targets", "the variance of Q", VarianceOfTargets, _VARIANCE),
    _mutant("pooled-moments", "one variance for all steps", PooledMoments, _VARIANCE),
    _mutant("no-minimum", "beta without its second arm", NoMinimum, _BETA),
    _mutant("second-arm", "beta without its first arm", SecondArm, _BETA),
    _mutant("no-correction", "beta without its term of lower order", NoCorrection, _BETA),
    _mutant("no-floor", "W for W + H", NoFloor, _BETA),
    _mutant("largest", "the larger arm of beta", Largest, _BETA),
    _mutant("half-beta", "half of beta", bugs.scaled("beta", 0.5), (*_BETA, "optimism"), differs="1/2 times the formula"),
    _mutant("beta-for-bonus", "beta for the bonus", BetaForBonus, _BONUS),
    _mutant("no-difference", "beta before forgotten in the bonus", NoDifference, _BONUS),
    _mutant("plain-difference", "beta before not multiplied by 1 - alpha", PlainDifference, _BONUS),
    _mutant("not-negative", "bonuses cut at 0", NotNegative, _BONUS),
    _mutant("undivided", "the difference not divided by the rate", Undivided, _BONUS),
)
_TOLD = {
    "mean-forgotten": "without (Σ_i V_{h+1}(s′_i) / t)²",
    "sums-for-means": "without the divisor t",
    "not-divided": "t · the formula",
    "deviation": "√the formula",
    "old-mean": "with the mean before each visit",
    "one-step-early": "with V_h at the state that is left",
    "variance-of-targets": "with Q at the pair",
    "no-minimum": "without the cut at c₂",
    "no-correction": "without √(H^7 · S · A) · width / t",
    "no-floor": "without H in β_t",
    "largest": "max for min",
    "beta-for-bonus": "β_t for",
    "no-difference": "without (1 − α) · β_{t−1}",
    "plain-difference": "without α in b",
    "undivided": "without the factor α",
}
"""Words that the sentences about these bugs have to have."""
MUTANTS = telling(_BUGS, _TOLD)
