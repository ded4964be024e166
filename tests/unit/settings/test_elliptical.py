from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from verifier.base.arrays import EPS
from verifier_settings.elliptical import (
    bonus,
    gram_norm,
    gram_of,
    gram_path,
    largest_noise,
    log_det_growth,
    nearly_equal,
    reported_norms,
)


@pytest.mark.parametrize(("d", "S"), [(3, 6), (6, 3)])
@pytest.mark.parametrize("seed", range(5))
def test_no_value_function_makes_the_noise_larger_and_some_come_close(seed: int, d: int, S: int) -> None:
    """All 2^S corners of [0, H]^S: the norm is convex, so it is largest at one of them."""
    rng, (n, H) = np.random.Generator(np.random.PCG64(seed)), (40, 4.0)
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


def test_matrices_that_differ_by_rounding_have_the_same_norms_and_others_are_told_apart() -> None:
    rng, (d, ridge) = np.random.Generator(np.random.PCG64(0)), (5, 0.5)
    phi = rng.standard_normal((30, d)) / d
    replay = gram_of(phi, np.ones((4, 30)), ridge)
    gram = replay.copy()
    gram[1] += d * EPS * ridge * rng.uniform(-1, 1, size=(d, d))
    gram[2, 3, 4] += 1e-12
    gram[3] *= 2
    assert nearly_equal(np.abs(gram - replay), ridge).tolist() == [True, True, False, False]
    left, right = bonus(phi, np.linalg.inv(gram[:2])) ** 2, bonus(phi, np.linalg.inv(replay[:2])) ** 2
    assert (np.abs(left - right) <= 4 * d**2 * EPS * (1 + 30 / ridge) * right).all()


def test_more_rounding_does_not_show_where_all_directions_have_been_seen_often() -> None:
    rng, d = np.random.Generator(np.random.PCG64(0)), 5
    phi = rng.standard_normal((30, d)) / d
    replay = gram_of(phi, np.full((2, 30), 100.0), 0.5)
    inverse = np.linalg.inv(replay)
    gram = replay + d * EPS / np.linalg.norm(inverse[0]) * np.array([[[0.5]], [[2.0]]]) * rng.choice([-1.0, 1.0], size=(d, d))
    norms = bonus(phi, inverse)
    assert nearly_equal(np.abs(gram - replay), 1 / np.linalg.norm(inverse, axis=(1, 2))).tolist() == [True, False]
    found = reported_norms(phi, gram, np.abs(gram - replay), inverse, norms)
    np.testing.assert_array_equal(found[0], norms[0])
    np.testing.assert_array_equal(found[1], bonus(phi, np.linalg.inv(gram[1])))
    np.testing.assert_allclose(bonus(phi, np.linalg.inv(gram[0])), norms[0], rtol=4 * d**2 * EPS)


@pytest.mark.parametrize(("K", "d"), [(1, 2), (45, 3), (33, 20)])
def test_determinants_and_norms_along_a_run_are_those_of_each_matrix_by_itself(K: int, d: int) -> None:
    """Features of very different lengths, the same one many times, and none."""
    rng, ridge = np.random.Generator(np.random.PCG64(0)), 0.01
    features = rng.standard_normal((K, 2, d)) * 10.0 ** rng.integers(-3, 2, size=(K, 2, 1))
    features[K // 3 : K // 2] = features[K // 3]
    features[K // 2] = 0.0
    grams = ridge * np.eye(d) + np.cumsum(features[..., :, None] * features[..., None, :], axis=0)
    before = np.concatenate([np.broadcast_to(ridge * np.eye(d), (1, 2, d, d)), grams])
    squares = (features * np.linalg.solve(before[:-1], features[..., None])[..., 0]).sum(axis=2)
    log_det, norm = gram_path(features, ridge)
    np.testing.assert_allclose(log_det, np.linalg.slogdet(before)[1], atol=1e-9)
    np.testing.assert_allclose(norm**2, squares, rtol=1e-7, atol=1e-12)


def test_how_much_a_log_determinant_grows() -> None:
    features = np.random.Generator(np.random.PCG64(0)).standard_normal((20, 3, 4))
    log_det, _ = gram_path(features, 0.7)
    np.testing.assert_allclose(log_det_growth(features, 0.7), log_det[-1] - log_det[0], atol=1e-12)
