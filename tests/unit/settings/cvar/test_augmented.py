"""The exact solvers against loops and against brute force over everything a policy could depend on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base.arrays import Array, IntArray
from verifier_settings.cvar import Instance, augmented, generators
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.instance import planned

from .laws import cvar
from .runs import deterministic, generator, small_instances

Paths = Iterator[tuple[float, float, list[tuple[int, int, int]]]]
History = tuple[tuple[int, int, int], ...]


def paths(P: Array, r: Array, act: Callable[[int, int, list[tuple[int, int, int]]], int], S: int) -> Paths:
    """Every path of a policy of the history: probability, sum of reward indices, and the triples (s, a, j)."""
    H, A = len(r), r.shape[1] // S

    def walk(h: int, s: int, seen: list[tuple[int, int, int]], p: float) -> Paths:
        a = act(h, s, seen)
        x = s * A + a
        for j, mass in enumerate(r[h, x]):
            if mass == 0:
                continue
            path = [*seen, (s, a, j)]
            if h == H - 1:
                yield p * mass, sum(step[2] for step in path), path
                continue
            for following, weight in enumerate(P[h, x]):
                if weight > 0:
                    yield from walk(h + 1, following, path, p * mass * weight)

    yield from walk(0, 0, [], 1.0)


def law_of(instance: Instance, act: Callable[[int, int, list[tuple[int, int, int]]], int]) -> Array:
    law = np.zeros(instance.public.fine.N + 1)
    for p, total, _ in paths(instance.truth.P, instance.public.reward, act, instance.public.S):
        law[int(total)] += p
    return law


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tau", [0.1, 0.5, 1.0])
def test_no_policy_of_the_history_is_better(seed: int, tau: float) -> None:
    """S = A = H = 2, rewards in {0, 1/2, 1}: 2 first actions by 2^6 second actions, one for each (first reward, state)."""
    instance = generators.random(generator(seed), S=2, A=2, d=2, H=2, m=2, size=2, K=1, tau=tau)
    levels, best = instance.public.fine.levels, -np.inf
    for first, *second in itertools.product(range(2), repeat=7):
        rule = dict(zip(itertools.product(range(3), range(2)), second, strict=True))
        law = law_of(instance, lambda h, s, seen, f=first, rule=rule: f if h == 0 else rule[seen[0][2], s])
        best = max(best, cvar(levels, law, tau))
    assert instance.truth.fine.cvar == pytest.approx(best, abs=1e-12)


def follow(policy: IntArray, budget: int, rounded: Callable[[int], int] = int) -> Callable[..., int]:
    def act(h: int, s: int, seen: list[tuple[int, int, int]]) -> int:
        return int(policy[h, s, max(budget - sum(int(rounded(j)) for _, _, j in seen), 0)])

    return act


@deterministic(25)
@given(small_instances(), st.integers(0, 99), st.data())
def test_every_quantity_of_a_policy_against_its_paths(instance: Instance, seed: int, data: st.DataObject) -> None:
    """Values, occupancies and both return laws of an arbitrary policy on the coarse grid, with bonuses."""
    public, truth = instance.public, instance.truth
    rng, grid, S = generator(seed), public.coarse, public.S
    policy = rng.integers(public.A, size=(public.H, S, grid.N + 1))
    bonus = rng.random((public.H, public.X))
    budget = data.draw(st.integers(0, grid.N))
    coarse, fine = np.zeros(grid.N + 1), np.zeros(public.fine.N + 1)
    value, masses = 0.0, np.zeros((public.H, public.X, grid.N + 1))
    for p, total, path in paths(truth.P, public.reward, follow(policy, budget, grid.rounded), S):
        left = budget
        for h, (s, a, j) in enumerate(path):
            masses[h, s * public.A + a, left] += p
            value -= p * bonus[h, s * public.A + a]
            left = max(left - int(grid.rounded(j)), 0)
        spent = sum(int(grid.rounded(j)) for _, _, j in path)
        assert left == max(budget - spent, 0)
        value += p * grid.levels[left]
        coarse[spent] += p
        fine[int(total)] += p
    start, r = np.array(budget), public.coarse_reward
    V = augmented.evaluate(truth.P, r, bonus, policy, grid)
    assert V[0, 0, budget] == pytest.approx(value, abs=1e-12)
    np.testing.assert_allclose(augmented.masses(truth.P, r, policy, start, 0, grid, S), masses, atol=1e-13)
    law = augmented.return_law(truth.P, r, policy, start, 0, Grid(grid.H, grid.n), S)
    np.testing.assert_allclose(law, coarse, atol=1e-13)
    law = augmented.return_law(truth.P, public.reward, policy, start, 0, grid, S)
    np.testing.assert_allclose(law, fine, atol=1e-13)
    best, _ = augmented.optimal(truth.P, r, bonus, grid, S)
    assert best[0, 0, budget] <= V[0, 0, budget] + 1e-12


@deterministic(20)
@given(small_instances(), st.integers(0, 99))
def test_batches_are_their_parts(instance: Instance, seed: int) -> None:
    public = instance.public
    rng, grid = generator(seed), public.coarse
    policies = rng.integers(public.A, size=(3, public.H, public.S, grid.N + 1))
    budgets, bonus = rng.integers(grid.N + 1, size=3), rng.random((3, public.H, public.X))
    P = public.kernels[rng.integers(public.M, size=(3, public.H - 1)), np.arange(public.H - 1)]
    r, S = public.coarse_reward, public.S
    together = (
        augmented.evaluate(P, r, bonus, policies, grid),
        augmented.optimal(P, r, bonus, grid, S)[0],
        augmented.masses(P, r, policies, budgets, 0, grid, S),
        augmented.return_law(P, public.reward, policies, budgets, 0, grid, S),
    )
    for b in range(3):
        alone = (
            augmented.evaluate(P[b], r, bonus[b], policies[b], grid),
            augmented.optimal(P[b], r, bonus[b], grid, S)[0],
            augmented.masses(P[b], r, policies[b], budgets[b], 0, grid, S),
            augmented.return_law(P[b], public.reward, policies[b], budgets[b], 0, grid, S),
        )
        for one, many in zip(alone, together, strict=True):
            np.testing.assert_allclose(many[b], one, atol=1e-12)


def test_the_uniform_policy_is_the_average_over_actions() -> None:
    instance = generators.random(generator(3), S=3, A=2, d=2, H=2, m=2, size=1, K=1, tau=0.5)
    public, truth = instance.public, instance.truth
    law = np.zeros(public.fine.N + 1)
    for actions in itertools.product(range(2), repeat=4):  # the first action, and the second in each of three states
        act = follow(np.array([[[actions[0]] * 5] * 3, [[a] * 5 for a in actions[1:]]]), 0)
        law += law_of(instance, act) / 16
    uniform = augmented.return_law(truth.P, public.reward, None, np.array(0), 0, public.fine, public.S)
    np.testing.assert_allclose(uniform, law, atol=1e-14)
    masses = augmented.masses(truth.P, public.reward, None, np.array(2), 0, public.fine, public.S)
    np.testing.assert_allclose(masses.sum(axis=(1, 2)), 1.0, atol=1e-14)
    assert np.all(masses[0, :2].sum(axis=1) == 0.5)


# The grid --------------------------------------------------------------------------------------------------------------


@deterministic()
@given(st.integers(1, 5), st.integers(1, 60), st.data())
def test_a_coarse_grid_holds_every_rounded_return(H: int, m: int, data: st.DataObject) -> None:
    q = data.draw(st.integers(1, m))
    grid = Grid(H, m, q)
    assert grid.n == int(grid.rounded(m))
    assert grid.n * q >= m > (grid.n - 1) * q
    assert grid.initial <= grid.N
    assert grid.initial * q >= H * m > (grid.initial - 1) * q
    j = np.arange(m + 1)
    assert np.all(grid.rounded(j) * q >= j)
    assert np.all(grid.rounded(j) * q < j + q)
    law = np.full(m + 1, 1.0 / (m + 1))
    assert grid.round_up(law).sum() == pytest.approx(1.0)
    assert grid.round_up(law) @ np.arange(grid.n + 1) * q >= law @ j - 1e-12


def test_what_lies_on_the_grid_is_not_moved() -> None:
    grid = Grid(2, 10, 1)
    assert list(grid.rounded(np.arange(11))) == list(range(11))  # 0.3 / 0.1 and the like never arise
    np.testing.assert_array_equal(Grid(1, 10, 3).rounded(np.array([0, 3, 6, 9, 10])), [0, 1, 2, 3, 4])
    assert list(grid.levels[:4]) == [0.0, 0.1, 0.2, 0.3]


def test_a_grid_cut_at_h_over_ups_misses_the_optimum() -> None:
    """r = 1, H = 2, step 0.3: budgets up to floor(2/0.3) = 6 reach 1.8 only; up to ceil they reach CVaR* = 2."""
    reward = np.zeros((2, 1, 11))
    reward[..., -1] = 1.0
    instance = generators.known(np.ones((1, 1, 1)), np.ones((1, 1, 1)), reward, A=1, K=1, tau=0.5, q=3)
    coarse = instance.truth.coarse
    assert coarse.objective[:7].max() == pytest.approx(1.8)
    assert coarse.objective[: coarse.grid.initial + 1].max() == pytest.approx(2.1)
    assert instance.truth.fine.cvar == pytest.approx(2.0)
    assert coarse.cvar == pytest.approx(2.4)  # each reward of 1 counts as 1.2


# Rounding rewards up (Proposition B.1) -----------------------------------------------------------------------------------


@deterministic(25)
@given(small_instances())
def test_rounding_up_gains_at_most_h_steps(instance: Instance) -> None:
    public, truth = instance.public, instance.truth
    coarse, allowed = truth.coarse, public.H * public.ups
    assert -1e-12 <= coarse.cvar - truth.fine.cvar <= allowed + 1e-12
    law = augmented.return_law(truth.P, public.reward, coarse.policy, np.array(coarse.budget), 0, public.coarse, public.S)
    executed = cvar(public.fine.levels, law, public.tau)
    assert -1e-12 <= coarse.cvar - executed <= allowed + 1e-12
    assert truth.fine.cvar - executed <= allowed + 1e-12


def test_h_steps_is_sharp() -> None:
    """Rewards of 1/60 rounded up to 1: the gap is 59/60 of H ups, for every tau."""
    reward = np.zeros((3, 1, 61))
    reward[..., 1] = 1.0
    for tau in (0.1, 1.0):
        instance = generators.known(np.ones((2, 1, 1)), np.ones((2, 1, 1)), reward, A=1, K=1, tau=tau, q=60)
        assert instance.truth.coarse.cvar - instance.truth.fine.cvar == pytest.approx(3 * 59 / 60)


def test_rounding_down_would_break_it() -> None:
    """The check can fail: with rewards rounded down instead, CVaR* of the rounded MDP is the smaller one."""
    instance = generators.random(generator(5), S=3, A=2, d=2, H=3, m=10, size=1, K=1, tau=0.3, q=3)
    public = instance.public
    down = np.zeros((public.H, public.X, public.coarse.n + 1))
    for j in range(public.m + 1):
        down[..., j // public.q] += public.reward[..., j]
    assert planned(instance.truth.P, down, None, public, public.coarse).cvar < instance.truth.fine.cvar - 0.1
