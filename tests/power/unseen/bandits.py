"""Bugs of bandits."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import beta as beta_law

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_bandits.exp3.algorithm import EXP3
from verifier_bandits.kl_ucb.algorithm import KLUCB
from verifier_bandits.moss.algorithm import MOSS
from verifier_bandits.oful.algorithm import OFUL
from verifier_bandits.thompson.algorithm import ThompsonSampling
from verifier_bandits.ucb1.algorithm import UCB1
from verifier_settings.episodic import Public

from .bug import Unseen


class DividesByShare(EXP3):
    def estimated(self, arm: int, reward: float) -> Array:
        estimate = np.zeros(self.public.A)
        estimate[arm] = reward / self.shares(self.weights)[arm]
        return estimate


class DrawsFromShares(EXP3):
    def draw(self, chances: Array) -> int:
        return super().draw(self.shares(self.weights))


class LinearGrowth(EXP3):
    def updated(self, weights: Array, estimate: Array) -> Array:
        grown = weights * (1.0 + self.gamma * estimate / self.public.A)
        return np.asarray(grown / grown.max())


class RoundBefore(KLUCB):
    def level(self, t: float) -> float:
        return super().level(max(t - 1.0, 2.0))


class SearchesFromZero(KLUCB):
    def search(self, p: float, level: float) -> float:
        low, high = 0.0, 1.0
        while high - low > 1e-12:
            middle = (low + high) / 2
            if self.divergence(p, middle) <= level:
                low = middle
            else:
                high = middle
        return low


class EightHalvings(KLUCB):
    def search(self, p: float, level: float) -> float:
        low, high = p, 1.0
        for _ in range(8):
            middle = (low + high) / 2
            if middle < 1.0 and self.divergence(p, middle) <= level:
                low = middle
            else:
                high = middle
        return low


class RoundsSoFar(MOSS):
    def bonus(self, n: float, N: Array) -> Array:
        return np.sqrt(np.maximum(np.log(n / (self.public.A * N)), 0.0) / N)


class LogarithmAtLeastOne(MOSS):
    def bonus(self, n: float, N: Array) -> Array:
        return np.sqrt(np.maximum(np.log(self.public.K / (self.public.A * N)), 1.0) / N)


class MeanOfOneMore(MOSS):
    def mean(self, counted: Array) -> Array:
        return self.earned / (counted + 1.0)


class DeterminantBefore(OFUL):
    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.before = self.gram

    def learn(self, x: Array, reward: float) -> None:
        self.before = self.gram
        super().learn(x, reward)

    def radius(self, gram: Array) -> float:
        return super().radius(self.before)


class RidgeNotRooted(OFUL):
    def bias(self) -> float:
        return self.public.ridge * self.public.B


class FeaturesTransposed(OFUL):
    def features(self, state: int, action: int) -> Array:
        return np.asarray(self.public.phi[action * self.public.S + state])


class CountsPlaysAsFailures(ThompsonSampling):
    def posterior(self) -> tuple[Array, Array]:
        return self.earned + 1.0, self.visits + 1.0


class OneUniformForAllArms(ThompsonSampling):
    def sample(self, alpha: Array, beta: Array) -> Array:
        return np.asarray(beta_law.ppf(self.rng.random(), alpha, beta))


class KeepsDraws(ThompsonSampling):
    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.kept: Array = np.zeros(public.A)
        self.seen: Array = np.full(public.A, -1.0)

    def sample(self, alpha: Array, beta: Array) -> Array:
        self.kept = np.where(self.visits > self.seen, super().sample(alpha, beta), self.kept)
        self.seen = self.visits.copy()
        return self.kept


class DecimalLogarithm(UCB1):
    def bonus(self, n: float, N: Array) -> Array:
        return np.sqrt(2 * np.log10(n) / N)


class UnplayedAtHighest(UCB1):
    def unplayed(self) -> float:
        return self.public.high


class RootOfLogarithmAlone(UCB1):
    def bonus(self, n: float, N: Array) -> Array:
        return math.sqrt(2 * math.log(n)) / N


BUGS = (
    Unseen(
        "divides-by-share", DividesByShare, ("estimate-formula",), "p in the estimate",
        "the reward is divided by the share of the weight, not by the probability with which the arm is drawn",
        "adversary-graded",
    ),
    Unseen(
        "draws-from-shares", DrawsFromShares, ("drawn-arms",), "law of the arm",
        "the arm is drawn from the shares of the weights, without the uniform law that is mixed in",
        "adversary-constant", trials=4,
    ),
    Unseen(
        "linear-growth", LinearGrowth, ("weights",), "w",
        "weights are multiplied with 1 + gamma x-hat / A in place of exp(gamma x-hat / A)", "adversary-graded",
    ),
    Unseen(
        "round-before", RoundBefore, ("index-formula",), "t in the level",
        "t - 1, the rounds so far, in place of t, the round that is planned, in the level", "bandit-five",
    ),
    Unseen(
        "searches-from-zero", SearchesFromZero, ("index-formula", "upper-root"), "root of the divergence",
        "the bisection begins with [0, 1] in place of [mean, 1], and ends at 0 where it once looks below the mean", "bandit-two",
    ),
    Unseen(
        "eight-halvings", EightHalvings, ("index-formula",), "precision of the index",
        "the bisection ends after 8 halvings: the index is too small by up to (1 - mean) / 256", "bandit-two",
    ),
    Unseen(
        "rounds-so-far", RoundsSoFar, ("bonus-formula",), "K in the bonus",
        "the rounds so far in place of K, all rounds of the run, in the logarithm of the bonus", "bandit-two",
    ),
    Unseen(
        "logarithm-at-least-one", LogarithmAtLeastOne, ("bonus-formula",), "cut of the logarithm",
        "the logarithm of the bonus is cut at 1 from below in place of 0", "bandit-five",
    ),
    Unseen(
        "mean-of-one-more", MeanOfOneMore, ("reward",), "mean reward",
        "N + 1 in place of N in the mean of the rewards", "bandit-two",
    ),
    Unseen(
        "determinant-before", DeterminantBefore, ("radius-formula",), "V in the radius",
        "the determinant in the radius is that of V one round before", "linear-bandit-random",
    ),
    Unseen(
        "ridge-not-rooted", RidgeNotRooted, ("radius-formula",), "sqrt(lambda) in the radius",
        "lambda B in place of sqrt(lambda) B in the radius", "linear-bandit-constants",
    ),
    Unseen(
        "features-transposed", FeaturesTransposed, ("gram", "regression"), "features learned from",
        "rows of the table of features are looked up as action * S + state in place of state * A + action",
        "linear-bandit-random",
    ),
    Unseen(
        "counts-plays-as-failures", CountsPlaysAsFailures, ("failures",), "F",
        "all plays of an arm count as failures, those that paid too", "bandit-two",
    ),
    Unseen(
        "one-uniform-for-all-arms", OneUniformForAllArms, ("beta-law",), "joint law of the draws",
        "one uniform number is mapped to the draws of all arms of a round, which therefore are not independent", "bandit-five",
        trials=4,
    ),
    Unseen(
        "keeps-draws", KeepsDraws, ("beta-law",), "when draws are made",
        "an arm keeps its draw until it is played again", "bandit-five", trials=4,
    ),
    Unseen(
        "decimal-logarithm", DecimalLogarithm, ("bonus-formula",), "ln in the bonus",
        "log10 n in place of ln n in the bonus", "bandit-two", factor=True,
    ),
    Unseen(
        "unplayed-at-highest", UnplayedAtHighest, ("largest-index",), "index of arms never played",
        "an arm that was never played counts as one of index 1, the largest reward, so that indices above 1 go first",
        "bandit-five",
    ),
    Unseen(
        "root-of-logarithm-alone", RootOfLogarithmAlone, ("bonus-formula",), "N in the bonus",
        "sqrt(2 ln n) / N in place of sqrt(2 ln n / N)", "bandit-two",
    ),
)  # fmt: skip
