"""Rounding of chains of rank-one updates, against inverses in rational numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from verifier.base.arrays import EPS
from verifier_settings.discounted.rank_one import perturbations

from ..lifelong.runs import generator


def updated(gram: np.ndarray, met: np.ndarray) -> np.ndarray:
    """The inverse by n updates."""
    P = np.linalg.inv(gram)
    for phi in met:
        direction = P @ phi
        P = P - np.outer(direction, direction) / (1.0 + phi @ direction)
    return P


def exact(gram: np.ndarray, met: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lambda and its inverse for d = 2, rounded once."""
    (a, b), (_, c) = [[Fraction(float(x)) for x in row] for row in gram]
    for phi in met:
        x, y = Fraction(float(phi[0])), Fraction(float(phi[1]))
        a, b, c = a + x * x, b + x * y, c + y * y
    det = a * c - b * b
    inverse = [[c / det, -b / det], [-b / det, a / det]]
    return np.array([[a, b], [b, c]], dtype=float), np.array(inverse, dtype=float)


@pytest.mark.parametrize("ridge", [1e-4, 0.05, 1.0])
@pytest.mark.parametrize("spread", [1.0, 1e-3])
@pytest.mark.parametrize("size", [0.1, 10.0])
def test_the_error_of_a_chain_is_within_what_is_derived(ridge: float, spread: float, size: float) -> None:
    """60 updates with features in nearly one direction, or in all; the first ones lose most."""
    met = size * (np.array([1.0, 0.5]) + spread * generator(5).standard_normal((60, 2)))
    start = ridge * np.eye(2)
    gram, inverse = exact(start, met)
    M = perturbations(start, met).sum(axis=0)
    size = np.sqrt(np.diag(inverse @ M @ inverse))
    batch = 4 * EPS * np.abs(inverse) @ np.abs(gram) @ np.abs(inverse)
    error = np.abs(updated(start, met) - inverse)
    assert (error <= EPS * np.outer(size, size) + batch).all()
    if ridge < 1.0 and spread == 1.0:  # digits are lost, and the bound is not one that anything meets
        assert error.max() > 1e-4 * EPS * size.max() ** 2


def test_more_digits_are_lost_than_by_a_batch_solve() -> None:
    """A weak regulariser and large features: the unit of a batch solve is exceeded."""
    met = np.array([[9.0, 0.0], [9.0, 9.0]] * 10)
    gram, inverse = exact(0.05 * np.eye(2), met)
    batch = 8 * EPS * np.abs(inverse) @ np.abs(gram) @ np.abs(inverse)
    error = np.abs(updated(0.05 * np.eye(2), met) - inverse)
    assert (error > batch).any()
    assert (np.abs(np.linalg.inv(gram) - inverse) <= batch).all()
