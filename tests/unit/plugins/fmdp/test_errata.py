"""Errata of the paper on factored MDPs: each counterexample refutes what is printed and satisfies its hypotheses."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from verifier.model.erratum import Refutation
from verifier_fmdp.errata import ERRATA, counting, formulas, knapsack, optimism

BY_NAME = {erratum.name: erratum for erratum in ERRATA}


def refutation(name: str) -> Refutation:
    return BY_NAME[name].counterexample()


# Lemma F.7: the run, and what the bonus needs


def spreads(law: np.ndarray, best: np.ndarray, high: np.ndarray, low: np.ndarray) -> tuple[float, float, float]:
    def variance(values: np.ndarray) -> float:
        return float(sum(p * q * (x - y) ** 2 for (p, x), (q, y) in product(zip(law, values, strict=True), repeat=2)) / 2)

    return variance(best), variance(high), float(law @ (high - low) ** 2)


def test_the_two_point_law_refutes_the_coefficient_one_and_not_two() -> None:
    """The limit of many visits: P-hat = P and no further terms."""
    true, hat, u = spreads(np.array([0.95, 0.05]), np.array([1.0, 0.0]), np.array([1.0, 2 / 3]), np.array([1.0, 0.0]))
    assert true - 2 * hat == pytest.approx(0.0475 * (1 - 2 / 9))
    assert true > 2 * hat + u
    assert true <= 2 * hat + 2 * u
    assert math.sqrt(true) <= math.sqrt(hat) + math.sqrt(u)


def test_the_triangle_inequality_of_deviations_holds_for_any_law() -> None:
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(2000):
        size = rng.integers(2, 5)
        law, best = rng.dirichlet(np.full(size, 0.3)), rng.uniform(size=size)
        high, low = best + rng.uniform(size=size) * (1 - best), best * rng.choice([0.5, 1.0])
        true, hat, u = spreads(law, best, high, low)
        found += true > 2 * hat + u + 1e-12
        assert true <= 2 * hat + 2 * u + 1e-12
        assert math.sqrt(true) <= math.sqrt(hat) + math.sqrt(u) + 1e-12
    assert found > 20  # and the printed coefficient fails on some


def test_the_terms_of_the_bonus() -> None:
    assert formulas.reward_bonus(0.25, 2.0, 8.0) == pytest.approx(math.sqrt(0.125) + 2 / 3)
    assert formulas.radius(2, 3.0, 6.0) == pytest.approx(2 + 4 / 3)
    assert formulas.bracket([2], 3.0, [6]) == pytest.approx(2 + 4 / 3)
    eta = formulas.further([2], 5, 3.0, [6], 0)
    assert eta == pytest.approx(20 * math.sqrt(0.5) * (4**0.25 + math.sqrt(4 / 3)) + 5 * (10 / 3) ** 2)
    assert formulas.transition_bonus([4.0], [2.0], [2], 5, 3.0, [6]) == pytest.approx(math.sqrt(8) + math.sqrt(2) + eta)


# Lemma F.5


@pytest.mark.parametrize(("X", "T"), [((1, 3), 20), ((2, 3), 50), ((3, 3), 7)])
def test_the_mixed_sum_step_by_step(X: tuple[int, int], T: int) -> None:
    first, second, total = dict.fromkeys(range(X[0]), 0), dict.fromkeys(range(X[1]), 0), 0.0
    for k in range(T):
        total += 1 / math.sqrt(max(1, first[k % X[0]]) * max(1, second[k % X[1]]))
        first[k % X[0]] += 1
        second[k % X[1]] += 1
    assert counting.mixed_sum(X, T) == pytest.approx(total)


def test_every_action_of_the_run_is_at_the_cap_so_that_argmax_is_free() -> None:
    assert counting.least_value((8, 8000), 80_000) >= 1
    assert counting.least_value((1, 2), 20_000) < 1


def test_the_repaired_sum_is_the_two_parts_of_its_proof() -> None:
    X, T, H, n = 3, 500, 4, 2
    inside, outside = 4 * X * math.log(T), 8 * H * X * math.log(18 * n * X * H / counting.DELTA)
    assert counting.repaired(X, T, H, n) == pytest.approx(inside + outside)


# Algorithm 2, Lemma F.17


def test_the_union_and_the_intersection_of_the_known_cells() -> None:
    instance = refutation("known-set").instance
    assert instance.count("yes") == 4  # three pairs in the union, one in the intersection
    assert optimism.gap_radius().printed.count(">") == 1


def test_the_radius_is_left_in_a_run_that_is_as_long_as_the_paper_assumes() -> None:
    """T >= X_i >= H, with X_i = 2000 cells and K = 1100 episodes of 2 steps: 2 * 1.9 against the printed radius 1.28."""
    L = math.log(18 * 1 * (1100 * 2) * 2000 * 1 / 0.1)
    assert "K = 1100" in refutation("gap-radius").instance
    assert refutation("gap-radius").printed.startswith(f"H‖P̂ − P‖₁ = 3.8 > {math.sqrt(8 * L / 100):.3g}")


def test_the_sum_of_squared_bonuses_step_by_step() -> None:
    """Lemma F.18, its bonus in another form: n = m = H = |S| = 1, so L^P = L^R = L, sigma and u are 0."""
    L, T, X = math.log(18 * 100 * 8 / 0.1), 100, 8
    visits, total = dict.fromkeys(range(X), 0), 0.0
    for k in range(T):
        if N := visits[k % X]:
            x = L / N
            total += (8 * x / 3 + 4 * x**0.5 * ((4 * x) ** 0.25 + (4 * x / 3) ** 0.5) + (2 * x**0.5 + 4 * x / 3) ** 2) ** 2
        visits[k % X] += 1
    printed = (6 * L + 256 * L * L) * X * math.log(T)
    assert refutation("squared-bonuses").printed == f"Σ w CB² ≥ {total:.4g} > {printed:.4g}"


def test_a_negative_sum_is_not_below_e_times_itself() -> None:
    run = counting.Unlucky()
    first, second, value = run.brackets()
    assert first + second < 0 < value <= first + 1.5 * second
    assert run.bonus(1.0) == pytest.approx(3 * math.sqrt(2 * math.log(18 * run.H * (run.visits + 1) * 3 / 0.1)))


def test_the_gap_shrinks_with_either_cut_and_all_events_hold() -> None:
    """The values of `Uneven` in another form, in units of the two halves."""
    run, S = optimism.Uneven(), 1001
    L = math.log(18 * 2 * (9e7 + 500 * 1e7) * S * 675 / 0.1)

    def bonus(N: float, variance: float, u: float) -> float:
        a, b = 4 * S * L / N, 4 * S * L / (3 * N)
        extra = 8 * math.sqrt(L / N) * (a**0.25 + b**0.5) + 2 * (a**0.5 + b) ** 2
        return 8 * L * 675 / (3 * N) + math.sqrt(4 * variance * L / N) + math.sqrt(2 * u * L / N) + extra

    high, low = min(bonus(0.9702 * 9e4, 0, 0), 1.0), min(bonus(2e7, 0, 0), 1.0)
    mean, square = 0.4851 * high + 0.5149 * low, 0.4851 * high**2 + 0.5149 * low**2
    start, true, estimated = run.values()
    assert true == pytest.approx((high + low) / 2)
    assert estimated == pytest.approx(mean)
    assert start == pytest.approx(mean + bonus(9e7, square - mean**2, square))
    assert start < true - 0.005
    assert all(left <= right for left, right in run.events().values())


# Knapsacks


def test_the_second_example_in_both_forms() -> None:
    half = Fraction(1, 2)
    assert knapsack.second_example((Fraction(0), Fraction(1))) == (half, half)
    assert knapsack.second_example((Fraction(0), half)) == (Fraction(3, 4), half)


def test_the_learner_of_marginal_laws_forgets_the_best_action() -> None:
    plays = knapsack.forgotten_after(1e6)
    assert 1e4 < plays < 1e8
    assert knapsack.forgotten_after(1e30) > plays  # the logarithm grows with T


def test_where_an_unlucky_coin_leaves_its_interval() -> None:
    for L in (1.0, 5.298, 36.5):
        N = knapsack.first_failure(L)
        assert 8 * L / (3 * N) < 0.5 <= 8 * L / (3 * (N - 1))
