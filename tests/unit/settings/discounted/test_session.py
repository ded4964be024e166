"""The harness's side of a run: what it derives, how it cuts the run into batches, and what it refuses."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from verifier import Algorithm
from verifier.errors import ContractError
from verifier.measurement import Measurement, measure
from verifier.regime import Regime
from verifier.settings.discounted import DiscountedPlan, Epochs, Instance, Run, edges, families, solver
from verifier.settings.discounted.epochs import MIXTURE_SUMS, SUMS
from verifier.settings.discounted.planning import log
from verifier.settings.discounted.strategies import DiscountedRecipe, instances
from verifier.trial import claims_in
from verifier_ravi_ucb.mixture import MixtureRaviUCB
from verifier_ravi_ucb.tabular import TabularRaviUCB

from ..runs import generator
from .runs import at, changed, play, session, stream

BOTH = [TabularRaviUCB, MixtureRaviUCB]
quickly = settings(max_examples=25, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def example(T: int = 60, gamma: float = 0.8) -> Instance:
    return families.mixture(generator(4), X=3, A=2, d=2, gamma=gamma, T=T)


def occupancy(instance: Instance, policy: np.ndarray) -> np.ndarray:
    """mu^pi by the power series of the flow, to rounding."""
    P, gamma = instance.truth.P, instance.public.gamma
    kernel = np.einsum("xa,xay->xy", policy, P.reshape(*policy.shape, -1))
    nu, term = np.zeros(len(kernel)), (1 - gamma) * instance.truth.start
    for _ in range(int(np.ceil(-40 / np.log(gamma)))):
        nu, term = nu + term, gamma * term @ kernel
    return nu[:, None] * policy


# What the session derives, against slow loops written from the formulas -------------------------------------------------


@quickly
@given(instances())
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
        assert view.closed[k] == (run.resets[end - 1] and end <= public.T)
        rows = [run.states[t] * public.A + run.actions[t] for t in range(start, end)]
        assert view.met_bonus[k] == pytest.approx(sum(view.bonus[k].ravel()[row] for row in rows), abs=1e-11)
        for t, row in zip(range(start, end), rows, strict=True):
            visits[row] += 1
            seen[row, run.successors[t]] += 1
    np.testing.assert_array_equal(run.transitions(), seen)
    assert run.regret == pytest.approx(float(view.gap @ view.played), abs=1e-11)


@quickly
@given(instances(ridges=(1.0, 4.0)))
def test_epochs_of_regression_against_loops(recipe: DiscountedRecipe) -> None:
    instance = recipe.build()
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


# Batches ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", BOTH)
@pytest.mark.parametrize("regime", ["oracle", "scaled(0.03)", "oracle[bonus=exact]"])
def test_nothing_depends_on_where_the_run_is_cut(algorithm: type[Algorithm], regime: str) -> None:
    """Sums and all measurements agree to rounding, and the transcript exactly, for batches of 1, 2, 7 and all epochs."""
    instance, claims = example(T=200), claims_in(algorithm, Regime.parse(regime))
    found: list[dict[str, Measurement]] = []
    runs: list[Run] = []
    for batch in (10**6, 1, 2, 7):
        views, run = play(algorithm, instance, regime, batch=batch)
        assert max(view.count for view in views) == min(batch, run.epochs)
        assert [view.is_last for view in views] == [False] * (len(views) - 1) + [True]
        assert np.concatenate([view.number for view in views]).tolist() == list(range(1, run.epochs + 1))
        merged = {}
        for claim in claims:
            total = Measurement()
            for view in views if claim.property.scope == "phase" else [run]:
                with np.errstate(all="ignore"):
                    total = total.merge(measure(claim.property(view)))
            merged[claim.name] = total
        found.append(merged)
        runs.append(run)
    for run in runs[1:]:
        np.testing.assert_array_equal(run.states, runs[0].states)
        np.testing.assert_array_equal(run.resets, runs[0].resets)
        assert run.sums.keys() == runs[0].sums.keys() == {*SUMS, *(MIXTURE_SUMS if algorithm is MixtureRaviUCB else ())}
        for name, total in runs[0].sums.items():
            np.testing.assert_allclose(run.sums[name], total, rtol=1e-9, atol=1e-9, err_msg=name)
    for other in found[1:]:
        for name, expected in found[0].items():
            for field in ("comparisons", "powered", "violations", "excluded"):
                assert getattr(other[name], field) == getattr(expected, field), (name, field)
            for field in ("margin", "excess"):  # which of several equal ratios is the worst place, rounding decides
                left, right = getattr(other[name], field), getattr(expected, field)
                assert left == pytest.approx(right, abs=1e-9, rel=1e-7, nan_ok=True), (name, field)


def test_memory_grows_with_the_transcript_only() -> None:
    """Per step three references, and per epoch two references and two integers, with a quarter to spare in the lists: below 200
    bytes. The five tables of a plan alone have 8 * 5 * X * A = 800 bytes.
    """
    instance = families.random(generator(0), X=5, A=4, gamma=0.1, T=6000)
    opened = session(instance, TabularRaviUCB, batch=64)
    held: list[tuple[int, int]] = []
    tracemalloc.start()
    try:
        for view in stream(opened, TabularRaviUCB, instance, "published"):
            if isinstance(view, Epochs):
                view.after()
                held.append((len(opened._transcript), tracemalloc.get_traced_memory()[0]))
    finally:
        tracemalloc.stop()
    (steps, first), (all_steps, last) = held[len(held) // 3], held[-2]
    assert all_steps - steps > 3000
    assert (last - first) / (all_steps - steps) < 200


# The oracle ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", BOTH)
def test_the_oracle_width_is_the_least_with_which_eq_2_holds(algorithm: type[Algorithm]) -> None:
    for instance in (example(), families.path_mixture(X=4, gamma=0.8, T=40), edges.small(generator(2), gamma=0.01, T=20)):
        (view,), _ = play(algorithm, instance, "oracle", batch=10**6)
        error = instance.public.gamma * np.abs(view.PV - view.estimates.mean)
        norm = view.estimates.norm
        ratio = np.where(norm > 0, error / np.where(norm > 0, norm, 1.0), 0.0)
        np.testing.assert_allclose(view.width, ratio.max(axis=(1, 2)), rtol=1e-7, atol=2e-9)
        assert view.valid.all()


@pytest.mark.parametrize("algorithm", BOTH)
def test_the_oracle_is_the_same_whatever_the_batches(algorithm: type[Algorithm]) -> None:
    widths = [np.concatenate([view.width for view in play(algorithm, example(), "oracle", batch=b)[0]]) for b in (10**6, 1, 5)]
    np.testing.assert_allclose(widths[1], widths[0], rtol=1e-9)
    np.testing.assert_allclose(widths[2], widths[0], rtol=1e-9)


def test_the_oracle_refuses_what_it_cannot_answer() -> None:
    opened = session(example(), TabularRaviUCB)
    assert opened.oracle("transition", 0, np.ones(3)) == pytest.approx(0.8, rel=1e-8)  # nothing seen: g |0 - 1|, N = 1
    np.testing.assert_allclose(opened.realised_error("transition", 0, np.ones(3)), -1.0)
    with pytest.raises(ContractError, match="width of 'reward' was asked for; expected 'transition'"):
        opened.oracle("reward", 0, np.ones(3))
    for bad in (np.ones(2), np.ones((3, 1)), np.full(3, np.nan)):
        with pytest.raises(ContractError, match=r"value function of shape .*, expected \(3,\), finite"):
            opened.oracle("transition", 0, bad)


def test_exact_options_report_no_width() -> None:
    for option in ("bonus", "model"):
        (view,), run = play(TabularRaviUCB, example(), f"oracle[{option}=exact]")
        assert not view.asked.any()
        assert np.isnan(run.width)
        np.testing.assert_array_equal(view.handed, view.V)
    assert (view.bonus == 0).all()
    np.testing.assert_allclose(view.estimate, view.PV, atol=1e-13)


# Ends of runs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", BOTH)
@pytest.mark.parametrize(("T", "gamma"), [(1, 0.8), (1, 0.01), (2, 0.5), (20, 0.99), (60, 0.8)])
def test_runs_end_at_T_plus(algorithm: type[Algorithm], T: int, gamma: float) -> None:
    padded, closed = 0, 0
    for seed in range(12):
        views, run = play(algorithm, example(T, gamma), "published", seed, batch=3)
        n = len(run.states)
        assert n == T + run.padding == len(run.actions) == len(run.successors) == len(run.resets)
        assert run.resets[-1]
        assert not run.resets[T - 1 : -1].any()
        assert run.lengths.sum() == n
        assert (np.flatnonzero(run.resets) + 1).tolist() == [*run.plans[1:], n]
        last = views[-1]
        assert last.closed[-1] == (run.padding == 0)
        assert sum(int(view.played.sum()) for view in views) == T
        for t, following in pairwise(range(n)):
            assert run.resets[t] or run.states[following] == run.successors[t]
        padded += run.padding > 0
        closed += run.padding == 0
    if 0.3 < gamma < 0.9:  # both ends are met in 12 runs but with probability 2e-1 at most for each; the seeds are fixed
        assert padded > 0
        assert closed > 0


# The protocol -------------------------------------------------------------------------------------------------------------


def scripted(letters: str, change: Callable[[DiscountedPlan], Any] | None = None, when: int = 1) -> type[TabularRaviUCB]:
    """A run that does what the letters say: plan, plan without a width, step, reset. Plan number `when` is changed."""

    class Scripted(TabularRaviUCB):
        def run(self, env: Any) -> Iterator[DiscountedPlan]:
            log_policy, Q, eta, k = log(self.public.initial_policy), self.initial_Q(), self.learning_rate(), 0
            for letter in letters:
                if letter in "pw":
                    k += 1
                    V, log_policy = self.improve(log_policy, Q, eta)
                    estimate = self.estimate(V)
                    bonus = self.bonus(V) if letter == "p" else 0.0 * estimate
                    Q = self.backup(estimate, bonus)
                    plan = DiscountedPlan(log_policy, V, estimate, bonus, Q, eta, **self.reported())
                    yield change(plan) if change is not None and k == when else plan
                elif letter == "s":
                    env.step(0)
                elif letter == "r":
                    env.reset()

    return Scripted


PROTOCOL = [
    ("psrpsrps", ""),
    ("psss", ""),
    ("psspsr", ""),
    ("sss", "no plan was yielded; yield a plan before the first step"),
    ("spss", "the first plan came after 1 steps; yield a plan before the first step"),
    ("ppsss", "no step was played in epoch 1; an epoch has at least one"),
    ("psppss", "no step was played in epoch 2"),
    ("pss", r"run\(\) ended after 2 of T = 3 steps; play all of them"),
    ("", r"run\(\) ended after 0 of T = 3 steps"),
    ("pssss", "step 4, but the run has T = 3"),
    ("psssp", "a plan was yielded after the last step T = 3"),
    ("psssrp", "a plan was yielded after the last step T = 3"),
    ("wsss", r"epoch 1: the algorithm did not ask for the width; call self.width\(0, V\)"),
    ("psrwss", "epoch 2: the algorithm did not ask for the width"),
    ("prsss", "reset called before the first step"),
    ("psrrss", "twice without a step between, after 1 steps"),
]


@pytest.mark.parametrize("regime", ["oracle", "published"])
@pytest.mark.parametrize("batch", [1, 10**6])
@pytest.mark.parametrize(("letters", "message"), PROTOCOL)
def test_the_protocol(letters: str, message: str, batch: int, regime: str) -> None:
    if message:
        with pytest.raises(ContractError, match=message):
            play(scripted(letters), example(T=3), regime, batch=batch)
    else:
        _, run = play(scripted(letters), example(T=3), regime, batch=batch)
        assert run.epochs == letters.count("p")


BAD_PLANS: dict[str, tuple[Callable[[DiscountedPlan], Any], str]] = {
    "not a plan": (lambda plan: 3, "got int, expected DiscountedPlan; build one in `run`"),
    "nan": (lambda plan: replace(plan, Q=at(plan.Q, (1, 0), np.nan)), r"field `Q` is nan at \(1, 0\), expected a finite"),
    "infinite": (lambda plan: replace(plan, V=at(plan.V, 2, np.inf)), r"field `V` is inf at \(2,\)"),
    "log of more than everything": (
        lambda plan: replace(plan, log_policy=at(plan.log_policy, (0, 1), np.inf)),
        r"field `log_policy` is inf at \(0, 1\)",
    ),
    "log that is no number": (
        lambda plan: replace(plan, log_policy=at(plan.log_policy, (0, 1), np.nan)),
        r"field `log_policy` is nan at \(0, 1\)",
    ),
    "missing": (lambda plan: replace(plan, visits=None), r"field `visits` is None, but the algorithm has to yield it"),
    "missing always": (lambda plan: replace(plan, bonus=None), "field `bonus` is None"),
    "shape": (lambda plan: replace(plan, bonus=plan.bonus[1:]), r"of shape \(2, 2\), expected an array of shape \(3, 2\)"),
    "flat": (lambda plan: replace(plan, estimate=plan.estimate.ravel()), r"shape \(6,\), expected an array of shape \(3, 2\)"),
    "list": (lambda plan: replace(plan, V=plan.V.tolist()), r"field `V` is a list of shape \(3,\), expected an array"),
    "complex": (lambda plan: replace(plan, Q=plan.Q * 1j), "field `Q` has dtype complex128"),
    "bool": (lambda plan: replace(plan, bonus=plan.bonus > 0), "field `bonus` has dtype bool"),
    "text": (lambda plan: replace(plan, eta="fast"), r"field `eta` is a str of shape \(\)"),
    "several rates": (lambda plan: replace(plan, eta=np.ones(2)), r"field `eta` is a ndarray of shape \(2,\)"),
    "no rate": (lambda plan: replace(plan, eta=0.0), r"field `eta` is 0.0, expected a positive number"),
    "negative rate": (lambda plan: replace(plan, eta=-0.1), r"field `eta` is -0.1, expected a positive number"),
}


@pytest.mark.parametrize("name", BAD_PLANS)
@pytest.mark.parametrize("when", [1, 3])
def test_bad_plans_are_refused(name: str, when: int) -> None:
    change, message = BAD_PLANS[name]
    with pytest.raises(ContractError, match=message) as caught:
        play(scripted("psrpsrps", change, when), example(T=3), "published")
    assert f"plan of epoch {when}:" in str(caught.value)


@pytest.mark.parametrize("eta", [np.float64(0.5), np.float32(0.5), np.array(0.5), 1])
def test_the_rate_may_be_any_sort_of_number(eta: Any) -> None:
    _, run = play(scripted("psss", lambda plan: replace(plan, eta=eta)), example(T=3), "published")
    assert run.eta == eta


def test_plans_may_exclude_actions_and_come_in_integers() -> None:
    def change(plan: DiscountedPlan) -> DiscountedPlan:
        return replace(plan, log_policy=np.tile([0.0, -np.inf], (3, 1)), visits=plan.visits.astype(int))

    (view,), _ = play(scripted("psss", change), example(T=3), "published")
    assert np.isfinite(view.gap).all()
    assert (view.plans["visits"] == 1).all()


def test_unknown_fields_cannot_be_declared() -> None:
    class Other(TabularRaviUCB):
        yields = frozenset({"visit", "gram"})

    with pytest.raises(ContractError, match="`yields` names visit; a plan's optional fields are visits, gram, theta"):
        session(example(), Other)


def test_a_width_asked_with_no_value_function_is_refused() -> None:
    class Asks(TabularRaviUCB):
        def bonus(self, V: np.ndarray) -> np.ndarray:
            return self.width(0, V[:2]) * self.norm(V)

    for regime in ("oracle", "published"):
        with pytest.raises(ContractError, match=r"value function of shape \(2,\), expected \(3,\), finite"):
            play(Asks, example(), regime)


def test_plans_are_copied_when_they_are_yielded() -> None:
    class Scribbler(TabularRaviUCB):
        def run(self, env: Any) -> Iterator[DiscountedPlan]:
            for plan in super().run(env):
                yield plan
                plan.bonus[:] = -1.0

    (view,), _ = play(Scribbler, example())
    assert (view.bonus >= 0).all()
    assert not view.bonus.flags.writeable


def test_runs_with_the_same_seeds_are_the_same() -> None:
    instance = example()
    digests = []
    for seed in (0, 0, 1):
        opened = session(instance, MixtureRaviUCB, seed)
        list(stream(opened, MixtureRaviUCB, instance, "oracle"))
        digests.append(opened.digest())
    assert digests[0] == digests[1] != digests[2]
