from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp, rel_entr

from verifier_ravi_ucb import planning
from verifier_settings.discounted import tolerances
from verifier_settings.discounted.policies import log, normalised, relative_entropy, softmax_step

from ..lifelong.runs import generator

quickly = settings(max_examples=60, deadline=None, database=None, derandomize=True)
steps = st.tuples(st.integers(0, 999), st.integers(1, 4), st.sampled_from([1e-9, 1e-4, 0.1, 3.0, 1e3]), st.booleans())


def drawn(seed: int, A: int, eta: float, sparse: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """log pi, Q in [0, 9] and eta of 3 epochs with 2 states; some actions may be excluded."""
    rng = generator(seed, A)
    pi = rng.dirichlet(np.full(A, 0.5), size=(3, 2))
    if sparse and A > 1:
        pi[:, 0, 0] = 0.0
        pi /= pi.sum(axis=2, keepdims=True)
    return log(pi), 9 * rng.random((3, 2, A)), np.full(3, eta)


@quickly
@given(steps)
def test_a_planning_step_by_another_route(step: tuple[int, int, float, bool]) -> None:
    """Both routes, and that of the algorithm, are within the tolerances of claims about the step of one in extended precision."""
    log_policy, Q, eta = drawn(*step)
    V, following = softmax_step(log_policy, Q, eta)
    exact = log_policy.astype(np.longdouble) + eta.astype(np.longdouble)[:, None, None] * Q.astype(np.longdouble)
    total = np.log(np.exp(exact - exact.max(axis=2, keepdims=True)).sum(axis=2)) + exact.max(axis=2)
    view = SimpleNamespace(
        previous_log_policy=log_policy, log_policy=following, eta=eta, public=SimpleNamespace(A=Q.shape[2], H=10.0),
        total=lambda name: 0.0 * Q, once=lambda function: function(view),
    )  # fmt: skip
    by_scipy = logsumexp(log_policy + eta[:, None, None] * Q, axis=2) / eta[:, None]
    by_algorithm = planning.improve(log_policy[0], Q[0], float(eta[0]))
    for found in (V[0], by_scipy[0], by_algorithm[0]):
        assert np.abs(found - (total / eta[:, None])[0]).max() <= tolerances.value(view)[0]
    assert np.abs(V - total / eta[:, None]).max() <= tolerances.value(view).min()
    mass = np.isfinite(following)
    np.testing.assert_array_equal(mass, np.isfinite(log_policy))
    assert np.abs(following[mass] - (exact - total[..., None])[mass]).max() <= tolerances.logarithm(view).min()
    np.testing.assert_array_equal(following[0], by_algorithm[1])
    np.testing.assert_allclose(np.exp(following).sum(axis=2), 1.0, atol=4 * np.finfo(float).eps)


def test_the_limits_of_the_learning_rate() -> None:
    pi, Q = np.array([[[0.25, 0.75]]]), np.array([[[2.0, 1.0]]])
    V, following = softmax_step(log(pi), Q, np.array([1e5]))  # log 0.25 / eta is below 2e-5
    assert V[0, 0] == pytest.approx(2.0, abs=2e-5)
    assert np.exp(following[0, 0]) == pytest.approx([1.0, 0.0], abs=1e-12)
    V, following = softmax_step(log(pi), Q, np.array([1e-6]))  # the mean, and half of the variance times eta
    assert V[0, 0] == pytest.approx(1.25 + 1e-6 * 0.1875 / 2, abs=1e-9)
    assert np.exp(following[0, 0]) == pytest.approx([0.25, 0.75], abs=1e-6)
    V, following = softmax_step(log(pi), Q + 1e6, np.array([10.0]))  # no overflow
    assert V[0, 0] == pytest.approx(1e6 + 2.0 + np.log(0.25 + 0.75 * np.exp(-10)) / 10, rel=1e-14)


def test_with_one_action_values_are_those_of_the_action() -> None:
    Q = 5 * generator(0).random((4, 3, 1))
    V, following = softmax_step(np.zeros((4, 3, 1)), Q, np.full(4, 0.3))
    np.testing.assert_allclose(V, Q[..., 0], rtol=1e-15)
    np.testing.assert_array_equal(following, 0.0)


def test_what_is_no_law_is_made_one() -> None:
    law = np.array([0.25, 0.75])
    np.testing.assert_allclose(normalised(log(law) + np.array([[1e5], [-1e5]])), np.tile(log(law), (2, 1)), atol=1e-10)
    np.testing.assert_array_equal(normalised(log(np.array([0.0, 2.0]))), [-np.inf, 0.0])
    rounded = log(law) + 1e-15
    np.testing.assert_array_equal(normalised(rounded), rounded)  # a law to rounding is kept bit for bit


@quickly
@given(st.integers(0, 999), st.integers(1, 5))
def test_relative_entropies_by_their_definition(seed: int, A: int) -> None:
    rng = generator(seed, A)
    p, q = (rng.dirichlet(np.full(A, 0.3), size=(3, 4)) * (rng.random((3, 4, A)) < 0.8) for _ in range(2))
    np.testing.assert_allclose(relative_entropy(log(p), log(q)), rel_entr(p, q).sum(axis=-1), rtol=1e-12, atol=1e-14)


def test_relative_entropies_at_the_edge() -> None:
    nothing = -np.inf
    assert relative_entropy(np.array([0.0, nothing]), np.array([0.0, nothing])) == 0.0
    assert relative_entropy(np.array([0.0, nothing]), np.log([0.5, 0.5])) == pytest.approx(np.log(2))
    assert relative_entropy(np.log([0.5, 0.5]), np.array([0.0, nothing])) == np.inf
    assert relative_entropy(np.array([nothing, 0.0]), np.array([0.0, nothing])) == np.inf
    assert relative_entropy(np.array([-800.0, 0.0]), np.array([-900.0, 0.0])) == 0.0  # underflows, and is no NaN


def test_logarithms_of_nothing() -> None:
    np.testing.assert_array_equal(log(np.array([0.0, 1.0, -0.0])), [-np.inf, 0.0, -np.inf])
