"""RLSVI: right noise is normal, whatever way it is drawn, and wrong noise is told from it; estimates, union and regret bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import NormalDist

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodic.randomised_values import FAILURES, LEAST, failures, union, within
from verifier_properties.episodic.regularised import Tallies
from verifier_properties.episodic.value_noise import log_ratio, standardised
from verifier_reference.rlsvi.algorithm import RLSVI
from verifier_reference.shared.rlsvi import NOISE, NoiseError, beta, regret
from verifier_settings.episodic import Instance, bernoulli, generators, make

from ....installed import guaranteed
from ...settings.episodic.runs import play, small
from ...settings.lifelong.runs import generator

ORACLES = {"noise": NoiseError}


class Regression(RLSVI):
    """Least squares on rewards with noise, one number for each visit, towards values with noise, as the pseudo-code has it."""

    def noise(self, deviation: Array) -> Array:
        h = self.public.H - 1 - self.__dict__.setdefault("planned", 0) % self.public.H
        self.__dict__["planned"] += 1
        n = self.visits()[h]
        each = deviation * np.sqrt(n + 1.0)
        drawn = [self.rng.normal(scale=one, size=1 + int(count)).sum() for one, count in zip(each.flat, n.flat, strict=True)]
        return np.reshape(drawn, n.shape) / (n + 1.0)


class RunningMeans(RLSVI):
    """Estimates that are moved by each visit."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        super().learn(h, state, action, reward, following)
        R, P = self.means()
        rate = 1.0 / (self.transitions[h, state, action].sum() + 1.0)
        R[h, state, action] += rate * (reward - R[h, state, action])
        P[h, state, action] += rate * (np.eye(self.public.S)[following] - P[h, state, action])

    def means(self) -> tuple[Array, Array]:
        if "moved" not in self.__dict__:
            self.__dict__["moved"] = np.zeros_like(self.earned), np.zeros_like(self.transitions)
        found: tuple[Array, Array] = self.__dict__["moved"]
        return found

    def reward(self, visits: Array) -> Array:
        return self.means()[0].copy()

    def kernel(self, visits: Array) -> Array:
        return self.means()[1].copy()


def coin(chance: float, K: int) -> Instance:
    return make(np.ones((1, 1)), bernoulli(np.array([chance])), H=1, K=K)


INSTANCES = {
    "small": partial(small, K=40),
    "steps": partial(generators.coins, generator(3), S=3, A=2, H=3, K=30, stages=True),
    "one-state": partial(generators.arms, rewards=(0.0, 1.0), H=2, K=20),
}


@pytest.mark.parametrize("algorithm", [RLSVI, Regression, RunningMeans])
def test_nothing_is_violated(algorithm: type[RLSVI]) -> None:
    """Evidence of 1e4 or more has probability 1e-4 at most for each of two claims in each of 18 runs."""
    for build in INSTANCES.values():
        for regime in ("published", "oracle"):
            views, run = play(algorithm, build(), regime, batch=7, oracles=ORACLES)
            for claim in claims_in(guaranteed(algorithm), Regime.parse(regime)):
                for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                    found = measure(claim.property(view))
                    likely = claim.name in ("noise-law", "stochastic-optimism")
                    assert found.value < 1e4 if likely else found.holds, (claim.name, regime, found)


def test_the_evidence_has_mean_one() -> None:
    """Of two numbers, one after the other, by the midpoint rule on a grid of normal quantiles, beyond which 5% are."""
    grid = [NormalDist().inv_cdf((i + 0.5) / 30) for i in range(30)]
    visits, start = np.array([0.0, 1.0]).reshape(2, 1, 1, 1), np.arange(2)
    mean = np.mean([math.exp(log_ratio(np.array([z, w]).reshape(2, 1, 1, 1), visits, start)) for z in grid for w in grid])
    assert mean == pytest.approx(1.0, abs=0.04)


WRONG: dict[str, Callable[[Array, Array], Array]] = {
    "none": lambda z, n: 0 * z,
    "half": lambda z, n: z / 2,
    "mean": lambda z, n: z + 0.5,
    "one visit less": lambda z, n: z * np.sqrt((n + 1) / np.maximum(n, 1)),
    "by step": lambda z, n: z * np.linspace(0.5, 1.4, z.shape[1])[:, None, None],
    "logarithm of k": lambda z, n: z * np.linspace(1.0, 0.7, len(z))[:, None, None, None],
    "the same in two episodes": lambda z, n: z[np.arange(len(z)) // 2 * 2],
    "the same for all actions": lambda z, n: np.repeat(z[..., :1], z.shape[3], axis=3),
    "opposite actions": lambda z, n: np.concatenate([z[..., :1], -z[..., :1]], axis=3),
    "uniform": lambda z, n: math.sqrt(12) * (np.vectorize(NormalDist().cdf)(z) - 0.5),
    "coins": lambda z, n: np.sign(z),
}


@pytest.fixture(scope="module")
def drawn() -> tuple[Array, Array, Array]:
    """Standard normal numbers for the visits of a run."""
    _, run = play(RLSVI, small(K=150), "published")
    visits = standardised(run, NOISE)[1]
    return generator(4).normal(size=visits.shape), visits, run.plans


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_noise_is_told_from_right_noise(wrong: str, drawn: tuple[Array, Array, Array]) -> None:
    z, visits, start = drawn
    assert log_ratio(z, visits, start) < math.log(1e3)
    assert log_ratio(WRONG[wrong](z, visits), visits, start) > math.log(1e9)


def test_what_was_seen_before_the_plans_of_a_run_is_what_phases_have() -> None:
    views, run = play(RLSVI, INSTANCES["steps"](), "published", batch=7)
    found = Tallies.before(run)
    for name in ("visits", "earned"):
        assert getattr(found, name) == pytest.approx(np.concatenate([getattr(Tallies.of(view), name) for view in views]))
    counts = np.concatenate([view.counts for view in views])
    values = generator(5).random((len(counts), 3, 3))
    assert found.backup(values) == pytest.approx((counts * values[:, :, None]).sum(axis=3) / found.total)
    assert found.backup(values[:, 1:2], 1) == pytest.approx(found.backup(values)[:, 1:2])


def test_evidence_of_one_number_is_that_of_an_array_of_it(drawn: tuple[Array, Array, Array]) -> None:
    _, visits, start = drawn
    for z in (0.0, 0.3):
        assert log_ratio(np.array(z), visits, start) == pytest.approx(log_ratio(np.full(visits.shape, z), visits, start))


def test_the_oracle_makes_up_for_all_errors_and_just_so() -> None:
    _, run = play(RLSVI, small(K=20), "oracle", oracles=ORACLES)
    assert within(run, NOISE).all()
    narrow = replace(run.series, width=0.999 * run.series.width)
    assert not within(replace(run, series=narrow), NOISE).any()


def test_the_union_bound_is_above_the_mean_of_a_coin() -> None:
    """Counted exactly: the errors of a coin in K episodes, on either side."""
    for chance in (0.02, 0.5, 0.9):
        instance = coin(chance, 40)
        exact = 0.0
        for k in range(1, 41):
            radius = math.sqrt(math.log(2 * k) / (2 * k))
            law = [math.comb(k - 1, i) * chance**i * (1 - chance) ** (k - 1 - i) for i in range(k)]
            exact += sum(p for i, p in enumerate(law) if abs(i / k - chance) > radius)
        assert union(NOISE, instance.public, instance.truth) >= exact
        found = measure(failures(NOISE)(play(RLSVI, instance, "published")[1]))
        assert (found.comparisons == 0) == (union(NOISE, instance.public, instance.truth) > FAILURES)


def test_constants_by_hand() -> None:
    assert pytest.approx(NormalDist().cdf(-1.0)) == LEAST
    public = small(K=100).public
    assert float(beta(public, 7)) == pytest.approx(0.5 * 3 * 27 * math.log(2 * 3 * 3 * 2 * 7))
    largest = 1 + math.sqrt(0.5 * 3 * 27 * math.log(2 * 18 * 100) * (2 * math.log(18) + 2))
    steps = math.sqrt(3) + math.sqrt(3 * (4 + 1))
    expected = 3 * math.pi**2 / 6 + (1 + 2 / LEAST) * largest * math.sqrt(18 * 100 * (1 + math.log(100))) * steps
    assert regret(public, 100) == pytest.approx(expected)


def too_low(k: int, factor: float) -> float:
    """P(0.6 - R > sqrt(factor log(2k) / k)) after k - 1 tosses of a coin, R the number of heads over k."""
    radius = math.sqrt(factor * math.log(2 * k) / k)
    law = [math.comb(k - 1, heads) * 0.6**heads * 0.4 ** (k - 1 - heads) for heads in range(k)]
    return sum(p for heads, p in enumerate(law) if 0.6 - heads / k > radius)


def test_no_radius_has_both_lemmas_at_the_quoted_noise() -> None:
    """H = S = A = 1: where R is so low, V_1 ~ N(R, factor log(2k) / k) is below the truth with a probability above Phi(1)."""
    assert [too_low(k, 0.5) for k in (1, 2)] == pytest.approx([1.0, 0.4])
    assert sum(too_low(k, 0.5) for k in range(1, 11)) == pytest.approx(1.753, abs=1e-3)
    assert sum(too_low(k, 0.5) for k in range(1, 11)) > FAILURES
    assert sum(too_low(k, 1.0) for k in range(1, 11)) < FAILURES
