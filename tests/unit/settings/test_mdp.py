from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.base.errors import InternalError
from verifier_settings import mdp

from .forward import occupancy
from .lifelong.runs import generator


def tables(seed: int, H: int, S: int, A: int, W: int) -> tuple[np.ndarray, np.ndarray]:
    rng = generator(seed)
    return rng.dirichlet(np.full(S, 0.5), size=(H, S * A)), rng.random((H, S * A, W))


sizes = st.tuples(st.integers(0, 999), st.integers(1, 2), st.integers(1, 3), st.integers(1, 2), st.integers(1, 2))


@settings(max_examples=25, deadline=None)
@given(sizes)
def test_optimal_values_are_the_best_over_all_deterministic_policies(size: tuple[int, ...]) -> None:
    _, H, S, A, W = size
    P, r = tables(*size)
    Q, V = mdp.optimal_values(P, r)
    best = np.full((S, W), -np.inf)
    for choice in product(range(A), repeat=H * S):
        policy = np.array(choice).reshape(H, S)
        for s in range(S):
            value = np.einsum("hx,hxw->w", occupancy(P, policy, s), r)
            best[s] = np.maximum(best[s], value)
    np.testing.assert_allclose(V[0], best, atol=1e-12)
    assert (V[H] == 0).all()
    np.testing.assert_allclose(Q.max(axis=2), V[:-1], atol=0)


@settings(max_examples=25, deadline=None)
@given(sizes)
def test_policy_values_agree_with_forward_occupancies(size: tuple[int, ...]) -> None:
    seed, H, S, A, W = size
    P, r = tables(*size)
    policy = generator(seed, 1).integers(A, size=(3, H, S, W))
    V = mdp.policy_values(P, np.repeat(r[:, :, None, :], 3, axis=2), policy)
    assert (V[:, H] == 0).all()
    for b, s, w in product(range(3), range(S), range(W)):
        mass = occupancy(P, policy[b, :, :, w], s)
        assert mass.sum() == pytest.approx(H)
        assert V[b, 0, s, w] == pytest.approx((mass * r[:, :, w]).sum())


def test_policy_values_take_another_reward_for_each_batch_entry() -> None:
    P, r = tables(0, 3, 3, 2, 2)
    policy = generator(1).integers(2, size=(2, 3, 3, 2))
    rewards = np.stack([r, 10 * r], axis=2)
    both = mdp.policy_values(P, rewards, policy)
    alone = mdp.policy_values(P, rewards[:, :, 1:], policy[1:])
    np.testing.assert_allclose(both[1], alone[0], rtol=1e-13)


def test_a_policy_that_is_optimal_has_the_optimal_value() -> None:
    P, r = tables(5, 4, 5, 3, 2)
    Q, V = mdp.optimal_values(P, r)
    policy = Q.argmax(axis=2)[None]
    np.testing.assert_allclose(mdp.policy_values(P, r[:, :, None, :], policy)[0], V, atol=1e-12)


def test_a_kernel_that_is_not_finite_is_found_out() -> None:
    P, r = tables(0, 2, 2, 2, 1)
    r[0, 0, 0] = np.nan
    with pytest.raises(InternalError, match="Bellman residual"):
        mdp.optimal_values(P, r)
