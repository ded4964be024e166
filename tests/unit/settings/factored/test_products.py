"""Products of laws, and how the variance of a value splits over the factors."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier_settings.factored import products
from verifier_settings.factored.elimination import Elimination

from ..lifelong.runs import generator

SIZES = (2, 3, 2)


def drawn(seed: int, leading: tuple[int, ...] = ()) -> tuple[list[Array], Array]:
    """Laws of three factors at five pairs, and values."""
    rng = generator(seed)
    rows = [rng.dirichlet(np.full(size, 0.5), size=(*leading, 5)) for size in SIZES]
    return rows, rng.uniform(0, 4, (*leading, 12))


@pytest.mark.parametrize("seed", range(3))
def test_the_joint_law_is_that_of_a_kronecker_product(seed: int) -> None:
    rows, values = drawn(seed)
    joint = products.product(rows)
    for x in range(5):
        assert joint[x] == pytest.approx(np.kron(np.kron(rows[0][x], rows[1][x]), rows[2][x]))
    assert products.expectation(rows, values) == pytest.approx(joint @ values)


def test_there_may_be_no_pair() -> None:
    """As where none is known when the run ends."""
    rows, _ = drawn(0)
    assert products.product([row[:0] for row in rows]).shape == (0, 12)


def _by_enumeration(rows: list[Array], values: Array, x: int) -> tuple[list[float], list[float]]:
    """M_0..M_n and sigma_1^2..sigma_n^2 at a pair, from their definitions, over all values of the factors."""

    def mean(prefix: tuple[int, ...]) -> float:
        """E of V given the first factors."""
        total = 0.0
        for rest in product(*map(range, SIZES[len(prefix) :])):
            weight = float(np.prod([rows[len(prefix) + i][x, v] for i, v in enumerate(rest)]))
            total += weight * values[np.ravel_multi_index((*prefix, *rest), SIZES)]
        return total

    def over(i: int, f: Any) -> float:
        """E of f over the first i factors."""
        return sum(
            float(np.prod([rows[j][x, v] for j, v in enumerate(prefix)])) * f(prefix)
            for prefix in product(*map(range, SIZES[:i]))
        )

    def inner(prefix: tuple[int, ...]) -> float:
        """The variance over the next factor of the mean over those after it."""
        row, means = rows[len(prefix)][x], [mean((*prefix, v)) for v in range(SIZES[len(prefix)])]
        centre = float(row @ means)
        return float(row @ (np.array(means) - centre) ** 2)

    return [over(i, lambda prefix: mean(prefix) ** 2) for i in range(4)], [over(i, inner) for i in range(3)]


def test_squares_and_variances_are_what_they_are_defined_to_be() -> None:
    rows, values = drawn(7)
    squares, variances = products.squares(rows, values), products.variances(rows, values)
    assert squares.shape == (4, 5)
    assert variances.shape == (3, 5)
    for x in range(5):
        M, parts = _by_enumeration(rows, values, x)
        assert squares[:, x] == pytest.approx(M)
        assert variances[:, x] == pytest.approx(parts)
        assert np.diff(M) == pytest.approx(parts)


@pytest.mark.parametrize("seed", range(4))
def test_the_parts_sum_to_the_variance_in_every_order_of_the_factors(seed: int) -> None:
    """While single parts change with the order: a sum over factors, each by itself, would be something else."""
    rows, values = drawn(seed)
    joint = products.product(rows)
    total = joint @ values**2 - (joint @ values) ** 2
    firsts = []
    for order in permutations(range(3)):
        shuffled = values.reshape(SIZES).transpose(order).ravel()
        parts = products.variances([rows[j] for j in order], shuffled)
        assert parts.sum(axis=0) == pytest.approx(total, abs=1e-12)
        firsts.append(parts[order.index(0)])
    assert np.ptp(firsts, axis=0).max() > 1e-3


def test_leading_axes_broadcast() -> None:
    """Laws of plans (p, 1, X, S_j) against values of plans and steps (p, H, S), or of steps alone."""
    rows, _ = drawn(1, (4,))
    values = generator(2).uniform(0, 1, (4, 3, 12))
    wide = [row[:, None] for row in rows]
    for f in (products.expectation, products.variances, products.squares):
        found = f(wide, values)
        for p, h in product(range(4), range(3)):
            assert found[..., p, h, :] == pytest.approx(f([row[p] for row in rows], values[p, h]), abs=1e-14)
        assert f(wide, values[0])[..., 2, 1, :] == pytest.approx(f([row[2] for row in rows], values[0, 1]), abs=1e-14)


# Theorem 1 ------------------------------------------------------------------------------------------------------------------


def _returns(kernel: Array, rewards: list[tuple[Array, Array]], H: int) -> tuple[Array, Array]:
    """Mean and variance of the return of a chain, by its second moments: V and omega^2, (H+1, S) each.

    `rewards` is a list of (probability (S, v), value (v,)) of independent parts, which are averaged.
    """
    S, m = len(kernel), len(rewards)
    first = np.array([law @ value for law, value in rewards])
    second = np.array([law @ value**2 for law, value in rewards])
    r = first.mean(axis=0)
    r2 = r**2 + (second - first**2).sum(axis=0) / m**2
    V, U = np.zeros((H + 1, S)), np.zeros((H + 1, S))
    for h in reversed(range(H)):
        V[h] = r + kernel @ V[h + 1]
        U[h] = r2 + 2 * r * (kernel @ V[h + 1]) + kernel @ U[h + 1]
    return V, U - V**2


@pytest.mark.parametrize("seed", range(5))
def test_theorem_1_on_random_factored_chains(seed: int) -> None:
    """omega_h^2 = P omega_{h+1}^2 + sum_i sigma_{P,i}^2 + m^-2 sum_i sigma_{R,i}^2, to 1e-12."""
    rng, H = generator(seed, 11), 4
    rows = [rng.dirichlet(np.full(size, 0.5), size=12) for size in SIZES]
    kernel = products.product(rows)
    rewards = [(rng.dirichlet(np.ones(3), size=12), np.array([0.0, 0.3, 1.0])) for _ in range(2)]
    V, omega = _returns(kernel, rewards, H)
    noise = sum(law @ value**2 - (law @ value) ** 2 for law, value in rewards) / 4
    for h in range(H):
        claimed = kernel @ omega[h + 1] + products.variances(rows, V[h + 1]).sum(axis=0) + noise
        assert np.abs(omega[h] - claimed).max() <= 1e-12


def test_theorem_1_fails_where_the_factors_of_the_next_state_are_correlated() -> None:
    """Negative control: two coins that always show the same; V counts three times the heads over two, squared off by hand.

    With V = 3/2 (heads), joint variance is (3/2)^2 (2 - 1)^2 = 9/4; of two independent coins with these margins it is 9/8.
    """
    joint = np.zeros((4, 4))
    joint[:, [0, 3]] = 0.5
    margins = [np.full((4, 2), 0.5)] * 2
    values = 1.5 * np.array([0.0, 1.0, 1.0, 2.0])
    variance = joint @ values**2 - (joint @ values) ** 2
    claimed = products.variances(margins, values).sum(axis=0)
    assert variance == pytest.approx(2.25)
    assert claimed == pytest.approx(1.125)
    certain = [(np.ones((4, 1)), np.array([0.5]))]
    _, omega = _returns(joint, certain, 2)
    assert np.abs(omega[1]).max() == 0


@pytest.mark.parametrize("seed", range(2))
def test_elimination_finds_the_same_with_laws_by_cell(seed: int) -> None:
    """Of 12 pairs, whose cells overlap; some cells have no pair. Each quantity by the laws at the pairs, one after the other."""
    rng = generator(seed)
    cells = [np.array(cell) for cell in (rng.integers(0, 3, 12), rng.integers(0, 2, 12), np.arange(12) // 4)]
    laws = [rng.dirichlet(np.full(size, 0.5), size=(4, 1, 5)) for size in SIZES]
    rows = [law[:, :, cell] for law, cell in zip(laws, cells, strict=True)]
    values, order = rng.uniform(0, 4, (4, 3, 12)), Elimination(cells, SIZES)
    assert order.expectation(laws, values) == pytest.approx(products.expectation(rows, values), abs=1e-13)
    assert order.variances(laws, values) == pytest.approx(products.variances(rows, values), abs=1e-13)
    assert order.squares(laws, values) == pytest.approx(products.squares(rows, values)[1:], abs=1e-13)
    same, alike = [law[0, 0] for law in laws], [row[0, 0] for row in rows]
    for j, found in enumerate(order.marginals(same, values)):
        for v in range(SIZES[j]):
            certain = [*alike[:j], np.broadcast_to(np.eye(SIZES[j])[v], alike[j].shape), *alike[j + 1 :]]
            assert found[..., v, :] == pytest.approx(products.expectation(certain, values), abs=1e-13)
