"""MVP: models up to the last power of two, a bonus above a monotone one, and the constants of its regret."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodic import monotone_bonus as bonus
from verifier_properties.episodic.doubled_model import visit_sum_bound
from verifier_properties.episodic.doubled_replay import Steps, doubled
from verifier_reference.mvp.algorithm import MVP
from verifier_reference.shared import mvp as constants
from verifier_settings.episodic import Instance, Phases, Run, generators

from ....installed import guaranteed
from ...settings.episodic.runs import play, small, with_plans
from ...settings.lifelong.runs import generator

ORACLES = {"logarithm": bonus.LogarithmError}


def coins(K: int = 40) -> Instance:
    """Rewards of 0 or 1."""
    return generators.coins(generator(3), S=3, A=2, H=3, K=K)


def played(regime: str = "oracle", instance: Instance | None = None) -> tuple[Phases, Run]:
    (view,), run = play(MVP, instance or coins(), regime, oracles=ORACLES)
    return view, run


@pytest.mark.parametrize("regime", MVP.regimes)
def test_nothing_is_violated(regime: str) -> None:
    """Each event of a chance is of one run and fails with probability 0.1 at most; those of the seeds here hold."""
    for instance in (small(K=40), coins(), generators.arms(rewards=(0.0, 1.0), H=2, K=10), small(K=1)):
        views, run = play(MVP, instance, regime, batch=7, oracles=ORACLES)
        for claim in claims_in(guaranteed(MVP), Regime.parse(regime)):
            for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                found = measure(claim.property(view))
                assert found.holds, (claim.name, found)


WRONG: dict[str, tuple[str, dict[str, Callable[[Any], Any]]]] = {
    "visits": ("oracle", {"visits": lambda plan: 2 * plan.visits}),
    "kernel": ("oracle", {"kernel": lambda plan: 1.001 * plan.kernel}),
    "reward": ("oracle", {"reward": lambda plan: plan.reward + 0.001}),
    "bonus-formula": ("oracle", {"bonus": lambda plan: 0.999 * plan.bonus}),
    "q-formula": ("oracle", {"Q": lambda plan: plan.Q - 1e-6}),
    "propagation": ("scaled(0.001)", {"Q": lambda plan: plan.Q - 0.1}),
    "optimism": ("oracle", {"Q": lambda plan: plan.Q - 3.0}),
    "coverage": ("scaled(0.001)", {"reward": lambda plan: plan.reward - 3.0}),
}


@pytest.mark.parametrize("claim", WRONG)
def test_statements_about_plans_can_fail(claim: str) -> None:
    regime, change = WRONG[claim]
    view, _ = played(regime)
    statement = guaranteed(MVP).claim(claim).property
    assert measure(statement(view)).holds
    assert not measure(statement(with_plans(view, **change))).holds


@pytest.mark.parametrize("claim", ["value-confidence", "reward-confidence", "entry-confidence"])
def test_events_can_fail(claim: str) -> None:
    """Where a bound is below the trivial one: with a thousand visits in episodes of two steps."""
    view, _ = played("published", generators.coins(generator(3), S=2, A=1, H=2, K=1500))
    statement = guaranteed(MVP).claim(claim).property
    assert measure(statement(view)).holds
    moved = with_plans(view, kernel=lambda plan: plan.kernel[:, ::-1], reward=lambda plan: plan.reward + 1.0)
    assert not measure(statement(moved)).holds


# The model ------------------------------------------------------------------------------------------------------------


def visit_by_visit(run: Run, rewards: Array, pair: int) -> list[tuple[int, Array, float]]:
    """n, Phat and rhat of a pair before each episode, by going through the run."""
    n, kernel, reward, following, kept, found = 0, np.zeros(run.public.S), 0.0, [], [], []
    for states, actions, drawn in zip(run.states, run.actions, rewards, strict=True):
        found.append((n, kernel, reward))
        for h, action in enumerate(actions):
            if states[h] * run.public.A + action == pair:
                following.append(states[h + 1])
                kept.append(drawn[h])
                if len(following) in (1, 2, 4, 8, 16, 32, 64, 128):
                    n = len(following)
                    kernel = np.bincount(following, minlength=run.public.S) / n
                    reward = float(np.mean(kept[n // 2 :]))
    return found


def test_the_model_is_that_of_the_first_visits() -> None:
    """And a trigger may come in the middle of an episode, whose other visits are not looked at."""
    view, run = played()
    rewards = view.transcript.rewards
    assert rewards is not None
    steps, found = Steps(view.instance, view.transcript, run.public.K), doubled(view)
    for pair in range(run.public.X):
        for k, (n, kernel, reward) in enumerate(visit_by_visit(run, rewards, pair)):
            model = steps.doubled(k)
            assert model.visits[pair] == n
            assert model.kernel[pair] == pytest.approx(kernel)
            assert model.reward[pair] == pytest.approx(reward)
            for p in np.flatnonzero(view.start == k):
                assert found.kernel[p, pair].tolist() == model.kernel[pair].tolist()
    assert (view.visits > found.visits).any()


def test_how_large_the_sum_can_be() -> None:
    """One pair, H visits in each episode, from which n is taken when it begins."""
    for H, K in ((1, 50), (3, 40), (7, 10), (20, 2)):
        public = generators.arms(rewards=(0.5,), H=H, K=K).public
        visits = H * np.arange(K)
        n = 2.0 ** np.floor(np.log2(np.maximum(visits, 1)))
        assert (H / n).sum() <= visit_sum_bound(public)


# Monotone -------------------------------------------------------------------------------------------------------------


def f(p: Array, v: Array, share: float, root: float, least: float) -> float:
    """p v + max{root sqrt(Var iota/n), least iota/n}."""
    return float(p @ v + max(root * math.sqrt(max(p @ v**2 - (p @ v) ** 2, 0.0) * share), least * share))


def test_f_is_monotone_in_each_value() -> None:
    """With the constants of the paper, on 3000 laws and values in [0, 1]; ties and certain states among them."""
    rng = generator(1)
    for _ in range(3000):
        S = int(rng.integers(2, 5))
        p, v = rng.dirichlet(np.full(S, 0.3)), rng.integers(0, 5, S) / 4 if rng.random() < 0.5 else rng.random(S)
        raised = np.minimum(v + rng.random(S) * (rng.random(S) < 0.5), 1.0)
        share = 10 ** rng.uniform(-6, 0)
        assert f(p, raised, share, bonus.ROOT, bonus.LEAST) >= f(p, v, share, bonus.ROOT, bonus.LEAST) - 1e-9


def falls(root: float, least: float, rare: float) -> bool:
    """Whether f falls when the value 0 of a rare state rises a little, near the least variance at which the root counts."""
    p, v = np.array([rare, 1 - rare]), np.array([0.0, 1.0])
    share = rare * (1 - rare) * (root / least) ** 2 * 0.99
    return f(p, v + np.array([1e-4, 0.0]), share, root, least) < f(p, v, share, root, least) - 1e-9


def test_the_constants_of_f_are_at_the_limit() -> None:
    """c^2 = d: monotone with it, and not with d a tenth smaller, nor with the constants of the bonus in place of c and d."""
    assert pytest.approx(bonus.ROOT**2) == bonus.LEAST
    assert not any(falls(bonus.ROOT, bonus.LEAST, rare) for rare in (0.3, 0.1, 0.01))
    assert falls(bonus.ROOT, 0.9 * bonus.LEAST, 0.01)
    assert falls(bonus.C_VARIANCE, bonus.C_SMALL, 0.01)


@pytest.mark.parametrize("regime", MVP.regimes)
def test_lower_bounds_are_those_of_all_pairs_and_values(regime: str) -> None:
    """In the published regime all are at the cap, whatever the values; Q must not be below it there."""
    view, _ = played(regime)
    model, values, H = doubled(view), bonus.below(view), float(view.public.H)
    mean, square = (np.einsum("pxs,nphs->nphx", model.kernel, power) for power in (values, values**2))
    share = np.where(model.visits > 0, 1.0 / np.maximum(model.visits, 1.0), math.inf)[:, None] * view.width[..., None]
    least = bonus.propagated(view.public, mean, model.reward[:, None], np.maximum(square - mean**2, 0.0), share)
    found = bonus.propagation(view)
    assert np.broadcast_to(found.value, least.shape) == pytest.approx(np.minimum(least, H), abs=1e-9)
    assert (least >= H).all() == (regime == "published")
    assert not measure(bonus.propagation(with_plans(view, Q=lambda plan: plan.Q - 0.1))).holds


def test_the_update_itself_falls_though_values_rise() -> None:
    """With the sum that is printed, far below the cap: after 2^14 visits, 1 in 100 to a state whose value rises from 0 to 0.3."""
    public = generators.arms(rewards=(0.0,), H=1, K=1).public
    p, share = np.array([0.01, 0.99]), np.array(10.0 / 2**14)
    low, high = (
        float(p @ v + bonus.MONOTONE.formula(w=share, H=public.H, n=1.0, r_bar=0.0, Var_p=p @ v**2 - (p @ v) ** 2))
        for v in (np.array([0.0, 0.3]), np.array([0.3, 0.3]))
    )
    assert high < low - 0.01
    assert low < 0.8


def test_what_is_left_of_the_bonus_covers_the_deviations() -> None:
    """Half of either arm is what Bernstein's inequality needs, and 16 is more than rewards need."""
    rng = generator(2)
    for variance, share in zip(rng.random(500) / 4, 10 ** rng.uniform(-6, 0, 500), strict=True):
        public, zero = generators.arms(rewards=(0.0,), H=1, K=1).public, np.array(0.0)
        least = float(bonus.propagated(public, zero, zero, np.array(variance), np.array(share)))
        assert least >= 2 * math.sqrt(variance * share) + 14 / 3 * share + 28 / 3 * share
        assert float(bonus.MONOTONE.formula(w=share, H=public.H, n=1.0, r_bar=0.0, Var_p=variance)) >= least


def test_the_oracle_is_the_least_logarithm() -> None:
    """Of each step, F(V*) is r + P V* at some pair and no less at any; with a little less it is below."""
    view, _ = played("oracle", small(K=40))
    last = int(view.start[-1])
    oracle = bonus.LogarithmError(view.instance, view.transcript)
    model = Steps(view.instance, view.transcript, view.public.K).doubled(view.public.K)
    assert last < view.public.K
    for h in range(view.public.H - 1):
        width = oracle.width(h, view.truth.V[h + 1])
        following = view.truth.V[h + 1]
        mean = model.kernel @ following
        variance = model.kernel @ following**2 - mean**2
        best = view.truth.rewards[h] + view.truth.kernel[h] @ following
        for factor, short in ((1.0, False), (0.99, True)):
            share = factor * width / np.maximum(model.visits, 1.0)
            least = bonus.propagated(view.public, mean, model.reward, np.maximum(variance, 0.0), share)
            assert bool((least < best - 1e-9)[model.visits > 0].any()) == short
        assert oracle.error(h, following).max() == pytest.approx((best - model.reward - mean)[model.visits > 0].max())


# The regret -----------------------------------------------------------------------------------------------------------


def test_all_failures_together() -> None:
    """The sum of the chances in the docstring is at most delta."""
    for S, A, H, K in ((1, 1, 1, 1), (1, 2, 2, 5), (2, 1, 2, 1), (5, 2, 4, 150), (1, 3, 40, 10), (30, 4, 1, 9)):
        public = generators.random(generator(0), S=S, A=A, H=H, K=K).public
        powers, noise = 1 + math.log2(public.T), H > 1
        events = S * A * powers * (6 * (H - 1) + 4 + 2 * S) + 4 * noise
        assert events * math.exp(-constants.logarithm(public)) <= public.delta * (1 + 1e-12)


def test_the_bound_solves_its_inequalities() -> None:
    """B is at least what is claimed of it if B, M and M' take their largest values, and by hand for huge K."""
    public = small().public
    for K in (1e3, 1e8, 1e18):
        iota, G, H = constants.logarithm(public, K), constants.reached(public, K), public.H
        rest = 1.5 * G + 8 * (math.e - 2) * iota
        B = (constants.regret(public, K) / H - rest) / 2
        F = 2 * G + 16 * (math.e - 2) * iota
        c1, c2, c3 = 460 / 9, 2 * math.sqrt(2), 544 / 9
        right = (
            2 * c2 * math.sqrt(iota * G * (2 * K + 80 * iota * G / 3))
            + (c1 * math.sqrt(1.5) + 2) * math.sqrt(iota * G * (F + 4 * K + 4 * B))
            + (2 + math.sqrt(2 * public.S)) * math.sqrt(iota * G * (F + 4 * B))
            + (28 / 3 + c1 * math.sqrt(4 * public.S / 3) + (public.S + 1) / 3 + c3) * iota * G
        )
        assert right <= B * (1 + 1e-12)
    end = (4 * (c1 * math.sqrt(1.5) + 2) + 16) * H * math.sqrt(iota * G * K)
    assert constants.regret(public, 1e18) == pytest.approx(end, rel=0.01)
    assert constants.regret(public, 1e8, scale=0.01) < constants.regret(public, 1e8)
