from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from verifier.model.erratum import Refutation
from verifier_ravi_ucb.errata import ERRATA
from verifier_ravi_ucb.errata.bandit import Bandit, sizes, softmax_step, steps_in_epochs
from verifier_ravi_ucb.errata.bonuses import Chain, absorbing_bonus_sum, bad_lengths, histories
from verifier_ravi_ucb.errata.epochs import Averages, law_of_epochs
from verifier_ravi_ucb.shared import constants

BY_NAME = {erratum.name: erratum for erratum in ERRATA}
HALF = math.log(0.5)


def refutation(name: str) -> Refutation:
    return BY_NAME[name].counterexample()


# The epochs, coin by coin


@pytest.mark.parametrize("T", [1, 2, 6])
def test_steps_in_epochs_by_the_law_of_the_epochs(T: int) -> None:
    gamma = Fraction(3, 10)
    expected = [
        sum(float(law_of_epochs(t, gamma).get(k, Fraction(0))) for t in range(1, T + 1)) for k in range(1, T + 1)
    ]  # fmt: skip
    assert steps_in_epochs(T, 0.3) == pytest.approx(expected)
    assert steps_in_epochs(20_000, 0.1).sum() == pytest.approx(20_000)


@pytest.mark.parametrize("T", [1, 2, 7])
def test_the_law_of_the_epochs_is_one_and_a_binomial(T: int) -> None:
    gamma = Fraction(4, 5)
    law = law_of_epochs(T, gamma)
    assert law == {
        1 + n: math.comb(T - 1, n) * (1 - gamma) ** n * gamma ** (T - 1 - n) for n in range(T)
    }  # fmt: skip


# Theorem 4.1


def test_the_bandit_plans_as_the_accumulated_values_say() -> None:
    """pi_k = softmax(log pi_0 + eta sum_{i<=k} Q_i), and V_k = (1/eta) log sum_a pi_{k-1} exp(eta Q_k)."""
    bandit = Bandit(0.5, 0.3, (0.5, 1.0), (math.log(0.9), math.log(0.1)))
    Q, total, gaps = np.zeros(2), np.zeros(2), []
    for _ in range(30):
        before = np.array([0.9, 0.1]) * np.exp(0.3 * total)
        V = math.log(before / before.sum() @ np.exp(0.3 * Q)) / 0.3
        total += Q
        policy = np.array([0.9, 0.1]) * np.exp(0.3 * total)
        gaps.append(0.5 * policy[0] / policy.sum())
        Q = np.clip(np.array([0.5, 1.0]) + 0.5 * V, 0, 2)
    assert bandit.gaps(30) == pytest.approx(gaps)


def test_softmax_step_in_log_space() -> None:
    V, log_policy = softmax_step([-math.inf, 0.0], [5.0, 1.0], 2.0)
    assert V == 1.0
    assert log_policy == [-math.inf, 0.0]
    V, _ = softmax_step([HALF, HALF], [1000.0, 0.0], 5.0)
    assert pytest.approx(1000 - math.log(2) / 5) == V


def test_initial_policies_in_numbers() -> None:
    assert refutation("initial-policy").printed == "R_T = 103, 683, 2049, 10000, and 10000 > 208"
    assert constants.printed_regret_bound(sizes(X=1, A=2, gamma=0.1, T=20_000), 20_000, 0.0) == pytest.approx(
        math.sqrt(2 * (10 / 9) ** 4 * math.log(2) * 20_000) + 2 * (10 / 9) ** 2
    )


def test_what_planning_costs_grows_with_the_square_of_the_horizon() -> None:
    """About H^2 sqrt(T log(2)/2), which is 0.42 H times XH sqrt(AT)."""
    found = refutation("tabular-rate")
    ratios = [float(x) for x in found.printed.partition("= ")[2].partition(":")[0].split(", ")]
    assert ratios == pytest.approx([math.sqrt(math.log(2)) / 2 * H for H in (2, 4, 8, 16)], rel=0.1)


def test_an_impossible_best_action_costs_half_of_every_step() -> None:
    gaps = Bandit(0.1, 0.01, (0.5, 1.0), (0.0, -math.inf)).gaps(100)
    assert (gaps == 0.5).all()


# The two averages


@pytest.mark.parametrize("T", [1, 2, 3])
def test_the_averages_agree_as_long_as_no_policy_depends_on_the_data(T: int) -> None:
    """V_1 = 0 and N = 1, so pi_1 and pi_2 are fixed; pi_3 depends on L_1 but has a single step for T = 3."""
    steps, epochs, _ = Averages(T, 0.2, 50.0, 1.0).expected()
    assert steps == pytest.approx(epochs, abs=1e-15)
    assert Averages(4, 0.2, 50.0, 1.0).expected()[0] - Averages(4, 0.2, 50.0, 1.0).expected()[1] > 1e-6


def test_four_steps_by_hand() -> None:
    """K = 3 has the lengths (2,1,1), (1,2,1), (1,1,2), each with probability (1-g)^2 g; they add (gap_3(1) - gap_3(2))/12."""
    gamma, eta = 0.2, 50.0
    g3 = dict.fromkeys((1, 2), 0.0)
    for length in g3:
        for actions in product((0, 1), repeat=length):
            counts = [1 + actions.count(0), 1 + actions.count(1)]
            Q, log_policy = [0.0, 0.0], [HALF, HALF]
            for N in ([1, 1], counts, None):
                V, log_policy = softmax_step(log_policy, Q, eta)
                if N is not None:
                    Q = [min(r + 1 / math.sqrt(n) + gamma * (n - 1) / n * V, 1.25) for r, n in zip((0.5, 1.0), N, strict=True)]
            g3[length] += 0.5 * math.exp(log_policy[0]) / 2**length
    steps, epochs, _ = Averages(4, gamma, eta, 1.0).expected()
    assert steps - epochs == pytest.approx((g3[1] - g3[2]) / 12 * (1 - gamma) ** 2 * gamma, rel=1e-9)


def test_the_averages_agree_where_every_value_is_clipped() -> None:
    public = sizes(X=1, A=2, gamma=0.2, T=6)
    steps, epochs, _ = Averages(6, 0.2, 50.0, constants.tabular_beta(public, 6)).expected()
    assert steps == pytest.approx(0.25)
    assert epochs == pytest.approx(0.25)


def test_the_regret_is_summed_step_by_step() -> None:
    run = Averages(5, 0.5, 5.0, 1.0)
    assert run.regret() == pytest.approx(5 * run.expected()[0], abs=1e-12)
    assert replace(run, T=1).regret() == 0.25


# The sums of bonuses


@pytest.mark.parametrize(("X", "gamma", "T"), [(1, 0.5, 1), (1, 0.9, 10), (2, 0.5, 5), (3, 0.8, 6)])
def test_absorbing_states_by_all_paths(X: int, gamma: float, T: int) -> None:
    """Every sequence of epochs of T steps, the last one extended to T+: H more steps in the mean than before its last."""

    def more(t: int, counts: tuple[int, ...]) -> float:
        """From step t, where an epoch starts, on."""
        total = 0.0
        for x in range(X):
            bonus = 1 / math.sqrt(counts[x])
            for length in range(1, T - t + 2):
                after = tuple(c + length * (i == x) for i, c in enumerate(counts))
                if t + length <= T:
                    total += (1 - gamma) * gamma ** (length - 1) * (length * bonus + more(t + length, after)) / X
                else:  # the epoch reaches step T: its length is at least this one
                    total += gamma ** (length - 1) * (length - 1 + 1 / (1 - gamma)) * bonus / X
        return total

    assert absorbing_bonus_sum(X, gamma, T) == pytest.approx(more(1, (1,) * X))


def test_one_absorbing_state_in_closed_form() -> None:
    for H in (2, 10, 100):
        exact = H + sum(1 / math.sqrt(s) for s in range(2, H + 1))
        assert absorbing_bonus_sum(1, 1 - 1 / H, H) == pytest.approx(exact)
    assert absorbing_bonus_sum(1, 0.99, 1) == pytest.approx(100)  # T = 1: H times beta sqrt(XAT)


def test_twenty_absorbing_states_agree_with_a_simulation() -> None:
    """2000 runs; the sum has standard error about 1 percent, and 5 of them fail with probability below 1e-6."""
    rng, X, gamma, T = np.random.default_rng(3), 20, 0.9, 200
    found = []
    for _ in range(2000):
        counts, t, total = np.ones(X), 0, 0.0
        while t < T:
            x, length = rng.integers(X), rng.geometric(1 - gamma)
            total += length / math.sqrt(counts[x])
            counts[x] += length
            t += length
        found.append(total)
    error = float(np.std(found)) / math.sqrt(len(found))
    assert abs(np.mean(found) - absorbing_bonus_sum(X, gamma, T)) <= 5 * error


def test_two_steps_of_the_chain_by_hand() -> None:
    """An epoch 2 if L_1 = 1, bad if L_2 >= 2: (1-g)(H - (1-g)) steps in the mean, (1-g) g epochs, H times as many from there."""
    for g in (0.1, 0.5, 0.9):
        assert bad_lengths(Chain(g, 3.0), 2) == pytest.approx((2 * g - g**2, (1 - g) * g, g))


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("T", [2, 3, 5])
def test_the_chain_by_least_squares_on_its_transcript(T: int, inside: bool) -> None:
    """All lengths up to 60 (the rest has probability 2^-60); bad steps count to the end of the epoch, or only up to T."""
    gamma, beta, H = 0.5, 3.0, 2.0
    successor, reward = [1, 2, 2], np.array([0.0, 0.0, 1.0])
    lengths = number = 0.0

    def epoch(t: int, chance: float, V: np.ndarray, rows: list[tuple[float, float]]) -> None:
        nonlocal lengths, number
        phi = V[successor]
        Lambda = 1 + sum(x * x for x, _ in rows)
        estimate = sum(x * y for x, y in rows) / Lambda
        Q = np.clip(reward + beta * phi / math.sqrt(Lambda) + gamma * estimate * phi, 0, H)
        for length in range(1, 61):
            path = [min(i, 2) for i in range(length)]
            p = chance * gamma ** (length - 1) * (1 - gamma)
            bad = [phi[x] ** 2 / Lambda >= 1 and (not inside or t + i <= T) for i, x in enumerate(path)]
            if any(bad):
                lengths += p * length
                number += p
            if t + length <= T:
                epoch(t + length, p, Q, [*rows, *((phi[x], V[successor[x]]) for x in path)])

    epoch(1, 1.0, np.zeros(3), [])
    if inside and T == 2:
        assert lengths == number == 0.0  # the bad step of epoch 2 is the third of the run
        return
    assert lengths > H * number * 1.05
    if not inside:
        assert bad_lengths(Chain(gamma, beta), T)[:2] == pytest.approx((lengths, number))


@pytest.mark.parametrize("gamma", [0.5, 0.8, 0.9])
def test_the_corrected_lemma_holds_on_the_chain(gamma: float) -> None:
    T = 12
    public = sizes(X=3, A=1, gamma=gamma, T=T, d=1, B=1.0)
    beta = constants.mixture_beta(public, T)
    total = 0.0
    for epoch in histories(Chain(gamma, beta), T):
        phi = epoch.features
        total += epoch.chance * beta / math.sqrt(epoch.Lambda) * (phi[0] + gamma * phi[1] + gamma**2 / (1 - gamma) * phi[2])
    assert 0 < total <= constants.mixture_bonus_sum(public, T, beta)
    assert sum(epoch.chance for epoch in histories(Chain(gamma, beta), T)) == pytest.approx(constants.expected_epochs(public, T))


def test_the_ratio_of_the_last_line_of_appendix_a4() -> None:
    """Near what a separate prototype found: 12, 49, 151 and 6650 for H = 2, 5, 10, 100."""
    found = [float(part) for part in refutation("hidden-horizon").printed.split(" is ")[1].split(" times ")[0].split(", ")]
    assert found[:4] == pytest.approx([12, 49, 151, 6650], rel=0.03)
    slopes = np.diff(np.log(found)) / np.diff(np.log([2, 5, 10, 100, 10_000]))
    assert (slopes > 1.4).all()
