"""The reference algorithms: correct variants pass, and there are enough bugs to tell them from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import planted
from verifier.model.width import Width
from verifier.plugins.registry import registry
from verifier_reference.empirical import EmpiricalPlanning
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.mvp.algorithm import MVP
from verifier_reference.q_learning import At, QLearning
from verifier_reference.ucb_bernstein.algorithm import BernsteinQLearning
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_reference.ucbvi import UCBVI
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

from ..installed import guaranteed
from .harness import check, checked, violated

ALGORITHMS: tuple[type[Algorithm], ...] = (
    HoeffdingUCBVI, BernsteinUCBVI, UCRL2, LSVIUCB, HoeffdingQLearning, BernsteinQLearning
)  # fmt: skip
FAST = ("anywhere",)
SMALL = ("one-step", "one-action", "one-state", "all-rewards", "no-rewards", "cycle", "absorbing", "short-jackpot")


def test_there_are_enough() -> None:
    assert all(len(guaranteed(algorithm).mutants) >= 20 for algorithm in (*ALGORITHMS, MVP))


@pytest.mark.one_in(12)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", range(2))
def test_no_bug_no_violation(algorithm: type[Algorithm], seed: int) -> None:
    """The error budget is 1e-3 for each check, 1e-2 in all."""
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


class AsksTwice(Algorithm):
    """Every width asked for twice, as where it is written into the mean and into the bonus."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        def twice(of: str, step: int, target: Array) -> float:
            width(step, target, of)
            return width(step, target.copy(), of)

        super().__init__(public, Width(twice), **options)


class PlansAtTheEnd(Algorithm):
    """The next plan made when an episode is over, before the next one begins."""

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        for _k in range(self.public.K):
            plan: EpisodicPlan = self.plan()  # type: ignore[attr-defined]  # the algorithm comes after this class
            state = env.begin_episode()
            yield plan
            self.play(env, plan, state)  # type: ignore[attr-defined]  # likewise


class NoisyTies(Algorithm):
    """Ties broken by noise of 1e-12."""

    def greedy(self, Q: Array) -> IntArray:
        noise = np.random.Generator(np.random.PCG64(0)).random(Q.shape)
        return (Q + 1e-12 * noise).argmax(axis=-1)


class CutBonus(UCBVI):
    """The bonus cut at H, which changes no Q since that is cut there, too."""

    def plan(self) -> EpisodicPlan:
        plan = super().plan()
        assert plan.bonus is not None
        return replace(plan, bonus=np.minimum(plan.bonus, self.public.H))


class RunningMeans(EmpiricalPlanning):
    """Phat updated visit by visit, as most public code does."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        if not hasattr(self, "means"):
            self.means = np.zeros_like(self.transitions)
        visits = self.visits()
        for state, action, following in zip(states[..., :-1].flat, actions.flat, states[..., 1:].flat, strict=True):
            visits[state, action] += 1.0
            self.means[state, action] *= 1.0 - 1.0 / visits[state, action]
            self.means[state, action, following] += 1.0 / visits[state, action]
        super().learn(states, actions)

    def kernel(self, visits: Array) -> Array:
        return self.means.copy() if hasattr(self, "means") else np.zeros_like(self.transitions)


class TakesAtOnce(UCRL2):
    """UCRL2 that takes the excess probability by cumulative sums, over all states at once."""

    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        p = kernel[..., order]
        p[..., 0] = self.raised(p[..., 0], radius)
        left = 1.0 - np.concatenate([np.zeros_like(p[..., :1]), p[..., :-1].cumsum(axis=-1)], axis=-1)
        found = np.empty_like(p)
        found[..., order] = np.clip(left, 0.0, p)
        return found


class AboveTwo(UCRL2):
    """Radii reported as they are printed, which are above 2 at first; where nothing was seen, as of one visit."""

    def plan(self) -> EpisodicPlan:
        plan = super().plan()
        assert plan.radius is not None
        return replace(plan, radius=np.where(plan.radius == 2.0, 5.0, plan.radius))


class LearnsAtTheEnd(QLearning):
    """The episode is learned when it is over, in order; the value of the next step is still the one it was played with."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        seen = []
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, reward = env.step(action)
            seen.append((h, state, action, reward, following))
            state = following
        for step in seen:
            self.learn(*step)


class Differences(QLearning):
    """Q <- Q + alpha (target - Q), values of all states recomputed when they are needed, bonuses cut at nothing."""

    def moved(self, Q: float, rate: float, target: float) -> float:
        return Q + rate * (target - Q)

    def target(self, h: int, following: int) -> float:
        last = h == self.public.H - 1
        return 0.0 if last else min(float(self.public.H), max(self.Q[h + 1, following].tolist()))


class Welford(BernsteinQLearning):
    """The variance by Welford's recursion, kept as the sum of squared deviations."""

    def add(self, at: At, value: float) -> None:
        change = value - self.sums[at]
        self.sums[at] += change / self.visits[at]
        self.squares[at] += change * (value - self.sums[at])

    def variance(self, at: At, t: float) -> float:
        return float(self.squares[at] / t)


class AllValues(BernsteinQLearning):
    """The next values kept, and their variance computed anew."""

    def add(self, at: At, value: float) -> None:
        self.__dict__.setdefault("values", {}).setdefault(at, []).append(value)

    def variance(self, at: At, t: float) -> float:
        return float(np.var(self.__dict__["values"][at]))


class PlansWhenOver(MVP):
    """The next plan made when an episode is over in which a count was a trigger, the last one as well; whole numbers."""

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        plan, new = self.plan(), True
        for _k in range(self.public.K):
            state = env.begin_episode()
            if new:
                yield plan
            self.play(env, plan, state)
            new = self.triggered
            plan = self.plan() if new else plan

    def triggers(self, count: float) -> bool:
        return int(count) & (int(count) - 1) == 0


class SquaredDistances(MVP):
    """The variance from distances to the mean, rewards multiplied by 2/N, and the bonus cut at H."""

    def variance(self, target: Array) -> Array:
        mean = (self.kernel @ target)[:, :, None]
        return np.asarray(np.einsum("xyz,xyz->xy", self.kernel, (target - mean) ** 2))

    def bonus(self, target: Array, iota: float) -> Array:
        return np.minimum(super().bonus(target, iota), self.public.H)

    def update(self, at: tuple[int, int], count: float) -> None:
        mean = self.sums[at] * (2.0 / count if count > 1 else 1.0)
        super().update(at, count)
        self.reward[at] = mean


class ShermanMorrison(LSVIUCB):
    """The inverse updated step by step; norms by a solve."""

    def norm(self, phi: Array, inverse: Array) -> Array:
        return np.linalg.norm(np.linalg.solve(np.linalg.cholesky(np.linalg.inv(inverse)), phi.T), axis=0)


CORRECT: list[type[Algorithm]] = [planted(bug, original) for bug in (LastOfSeveral, OtherArrays) for original in ALGORITHMS]
CORRECT += [planted(bug, HoeffdingUCBVI) for bug in (RunningMeans, CutBonus, AsksTwice)]
CORRECT += [planted(bug, BernsteinUCBVI) for bug in (RunningMeans, CutBonus, PlansAtTheEnd)]
CORRECT += [planted(bug, UCRL2) for bug in (RunningMeans, AsksTwice)] + [TakesAtOnce, AboveTwo]
CORRECT += [planted(bug, HoeffdingQLearning) for bug in (AsksTwice, LearnsAtTheEnd, Differences)]
CORRECT += [planted(bug, BernsteinQLearning) for bug in (AsksTwice, LearnsAtTheEnd)] + [Welford, AllValues]
CORRECT += [MVP, planted(AsksTwice, PlansWhenOver), planted(LastOfSeveral, SquaredDistances)]
CORRECT += [planted(bug, LSVIUCB) for bug in (NoisyTies, AsksTwice)] + [ShermanMorrison]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("variant", CORRECT, ids=[f"{variant.__name__}-{variant.name}" for variant in CORRECT])
def test_a_correct_variant_passes(variant: type[Algorithm]) -> None:
    """The error budget is 1e-3 for each variant."""
    entry = check(variant, (*FAST, *SMALL), (), trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["conforms"] > 15


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("bug", "line"),
    [
        ("ucb-hoeffding~average-rate", "learning-rate"),
        ("ucb-hoeffding~pooled-counts", "visits"),
        ("ucb-hoeffding~half-bonus", "bonus-formula"),
        ("ucb-hoeffding~same-step", "q-formula"),
        ("ucb-hoeffding~backwards", "q-formula"),
        ("ucb-bernstein~sums-for-means", "variance"),
        ("ucb-bernstein~second-arm", "beta"),
        ("ucb-bernstein~no-difference", "bonus-formula"),
    ],
)
def test_what_implementations_of_q_learning_get_wrong_is_named_by_its_line(bug: str, line: str) -> None:
    """And by no other: what rests on the line fails because of it."""
    entry = checked(registry(), bug, ("short-jackpot",), ("oracle",), 0, 1)
    assert entry.first_broken == (line,)
