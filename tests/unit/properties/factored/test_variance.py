"""Theorem 1 on random products, and its failure where factors of the next state are correlated."""

from __future__ import annotations

import numpy as np
import pytest

from verifier_settings.factored import products


def second_moments(P: np.ndarray, reward: np.ndarray, H: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and variances of the return of a chain with certain rewards: (H+1, S) each."""
    V, M = np.zeros((H + 1, len(P))), np.zeros((H + 1, len(P)))
    for h in reversed(range(H)):
        V[h] = reward + P @ V[h + 1]
        M[h] = reward**2 + 2 * reward * (P @ V[h + 1]) + P @ M[h + 1]
    return V, M - V**2


@pytest.mark.parametrize("seed", range(5))
def test_the_recursion_holds_on_random_products(seed: int) -> None:
    rng, sizes, H = np.random.default_rng(seed), (2, 3, 2), 5
    rows = [rng.dirichlet(np.full(size, 0.5), size=12) for size in sizes]
    P, reward = products.product(rows), rng.random(12)
    V, omega = second_moments(P, reward, H)
    for h in range(H):
        assert omega[h] == pytest.approx(P @ omega[h + 1] + products.variances(rows, V[h + 1]).sum(axis=0), abs=1e-12)


def test_it_fails_where_factors_are_correlated() -> None:
    """Two coins that always agree, V the number of heads times 1.5: the joint variance is 2.25, the formula's is half of it."""
    joint, V = np.array([0.5, 0.0, 0.0, 0.5]), np.array([0.0, 1.5, 1.5, 3.0])
    coins = [np.full((1, 2), 0.5), np.full((1, 2), 0.5)]
    assert joint @ V**2 - (joint @ V) ** 2 == pytest.approx(2.25)
    assert products.variances(coins, V).sum() == pytest.approx(1.125)
