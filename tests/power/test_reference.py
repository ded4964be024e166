"""UCBVI and LSVI-UCB: correct variants pass, and there are enough bugs to tell them from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import planted
from verifier.settings.episodic import EpisodicPlan
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.ucbvi import UCBVI
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI

from ..installed import guaranteed
from .harness import check, violated

ALGORITHMS: tuple[type[Algorithm], ...] = (HoeffdingUCBVI, BernsteinUCBVI, LSVIUCB)
FAST = ("anywhere",)
SMALL = ("one-step", "one-action", "one-state", "all-rewards", "no-rewards", "cycle", "absorbing", "short-jackpot")


def test_there_are_enough() -> None:
    assert all(len(guaranteed(algorithm).mutants) >= 20 for algorithm in ALGORITHMS)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", range(2))
def test_no_bug_no_violation(algorithm: type[Algorithm], seed: int) -> None:
    """Of the error budget of 1e-3 for each check, 6e-3 in all."""
    entry = check(algorithm, (*FAST, *SMALL, "offset-rewards", "linear"), (), seed=seed, trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["selected"] == entry.counts["evaluated"] == len(guaranteed(algorithm).claims)


# Correct variants -------------------------------------------------------------------------------------------------------


class LastOfSeveral(Algorithm):
    """Ties go to the last action of largest Q."""

    def greedy(self, Q: Array) -> IntArray:
        return Q.shape[-1] - 1 - np.flip(Q, axis=-1).argmax(axis=-1)


class OtherArrays(Algorithm):
    """Arrays in Fortran order, 32-bit integers."""

    def plan(self) -> EpisodicPlan:
        plan: EpisodicPlan = super().plan()  # type: ignore[misc]  # the algorithm comes after this class
        return replace(plan, Q=np.asfortranarray(plan.Q), policy=plan.policy.astype(np.int32))


class RunningMeans(UCBVI):
    """Phat updated visit by visit, as most public code does."""

    def learn(self, states: list[int], actions: list[int]) -> None:
        if not hasattr(self, "means"):
            self.means = np.zeros_like(self.transitions)
        for state, action, following in zip(states, actions, states[1:], strict=False):
            n = self.transitions[state, action].sum() + 1.0
            self.means[state, action] *= 1.0 - 1.0 / n
            self.means[state, action, following] += 1.0 / n
            self.transitions[state, action, following] += 1.0
        self.arrivals[np.arange(len(states)), states] += 1.0

    def kernel(self, visits: Array) -> Array:
        return self.means.copy() if hasattr(self, "means") else np.zeros_like(self.transitions)


class ShermanMorrison(LSVIUCB):
    """The inverse updated step by step; norms by a solve."""

    def norm(self, phi: Array, inverse: Array) -> Array:
        return np.linalg.norm(np.linalg.solve(np.linalg.cholesky(np.linalg.inv(inverse)), phi.T), axis=0)


CORRECT: list[type[Algorithm]] = [planted(bug, original) for bug in (LastOfSeveral, OtherArrays) for original in ALGORITHMS]
CORRECT += [planted(RunningMeans, HoeffdingUCBVI), planted(RunningMeans, BernsteinUCBVI), ShermanMorrison]


@pytest.mark.parametrize("variant", CORRECT, ids=[f"{variant.__name__}-{variant.name}" for variant in CORRECT])
def test_a_correct_variant_passes(variant: type[Algorithm]) -> None:
    """Of the error budget of 1e-3 for each variant."""
    entry = check(variant, (*FAST, *SMALL), (), trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["conforms"] > 15
