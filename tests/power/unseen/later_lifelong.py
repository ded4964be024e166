"""Later bugs of Lifelong-LSVI, of its variant with computation sharing, of UCBlvd, and of UCBlvd with unknown rewards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongPlan, Public
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.least_squares import LeastSquares
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing
from verifier_ucblvd.ucblvd.algorithm import UCBlvd
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards

from .bug import Unseen


class FirstTasks(UCBlvd):
    def plan(self) -> LifelongPlan:
        public, data = self.public, self.data
        reps = list(public.representatives)
        inverse = data.inverse()
        bonus = self.multiplier(public) * self.bonus(inverse)
        V: Array = np.zeros((public.H + 1, public.S, public.W))
        Q = np.empty((public.H, public.S, public.A, public.W))
        estimate, theta = np.empty((2, public.H, public.d, public.n))
        xi = np.empty((public.H, public.dp))
        for h in reversed(range(public.H)):
            target = self.target(V, h)[:, : public.n]
            beta = self.width(h, target)
            estimate[h] = inverse[h] @ (data.transitions[h] @ target)
            distilled = self.distil(h, target, estimate[h], beta)
            theta[h], xi[h] = distilled.theta, distilled.xi
            mean = self.reward(h) + public.psi @ xi[h]
            Q[h] = self.optimistic(mean, beta * bonus[h][:, None]).reshape(public.S, public.A, public.W)
            V[h] = self.value(Q[h])
        return LifelongPlan(np.arange(public.W), np.array(reps), Q, self.greedy_policy(Q), data.gram.copy(), estimate, theta, xi)


class ShiftedTasksRegressed(UCBlvd):
    def plan(self) -> LifelongPlan:
        public, data = self.public, self.data
        reps = list(public.representatives)
        inverse = data.inverse()
        bonus = self.multiplier(public) * self.bonus(inverse)
        V: Array = np.zeros((public.H + 1, public.S, public.W))
        Q = np.empty((public.H, public.S, public.A, public.W))
        estimate, theta = np.empty((2, public.H, public.d, public.n))
        xi = np.empty((public.H, public.dp))
        for h in reversed(range(public.H)):
            target = self.target(V, h)[:, reps]
            beta = self.width(h, target)
            estimate[h] = inverse[h] @ (data.transitions[h] @ V[h + 1][:, [*range(1, public.n), 0]])
            distilled = self.distil(h, target, estimate[h], beta)
            theta[h], xi[h] = distilled.theta, distilled.xi
            mean = self.reward(h) + public.psi @ xi[h]
            Q[h] = self.optimistic(mean, beta * bonus[h][:, None]).reshape(public.S, public.A, public.W)
            V[h] = self.value(Q[h])
        return LifelongPlan(np.arange(public.W), np.array(reps), Q, self.greedy_policy(Q), data.gram.copy(), estimate, theta, xi)


class XiRhoMajor(UCBlvd):
    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        found = super().distil(h, target, estimate, beta)
        return replace(found, xi=found.xi.reshape(self.public.d, -1).ravel(order="F"))


class SumOfGrowths(UCBlvd):
    def left(self, growth: Array) -> Array:
        return np.full_like(growth, 1.0 - growth.sum())

    def patience(self, growth: Array) -> Array | None:
        return None


class StaleGram(UCBlvd):
    old: Array | None = None

    def bonus(self, inverse: Array) -> Array:
        used = inverse if self.old is None else self.old
        self.old = inverse
        return super().bonus(used)


class DataOfOwnTask(LifelongLSVI):
    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.sets: dict[int, LeastSquares] = {}

    def plan(self, context: int) -> LifelongPlan:
        self.data = self.sets.setdefault(context, LeastSquares(self.public))
        return super().plan(context)


class RewardOfTaskBefore(LifelongLSVI):
    before: int | None = None

    def plan(self, context: int) -> LifelongPlan:
        before = context if self.before is None else self.before
        self.before = context
        public, data = self.public, self.data
        inverse = data.inverse()
        bonus = self.multiplier(public) * self.bonus(inverse)
        V: Array = np.zeros((public.H + 1, public.S, 1))
        Q = np.empty((public.H, public.S, public.A, 1))
        estimate = np.empty((public.H, public.d, 1))
        for h in reversed(range(public.H)):
            target = self.target(V, h)
            beta = self.width(h, target)
            estimate[h] = inverse[h] @ (data.transitions[h] @ target)
            mean = public.reward[h, :, before] + (public.phi @ estimate[h])[:, 0]
            Q[h] = self.optimistic(mean, beta * bonus[h]).reshape(public.S, public.A, 1)
            V[h] = self.value(Q[h])
        contexts = np.array([context])
        return LifelongPlan(contexts, contexts, Q, self.greedy_policy(Q), data.gram.copy(), estimate)


class TargetOfLastTask(LifelongLSVISharing):
    last = 0

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        super().learn(contexts, states, actions, rewards)
        self.last = int(contexts[-1])

    def plan(self) -> LifelongPlan:
        public, data = self.public, self.context_data
        inverse = data.inverse()
        bonus = self.multiplier(public) * self.bonus(inverse)
        V: Array = np.zeros((public.H + 1, public.S, public.W))
        Q = np.empty((public.H, public.S, public.A, public.W))
        nu = np.empty((public.H, public.dp))
        for h in reversed(range(public.H)):
            target = self.target(V, h)
            beta = self.width(h, target, of="value")
            nu[h] = inverse[h] @ np.einsum("isw,s->i", data.transitions[h], target[:, self.last])
            mean = public.reward[h] + public.psi @ nu[h]
            Q[h] = self.optimistic(mean, beta * bonus[h]).reshape(public.S, public.A, public.W)
            V[h] = self.value(Q[h])
        every = np.arange(public.W)
        return LifelongPlan(every, every, Q, self.greedy_policy(Q), psi_gram=data.gram.copy(), psi_estimate=nu)


class OneTaskBehind(LifelongLSVISharing):
    before: int | None = None

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        first = int(contexts[0]) if self.before is None else self.before
        self.before = int(contexts[-1])
        super().learn(np.concatenate([[first], contexts[:-1]]), states, actions, rewards)


class GreedyForMeanTask(LifelongLSVISharing):
    def greedy_policy(self, Q: Array) -> IntArray:
        best = Q.mean(axis=-1, keepdims=True).argmax(axis=-2)
        return np.broadcast_to(best, (*best.shape[:-1], Q.shape[-1])).copy()


class RewardsOfNextStep(UCBlvdUnknownRewards):
    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        super().learn(contexts, states, actions, np.roll(rewards, -1, axis=1))


BUGS = (
    Unseen(
        "first-tasks", FirstTasks, ("regression",), "V in the regression",
        "theta-hat(w^(j)) is regressed on V of task j, not of the j-th representative", "later-representatives", "oracle",
    ),
    Unseen(
        "shifted-tasks-regressed", ShiftedTasksRegressed, ("regression",), "V in the regression",
        "theta-hat(w^(j)) is regressed on V of the representative after it, j+1", "onehot", "oracle",
    ),
    Unseen(
        "xi-rho-major", XiRhoMajor, ("program-value-any", "program-value"), "xi",
        "xi is flattened rho-major, while psi is phi-major", "onehot", "oracle",
    ),
    Unseen(
        "sum-of-growths", SumOfGrowths, ("trigger",), "trigger",
        "replans when the growths of all steps add up to more than 1", "onehot", "oracle",
    ),
    Unseen(
        "stale-gram", StaleGram, ("q-formula",), "Lambda in the bonus",
        "the bonus has Lambda of the plan before", "onehot", "oracle",
    ),
    Unseen(
        "data-of-own-task", DataOfOwnTask, ("gram",), "data",
        "only the episodes of the task at hand are in Lambda and the sums", "onehot", "oracle",
    ),
    Unseen(
        "reward-of-task-before", RewardOfTaskBefore, ("q-formula",), "r",
        "the reward is that of the task of the episode before", "round-robin", "oracle",
    ),
    Unseen(
        "target-of-last-task", TargetOfLastTask, ("psi-regression",), "V in the regression",
        "V(s', w) of the last task that was met, in place of w_t, for all data", "onehot", "oracle",
    ),
    Unseen(
        "one-task-behind", OneTaskBehind, ("psi-gram",), "w_t",
        "psi of the data has the task of the episode before", "onehot", "oracle",
    ),
    Unseen(
        "greedy-for-mean-task", GreedyForMeanTask, ("greedy",), "pi",
        "argmax of the mean of Q over tasks, for all tasks", "onehot", "oracle",
    ),
    Unseen(
        "rewards-of-next-step", RewardsOfNextStep, ("reward-regression",), "r_t",
        "eta-hat_h is regressed on the reward of step h+1 (of step 1 at the last)", "onehot", "oracle",
    ),
)  # fmt: skip
