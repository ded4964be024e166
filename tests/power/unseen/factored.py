"""Bugs of FMDP-CH, FMDP-BF and UCBVI-CH on a flat view of a factored problem."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier_fmdp.flat_ch.algorithm import FlatCH
from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.model import Model, Moments

from .bug import Unseen


class EpisodesInLogarithm(FMDPCH):
    @property
    def log_transition(self) -> float:
        public = self.public
        return math.log(18 * len(self.structure.states) * public.K * public.S * public.A / public.delta)


class SumOfRewardBonuses(FMDPCH):
    def total(self, rewards: Array, factors: Array) -> Array:
        return rewards.sum(axis=0) + factors.sum(axis=0)


class PairsOfFactorsOnce(FMDPCH):
    def cross(self, phi: Array) -> Array:
        later = phi.sum(axis=0) - np.cumsum(phi, axis=0)
        return self.public.H * phi * later


class RewardsOneStepLate(FMDPCH):
    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        super().learn(states, actions, np.roll(rewards, 1, axis=0))


class LargestFactorAlone(FMDPCH):
    def total(self, rewards: Array, factors: Array) -> Array:
        return rewards.mean(axis=0) + factors.max(axis=0)


class LowerOfBestAction(FMDPBF):
    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        Q = super().pessimistic(known, mean, bonus)
        return np.broadcast_to(Q.max(axis=1, keepdims=True), Q.shape)


class CorrectionOfValue(FMDPBF):
    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        return super().moments(model, above, gap)._replace(squares=super().moments(model, above, above).squares)


class DeviationForVariance(FMDPBF):
    def reward_bonus(self, model: Model, L: Array) -> Array:
        return super().reward_bonus(replace(model, reward_variance=np.sqrt(model.reward_variance)), L)


class WholeVariance(FMDPBF):
    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        found = super().moments(model, above, gap)
        return found._replace(variances=np.broadcast_to(found.variances.sum(axis=0), found.variances.shape))


class LowerNotCut(FMDPBF):
    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        return np.where(known, mean - bonus, 0.0).reshape(self.public.S, self.public.A)


class RunNotInLogarithm(FlatCH):
    @property
    def log_reward(self) -> Array:
        return np.asarray(np.log(18 * self.structure.cells_of_part / self.public.delta))


class SumOfParts(FlatCH):
    def parts(self, rewards: Array) -> Array:
        return rewards.sum(axis=1, keepdims=True)


class NewestEpisodeMissing(FlatCH):
    newest: tuple[IntArray, IntArray, Array] | None = None

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        if self.newest is not None:
            super().learn(*self.newest)
        self.newest = states, actions, rewards


BUGS = (
    Unseen(
        "episodes-in-logarithm", EpisodesInLogarithm, ("cross-term", "transition-bonus"), "L^P",
        "K in place of T in the logarithm of the bonus of transitions", "few-rivers",
    ),
    Unseen(
        "sum-of-reward-bonuses", SumOfRewardBonuses, ("q-formula",), "CB^R in Q",
        "the bonuses of the parts of the reward are summed, not averaged", "overlap", "oracle",
    ),
    Unseen(
        "largest-factor-alone", LargestFactorAlone, ("q-formula",), "sum of CB^P in Q",
        "the largest of the bonuses of the factors in place of their sum", "overlap", "oracle[bonus=error]",
    ),
    Unseen(
        "pairs-of-factors-once", PairsOfFactorsOnce, ("cross-term",), "cross term",
        "the sum over other factors l is over l > j, not over all l other than j", "three-rivers",
    ),
    Unseen(
        "rewards-one-step-late", RewardsOneStepLate, ("rewards",), "R-hat",
        "a reward is counted for the pair of the next step, the last one for that of the first step", "few-episodes",
    ),
    Unseen(
        "lower-of-best-action", LowerOfBestAction, ("lower-formula",), "policy in the lower values",
        "the largest lower value of all actions in place of that of the policy's action", "overlap", "oracle[bonus=error]",
    ),
    Unseen(
        "correction-of-value", CorrectionOfValue, ("correction",), "u",
        "u is computed from V and not from V - lower", "overlap", "oracle[bonus=error]",
    ),
    Unseen(
        "deviation-for-variance", DeviationForVariance, ("reward-bonus",), "variance in CB^R",
        "the standard deviation of the reward in place of its variance in the bonus", "few-episodes",
    ),
    Unseen(
        "whole-variance", WholeVariance, ("variance",), "variance",
        "the variance of a factor is that of all factors together", "overlap", "oracle[bonus=error]",
    ),
    Unseen(
        "lower-not-cut", LowerNotCut, ("lower-formula",), "cut of the lower values",
        "the lower values are not cut at 0", "overlap", "oracle[bonus=error]",
    ),
    Unseen(
        "run-not-in-logarithm", RunNotInLogarithm, ("q-formula",), "L^R",
        "T is left out of the logarithm of the bonus of rewards", "three-rivers", "scaled(0.001)", factor=True,
    ),
    Unseen(
        "sum-of-parts", SumOfParts, ("q-formula",), "R-hat",
        "the sum of the parts of the reward in place of their mean", "overlap", "scaled(0.001)", factor=True,
    ),
    Unseen(
        "newest-episode-missing", NewestEpisodeMissing, ("q-formula",), "data",
        "the newest episode is missing from the data", "three-rivers", "scaled(0.001)",
    ),
)  # fmt: skip
