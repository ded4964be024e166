"""Error bounds of RF-UCRL: red where a statement is made false, else green; their constants by another route."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import comb, exp, lgamma, log
from typing import Any

import numpy as np
import pytest
from scipy.special import rel_entr

from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodic import error_bounds, stopping
from verifier_properties.episodic.error_bounds import TotalVariation, beta
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_settings import mdp
from verifier_settings.episodic import Instance, Phases, Run, generators

from ....installed import guaranteed
from ...settings.episodic.runs import play, small, with_plans
from ...settings.lifelong.runs import generator

ORACLES = {"divergence": TotalVariation}


def views_of(instance: Instance, regime: str = "oracle", batch: int = 10**6) -> tuple[list[Phases], Run]:
    """Views on a run of RF-UCRL."""
    return play(RFUCRL, instance, regime, batch=batch, oracles=ORACLES)


INSTANCES = (
    small(K=30),
    generators.stages(generator(2), S=3, A=2, H=3, K=30),
    generators.fork(K=40, epsilon=1.5),
    generators.arms(rewards=(0.0, 1.0), H=2, K=10),
    small(K=60, S=2, A=1, H=1, epsilon=1.9),
)


@pytest.mark.parametrize("regime", RFUCRL.regimes)
def test_nothing_is_violated(regime: str) -> None:
    stopped = 0
    for instance in INSTANCES:
        views, run = views_of(instance, regime, batch=7)
        stopped += run.stopped
        for claim in claims_in(guaranteed(RFUCRL), Regime.parse(regime)):
            for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                found = measure(claim.property(view))
                assert found.holds, (claim.name, found)
    assert stopped


def test_runs_stop_by_themselves_and_the_output_is_certified() -> None:
    """At the published width, where the claim of the probability is evaluated."""
    (view,), run = views_of(small(K=400, S=2, A=1, H=1, epsilon=1.5), "published")
    assert run.stopped
    assert 0 < len(run.actions) < 400
    assert view.V[-1, 0, 0] <= 0.75 < view.V[-2, 0, 0]
    found = measure(error_bounds.certified(view))
    assert (found.holds, found.comparisons) == (True, error_bounds.DRAWN + 2)


# The event --------------------------------------------------------------------------------------------------------------


def test_the_divergence_is_that_of_scipy() -> None:
    (view,), _run = views_of(small(K=40))
    found = error_bounds.confidence(view)
    expected = view.step_visits * rel_entr(view.step_kernel, view.truth.kernel).sum(axis=3)
    assert np.allclose(np.where(view.step_visits > 0, found.value, 0.0), expected)
    bound = np.broadcast_to(found.bound, expected.shape)
    public = view.public
    n = view.step_visits
    by_hand = np.log(2 * public.S * public.A * public.H / 0.1) + (public.S - 1) * np.log(np.e * (1 + n / (public.S - 1)))
    assert np.allclose(bound, by_hand)


@pytest.mark.parametrize("S", [2, 3])
def test_what_the_mixture_loses(S: int) -> None:
    """n KL - log M_n for every count: the proof of the event says that it is at most the term of S."""
    for n in range(1, 13):
        for counts in product(range(n + 1), repeat=S):
            if sum(counts) != n:
                continue
            largest = sum(c * log(c / n) for c in counts if c)  # the log-likelihood of the frequencies
            mixture = sum(lgamma(c + 1) for c in counts) + lgamma(S) - lgamma(n + S)
            lost = largest - mixture
            assert lost <= log(comb(n + S - 1, S - 1)) + 1e-9
            assert lost <= (S - 1) * log(exp(1) * (1 + n / (S - 1)))


def test_where_the_event_holds_no_value_has_a_larger_error_than_the_bonus() -> None:
    (view,), _run = views_of(small(K=30))
    assert error_bounds.covered(view).all()
    bonus, rng = error_bounds.DIVERGENCE.value(view), generator(3)
    for _ in range(50):
        values = view.public.H * rng.integers(2, size=view.public.S)
        error = np.abs((view.step_kernel - view.truth.kernel) @ values)
        assert (np.where(view.step_visits > 0, error, 0.0) <= bonus).all()


def test_the_oracle_width_is_the_least() -> None:
    (view,), _run = views_of(small(K=30))
    distance = np.where(view.step_visits > 0, np.abs(view.step_kernel - view.truth.kernel).sum(axis=3), 0.0)
    share = view.public.H * distance / 2 / np.where(view.step_visits > 0, error_bounds.DIVERGENCE.value(view), 1.0)
    wide = view.width > 1e-6
    assert wide.any()
    assert (share.max(axis=2)[wide] > 0.999).all()
    assert (share <= 1.0).all()


def test_a_smaller_width_leaves_the_event() -> None:
    (view,), _run = views_of(small(K=30), "scaled(0.01)")
    assert not error_bounds.covered(view).all()
    for given in (error_bounds.error_bound, error_bounds.planning_loss, error_bounds.error_recursion):
        assert measure(given(view)).holds


def test_one_state_needs_no_term_of_its_own() -> None:
    assert beta(1, 2, 3, 0.1, np.array([1.0, 100.0])).tolist() == [log(120.0)] * 2


# What follows from it ---------------------------------------------------------------------------------------------------


def test_values_of_policies_by_another_route() -> None:
    (view,), _run = views_of(small(K=9))
    reward, policy = error_bounds._policies(view)
    values, taken = error_bounds._followed(view.truth.kernel[None], reward, policy)
    assert np.array_equal(taken, policy)
    for i, p in product(range(len(reward)), range(0, 9, 4)):
        by_induction = mdp.policy_values(view.truth.kernel, reward[i, p][..., None, None], policy[i, p][None, ..., None])[
            0, :, :, 0
        ]
        assert np.allclose(error_bounds._taken(values, taken)[i, p], by_induction[:-1])
    best, first = error_bounds._followed(view.truth.kernel[None], reward, None)
    assert (error_bounds._taken(best, first) >= error_bounds._taken(values, taken) - 1e-12).all()


def test_no_reward_is_worse_for_the_policy_of_largest_error() -> None:
    (view,), _run = views_of(small(K=9))
    (worst, policy), start, rng = error_bounds._worst(view), np.asarray(view.instance.start), generator(4)

    def difference(reward: Any) -> Any:
        """Largest distance at the start, by plan."""
        taken = np.broadcast_to(policy, (len(reward), *policy.shape))
        (one, _), (other, _) = (
            error_bounds._followed(kernel, reward, taken) for kernel in (view.step_kernel, view.truth.kernel[None])
        )
        return np.abs((error_bounds._taken(one, taken) - error_bounds._taken(other, taken))[:, :, 0] @ start).max(axis=0)

    drawn = rng.random((200, *worst.shape[1:]))
    assert (difference(drawn) <= difference(worst) + 1e-12).all()


Change = Callable[[Any], Any]
RED: dict[str, tuple[Any, dict[str, Change]]] = {
    "error-bound": (error_bounds.error_bound, {"Q": lambda plan: plan.Q * 0.0}),
    "planning-loss": (error_bounds.planning_loss, {"V": lambda plan: plan.V * 0.0}),
    "error-recursion": (error_bounds.error_recursion, {"Q": lambda plan: plan.Q + 2.0 * plan.Q.shape[0]}),
    "confidence": (error_bounds.confidence, {"step_kernel": lambda plan: np.eye(3)[np.full(plan.step_kernel.shape[:2], 2)]}),
    "bonus": (error_bounds.error_formula, {"Q": lambda plan: plan.Q * 0.999}),
}


@pytest.mark.parametrize("name", RED)
def test_red_where_a_statement_is_made_false(name: str) -> None:
    made, change = RED[name]
    (view,), _run = views_of(small(K=30))
    assert measure(made(view)).holds
    assert not measure(made(with_plans(view, **change))).holds


def test_a_model_that_is_wrong_is_not_certified() -> None:
    """The kernel of the output has its actions the other way round."""
    (view,), run = views_of(generators.fork(K=40, epsilon=0.7, success=1.0))
    assert run.stopped
    assert measure(error_bounds.certified(view)).holds

    def turned(plan: Any) -> Any:
        return plan.step_kernel.reshape(2, 2, 2, 2)[:, :, ::-1].reshape(2, 4, 2)

    found = measure(error_bounds.certified(with_plans(view, step_kernel=turned)))
    assert (found.holds, found.value) == (False, 1.0)


def test_only_the_output_is_certified() -> None:
    (view,), run = views_of(small(K=30, epsilon=1e-9))
    assert not run.stopped
    assert measure(error_bounds.certified(view)).comparisons == 0


def test_a_plan_that_stops_nothing_breaks_the_rule() -> None:
    (view,), run = views_of(generators.fork(K=40, epsilon=1.5))
    assert run.stopped
    assert measure(stopping.error_rule(view)).holds
    never = with_plans(view, V=lambda plan: plan.V * 0.0)
    found = measure(stopping.error_rule(never))
    assert (found.violations, found.comparisons) == (len(view.plans) - 2, len(view.plans) - 1)
