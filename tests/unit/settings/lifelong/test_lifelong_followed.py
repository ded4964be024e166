"""A lifelong algorithm that follows an agent has the agent's data and tasks, and decides as it would itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier import Algorithm
from verifier.model.width import Radius
from verifier_settings.followed import AstrayError
from verifier_settings.lifelong import Public, Run, generators
from verifier_settings.lifelong.followed import follow
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from .runs import generator, play


def published(algorithm: type[Algorithm], public: Public, scale: float) -> Radius:
    return lambda of, step, target: scale * algorithm.published_width(public, of)


def run(algorithm: type[Algorithm], seed: int, K: int, regime: str) -> Run:
    return play(algorithm, generators.onehot(generator(seed), S=4, A=3, d=3, m=2, H=3, K=K), regime, seed)[1]


@pytest.mark.parametrize("algorithm", [LifelongLSVI, UCBlvd, LifelongLSVISharing])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6), K=st.integers(1, 40), scale=st.sampled_from([1.0, 0.03]))
def test_an_algorithm_that_follows_itself_does_the_same(algorithm: type[Algorithm], seed: int, K: int, scale: float) -> None:
    whole = run(algorithm, seed, K, "published" if scale == 1.0 else f"scaled({scale})")
    found = list(follow(algorithm, whole.public, published(algorithm, whole.public, scale), whole))
    assert [item.other for item in found] == [0] * len(found)
    assert np.concatenate([item.actions for item in found]).tolist() == whole.actions.tolist()
    assert not any(item.refuted() for item in found)


def test_it_plans_for_the_task_of_the_episode() -> None:
    """With the tasks exchanged the same actions are no longer those of the algorithm."""
    whole = run(LifelongLSVI, 3, 60, "scaled(0.03)")
    other = replace(whole, contexts=1 - whole.contexts)
    radius = published(LifelongLSVI, whole.public, 0.03)
    assert any(item.refuted() for item in follow(LifelongLSVI, whole.public, radius, other))


def test_an_algorithm_that_plays_step_by_step_is_refused() -> None:
    class ByStep(LifelongLSVI):
        def play(self, env: Any, plan: Any, weight: Any = None) -> None:
            env.step(0)

    whole = run(LifelongLSVI, 3, 5, "published")
    with pytest.raises(AstrayError, match="it plays step by step"):
        list(follow(ByStep, whole.public, published(ByStep, whole.public, 1.0), whole))


def test_a_plan_for_another_task_is_refused() -> None:
    class OfTheFirst(LifelongLSVI):
        def plan(self, context: int) -> Any:
            return super().plan(0)

    whole = run(LifelongLSVI, 3, 20, "published")
    assert whole.contexts.any()
    with pytest.raises(AstrayError, match="its plan is for another task"):
        list(follow(OfTheFirst, whole.public, published(OfTheFirst, whole.public, 1.0), whole))
