"""LSVI-RFE: correct variants pass; bugs beside those that are shipped are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_lsvi_rfe.shared.exploration_mutants import ReadsTheReward
from verifier_settings.reward_free import ExplorationPlan, PlanningPlan, RewardFreeEnvironment

from . import rfe_variants as variants
from .harness import check, violated

CORRECT: list[type[Algorithm]] = [
    variants.LastAction, variants.RandomTies, variants.FromHistory, variants.Roots, variants.Rational, variants.OtherArrays,
    variants.OverwritesPlans, variants.CutBelow, variants.LargerRadius, variants.Turned, variants.Relabelled, variants.Textbook,
]  # fmt: skip


@pytest.mark.one_in(12)
@pytest.mark.parametrize("variant", CORRECT, ids=lambda variant: variant.__name__)
def test_a_correct_variant_passes(variant: type[Algorithm]) -> None:
    """Error budget of each variant: 1e-3."""
    entry = check(variant, ("ties", "copies", "deterministic"), trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["conforms"] > 40


class GreedyOfCut(LSVIRFE):
    """argmax of the values after they are cut: at the cap it is always the first action."""

    def greedy(self, Q: Array) -> IntArray:
        return np.asarray(np.minimum(Q, self.public.H).argmax(axis=-1))


class LateReward(LSVIRFE):
    """theta_{h+1} in place of theta_h."""

    def plan(self, theta: Array) -> PlanningPlan:
        return super().plan(np.roll(theta, -1, axis=0))


class ForgetsTheFirstEpisode(LSVIRFE):
    """Starts to learn with the second episode."""

    def run(self, env: RewardFreeEnvironment) -> Iterator[ExplorationPlan | PlanningPlan]:
        self.learned = 0
        yield from super().run(env)

    def update(self, x: Array, following: IntArray) -> None:
        self.learned += 1
        if self.learned > 1:
            super().update(x, following)


class StartInTheLastDigit(LSVIRFE):
    """Plans that know where their episode starts, by less than rounding: nothing but two runs can tell."""

    def begin(self, env: RewardFreeEnvironment) -> int:
        self.start = super().begin(env)
        return self.start

    def explore(self) -> ExplorationPlan:
        plan = super().explore()
        return replace(plan, Q=plan.Q * (1 + 4e-16 * self.start))


class RewardInTheLastDigit(ReadsTheReward):
    """Plans that know a reward before it is revealed, by less than rounding: what is played is the same."""

    def explore(self) -> ExplorationPlan:
        plan = LSVIRFE.explore(self)
        return replace(plan, Q=plan.Q * (1 + 4e-16 * self.__dict__["ahead"]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("bug", "instance", "claim", "trials"),
    [
        (GreedyOfCut, "simplex", "greedy", 1),
        (LateReward, "simplex", "planning-q-formula", 1),
        (ForgetsTheFirstEpisode, "copies", "gram", 1),
        (StartInTheLastDigit, "spread", "plans-before-start", 4),
        (RewardInTheLastDigit, "simplex", "reward-free", 1),
    ],
)
def test_another_bug_is_found(bug: type[Algorithm], instance: str, claim: str, trials: int) -> None:
    assert claim in violated(check(bug, (instance,), ("published",), trials=trials, share=1.0))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("algorithm", "instance", "verdict"),
    [
        (LSVIRFE, "simplex", "conforms"),
        (LSVIRFE, "two-states", "conforms"),
        (LSVIRFE, "one-episode", "conforms"),
        (ReadsTheReward, "one-episode", "violated"),
    ],
)
def test_exploration_is_free_of_rewards_at_the_calibrated_radius_too(
    algorithm: type[Algorithm], instance: str, verdict: str
) -> None:
    """The radius is read off runs that plan for the rewards of the trial: the run with other rewards has to be given the same."""
    entry = check(algorithm, (instance,), ("calibrated",), trials=1, share=1.0)
    assert [claim.verdict for claim in entry.claims if claim.name == "reward-free"] == [verdict]
