"""Likelihood ratios of the stream: their mean under the law, exactly where runs can be enumerated, and their growth else."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from verifier.settings.discounted import generators, laws
from verifier.statistics.evidence import log_multinomial
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB

from ..lifelong.runs import generator
from .runs import play


def epochs_of(flips: list[bool], gamma: float) -> Any:
    """The view on a run with these coins, one after each step."""
    lengths, closed, length = [], [], 0
    for t, reset in enumerate(flips):
        length += 1
        if reset or t == len(flips) - 1:
            lengths.append(length)
            closed.append(reset)
            length = 0
    return SimpleNamespace(public=SimpleNamespace(gamma=gamma), played=np.array(lengths), closed=np.array(closed))


@pytest.mark.parametrize("gamma", [0.1, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("T", [1, 2, 7])
def test_each_alternative_to_the_coin_has_mean_one(gamma: float, T: int) -> None:
    """Over all 2^T outcomes of the coins."""
    mean = 0.0
    for flips in product([False, True], repeat=T):
        probability = np.prod([1 - gamma if reset else gamma for reset in flips])
        mean = mean + probability * np.exp(laws.coin(epochs_of(list(flips), gamma)).sum(axis=0))
    np.testing.assert_allclose(mean, 1.0, rtol=1e-12)


@pytest.mark.parametrize("gamma", [0.5, 0.8, 0.95])
def test_each_alternative_to_the_coin_is_found(gamma: float) -> None:
    """20 (at odds of 0.8 and 1.25) to thousands of nats are expected in 2e4 steps; the seeds are fixed."""
    T, rng = 20_000, generator(1)
    hazards = laws.hazards(gamma, T)
    for g, hazard in enumerate(hazards):
        flips, age = [], 0
        for uniform in rng.random(T):
            age += 1
            flips.append(bool(uniform < hazard[age - 1]))
            age = 0 if flips[-1] else age
        ratios = laws.coin(epochs_of(flips, gamma)).sum(axis=0)
        if not np.allclose(hazard, 1 - gamma):  # at gamma = 1/2 resets with probability g are right
            assert laws.e_value(ratios) > 1e3, g
            assert ratios.argmax() == g or np.allclose(hazards[ratios.argmax()], hazard)


def test_epochs_that_end_without_a_reset_count_as_going_on() -> None:
    """Steps of an epoch the algorithm cut short were survived, no matter what it did then."""
    view = SimpleNamespace(public=SimpleNamespace(gamma=0.8), played=np.array([3, 0]), closed=np.array([False, False]))
    found = laws.coin(view)
    np.testing.assert_allclose(found[0, :7], 3 * np.log((1 - laws.hazards(0.8, 1)[:7, 0]) / 0.8))
    np.testing.assert_array_equal(found[1], 0.0)


def actions_of(rows: list[int], log_policy: np.ndarray, played: int | None = None) -> Any:
    steps = SimpleNamespace(rows=np.array(rows), epoch=np.zeros(len(rows), dtype=int))
    played = len(rows) if played is None else played
    return SimpleNamespace(steps=steps, count=1, played=np.array([played]), log_policy=log_policy[None])


@pytest.mark.parametrize("policy", [[0.7, 0.2, 0.1], [1 / 3, 1 / 3, 1 / 3], [0.6, 0.4, 0.0], [1.0, 0.0, 0.0]])
def test_each_alternative_to_the_actions_has_mean_one_or_less(policy: list[float]) -> None:
    """Over all sequences of 4 actions; less where the policy excludes actions, on which alternatives have mass."""
    with np.errstate(divide="ignore"):
        log_policy = np.log(np.array([policy]))
    mean = np.zeros(len(laws.TEMPERATURES))
    for rows in product(range(3), repeat=4):
        probability = np.prod([policy[a] for a in rows])
        mean += probability * np.exp(laws.action(actions_of(list(rows), log_policy)).sum(axis=0)) if probability else 0.0
    assert (mean <= 1 + 1e-12).all()
    if min(policy) > 0:
        np.testing.assert_allclose(mean, 1.0, rtol=1e-12)
    else:
        share = sum(p > 0 for p in policy) / 3
        assert mean[0] == pytest.approx(share**4)  # the uniform alternative


def test_each_alternative_to_the_actions_is_found() -> None:
    """Powers of (0.7, 0.3): at least 0.02 nats a step are expected, 100 in all."""
    policy = np.array([0.7, 0.3])
    for g, alpha in enumerate(laws.TEMPERATURES):
        law = policy**alpha / (policy**alpha).sum()
        rows = generator(g).choice(2, p=law, size=5000).tolist()
        ratios = laws.action(actions_of(rows, np.log(policy)[None])).sum(axis=0)
        assert laws.e_value(ratios) > 1e6
        assert ratios.argmax() == g


def test_impossible_actions_are_overwhelming_and_steps_after_the_run_do_not_count() -> None:
    log_policy = np.array([[0.0, -np.inf]])
    assert laws.action(actions_of([0, 1], log_policy)).max() > 600
    np.testing.assert_allclose(laws.action(actions_of([0, 1], log_policy, played=1)), laws.action(actions_of([0], log_policy)))


# Bonuses --------------------------------------------------------------------------------------------------------------


def drift(met: list[float], expected: float, largest: float, H: float = 5.0) -> np.ndarray:
    view = SimpleNamespace(
        public=SimpleNamespace(H=H), count=len(met), bonus=np.full((len(met), 1, 1), largest), met_bonus=np.array(met),
        played_bonus=np.full(len(met), expected / H),
    )  # fmt: skip
    return laws.bonus_drift(view)


def test_bets_on_bonus_sums() -> None:
    """In units of H CB the sum of a constant bonus over an epoch is L/H: the mean over geometric lengths is one."""
    gamma, H = 0.8, 5.0
    lengths = np.arange(1, 400)
    law = (1 - gamma) * gamma ** (lengths - 1)
    factors = np.exp(drift((2.0 * lengths).tolist(), 2.0 * H, 2.0, H))
    np.testing.assert_allclose(law @ factors, 1.0, atol=1e-12)
    np.testing.assert_allclose(factors, 1 + np.outer(lengths / H - 1, laws.STAKES), atol=1e-12)


def test_bets_on_bonus_sums_at_the_edge() -> None:
    np.testing.assert_array_equal(drift([0.0, 0.0], 0.0, 0.0), 0.0)  # no bonus, nothing to bet on
    assert np.isfinite(drift([-1e9], 0.0, 1.0)).all()  # a negative bonus loses what is at stake, not more
    assert laws.e_value(drift([15.0] * 100, 10.0, 2.0).sum(axis=0)) > 1e6


def test_the_evidence_of_real_runs_exceeds_x_with_probability_one_in_x_at_most() -> None:
    """300 runs; each count exceeds its quantile with probability 1e-6 at most."""
    instance = generators.random(generator(2), X=3, A=2, gamma=0.6, T=25)
    runs = [play(TabularRaviUCB, instance, "scaled(0.03)", seed)[1] for seed in range(300)]
    for law in ("coin", "action", "bonus_drift"):
        values = np.array([run.evidence(law) for run in runs])
        for level in (0.5, 0.2, 0.05):
            assert (values >= 1 / level).sum() <= binom.isf(1e-6, 300, level), law
        assert values.mean() < 1 + 6 * values.std() / np.sqrt(300)


# Counts ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [[0.7, 0.2, 0.1], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
def test_the_mixture_of_all_laws_has_mean_one_or_less(law: list[float]) -> None:
    """Over all sequences of 5 draws."""
    mean = 0.0
    for draws in product(range(3), repeat=5):
        probability = float(np.prod([law[i] for i in draws]))
        if probability:
            mean += probability * np.exp(log_multinomial(np.bincount(draws, minlength=3).astype(float), np.array(law)))
    assert mean == pytest.approx(1.0) if min(law) > 0 else mean < 1.0


def test_the_mixture_of_all_laws_by_its_predictions() -> None:
    """The Dirichlet(1/2) mixture predicts outcome i with (n_i + 1/2) / (n + 3/2); the product over all draws."""
    rng, law = generator(5), np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    total, counts = 0.0, np.zeros((2, 3))
    for row in (0, 1):
        for outcome in rng.choice(3, p=law[row], size=20):
            total += np.log((counts[row, outcome] + 0.5) / (counts[row].sum() + 1.5)) - np.log(law[row, outcome])
            counts[row, outcome] += 1
    assert log_multinomial(counts, law) == pytest.approx(total)


def test_another_law_and_an_impossible_outcome_are_found() -> None:
    law = np.array([0.5, 0.5, 0.0])
    assert log_multinomial(np.array([700.0, 300.0, 0.0]), law) > 60
    assert log_multinomial(np.array([500.0, 499.0, 1.0]), law) > 600
    assert log_multinomial(np.array([500.0, 500.0, 0.0]), law) < 0
    assert log_multinomial(np.zeros((4, 1)), np.ones((4, 1))) == 0.0


def test_the_average_of_likelihood_ratios() -> None:
    assert laws.e_value(np.log([0.5, 1.5, 4.0])) == pytest.approx(2.0)
    assert laws.e_value(np.array([5000.0, 0.0])) == pytest.approx(np.exp(690.0))
    assert laws.e_value(np.array([-5000.0, -5000.0])) == 0.0
