"""Properties of Q-learning with bonuses: each goes red where its statement is made false, and is green where nothing is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodic.updates import HoeffdingUpdates, UpdateError, folded, learning_rate, weights
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_settings.episodic import Instance, Run, generators, make
from verifier_settings.simulator import Transcript

from ....installed import guaranteed
from ...settings.episodic.runs import play, small, with_plans
from ...settings.lifelong.runs import generator

ORACLES = {"update": UpdateError}


def by_step(K: int = 30) -> Instance:
    """Kernels and rewards of each step their own."""
    rng = generator(7)
    return make(rng.dirichlet(np.full(3, 0.5), size=(4, 6)), rng.random((4, 6)), H=4, K=K)


def whole(regime: str = "oracle", K: int = 40) -> Run:
    return play(HoeffdingQLearning, small(K=K), regime, oracles=ORACLES)[1]


@pytest.mark.parametrize("regime", HoeffdingQLearning.regimes)
def test_nothing_is_violated(regime: str) -> None:
    for instance in (small(K=40), by_step(), generators.arms(rewards=(0.0, 1.0), H=2, K=10), small(K=1)):
        views, run = play(HoeffdingQLearning, instance, regime, batch=7, oracles=ORACLES)
        for claim in claims_in(guaranteed(HoeffdingQLearning), Regime.parse(regime)):
            for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                found = measure(claim.property(view))
                assert found.holds, (claim.name, found)


def field(name: str, change: Callable[[Any], Any]) -> Callable[[Run], dict[str, Any]]:
    """A field of all plans changed."""
    return lambda run: {"history": {**run.history, name: change(run.history[name])}}


def series(**changes: Callable[[Any], Any]) -> Callable[[Run], dict[str, Any]]:
    """What the harness knows of the run changed."""
    return lambda run: {
        "series": replace(run.series, **{name: change(getattr(run.series, name)) for name, change in changes.items()})
    }


RED: dict[str, tuple[str, Callable[[Run], dict[str, Any]]]] = {
    "learning-rate": ("oracle", field("rate", lambda rate: 1.001 * rate)),
    "width": ("published", lambda run: {"applied": 1.001 * run.applied}),
    "bonus-formula": ("oracle", field("bonus", lambda bonus: 1.001 * bonus)),
    "q-formula": ("oracle", lambda run: {"applied": 1.001 * run.applied}),
    "weighted-sum": ("oracle", field("Q", lambda Q: Q + 1e-6)),
    "rate-of-roots": ("oracle", field("rate", lambda rate: 0.5 * rate)),
    "rate-of-squares": ("oracle", field("rate", lambda rate: np.where(rate > 0, 1.0, 0.0))),
    "rate-total": ("oracle", field("rate", lambda rate: np.where(rate < 1, 0.5, rate))),
    "error-recursion": ("oracle", field("V", lambda V: V + 1e-6)),
    "confidence-event": ("published", field("rate", lambda rate: 1e3 * rate)),
    "bonus-sum": ("published", field("bonus", lambda bonus: 0.4 * bonus)),
    "optimism": ("oracle", field("Q", lambda Q: 0.5 * Q)),
    "overestimate": ("oracle", field("Q", lambda Q: Q + 1.0)),
    "visit-sum": ("oracle", field("step_visits", np.ones_like)),
    "regret-recursion": ("oracle", series(gap=lambda gap: gap + 3.0 * (np.arange(4) == 0))),
    "carried-error": ("oracle", field("rate", lambda rate: np.where(rate < 1, 1e-3, rate))),
    "pathwise-regret": ("oracle", series(regret=lambda regret: regret + 10.0)),
}


@pytest.mark.parametrize("claim", RED)
def test_statements_about_the_run_can_fail(claim: str) -> None:
    regime, change = RED[claim]
    run, statement = whole(regime), guaranteed(HoeffdingQLearning).claim(claim).property
    tampered = replace(run, **change(run))
    assert measure(statement(run)).holds
    assert measure(statement(run)).comparisons > 0
    assert not measure(statement(tampered)).holds


def test_the_first_table_can_be_wrong() -> None:
    views, _ = play(HoeffdingQLearning, small(), oracles=ORACLES)
    statement = guaranteed(HoeffdingQLearning).claim("initial-values").property
    assert measure(statement(views[0])).holds
    assert measure(statement(with_plans(views[0], Q=lambda plan: 0.9 * plan.Q))).violations > 0


def test_by_hand() -> None:
    """One state, one action, H = 1: alpha_1 = 1, alpha_2 = 2/3."""
    (view,), _ = play(HoeffdingQLearning, generators.arms(rewards=(0.25,), H=1, K=3), "scaled(0.01)")
    width = 0.01 * math.sqrt(2 * math.log(3 / 0.1))
    first = 0.25 + width
    second = first / 3 + 2 / 3 * (0.25 + width / math.sqrt(2))
    assert view.Q.ravel().tolist() == pytest.approx([1.0, first, second])


@pytest.mark.parametrize("H", [1, 3, 20])
def test_weights_in_closed_form_are_those_of_the_recursion(H: int) -> None:
    """Also Lemma 4.1 of these numbers: (a) and (b) for every t, and (c), whose sum to infinity is 1 + 1/H, from below."""
    T = 60
    for t in range(1, T + 1):
        found = weights(H, t)
        rate = learning_rate(H, np.arange(1, t + 1))
        products = [rate[i] * np.prod(1 - rate[i + 1 :]) for i in range(t)]
        assert found == pytest.approx(products, rel=1e-12)
        assert found.sum() == pytest.approx(1.0)
        assert 1 <= math.sqrt(t) * (found / np.sqrt(np.arange(1, t + 1))).sum() + 1e-12 <= 2
        assert max(found.max(), (found**2).sum()) <= 2 * H / t + 1e-12
    long = sum(weights(H, t)[0] for t in range(1, 4000))
    assert long == pytest.approx(1 + 1 / H, rel=1e-2)
    assert long <= 1 + 1 / H + 1e-12


def test_folding_a_table() -> None:
    rows = np.array([[0, 1], [0, 0], [1, 1]])
    before, after = folded(rows, 2, 0.0, lambda k, old: old + 10.0**k)
    assert before.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert after.tolist() == [[1, 1], [11, 10], [100, 101]]


def test_the_oracle_covers_the_weighted_error_and_no_more() -> None:
    """The bonuses so far are as large as the error wherever the last of them is not 0, and it answers twice alike."""
    run = whole(K=60)
    found = HoeffdingUpdates.of(run)
    assert found.covered.all()
    needed = found.bonus * np.sqrt(found.t) > 1e-8
    assert 0.2 < needed.mean() < 0.9
    assert found.mean_bonus[needed] == pytest.approx(np.abs(found.mean_noise)[needed], abs=1e-7)


def test_the_oracle_answers_twice_alike() -> None:
    instance = small(K=5)
    transcript = Transcript(5, 3)
    oracle = UpdateError(instance, transcript)
    assert oracle.width(0, np.zeros(0)) < 1e-8
    transcript.states[0], transcript.actions[0], transcript.steps = [0, 1, 2, 0], [1, 0, 1], 1
    P, V = instance.truth.kernel[0, 1], instance.truth.V[1]
    first = oracle.width(0, np.zeros(0))
    assert first == oracle.width(0, np.zeros(0)) == pytest.approx(abs(V[1] - P @ V), abs=1e-8)
    assert float(oracle.error(0, np.zeros(0))) == pytest.approx(V[1] - P @ V)


def test_a_step_was_last_played() -> None:
    transcript = Transcript(4, 3)
    assert [transcript.last(h) for h in range(3)] == [None, None, None]
    transcript.steps = 4
    assert [transcript.last(h) for h in range(3)] == [1, 0, 0]
    transcript.steps = 6
    assert [transcript.last(h) for h in range(3)] == [1, 1, 1]
