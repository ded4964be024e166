"""Factored instances: scopes and cells, the product, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_settings.factored import FACTORED, Public, RewardPart, make
from verifier_settings.factored.generators import bernoulli, certain
from verifier_settings.factored.logs import log_reward, log_transition

from .runs import small

PUBLIC = Public((2, 3), (2, 2), ((2, 0), (1, 0, 3)), ((3, 1), ()), H=3, K=10, delta=0.1)


def _pairs(public: Public) -> Any:
    """All pairs as tuples of coordinates, in the order of the rows."""
    return list(product(*map(range, public.sizes)))


def test_sizes() -> None:
    assert (PUBLIC.S, PUBLIC.A, PUBLIC.X, PUBLIC.n, PUBLIC.m, PUBLIC.T) == (6, 4, 24, 2, 2, 30)
    assert PUBLIC.sizes == (2, 3, 2, 2)
    assert PUBLIC.state_factors().tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]


@pytest.mark.parametrize("scope", [(), (1,), (2, 0), (0, 2), (1, 0, 3), (0, 1, 2, 3), (3, 2, 1, 0)])
def test_cells_are_counted_in_the_order_the_scope_lists_its_coordinates(scope: tuple[int, ...]) -> None:
    """The first coordinate varies slowest: ravelled by hand, for every pair."""
    numbers = {values: i for i, values in enumerate(product(*(range(PUBLIC.sizes[i]) for i in scope)))}
    expected = [numbers[tuple(pair[i] for i in scope)] for pair in _pairs(PUBLIC)]
    assert PUBLIC.cells(scope).tolist() == expected
    assert PUBLIC.cell_count(scope) == len(numbers)


def test_the_kernel_is_the_product_of_the_factors() -> None:
    instance = small()
    public, truth = instance.public, instance.truth
    for x, pair in enumerate(_pairs(public)):
        for s, following in enumerate(product(*map(range, public.state_sizes))):
            expected = 1.0
            for j, scope in enumerate(public.transition_scopes):
                cell = np.ravel_multi_index([pair[i] for i in scope], [public.sizes[i] for i in scope])
                expected *= truth.factors[j][cell, following[j]]
            assert truth.P[x, s] == pytest.approx(expected, abs=1e-15)
    assert np.allclose(truth.P.sum(axis=1), 1.0)
    assert (truth.kernel == truth.P).all()


def test_the_reward_is_the_mean_of_its_parts() -> None:
    instance = small()
    public, truth = instance.public, instance.truth
    for x, pair in enumerate(_pairs(public)):
        means = []
        for scope, part in zip(public.reward_scopes, truth.parts, strict=True):
            cell = np.ravel_multi_index([pair[i] for i in scope], [public.sizes[i] for i in scope]) if scope else 0
            means.append(sum(p * v for p, v in zip(part.law[cell], part.support, strict=True)))
        assert truth.part_means[:, x] == pytest.approx(means)
        assert truth.reward[x] == pytest.approx(sum(means) / 3)


def test_logarithms() -> None:
    """18 * 2 * 30 * 24 / 0.1 pairs; parts with 6 cells and with one."""
    assert log_transition(PUBLIC) == pytest.approx(np.log(259200.0))
    assert log_reward(PUBLIC) == pytest.approx(np.log([64800.0, 10800.0]))


LAW, PART = np.full((1, 2), 0.5), certain(0.5)


@pytest.mark.parametrize(
    ("factors", "parts", "words"),
    [
        ([((), LAW), ((), LAW)], [((), PART)], "2 factor laws and 1 reward parts; expected n = 1"),
        ([((), LAW)], [], "expected n = 1, and one"),
        ([((0, 0), np.full((4, 2), 0.5))], [((), PART)], r"scope \(0, 0\) does not name distinct"),
        ([((), LAW)], [((2,), PART)], r"scope \(2,\) does not name distinct coordinates 0..1"),
        ([((0,), LAW)], [((), PART)], r"factor 1 has laws of shape \(1, 2\), expected \(2, 2\)"),
        ([((), np.array([[0.7, 0.7]]))], [((), PART)], "rows that are probability laws"),
        ([((), np.array([[1.5, -0.5]]))], [((), PART)], "rows that are probability laws"),
        ([((), LAW)], [((0,), PART)], r"reward part 1 has laws of shape \(1, 1\), expected \(2, 1\)"),
        ([((), LAW)], [((), certain(1.5))], r"support \[1.5\], expected values in \[0, 1\]"),
    ],
)
def test_what_is_no_instance(factors: Any, parts: Any, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        make((2,), (1,), factors, parts, H=2, K=2)


def test_starts() -> None:
    """A state, a law, and a law for each episode."""
    kinds: list[Any] = [1, np.array([0.25, 0.75]), np.eye(2)[[0, 1, 1]]]
    for start, first in zip(kinds, ([0, 1], [0.25, 0.75], [1, 0]), strict=True):
        made = make((2,), (1,), [((), LAW)], [((), PART)], H=1, K=3, start=start)
        assert made.start.shape == (3, 2)
        assert made.start[0].tolist() == first


def test_public_tells_neither_laws_nor_supports() -> None:
    assert all(isinstance(value, (int, float, tuple)) for value in vars(small().public).values())
    assert FACTORED.public(small()) == small().public


def test_rewards_of_known_mean() -> None:
    assert bernoulli(np.array([0.2, 1.0])).mean == pytest.approx([0.2, 1.0])
    assert certain(0.3, 2).mean == pytest.approx([0.3, 0.3])
    assert RewardPart(np.array([0.0, 0.5, 1.0]), np.array([[0.5, 0.25, 0.25]])).mean == pytest.approx([0.375])
