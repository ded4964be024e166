"""What the view on epochs derives, against slow loops written from the formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verifier import Algorithm
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import Instance, solver
from verifier_settings.discounted.strategies import DiscountedRecipe

from .runs import BOTH, at, changed, example, play

quickly = settings(max_examples=25, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def occupancy(instance: Instance, policy: np.ndarray) -> np.ndarray:
    """mu^pi by the power series of the flow, to rounding."""
    P, gamma = instance.truth.P, instance.public.gamma
    kernel = np.einsum("xa,xay->xy", policy, P.reshape(*policy.shape, -1))
    nu, term = np.zeros(len(kernel)), (1 - gamma) * instance.truth.start
    for _ in range(int(np.ceil(-40 / np.log(gamma)))):
        nu, term = nu + term, gamma * term @ kernel
    return nu[:, None] * policy


@quickly
@given(DiscountedRecipe.strategy())
def test_epochs_of_counting_against_loops(recipe: DiscountedRecipe) -> None:
    instance = recipe.build()
    public, P = instance.public, instance.truth.P
    (view,), run = play(TabularRaviUCB, instance, seed=1)
    visits, seen = np.ones(public.X * public.A), np.zeros_like(P)
    ends = [*run.plans[1:], len(run.states)]
    for k, (start, end) in enumerate(zip(run.plans, ends, strict=True)):
        V = view.V[k]
        np.testing.assert_allclose(view.estimates.mean[k].ravel(), [row @ V / n for row, n in zip(seen, visits, strict=True)])
        np.testing.assert_allclose(view.estimates.norm[k].ravel(), visits**-0.5)
        np.testing.assert_array_equal(view.counting.visits[k].ravel(), visits)
        mu = occupancy(instance, np.exp(view.log_policy[k]))
        np.testing.assert_allclose(view.mu[k], mu, atol=1e-12)
        assert view.gap[k] == pytest.approx(((instance.optimal_occupancy - mu) * public.reward).sum(), abs=1e-12)
        assert view.played_bonus[k] == pytest.approx((mu * view.bonus[k]).sum(), abs=1e-11)
        assert view.number[k] == k + 1
        assert view.steps_before[k] == start
        assert view.lengths[k] == end - start
        assert view.played[k] == min(end, public.T) - start
        assert view.closed[k] == run.resets[end - 1]
        rows = [run.states[t] * public.A + run.actions[t] for t in range(start, end)]
        assert view.met_bonus[k] == pytest.approx(sum(view.bonus[k].ravel()[row] for row in rows), abs=1e-11)
        for t, row in zip(range(start, end), rows, strict=True):
            visits[row] += 1
            seen[row, run.successors[t]] += 1
    np.testing.assert_array_equal(run.transitions(), seen)
    assert run.regret == pytest.approx(float(view.gap @ view.played), abs=1e-11)


@quickly
@given(DiscountedRecipe.strategy(), st.sampled_from([1.0, 4.0]))
def test_epochs_of_regression_against_loops(recipe: DiscountedRecipe, ridge: float) -> None:
    instance = replace(recipe, ridge=ridge).build()
    public = instance.public
    (view,), run = play(MixtureRaviUCB, instance, seed=1)
    gram, moment = public.ridge * np.eye(public.d), np.zeros(public.d)
    ends = [*run.plans[1:], len(run.states)]
    for k, (start, end) in enumerate(zip(run.plans, ends, strict=True)):
        V = view.V[k]
        phi = np.einsum("xyi,y->xi", public.psi, V)
        np.testing.assert_allclose(view.mixture.phi[k], phi, atol=1e-13)
        np.testing.assert_allclose(view.mixture.gram[k], gram, atol=1e-11)
        np.testing.assert_allclose(view.mixture.theta[k], np.linalg.pinv(gram) @ moment, atol=1e-10)
        lengths = [np.sqrt(max(f @ np.linalg.pinv(gram) @ f, 0.0)) for f in phi]
        np.testing.assert_allclose(view.estimates.norm[k].ravel(), lengths, atol=1e-9)
        np.testing.assert_allclose(view.PV[k].ravel(), instance.truth.P @ V, atol=1e-13)
        potential = 0.0
        for t in range(start, end):
            x = run.states[t] * public.A + run.actions[t]
            potential += np.log1p((end - start) * lengths[x] ** 2) / (end - start)
            gram = gram + np.outer(phi[x], phi[x])
            moment = moment + phi[x] * V[run.successors[t]]
        assert view.potential[k] == pytest.approx(potential, abs=1e-9)
    assert view.mixture.log_det[-1] == pytest.approx(np.linalg.slogdet(gram)[1], abs=1e-9)
    np.testing.assert_allclose(view.mixture.grams[-1], gram, atol=1e-11)


@pytest.mark.parametrize("algorithm", BOTH)
def test_one_step_of_planning_ahead_is_the_next_plan(algorithm: type[Algorithm]) -> None:
    (view,), _ = play(algorithm, example())
    np.testing.assert_allclose(view.next_V[:-1], view.V[1:], atol=1e-11)
    np.testing.assert_allclose(view.next_policy[:-1], view.policy[1:], atol=1e-13)
    np.testing.assert_allclose(view.next_mu[:-1], view.mu[1:], atol=1e-13)
    np.testing.assert_array_equal(view.previous_Q[1:], view.Q[:-1])
    np.testing.assert_array_equal(view.previous_Q[0], 0.0)
    np.testing.assert_allclose(view.previous_log_policy[0], np.log(0.5))


def test_occupancies_one_plan_ahead_are_solved_for_when_the_plans_disagree_with_it() -> None:
    (view,), _ = play(TabularRaviUCB, example())
    other = at(view.log_policy, (7, 1), np.log([0.9, 0.1]))
    tampered = changed(view, plans={**view.plans, "log_policy": other})
    expected = [occupancy(view.instance, policy).sum(axis=1) for policy in tampered.next_policy]
    np.testing.assert_allclose(tampered.next_nu, expected, atol=1e-12)
    np.testing.assert_allclose(view.next_nu[:-1], view.nu[1:], atol=solver.rounding(3, 0.8))


@pytest.mark.parametrize("algorithm", BOTH)
def test_relative_entropies_of_occupancies_by_their_definition(algorithm: type[Algorithm]) -> None:
    (view,), _ = play(algorithm, example())
    direct = (view.next_mu * np.log(view.next_mu / view.mu)).sum(axis=(1, 2))
    np.testing.assert_allclose(view.occupancy_entropy, direct, atol=1e-12)
