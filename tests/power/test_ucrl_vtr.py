"""UCRL-VTR: correct variants pass."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from verifier.base.arrays import Array, IntArray
from verifier_reference.ucrl_vtr.algorithm import UCRLVTR
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

from .harness import check, violated

EDGES = (
    "mixture-one",
    "mixture-signed",
    "mixture-copies",
    "mixture-constants",
    "mixture-many",
    "mixture-one-step",
    "mixture-costs",
)


class LastOfSeveral(UCRLVTR):
    """Ties go to the last action."""

    def greedy(self, Q: Array) -> IntArray:
        return Q.shape[-1] - 1 - np.flip(Q, axis=-1).argmax(axis=-1)


class RankOneInverse(UCRLVTR):
    """M^-1 kept by rank-one updates, as most code does; M is never inverted."""

    def __init__(self, public: Public, width: object, **options: str) -> None:
        super().__init__(public, width, **options)  # type: ignore[arg-type]  # what the harness gives
        self.kept: Array = np.eye(public.m) / public.ridge

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        super().learn(h, state, action, reward, following)
        x = self.kept @ self.played.extra["features"][h, state * self.public.A + action]
        met = self.played.extra["features"][h, state * self.public.A + action]
        self.kept = self.kept - np.outer(x, x) / (1.0 + met @ x)

    def estimate(self, inverse: Array) -> Array:
        return super().estimate(self.kept)

    def norm(self, features: Array, inverse: Array) -> Array:
        return super().norm(features, self.kept)


class LearnsAtTheEnd(UCRLVTR):
    """Steps are learned in reverse when the episode is over, and the next plan is made before the next one begins."""

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        for _k in range(self.public.K):
            self.seen: list[tuple[int, int, int, float, int]] = []
            plan = self.plan()
            state = env.begin_episode()
            yield plan
            self.play(env, plan, state)
            for step in reversed(self.seen):
                super().learn(*step)

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        self.seen.append((h, state, action, reward, following))


class ByCholesky(UCRLVTR):
    """Norms from a factor of M, the determinant from its diagonal."""

    def norm(self, features: Array, inverse: Array) -> Array:
        return np.asarray(np.linalg.norm(np.linalg.solve(np.linalg.cholesky(self.gram), features.T), axis=0))

    def growth(self, gram: Array) -> float:
        return float(2 * np.log(np.diag(np.linalg.cholesky(gram / self.public.ridge))).sum())


@pytest.mark.one_in(4)
@pytest.mark.parametrize("algorithm", [UCRLVTR, LastOfSeveral, RankOneInverse, LearnsAtTheEnd, ByCholesky])
def test_no_bug_no_violation(algorithm: type[UCRLVTR]) -> None:
    """The error budget is 1e-3 for each check, 5e-3 in all."""
    entry = check(algorithm, (*EDGES, "mixture-lock"), (), seed=1, trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["selected"] == entry.counts["evaluated"]
