"""Every property of epochs holds on good runs, and goes red where something is planted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.model.property import Property
from verifier_properties.any_setting import least_squares, widths
from verifier_properties.discounted import (
    average_optimism,
    bonus_sums,
    mirror_descent,
    mixture_model,
    stream,
    transition_estimate,
)
from verifier_properties.discounted import regret as discounted_regret
from verifier_ravi_ucb.shared import constants
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import edges

from ...settings.discounted.runs import at, changed, play
from ...settings.lifelong.runs import generator
from .discounted_views import (
    LAST,
    K,
    Tamper,
    add,
    attribute,
    backup,
    good,
    measure_of,
    noise_so_far,
    one_successor,
    other_occupancy,
    over_the_cap,
    plan,
    probabilities,
    times,
    told_of,
    too_high,
    too_low,
    worst_policies,
)

ETA = mirror_descent.learning_rate(constants.ETA)
GAP = {
    "gap-sum": average_optimism.gap_sum("gap-sum", "played_bonus", 2.0, 2.0, 0.5, "invalid"),
    "gap-sum-sharp": average_optimism.gap_sum("gap-sum-sharp", "played_bonus", 2.0, 1.0, 0.125, "invalid"),
    "gap-sum-by-residuals": average_optimism.gap_sum("residuals", "residual", 1.0, 1.0, 0.125, "pessimistic_on_optimal"),
}
EQ2, LEMMA54 = transition_estimate.validity(discounted=True), transition_estimate.validity(discounted=False)
WIDTH = widths.width_formula(constants.TABULAR_BETA, define={"L": constants.log_term})
FIELD = {"epoch": K + 1, "x": 1, "a": 0}
STATE = {"epoch": K + 1, "x": 1}
EPOCH = {"epoch": K + 1}
END = {"epoch": LAST}

CASES: dict[str, tuple[Property, str, Tamper, dict[str, int]]] = {
    "initial-values": (mirror_descent.initial_values, "tabular", plan("V", (1,), add(1e-6), 0), {"epoch": 1, "x": 1}),
    "initial-policy": (
        mirror_descent.initial_policy,
        "tabular",
        plan("log_policy", (1,), probabilities(0.6, 0.4), 0),
        {"epoch": 1, "x": 1},
    ),
    "learning-rate": (ETA, "tabular", plan("eta", (), times(1 + 1e-6)), EPOCH),
    "normalised-policy": (mirror_descent.normalised_policy, "tabular", plan("log_policy", (1, 0), add(1e-6)), STATE),
    "policy-update": (
        mirror_descent.policy_update,
        "tabular",
        plan("log_policy", (1, 0), add(1e-6), LAST),
        {**END, "x": 1, "a": 0},
    ),
    "policy-update-value": (mirror_descent.policy_update, "tabular", plan("V", (1,), add(1e-4)), STATE),
    "policy-update-values-before": (
        mirror_descent.policy_update,
        "mixture",
        plan("Q", (1, 0), add(1e-4)),
        {"epoch": K + 2, "x": 1, "a": 0},
    ),
    "policy-update-excluded": (
        mirror_descent.policy_update,
        "tabular",
        plan("log_policy", (1, 0), lambda old: -np.inf, LAST),
        END,
    ),
    "log-sum-exp": (mirror_descent.log_sum_exp, "tabular", plan("V", (1,), add(1e-6)), STATE),
    "log-sum-exp-values-before": (mirror_descent.log_sum_exp, "mixture", plan("Q", (1, 0), add(1e-4)), {"epoch": K + 2, "x": 1}),
    "regularised-value": (mirror_descent.regularised_value, "tabular", plan("V", (1,), add(1e-6)), STATE),
    "regularised-value-policy": (
        mirror_descent.regularised_value,
        "tabular",
        plan("log_policy", (1,), probabilities(0.9, 0.1), LAST),
        {**END, "x": 1},
    ),
    "variational-value": (mirror_descent.variational_value, "tabular", plan("V", (1,), add(-0.5)), {**STATE, "p": 2}),
    "accumulated-value": (mirror_descent.accumulated_value, "tabular", plan("V", (1,), add(1e-4), LAST), {**END, "x": 1}),
    "accumulated-value-drift": (
        mirror_descent.accumulated_value,
        "tabular",
        plan("V", (1,), add(1e-6), slice(None)),
        {**END, "x": 1},
    ),
    "change-of-policy": (mirror_descent.change_of_policy(2.0), "tabular", plan("Q", (slice(None), 0), add(5e3)), EPOCH),
    "change-of-policy-sharp": (mirror_descent.change_of_policy(0.5), "tabular", plan("Q", (slice(None), 0), add(5e3)), EPOCH),
    "stability": (mirror_descent.stability(0.5), "tabular", plan("Q", (slice(None), 0), add(5e3)), EPOCH),
    "stability-sharp": (mirror_descent.stability(0.125), "tabular", plan("Q", (slice(None), 0), add(5e3)), EPOCH),
    "value-range": (average_optimism.value_range, "tabular", plan("V", (1,), lambda old: 5.0 + 1e-6), STATE),
    "value-range-low": (average_optimism.value_range, "tabular", plan("V", (1,), lambda old: -1e-6), STATE),
    "action-value-range": (average_optimism.action_value_range, "tabular", plan("Q", (1, 0), lambda old: 5.0 + 1e-9), FIELD),
    "action-value-range-low": (average_optimism.action_value_range, "tabular", plan("Q", (1, 0), lambda old: -1e-9), FIELD),
    "backup": (average_optimism.backup_formula, "tabular", plan("Q", (1, 0), add(-1e-9)), FIELD),
    "backup-bonus": (average_optimism.backup_formula, "mixture", plan("bonus", (1, 0), add(-1e-9)), FIELD),
    "backup-estimate": (average_optimism.backup_formula, "mixture", plan("estimate", (1, 0), add(-1e-9)), FIELD),
    "backup-from-below": (average_optimism.backup_from_below, "tabular", too_low, FIELD),
    "backup-from-above": (average_optimism.backup_from_above(sharp=False), "mixture", too_high, FIELD),
    "backup-from-above-cap": (average_optimism.backup_from_above(sharp=True), "mixture", over_the_cap, FIELD),
    "optimism-identity": (average_optimism.optimism_identity, "tabular", other_occupancy, {}),
    "average-optimism": (average_optimism.average_optimism, "tabular", plan("V", (slice(None),), add(-1e4), LAST), END),
    "average-optimism-policy": (
        average_optimism.average_optimism,
        "exact",
        plan("V", (slice(None),), times(0.0), slice(None)),
        END,
    ),
    "total-deviation": (average_optimism.total_deviation, "tabular", plan("V", (slice(None),), add(1e4), LAST), END),
    **{name: (check, "exact", worst_policies, END) for name, check in GAP.items()},
    "estimate": (transition_estimate.estimate, "tabular", plan("estimate", (1, 0), add(1e-9)), FIELD),
    "estimate-mixture": (transition_estimate.estimate_of_mixture, "mixture", plan("estimate", (1, 0), add(1e-9)), FIELD),
    "bonus": (transition_estimate.bonus_formula, "tabular", plan("bonus", (1, 0), add(1e-9)), FIELD),
    "bonus-mixture": (transition_estimate.bonus_of_mixture, "mixture", plan("bonus", (1, 0), add(1e-9)), FIELD),
    "bonus-published": (transition_estimate.bonus_formula, "published", plan("bonus", (1, 0), times(1 + 1e-9)), FIELD),
    "target": (transition_estimate.target, "tabular", attribute("handed", (K, 1), add(1e-9)), STATE),
    "visits": (transition_estimate.visits, "tabular", plan("visits", (1, 0), add(1.0)), FIELD),
    "regression": (transition_estimate.regression, "mixture", plan("theta", (1,), add(1e-9)), {**EPOCH, "i": 1}),
    "validity": (EQ2, "tabular", plan("estimate", (1, 0), add(-50.0)), FIELD),
    "validity-bonus": (EQ2, "mixture", plan("bonus", (1, 0), lambda old: -1e-9), FIELD),
    "confidence": (LEMMA54, "published", plan("estimate", (1, 0), add(-1e4)), FIELD),
    "feature-norm": (transition_estimate.feature_norm, "mixture", told_of(lambda V: at(V, K, 5.0 * 1e3)), EPOCH),
    "estimate-decomposition": (
        transition_estimate.estimate_decomposition,
        "mixture",
        plan("theta", (1,), add(1e-8)),
        {**EPOCH, "i": 1},
    ),
    "noise-event": (transition_estimate.noise_event(noise_so_far()), "mixture", one_successor, {}),
    "bias": (transition_estimate.bias, "mixture", plan("gram", (), times(1e-6)), EPOCH),
    "bias-singular": (transition_estimate.bias, "mixture", plan("gram", (0,), times(0.0)), EPOCH),
    "gram": (
        least_squares.gram_matrix(needs=("gram",)),
        "mixture",
        plan("gram", (0, 1), add(1e-8)),
        {**EPOCH, "row": 0, "column": 1},
    ),
    "determinant-trace": (least_squares.determinant_trace(needs=("gram",)), "mixture", plan("gram", (), times(1e3)), EPOCH),
    "determinant-trace-singular": (
        least_squares.determinant_trace(needs=("gram",)),
        "mixture",
        plan("gram", (0,), times(0.0)),
        EPOCH,
    ),
    "width": (WIDTH, "published", attribute("width", K, times(1 + 1e-9)), EPOCH),
    "potential": (bonus_sums.frozen_potential, "mixture", plan("gram", (), times(1e-40), LAST), END),
    "potential-singular": (bonus_sums.frozen_potential, "mixture", plan("gram", (), times(0.0), LAST), END),
    "bad-epochs": (bonus_sums.bad_epochs, "short epochs", plan("gram", (), times(1e-9), slice(None)), END),
    "ends-with-reset": (stream.ends_with_reset, "tabular", attribute("closed", K, lambda old: False), EPOCH),
}


@pytest.mark.parametrize("name", CASES)
def test_properties_of_epochs(name: str) -> None:
    check, run, tamper, place = CASES[name]
    view = good(run)[0]
    before = measure_of(check, view)
    assert before.holds
    assert before.comparisons > 0
    after = measure_of(check, tamper(view))
    assert not after.holds
    if place.get("epoch") == LAST:
        place = {**place, "epoch": view.count}
    assert place.items() <= after.place.items()


# What is left out -----------------------------------------------------------------------------------------------------


def test_where_eq_2_fails_upwards_or_downwards_one_half_of_lemma_42_still_applies() -> None:
    view = good("mixture")[0]
    low, high = (plan("estimate", (1, 0), add(sign * 50.0))(view) for sign in (-1, 1))
    assert measure_of(average_optimism.backup_from_below, low).excluded == 1
    assert measure_of(average_optimism.backup_from_above(sharp=False), low).excluded == 0
    assert measure_of(average_optimism.backup_from_below, high).excluded == 0
    assert measure_of(average_optimism.backup_from_above(sharp=False), high).excluded == 1


@pytest.mark.parametrize("name", GAP)
def test_sums_of_gaps_stop_where_the_event_first_fails(name: str) -> None:
    view = good("mixture")[0]
    if name == "gap-sum-by-residuals":
        (x, a) = np.argwhere(view.instance.optimal_occupancy > 1e-3)[0]
        tampered = plan("Q", (x, a), lambda old: backup(view)[K, x, a] - 1e-3)(view)
    else:
        tampered = plan("estimate", (1, 0), add(-50.0))(view)
    found = measure_of(GAP[name], tampered)
    assert (found.comparisons, found.excluded) == (K, view.count - K)


def test_what_failed_in_an_earlier_batch_counts_for_this_one() -> None:
    view = good("mixture")[0]
    for series, check in (("invalid", GAP["gap-sum"]), ("pessimistic_on_optimal", average_optimism.average_optimism),
                          ("excessive", average_optimism.total_deviation)):  # fmt: skip
        found = measure_of(check, changed(view, before={series: 1.0}))
        assert (found.comparisons, found.excluded) == (0, view.count)


def test_the_average_of_optimism_needs_backups_on_the_optimal_path_only() -> None:
    view = good("mixture")[0]
    x, a = np.argwhere(view.instance.optimal_occupancy == 0)[0]
    tampered = plan("Q", (x, a), lambda old: backup(view)[K, x, a] - 1e-3)(view)
    assert tampered.pessimistic[K] == 1
    assert measure_of(average_optimism.average_optimism, tampered).excluded == 0


def test_formulas_of_the_algorithm_are_left_out_where_the_regime_replaced_them() -> None:
    for check in (transition_estimate.estimate, transition_estimate.bonus_formula):
        found = measure_of(check, good("exact")[0])
        assert (found.comparisons, found.excluded) == (0, good("exact")[0].Q.size)


def test_no_statement_about_the_optimal_policy_where_pi_0_excludes_it() -> None:
    (view,), run = play(TabularRaviUCB, edges.zero_prior(generator(0)))
    for check in (average_optimism.average_optimism, *GAP.values()):
        assert measure_of(check, view).comparisons == 0
    assert measure_of(discounted_regret.regret_by_bonuses(True, lambda run: 1.0), run).comparisons == 0
    assert measure_of(discounted_regret.explicit_regret(lambda public, width: 1.0), run).comparisons == 0
    assert measure_of(mixture_model.uniform_start, run.instance).violations > 0


def test_the_last_epoch_need_not_end_with_a_reset() -> None:
    view = good("tabular")[0]
    found = measure_of(stream.ends_with_reset, changed(view, closed=np.arange(view.count) < view.count - 1))
    assert (found.comparisons, found.violations) == (view.count, 0)
    found = measure_of(stream.ends_with_reset, changed(view, is_last=False, closed=np.ones(view.count, dtype=bool)))
    assert (found.comparisons, found.violations) == (view.count, 0)


# What no implementation can break ---------------------------------------------------------------------------------------

UNBREAKABLE = [mirror_descent.occupancy_entropy, average_optimism.deviation]


@pytest.mark.parametrize("check", UNBREAKABLE, ids=lambda check: check.name)
def test_what_no_implementation_can_break_has_no_power(check: Property) -> None:
    for name in ("tabular", "mixture", "exact"):
        found = measure_of(check, good(name)[0])
        assert found.comparisons > 0
        assert (found.powered, found.violations) == (0, 0)


@settings(max_examples=40, deadline=None, database=None, derandomize=True)
@given(st.integers(0, 10**6), st.floats(-3.0, 3.0))
def test_what_no_implementation_can_break_is_not_broken_by_noise(seed: int, exponent: float) -> None:
    view, rng = good("tabular")[0], generator(seed)
    policy = rng.dirichlet([0.3, 0.3], size=view.V.shape)
    plans = {
        **view.plans,
        "log_policy": np.log(np.maximum(policy, 1e-12)) - np.log(np.maximum(policy, 1e-12).sum(axis=2, keepdims=True)),
        "V": 5 * rng.random(view.V.shape),
        "Q": 5 * rng.random(view.Q.shape),
        "bonus": 5 * rng.random(view.Q.shape),
        "eta": np.full(view.count, 10.0**exponent),
    }
    tampered = changed(view, plans=plans)
    assert (tampered.excessive == 0).any()
    for check in UNBREAKABLE:
        assert measure_of(check, tampered).holds


# Runs -------------------------------------------------------------------------------------------------------------------
