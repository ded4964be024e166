"""Bugs planted in UCBlvd with unknown rewards (Algorithm 3)."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier.model.width import Width
from verifier_settings.lifelong import Public
from verifier_ucblvd.shared.distillation_mutants import BlockShift
from verifier_ucblvd.shared.mutants import OtherData, play_mutants, width_mutants
from verifier_ucblvd.shared.switching_mutants import Trigger, plans_in_secret, replans_always
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards


class NoRewardBonus(UCBlvdUnknownRewards):
    """beta-tilde asked for and ignored."""

    def reward(self, h: int) -> Array:
        """The estimate, which is no upper bound."""
        self.width(h, of="reward")
        return self.public.psi @ self.reward_estimate[h]


class SwappedWidths(UCBlvdUnknownRewards):
    """beta and beta-tilde swapped."""

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        beta = 0.0

        def other(of: str, h: int, target: Array) -> float:
            nonlocal beta
            if of == "reward":
                return beta
            beta = width(h, target)
            return width(h, of="reward")

        super().__init__(public, Width(other), minimiser)


class RewardOfPreviousTask(UCBlvdUnknownRewards):
    """An episode counts for the context of the one before in the regression on psi."""

    previous = 0

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes."""
        super().learn(np.append(self.previous, contexts[:-1]), states, actions, rewards)
        self.previous = int(contexts[-1])


def _phi_only(growth: Array) -> bool:
    """Whether to replan, from the first H log determinants, those of Lambda."""
    return bool((growth[: len(growth) // 2] > 1.0).any())


_mutant = partial(plant, UCBlvdUnknownRewards)
_GROWTH = ("trigger", "growth-in-force")
_PSI = ("psi-potential", "psi-sum-of-bonuses", "psi-stale-bonus")
DIFFERS = {
    "no-reward-bonus": "without β̃ · ‖ψ‖",
    "quarter-bonus": "1/4 times",
    "trigger-phi-only": "of phi alone",
    "trigger-never": "never planned again",
    "gram-twice": "2 times the data",
    "wrong-step-target": "the formula of step h + 1",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        _mutant("no-reward-bonus", "the bonus on psi forgotten", NoRewardBonus, ("q-formula", "optimism")),
        _mutant("swapped-widths", "beta and beta-tilde swapped", SwappedWidths, ("q-formula",)),
        _mutant("trigger-phi-only", "the Gram matrices of psi are not watched", Trigger, _GROWTH, rule=_phi_only),
        _mutant("trigger-never", "never replans", Trigger, (*_GROWTH, "planning-calls-least", *_PSI), rule=lambda g: False),
        replans_always(UCBlvdUnknownRewards),
        _mutant("block-shift", "xi shifted by one", BlockShift, ("program-value", "distillation-error-half")),
        plans_in_secret(UCBlvdUnknownRewards),
        _mutant(
            "previous-task", "rewards attributed to the task before", RewardOfPreviousTask, ("psi-gram", "reward-regression")
        ),
        _mutant("quarter-bonus", "bonus scaled to a quarter", bugs.scaled("bonus", 0.25), ("q-formula", "optimism")),
        _mutant("gram-twice", "Lambda updated twice per step", OtherData, ("gram", "regression"), statistics=bugs.twice("grow")),
        _mutant("wrong-step-target", "V_{h+2} regressed", bugs.wrong_step("target"), ("value-function", "regression")),
        *play_mutants(UCBlvdUnknownRewards),
        *width_mutants(UCBlvdUnknownRewards),
    ),
    DIFFERS,
)
