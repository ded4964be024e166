"""The harness's bonuses against the paper's formulas written out with loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from verifier_settings.episodic import bonuses, generators

from ..lifelong.runs import generator


def test_bernstein_written_out() -> None:
    public = generators.random(generator(1), S=3, A=2, H=4, K=20).public
    rng = generator(2)
    kernel, following = rng.dirichlet(np.ones(3), size=6), 4 * rng.random(3)
    visits, arrivals = np.array([1.0, 2.0, 7.0, 0.0, 30.0, 4.0]), np.array([0.0, 3.0, 9e9])
    found = bonuses.bernstein(public, kernel, visits, arrivals, following)
    L = math.log(5 * 3 * 2 * 80 / 0.1)
    for x in range(6):
        if visits[x] == 0:
            assert found[x] == math.inf
            continue
        mean = sum(kernel[x, y] * following[y] for y in range(3))
        variance = sum(kernel[x, y] * (following[y] - mean) ** 2 for y in range(3))
        regret = sum(
            kernel[x, y] * (min(100**2 * 4**3 * 9 * 2 * L**2 / arrivals[y], 16) if arrivals[y] else 16) for y in range(3)
        )
        N = visits[x]
        assert found[x] == pytest.approx(math.sqrt(8 * L * variance / N) + 14 * 4 * L / (3 * N) + math.sqrt(8 * regret / N))


def test_variance_of_large_values_that_are_nearly_equal() -> None:
    values = 1000.0 + np.array([0.0, 1e-6])
    assert bonuses.spread(np.array([[0.5, 0.5]]), values)[0] == pytest.approx(0.25e-12, rel=1e-4)


def test_hoeffding_width() -> None:
    public = generators.random(generator(1), S=3, A=2, H=4, K=20).public
    assert bonuses.hoeffding_width(public) == pytest.approx(7 * 4 * math.log(5 * 3 * 2 * 80 / 0.1))
    assert bonuses.per_root(np.array([4.0, 0.0])).tolist() == [0.5, math.inf]


def test_one_kernel_for_all_steps_has_the_means_and_variances_of_one_for_each() -> None:
    rng = generator(3)
    kernel, values = rng.dirichlet(np.ones(4), size=(3, 1, 6)), rng.random((2, 4))
    repeated = np.repeat(kernel, 2, axis=1)
    np.testing.assert_allclose(bonuses.expected(kernel, values), bonuses.expected(repeated, values), atol=1e-15)
    np.testing.assert_allclose(bonuses.spread(kernel, values), bonuses.spread(repeated, values), atol=1e-15)
