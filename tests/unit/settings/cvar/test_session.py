from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.regime import Regime
from verifier.model.setting import Seeds
from verifier.trials.trial import make_width
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_settings.cvar import (
    CVAR,
    CVaREnvironment,
    CVaRPlan,
    CVaRSession,
    Instance,
    Iterations,
    augmented,
    edges,
    generators,
)
from verifier_settings.cvar.datasets import Datasets
from verifier_settings.cvar.session import least_scale

from .runs import deterministic, ela, generator, play, small_instances


def session(instance: Instance, algorithm: type[Algorithm] = ELA, seed: int = 0) -> CVaRSession:
    return CVAR.session(instance, Seeds(*(generator(seed, i) for i in range(3))), algorithm.yields)


# What the harness derives, against slow loops written from the formulas -------------------------------------------------


def loops(view: Iterations, run: Any) -> Iterator[tuple[int, dict[str, Array]]]:
    """Datasets, covariances and average occupancies of each iteration, from the transcript and single-policy solvers."""
    public, truth, grid = view.public, view.truth, view.grid
    H, S, A = public.H, public.S, public.A
    D, Dt = np.zeros((2, H - 1, public.X, S))
    occupancies = [augmented.masses(truth.P, view.reward, None, np.array(0), 0, grid, S).sum(axis=2)]
    for p, plan in enumerate(view.plans):
        for j in range(H):
            states, actions = run.states[p, j], run.actions[p, j]
            if j == 0 and H > 1:
                Dt[0, states[0] * A + actions[0], states[1]] += 1
            if j >= 1:
                D[j - 1, states[j - 1] * A + actions[j - 1], states[j]] += 1
            if 1 <= j < H - 1:
                Dt[j, states[j] * A + actions[j], states[j + 1]] += 1
        rho = np.mean(occupancies, axis=0)
        eta = np.zeros((H, S))
        eta[0, 0] = 1.0
        for h in range(1, H):
            for x in range(public.X):
                eta[h] += rho[h - 1].reshape(S, A).sum(axis=1)[x // A] / A * truth.P[h - 1, x]
        gram = np.zeros((H - 1, public.d, public.d))
        for h in range(H - 1):
            phi = public.phi[plan.models[h], h]
            gram[h] = public.ridge * np.eye(public.d)
            for x in range(public.X):
                gram[h] += D[h, x].sum() * np.outer(phi[x], phi[x])
        yield p, {"D": D.copy(), "Dt": Dt.copy(), "rho": rho, "eta": eta, "gram": gram}
        occupancies.append(augmented.masses(truth.P, view.reward, plan.policy, np.array(plan.budget), 0, grid, S).sum(axis=2))


@pytest.mark.full
@deterministic(15)
@given(small_instances(), st.sampled_from([ELA, ELLA]))
def test_views_against_loops(instance: Instance, algorithm: type[Algorithm]) -> None:
    (view,), run = play(algorithm, instance, "oracle", seed=1, batch=10**6)
    public, A = instance.public, instance.public.A
    for p, slow in loops(view, run):
        np.testing.assert_array_equal(view.seen.D[p], slow["D"])
        np.testing.assert_array_equal(view.seen.Dt[p], slow["Dt"])
        np.testing.assert_allclose(view.rho[p], slow["rho"], atol=1e-12)
        np.testing.assert_allclose(view.eta[p], slow["eta"], atol=1e-12)
        np.testing.assert_allclose(view.gram_replay[p], slow["gram"], atol=1e-10)
        np.testing.assert_allclose(view.gram[p], slow["gram"], atol=1e-10)
        state = slow["rho"].reshape(public.H, public.S, A).sum(axis=2)
        for h in range(public.H - 1):
            P = public.kernels[view.models[p, h], h]
            f = np.abs(P - instance.truth.P[h]).sum(axis=1)
            np.testing.assert_allclose(view.f[p, h], f, atol=1e-13)
            error = sum((state[h, s] + slow["eta"][h, s]) / A * f[s * A + a] ** 2 for s in range(public.S) for a in range(A))
            assert view.likelihood_error[p, h] == pytest.approx(error, abs=1e-12)
            inverse = np.linalg.inv(slow["gram"][h])
            norm = [np.sqrt(v @ inverse @ v) for v in public.phi[view.models[p, h], h]]
            np.testing.assert_allclose(view.norm[p, h], norm, atol=1e-12)
        assert (view.k[p], view.seen.trajectories[p]) == (p + 1, public.H)
        assert view.seen.D[p].sum() == view.seen.Dt[p].sum() == (p + 1) * (public.H - 1)


@pytest.mark.parametrize("algorithm", [ELA, ELLA])
def test_batches_do_not_matter(algorithm: type[Algorithm]) -> None:
    instance = edges.small(generator(2), m=3, q=2, H=4, K=7)
    one, whole = play(algorithm, instance, "oracle", batch=10**6)
    many, run = play(algorithm, instance, "oracle", batch=2)
    assert [len(view.plans) for view in many] == [2, 2, 2, 1]
    for name in ("rho", "eta", "gap", "norm_true", "k", "roll_in_action", "potential"):
        np.testing.assert_allclose(np.concatenate([getattr(v, name) for v in many]), getattr(one[0], name), atol=1e-14)
    for name in ("trajectories", "steps", "planner_calls", "mle_calls", "simulated"):
        together = np.concatenate([getattr(v.seen, name) for v in many])
        np.testing.assert_array_equal(together, getattr(one[0].seen, name))
    np.testing.assert_allclose(run.regret, whole.regret, atol=1e-14)
    assert run.average_gap == pytest.approx(whole.regret[-1] / 7)


def test_the_roll_in_is_replayed() -> None:
    """The harness follows pi^{k-1} and its budget itself; an algorithm that forgets to spend the budget is seen."""
    instance = edges.small(generator(3), H=4, m=2, K=30)
    view, _ = ela(instance)
    assert view.roll_in.sum() == 29 * 3  # 1 + 2 steps by policy in trajectories 3 and 4 of each iteration but the first
    assert np.array_equal(view.seen.actions[view.roll_in], view.roll_in_action[view.roll_in])

    class Spendthrift(ELA):
        def spend(self, budget: int, reward: float) -> int:
            return budget

    (view,), _ = play(Spendthrift, instance, "oracle", batch=10**6)
    assert not np.array_equal(view.seen.actions[view.roll_in], view.roll_in_action[view.roll_in])


# Oracle -----------------------------------------------------------------------------------------------------------------


@deterministic()
@given(st.lists(st.tuples(st.floats(0, 2), st.floats(0, 1)), min_size=1, max_size=6), st.floats(0.1, 5), st.floats(0, 5))
def test_the_least_scale_is_the_least(pairs: list[tuple[float, float]], cap: float, due: float) -> None:
    norm, weight = (np.array(column) for column in zip(*pairs, strict=True))
    norm[norm < 1e-3], weight[weight < 1e-3], due = 0.0, 0.0, due if due > 1e-3 else 0.0

    def paid(alpha: float) -> float:
        return float(np.minimum(alpha * norm, cap) @ weight)

    alpha = least_scale(norm, weight, cap, due)
    most = cap * weight[norm > 0].sum()
    assert paid(alpha) >= min(due, most) - 1e-9
    if alpha > 0:
        assert paid(alpha * (1 - 1e-6)) < min(due, most)


def test_the_oracle_is_the_least_width_that_pays_one_step_back() -> None:
    """At the oracle width the one-step-back inequality holds with next to no slack; at 0.99 of it it fails."""
    view, _ = ela(generators.random(generator(4), S=5, A=2, d=2, H=5, m=2, size=12, K=25, tau=0.3))
    due, paid = view.one_step_back
    assert (due <= paid + 1e-12).all()
    costs = due > 1e-6
    assert costs.sum() >= 10
    capped = np.minimum(0.99 * view.seen.width[:, :3, None] * view.norm[:, :3], 2.0 * view.public.H)
    less = (view.optimal_occupancy_model[:, :3] * capped).sum(axis=2)
    assert (less[costs] < due[costs]).all()
    np.testing.assert_allclose(paid[costs], due[costs], rtol=1e-6, atol=1e-7)


def test_the_oracle_does_not_believe_the_algorithm() -> None:
    """For every model the algorithm picks, and all it may say of it, the width is the same function of the transcript."""

    class Liar(ELA):
        def learn(self, env: CVaREnvironment, h: int) -> int:
            return (super().learn(env, h) + 1) % self.public.M

    instance = generators.random(generator(5), S=4, A=2, d=2, H=4, m=2, size=6, K=1, tau=0.3)
    (honest,), _ = play(ELA, instance)
    (liar,), _ = play(Liar, instance)
    assert (honest.models != liar.models).all()
    np.testing.assert_array_equal(honest.seen.width, liar.seen.width)


def test_the_planning_oracle_of_a_simulator() -> None:
    """Before anything was simulated w = 0 and Lambda = I: the error is the largest norm of theta."""
    instance = edges.small(generator(6), K=1)
    opened = session(instance, ELLA)
    with pytest.raises(ContractError, match=r"call env\.simulator"):
        opened.realised_error("planning", 0, np.zeros((3, 7)))
    opened.environment.simulator(np.array([0, 0]))
    V = np.ones((3, instance.public.coarse.N + 1))
    error = opened.realised_error("planning", 0, V)
    theta = np.repeat(instance.public.psi[0, 0].sum(axis=1), instance.public.coarse.n + 1)  # E[1] = sum phi psi r
    np.testing.assert_allclose(error, np.broadcast_to(-theta[:, None], error.shape), atol=1e-13)
    assert opened.oracle("planning", 0, V) == pytest.approx(np.linalg.norm(theta))
    with pytest.raises(ContractError, match="finite"):
        opened.oracle("planning", 0, V[:, 1:])


# Contract errors ---------------------------------------------------------------------------------------------------------


def run_of(algorithm: type[Algorithm], instance: Instance | None = None) -> None:
    play(algorithm, edges.small(generator(7), K=3) if instance is None else instance)


def test_a_run_that_breaks_the_contract_is_told_how() -> None:
    class Silent(ELA):
        def bonus(self, phi: Array, gram: Array, h: int) -> Array:
            return np.zeros(self.public.X)

    class Lazy(ELA):
        def run(self, env: CVaREnvironment) -> Iterator[CVaRPlan]:
            yield next(iter(super().run(env)))

    class Eager(ELA):
        def run(self, env: CVaREnvironment) -> Iterator[CVaRPlan]:
            for plan in super().run(env):
                yield plan
            yield plan

    class Curious(ELA):
        def bonus(self, phi: Array, gram: Array, h: int) -> Array:
            self.width(self.public.H - 2, of="bonus")
            return super().bonus(phi, gram, h)

    for algorithm, words in (
        (Silent, "did not ask for the width of step h=1"),
        (Lazy, "ended after 1 of K = 3 plans"),
        (Eager, "plan of iteration 4"),
        (Curious, r"expected of='bonus' at steps 0\.\.0"),
    ):
        with pytest.raises(ContractError, match=words):
            run_of(algorithm)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"models": np.array([0, 6])}, r"outside 0\.\.5"),
        ({"models": np.array([0.0, 1.0])}, "expected integers"),
        ({"gram": np.zeros((2, 2, 3))}, "expected \\(2, 2, 2\\)"),
        ({"bonus": np.full((3, 6), np.inf)}, "expected a finite number"),
        ({"bonus": np.full((3, 6), "x")}, "expected floating-point numbers"),
        ({"policy": np.full((3, 3, 7), 2)}, r"outside 0\.\.1"),
        ({"budget": 7}, r"outside 0\.\.6"),
        ({"V": None}, "has to yield it"),
    ],
)
def test_a_plan_that_is_none_is_refused(change: dict[str, Any], words: str) -> None:
    class Odd(ELA):
        def plan(self, env: CVaREnvironment) -> CVaRPlan:
            return replace(super().plan(env), **change)

    with pytest.raises(ContractError, match=f"plan of iteration 1: .*{words}"):
        run_of(Odd)


def test_something_else_than_a_plan_is_refused() -> None:
    class Odd(ELA):
        def run(self, env: CVaREnvironment) -> Iterator[CVaRPlan]:
            yield "plan"  # type: ignore[misc]  # what a plugin might do

    with pytest.raises(ContractError, match="got str, expected CVaRPlan"):
        run_of(Odd)


def test_plans_are_frozen_copies() -> None:
    kept = []

    class Keeper(ELA):
        def plan(self, env: CVaREnvironment) -> CVaRPlan:
            kept.append(super().plan(env))
            return kept[-1]

        def run(self, env: CVaREnvironment) -> Iterator[CVaRPlan]:
            for plan in super().run(env):
                yield plan
                plan.bonus[:] = 99.0

    (view,), _ = play(Keeper, edges.small(generator(7), K=3), batch=10**6)
    assert (view.bonus < 99).all()
    with pytest.raises(ValueError, match="read-only"):
        view.plans[0].bonus[:] = 0


def test_trajectories_that_are_broken_off_leave_their_data_out() -> None:
    public = edges.small(generator(0)).public
    data = Datasets(public)
    data.add([([0], [], []), ([0, 1], [1], [0]), ([0, 2, 1, -1], [0, 1, 1], [0, 0, 2]), ([0, 1], [0], [0])])
    assert data.D.sum() == 2  # the second and the third trajectory
    assert data.Dt.sum() == 0  # nothing was played there
    assert data.D[0, 1, 1] == data.D[1, 2 * 2 + 1, 1] == 1


# Digests -----------------------------------------------------------------------------------------------------------------


def test_digests_tell_runs_apart() -> None:
    digests = []
    for seed in (0, 0, 1):
        opened = session(edges.small(generator(8), K=4), seed=seed)
        width = make_width(ELA, Regime.parse("oracle"), opened, opened.environment.public)
        for plan in ELA(opened.environment.public, width).run(opened.environment):
            opened.observe(plan, width.take())
        opened.finish()
        digests.append(opened.digest())
    assert digests[0] == digests[1] != digests[2]
