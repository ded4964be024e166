"""The error of maximum likelihood among coins, by all samples."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from verifier_cvar.errata.likelihood import DELTA, Coins, H, repaired


def winners(samples: np.ndarray, eps: Fraction) -> bool:
    """Whether some decoy has a larger likelihood than the truth; samples (n, m) of -1 and 1."""
    for i, s in product(range(samples.shape[1]), (-1, 1)):
        ratio = math.prod((1 + eps * int(s * x) for x in samples[:, i]), start=Fraction(1))
        if ratio > 1:
            return True
    return False


@pytest.mark.parametrize(("m", "n", "eps"), [(1, 6, Fraction(2, 5)), (2, 5, Fraction(3, 4)), (3, 4, Fraction(1, 10))])
def test_errors_of_coins_by_all_samples(m: int, n: int, eps: Fraction) -> None:
    wins = sum(winners(np.array(flat).reshape(n, m), eps) for flat in product((-1, 1), repeat=m * n))
    assert 1 - (1 - Coins(m, eps).beaten(n)) ** m == Fraction(wins, 2 ** (m * n))
    assert Coins(m, eps).error(n) == pytest.approx(wins / 2 ** (m * n))


@pytest.mark.parametrize(("m", "first", "last"), [(1, 1, 4), (1, 3, 5), (2, 2, 3)])
def test_errors_at_any_time_by_all_paths(m: int, first: int, last: int) -> None:
    eps, n = Fraction(3, 4), 2 * last
    wins = sum(
        any(winners(np.array(flat).reshape(n, m)[: 2 * k], eps) for k in range(first, last + 1))
        for flat in product((-1, 1), repeat=m * n)
    )
    assert Coins(m, eps).error_ever(first, last) == pytest.approx(wins / 2 ** (m * n))


def test_decoys_are_laws_at_distance_eps() -> None:
    eps = Fraction(2, 5)
    law = [(1 + eps * s[1]) / 8 for s in product((-1, 1), repeat=3)]
    assert sum(law) == 1
    assert sum(abs(p - Fraction(1, 8)) for p in law) == eps


def test_hellinger_distances_and_the_constant_eight() -> None:
    """f^2 <= 8 D^2, with a ratio near 8 for near laws: the constant cannot be improved this way."""
    for eps in (0.01, 0.4, 0.75, 1.0):
        squared = 1 - (math.sqrt(1 + eps) + math.sqrt(1 - eps)) / 2
        assert eps**2 <= 8 * squared
    assert 0.01**2 / (1 - (math.sqrt(1.01) + math.sqrt(0.99)) / 2) == pytest.approx(8.0, rel=1e-3)


@pytest.mark.parametrize("m", [10, 1000, 10**6])
def test_the_corrected_bound_holds_with_its_probability(m: int) -> None:
    """4 log(|F|/delta)/k, at the least eps beyond it; for the union over k, from the first such k on."""
    delta, k = 0.1, 200
    f2 = 4 * math.log((2 * m + 1) / delta) / k
    assert Coins(m, Fraction(math.ceil(1000 * math.sqrt(f2)), 1000)).error(2 * k) <= delta


@pytest.mark.parametrize("size", [2, 101, 10**9])
def test_a_sum_that_converges_costs_a_factor_below_two(size: int) -> None:
    """sum_k 6/(pi^2 k^2) = 1, and the logarithm at most doubles: |F| H / delta is above pi^2 / 6."""
    ratios = [repaired(size, k) / math.log(size * H * k / DELTA) for k in (1, 2, 10, 10**5, 10**50)]
    assert ratios == sorted(ratios)
    assert ratios[-1] < 2
    if size == 101:
        assert ratios[3] == pytest.approx(1.63, abs=0.005)
