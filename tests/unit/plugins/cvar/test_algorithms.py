from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.base.seeds import stream
from verifier.model.width import Width
from verifier.plugins.registry import registry
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_cvar.least_squares import bonus_floor, product_features
from verifier_cvar.shared import constants
from verifier_cvar.value_iteration import value_iteration
from verifier_settings.cvar import CVAR, CVaREnvironment, Instance, augmented, edges, generators
from verifier_settings.cvar.planning import PLANNING
from verifier_settings.cvar.planning.catalogue import random

from ...settings.cvar.runs import deterministic, generator, play, small_instances

ALGORITHMS = (ELA, CVaRLSVI, ELLA)
NOTHING = Width(lambda of, step, target: 0.0)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithms_are_valid_and_found(algorithm: type[Algorithm]) -> None:
    assert registry().guarantees_of(algorithm.name).algorithm is algorithm
    assert registry().setting(algorithm.setting).catalogue


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_unknown_clip_is_refused(algorithm: type[Algorithm]) -> None:
    instance = edges.small(generator(0)) if algorithm is not CVaRLSVI else random(generator(0), **PLANNED)
    with pytest.raises(ContractError, match="'corrected' or 'printed'"):
        algorithm(instance.public, NOTHING, clip="two")


PLANNED: dict[str, Any] = {"S": 3, "A": 2, "d": 2, "H": 3, "m": 2, "T1": 20, "T2": 30, "bonus": 0.5}


# Exact planning ---------------------------------------------------------------------------------------------------------


@deterministic(40)
@given(small_instances(), st.integers(0, 99))
def test_value_iteration_is_optimal(instance: Instance, seed: int) -> None:
    """The plugin's recursion and the harness's are written apart; values, and the value of the policy, must agree."""
    public, b = instance.public, generator(seed).random((instance.public.H, instance.public.X))
    V, policy = value_iteration(instance.truth.P, public.reward, b, public.fine.levels)
    exact, _ = augmented.optimal(instance.truth.P, public.reward, b, public.fine, public.S)
    np.testing.assert_allclose(V, exact, atol=1e-12)
    again = augmented.evaluate(instance.truth.P, public.reward, b, policy, public.fine)
    np.testing.assert_allclose(again, exact, atol=1e-12)


def test_product_features_are_those_of_the_harness() -> None:
    public = random(generator(1), **{**PLANNED, "m": 5, "q": 2}).public
    np.testing.assert_array_equal(product_features(public.phi, public.reward), public.features)


# Rounding ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [*range(1, 61), 97, 100, 1000])
def test_rewards_on_the_grid_are_not_moved(m: int) -> None:
    agent = ELA(replace(edges.small(generator(0)).public, m=m), NOTHING)
    assert [agent.units(i / m) for i in range(m + 1)] == list(range(m + 1))


def test_rewards_off_the_grid_go_up() -> None:
    instance = edges.small(generator(0), m=10, q=3)
    exact, coarse = ELA(instance.public, NOTHING), ELLA(instance.public, NOTHING)
    assert [exact.units(r) for r in (0.0, 1e-9, 0.1, 0.1 + 1e-9, 0.95, 1.0)] == [0, 1, 1, 2, 10, 10]
    assert [coarse.units(r) for r in (0.0, 0.1, 0.3, 0.30001, 0.6, 0.9, 0.95, 1.0)] == [0, 1, 1, 2, 2, 3, 4, 4]


# Widths and constants ------------------------------------------------------------------------------------------------------


def test_alpha_covers_what_the_proof_spends() -> None:
    """alpha >= H sqrt(kappa) sqrt(2 k A E_eta f^2 + 4 lambda d + 2 k E_rho f^2) whenever E_rho f^2 + E_eta f^2 <= zeta_k."""
    for scenario in CVAR.catalogue:
        public = scenario.build(stream(0, "instance", scenario.name)).public
        alpha, k = constants.alpha(public.H, public.A, public.d, public.ridge, public.log_class), 7
        zeta = constants.likelihood_error(public, k)
        for share in (0.0, 0.5, 1.0):
            spent = 2 * k * public.A * share * zeta + 4 * public.ridge * public.d + 2 * k * (1 - share) * zeta
            assert alpha**2 >= public.H**2 * constants.KAPPA * spent - 1e-9
        assert alpha >= constants.alpha_printed(public, public.K)
        assert ELA.published_width(public, "bonus") == ELLA.published_width(public, "bonus") == alpha


def test_beta_is_that_of_theorem_b2() -> None:
    public = random(generator(0), **{**PLANNED, "m": 4, "q": 2}).public
    iota = math.log(3 * 2 * 20 / (0.5 * public.delta)) ** 2
    assert CVaRLSVI.published_width(public, "planning") == pytest.approx(3**1.5 * 2 * iota**0.25 / 0.5)


def test_caps_and_floors() -> None:
    assert constants.cap(5, "corrected") == 10.0
    assert constants.cap(5, "printed") == 2.0
    bonus = np.array([[1.0, 4.0], [0.0, 0.5], [0.0, 0.0]])
    assert bonus_floor(bonus, 3, printed=True) == -3.0
    assert bonus_floor(bonus, 3, printed=False) == -4.5
    assert bonus_floor(bonus / 10, 3, printed=False) == -3.0


def test_planned_parameters() -> None:
    assert constants.rounding_step(4, 0.6) == pytest.approx(0.05)
    assert constants.evaluation_episodes(2, 10, 0.1, 1.0) == math.ceil(288 * math.log(400))


# What a run uses -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("H", [1, 2, 3, 4])
def test_ela_uses_h_trajectories_and_one_likelihood_per_step(H: int) -> None:
    (view,), run = play(ELA, edges.small(generator(1), H=H, K=5), "published", batch=10**6)
    assert list(view.seen.trajectories) == [H] * 5
    assert (view.seen.mle_calls == 1).all()
    assert run.meters.steps == 5 * (1 + sum(min(h + 2, H - 1) for h in range(H - 1)))  # to the end of what is learned from
    assert run.meters.planner_calls == 0
    assert list(run.meters.simulated) == [0, 0]


@pytest.mark.parametrize("q", [1, 2, 3])
def test_ella_calls_its_planner_once_for_each_budget(q: int) -> None:
    instance = edges.small(generator(2), m=3, q=q, K=2, T1=4, T2=3)
    (view,), _ = play(ELLA, instance, "published", batch=10**6)
    budgets = math.ceil(instance.public.H / (q / 3) - 1e-9) + 1
    assert view.estimates.shape == (2, budgets)
    assert list(view.seen.planner_calls) == [budgets] * 2
    np.testing.assert_array_equal(view.seen.simulated, [[4 * budgets, 12 * budgets]] * 2)
    objective = instance.public.coarse.levels[:budgets] - view.estimates / instance.public.tau
    np.testing.assert_array_equal(view.budget, objective.argmax(axis=1))


def size(thing: object) -> int:
    """Bytes in arrays reachable from an object's attributes."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, (dict, list, tuple)):
        return sum(map(size, thing.values() if isinstance(thing, dict) else thing))
    return size(vars(thing)) if isinstance(thing, ELA) else 0


def test_what_planning_reads_does_not_grow_with_the_iterations() -> None:
    sizes = []

    class Weighed(ELA):
        def plan(self, env: CVaREnvironment) -> Any:
            sizes.append(size({name: value for name, value in vars(self).items() if name != "policy"}))
            return super().plan(env)

    play(Weighed, edges.small(generator(3), K=30))
    assert len(sizes) == 30
    assert len(set(sizes)) == 1


@pytest.mark.parametrize("algorithm", [ELA, ELLA])
def test_the_same_seed_gives_the_same_run(algorithm: type[Algorithm]) -> None:
    instance = edges.small(generator(4), m=3, q=2, K=4)
    runs = [play(algorithm, instance, "oracle", seed=seed)[1] for seed in (0, 0, 1)]
    np.testing.assert_array_equal(runs[0].states, runs[1].states)
    np.testing.assert_array_equal(runs[0].series.gap, runs[1].series.gap)
    assert not np.array_equal(runs[0].states, runs[2].states)


# What they achieve -----------------------------------------------------------------------------------------------------------


class NoBonus(ELA):
    """Never looks beyond the bait."""

    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        return np.zeros_like(super().bonus(phi, gram, h))


@pytest.mark.full
def test_bonuses_open_the_lock() -> None:
    """With oracle widths the secret is found; without bonuses regret is linear (fixed seeds, nothing is estimated)."""
    for seed in range(3):
        instance = generators.lock(generator(5, seed), H=5, A=3, K=150)
        _, run = play(ELA, instance, "oracle", seed=seed)
        _, lazy = play(NoBonus, instance, "oracle", seed=seed)
        assert run.series.gap[-50:].max() < 1e-9
        assert lazy.series.gap[-50:].min() > 0.2


def test_ela_finds_the_optimum_of_a_random_instance() -> None:
    instance = generators.random(generator(6), S=5, A=2, d=2, H=4, m=2, size=12, K=250, tau=0.3)
    _, run = play(ELA, instance, "oracle")
    assert run.series.gap[-50:].max() < 0.01
    assert run.series.gap.min() >= -1e-10


def test_lsvi_finds_a_good_policy() -> None:
    instance = random(generator(7), **{**PLANNED, "T1": 300, "T2": 300})
    _, run = play(CVaRLSVI, instance, "oracle", setting=PLANNING)
    assert run.returned_value - run.optimum < 0.02
    assert run.series.regret[-50:].mean() < run.series.regret[:20].mean()
