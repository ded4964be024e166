"""Estimates of a batch of epochs at once against one epoch at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier_settings.discounted import Instance, generators
from verifier_settings.discounted.models import Counting, MixtureRegression, Steps

from ..lifelong.runs import generator

quickly = settings(max_examples=40, deadline=None, database=None, derandomize=True)
MODELS: list[Any] = [Counting, MixtureRegression]


def drawn(seed: int, p: int, growth: float = 1.0) -> tuple[Instance, Steps]:
    """Epochs of up to 4 steps, and value functions that grow from epoch to epoch."""
    instance = generators.mixture(generator(seed), X=3, A=2, d=2, gamma=0.8, T=10)
    rng = generator(seed, 1)
    lengths = rng.integers(1, 5, size=p)
    n = int(lengths.sum())
    V = 5 * rng.random((p, 3)) * growth ** np.arange(p)[:, None]
    return instance, Steps(rng.integers(6, size=n), rng.integers(3, size=n), np.repeat(np.arange(p), lengths), V)


def part(steps: Steps, first: int, last: int) -> Steps:
    inside = (steps.epoch >= first) & (steps.epoch < last)
    return Steps(steps.rows[inside], steps.successors[inside], steps.epoch[inside] - first, steps.V[first:last])


@quickly
@given(st.integers(0, 999), st.integers(1, 8), st.integers(0, 8))
@pytest.mark.parametrize("kind", MODELS)
def test_estimates_of_a_batch_are_those_of_its_epochs_one_by_one(kind: Any, seed: int, p: int, cut: int) -> None:
    instance, steps = drawn(seed, p)
    whole = kind.start(instance.public).estimates(steps)
    model = kind.start(instance.public)
    for k in range(p):
        one = part(steps, k, k + 1)
        for found in (model.now(steps.V[k]), model.estimates(one)):
            np.testing.assert_allclose(found.mean[0], whole.mean[k], atol=1e-10)
            np.testing.assert_allclose(found.norm[0], whole.norm[k], atol=1e-10)
        model = model.after(one)
    cut = min(cut, p)
    if 0 < cut < p:
        later = kind.start(instance.public).after(part(steps, 0, cut)).estimates(part(steps, cut, p))
        np.testing.assert_allclose(later.mean, whole.mean[cut:], atol=1e-10)
        np.testing.assert_allclose(later.norm, whole.norm[cut:], atol=1e-10)


@pytest.mark.parametrize("growth", [1e3, 1e-3])
def test_what_epochs_add_later_does_not_blur_the_estimate(growth: float) -> None:
    """Each epoch has values a thousand times those of the one before, or a thousandth of them.

    theta_k must not lose digits to later epochs of the batch: those of the model of epochs 1 to k alone differ by its rounding.
    """
    instance, steps = drawn(3, 5, growth)
    whole = MixtureRegression.start(instance.public).estimates(steps)
    for k in range(1, 5):
        alone = MixtureRegression.start(instance.public).after(part(steps, 0, k))
        np.testing.assert_allclose(whole.gram[k], alone.gram, rtol=1e-14)
        np.testing.assert_allclose(whole.moments[k], alone.moment, rtol=1e-14)
    np.testing.assert_array_equal(whole.moments[0], 0.0)
    np.testing.assert_array_equal(whole.gram[0], np.eye(2))


def test_what_has_never_been_seen() -> None:
    instance, _ = drawn(0, 1)
    V = np.array([1.0, 2.0, 3.0])
    counted = Counting.start(instance.public).now(V)
    np.testing.assert_array_equal(counted.mean, 0.0)
    np.testing.assert_array_equal(counted.norm, 1.0)
    regressed = MixtureRegression.start(instance.public).now(V)
    np.testing.assert_array_equal(regressed.mean, 0.0)
    np.testing.assert_allclose(regressed.norm.ravel(), np.linalg.norm(V @ instance.public.psi, axis=1))
    np.testing.assert_array_equal(regressed.log_det, 0.0)


def test_rows_of_the_empirical_kernel_keep_the_mass_of_the_phantom_visit() -> None:
    instance, steps = drawn(1, 1)
    after = Counting.start(instance.public).after(Steps(np.array([0, 0, 0]), np.array([1, 1, 2]), np.zeros(3, int), steps.V[:1]))
    found = after.now(np.ones(3))
    assert found.mean[0, 0, 0] == 0.75
    assert found.visits[0, 0, 0] == 4
