from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier_ravi_ucb.shared import constants
from verifier_settings.discounted.instance import Public

GAMMAS = st.one_of(st.floats(0.01, 0.999), st.sampled_from([0.1, 0.5, 0.8, 0.9, 0.99]))
STEPS = st.integers(1, 10**6)


def public(
    *, X: int = 1, A: int = 2, gamma: float = 0.5, T: int = 1000, d: int = 0, B: float = math.inf, ridge: float = 1.0
) -> Public:
    """Sizes; delta = 1/T."""
    return Public(
        X=X, A=A, T=T, gamma=gamma, ridge=ridge, delta=1.0 / T, reward=np.zeros((X, A)), psi=np.zeros((X * A, X, d)), B=B,
        initial_policy=np.full((X, A), 1.0 / A),
    )  # fmt: skip


# By hand ------------------------------------------------------------------------------------------------------------


def test_the_published_parameters_by_hand() -> None:
    p = public(X=3, A=4, gamma=0.75, T=100)
    assert constants.eta(p, 100) == pytest.approx(math.sqrt(2 * math.log(4) / (16 * 100)))
    assert constants.tabular_beta(p, 100) == pytest.approx(8 * 4 * math.sqrt(3 * math.log(3 * 4 * 100 * 100)))
    q = public(gamma=0.5, T=100, d=3, B=1.5, ridge=4.0)
    logarithm = math.log(1 + 100 * 2.25 * 4 / (4 * 3))
    assert constants.mixture_beta(q, 100) == pytest.approx(2 * math.sqrt(2 * (1.5 * logarithm + math.log(100))) + 2 * 1.5)


def test_one_action_has_a_positive_learning_rate_and_no_optimisation_term() -> None:
    p = public(A=1)
    assert constants.eta(p, p.T) == 1.0
    assert constants.optimisation(p, p.T) == 0.0
    assert constants.printed_regret_bound(p, p.T, 3.0) == 6.0 + 2 * p.H**2


def test_delta_keeps_its_product_with_the_steps() -> None:
    p = public(T=100)
    assert constants.delta_at(p, 100) == 0.01
    assert constants.delta_at(p, 1e6) == pytest.approx(1e-6)
    assert constants.delta_at(replace(p, delta=0.1), 5) == 1.0
    assert constants.delta_at(replace(p, delta=0.1), 1000) == pytest.approx(0.01)


def test_the_bonus_sums_by_hand() -> None:
    p = public(X=2, A=3, gamma=0.5, T=10)
    root = (1 + math.sqrt(2)) * math.sqrt(6 * (14 + 6))
    assert constants.tabular_bonus_pathwise(p, 14, 5, 7.0) == pytest.approx(7 * (root + (2 + math.sqrt(2)) * 6 * 5))
    root = (1 + math.sqrt(2)) * math.sqrt(6 * (11 + 6))
    last = (2 + math.sqrt(2)) * 6 * 2 * (2 + math.log(10))
    assert constants.tabular_bonus_sum(p, 10, 1.0) == pytest.approx(root + last)
    q = public(gamma=0.5, T=10, d=2, B=1.5, ridge=4.0)
    early, late = math.log(1 + 9 * 11 / 8), math.log(1 + 9 * 12 / 8)
    first = 2 * 1.5 * 4 / (2 * math.log(2)) * early
    second = math.sqrt(2 * (4 + 2 * math.log(10)) * 2 * late)
    assert constants.mixture_bonus_sum(q, 10, 1.0) == pytest.approx(first + math.sqrt(11) * second)


# Theorem 4.1 ---------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(GAMMAS, STEPS, st.integers(2, 50))
def test_the_optimisation_term_is_the_printed_one_and_what_the_epochs_cost(gamma: float, T: int, A: int) -> None:
    p = public(A=A, gamma=gamma, T=T)
    printed = math.sqrt(2 * p.H**4 * math.log(A) * T)
    assert constants.optimisation(p, T, epochs=(1 - gamma) * T) == pytest.approx(printed)
    extra = gamma * p.H**3 * math.sqrt(math.log(A) / (2 * T))
    assert constants.optimisation(p, T) == pytest.approx(printed + extra)
    other = (constants.regret_bound(p, T, 5.0), constants.printed_regret_bound(p, T, 5.0))
    assert other[0] - other[1] == pytest.approx(extra + 1.0, rel=1e-6, abs=1e-6 * other[0])


@settings(max_examples=100, deadline=None)
@given(GAMMAS, STEPS, st.integers(2, 50), st.floats(0.1, 10))
def test_the_learning_rate_minimises_the_printed_optimisation_term(gamma: float, T: int, A: int, factor: float) -> None:
    p = public(A=A, gamma=gamma, T=T)

    def term(eta: float) -> float:
        return math.log(A) / eta + eta * p.H**2 * T / 2

    assert term(constants.eta(p, T)) <= term(factor * constants.eta(p, T)) * (1 + 1e-12)


@settings(max_examples=300, deadline=None)
@given(GAMMAS, STEPS, st.integers(2, 1000))
def test_the_printed_theorem_survives_for_the_uniform_policy(gamma: float, T: int, A: int) -> None:
    """With eta H^3/8 and H in Lemma 4.3, the exact E K(T) and T delta = 1: min(T, ...) is at most the printed bound."""
    p = public(A=A, gamma=gamma, T=T)
    eta = constants.eta(p, T)
    sharp = p.H * (math.log(A) / eta + constants.expected_epochs(p, T) * eta * p.H**3 / 8 + p.H) + 1
    assert min(T, sharp) <= constants.printed_regret_bound(p, T, 0.0) * (1 + 1e-12)


def test_the_entropy_of_other_initial_policies_enters() -> None:
    p = public(T=500)
    assert constants.regret_bound(p, 500, 0.0, entropy=math.log(2)) == constants.regret_bound(p, 500, 0.0)
    more = constants.regret_bound(p, 500, 0.0, entropy=5.0) - constants.regret_bound(p, 500, 0.0, entropy=4.0)
    assert more == pytest.approx(p.H / constants.eta(p, 500))
    assert constants.regret_bound(p, 500, 0.0, entropy=math.inf) == math.inf
    assert constants.regret_bound(p, 500, 0.0, failure=0.5) == pytest.approx(
        constants.regret_bound(p, 500, 0.0, failure=0.0) + 250
    )
    assert constants.regret_bound(p, 500, 0.0, epochs=251.0) > constants.regret_bound(p, 500, 0.0, epochs=250.0)


# The lengths of the epochs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("T", [1, 2, 7, 60])
def test_epochs_and_steps_in_the_mean_by_their_laws(gamma: float, T: int) -> None:
    from scipy.stats import binom

    p = public(gamma=gamma, T=T)
    coins = np.arange(T)
    assert constants.expected_epochs(p, T) == pytest.approx(1 + coins @ binom.pmf(coins, T - 1, 1 - gamma))
    more = np.arange(2000)
    assert constants.expected_steps(p, T) == pytest.approx(T + more @ (gamma**more * (1 - gamma)))
    assert constants.expected_steps(p, T) == pytest.approx(p.H * constants.expected_epochs(p, T))


def law_of_the_longest(gamma: float, T: int, longest: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Pr(max_{k<=K(T)} L_k <= m) for m = 0, ..., longest: epochs of at most m steps start at steps s and one contains T."""
    below = np.zeros(longest + 1)
    law = (1 - gamma) * gamma ** np.arange(longest)
    for m in range(1, longest + 1):
        starts = np.zeros(T + 1)  # starts[s]: an epoch starts at step s + 1, all before have at most m steps
        starts[0] = 1.0
        for s in range(1, T):
            n = min(m, s)
            starts[s] = starts[s - n : s][::-1] @ law[:n]
        need = T - np.arange(T)  # the length that takes an epoch from step s + 1 to T or beyond
        below[m] = starts[:T] @ np.maximum(gamma ** (need - 1) - gamma**m, 0.0)
    return below


@pytest.mark.parametrize(("gamma", "T"), [(0.1, 1), (0.1, 30), (0.5, 1), (0.5, 2), (0.5, 50), (0.8, 40), (0.9, 60)])
def test_the_longest_epoch_by_the_exact_law(gamma: float, T: int) -> None:
    """Lemma A.4 holds for the epochs up to K(T), whose last one is longer than others, and for T independent lengths."""
    p = public(gamma=gamma, T=T)
    longest = math.ceil(60 * p.H)  # what is longer has probability below T g^(60 H) <= T e^-60
    m = np.arange(1, longest + 1)
    factor = m / np.log1p(m)
    run = np.diff(law_of_the_longest(gamma, T, longest))
    independent = np.diff((1 - gamma ** np.arange(longest + 1.0)) ** T)
    assert run.sum() == pytest.approx(1)
    assert run @ m <= independent @ m * (1 + 1e-12) <= constants.longest_epoch(p, T) * (1 + 1e-12)
    assert run @ factor <= independent @ factor * (1 + 1e-12) <= constants.length_factor(p, T) * (1 + 1e-12)
    if T == 1:
        assert run @ m == pytest.approx(p.H)


def test_the_law_of_the_longest_epoch_by_enumeration() -> None:
    """T = 3: L_1 >= 3, or (1, >= 2), (2, >= 1), (1, 1, >= 1)."""
    g = 0.5
    lengths = [(g**2, (3,)), (g * (1 - g), (1, 2)), (g * (1 - g), (2, 1)), ((1 - g) ** 2, (1, 1, 1))]
    for m in range(1, 6):
        expected = 0.0
        for chance, parts in lengths:
            if all(n <= m for n in parts):  # the last length exceeds its minimum n by a geometric number
                expected += chance * (1 - g ** (m - parts[-1] + 1))
        assert law_of_the_longest(g, 3, 5)[m] == pytest.approx(expected)


# Lemma 5.2 -----------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_visits_satisfy_the_pathwise_bound(data: st.DataObject) -> None:
    """Epochs of any lengths, each with any split over the pairs; some double the count on purpose."""
    pairs = data.draw(st.integers(1, 5))
    counts, total, steps, longest = np.ones(pairs), 0.0, 0, 0
    for _ in range(data.draw(st.integers(1, 25))):
        if data.draw(st.booleans()):
            visits = np.zeros(pairs)
            visits[data.draw(st.integers(0, pairs - 1))] = data.draw(st.integers(1, 200))
        else:
            visits = np.array(data.draw(st.lists(st.integers(0, 30), min_size=pairs, max_size=pairs)), float)
        total += float((visits / np.sqrt(counts)).sum())
        counts += visits
        steps += int(visits.sum())
        longest = max(longest, int(visits.sum()))
    p = public(X=pairs, A=1)
    assert total <= constants.tabular_bonus_pathwise(p, steps, longest, 1.0) * (1 + 1e-12)


def test_both_terms_of_the_pathwise_bound_are_needed() -> None:
    """One long epoch costs its length; many short ones need 2 sqrt of their number."""
    p = public(X=1, A=1)
    root = constants.tabular_bonus_pathwise(p, 10**6, 0, 1.0)
    assert 100 * root < 10**6
    short = sum(1 / math.sqrt(n) for n in range(1, 10**4 + 1))
    assert short > 20 * constants.tabular_bonus_pathwise(p, 0, 1, 1.0)


# Lemma 5.5 -----------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.floats(0.1, 10), st.lists(st.integers(1, 20), min_size=1, max_size=12))
def test_lemmas_a2_and_a3_for_any_features(seed: int, d: int, ridge: float, lengths: list[int]) -> None:
    rng = np.random.default_rng(seed)
    p = public(gamma=0.5, d=d, B=1.5, ridge=ridge)
    Lambda, potential, bad = ridge * np.eye(d), 0.0, 0
    for length in lengths:
        phi = rng.normal(size=(length, d)) * rng.choice([0.01, 1.0, 100.0])
        phi *= np.minimum(1.0, p.B * p.H / np.linalg.norm(phi, axis=1))[:, None]
        squares = np.einsum("ti,ij,tj->t", phi, np.linalg.inv(Lambda), phi)
        potential += float(np.log1p(length * squares).mean())
        bad += bool((squares >= 1).any())
        Lambda += phi.T @ phi
    growth = float(np.linalg.slogdet(Lambda)[1]) - d * math.log(ridge)
    assert potential <= growth + 1e-9
    assert growth <= constants.log_potential(p, sum(lengths)) + 1e-9
    assert bad <= constants.bad_epochs(p, sum(lengths)) + 1e-9


@settings(max_examples=100, deadline=None)
@given(st.floats(0.05, 0.98), st.integers(1, 300), st.floats(1e-4, 1e3))
def test_the_steps_to_the_end_of_the_last_epoch_by_their_law(gamma: float, T: int, c: float) -> None:
    """E[T+ log(1 + c T+)] is at most the corrected (T+gH) log(1 + c (T+2gH)), and above its value at the mean of T+."""
    H = 1 / (1 - gamma)
    more = np.arange(math.ceil(60 * H))
    chance = (1 - gamma) * gamma**more
    exact = float(chance @ ((T + more) * np.log1p(c * (T + more))))
    mean = T + gamma * H
    # rounding of a sum of 60 H terms, and a tail below e^-60
    assert mean * math.log1p(c * mean) <= exact * (1 + 1e-9)
    assert exact <= mean * math.log1p(c * (mean + gamma * H)) * (1 + 1e-9)


def test_the_logarithm_may_not_be_taken_at_the_mean_number_of_steps() -> None:
    """T = 1, g = 0.9, c = 1: convexity of x log(1 + x) shows."""
    more = np.arange(1000)
    exact = float(0.1 * 0.9**more @ ((1 + more) * np.log1p(1 + more)))
    assert exact > 1.1 * 10 * math.log1p(10)
    assert exact < 10 * math.log1p(19)


@settings(max_examples=200, deadline=None)
@given(st.floats(0, 1e6), st.integers(1, 10**6))
def test_the_inequality_behind_the_length_factor(x: float, n: int) -> None:
    assert min(x, n) <= n / math.log1p(n) * math.log1p(x) * (1 + 1e-12)


# In T ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0.1, 0.5, 0.9, 0.99])
def test_widths_and_sums_grow_and_the_bounds_per_step_fall(gamma: float) -> None:
    """So the first T at which a regret bound is below T is the only crossing, from T = 100 on."""
    tabular, mixture = public(X=3, A=2, gamma=gamma), public(gamma=gamma, d=3, B=1.1)
    grid = np.geomspace(1, 1e12, 200)
    for p, beta, bonus in (
        (tabular, constants.tabular_beta, constants.tabular_bonus_sum),
        (mixture, constants.mixture_beta, constants.mixture_bonus_sum),
    ):
        assert all(low < high for low, high in pairwise(beta(p, T) for T in grid[grid >= 2]))
        assert all(low < high for low, high in pairwise(bonus(p, T, 1.0) for T in grid))
    for p, bound in ((tabular, constants.regret_bound_tabular), (mixture, constants.regret_bound_mixture)):
        assert all(low > high for low, high in pairwise(bound(p, T) / T for T in grid[grid >= 100]))
        assert all(bound(p, T, 0.1) < bound(p, T) for T in grid)


def nonvacuous_from(bound: object, p: Public) -> float:
    assert callable(bound)
    low, high = 1.0, 1e15
    while high / low > 1.0001:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if bound(p, middle) < middle else (middle, high)
    return high


PROTOTYPE = {
    "X1": (1.1e5, 3.9e5, 2.9e6, 1.3e7, 2.8e9),
    "X5": (3.5e6, 1.2e7, 8.2e7, 3.8e8, 4.9e10),
    "d2": (2.4e5, 2.4e6, 7.4e7, 8.9e8, 2.7e12),
    "d3": (5.2e5, 5.2e6, 1.4e8, 1.7e9, 5.2e12),
}
"""Sizes from which the explicit bounds say something, for g = .1, .5, .8, .9, .99, as found by a separate prototype."""


@pytest.mark.parametrize("name", PROTOTYPE)
def test_the_bounds_become_informative_where_a_prototype_found_it(name: str) -> None:
    """Within 15 percent: the prototype searched a grid, and took B of its own instances (here 1.1)."""
    for gamma, expected in zip((0.1, 0.5, 0.8, 0.9, 0.99), PROTOTYPE[name], strict=True):
        if name[0] == "X":
            found = nonvacuous_from(constants.regret_bound_tabular, public(X=int(name[1]), gamma=gamma))
        else:
            found = nonvacuous_from(constants.regret_bound_mixture, public(gamma=gamma, d=int(name[1]), B=1.1))
        assert found == pytest.approx(expected, rel=0.15)
