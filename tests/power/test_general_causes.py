"""Sentences on mistakes in agents of many settings that general mechanisms tell: brackets, axes, repeats, other divergences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.power.unseen.bug import Unseen
from tests.power.unseen.bugs import run
from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier_bandits.kl_ucb.algorithm import KLUCB
from verifier_bandits.thompson.algorithm import ThompsonSampling
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_reference.ucb_bernstein.algorithm import C1, BernsteinQLearning
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_reference.ucrl_vtr.algorithm import UCRLVTR
from verifier_ucblvd.ucblvd.algorithm import UCBlvd


class TwoLogarithms(UCRL2):
    """The factor 2 stands beside the logarithm."""

    def radius(self, visits: Array) -> Array:
        public = self.public
        return np.sqrt(14 * public.S * 2 * math.log(public.A * self.time() / public.delta) / visits)


class BracketInLogarithm(RFUCRL):
    """The divisor is that of the sum."""

    def states(self, n: Array) -> Array:
        others = self.public.S - 1
        return np.asarray(others * np.log(math.e * (1 + n) / max(others, 1)))


class TwoRoots(UCRLVTR):
    """Each term has a root of its own."""

    def radius(self, gram: Array) -> float:
        chance = math.sqrt(2 * math.log(1 / self.public.delta))
        return self.bias() + self.deviation() * (chance + math.sqrt(self.growth(gram)))


class MeanOfTasks(UCBlvd):
    """The reward of a task is the mean of all."""

    def reward(self, h: int) -> Array:
        rewards = self.public.reward[h]
        return np.broadcast_to(rewards.mean(axis=-1, keepdims=True), rewards.shape)


class RewardOfStepBefore(UCBlvd):
    """The index of the step is one too small, and -1 at the first."""

    def reward(self, h: int) -> Array:
        return np.asarray(self.public.reward[h - 1])


class LastReward(ThompsonSampling):
    """The number of successes is overwritten."""

    def learn(self, arm: int, reward: float) -> None:
        self.visits[arm] += 1.0
        self.earned[arm] = reward


class RepeatsOfPairs(HoeffdingUCBVI):
    """``x[i] += 1`` counts one of several."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        self.transitions[states[:-1], actions, states[1:]] += 1.0
        self.arrivals[np.arange(len(states)), states] += 1.0


class RepeatsOfCells(FMDPCH):
    """FMDP-CH whose cells of scopes count one of several visits of an episode."""

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        counts, structure = self.counts, self.structure
        before = counts.transitions.copy()
        super().learn(states, actions, rewards)
        pairs = states[:-1] * self.public.A + actions
        entries = structure.first[structure.transitions[:, pairs]] + structure.values[:, states[1:]]
        before[entries] += 1.0
        counts.transitions = before


class OwnRounds(KLUCB):
    """The level is that of the plays of the arm."""

    def indices(self, mean: Array, width: float, n: float, N: Array) -> Array:
        levels = width * np.maximum(np.log(N + 1) + 3 * np.log(np.log(N + 1)), 0.0) / N
        found = [self.search(p, level) for p, level in zip(mean.clip(0.0, 1.0).tolist(), levels.tolist(), strict=True)]
        return np.array(found)


class OtherDivergence(KLUCB):
    """The arguments are exchanged."""

    def divergence(self, p: float, q: float) -> float:
        return super().divergence(q, min(max(p, 1e-300), 1 - 1e-16))


class LargerArm(BernsteinQLearning):
    """One arm of a minimum is so large that the other one is taken: nothing tells what is wrong with it."""

    def first_arm(self, t: float, variance: float, iota: float) -> float:
        H, S, A = self.public.H, self.public.S, self.public.A
        return C1 * (math.sqrt(H * (variance + H) * iota / t) + math.sqrt(H**7 * S * A * iota) / t)


BUGS: dict[str, tuple[type[Algorithm], str, str, str]] = {
    "2 · ln(At / δ) for ln(2At / δ) in d.": (TwoLogarithms, "radius-formula", "random", "scaled(0.03)"),
    "(1 + N_h) / max(S − 1, 1) for 1 + N_h / max(S − 1, 1) in β.": (BracketInLogarithm, "bonus-formula", "random", "published"),
    "√(2 · ln(1 / δ)) + √G for √(2 · ln(1 / δ) + G) in noise.": (TwoRoots, "radius-formula", "mixture-random", "published"),
    "the mean of r_h over all w.": (MeanOfTasks, "q-formula", "later-representatives", "scaled(0.03)"),
    "r_h of step h − 1, the last for the first.": (RewardOfStepBefore, "q-formula", "onehot", "scaled(0.03)"),
    "Σr with the last reward for the sum.": (LastReward, "successes", "bandit-five", "published"),
    "N where of several in one episode one is counted.": (RepeatsOfPairs, "visits", "random", "scaled(0.03)"),
    "N_j where of several in one episode one is counted.": (RepeatsOfCells, "visits", "overlap", "published"),
    "N + 1 for t.": (OwnRounds, "index-formula", "bandit-five", "published"),
    "d(U, x̄) for d(x̄, U).": (OtherDivergence, "index-formula", "bandit-five", "published"),
    "c₂ · √(H³ · width / t)) in β_t.": (LargerArm, "beta", "random", "scaled(1e-06)"),
}
"""What is told: of which algorithm and claim, and on which instance in which regime."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("told", BUGS)
def test_the_cause_is_told(told: str) -> None:
    algorithm, line, instance, regime = BUGS[told]
    entry = run(Unseen("general", algorithm, (line,), "", "", instance, regime))
    assert not entry.errors
    assert line in entry.first_broken
    (broken,) = (claim for claim in entry.claims if claim.name == line)
    assert broken.difference.endswith(told)
