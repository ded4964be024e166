from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from verifier.settings.elliptical import gram_norm, gram_of, largest_noise


@pytest.mark.parametrize("seed", range(5))
def test_no_value_function_makes_the_noise_larger_and_some_come_close(seed: int) -> None:
    """All 2^S corners of [0, H]^S: the norm is convex, so it is largest at one of them."""
    rng, (d, S, n, H) = np.random.Generator(np.random.PCG64(seed)), (3, 6, 40, 4.0)
    phi, P = rng.dirichlet(np.ones(d), size=n), rng.dirichlet(np.full(S, 0.5), size=n)
    following = np.array([rng.choice(S, p=p) for p in P])
    moments = phi.T @ (np.eye(S)[following] - P)
    inverse = np.linalg.inv(gram_of(phi, np.ones(n), 1.0))
    corners = np.array(list(product([0.0, H], repeat=S))).T
    best = gram_norm(moments @ corners, inverse).max()
    bound = largest_noise(moments, inverse, H)
    assert best <= bound + 1e-12
    assert bound <= 1.6 * best
    assert bound < H * np.sqrt(n) / 2


def test_no_data_no_noise() -> None:
    assert largest_noise(np.zeros((2, 3, 4)), np.broadcast_to(np.eye(3), (2, 3, 3)), 5.0) == pytest.approx(0.0)
