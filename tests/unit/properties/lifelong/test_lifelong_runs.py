"""Every property of runs: it holds on a good one, and goes red where something is planted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier_properties.episodes import play, potential, regret
from verifier_properties.lifelong import regret as lifelong_regret
from verifier_properties.lifelong import switching
from verifier_settings.lifelong import Run
from verifier_ucblvd.shared import constants

from ...settings.lifelong.runs import changed
from .lifelong_views import add, good, series, twice


def planned(change: Callable[[Run], Any]) -> Callable[[Run], Run]:
    return lambda run: changed(run, plans=np.array(change(run)))


def calls(episodes: Callable[[Any], float]) -> Property:
    return switching.calls_bound(lambda public: (public.d,), episodes, "calls")


SLACK = regret.phi_slack(twice)


def REWARD_SLACK(view: Run) -> Any:
    return SLACK(view) + lifelong_regret.reward_slack(view)


EVERY = planned(lambda run: np.arange(40))
ONCE = planned(lambda run: [0])
SECOND = good()[1].plans[1]
"""Episode (from 0) of the first replan of the good run."""

RUN_CASES: dict[str, tuple[Property, str, Callable[[Run], Run], dict[str, int]]] = {
    "plays-policy": (play.plays_policy, "ucblvd", series("agrees", (7, 2), lambda a: False), {"episode": 8, "h": 3}),
    "recursion": (regret.recursion(SLACK), "ucblvd", series("gap", (39, 1), add(30.0)), {"episode": 40, "h": 2}),
    "recursion-width": (regret.recursion(SLACK), "ucblvd", series("bonus", (slice(20, 40),), lambda b: 0 * b), {}),
    "pathwise": (regret.pathwise(SLACK), "ucblvd", series("regret", (20,), add(1e4)), {"episode": 21}),
    "martingale-sum": (regret.martingale_sum(constants.martingale_bound), "ucblvd", series("expected_gap", (3, 1), add(1e4)), {}),
    "regret-bound": (regret.regret_bound(constants.regret_bound_ucblvd), "ucblvd", series("regret", (3,), add(1e5)), {}),
    "potential": (potential.potential(np.e), "ucblvd", series("reported_bonus", (slice(None), 1), lambda b: 1.0), {"h": 2}),
    "sum-of-norms": (potential.sum_of_norms(np.e), "ucblvd", series("reported_bonus", (slice(None), 1), lambda b: 3.0), {"h": 2}),
    "stale-norm": (potential.stale_norm(), "ucblvd", series("reported_bonus", (30, 1), lambda b: 0.99), {"episode": 31, "h": 2}),
    "growth-in-force": (switching.growth_in_force(), "ucblvd", ONCE, {}),
    "trigger-missing": (switching.trigger(), "ucblvd", planned(lambda run: np.delete(run.plans, 1)), {"episode": SECOND + 1}),
    "trigger-early": (
        switching.trigger(),
        "ucblvd",
        planned(lambda run: np.insert(run.plans, 1, SECOND - 1)),
        {"episode": SECOND},
    ),
    "planning-calls": (calls(lambda public: public.K - 1), "ucblvd", EVERY, {}),
    "planning-calls-printed": (calls(lambda public: public.K), "ucblvd", EVERY, {}),
    "planning-calls-from-growth": (switching.calls_from_growth(), "ucblvd", EVERY, {}),
    "planning-calls-at-least": (switching.calls_at_least(), "ucblvd", ONCE, {}),
    "trigger-psi": (switching.trigger(switching.of_psi), "sharing", planned(lambda run: np.delete(run.plans, 1)), {}),
    "trigger-both": (switching.trigger(switching.of_both), "rewards", planned(lambda run: np.delete(run.plans, 1)), {}),
    "growth-in-force-psi": (switching.growth_in_force(switching.of_psi), "sharing", ONCE, {}),
    "growth-in-force-both": (switching.growth_in_force(switching.of_both), "rewards", ONCE, {}),
    "potential-psi": (
        potential.potential(1.5, potential.PSI),
        "sharing",
        series("reported_psi_bonus", (slice(None), 1), lambda b: 1.0),
        {"h": 2},
    ),
    "sum-of-norms-psi": (
        potential.sum_of_norms(np.e, potential.PSI),
        "sharing",
        series("reported_psi_bonus", (slice(None), 1), lambda b: 9.0),
        {"h": 2},
    ),
    "stale-norm-psi": (
        potential.stale_norm(potential.PSI),
        "sharing",
        series("reported_psi_bonus", (30, 1), lambda b: 1.7),
        {"episode": 31, "h": 2},
    ),
    "potential-psi-rewards": (
        potential.potential(1.5, potential.PSI),
        "rewards",
        series("reported_psi_bonus", (slice(None), 1), lambda b: 1.0),
        {"h": 2},
    ),
    "stale-norm-psi-rewards": (
        potential.stale_norm(potential.PSI),
        "rewards",
        series("reported_psi_bonus", (30, 1), lambda b: 1.7),
        {"episode": 31, "h": 2},
    ),
    "misspecified-regret": (
        lifelong_regret.misspecified_regret_bound(constants.regret_bound_ucblvd),
        "ucblvd",
        series("regret", (3,), add(1e5)),
        {},
    ),
    "recursion-psi": (
        regret.recursion(lifelong_regret.psi_slack),
        "sharing",
        series("gap", (39, 1), add(30.0)),
        {"episode": 40, "h": 2},
    ),
    "recursion-rewards": (regret.recursion(REWARD_SLACK), "rewards", series("gap", (39, 1), add(90.0)), {"episode": 40, "h": 2}),
    "plans-every-episode": (play.plans_every_episode, "lsvi", planned(lambda run: np.delete(run.plans, 9)), {}),
}


@pytest.mark.parametrize("name", RUN_CASES)
def test_properties_of_runs(name: str) -> None:
    check, run, tamper, place = RUN_CASES[name]
    before = measure(check(good(run)[1]))
    assert before.holds
    assert before.comparisons > 0
    after = measure(check(tamper(good(run)[1])))
    assert not after.holds
    assert place.items() <= after.place.items()


def test_growth_in_force_has_power_from_the_second_episode_on() -> None:
    """d log(1 + k/(lambda d)) is what log det Lambda grows by in k episodes at most: at d = 1 as much as 1 episode never."""
    for name, log_dets in (("ucblvd", switching.of_phi), ("sharing", switching.of_psi), ("rewards", switching.of_both)):
        run = good(name)[1]
        check = switching.growth_in_force(log_dets)(run)
        values = log_dets(run)[: run.public.K]
        assert (values - values[0] <= np.reshape(check.trivial, values.shape) + 1e-9).all()
        assert (np.asarray(check.trivial)[0] == 0).all()
        found = measure(check)
        assert 0 < found.powered < found.comparisons


def test_the_martingale_sum_cannot_fail_and_says_so() -> None:
    for name in ("ucblvd", "lsvi", "published"):
        found = measure(regret.martingale_sum(constants.martingale_bound)(good(name)[1]))
        assert found.powered == 0


def test_the_theorem_has_no_power_at_this_size() -> None:
    assert measure(regret.regret_bound(constants.regret_bound_ucblvd)(good("published")[1])).powered == 0


def test_a_trigger_up_to_rounding_at_its_threshold_counts_for_neither_side() -> None:
    run = good()[1]
    log_det = run.log_det.copy()
    log_det[:5], log_det[5:] = log_det[0], log_det[0] + 1.0 + 1e-16
    for plans in ([0], [0, 5]):
        tampered = changed(run, plans=np.array(plans))
        tampered.__dict__["_gram_facts"] = (log_det, run.norm)
        found = measure(switching.trigger()(tampered))
        assert found.holds
        assert found.excluded > 0


def test_the_pathwise_bound_stops_where_the_event_first_fails() -> None:
    run = series("event", (10, 0), lambda e: False)(good()[1])
    found = measure(regret.pathwise(SLACK)(run))
    assert found.comparisons == 10
    assert found.excluded == 30


def test_the_misspecified_regret_claims_nothing_of_a_run_whose_program_had_another_value() -> None:
    check = lifelong_regret.misspecified_regret_bound(constants.regret_bound_ucblvd)
    lost = series("regret", (3,), add(1e5))(good()[1])
    assert not measure(check(lost)).holds
    found = measure(check(series("exact", (7, 1), lambda e: False)(lost)))
    assert found.holds
    assert (found.comparisons, found.powered) == (1, 0)


def test_a_ridge_below_one_is_outside_the_sum_of_norms() -> None:
    run = good()[1]
    instance = replace(run.instance, public=replace(run.public, ridge=0.5))
    assert measure(potential.sum_of_norms(1.0)(changed(run, instance=instance))).comparisons == 0
