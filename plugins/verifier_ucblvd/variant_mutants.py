"""Realistic bugs planted in Algorithms 3, 4 and 5."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from verifier.arrays import Array
from verifier.mutant import Mutant
from verifier.settings.lifelong import Public
from verifier_ucblvd.base import LeastSquaresValueIteration
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.least_squares import ContextLeastSquares
from verifier_ucblvd.modified import ModifiedUCBlvd
from verifier_ucblvd.mutants import (
    GramTwice,
    clipped_at,
    greedy,
    scaled_bonus,
    squared_bonus,
    with_data,
    wrong_step_target,
)
from verifier_ucblvd.sharing import LifelongLSVISharing
from verifier_ucblvd.unknown_rewards import UCBlvdUnknownRewards


def modified_mutants() -> tuple[Mutant, ...]:
    """Mutants of Algorithm 4."""

    class UnsignedL(ModifiedUCBlvd):
        @classmethod
        def multiplier(cls, public: Public) -> float:
            return 2.0 * float(public.coefficients.sum(axis=-1).max())

    class BlockOrder(ModifiedUCBlvd):
        def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
            found = super().distil(h, target, estimate, beta)
            return replace(found, xi=np.roll(found.xi, 1))

    class NoProjection(ModifiedUCBlvd):
        def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
            return replace(super().distil(h, target, estimate, beta), theta=estimate)

    class FirstStep(ModifiedUCBlvd):
        def triggered(self, growth: Array) -> bool:
            return bool(growth[0] > 1)

    chain = ("distillation-error", "optimism", "q-formula")
    return (
        Mutant("small-bonus", "bonus scaled to a hundredth", scaled_bonus(ModifiedUCBlvd, 0.01), chain),
        Mutant("squared-bonus", "the square root of the bonus forgotten", squared_bonus(ModifiedUCBlvd), chain),
        Mutant("wrong-step-target", "V_{h+2} regressed", wrong_step_target(ModifiedUCBlvd), ("regression", "value-function")),
        Mutant("unsigned-l", "L without absolute values", UnsignedL, ("q-formula",)),
        Mutant("block-shift", "xi shifted by one", BlockOrder, ("program-value",)),
        Mutant("no-projection", "theta reported where the program moved it", NoProjection, ("program-value",)),
        Mutant("gram-twice", "Lambda updated twice per step", with_data(ModifiedUCBlvd, GramTwice), ("gram", "regression")),
        Mutant("trigger-first-step", "trigger looks at h = 1 only", FirstStep, ("trigger", "growth-in-force")),
        Mutant("greedy", "no bonus", greedy(ModifiedUCBlvd), chain),
    )  # fmt: skip


def unknown_rewards_mutants() -> tuple[Mutant, ...]:
    """Mutants of Algorithm 3."""

    class NoRewardBonus(UCBlvdUnknownRewards):
        def reward(self, h: int) -> Array:
            self.width(h, of="reward")
            return self.public.psi @ self.reward_estimate[h]

    class SwappedWidths(UCBlvdUnknownRewards):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.width: Any = Swapped(self.width)

    class Swapped:
        def __init__(self, honest: Any) -> None:
            self.honest, self.error, self.last = honest, honest.error, 0.0

        def __call__(self, h: int, target: Array | None = None, of: str = "transition") -> float:
            if of == "transition":
                self.last = self.honest(h, target)
                return float(self.honest(h, of="reward"))
            return float(self.last)

    class PhiTriggerOnly(UCBlvdUnknownRewards):
        def triggered(self, growth: Array) -> bool:
            return bool((growth[: self.public.H] > 1).any())

    class RewardOfPreviousTask(UCBlvdUnknownRewards):
        previous = 0

        def learn(self, column: int, states: list[int], actions: list[int], rewards: list[float]) -> None:
            LeastSquaresValueIteration.learn(self, column, states, actions, rewards)
            self.context_data.add(self.previous, states, actions, rewards)
            self.previous = column

    return (
        Mutant("no-reward-bonus", "the bonus on psi forgotten", NoRewardBonus, ("q-formula", "optimism")),
        Mutant("swapped-widths", "beta and beta-tilde swapped", SwappedWidths, ("q-formula",)),
        Mutant("trigger-phi-only", "the Gram matrices of psi never trigger", PhiTriggerOnly, ("trigger", "growth-in-force")),
        Mutant("previous-task", "rewards attributed to the task before", RewardOfPreviousTask, ("psi-gram", "reward-regression")),
        Mutant("quarter-bonus", "bonus scaled to a quarter", scaled_bonus(UCBlvdUnknownRewards, 0.25), ("optimism", "q-formula")),
        Mutant("gram-twice", "Lambda updated twice per step", with_data(UCBlvdUnknownRewards, GramTwice), ("gram", "regression")),
        Mutant("wrong-step-target", "V_{h+2} regressed", wrong_step_target(UCBlvdUnknownRewards), ("regression",)),
    )  # fmt: skip


def sharing_mutants() -> tuple[Mutant, ...]:
    """Mutants of Algorithm 5."""

    class WrongTask(ContextLeastSquares):
        def add(self, context: int, states: list[int], actions: list[int], rewards: list[float]) -> None:
            before = self.transitions.copy()
            super().add(context, states, actions, rewards)
            self.transitions = before + np.roll(self.transitions - before, 1, axis=3)

    class Twice(ContextLeastSquares):
        def add(self, context: int, states: list[int], actions: list[int], rewards: list[float]) -> None:
            before = self.gram.copy()
            super().add(context, states, actions, rewards)
            self.gram += self.gram - before

    class WrongTaskTargets(LifelongLSVISharing):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.context_data = WrongTask(self.public)

    class GramOfPsiTwice(LifelongLSVISharing):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.context_data = Twice(self.public)

    class Never(LifelongLSVISharing):
        def triggered(self, growth: Array) -> bool:
            return False

    class FirstStep(LifelongLSVISharing):
        def triggered(self, growth: Array) -> bool:
            return bool(growth[0] > 1)

    chain = ("bonus-validity", "optimism", "q-formula")
    return (
        Mutant("wrong-task", "V at the next task in the regression", WrongTaskTargets, ("psi-regression",)),
        Mutant("gram-twice", "Lambda-tilde updated twice per step", GramOfPsiTwice, ("psi-gram",)),
        Mutant("trigger-never", "never replans", Never, ("trigger", "growth-in-force")),
        Mutant("trigger-first-step", "trigger looks at h = 1 only", FirstStep, ("trigger", "growth-in-force")),
        Mutant("half-bonus", "half the bonus", scaled_bonus(LifelongLSVISharing, 0.5), chain),
        Mutant("squared-bonus", "the square root of the bonus forgotten", squared_bonus(LifelongLSVISharing), chain),
        Mutant("wrong-step-target", "V_{h+2} regressed", wrong_step_target(LifelongLSVISharing), ("psi-regression",)),
        Mutant("clip-at-one", "V clipped at 1", clipped_at(LifelongLSVISharing, 1.0), ("value-function",)),
        Mutant("greedy", "no bonus", greedy(LifelongLSVISharing), chain),
    )  # fmt: skip
