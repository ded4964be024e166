"""Properties of the episodic setting: each goes red where its statement is made false, and there only."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier import Algorithm
from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodes import regret
from verifier_properties.episodic import assumptions as episodic_assumptions
from verifier_properties.episodic import tabular_confidence, tabular_model
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC, EpisodicPlan, Phases, bonuses, generators, make

from ....installed import guaranteed
from ...settings.episodic.runs import play, small, with_plans
from ...settings.lifelong.runs import generator

Change = Callable[[EpisodicPlan], Any]
ALGORITHMS: tuple[type[Algorithm], ...] = (HoeffdingUCBVI, BernsteinUCBVI, LSVIUCB)


def scaled(name: str, factor: float) -> dict[str, Change]:
    return {name: lambda plan: factor * getattr(plan, name)}


def shifted(name: str, by: float) -> dict[str, Change]:
    return {name: lambda plan: getattr(plan, name) + by}


def judged(algorithm: type[Algorithm], claim: str, view: Phases) -> int:
    return measure(guaranteed(algorithm).claim(claim).property(view)).violations


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.name)
@pytest.mark.parametrize("regime", ["published", "scaled(0.03)", "oracle"])
def test_nothing_is_violated(algorithm: type[Algorithm], regime: str) -> None:
    for instance in (small(K=40), generators.cycle(S=3, H=4, K=20), generators.arms(rewards=(0.0, 1.0), H=2, K=10)):
        views, run = play(algorithm, instance, regime)
        for claim in claims_in(guaranteed(algorithm), Regime.parse(regime)):
            for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                found = measure(claim.property(view))
                assert found.holds, (claim.name, found)


TABULAR: dict[str, dict[str, Change]] = {
    "visits": shifted("visits", 0.25),
    "kernel": scaled("kernel", 0.999),
    "bonus-formula": scaled("bonus", 1.001),
    "q-formula": scaled("Q", 0.999),
    "value-function": scaled("V", 1.001),
    "width-target": scaled("V", 1.001),
    "greedy": {"policy": lambda plan: 1 - plan.policy},
    "monotone": {"Q": lambda plan: plan.Q + 0.1},
    "value-range": {"V": lambda plan: plan.V + 3.0},
    "bonus-validity": scaled("bonus", 0.9),
    "coverage": scaled("bonus", 1e-3),
    "optimism": scaled("Q", 0.5),
    "value-confidence": {"kernel": lambda plan: plan.kernel + 20.0},
    "entry-confidence": {"kernel": lambda plan: plan.kernel + 20.0},
    "row-confidence": {"kernel": lambda plan: plan.kernel + 20.0},
}


@pytest.mark.parametrize("algorithm", ALGORITHMS[:2], ids=lambda algorithm: algorithm.name)
@pytest.mark.parametrize("claim", TABULAR)
def test_tabular_statements_can_fail(algorithm: type[Algorithm], claim: str) -> None:
    (view,), _ = play(algorithm, small(K=40))
    assert judged(algorithm, claim, view) == 0
    assert judged(algorithm, claim, with_plans(view, **TABULAR[claim])) > 0


LINEAR: dict[str, dict[str, Change]] = {
    "gram": scaled("gram", 1.001),
    "regression": scaled("estimate", 1.001),
    "q-formula": scaled("Q", 0.999),
    "value-function": scaled("V", 1.001),
    "value-cap": {"V": lambda plan: plan.V + 3.0},
    "greedy": {"policy": lambda plan: 1 - plan.policy},
    "parameter-norm": scaled("V", 30.0),
    "estimate-norm": scaled("estimate", 100.0),
    "confidence-event": scaled("estimate", 2.0),
    "noise-event": {"V": lambda plan: 1e4 * np.arange(plan.V.size).reshape(plan.V.shape)},
    "bonus-validity": scaled("estimate", 2.0),
    "optimism": scaled("Q", 0.5),
    "determinant-trace": scaled("gram", 3.0),
    "leverage": scaled("gram", 0.3),
}


@pytest.mark.parametrize("claim", LINEAR)
def test_linear_statements_can_fail(claim: str) -> None:
    (view,), _ = play(LSVIUCB, small(K=40))
    assert judged(LSVIUCB, claim, view) == 0
    assert judged(LSVIUCB, claim, with_plans(view, **LINEAR[claim])) > 0


RUN: dict[str, tuple[type[Algorithm], Callable[[Any], dict[str, Any]]]] = {
    "plays-policy": (HoeffdingUCBVI, lambda s: {"agrees": ~s.agrees}),
    "regret-recursion": (HoeffdingUCBVI, lambda s: {"added": 0.0 * s.added}),
    "visit-sum": (HoeffdingUCBVI, lambda s: {"reported_visits": 0.0 * s.reported_visits}),
    "regret": (HoeffdingUCBVI, lambda s: {"regret": 1e9 + s.regret}),
    "potential": (LSVIUCB, lambda s: {"reported_bonus": 9.0 + s.reported_bonus}),
    "sum-of-bonuses": (LSVIUCB, lambda s: {"reported_bonus": 9.0 + s.reported_bonus}),
    "pathwise-regret": (LSVIUCB, lambda s: {"regret": 1e9 + s.regret}),
}


@pytest.mark.parametrize("claim", RUN)
def test_statements_about_runs_can_fail(claim: str) -> None:
    algorithm, change = RUN[claim]
    _, run = play(algorithm, small(K=400, S=2, H=4), "oracle" if algorithm is HoeffdingUCBVI else "scaled(0.3)")
    assert judged(algorithm, claim, run) == 0
    assert judged(algorithm, claim, replace(run, series=replace(run.series, **change(run.series)))) > 0


@pytest.mark.parametrize("claim", ["confidence-event", "noise-event", "bonus-validity"])
def test_values_at_their_cap_are_counted(claim: str) -> None:
    """At the published width V = H in all states at all steps but the last one, which is followed by 0."""
    prove = guaranteed(LSVIUCB).claim(claim).property
    (published,), _ = play(LSVIUCB, small(K=40), "published")
    (oracle,), _ = play(LSVIUCB, small(K=40))
    found = measure(prove(published))
    assert found.saturated == found.comparisons > 0
    found = measure(prove(oracle))
    assert found.comparisons / 3 <= found.saturated < found.comparisons / 2


def test_the_gap_behind_the_correction_term() -> None:
    """Nothing could fail at the sizes of a run; with 10^8 arrivals, the bound is below H, and a gap of 1 above it."""
    (view,), _ = play(BernsteinUCBVI, small(K=40))
    assert judged(BernsteinUCBVI, "value-gap", view) == 0
    assert measure(tabular_confidence.value_gap(view)).powered == 0
    assert judged(BernsteinUCBVI, "value-gap", with_plans(view, **scaled("V", 3.0))) > 0
    many = with_plans(view, V=lambda plan: view.truth.V + 1.0)
    many.history = replace(view.history, before=1e8 * (view.history.before + 1.0))
    assert judged(BernsteinUCBVI, "value-gap", many) == many.V[:, 1:].size
    near = with_plans(view, V=lambda plan: view.truth.V + 0.01)
    near.history = many.history
    assert judged(BernsteinUCBVI, "value-gap", near) == 0


def test_a_bernstein_bonus_covers_by_hoeffding_s_inequality() -> None:
    """sum over s, a, h, n of 2 exp(-2 n b^2) with b the two terms that do not depend on the data, in units of H."""
    for scenario in EPISODIC.catalogue:
        public = scenario.draw(0).public
        n, L = np.arange(1.0, public.T + 1), bonuses.log_term(public)
        covered = 14 * L / (3 * n) + np.sqrt(8 / n)
        chance = np.where(covered < 1, 2 * np.exp(-2 * n * covered**2), 0.0).sum() * public.X * public.H
        assert chance < public.delta / (2 if public.T >= 1e5 else 50), scenario.name
        assert public.T <= 1e4 * public.H * public.S**2 * public.A * L**2  # the minimum of the last term is H^2


def test_policies_that_lose_too_much() -> None:
    """2 of 5 lose more than three times the mean that the bound allows."""
    _, run = play(LSVIUCB, small(K=5))
    statement = regret.uniform_policy(lambda public, K: 0.1 * K)
    series = replace(run.series, regret=np.array([0.31, 0.5, 0.29, 0.0, 0.0]), optimal=np.ones(5))
    found = measure(statement(replace(run, series=series)))
    assert (found.value, found.trivial, found.violations) == (0.4, 1.0, 1)
    fewer = replace(run, series=replace(series, regret=np.array([0.31, 0.1, 0.29, 0.0, 0.0])))
    assert measure(statement(fewer)).holds
    elsewhere = replace(fewer, states=np.arange(5)[:, None] + np.zeros((5, 4), dtype=int))
    assert measure(statement(elsewhere)).comparisons == 0


def test_skipped_plans_are_found() -> None:
    _, run = play(HoeffdingUCBVI, small())
    run.plans = run.plans[:-1]
    assert judged(HoeffdingUCBVI, "plans-every-episode", run) == 1


class AsksEarly(LSVIUCB):
    """Asks for one width of the next plan before the episode is played, as an agent may that keeps its bonuses up to date."""

    def run(self, env: Any) -> Generator[EpisodicPlan]:
        for plan in super().run(env):
            yield plan
            self.width(0, plan.V[1], of="regression")


def test_a_width_asked_for_early_is_no_plan() -> None:
    _, run = play(AsksEarly, small())
    assert judged(LSVIUCB, "plans-every-episode", run) == 0


def test_a_width_that_is_not_the_theorem_s() -> None:
    (view,), _ = play(HoeffdingUCBVI, small(), "scaled(0.99)")
    assert judged(HoeffdingUCBVI, "width", view) > 0


def test_the_sum_of_visits_by_hand() -> None:
    """One pair visited H times in each of K episodes: N_k = 0, H, 2H, ..., all terms of an episode alike."""
    instance = generators.arms(rewards=(0.5,), H=4, K=9)
    _, run = play(HoeffdingUCBVI, instance)
    total = measure(tabular_model.visit_sum()(run)).value
    assert total == pytest.approx(4 + sum(4 / np.sqrt(4 * k) for k in range(1, 9)))
    assert total <= tabular_model.visit_sum_bound(instance.public)


def test_assumptions() -> None:
    good = generators.linear(generator(1), S=4, A=2, d=3, H=2, K=2)
    properties = (
        episodic_assumptions.reward_range, episodic_assumptions.transition_kernel, episodic_assumptions.linear_kernel,
        episodic_assumptions.linear_rewards, episodic_assumptions.feature_norms, episodic_assumptions.parameter_norms,
    )  # fmt: skip
    for claim in properties:
        assert measure(claim(good)).holds, claim.name
    P, phi = good.truth.P, good.public.phi
    assert not measure(properties[0](make(P, np.full(8, 1.5), H=2, K=2))).holds
    assert not measure(properties[1](replace(good, truth=replace(good.truth, P=1.1 * P)))).holds
    assert not measure(properties[2](make(P, np.zeros(8), H=2, K=2, phi=phi, mu=0.9 * good.truth.mu))).holds
    assert not measure(properties[3](make(P, np.arange(8) / 8, H=2, K=2, phi=phi, mu=good.truth.mu))).holds
    assert not measure(properties[4](make(P, np.zeros(8), H=2, K=2, phi=2 * phi, mu=good.truth.mu / 2))).holds
    assert not measure(properties[5](make(P, np.zeros(8), H=2, K=2, phi=phi / 9, mu=9 * good.truth.mu))).holds
