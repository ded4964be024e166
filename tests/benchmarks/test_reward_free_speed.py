"""Benchmarks of reward-free exploration: `pytest tests/benchmarks`. Nothing here asserts a time.

Targets, for 64 runs in step: at (S, A, d, H) = (6, 3, 2, 3) at most 0.5 ms per episode, at (50, 5, 8, 8) at most 3.5 ms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.seeds import stream
from verifier.model.width import Width
from verifier.settings.reward_free import generators
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE

RUNS = 64


class Batch(LSVIRFE):
    """Many runs in step."""

    runs = (RUNS,)


@pytest.mark.parametrize("sizes", [(6, 3, 2, 3), (50, 5, 8, 8)], ids=str)
def test_fifty_episodes_of_a_batch(benchmark: Any, sizes: tuple[int, ...]) -> None:
    S, A, d, H = sizes
    known = generators.simplex(stream(0, "benchmark"), S=S, A=A, d=d, H=H, K=50)
    rng, width = np.random.default_rng(0), Width(lambda of, h, target: 0.5)

    def play() -> None:
        algorithm = Batch(known.public, width)
        for _ in range(known.public.K):
            plan = algorithm.explore()
            states, actions = rng.integers(S, size=(RUNS, H + 1)), rng.integers(A, size=(RUNS, H))
            algorithm.learn(plan, states, actions)

    benchmark(play)
