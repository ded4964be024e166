"""Every property of plans: it holds on a good run, and goes red where something is planted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier_properties.any_setting import least_squares
from verifier_properties.episodes import potential
from verifier_properties.lifelong import confidence, distillation, norms, optimism, replay
from verifier_settings.lifelong import Phases, edges
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ...settings.lifelong.runs import at, changed, generator, play
from .lifelong_views import LAST, add, attribute, good, plan, twice


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


def one_psi_successor(view: Phases) -> Phases:
    """All transitions to one state, the one whose noise is largest."""
    every, found = view.psi_counts, []
    for s in range(view.public.S):
        moved = np.zeros_like(every)
        moved[..., s] = every.sum(axis=4)
        found.append(changed(view, psi_counts=moved))
    return max(found, key=lambda tampered: float(tampered.psi_noise_norm.max()))


def psi_noise_so_far(public: Any, k: float) -> float:
    return 1.01 * float(good("sharing")[0].psi_noise_norm.max())


def noise_so_far(public: Any, k: float) -> float:
    return 1.01 * float(good()[0].noise_norm.max())


def nothing_seen(view: Phases) -> Phases:
    return changed(view, counts=0 * view.counts, gram_replay=view.public.ridge * np.eye(view.public.d) + 0 * view.gram_replay)


TWICE, ONCE_L = replay.phi_bonus(twice), replay.phi_bonus(once)
VALIDITY = optimism.bonus_validity(replay.distilled_mean, TWICE, optimism.event_and_completeness, ("xi",), "")
HALF = optimism.bonus_validity(replay.distilled_mean, ONCE_L, optimism.honest_distillation, ("xi", "theta"), "")
ADDED = optimism.added_bonus(replay.distilled_mean, TWICE)
ADDED_VALIDITY = optimism.bonus_validity(replay.distilled_mean, ADDED, optimism.event_and_completeness, ("xi",), "")
PSI_VALIDITY = optimism.bonus_validity(replay.psi_mean, replay.psi_bonus, optimism.event_and_completeness, ("psi_estimate",), "")
MISSPECIFIED = optimism.misspecified_error(replay.distilled_mean, TWICE)
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
    "q-formula": (replay.distilled_q, "ucblvd", plan("Q", (2, 4, 1, 0), add(1e-7)), {"h": 3, "pair": 9, "w": 0}),
    "q-formula-published": (replay.distilled_q, "published", plan("Q", (2, 4, 1, 0), add(1e-4)), {"h": 3, "pair": 9, "w": 0}),
    "q-formula-gram": (replay.distilled_q, "ucblvd", nothing_seen, {}),
    "bonus-validity": (VALIDITY, "ucblvd", plan("xi", (2, 0), add(5.0)), {"h": 3}),
    "bonus-validity-half": (HALF, "ucblvd", plan("xi", (0, 0), add(5.0)), {"h": 1}),
    "optimism": (OPTIMISM, "ucblvd", below_the_optimum, {"h": 2, "pair": 5, "w": 0}),
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
    "psi-noise-event": (confidence.psi_noise_event(psi_noise_so_far), "sharing", one_psi_successor, {}),
    "psi-error-decomposition": (
        confidence.psi_error_decomposition,
        "sharing",
        plan("psi_estimate", (1, 2), add(9.0)),
        {"h": 2},
    ),
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
        least_squares.determinant_trace(*potential.PSI.regression),
        "sharing",
        plan("psi_gram", (1,), lambda g: 3 * g),
        {"h": 2},
    ),
    "bonus-validity-added": (ADDED_VALIDITY, "ucblvd", plan("Q", (0, 4, 1, 0), lambda q: 0.5), {"h": 1, "pair": 9, "w": 0}),
    "q-formula-psi": (replay.psi_q, "sharing", plan("Q", (2, 4, 1, 0), add(1e-6)), {"h": 3, "pair": 9, "w": 0}),
    "bonus-validity-psi": (PSI_VALIDITY, "sharing", plan("psi_estimate", (1, 0), add(9.0)), {"h": 2}),
    "q-formula-rewards": (replay.estimated_reward_q, "rewards", plan("Q", (2, 4, 1, 0), add(1e-6)), {"h": 3, "pair": 9, "w": 0}),
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
    "misspecified-optimism": (optimism.misspecified_optimism, "ucblvd", below_the_optimum, {"h": 2, "pair": 5, "w": 0}),
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


def test_noise_is_compared_with_what_any_values_make_of_the_transitions() -> None:
    """Far below H sqrt(k); the values of other plans and extreme ones stay within it."""
    view, shared = good()[0], good("sharing")[0]
    assert (view.noise_norm <= view.largest_noise[:, :, None]).all()
    assert view.largest_noise.max() < view.public.H * np.sqrt(view.public.K) / 2
    assert (shared.psi_noise_norm <= shared.largest_psi_noise).all()
    assert shared.largest_psi_noise.max() < shared.public.H * np.sqrt(shared.public.K) / 2
    for s in range(view.public.S):
        Q = np.zeros_like(view.Q)
        Q[:, :, s] = 9.0 * view.public.H
        plans = [replace(plan, Q=values) for plan, values in zip(view.plans, Q, strict=True)]
        extreme = changed(view, plans=plans)
        assert (extreme.noise_norm <= extreme.largest_noise[:, :, None] + 1e-9).all()
        assert extreme.noise_norm.max() > 0.1 * extreme.largest_noise.max()


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
    tampered = plan("Q", (0, 0, 0, 0), add(1e-3), p)(view)
    assert measure(replay.ridge_q(tampered)).place == {"plan": p + 1, "h": 1, "pair": 0, "w": 1}
    tampered = plan("estimate", (0, 0, 0), add(1e-3), p)(view)
    assert measure(replay.regression(tampered)).place == {"plan": p + 1, "h": 1, "i": 0, "target": 1}


def test_what_a_singular_gram_matrix_makes_of_the_bonus() -> None:
    """Infinite there, and nowhere else: what is found at another plan does not depend on the batch it came in."""
    before, view = good()[0], plan("gram", (1,), lambda g: 0 * g)(good()[0])
    expected = before.reported_bonus.copy()
    expected[LAST, 1] = np.inf
    np.testing.assert_array_equal(view.reported_bonus, expected)


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
