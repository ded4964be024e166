"""Instances of the reward-free setting: the assumptions hold on each, and what is special about some."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from verifier.model.setting import Scenario
from verifier_settings.reward_free import REWARD_FREE, Instance, generators

from ..lifelong.runs import generator
from .runs import play

SMALL = [scenario for scenario in REWARD_FREE.catalogue if scenario.tier != "deep"]


@pytest.mark.parametrize("scenario", SMALL, ids=lambda scenario: scenario.name)
def test_instances_are_linear_mdps_with_all_norm_bounds(scenario: Scenario[Instance]) -> None:
    for seed in range(2):
        instance = scenario.draw(seed)
        public, truth = instance.public, instance.truth
        assert np.allclose(truth.P.sum(axis=2), 1.0)
        assert truth.P.min() > -1e-15
        assert np.allclose(instance.start.sum(), 1.0)
        assert np.linalg.norm(public.phi, axis=1).max() <= 1 + 1e-12
        signs = np.array(list(product((-1.0, 1.0), repeat=public.S))).T if public.S <= 10 else np.ones((public.S, 1))
        assert np.linalg.norm(truth.mu @ signs, axis=1).max() <= np.sqrt(public.d) + 1e-12
        subsets = np.concatenate([np.eye(len(instance.pieces)), np.ones((1, len(instance.pieces)))]) @ instance.pieces
        for theta in (*instance.fixed.values(), subsets):
            assert np.linalg.norm(theta, axis=-1).max() <= public.reward_norm + 1e-12
            reward = theta @ public.phi.T
            assert reward.min() > -1e-12
            assert reward.max() < 1 + 1e-12


@pytest.mark.parametrize("d", [2, 3])
def test_the_hard_instance_has_the_values_of_the_paper(d: int) -> None:
    """V*_1(x_1) = sum_h (H - h) p (1 - p)^(h-1) with p = 1/H + (d-1) Delta, whatever the signs."""
    H, K = 4, 400
    for seed in range(3):
        instance = generators.hard(generator(seed), d=d, H=H, K=K)
        p = 1 / H + (d - 1) * np.sqrt(1 / (H * K)) / (4 * np.sqrt(2))
        V = instance.optimal(instance.fixed["last-state"][None])[1][0, 0]
        assert V[0] == pytest.approx(sum((H - h) * p * (1 - p) ** (h - 1) for h in range(1, H)))
        assert 2 ** (d - 1) == instance.public.A
        assert instance.public.d == d + 1
        assert np.allclose(np.linalg.norm(instance.public.phi, axis=1), 1.0)


def test_the_signs_of_the_hard_instance_are_drawn_for_each_trial() -> None:
    scenario = REWARD_FREE.scenario("hard")
    assert scenario is not None
    instance = scenario.draw(0)
    drawn = [instance.drawn(generator(k)).truth.mu for k in range(40)]
    assert np.abs(np.mean(np.sign([mu[0, 1, 1] for mu in drawn]))) < 0.6  # misses with probability 2e-4
    assert len({mu.tobytes() for mu in drawn}) > 30
    runs = [play(scenario.draw(0), seed=seed)[1] for seed in range(2)]
    assert not np.array_equal(runs[0].truth.mu, runs[1].truth.mu)
    assert np.array_equal(runs[0].public.phi, runs[1].public.phi)
    fixed = generators.simplex(generator(0), S=3, A=2, d=2, H=2, K=4)
    assert fixed.drawn(generator(1)) is fixed


def test_rotations_change_no_value() -> None:
    """Turning features, measures and rewards leaves probabilities, rewards and values what they were."""
    one, other = (generators.simplex(generator(2), S=4, A=2, d=3, H=3, K=5, turned=turned) for turned in (False, True))
    assert np.allclose(one.truth.P, other.truth.P)
    assert other.public.phi.min() < 0
    for name in one.fixed:
        assert np.allclose(one.reward(one.fixed[name]), other.reward(other.fixed[name]))


def test_the_lock_is_reached_by_one_policy_only() -> None:
    instance = generators.lock(generator(0), H=4, A=3, K=10)
    reward = np.zeros((1, 4, instance.public.X))
    reward[0, 3, 3 * 3 : 4 * 3] = 1.0
    assert instance.truncated(reward)[0, 0, 0] == pytest.approx(0.9**3)
    uniform = instance.truth.P.reshape(4, 5, 3, 5).mean(axis=2)
    assert (np.eye(5)[0] @ uniform[0] @ uniform[1] @ uniform[2])[3] == pytest.approx(0.3**3)


def test_members_of_families_differ_in_size_only() -> None:
    for family in REWARD_FREE.families:
        sizes = (6, 12) if family.symbol == "K" else (2, 3)
        for size in sizes:
            member = REWARD_FREE.scenario(f"{family.name}[{family.symbol}={size}]")
            assert member is not None
            assert getattr(member.draw(0).public, family.symbol) == size


def test_the_unreachable_state_is_never_reached() -> None:
    _, run = play(generators.unreachable(generator(0), S=5, A=2, d=3, H=3, K=40))
    assert run.states.max() < 4
    norm = run.planning.norm[0, :, -1]
    assert np.allclose(norm, 1 / np.sqrt(run.public.ridge))
