"""What a property itself suspects is told of the bug that it suspects, and of no other: one bug of each kind, on small instances.

Of all planted bugs, `verifier power` counts those whose difference is told.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from scipy.stats import beta as beta_law

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import SEPARATOR
from verifier.model.width import Width
from verifier.plugins.registry import registry
from verifier_bandits.exp3.algorithm import EXP3
from verifier_bandits.kl_ucb.algorithm import KLUCB
from verifier_bandits.moss.algorithm import MOSS
from verifier_bandits.oful.algorithm import OFUL
from verifier_bandits.thompson.algorithm import ThompsonSampling
from verifier_reference.bpi_ucrl.algorithm import BPIUCRL
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.psrl.algorithm import PSRL
from verifier_reference.q_learning import At
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_reference.rlsvi.algorithm import RLSVI
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_settings.episodic import EpisodicPlan, Public
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing

from .harness import check, checked


class Place(NamedTuple):
    """Where a bug shows at once."""

    instance: str
    regime: str


FEW, RIVERS = Place("few-episodes", "published"), Place("few-rivers", "published")
PATH, CONSTANTS = Place("mixture-path", "published"), Place("mixture-constants", "published")
TOLD = {
    "ravi-ucb-tabular~uniform-phantom": PATH,
    "ravi-ucb-tabular~no-reset": PATH,
    "ravi-ucb-tabular~fixed-length": PATH,
    "ucrl2~visits-of-states": Place("random", "oracle"),
    "ucrl2~euclidean-ball": Place("random", "oracle"),
    "ucrl2~unseen-is-empty": Place("random", "oracle"),
    "ucrl2~nothing-taken": Place("random", "oracle"),
    "ucrl2~without-states": Place("random", "oracle"),
    "ucrl2~wrong-direction": Place("random", "oracle"),
    "ucrl2~doubles-in-all": Place("random", "oracle"),
    "rlsvi~noise-twice": Place("random", "published"),
    "rlsvi~coin-noise": Place("random", "published"),
    "rlsvi~first-episode": Place("random", "published"),
    "ucb-bernstein~old-mean": Place("random", "oracle"),
    "ucb-bernstein~no-difference": Place("random", "published"),
    "mvp~plans-always": Place("one-state", "published"),
    "mvp~updates-together": Place("random", "oracle"),
    "mvp~units-of-paper": Place("random", "oracle"),
    "mvp~swapped-constants": Place("random", "oracle"),
    "mvp~not-frozen": Place("random", "oracle"),
    "psrl~wrong-rows": Place("random", "published"),
    "psrl~looks-ahead": Place("random", "published"),
    "ravi-ucb-mixture~stale-features": PATH,
    "fmdp-bf~next-scope": RIVERS,
    "fmdp-bf~lower-plus-bonus": RIVERS,
    "fmdp-bf~others-in-eta": RIVERS,
    "fmdp-ch~self-in-cross": RIVERS,
    "fmdp-ch~log-without-factors": RIVERS,
    "fmdp-ch~off-by-one": RIVERS,
    "flat-ch~no-reward-bonus": RIVERS,
    "knapsack~second-moment": FEW,
    "knapsack~log-without-budgets": FEW,
    "cvar-lsvi~wraps-budget": Place("two-steps", "published"),
    "ela~printed-width": Place("deep-tail", "published"),
    "ela~keeps-budget": Place("deep-tail", "published"),
    "ela~ignores-rewards": Place("deep-tail", "published"),
    "ella~planner-squared-norm": Place("step-sure", "published"),
    "ucb-hoeffding~rate-off-by-one": Place("few-long-episodes", "published"),
    "rlsvi~state-for-successor": Place("anywhere", "published"),
    "ucrl-vtr~state-for-successor": CONSTANTS,
    "ucrl-vtr~same-step": CONSTANTS,
    "ucrl-vtr~reward-in-target": CONSTANTS,
    "ucrl-vtr~value-for-features": CONSTANTS,
    "lsvi-rfe~last-episode-forgotten": Place("rotated", "oracle"),
    "lifelong-lsvi~gram-for-inverse": FEW,
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", TOLD)
def test_what_is_wrong_is_told(name: str) -> None:
    algorithm, _, bug = name.partition(SEPARATOR)
    (mutant,) = (mutant for mutant in registry(algorithm).guarantees_of(algorithm).mutants if mutant.name == bug)
    place = TOLD[name]
    entry = checked(registry(), name, (place.instance,), (place.regime,), 0, 1)
    assert not entry.errors
    assert mutant.line in entry.first_broken
    (line,) = (claim for claim in entry.claims if claim.id == f"{name}/{mutant.line}")
    assert mutant.differs
    assert mutant.differs.lower() in line.difference.lower()


def test_a_variance_under_a_wrong_model_is_no_second_mistake() -> None:
    """The model of a plan has other visits; the bonus has the variance under it, as its line says."""
    entry = checked(registry(), "mvp~triples", ("anywhere",), ("oracle",), 0, 1)
    assert not entry.errors
    assert "visits" in entry.first_broken
    assert "bonus-formula" not in entry.first_broken


class RoundsSoFar(MOSS):
    def bonus(self, n: float, N: Array) -> Array:
        return np.sqrt(np.maximum(np.log((n + 1) / (self.public.A * N)), 0.0) / N)


class PaidNothing(MOSS):
    def plan(self) -> EpisodicPlan:
        plan = super().plan()
        return replace(plan, reward=self.earned / (self.visits + 1.0))


class Pooled(BPIUCRL):
    def kernel(self, visits: Array) -> Array:
        sums = self.transitions.sum(axis=0)
        return np.broadcast_to(sums / np.maximum(sums.sum(axis=2), 1.0)[..., None], self.transitions.shape)


class WholeS(RFUCRL):
    def beta(self, n: Array) -> Array:
        p = self.public
        return np.asarray(math.log(2 * p.S * p.A * p.H / p.delta) + p.S * np.log(math.e * (1 + n / p.S)))


class CostsForRewards(OFUL):
    def learn(self, x: Array, reward: float) -> None:
        super().learn(x, 1.0 - reward)


class CostsForMeans(KLUCB):
    def learn(self, arm: int, reward: float) -> None:
        super().learn(arm, 1.0 - reward)


class ActionBefore(LSVIUCB):
    """The features in the sums have the action of the step before, from the second step on."""

    before = 0

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        used, self.before = (self.before if h else action), action
        super().learn(h, state, used, reward, following)


class VisitsOfState(HoeffdingQLearning):
    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        met: Counter[tuple[int, int]] = self.__dict__.setdefault("met", Counter())
        met[at[0], at[1]] += 1
        return super().bonus(at, float(met[at[0], at[1]]), value, width)


class OneNoise(RLSVI):
    def noise(self, deviation: Array) -> Array:
        return np.asarray(self.rng.normal() * deviation)


class DrawnWhereSeen(PSRL):
    def sample(self, posterior: Array) -> Array:
        unseen = (posterior == self.prior()).all(axis=1, keepdims=True)
        return np.where(unseen, 1.0 / self.public.S, super().sample(posterior))


class TasksBefore(LifelongLSVISharing):
    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        first = self.__dict__.get("before", contexts[0])
        self.__dict__["before"] = contexts[-1]
        super().learn(np.concatenate([[first], contexts[:-1]]), states, actions, rewards)


class HalfTheLevel(KLUCB):
    """The plays that are reported are right, so that it is not they that are counted twice."""

    def level(self, t: float) -> float:
        return super().level(t) / 2


@pytest.mark.parametrize(
    ("bug", "instance", "regime", "line", "told"),
    [
        (CostsForRewards, "linear-bandit-random", "published", "regression", "with 1 − r for r"),
        (CostsForMeans, "bandit-two", "published", "reward", "1 − r̂ for r̂"),
        (ActionBefore, "linear", "oracle", "gram", "with a_{h−1} for a_h"),
        (VisitsOfState, "random", "scaled(0.03)", "bonus-formula", "t of the state, whatever the action"),
        (OneNoise, "random", "published", "noise-law", "closer to one number for all states and actions of a step"),
        (DrawnWhereSeen, "random", "published", "sample-law", "closer to rows that are not drawn where nothing was seen"),
        (TasksBefore, "onehot", "published", "psi-gram", "with w_{t−1} for w_t"),
        (HalfTheLevel, "bandit-two", "published", "index-formula", "1/2 times the formula"),
        (RoundsSoFar, "bandit-five", "published", "bonus-formula", "k for K"),
        (PaidNothing, "bandit-five", "published", "reward", "r̂ with one visit that pays nothing added to every pair"),
        (Pooled, "other-steps", "published", "step-kernel", "P̂ for P̂_h"),
        (WholeS, "few-long-episodes", "published", "bonus-formula", "S for S − 1 in β"),
    ],
    ids=lambda item: getattr(item, "__name__", None),
)
def test_a_quantity_in_the_place_of_another_is_told(
    bug: type[Algorithm], instance: str, regime: str, line: str, told: str
) -> None:  # fmt: skip
    entry = check(bug, (instance,), (regime,))
    assert not entry.errors
    assert line in entry.first_broken
    (claim,) = (claim for claim in entry.claims if claim.name == line)
    assert told in claim.difference


class Sampled(ThompsonSampling):
    """The posterior that is reported is right, and draws are from another one."""

    plays: ClassVar[float]
    prior: ClassVar[float] = 1.0

    def sample(self, alpha: Array, beta: Array) -> Array:
        return self.rng.beta(*(self.plays * (each - 1.0) + self.prior for each in (alpha, beta)))


class TwiceThePlays(Sampled):
    plays = 2.0


class HalfThePlays(Sampled):
    plays = 0.5


class Jeffreys(Sampled):
    plays, prior = 1.0, 0.5


class Keeps(ThompsonSampling):
    """An arm has another draw only after it was played."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.drawn, self.at = np.zeros(public.A), np.full(public.A, -1.0)

    def sample(self, alpha: Array, beta: Array) -> Array:
        self.drawn = np.where(self.at == self.visits, self.drawn, super().sample(alpha, beta))
        self.at = self.visits.copy()
        return self.drawn


class OneNumber(ThompsonSampling):
    def sample(self, alpha: Array, beta: Array) -> Array:
        return np.asarray(beta_law.ppf(self.rng.random(), alpha, beta))


@pytest.mark.parametrize(
    ("bug", "told"),
    [
        (TwiceThePlays, "closer to twice the plays"),
        (HalfThePlays, "closer to half the plays"),
        (Jeffreys, "closer to a prior of 1/2 and 1/2"),
        (OneNumber, "closer to one uniform number for all arms"),
        (Keeps, "closer to a draw that is kept while its arm is not played"),
    ],
    ids=lambda item: getattr(item, "__name__", None),
)
def test_of_draws_the_law_is_told_that_they_are_from(bug: type[Algorithm], told: str) -> None:
    entry = check(bug, ("bandit-two", "bandit-five"), ("published",), trials=8)
    assert not entry.errors
    (claim,) = (claim for claim in entry.claims if claim.name in entry.first_broken)
    assert (claim.name, claim.difference) == ("beta-law", f"Everywhere: {told}.")


class HalfTheReward(EXP3):
    def estimated(self, arm: int, reward: float) -> Array:
        return super().estimated(arm, reward) / 2


class HalfTheMean(KLUCB):
    """The index is that of the mean that is reported, which is wrong."""

    def plan(self) -> EpisodicPlan:
        kept = self.earned
        self.earned = kept / 2
        plan = super().plan()
        self.earned = kept
        return plan


class HalfTheRate(EXP3):
    def exploration(self) -> float:
        return super().exploration() / 2


@pytest.mark.parametrize(("bug", "line"), [(HalfTheReward, "estimate-formula"), (HalfTheRate, "gamma"), (HalfTheMean, "reward")])
def test_what_follows_from_a_wrong_line_is_no_second_mistake(bug: type[Algorithm], line: str) -> None:
    """The weights are those of the estimates and the gamma that are reported, and the probabilities those of the weights."""
    entry = check(bug, ("adversary-graded" if bug.name == "exp3" else "bandit-graded",), ("published",))
    assert entry.first_broken == (line,)
