"""The factored sweep against joint laws, the special case of one factor, legal variants, and the lower bound's family."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from verifier import Algorithm, Width
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import planted
from verifier.model.setting import Seeds
from verifier_fmdp.flat_ch.algorithm import FlatCH
from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.model import Counts
from verifier_fmdp.planning import Optimistic
from verifier_settings.factored import FactoredPlan, FactoredSession, Instance, Run, generators, products

from ....power.harness import check, violated

OVERLAP = partial(
    generators.random, state_sizes=(2, 3, 2), action_sizes=(2,), transition_scopes=((3, 0), (0, 1, 2), ()),
    reward_scopes=((1,), (0, 3)), H=4,
)  # fmt: skip


def play(algorithm: type[Optimistic], instance: Instance, lam: float, seed: int = 0) -> tuple[list[FactoredPlan], Run]:
    session = FactoredSession(instance, Seeds(*(np.random.default_rng((seed, i)) for i in range(3))), algorithm.yields)
    width, plans = Width(lambda of, step, target: lam), []
    for plan in algorithm(instance.public, width).run(session.environment):
        plans.append(plan)
        session.observe(plan, width.take())
    return plans, session.finish()[1]


def test_one_sweep_is_the_joint_law() -> None:
    """Means, variances and squares of the factored sweep against the harness's, on overlapping, full and empty scopes."""
    instance = OVERLAP(np.random.default_rng(0), K=60)
    rng = np.random.default_rng(1)
    agent = FMDPBF(instance.public, Width(lambda of, step, target: 1.0))
    for _ in range(200):
        agent.learn(rng.integers(12, size=5), rng.integers(2, size=4), rng.random((4, 2)))
    model = agent.model()
    assert agent.known(model).all()
    rows = [np.append(model.kernel, 0.0)[agent.structure.padded[j, :, :size]] for j, size in enumerate((2, 3, 2))]
    f, g = rng.random((2, 12)) * 4
    found = model.moments(f, g)
    assert found.f == pytest.approx(products.product(rows) @ f, abs=1e-13)
    assert found.g == pytest.approx(model.expectation(g), abs=1e-13)
    assert found.variances == pytest.approx(products.variances(rows, f), abs=1e-12)
    assert found.squares == pytest.approx(products.squares(rows, g)[1:], abs=1e-12)


def test_counts_are_those_of_cells() -> None:
    instance = OVERLAP(np.random.default_rng(0), K=1)
    agent = FMDPCH(instance.public, Width(lambda of, step, target: 1.0))
    counts = Counts(agent.structure)
    counts.add(np.array([0, 0, 5]), np.array([1, 1, 11]), np.ones((3, 2)))
    assert counts.transitions.sum() == 3 * 3
    assert counts.reward_visits.sum() == counts.rewards.sum() == 3 * 2


def test_with_one_factor_both_are_the_same_algorithm() -> None:
    """Episode by episode, where there is nothing factored."""
    scopes: dict[str, tuple[tuple[int, ...], ...]] = {"transition_scopes": ((0, 1),), "reward_scopes": ((0, 1),)}
    instance = generators.random(np.random.default_rng(2), state_sizes=(4,), action_sizes=(3,), H=4, K=80, **scopes)
    one, other = (play(algorithm, instance, 0.01) for algorithm in (FMDPCH, FlatCH))
    assert np.array_equal(one[1].states, other[1].states)
    for left, right in zip(one[0], other[0], strict=True):
        assert pytest.approx(right.Q, abs=1e-12) == left.Q


@pytest.mark.full
def test_no_agent_is_below_the_lower_bound_on_average_over_the_family() -> None:
    """Theorem 3, its bandit half: four arms, two bandits, mean regret above sqrt((a-1) K)/27, over eight draws of the best arms.

    The regret is exact, so that only which arms are best is random; at these logarithms every run is eleven times the bound.
    """
    K, arms = 400, 4
    total = []
    for seed in range(8):
        instance = generators.bandits(np.random.default_rng(seed), n=2, arms=arms, K=K)
        total.append(play(FMDPCH, instance, 0.05, seed)[1].series.regret.sum())
    assert np.mean(total) > np.sqrt((arms - 1) * K) / 27


# Legal variants ---------------------------------------------------------------------------------------------------------


class LastOfSeveral(Algorithm):
    """Ties go to the last action of largest Q."""

    def greedy(self, Q: Array) -> IntArray:
        return Q.shape[-1] - 1 - np.flip(Q, axis=-1).argmax(axis=-1)


class OtherUnknowns(Algorithm):
    """Other numbers in rows of Phat that stand for nothing."""

    def kernel(self, transitions: Array, visits: Array) -> Array:
        law: Array = super().kernel(transitions, visits)  # type: ignore[misc]  # the algorithm comes after this class
        support = self.structure.support  # type: ignore[attr-defined]  # likewise
        unseen = np.repeat(visits == 0, support)
        return np.where(unseen, 1.0 / np.repeat(support, support), law)


class RunningMeans(Algorithm):
    """Means of rewards updated reward by reward, as most public code does."""

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        counts = self.counts  # type: ignore[attr-defined]  # the algorithm's
        for i in range(len(actions)):
            super().learn(states[i : i + 2], actions[i : i + 1], rewards[i : i + 1])  # type: ignore[misc]  # likewise
            n = np.maximum(counts.reward_visits, 1.0)
            counts.rewards = counts.rewards / n * n


VARIANTS: list[Callable[[], type[Algorithm]]] = [
    partial(planted, bug, original) for bug in (LastOfSeveral, OtherUnknowns, RunningMeans) for original in (FMDPCH, FMDPBF)
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(one.__name__ for one in variant.args))
def test_a_legal_variant_passes(variant: Callable[[], type[Algorithm]]) -> None:
    """The error budget is 1e-3 for each variant."""
    entry = check(variant(), ("few-episodes", "few-rivers", "one-step", "all-rewards"), trials=1)
    assert not violated(entry)
    assert not entry.errors
