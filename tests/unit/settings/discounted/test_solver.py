from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from verifier.base.errors import InternalError
from verifier_settings.discounted import solver

from ..lifelong.runs import generator

Table = list[list[Fraction]]
GAMMAS = (0.001, 0.01, 0.5, 0.9, 0.99, 0.9999)

quickly = settings(max_examples=30, deadline=None, database=None, derandomize=True)
sizes = st.tuples(st.integers(0, 999), st.integers(1, 5), st.integers(1, 3), st.sampled_from(GAMMAS))


def tables(seed: int, X: int, A: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kernel, rewards, start and a policy; sparse rows, so that some states are hard or impossible to reach."""
    rng = generator(seed, X, A)
    P = rng.dirichlet(np.full(X, 0.2), size=X * A)
    return P, rng.random((X, A)) ** 2, rng.dirichlet(np.ones(X)), rng.dirichlet(np.ones(A), size=X)


def series(P: np.ndarray, gamma: float, vector: np.ndarray) -> np.ndarray:
    """sum_t g^t P^t vector by doubling: S_2n = S_n + (g P)^n S_n, until the rest is below rounding.

    The relative error of term t is about t X eps, so that of the sum is below X eps / (1-g): less than `solver.rounding`.
    """
    power, total, terms = gamma * P, vector, 1
    while gamma**terms > 1e-20:
        total, power, terms = total + power @ total, power @ power, 2 * terms
    return total


@quickly
@given(sizes)
def test_occupancies_and_values_agree_with_the_power_series(size: tuple[int, int, int, float]) -> None:
    seed, X, A, gamma = size
    P, reward, start, policy = tables(seed, X, A)
    kernel = np.array([policy[x] @ P[x * A : (x + 1) * A] for x in range(X)])
    tolerance = 2 * solver.rounding(X, gamma)

    nu = solver.state_occupancy(P, policy, start, gamma)
    np.testing.assert_allclose(nu, (1 - gamma) * series(kernel.T, gamma, start), atol=tolerance)
    V = solver.policy_values(P, reward, policy, gamma)
    np.testing.assert_allclose((1 - gamma) * V, (1 - gamma) * series(kernel, gamma, (policy * reward).sum(1)), atol=tolerance)

    mu = solver.occupancy(P, policy, start, gamma)
    assert mu.sum() == pytest.approx(1.0, abs=tolerance)
    assert mu.min() >= -tolerance
    assert (mu * reward).sum() == pytest.approx((1 - gamma) * start @ V, abs=tolerance)


@quickly
@given(sizes)
def test_optimal_values_solve_the_two_linear_programs(size: tuple[int, int, int, float]) -> None:
    """Least V with V >= r + g P V, and the occupancy that earns most.

    HiGHS meets constraints and optimality up to 1e-7 each: V is right up to a few 1e-7 H, the return up to 1e-7 for each row.
    """
    seed, X, A, gamma = size
    P, reward, start, _ = tables(seed, X, A)
    Q, V, policy = solver.optimal(P, reward, gamma)
    E, H = np.repeat(np.eye(X), A, axis=0), 1 / (1 - gamma)

    least = linprog(np.full(X, 1 / X), A_ub=gamma * P - E, b_ub=-reward.ravel(), bounds=(None, None), method="highs")
    np.testing.assert_allclose(V, least.x, atol=4e-7 * H)
    best = linprog(-reward.ravel(), A_eq=(E - gamma * P).T, b_eq=(1 - gamma) * start, bounds=(0, None), method="highs")
    mu = solver.occupancy(P, np.eye(A)[policy], start, gamma)
    assert (mu * reward).sum() == pytest.approx(-best.fun, abs=4e-7 * X)
    assert (mu * reward).sum() == pytest.approx((1 - gamma) * start @ V, abs=2 * solver.rounding(X, gamma))
    np.testing.assert_array_equal(policy, Q.argmax(axis=1))


@quickly
@given(sizes)
def test_optimal_values_agree_with_value_iteration(size: tuple[int, int, int, float]) -> None:
    """After n rounds from below the error is at most g^n H; each round adds rounding of X products of size H."""
    seed, X, A, gamma = size
    gamma = min(gamma, 0.99)
    P, reward, _, _ = tables(seed, X, A)
    _, V, _ = solver.optimal(P, reward, gamma)
    W = np.zeros(X)
    for _ in range(int(np.ceil(np.log(1e-17) / np.log(gamma)))):
        W = (reward + gamma * (P @ W).reshape(X, A)).max(axis=1)
    np.testing.assert_allclose((1 - gamma) * V, (1 - gamma) * W, atol=2 * solver.rounding(X, gamma))


def exact_values(
    P: list[list[Fraction]], reward: list[list[Fraction]], actions: tuple[int, ...], gamma: Fraction
) -> list[Fraction]:
    """V^pi by elimination in rational numbers."""
    X, A = len(reward), len(reward[0])
    rows = [
        [(x == y) - gamma * P[x * A + a][y] for y in range(X)] + [reward[x][a]] for x, a in enumerate(actions)
    ]  # fmt: skip
    for i in range(X):  # diagonally dominant: no pivot vanishes
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for j in range(X):
            if j != i:
                rows[j] = [entry - rows[j][i] * pivot for entry, pivot in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def exact_optimum(P: np.ndarray, reward: np.ndarray, gamma: float) -> np.ndarray:
    """V* as the best of all deterministic policies, exact for the floating-point numbers given."""
    X, A = reward.shape
    kernel, earned = ([[Fraction(float(v)) for v in row] for row in table] for table in (P, reward))
    policies = [exact_values(kernel, earned, actions, Fraction(gamma)) for actions in product(range(A), repeat=X)]
    return np.array([float(max(values)) for values in zip(*policies, strict=True)])


eighths = st.integers(0, 999).map(lambda seed: generator(seed).multinomial(8, np.full(3, 1 / 3), size=6) / 8)


@quickly
@given(eighths, st.integers(0, 99), st.sampled_from(GAMMAS))
def test_optimal_values_are_those_of_the_best_policy_in_rational_numbers(P: np.ndarray, seed: int, gamma: float) -> None:
    reward = generator(seed).integers(0, 9, size=(3, 2)) / 8
    _, V, _ = solver.optimal(P, reward, gamma)
    np.testing.assert_allclose((1 - gamma) * V, (1 - gamma) * exact_optimum(P, reward, gamma), atol=solver.rounding(3, gamma))


@pytest.mark.parametrize("gamma", [0.99, 0.999, 0.9999])
@pytest.mark.parametrize("gain", [1e-10, 1e-8, 1e-6, 1e-4])
def test_a_small_gain_per_cycle_is_not_overlooked(gamma: float, gain: float) -> None:
    """Going to state 1 and back earns `gain` more than two steps of staying: worth gain / (1 - g^2) in the long run."""
    P = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    back = (0.5 * (1 + gamma) + gain - 0.4) / gamma
    reward = np.array([[0.5, 0.4], [back, back]])
    _, V, policy = solver.optimal(P, reward, gamma)
    np.testing.assert_allclose((1 - gamma) * V, (1 - gamma) * exact_optimum(P, reward, gamma), atol=2e-15)
    assert policy[0] == 1


def test_many_policies_at_once_are_solved_one_by_one() -> None:
    P, reward, start, _ = tables(3, 4, 2)
    policies = generator(7).dirichlet(np.ones(2), size=(5, 3, 4))
    nu, V = solver.state_occupancy(P, policies, start, 0.9), solver.policy_values(P, reward, policies, 0.9)
    assert nu.shape == V.shape == (5, 3, 4)
    for index in np.ndindex(5, 3):
        np.testing.assert_allclose(nu[index], solver.state_occupancy(P, policies[index], start, 0.9), rtol=1e-13)
        np.testing.assert_allclose(V[index], solver.policy_values(P, reward, policies[index], 0.9), rtol=1e-13)
    np.testing.assert_allclose(solver.occupancy(P, policies, start, 0.9).sum(axis=-1), nu, rtol=1e-13)


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("reward", [0.0, 0.1, 1.0])
def test_ties_everywhere(gamma: float, reward: float) -> None:
    P, _, start, _ = tables(1, 5, 3)
    _, V, policy = solver.optimal(P, np.full((5, 3), reward), gamma)
    np.testing.assert_allclose((1 - gamma) * V, reward, atol=solver.rounding(5, gamma))
    earned = solver.occupancy(P, np.eye(3)[policy], start, gamma).sum() * reward
    assert earned == pytest.approx(reward, abs=solver.rounding(5, gamma))


def test_what_is_no_mdp_is_found_out() -> None:
    P, reward, start, policy = tables(0, 3, 2)
    reward[0, 0] = np.nan
    with pytest.raises(InternalError, match="Bellman residual"):
        solver.optimal(P, reward, 0.9)
    P[0, 0] = np.nan
    with pytest.raises(InternalError, match="flow residual"):
        solver.state_occupancy(P, policy, start, 0.9)
