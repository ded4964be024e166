"""An algorithm that follows an agent has the agent's data, and decides as it would itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.base.arrays import Array, IntArray
from verifier.model.algorithm import Algorithm
from verifier.model.width import Radius
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.mvp.algorithm import MVP
from verifier_reference.ucb_bernstein.algorithm import BernsteinQLearning
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_settings.episodic import EpisodicPlan, Public, generators
from verifier_settings.episodic.followed import AstrayError, follow

from ..lifelong.runs import generator
from .runs import play

ALGORITHMS: tuple[type[Algorithm], ...] = (
    HoeffdingUCBVI, BernsteinUCBVI, LSVIUCB, HoeffdingQLearning, BernsteinQLearning, UCRL2, MVP,
)  # fmt: skip


def published(algorithm: type[Algorithm], public: Public, scale: float) -> Radius:
    return lambda of, step, target: scale * algorithm.published_width(public, of)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), K=st.integers(1, 60), regime=st.sampled_from([1.0, 0.01]))
def test_an_algorithm_that_follows_itself_does_the_same(algorithm: type[Algorithm], seed: int, K: int, regime: float) -> None:
    instance = generators.random(generator(seed), S=3, A=3, H=3, K=K)
    name = "published" if regime == 1.0 else f"scaled({regime})"
    _, whole = play(algorithm, instance, name, seed)
    found = list(follow(algorithm, instance.public, published(algorithm, instance.public, regime), whole))
    assert [item.other for item in found] == [0] * len(found)
    assert np.concatenate([item.actions for item in found]).tolist() == whole.actions.tolist()
    assert not any(item.refuted() for item in found)
    assert all((item.spread >= item.loss).all() for item in found)


@dataclass(frozen=True)
class History:
    """What somebody did and saw."""

    states: IntArray
    actions: IntArray
    rewards: Array


class Counting(HoeffdingUCBVI):
    """Keeps its plans."""

    seen: ClassVar[list[EpisodicPlan]]

    def plan(self) -> EpisodicPlan:
        """A plan, kept."""
        found = super().plan()
        self.seen.append(found)
        return found


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), K=st.integers(1, 20))
def test_it_learns_from_what_the_other_one_did(seed: int, K: int) -> None:
    rng, S, A, H = generator(seed), 3, 2, 4
    public = generators.random(rng, S=S, A=A, H=H, K=K).public
    history = History(rng.integers(S, size=(K, H + 1)), rng.integers(A, size=(K, H)), rng.random((K, H)))
    Counting.seen = []
    found = list(follow(Counting, public, published(Counting, public, 1.0), history))
    assert [item.first for item in found] == list(range(K))
    rows = history.states[:, :-1] * A + history.actions
    for k, plan in enumerate(Counting.seen):
        assert plan.visits is not None
        assert plan.visits.tolist() == np.bincount(rows[:k].ravel(), minlength=S * A).tolist()


def test_a_decision_that_it_would_not_make_is_found() -> None:
    K = 30
    instance = generators.arms(rewards=(0.2, 0.9, 0.5), H=2, K=K)
    history = History(np.zeros((K, 3), dtype=int), np.full((K, 2), 1), np.full((K, 2), 0.9))
    greedy: Any = follow(HoeffdingUCBVI, instance.public, lambda of, step, target: 0.01, history)
    (first, *_) = [item.refuted() for item in greedy if item.refuted()]
    assert first == (1, 1), "at the last step, where the others were not tried"
    with pytest.raises(AstrayError, match="is not that of the plan"):
        list(follow(type("Other", (UCRL2,), {"play": _elsewhere}), instance.public, lambda of, step, target: 1.0, history))


def _elsewhere(self: Any, env: Any, plan: EpisodicPlan, state: int) -> None:
    env.play(1 - np.minimum(plan.policy, 1))
