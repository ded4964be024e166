"""Posterior sampling: right draws are normal numbers, whatever way they are made; wrong ones are told from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from verifier.base.arrays import Array
from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodic.posterior import log_ratio, parameters_before, scores
from verifier_reference.psrl.algorithm import PSRL
from verifier_reference.shared.psrl import regret
from verifier_settings.episodic import generators

from ....installed import guaranteed
from ...settings.episodic.runs import play, small, with_plans
from ...settings.lifelong.runs import generator


class RowByRow(PSRL):
    """Each row by the generator's own Dirichlet law."""

    def sample(self, posterior: Array) -> Array:
        return np.array([self.rng.dirichlet(row) for row in posterior])


class BrokenSticks(PSRL):
    """Each row by breaking a stick, from the last state on."""

    def sample(self, posterior: Array) -> Array:
        left, kernel = np.ones(len(posterior)), np.zeros_like(posterior)
        for y in range(posterior.shape[1] - 1, 0, -1):
            kernel[:, y] = left * self.rng.beta(posterior[:, y], posterior[:, :y].sum(axis=1))
            left = left - kernel[:, y]
        kernel[:, 0] = left
        return kernel


class OtherPrior(PSRL):
    """The theorem leaves the prior open, where nothing is drawn from it."""

    def prior(self) -> float:
        return 0.05


def test_any_prior_that_is_declared_is_right() -> None:
    """Evidence of 1e4 or more has probability 1e-4 at most."""
    views, run = play(OtherPrior, small(K=60), "published", batch=7)
    for name in ("posterior", "sample-law", "drawn-kernel"):
        statement = guaranteed(PSRL).claim(name).property
        for view in views if statement.scope == "phase" else [run]:
            found = measure(statement(view))
            assert found.value < 1e4 if name == "sample-law" else found.holds, name
    assert measure(guaranteed(PSRL).claim("declared-prior").property(run)).violations > 0


@pytest.mark.parametrize("algorithm", [PSRL, RowByRow, BrokenSticks])
def test_nothing_is_violated(algorithm: type[PSRL]) -> None:
    """Evidence of 1e4 or more has probability 1e-4 at most in each of nine runs."""
    for instance in (small(K=60), generators.from_prior(S=3, A=2, H=3, K=40), generators.arms(rewards=(0.0, 1.0), H=2, K=10)):
        views, run = play(algorithm, instance, "published", batch=7)
        for claim in claims_in(guaranteed(algorithm), Regime.parse("published")):
            for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                found = measure(claim.property(view))
                assert found.value < 1e4 if claim.name == "sample-law" else found.holds, (claim.name, found)


PRIORS = [0.01, 0.05, 1.0]


@pytest.mark.parametrize("prior", PRIORS)
def test_the_transform_makes_normal_numbers(prior: float) -> None:
    """Kolmogorov's distance of 20,000 numbers is above 1.95 / sqrt(n) with probability 1e-3.

    With small priors most rows of a kernel have one entry of nearly 1, and the others are below the rounding of that one.
    """
    rng = generator(1)
    parameters = prior + rng.integers(0, 9, size=(400, 10, 6)) * (rng.random((400, 10, 1)) < 0.5)
    for kernel in (_drawn(rng, parameters), _ended(_drawn(rng, parameters))):
        u = np.sort(ndtr(scores(parameters, kernel)).ravel())
        n = len(u)
        assert n == 20000
        assert np.abs(u - (np.arange(n) + 0.5) / n).max() < 1.95 / math.sqrt(n)


def _ended(kernel: Array) -> Array:
    """Kernel with 1 less the others for the last entry of each row, as some write it: its small values are rounding."""
    kernel = kernel.copy()
    kernel[..., -1] = np.maximum(1.0 - kernel[..., :-1].sum(axis=-1), 0.0)
    return kernel


@pytest.mark.full
def test_the_evidence_has_mean_one() -> None:
    """Of two numbers, one after the other, by the midpoint rule on a grid of the normal law; tails beyond 7 have no weight."""
    grid = np.linspace(-7.0, 7.0, 113)
    weight = np.exp(-(grid**2) / 2) / np.exp(-(grid**2) / 2).sum()
    parameters = np.ones((2, 1, 2))
    ratios = [math.exp(log_ratio(np.array([[[x]], [[y]]]), parameters)) * p * q for x, p in zip(grid, weight, strict=True)
              for y, q in zip(grid, weight, strict=True)]  # fmt: skip
    assert sum(ratios) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("prior", PRIORS)
def test_right_draws_are_convicted_as_seldom_as_evidence_says(prior: float) -> None:
    """Evidence of 1e4 has probability 1e-4 at most in each of 40 runs: 4e-3 for all."""
    for seed in range(40):
        rng = generator(seed)
        parameters = prior + np.cumsum(rng.multinomial(1, [0.7, 0.2, 0.1], size=(200, 4)), axis=0)
        assert log_ratio(scores(parameters, _ended(_drawn(rng, parameters))), parameters) < math.log(1e4)


@pytest.mark.parametrize("factor", [0.8, 0.9, 1.15])
def test_draws_with_a_little_more_or_less_data_are_convicted(factor: float) -> None:
    """At K = 1500, ten of ten: variances are off by an eighth at least, and 12,000 numbers tell."""
    for seed in range(10):
        rng = generator(seed)
        parameters = 1.0 + np.cumsum(rng.multinomial(1, [0.5, 0.3, 0.2], size=(1500, 4)), axis=0)
        assert log_ratio(scores(parameters, _drawn(rng, factor * parameters)), parameters) > math.log(1e4)


def _drawn(rng: np.random.Generator, parameters: Array) -> Array:
    weights = rng.standard_gamma(parameters)
    return np.asarray(weights / weights.sum(axis=2, keepdims=True))


WRONG: dict[str, Callable[[Array], Array]] = {
    "mean": lambda parameters: parameters / parameters.sum(axis=2, keepdims=True),
    "no data": lambda parameters: _drawn(generator(2), np.ones_like(parameters)),
    "twice the data": lambda parameters: _drawn(generator(2), 2 * parameters),
    "the first for ever": lambda parameters: np.repeat(_drawn(generator(2), parameters[:1]), len(parameters), axis=0),
    "another row": lambda parameters: np.roll(_drawn(generator(2), parameters), 1, axis=1),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_draws_are_told_from_right_ones(wrong: str) -> None:
    _, run = play(PSRL, small(K=150), "published")
    parameters = parameters_before(run, 1.0)
    assert log_ratio(scores(parameters, _drawn(generator(3), parameters)), parameters) < math.log(1e3)
    assert log_ratio(scores(parameters, WRONG[wrong](parameters)), parameters) > math.log(1e9)


def test_parameters_are_counts() -> None:
    views, run = play(PSRL, small(K=30), "published")
    reported = np.concatenate([view.reported("posterior") for view in views])
    assert parameters_before(run, 1.0).tolist() == reported.tolist()


def test_lines_can_be_wrong() -> None:
    (view,), run = play(PSRL, small(K=10), "published")
    for name, changed in (
        ("drawn-kernel", {"kernel": lambda plan: 1.001 * plan.kernel}),
        ("q-formula", {"Q": lambda plan: plan.Q + 1e-6}),
    ):
        statement = guaranteed(PSRL).claim(name).property
        assert measure(statement(view)).holds
        assert measure(statement(with_plans(view, **changed))).violations > 0  # type: ignore[arg-type]  # functions of plans
    statement = guaranteed(PSRL).claim("posterior").property
    assert measure(statement(run)).holds
    for change in (0.1 * (np.arange(10) > 4)[:, None, None], -2.0):  # data that are none, and a prior that is no law
        history = {**run.history, "posterior": run.history["posterior"] + change}
        assert measure(statement(replace(run, history=history))).violations > 0


def test_the_kernel_is_drawn_for_each_trial_and_nobody_is_told() -> None:
    instance = generators.from_prior(S=3, A=2, H=3, K=4)
    first, second = (play(PSRL, instance, "published", seed=seed)[1] for seed in (0, 1))
    assert np.abs(first.truth.P - second.truth.P).max() > 0.01
    assert first.public is second.public is instance.public
    Q = first.truth.rewards[-1].reshape(3, 2)
    assert first.truth.Q[-1].tolist() == Q.tolist()
    assert small().drawn(generator(0)).truth.P.tolist() == small().truth.P.tolist()


def test_the_bound_by_hand() -> None:
    public = generators.from_prior(S=2, A=2, H=2, K=100).public
    c = math.sqrt(2 * (2 * math.log(2) + math.log(4 * 100**2 * 4)))
    assert regret(public, 100) == pytest.approx(2 + c * (8 + 2 * math.sqrt(8 * 100)))
