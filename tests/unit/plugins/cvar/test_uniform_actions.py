"""Evidence against uniform actions: fair draws give none, and each way to be unfair gives much."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array, IntArray
from verifier.model.measurement import measure
from verifier.statistics.evidence import EvidenceMonitor
from verifier_properties.cvar.uniform_actions import draws, uniform_actions

K, H, S, A = 300, 4, 3, 3
Drawn = Callable[[np.random.Generator], Array]


def run(actions: Array, rng: np.random.Generator, episodes_end: bool = False) -> Any:
    """A run with these actions, in the order they are drawn, and states that do not matter."""
    states, table = rng.integers(S, size=(len(actions), H, H + 1)), np.full((len(actions), H, H), -1)
    for j in range(H):
        last = max(j - 1, 0) if j in (0, H - 1) else j
        table[:, j, : H if episodes_end else last + 1] = 0
        table[:, j, max(j - 1, 0) : last + 1] = 1
    place = table == 1
    table[place] = actions.reshape(-1)
    table[0][table[0] == 0] = rng.integers(A, size=(table[0] == 0).sum())
    return SimpleNamespace(public=SimpleNamespace(S=S, A=A, H=H), states=states, actions=table)


def evidence(drawn: Drawn, runs: int, seed: int = 0, episodes_end: bool = False) -> EvidenceMonitor:
    monitor = EvidenceMonitor(1e-6)
    for i in range(runs):
        rng = np.random.Generator(np.random.PCG64([seed, i]))
        monitor = monitor.observe(measure(uniform_actions.function(run(drawn(rng), rng, episodes_end))))
    return monitor


def fair(rng: np.random.Generator) -> IntArray:
    return rng.integers(A, size=(K, 2 * (H - 1)))


def biased(rng: np.random.Generator) -> Array:
    return rng.choice(A, size=(K, 2 * (H - 1)), p=np.full(A, 1 / 3) + np.array([0.02, -0.01, -0.01]))


def balanced(rng: np.random.Generator) -> Array:
    return rng.permuted(np.tile(np.arange(A), (K // A, 2 * (H - 1), 1)), axis=2).transpose(0, 2, 1).reshape(K, -1)


def recycled(rng: np.random.Generator) -> Array:
    return np.repeat(fair(rng)[: K // 2], 2, axis=0)


def by_parity(rng: np.random.Generator) -> Array:
    return (rng.integers(2, size=(K, 2 * (H - 1))) + np.arange(K)[:, None] % 2) % A


def one_set(rng: np.random.Generator) -> Array:
    out = fair(rng)
    out[:, 3] = rng.choice(A, size=K, p=(0.5, 0.25, 0.25))
    return out


def test_the_draws_of_a_run() -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    actions = fair(rng)
    for ends in (False, True):
        seen = draws(run(actions, rng, ends))
        np.testing.assert_array_equal(seen.action[seen.iteration > 0].reshape(K - 1, -1), actions[1:])
        assert sorted(set(seen.group[seen.iteration > 0])) == [0, 1, 2, H, H + 1, H + 2]


@pytest.mark.parametrize("episodes_end", [False, True])
def test_fair_draws_are_no_evidence(episodes_end: bool) -> None:
    """A right law is called violated with probability 1e-6; what is played after the uniform actions does not count."""
    monitor = evidence(fair, 60, episodes_end=episodes_end)
    assert not monitor.violated
    assert monitor.evidence < 20


def test_the_mean_of_the_evidence_is_at_most_one() -> None:
    """Over 400 short runs; the mean is below 1.5 but for a chance of a few percent, and the seed is fixed."""
    values = []
    for i in range(400):
        rng = np.random.Generator(np.random.PCG64([1, i]))
        values.append(float(uniform_actions.function(run(rng.integers(A, size=(4, 6)), rng)).value))
    assert np.mean(values) < 1.2


@pytest.mark.parametrize(("drawn", "runs"), [(balanced, 1), (recycled, 1), (by_parity, 1), (one_set, 8)])
def test_draws_that_are_not_fair_are_found(drawn: Drawn, runs: int) -> None:
    assert evidence(drawn, runs).violated


def test_a_bias_of_one_in_fifty_is_found_within_the_trials_of_the_standard_profile() -> None:
    assert evidence(biased, 200).violated
