from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from verifier import Algorithm
from verifier.base.errors import ContractError
from verifier.model.measurement import Measurement, measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_settings.lifelong import Instance, LifelongPlan, edges, generators
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ....installed import guaranteed
from ..forward import occupancy
from .runs import generator, play, session, small_instances


def example(**sizes: Any) -> Instance:
    return edges.small(generator(4), **sizes)


# What the session counts and derives, against slow loops written from the formulas ---------------------------------


@settings(max_examples=20, deadline=None)
@given(small_instances())
def test_phases_against_loops(instance: Instance) -> None:
    public, truth = instance.public, instance.truth
    (view,), run = play(UCBlvd, instance, seed=1)
    H, S, A, W = public.H, public.S, public.A, public.W
    for p, start in enumerate(view.start):
        plan = view.plans[p]
        V = np.zeros((H + 1, S, W))
        for h in range(H):
            for s in range(S):
                for w in range(W):
                    V[h, s, w] = min(max(plan.Q[h, s, a, w] for a in range(A)), H)
        np.testing.assert_allclose(view.V[p], V, atol=1e-13)
        for h in range(H):
            gram, noise, sums = public.ridge * np.eye(public.d), np.zeros((public.d, W)), np.zeros((public.d, W))
            for k in range(start):
                x = run.states[k, h] * A + run.actions[k, h]
                following = V[h + 1, run.states[k, h + 1]]
                gram += np.outer(public.phi[x], public.phi[x])
                sums += np.outer(public.phi[x], following)
                noise += np.outer(public.phi[x], following - truth.P[h, x] @ V[h + 1])
            estimate = np.linalg.inv(gram) @ sums
            theta = np.stack([sum(truth.mu[h][:, s] * V[h + 1, s, w] for s in range(S)) for w in range(W)], axis=1)
            np.testing.assert_allclose(view.gram_replay[p, h], gram, atol=1e-11)
            np.testing.assert_allclose(view.estimate_replay[p, h], estimate, atol=1e-10)
            np.testing.assert_allclose(view.parameter[p, h], theta, atol=1e-11)
            error = [np.sqrt((theta - estimate)[:, w] @ gram @ (theta - estimate)[:, w]) for w in range(W)]
            np.testing.assert_allclose(view.error_norm[p, h], error, atol=1e-9)
            noises = [np.sqrt(max(noise[:, w] @ np.linalg.inv(gram) @ noise[:, w], 0)) for w in range(W)]
            np.testing.assert_allclose(view.noise_norm[p, h], noises, atol=1e-9)
            backup = np.einsum("xs,sw->xw", truth.P[h], V[h + 1])
            np.testing.assert_allclose(view.PV[p, h], backup, atol=1e-12)
            lengths = [np.sqrt(f @ np.linalg.inv(gram) @ f) for f in public.phi]
            np.testing.assert_allclose(view.bonus[p, h], lengths, atol=1e-10)
            psi = public.psi.reshape(-1, public.dp)
            xi = np.linalg.lstsq(psi, backup.ravel())[0]
            assert view.completeness_residual[p, h] == pytest.approx(np.abs(psi @ xi - backup.ravel()).max(), abs=1e-10)
            assert view.completeness_norm[p, h] == pytest.approx(np.linalg.norm(xi), abs=1e-8)
            assert view.width[p, h] == pytest.approx(max(error[w] for w in plan.targets), abs=1e-8)
            assert view.event[p, h]
    assert view.complete.all() or instance.public.m < instance.public.W


@settings(max_examples=20, deadline=None)
@given(small_instances())
def test_runs_against_loops(instance: Instance) -> None:
    public, truth = instance.public, instance.truth
    (view,), run = play(UCBlvd, instance, seed=2)
    H, A, series = public.H, public.A, run.series
    gram = np.broadcast_to(public.ridge * np.eye(public.d), (H, public.d, public.d)).copy()
    for k in range(public.K):
        p = max(i for i, start in enumerate(run.plans) if start <= k)
        assert run.plan_in_force[k] == run.plans[p]
        w, plan = run.contexts[k], view.plans[p]
        policy = plan.policy[:, :, w]
        value = [(occupancy(truth.P, policy, s) * public.reward[:, :, w]).sum() for s in range(public.S)]
        start = run.states[k, 0]
        assert series.optimal[k] == truth.V[0, start, w]
        assert series.regret[k] == pytest.approx(truth.V[0, start, w] - value[start], abs=1e-11)
        lower = np.zeros((H + 1, public.S))
        for h in reversed(range(H)):
            for s in range(public.S):
                x = s * A + policy[h, s]
                lower[h, s] = public.reward[h, x, w] + truth.P[h, x] @ lower[h + 1]
        for h in range(H):
            s, a = run.states[k, h], run.actions[k, h]
            x, gap = s * A + a, view.V[p, :, :, w] - lower
            assert run.norm[k, h] ** 2 == pytest.approx(public.phi[x] @ np.linalg.inv(gram[h]) @ public.phi[x], abs=1e-11)
            assert run.log_det[k, h] == pytest.approx(np.linalg.slogdet(gram[h])[1], abs=1e-10)
            assert series.gap[k, h] == pytest.approx(gap[h, s], abs=1e-11)
            assert series.expected_gap[k, h] == pytest.approx(truth.P[h, x] @ gap[h + 1], abs=1e-11)
            assert series.bonus[k, h] == pytest.approx(view.bonus[p, h, x], abs=1e-13)
            assert series.reported_bonus[k, h] == pytest.approx(view.bonus[p, h, x], abs=1e-10)
            assert series.agrees[k, h] == (a == policy[h, s])
            gram[h] += np.outer(public.phi[x], public.phi[x])
    for h in range(H):
        assert run.log_det[public.K, h] == pytest.approx(np.linalg.slogdet(gram[h])[1], abs=1e-10)


@settings(max_examples=15, deadline=None)
@given(small_instances())
def test_log_det_grows_by_the_logarithm_of_one_plus_the_squared_norm(instance: Instance) -> None:
    _, run = play(UCBlvd, instance, seed=3)
    np.testing.assert_allclose(np.diff(run.log_det, axis=0), np.log1p(run.norm**2), atol=1e-10)


@settings(max_examples=15, deadline=None)
@given(small_instances())
def test_stale_norms_are_bounded_by_the_ratio_of_determinants(instance: Instance) -> None:
    """|x|_{B^-1}^2 / |x|_{A^-1}^2 <= det A / det B for A >= B: the lemma behind eq. (27)."""
    _, run = play(UCBlvd, instance, seed=4)
    growth = run.log_det[:-1] - run.log_det[run.plan_in_force]
    assert (run.series.bonus**2 <= np.exp(growth) * run.norm**2 * (1 + 1e-9)).all()


def test_blocks_of_the_gram_path_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    _, run = play(UCBlvd, example(K=25))
    features = run.public.phi[run.states[:, :-1] * run.public.A + run.actions]
    gram = np.cumsum(features[..., :, None] * features[..., None, :], axis=0) + run.public.ridge * np.eye(run.public.d)
    np.testing.assert_allclose(run.log_det[1:], np.linalg.slogdet(gram)[1], atol=1e-12)


@pytest.mark.parametrize("algorithm", [UCBlvd, LifelongLSVI])
@pytest.mark.parametrize("regime", ["published", "scaled(0.03)", "oracle"])
def test_the_size_of_a_batch_does_not_show(algorithm: type[Algorithm], regime: str) -> None:
    """Measurements merged from batches of one, two and 64 phases are those of all phases at once."""
    instance = example(K=45)
    merged: list[dict[str, Measurement]] = []
    for batch in (1, 2, 64, 10**6):
        phases, run = play(algorithm, instance, regime, batch=batch)
        found = {}
        for claim in claims_in(guaranteed(algorithm), Regime.parse(regime)):
            views = phases if claim.property.scope == "phase" else [run]
            total = Measurement()
            for view in views:
                total = total.merge(measure(claim.property(view)))
            found[claim.name] = total
        merged.append(found)
    for other in merged[1:]:
        for name, expected in merged[0].items():
            for field in ("comparisons", "powered", "violations", "excluded"):
                assert getattr(other[name], field) == getattr(expected, field), name
            sure = expected.value > 1e-9  # below, rounding decides which place is worst
            for field in ("margin", "excess", *(("value", "bound", "trivial", "tolerance") if sure else ())):
                left, right = getattr(other[name], field), getattr(expected, field)
                assert left == pytest.approx(right, abs=1e-11, rel=1e-9, nan_ok=True), name
            if sure:
                assert other[name].place == expected.place, name


# The oracle ---------------------------------------------------------------------------------------------------------


class _Spy(UCBlvd):
    """Compares the width it is handed with one computed from the history by another route."""

    def width_by_history(self, h: int, target: np.ndarray) -> float:
        public, rows = self.public, [(s * self.public.A + a, s2) for s, a, s2 in self.history[h]]
        gram = public.ridge * np.eye(public.d) + sum((np.outer(public.phi[x], public.phi[x]) for x, _ in rows), 0.0)
        worst = 0.0
        for j in range(target.shape[1]):
            b = sum((public.phi[x] * target[s2, j] for x, s2 in rows), np.zeros(public.d))
            error = np.linalg.pinv(gram) @ b - self.truth.mu[h] @ target[:, j]
            worst = max(worst, float(np.linalg.norm(np.linalg.cholesky(gram).T @ error)))
        return worst

    def run(self, env: Any) -> Iterator[LifelongPlan]:
        self.history: list[list[tuple[int, int, int]]] = [[] for _ in range(self.public.H)]
        given, self.compared = self.width, 0

        def width(h: int, target: np.ndarray) -> float:
            value = given(h, target)
            assert value == pytest.approx(self.width_by_history(h, target), rel=1e-7, abs=2e-9)
            type(self).compared_total += 1
            return value

        self.width = width
        yield from super().run(env)

    def learn(self, contexts: Any, states: Any, actions: Any, rewards: Any) -> None:
        for s, a in zip(states.tolist(), actions.tolist(), strict=True):
            for h in range(self.public.H):
                self.history[h].append((s[h], a[h], s[h + 1]))
        super().learn(contexts, states, actions, rewards)


def test_the_oracle_width_by_another_route() -> None:
    for instance in (example(K=30), edges.rank_deficient(generator(2)), edges.strong_ridge(generator(3))):
        spy = type("Spy", (_Spy,), {"truth": instance.truth, "compared_total": 0})
        play(spy, instance)
        assert spy.compared_total >= 3 * instance.public.H


def test_the_oracle_looks_at_its_own_transcript() -> None:
    """A wrong estimate buys no wider interval: the width depends on the value function and the transcript alone."""
    instance = example(K=20)
    opened = session(instance, UCBlvd)
    target = np.ones((instance.public.S, 2))
    before = opened.oracle("transition", 0, target)
    assert before == pytest.approx(np.linalg.norm(instance.truth.mu[0].sum(axis=1)), rel=1e-8)
    with pytest.raises(ContractError, match="reward-ish"):
        opened.oracle("reward-ish", 0, target)
    for bad in (np.ones(3), np.ones((2, 2)), np.full((instance.public.S, 1), np.nan)):
        with pytest.raises(ContractError, match="value function"):
            opened.oracle("transition", 0, bad)


# The protocol -------------------------------------------------------------------------------------------------------


def scripted(change: Any = None, when: int = 0) -> type[UCBlvd]:
    """UCBlvd that plans in every episode and changes its plan number `when`."""

    class Scripted(UCBlvd):
        def left(self, growth: np.ndarray) -> np.ndarray:
            return np.full_like(growth, -1.0)

        def plan(self) -> LifelongPlan:
            plan = super().plan()
            self.calls = getattr(self, "calls", -1) + 1
            return change(plan) if change is not None and self.calls == when else plan

    return Scripted


def few(plan: LifelongPlan) -> LifelongPlan:
    one = slice(0, 1)
    assert plan.theta is not None
    return replace(
        plan, contexts=plan.contexts[one], targets=plan.targets[one], Q=plan.Q[..., one], policy=plan.policy[..., one],
        estimate=plan.estimate[..., one], theta=plan.theta[..., one],
    )  # fmt: skip


BAD_PLANS = {
    "not a plan": (lambda plan: 3, "got int, expected LifelongPlan"),
    "nan": (lambda plan: replace(plan, Q=np.full_like(plan.Q, np.nan)), r"field `Q` is nan at \(0, 0, 0, 0\)"),
    "infinite": (lambda plan: replace(plan, xi=np.full_like(plan.xi, np.inf)), "field `xi` is inf"),
    "missing": (lambda plan: replace(plan, xi=None), "field `xi` is None"),
    "shape": (lambda plan: replace(plan, gram=plan.gram[1:]), "field `gram` has shape"),
    "float policy": (lambda plan: replace(plan, policy=plan.policy * 1.0), "field `policy` has dtype float64, expected integers"),
    "complex": (lambda plan: replace(plan, Q=plan.Q * 1j), "field `Q` has dtype complex128"),
    "bool": (lambda plan: replace(plan, xi=plan.xi > 0), "field `xi` has dtype bool"),
    "action": (lambda plan: replace(plan, policy=plan.policy + 7), "field `policy` has an entry outside"),
    "context": (lambda plan: replace(plan, contexts=plan.contexts + 1), "field `contexts` has an entry outside"),
    "target": (lambda plan: replace(plan, targets=plan.targets - 1), "field `targets` has an entry outside"),
    "scalar": (lambda plan: replace(plan, contexts=np.int64(0)), "field `contexts` has shape"),
    "empty": (lambda plan: replace(plan, targets=plan.targets[:0]), "field `targets` has shape"),
}


@pytest.mark.parametrize("name", BAD_PLANS)
@pytest.mark.parametrize("when", [0, 2])
def test_bad_plans_are_refused(name: str, when: int) -> None:
    change, message = BAD_PLANS[name]
    with pytest.raises(ContractError, match=message) as caught:
        play(scripted(change, when), example(K=5))
    assert f"episode {when + 1}" in str(caught.value)


def test_the_number_of_contexts_is_constant() -> None:
    with pytest.raises(ContractError, match=r"changed at episode 3|asked with a value function"):
        play(scripted(few, when=2), example(K=5))


def test_a_plan_that_does_not_serve_the_task_at_hand() -> None:
    def other(plan: LifelongPlan) -> LifelongPlan:
        return replace(plan, contexts=np.zeros_like(plan.contexts), targets=np.zeros_like(plan.targets))

    class AlwaysOther(UCBlvd):
        def plan(self) -> LifelongPlan:
            return other(super().plan())

    with pytest.raises(ContractError, match="gives no action values for it"):
        play(AlwaysOther, example(K=20))


def test_a_target_that_is_no_context() -> None:
    class Absent(LifelongLSVI):
        def plan(self, context: int) -> LifelongPlan:
            return replace(super().plan(context), targets=np.array([1 - context]))

    with pytest.raises(ContractError, match="a target is not among its contexts"):
        play(Absent, example(K=5))


def test_plans_are_copied_when_they_are_yielded() -> None:
    class Scribbler(UCBlvd):
        def play(self, env: Any, plan: LifelongPlan, *weight: Any) -> None:
            super().play(env, plan, *weight)
            plan.Q[:] = -1.0

    (view,), _ = play(Scribbler, example(K=10))
    assert (view.Q >= 0).all()


def protocol(steps: str) -> type[UCBlvd]:
    """A run that does what the letters say: begin, plan, yield, episode played."""

    class Scripted(UCBlvd):
        def run(self, env: Any) -> Iterator[LifelongPlan]:
            for letter in steps:
                if letter == "b":
                    env.begin_episode()
                elif letter == "p":
                    plan = self.plan()
                elif letter == "y":
                    yield plan
                elif letter == "e":
                    self.play(env, plan)
                elif letter == "s":
                    env.step(0)

    return Scripted


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("bpyebe", ""),
        ("pybe", "before begin_episode"),
        ("bpsyb", "in the middle of episode"),
        ("bpypy", "two plans were yielded at the start of episode 1"),
        ("bpye", "ended after 1 of K = 2 episodes"),
        ("bpebe", "no plan was yielded"),
        ("bpebye", "the width|first plan came at episode 2"),
        ("bpyebye", "did not ask for the width of step h=1"),
        ("bpyeebe", "episode"),
        ("bpyebebe", "K = 2"),
    ],
)
def test_the_protocol(steps: str, message: str) -> None:
    if message:
        with pytest.raises(ContractError, match=message):
            play(protocol(steps), example(K=2))
    else:
        play(protocol(steps), example(K=2))


def test_the_digest_tells_runs_apart() -> None:
    digests = set()
    for seed in (0, 0, 1):
        opened = session(example(K=3), UCBlvd, seed)
        for _ in range(3):
            opened.environment.begin_episode()
            for _ in range(3):
                opened.environment.step(0)
        digests.add(opened.digest())
    assert len(digests) == 2


def test_families_are_deterministic() -> None:
    one, two = (generators.onehot(generator(9), S=3, A=2, d=2, m=2, H=2, K=3) for _ in range(2))
    np.testing.assert_array_equal(one.truth.P, two.truth.P)
