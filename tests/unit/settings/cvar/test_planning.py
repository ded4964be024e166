"""The planning setting: what its views derive, that the statements about CVaR-LSVI hold, and that they can fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.base.seeds import stream
from verifier.model.setting import Seeds
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_settings.cvar import augmented, regression
from verifier_settings.cvar.planning import PLANNING, Answer, Instance, PlanningEnvironment, Round, Rounds, Run, make
from verifier_settings.cvar.planning.catalogue import random, saturated

from .runs import generator, play

SIZES: dict[str, Any] = {"S": 3, "A": 2, "d": 2, "H": 3, "m": 3, "T1": 25, "T2": 30}
SLACK = 1e-10


def small(seed: int = 0, **sizes: Any) -> Instance:
    return random(generator(seed), **{**SIZES, "bonus": 0.8, **sizes})


def planned(
    instance: Instance, regime: str = "oracle", algorithm: type[Algorithm] = CVaRLSVI, batch: int | None = None
) -> tuple[list[Rounds], Run]:
    return play(algorithm, instance, regime, setting=PLANNING)


def test_the_backup_is_linear_in_the_product_features() -> None:
    instance = small(q=2)
    public, rng = instance.public, generator(1)
    V = rng.random((public.S, public.grid.N + 1))
    for h in range(public.H):
        P = public.P[h] if h < public.H - 1 else None
        V_next = V if P is not None else np.broadcast_to(V[:1], V.shape)
        exact = augmented.backup(V_next, P, public.reward[h], public.grid)
        theta = regression.parameter(public.psi, V_next, h, public.grid)
        np.testing.assert_allclose(public.features[h] @ theta, exact, atol=1e-13)
    assert instance.feature_norm.max() <= 1 + 1e-12


def test_views_against_loops() -> None:
    """Regression, Gram matrices and noise recomputed transition by transition."""
    instance = small(3, T1=12)
    public, grid = instance.public, instance.public.grid
    episodes: list[Any] = []

    class Recorder(CVaRLSVI):
        def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
            original = env.trajectory
            env.trajectory = lambda policy: episodes.append(original(policy)) or episodes[-1]  # type: ignore[method-assign, func-returns-value]  # to look at the episodes
            yield from super().run(env)

    (view,), _ = planned(instance, algorithm=Recorder)
    for p, plan in enumerate(view.plans):
        for h in range(public.H):
            gram = np.eye(public.D)
            sums, noise = np.zeros((2, public.D, grid.N + 1))
            for episode in episodes[:p]:
                s, a, j = episode.states[0, h], episode.actions[0, h], episode.rewards[0, h]
                following = episode.states[0, h + 1] if h < public.H - 1 else 0
                x = s * public.A + a
                phi = public.features[h, x]
                value = np.array([plan.V[h + 1, following, max(i - j, 0)] for i in range(grid.N + 1)])
                gram += np.outer(phi, phi)
                sums += np.outer(phi, value)
                noise += np.outer(phi, value - view.backup[p, h, x])
            np.testing.assert_allclose(view.gram_replay[p, h], gram, atol=1e-12)
            np.testing.assert_allclose(view.w_replay[p, h], np.linalg.inv(gram) @ sums, atol=1e-10)
            norms = [np.sqrt(v @ np.linalg.inv(gram) @ v) for v in noise.T]
            np.testing.assert_allclose(view.noise_norm[p, h], norms, atol=1e-7)
            seen = [public.features[h, e.states[0, h] * public.A + e.actions[0, h]] for e in episodes[:p]]
            total = sum(float(phi @ np.linalg.inv(gram) @ phi) for phi in seen)
            assert view.potential[p, h] == pytest.approx(total, abs=1e-12)
            assert view.trace[p, h] == pytest.approx(total, abs=1e-10)


def statements(view: Rounds) -> dict[str, float]:
    """Worst slack of each statement that holds on every run at the oracle width."""
    public, H = view.public, view.public.H
    width = view.width[:, :, None, None]
    norm = view.norm[..., None]
    clipped = np.clip(view.Q_replay, min(-float(H), -float(public.bonus.max(axis=1).sum())), H)
    return {
        "regression": -float(np.abs(view.w - view.w_replay).max()),
        "gram": -float(np.abs(view.gram - view.gram_replay).max()),
        "formula": -float(np.abs(view.Q - clipped).max()),
        "values": -float(np.abs(view.V[:, :-1] - view.Q.min(axis=3)).max()),
        "greedy": -float((np.take_along_axis(view.Q, view.policy[:, :, :, None], axis=3)[:, :, :, 0] - view.V[:, :-1]).max()),
        "handed": -float(np.abs(view.handed - view.V[:, 1:]).max()),
        "event": float((view.width - view.error_norm.max(axis=2)).min()),
        "xi": float((width * norm - np.abs(view.xi)).min()),
        "optimism": float((view.instance.truth.V - view.V).min()),
        "regret": float(view.regret.min()),
        "noise": float((view.width + np.sqrt(public.D) * (H + 2 * H * H) - view.noise_norm.max(axis=2)).min()),
        "potential": public.D - float(view.trace.max()),
    }


@pytest.mark.parametrize("name", [scenario.name for scenario in PLANNING.catalogue if scenario.name not in ("plain-model",)])
def test_statements_hold(name: str) -> None:
    scenario = PLANNING.scenario(name)
    assert scenario is not None
    views, run = planned(scenario.build(stream(0, "instance", name)))
    for view in views:
        assert {key: slack for key, slack in statements(view).items() if slack < -SLACK} == {}
    growth = 2 * run.log_det
    assert (run.elliptical <= growth + SLACK).all()
    T1, T2 = run.public.T1, run.public.T2
    assert list(run.simulated) == [T1, T1 * T2]
    assert run.returned_value >= run.optimum - SLACK
    assert run.answer.estimates[run.answer.chosen] == run.answer.value == run.answer.estimates.min()
    assert all(isinstance(v, (int, float, str)) for v in PLANNING.parameters(run.instance).values())


def test_monte_carlo_estimates_are_near_their_means() -> None:
    """Hoeffding at 1e-6 for each of 25 rounds: P(false alarm) < 1e-4, and the seed is fixed."""
    instance = small(4, T2=400)
    _, run = planned(instance)
    spread = instance.public.H + float(instance.public.bonus.max(axis=1).sum())
    allowed = spread * np.sqrt(np.log(2 / 1e-6) / (2 * 400))
    errors = np.abs(run.answer.estimates - run.series.value)
    assert errors.max() <= allowed
    assert errors.max() > 0


def test_the_printed_lower_clip_is_not_optimistic() -> None:
    """Bonuses of 2 in six of eight steps make V* = -12; a clip at -8 stays 4 above it, for every beta."""
    instance = saturated(generator(0), T1=20)
    assert instance.truth.V[0, 0, 0] == pytest.approx(-12.0)
    for regime, excess in (("oracle", 0.0), ("oracle[clip=printed]", 4.0), ("published[clip=printed]", 4.0)):
        views, _ = planned(instance, regime)
        worst = max(float((view.V - instance.truth.V).max()) for view in views)
        assert worst == pytest.approx(excess, abs=1e-9)


class Upward(CVaRLSVI):
    """The width added instead of subtracted."""

    def beta(self, h: int, V_next: Array) -> float:
        return -super().beta(h, V_next)


class Careless(CVaRLSVI):
    """Width half of what was handed out."""

    def beta(self, h: int, V_next: Array) -> float:
        return super().beta(h, V_next) / 2


class Greedy(CVaRLSVI):
    """Returns the largest estimate."""

    def best(self, estimates: Array) -> int:
        return int(estimates.argmax())


def test_planted_bugs_are_seen() -> None:
    instance = small(5, T1=40)
    views, _ = planned(instance, algorithm=Upward)
    worst = [statements(view) for view in views]
    assert min(w["optimism"] for w in worst) < -0.1
    assert min(w["formula"] for w in worst) < -0.1
    views, _ = planned(instance, algorithm=Careless)
    assert min(statements(view)["formula"] for view in views) < -0.1
    _, run = planned(instance, algorithm=Greedy)
    assert run.answer.value > run.answer.estimates.min()


def test_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = small(6)
    (whole,), run = planned(instance)
    monkeypatch.setattr("verifier_settings.cvar.planning.session.BATCH", 7)
    parts, again = planned(instance)
    assert [len(view.plans) for view in parts] == [7, 7, 7, 4]
    for name in ("t", "norm", "value", "simulated"):  # equal but for rounding: sums of few terms, in products of other sizes
        parted = np.concatenate([getattr(view, name) for view in parts])
        np.testing.assert_allclose(parted, getattr(whole, name), rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.elliptical, again.elliptical, atol=1e-13)
    np.testing.assert_allclose(run.log_det, again.log_det, atol=1e-13)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"w": np.zeros((3, 8, 9))}, r"field `w` has shape \(3, 8, 9\)"),
        ({"policy": np.full((3, 3, 10), 2)}, r"outside 0\.\.1"),
        ({"Q": np.full((3, 3, 2, 10), np.nan)}, "expected a finite number"),
    ],
)
def test_a_round_that_is_none_is_refused(change: dict[str, Any], words: str) -> None:
    class Odd(CVaRLSVI):
        def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
            for plan in super().run(env):
                assert isinstance(plan, Round)
                yield replace(plan, **change)

    with pytest.raises(ContractError, match=f"round 1: .*{words}"):
        planned(small(), algorithm=Odd)


def test_a_run_that_breaks_the_contract_is_told_how() -> None:
    class Twice(CVaRLSVI):
        def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
            plan = self.regression.plan()
            yield plan
            yield plan

    class Mute(CVaRLSVI):
        def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
            yield from list(super().run(env))[:0]

    class Endless(CVaRLSVI):
        def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
            for plan in super().run(env):
                yield plan
            yield plan

    class Unfinished(CVaRLSVI):
        def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
            for plan in super().run(env):
                yield plan if isinstance(plan, Round) else self.regression.plan()

    class Silent(CVaRLSVI):
        def beta(self, h: int, V_next: Array) -> float:
            return 0.0

    class Blind(CVaRLSVI):
        def beta(self, h: int, V_next: Array) -> float:
            return self.width(h, of="planning")

    for algorithm, words in (
        (Twice, "0 planning episodes were simulated in 1 rounds"),
        (Mute, "ended after 0 of T1 = 25 rounds"),
        (Endless, "after the answer"),
        (Unfinished, "got Round, expected Answer"),
        (Silent, "did not ask for the width of step h=1"),
        (Blind, "handed a value function of shape"),
    ):
        with pytest.raises(ContractError, match=words):
            planned(small(), "oracle" if algorithm is not Silent else "published", algorithm)


def test_what_does_not_fit_is_refused() -> None:
    public = small().public
    good: dict[str, Any] = {"phi": public.phi, "psi": public.psi, "reward": public.reward, "A": 2}
    make(**good)
    for wrong, words in (
        ({"A": 3}, "do not fit A = 3"),
        ({"bonus": np.zeros((2, 6))}, "bonus"),
        ({"budget": 10}, "budget 10"),
        ({"m": 4}, "expected m = 3"),
        ({"T1": 0}, "T1 = 0"),
    ):
        with pytest.raises(ContractError, match=words):
            make(**{**good, **wrong})


def test_digests_tell_runs_apart() -> None:
    digests = []
    for seed in (0, 0, 1):
        opened = PLANNING.session(small(), Seeds(*(generator(seed, i) for i in range(3))), frozenset())
        opened.environment.trajectory(opened._instance.truth.policy)
        digests.append(opened.digest())
    assert digests[0] == digests[1] != digests[2]
