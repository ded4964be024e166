"""Bugs of Lifelong-LSVI, of its variant with computation sharing, and of the three UCBlvd."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier_ucblvd.distillation import SpanDistillation
from verifier_ucblvd.least_squares import elliptical_norm
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.modified.algorithm import ModifiedUCBlvd
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing
from verifier_ucblvd.ucblvd.algorithm import UCBlvd
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards
from verifier_ucblvd.widths import C_PSI, C

from .bug import Unseen


class GramOfNextStep(LifelongLSVI):
    def bonus(self, inverse: Array) -> Array:
        return super().bonus(np.roll(inverse, -1, axis=0))


class DimensionWithoutRoot(LifelongLSVI):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        logarithm = math.log(public.d * public.dp * public.T / public.delta)
        return C * public.H * (public.d + public.dp) * math.sqrt(max(public.ridge, 1.0) * logarithm)


class ValuesOfPlanBefore(LifelongLSVI):
    before: Array | None = None

    def plan(self, context: int) -> LifelongPlan:
        plan = super().plan(context)
        self.before = np.concatenate([self.value_of(plan), np.zeros((1, self.public.S, 1))])
        return plan

    def value_of(self, plan: LifelongPlan) -> Array:
        return np.stack([self.value(Q) for Q in plan.Q])

    def target(self, V: Array, h: int) -> Array:
        return super().target(V if self.before is None else self.before, h)


class WorstAction(LifelongLSVI):
    def greedy_policy(self, Q: Array) -> IntArray:
        return Q.argmin(axis=-2)


class TaskOfEpisodeBefore(LifelongLSVISharing):
    last = 0

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        super().learn(np.concatenate([[self.last], contexts[:-1]]), states, actions, rewards)
        self.last = int(contexts[-1])


class OtherDimension(LifelongLSVISharing):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return C_PSI * public.H * public.d * math.sqrt(math.log(public.dp * public.T / public.delta))


class GrowthSinceStart(LifelongLSVISharing):
    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        plan, start = None, self.log_det()
        while env.episode < self.public.K:
            env.begin_episode()
            if plan is None or (self.left(self.log_det() - start) < 0).any():
                plan = self.plan()
                yield plan
            self.play(env, plan)


class RewardOfNextStep(UCBlvd):
    def reward(self, h: int) -> Array:
        return super().reward(min(h + 1, self.public.H - 1))


class RootOfL(UCBlvd):
    @classmethod
    def multiplier(cls, public: Public) -> float:
        return 2.0 * math.sqrt(public.L)


class OneActionForAllTasks(UCBlvd):
    def greedy_policy(self, Q: Array) -> IntArray:
        best = Q.mean(axis=-1, keepdims=True).argmax(axis=-2)
        return np.broadcast_to(best, (*best.shape[:-1], Q.shape[-1])).copy()


class DimensionNotInLogarithm(ModifiedUCBlvd):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        logarithm = math.log(public.dp * public.T / public.delta)
        return C * public.H * (public.d + math.sqrt(public.dp)) * math.sqrt(max(public.ridge, 1.0) * logarithm)


class _FeaturesOfFirst(SpanDistillation):
    def features(self) -> tuple[list[Array], list[Array]]:
        phi, psi = super().features()
        return [phi[0]] * len(phi), [psi[0]] * len(psi)


class FeaturesOfFirstTask(ModifiedUCBlvd):
    def __init__(self, public: Public, width: Width) -> None:
        super().__init__(public, width)
        self.distillation = _FeaturesOfFirst(public)


class MeanOfActions(ModifiedUCBlvd):
    def value(self, Q: Array) -> Array:
        return np.minimum(Q.mean(axis=1), float(self.public.H))


class NoRidgeInRewards(UCBlvdUnknownRewards):
    def plan(self) -> LifelongPlan:
        gram, ridge = self.context_data.gram, self.public.ridge * np.eye(self.public.dp)
        bare = np.linalg.pinv(gram - ridge, rcond=1e-9, hermitian=True)
        rewards = self.context_data.rewards
        self.context_data.rewards = np.einsum("hij,hjk,hk->hi", gram, bare, rewards)
        plan = super().plan()
        self.context_data.rewards = rewards
        return plan


class RewardsOneStepEarly(UCBlvdUnknownRewards):
    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        super().learn(contexts, states, actions, np.roll(rewards, -1, axis=1))


class SquaredNormInRewardBonus(UCBlvdUnknownRewards):
    def reward(self, h: int) -> Array:
        psi = self.public.psi
        return psi @ self.reward_estimate[h] + self.width(h, of="reward") * elliptical_norm(psi, self.psi_inverse[h]) ** 2


BUGS = (
    Unseen(
        "gram-of-next-step", GramOfNextStep, ("q-formula",), "Lambda in the bonus",
        "Lambda_{h+1}, at the last step Lambda_1, in place of Lambda_h in the bonus", "few-representatives",
    ),
    Unseen(
        "dimension-without-root", DimensionWithoutRoot, ("width",), "d' in beta",
        "d' in place of its root in beta", "rank-deficient", factor=True,
    ),
    Unseen(
        "values-of-plan-before", ValuesOfPlanBefore, ("regression", "value-function"), "V in the regression",
        "the regression is on the values of the plan before", "few-representatives", "oracle",
    ),
    Unseen(
        "worst-action", WorstAction, ("greedy",), "policy",
        "the action of the least Q in place of that of the largest", "onehot", "oracle",
    ),
    Unseen(
        "task-of-episode-before", TaskOfEpisodeBefore, ("psi-gram",), "task in the data",
        "an episode is added to the data with the task of the episode before", "few-representatives",
    ),
    Unseen(
        "other-dimension", OtherDimension, ("width",), "d' in beta",
        "d in place of d' before the root in beta", "rank-deficient", factor=True,
    ),
    Unseen(
        "growth-since-start", GrowthSinceStart, ("trigger",), "growth in the trigger",
        "the growth of the determinant is that since the start, not since the last plan", "few-representatives",
    ),
    Unseen(
        "reward-of-next-step", RewardOfNextStep, ("q-formula",), "r in Q",
        "r_{h+1} in place of r_h in Q, at all steps but the last", "few-representatives",
    ),
    Unseen(
        "root-of-l", RootOfL, ("q-formula",), "L in the bonus",
        "the root of L in place of L in the bonus", "signed-contexts", "oracle", factor=True,
    ),
    Unseen(
        "one-action-for-all-tasks", OneActionForAllTasks, ("greedy",), "policy",
        "the policy is greedy in the mean of Q over the tasks", "onehot", "oracle",
    ),
    Unseen(
        "dimension-not-in-logarithm", DimensionNotInLogarithm, ("width",), "d in beta",
        "d is left out of the logarithm in beta", "rank-deficient", factor=True,
    ),
    Unseen(
        "features-of-first-task", FeaturesOfFirstTask, ("program-value",), "psi in the program",
        "the program has the features of the first task for all tasks", "later-representatives",
    ),
    Unseen(
        "mean-of-actions", MeanOfActions, ("value-function",), "max in V",
        "the mean over the actions in place of the largest Q in V", "onehot", "oracle",
    ),
    Unseen(
        "no-ridge-in-rewards", NoRidgeInRewards, ("reward-regression",), "ridge in the rewards' regression",
        "the regression of the rewards has no ridge", "one-feature",
    ),
    Unseen(
        "rewards-one-step-early", RewardsOneStepEarly, ("reward-regression",), "r in the rewards' regression",
        "the reward of the next step, at the last step of the first one, in place of r_h in the regression of the rewards",
        "one-feature",
    ),
    Unseen(
        "squared-norm-in-reward-bonus", SquaredNormInRewardBonus, ("q-formula",), "norm in the bonus of rewards",
        "the squared norm of psi in place of its norm in the bonus of rewards", "one-feature",
    ),
)  # fmt: skip
