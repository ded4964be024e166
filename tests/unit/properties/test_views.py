"""Every property of plans and of runs: it holds on a good run, and goes red where something is planted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from verifier.measurement import measure
from verifier.property import Property
from verifier.settings.lifelong import Phases, Run, edges, families
from verifier_properties import confidence, distillation, least_squares, norms, optimism, potential, regret, replay, switching
from verifier_ucblvd import constants
from verifier_ucblvd.lifelong_lsvi import LifelongLSVI
from verifier_ucblvd.sharing import LifelongLSVISharing
from verifier_ucblvd.ucblvd import UCBlvd
from verifier_ucblvd.unknown_rewards import UCBlvdUnknownRewards

from ..settings.runs import at, changed, generator, play

LAST = -1
"""The last plan of the run."""


RUNS = {
    "ucblvd": (UCBlvd, "oracle"),
    "published": (UCBlvd, "published"),
    "lsvi": (LifelongLSVI, "oracle"),
    "rewards": (UCBlvdUnknownRewards, "oracle"),
    "sharing": (LifelongLSVISharing, "oracle"),
    "sharing-published": (LifelongLSVISharing, "published"),
    "copied": (UCBlvd, "oracle"),
    "mixture": (UCBlvd, "oracle"),
}


@cache
def good(name: str = "ucblvd") -> tuple[Phases, Run]:
    algorithm, regime = RUNS[name]
    instance = edges.small(generator(1))
    if name == "copied":
        instance = edges.copied_contexts(generator(5))
    if name == "mixture":
        instance = families.mixture(generator(0), S=5, A=2, d=3, m=2, W=4, H=3, K=40)
    phases, run = play(algorithm, instance, regime)
    return phases[0], run


def plan(field: str, index: tuple[Any, ...], change: Callable[[Any], Any], which: int = LAST) -> Callable[[Phases], Phases]:
    """Changes one entry of one field of one plan."""

    def tamper(view: Phases) -> Phases:
        plans = list(view.plans)
        array = getattr(plans[which], field)
        plans[which] = replace(plans[which], **{field: at(array, index, change(array[index]))})
        return changed(view, plans=plans)

    return tamper


def attribute(name: str, index: tuple[Any, ...], change: Callable[[Any], Any]) -> Callable[[Phases], Phases]:
    return lambda view: changed(view, **{name: at(getattr(view, name), index, change(getattr(view, name)[index]))})


def add(amount: float) -> Callable[[Any], Any]:
    return lambda old: old + amount


def twice(public: Any) -> float:
    return 2.0


def once(public: Any) -> float:
    return 1.0


def worst_action(view: Phases) -> Phases:
    best, spread = view.Q[LAST].argmax(axis=2), np.ptp(view.Q[LAST], axis=2)
    h, s, w = np.unravel_index(int(spread.argmax()), spread.shape)
    assert best[h, s, w] == view.policy[LAST][h, s, w]
    return plan("policy", (h, s, w), lambda old: view.Q[LAST][h, s, :, w].argmin())(view)


def below_the_optimum(view: Phases) -> Phases:
    return plan("Q", (1, 2, 1, 0), lambda old: view.truth.Q[1, 2, 1, 0] - 1e-3)(view)


def far_away(view: Phases) -> Phases:
    """theta and xi moved together, so the value of the program stays zero."""
    return plan("xi", (1, 0), add(9.0))(plan("theta", (1, 0, 0), add(9.0))(view))


def one_successor(view: Phases) -> Phases:
    """A transcript in which every transition leads to the same state, which the kernel does not do."""
    found = []
    for s in range(view.public.S):
        counts = np.zeros_like(view.counts)
        counts[..., s] = view.counts.sum(axis=3)
        found.append(changed(view, counts=counts))
    return max(found, key=lambda tampered: float(tampered.noise_norm.max()))


def noise_so_far(public: Any, k: float) -> float:
    return 1.01 * float(good()[0].noise_norm.max())


def nothing_seen(view: Phases) -> Phases:
    return changed(view, counts=0 * view.counts)


TWICE, ONCE_L = replay.phi_bonus(twice), replay.phi_bonus(once)
Q_FORMULA = replay.q_formula(replay.distilled_mean, TWICE, ("xi",), "")
VALIDITY = optimism.bonus_validity(replay.distilled_mean, TWICE, optimism.event_and_completeness, ("xi",), "")
HALF = optimism.bonus_validity(replay.distilled_mean, ONCE_L, optimism.honest_distillation, ("xi", "theta"), "")
ADDED = optimism.added_bonus(replay.distilled_mean, TWICE)
ADDED_VALIDITY = optimism.bonus_validity(replay.distilled_mean, ADDED, optimism.event_and_completeness, ("xi",), "")
PSI_FORMULA = replay.q_formula(replay.psi_mean, replay.psi_bonus, ("psi_estimate",), "")
PSI_VALIDITY = optimism.bonus_validity(replay.psi_mean, replay.psi_bonus, optimism.event_and_completeness, ("psi_estimate",), "")
REWARD_FORMULA = replay.q_formula(
    replay.distilled_mean, lambda view: TWICE(view) + replay.reward_bonus(view), ("xi",), "", replay.estimated_reward
)
MISSPECIFIED = optimism.misspecified_error(replay.distilled_mean, TWICE)
PSI = potential.PSI
OPTIMISM = optimism.optimism(optimism.event_and_completeness, ("xi",))

PHASE_CASES: dict[str, tuple[Property, str, Callable[[Phases], Phases], dict[str, int]]] = {
    "gram-matrix": (least_squares.gram_matrix(), "ucblvd", plan("gram", (1, 0, 2), add(1e-7)), {"h": 2, "row": 0, "column": 2}),
    "gram-matrix-first": (least_squares.gram_matrix(), "ucblvd", plan("gram", (0, 0, 0), add(1e-7), 0), {"plan": 1, "h": 1}),
    "regression": (replay.regression, "ucblvd", plan("estimate", (1, 2, 1), add(1e-7)), {"h": 2, "i": 2, "target": 1}),
    "value-function": (
        replay.value_function,
        "ucblvd",
        attribute("handed", (2, 0, 3, 1), add(1e-6)),
        {"h": 1, "s": 3, "target": 1},
    ),
    "value-function-Q": (replay.value_function, "ucblvd", plan("Q", (2, 3, slice(None), 1), lambda q: 0 * q), {"h": 2, "s": 3}),
    "value-range": (
        replay.value_range,
        "ucblvd",
        attribute("handed", (0, 1, 2, 0), lambda v: 3.001),
        {"plan": 1, "h": 2, "s": 2},
    ),
    "value-range-low": (replay.value_range, "ucblvd", attribute("handed", (0, 1, 2, 0), lambda v: -1e-3), {"plan": 1, "h": 2}),
    "greedy-policy": (replay.greedy_policy, "ucblvd", worst_action, {}),
    "q-formula": (Q_FORMULA, "ucblvd", plan("Q", (2, 4, 1, 0), add(1e-7)), {"h": 3, "s": 4, "a": 1, "w": 0}),
    "q-formula-published": (Q_FORMULA, "published", plan("Q", (2, 4, 1, 0), add(1e-4)), {"h": 3, "s": 4, "a": 1, "w": 0}),
    "q-formula-gram": (Q_FORMULA, "ucblvd", nothing_seen, {}),
    "bonus-validity": (VALIDITY, "ucblvd", plan("xi", (2, 0), add(5.0)), {"h": 3}),
    "bonus-validity-half": (HALF, "ucblvd", plan("xi", (0, 0), add(5.0)), {"h": 1}),
    "optimism": (OPTIMISM, "ucblvd", below_the_optimum, {"h": 2, "s": 2, "a": 1, "w": 0}),
    "ball-constraint": (distillation.ball_constraint, "ucblvd", plan("theta", (1, 0, 1), add(2.0)), {"h": 2, "target": 1}),
    "norm-constraint": (distillation.norm_constraint, "ucblvd", plan("xi", (1, 0), add(9.0)), {"h": 2}),
    "zero-value": (distillation.zero_value, "ucblvd", plan("theta", (1, 0, 1), add(1e-3)), {"h": 2, "target": 1}),
    "zero-value-xi": (distillation.zero_value, "ucblvd", plan("xi", (1, 3), add(1e-3)), {"h": 2}),
    "zero-value-from-norm": (distillation.zero_value_from_norm, "ucblvd", plan("xi", (1, 3), add(1e-3)), {"h": 2}),
    "backup-combination": (
        distillation.backup_combination,
        "copied",
        plan("Q", (2, slice(None), slice(None), 3), add(-0.2)),
        {"h": 2, "w": 3},
    ),
    "confidence-event": (confidence.confidence_event, "published", plan("estimate", (1, 0, 1), add(1e4)), {"h": 2, "target": 1}),
    "confidence-event-width": (
        confidence.confidence_event,
        "published",
        attribute("width", (0, 1), lambda w: 1e-6),
        {"plan": 1, "h": 2},
    ),
    "error-decomposition": (
        confidence.error_decomposition,
        "ucblvd",
        plan("estimate", (1, 0, 1), add(9.0)),
        {"h": 2, "target": 1},
    ),
    "noise-event": (confidence.noise_event(noise_so_far), "ucblvd", one_successor, {}),
    "parameter-norm": (
        norms.parameter_norm,
        "ucblvd",
        attribute("handed", (1, 2, slice(None), 0), lambda v: v + 9),
        {"h": 3, "target": 0},
    ),
    "estimate-norm": (norms.estimate_norm, "ucblvd", plan("estimate", (1, 0, 1), add(200.0)), {"h": 2, "target": 1}),
    "estimate-norm-first": (norms.estimate_norm, "ucblvd", plan("estimate", (1, 0, 1), add(1e-3), 0), {"plan": 1, "h": 2}),
    "determinant-trace": (least_squares.determinant_trace(), "ucblvd", plan("gram", (1,), lambda g: 3 * g), {"h": 2}),
    "determinant-trace-singular": (least_squares.determinant_trace(), "ucblvd", plan("gram", (1,), lambda g: -g), {"h": 2}),
    "determinant-trace-psi": (
        least_squares.determinant_trace(*PSI.regression),
        "sharing",
        plan("psi_gram", (1,), lambda g: 3 * g),
        {"h": 2},
    ),
    "bonus-validity-added": (ADDED_VALIDITY, "ucblvd", plan("Q", (0, 4, 1, 0), lambda q: 0.5), {"h": 1, "pair": 9, "w": 0}),
    "q-formula-psi": (PSI_FORMULA, "sharing", plan("Q", (2, 4, 1, 0), add(1e-6)), {"h": 3, "s": 4, "a": 1, "w": 0}),
    "bonus-validity-psi": (PSI_VALIDITY, "sharing", plan("psi_estimate", (1, 0), add(9.0)), {"h": 2}),
    "q-formula-rewards": (REWARD_FORMULA, "rewards", plan("Q", (2, 4, 1, 0), add(1e-6)), {"h": 3, "s": 4, "a": 1, "w": 0}),
    "psi-gram-matrix": (
        least_squares.gram_matrix(least_squares.of_psi, ("psi_gram",)),
        "sharing",
        plan("psi_gram", (1, 0, 2), add(1e-7)),
        {"h": 2, "row": 0, "column": 2},
    ),
    "psi-regression": (replay.psi_regression, "sharing", plan("psi_estimate", (1, 3), add(1e-7)), {"h": 2, "i": 3}),
    "reward-regression": (replay.reward_regression, "rewards", plan("reward_estimate", (1, 3), add(1e-7)), {"h": 2, "i": 3}),
    "reward-error": (confidence.reward_error_identity, "rewards", plan("reward_estimate", (1, 3), add(1e-7)), {"h": 2}),
    "reward-confidence": (confidence.reward_confidence, "rewards", plan("reward_estimate", (1, 3), add(9.0)), {"h": 2}),
    "psi-confidence-event": (
        confidence.psi_confidence_event,
        "sharing-published",
        plan("psi_estimate", (1, 3), add(1e4)),
        {"h": 2},
    ),
    "misspecified-error": (MISSPECIFIED, "mixture", far_away, {"h": 2}),
    "misspecified-optimism": (optimism.misspecified_optimism(), "ucblvd", below_the_optimum, {"h": 2, "s": 2, "a": 1, "w": 0}),
}


@pytest.mark.parametrize("name", PHASE_CASES)
def test_properties_of_plans(name: str) -> None:
    check, run, tamper, place = PHASE_CASES[name]
    before = measure(check(good(run)[0]))
    assert before.holds
    assert before.comparisons > 0
    view = tamper(good(run)[0])
    after = measure(check(view))
    assert not after.holds
    if place and "plan" not in place:
        place = {**place, "plan": int(view.start[LAST]) + 1} if "handed" not in name else place
    if name not in ("value-function", "parameter-norm"):
        assert place.items() <= after.place.items()
    else:
        assert {key: place[key] for key in place if key != "plan"}.items() <= after.place.items()


@pytest.mark.parametrize("check", [OPTIMISM, VALIDITY, distillation.zero_value])
def test_nothing_is_compared_where_the_event_fails(check: Property) -> None:
    view = changed(good()[0], width=-np.ones_like(good()[0].width))
    found = measure(check(view))
    assert found.comparisons == 0
    assert found.excluded > 0


def test_optimism_needs_the_event_at_all_later_steps() -> None:
    width = at(good()[0].width, (LAST, 1), -1.0)
    view = changed(below_the_optimum(good()[0]), width=width)
    assert measure(OPTIMISM(view)).holds
    later = changed(plan("Q", (2, 2, 1, 0), lambda old: view.truth.Q[2, 2, 1, 0] - 1e-3)(good()[0]), width=width)
    assert measure(OPTIMISM(later)).place["h"] == 3


def test_the_half_bonus_is_enough_for_the_honest_minimiser_only() -> None:
    honest = measure(HALF(good()[0]))
    assert honest.comparisons > 0
    assert 0.9 < honest.ratio <= 1.0 + 1e-9
    instance = edges.small(generator(1))
    phases, _ = play(UCBlvd, instance, "oracle[minimiser=farthest]")
    other = measure(HALF(phases[0]))
    assert other.excluded > honest.excluded
    always = optimism.bonus_validity(replay.distilled_mean, ONCE_L, optimism.event_and_completeness, ("xi",), "")
    assert measure(always(phases[0])).ratio > 1.5
    assert measure(VALIDITY(phases[0])).holds


def test_backups_combine_only_where_there_are_other_contexts() -> None:
    assert measure(distillation.backup_combination(good()[0])).comparisons == 0


def test_places_name_the_contexts_of_plans_for_one_context() -> None:
    view, run = good("lsvi")
    p = int(np.flatnonzero(run.contexts == 1)[-1])
    formula = replay.q_formula(replay.ridge_mean, ONCE_L, (), "")
    tampered = plan("Q", (0, 0, 0, 0), add(1e-3), p)(view)
    assert measure(formula(tampered)).place == {"plan": p + 1, "h": 1, "s": 0, "a": 0, "w": 1}
    tampered = plan("estimate", (0, 0, 0), add(1e-3), p)(view)
    assert measure(replay.regression(tampered)).place == {"plan": p + 1, "h": 1, "i": 0, "target": 1}


# Runs ----------------------------------------------------------------------------------------------------------------


def series(name: str, index: tuple[Any, ...], change: Callable[[Any], Any]) -> Callable[[Run], Run]:
    def tamper(run: Run) -> Run:
        array = getattr(run.series, name)
        return changed(run, series=replace(run.series, **{name: at(array, index, change(array[index]))}))

    return tamper


def planned(change: Callable[[Run], Any]) -> Callable[[Run], Run]:
    return lambda run: changed(run, plans=np.array(change(run)))


def calls(episodes: Callable[[Any], float]) -> Property:
    return switching.calls_bound(lambda public: (public.d,), episodes, "calls")


SLACK = regret.phi_slack(twice)


def REWARD_SLACK(view: Run) -> Any:
    return SLACK(view) + regret.reward_slack(view)


EVERY = planned(lambda run: np.arange(40))
ONCE = planned(lambda run: [0])
SECOND = good()[1].plans[1]
"""Episode (from 0) of the first replan of the good run."""

RUN_CASES: dict[str, tuple[Property, str, Callable[[Run], Run], dict[str, int]]] = {
    "plays-policy": (replay.plays_policy, "ucblvd", series("agrees", (7, 2), lambda a: False), {"episode": 8, "h": 3}),
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
        potential.potential(1.5, PSI),
        "sharing",
        series("reported_bonus", (slice(None), 1), lambda b: 1.0),
        {"h": 2},
    ),
    "sum-of-norms-psi": (
        potential.sum_of_norms(np.e, PSI),
        "sharing",
        series("reported_bonus", (slice(None), 1), lambda b: 9.0),
        {"h": 2},
    ),
    "stale-norm-psi": (
        potential.stale_norm(PSI),
        "sharing",
        series("reported_bonus", (30, 1), lambda b: 1.7),
        {"episode": 31, "h": 2},
    ),
    "recursion-psi": (regret.recursion(regret.psi_slack), "sharing", series("gap", (39, 1), add(30.0)), {"episode": 40, "h": 2}),
    "recursion-rewards": (regret.recursion(REWARD_SLACK), "rewards", series("gap", (39, 1), add(90.0)), {"episode": 40, "h": 2}),
    "plans-every-episode": (switching.plans_every_episode, "lsvi", planned(lambda run: np.delete(run.plans, 9)), {}),
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


def test_a_ridge_below_one_is_outside_the_sum_of_norms() -> None:
    run = good()[1]
    instance = replace(run.instance, public=replace(run.public, ridge=0.5))
    assert measure(potential.sum_of_norms(1.0)(changed(run, instance=instance))).comparisons == 0


def test_what_a_singular_gram_matrix_makes_of_the_bonus() -> None:
    view = plan("gram", (1,), lambda g: 0 * g)(good()[0])
    assert np.isinf(view.reported_bonus[LAST]).all()


def margin_before_the_last_step(view: Phases) -> float:
    """Smallest Q - Q*, tolerances and trivial bounds aside, where a transition still matters."""
    inequality = optimism.optimism(optimism.event)(view)
    return float((inequality.bound - inequality.value)[:, :-1].min())


def test_optimism_is_sharp_in_the_oracle_regime() -> None:
    """With one feature the error and the bonus are the same number, so a bonus smaller by 1e-8 would show."""
    instance = edges.small(generator(0), d=1)
    for algorithm, regime in ((LifelongLSVI, "oracle"), (UCBlvd, "oracle[minimiser=farthest]")):
        phases, _ = play(algorithm, instance, regime)
        assert all(measure(optimism.optimism(optimism.event)(view)).holds for view in phases)
        assert abs(min(margin_before_the_last_step(view) for view in phases)) < 1e-8
