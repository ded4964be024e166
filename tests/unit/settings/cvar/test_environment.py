from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from verifier.base.errors import ContractError
from verifier_settings.cvar import CVaREnvironment, Instance, edges, generators, likelihood
from verifier_settings.cvar.augmented import Grid, masses
from verifier_settings.cvar.environment import Transcript
from verifier_settings.cvar.simulator import Simulator

from .runs import generator


def opened(instance: Instance, seed: int = 0) -> tuple[CVaREnvironment, Transcript]:
    transcript = Transcript()
    return CVaREnvironment(instance, transcript, generator(seed, 1), generator(seed, 2)), transcript


def test_everything_is_counted() -> None:
    instance = edges.small(generator(0))
    env, transcript = opened(instance)
    assert env.reset() == 0
    env.step(0)
    env.step(1)
    assert env.reset() == 0  # broken off after two steps
    for _ in range(3):
        last, reward = env.step(1)
        assert 0 <= reward <= 1
    assert last == -1
    env.mle(1, np.zeros((6, 3)))
    simulator = env.simulator(np.array([0, 1]))
    policy = np.zeros((3, 3, instance.public.coarse.N + 1), dtype=int)
    simulator.trajectory(policy, 2)
    simulator.episodes(policy, 2, 7)
    meters = env.meters()
    assert (meters.trajectories, meters.steps, meters.planner_calls) == (2, 5, 1)
    assert list(meters.mle_calls) == [0, 1]
    assert list(meters.simulated) == [1, 7]
    simulator.episodes(policy, 2, 4)  # a simulator kept for later is still metered
    assert list(env.meters().simulated) == [1, 11]
    taken = transcript.take()
    assert [len(actions) for _, actions, _ in taken] == [2, 3]
    assert transcript.current == []


def test_contract_errors_say_what_to_do() -> None:
    env, _ = opened(edges.small(generator(0)))
    with pytest.raises(ContractError, match="call reset"):
        env.step(0)
    env.reset()
    for action in (2, -1, 0.0, None):
        with pytest.raises(ContractError, match=r"expected an action 0\.\.1"):
            env.step(action)  # type: ignore[arg-type]  # what a plugin might do
    for _ in range(3):
        env.step(np.int64(1))
    with pytest.raises(ContractError, match="call reset"):
        env.step(0)
    for h, counts in ((2, np.zeros((6, 3))), (0, np.zeros((3, 6))), (0, -np.ones((6, 3))), (0, np.full((6, 3), np.nan))):
        with pytest.raises(ContractError, match="counts of shape"):
            env.mle(h, counts)
    for models in ([0], [0, 6], [-1, 0]):
        with pytest.raises(ContractError, match="indices of models"):
            env.simulator(np.array(models))
    simulator = env.simulator(np.array([0, 0]))
    with pytest.raises(ContractError, match="was simulated from budget index 9"):
        simulator.trajectory(np.zeros((3, 3, 7), dtype=int), 9)


def test_the_laws_of_the_environment() -> None:
    """Chi-square of 20000 trajectories with a fixed action: P(false alarm) = 1e-6, and the seed is fixed."""
    instance = generators.random(generator(1), S=3, A=2, d=2, H=2, m=3, size=1, K=1, tau=0.5)
    env, transcript = opened(instance)
    for _ in range(20000):
        env.reset()
        env.step(1)
    seen = np.zeros((4, 3))
    for states, _, rewards in transcript.take():
        seen[rewards[0], states[1]] += 1
    expected = 20000 * np.outer(instance.public.reward[0, 1], instance.truth.P[0, 1])  # independent
    statistic = ((seen - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(statistic, seen.size - 1) > 1e-6
    shifted = np.roll(expected, 1, axis=0)
    assert stats.chi2.sf(((seen - shifted) ** 2 / shifted).sum(), seen.size - 1) < 1e-6  # it would notice


def test_continuous_rewards_are_recorded_rounded_up() -> None:
    instance = generators.continuous(generator(2), S=2, A=2, d=2, H=2, m=12, q=4, size=1, K=1, tau=0.5)
    env, transcript = opened(instance)
    rewards = []
    for _ in range(2000):
        env.reset()
        rewards.append(env.step(0)[1])
    recorded = np.array([j[0] for _, _, j in transcript.take()])
    np.testing.assert_array_equal(recorded, np.ceil(np.array(rewards) * 12))
    a, b = instance.public.beta[0, 0]  # type: ignore[index]  # continuous instances have it
    assert stats.kstest(rewards, stats.beta(a, b).cdf).pvalue > 1e-6  # P(false alarm) = 1e-6


def test_the_transcript_is_determined_by_the_seed() -> None:
    digests = []
    for seed in (0, 0, 1):
        env, transcript = opened(edges.small(generator(0)), seed)
        for _ in range(5):
            env.reset()
            env.step(0)
            env.step(1)
        transcript.take()
        digests.append(transcript.digest())
    assert digests[0] == digests[1] != digests[2]


# The likelihood oracle -------------------------------------------------------------------------------------------------


def test_the_oracle_maximises_the_likelihood() -> None:
    instance = generators.random(generator(3), S=4, A=2, d=2, H=3, m=2, size=9, K=1, tau=0.5)
    public, rng = instance.public, generator(4)
    for h in range(2):
        counts = rng.integers(0, 4, size=(8, 4)).astype(float)
        slow = []
        for kernel in public.kernels[:, h]:
            slow.append(sum(counts[x, s] * np.log(kernel[x, s]) for x in range(8) for s in range(4)))
        np.testing.assert_allclose(likelihood.log_likelihood(public, h, counts), slow, rtol=1e-12)
        assert likelihood.maximum_likelihood(public, h, counts) == int(np.argmax(slow))
        assert np.abs(likelihood.log_likelihood(public, h, counts) - slow).max() <= likelihood.rounding(public, h, counts)


def test_an_excluded_transition_counts_only_once_it_was_seen() -> None:
    instance = edges.impossible(generator(5))
    public, h = instance.public, 0
    decoy, x, s = (int(i[0]) for i in np.nonzero(public.kernels[:, h] == 0))
    nothing = np.zeros((public.X, public.S))
    assert np.all(likelihood.log_likelihood(public, h, nothing) == 0.0)
    once = nothing.copy()
    once[x, s] = 1.0
    values = likelihood.log_likelihood(public, h, once)
    assert values[decoy] == -np.inf
    assert not np.isnan(values).any()
    assert likelihood.maximum_likelihood(public, h, once) != decoy


def test_ties_go_to_the_first_whatever_the_rounding() -> None:
    instance = edges.twins(generator(6))
    public = instance.public
    half = public.M // 2
    for seed in range(20):
        counts = generator(7, seed).integers(0, 50, size=(public.X, public.S)).astype(float)
        assert likelihood.maximum_likelihood(public, 0, counts) < half
    turned = replace(public, phi=np.roll(public.phi, half, axis=0), psi=np.roll(public.psi, half, axis=0))
    assert likelihood.maximum_likelihood(turned, 0, counts) == likelihood.maximum_likelihood(public, 0, counts)


def test_no_data_means_the_first_model() -> None:
    public = edges.small(generator(0)).public
    assert likelihood.maximum_likelihood(public, 0, np.zeros((public.X, public.S))) == 0


# The simulator -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("evaluation", [True, False])
def test_simulated_laws(evaluation: bool) -> None:
    """Chi-square of (s, a, budget) at the last step: P(false alarm) < 1e-6, and the seed is fixed."""
    instance = generators.random(generator(8), S=3, A=2, d=2, H=3, m=2, size=1, K=1, tau=0.5)
    public, grid = instance.public, Grid(3, 2)
    policy = generator(9).integers(2, size=(3, 3, grid.N + 1))
    simulator = Simulator(instance.truth.P, public.reward, grid, 0, generator(10))
    n, seen = 20000 if evaluation else 4000, np.zeros((public.X, grid.N + 1))
    batches = [simulator.episodes(policy, 4, n)] if evaluation else [simulator.trajectory(policy, 4) for _ in range(n)]
    for batch in batches:
        left = np.full(len(batch.states), 4)
        for h in range(3):
            np.testing.assert_array_equal(batch.actions[:, h], policy[h, batch.states[:, h], left])
            if h == 2:
                np.add.at(seen, (batch.states[:, h] * 2 + batch.actions[:, h], left), 1)
            left = np.maximum(left - batch.rewards[:, h], 0)
    expected = n * masses(instance.truth.P, public.reward, policy, np.array(4), 0, grid, 3)[2]
    possible = expected > 0
    assert seen[~possible].sum() == 0
    statistic = ((seen - expected)[possible] ** 2 / expected[possible]).sum()
    assert stats.chi2.sf(statistic, possible.sum() - 1) > 1e-6
    assert list(simulator.tally) == ([0, n] if evaluation else [n, 0])
    assert simulator.counts.sum() == (0 if evaluation else 3 * n)
