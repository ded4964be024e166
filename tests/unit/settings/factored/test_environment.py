"""The simulator: protocol, laws, and what the transcript keeps."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_settings.factored import FactoredEnvironment, Instance, generators
from verifier_settings.factored.environment import FactoredTranscript

from ..lifelong.runs import generator
from .runs import small


def opened(instance: Instance, seed: int = 0) -> tuple[FactoredEnvironment, FactoredTranscript]:
    transcript = FactoredTranscript(instance.public.K, instance.public.H, instance.public.m)
    return FactoredEnvironment(instance, transcript, generator(seed, 0), generator(seed, 1)), transcript


def test_the_transcript_keeps_what_was_handed_out() -> None:
    instance = small(K=5)
    env, transcript = opened(instance)
    for k in range(5):
        assert env.episode == k
        state = env.begin_episode()
        assert transcript.states[k, 0] == state
        for h in range(3):
            state, rewards = env.step((k + h) % 4)
            assert transcript.states[k, h + 1] == state
            drawn = transcript.outcomes[k, h]
            assert rewards.tolist() == [part.support[i] for part, i in zip(instance.truth.parts, drawn, strict=True)]
            assert transcript.actions[k, h] == (k + h) % 4
    assert env.episode == transcript.episodes == 5


def test_the_digest_depends_on_the_rewards() -> None:
    transcripts = [FactoredTranscript(2, 2, 1) for _ in range(2)]
    assert transcripts[0].digest() == transcripts[1].digest()
    transcripts[1].outcomes[1, 1, 0] = 1
    assert transcripts[0].digest() != transcripts[1].digest()


def test_frequencies_are_the_laws() -> None:
    """12000 steps: next states and pairs of rewards within 5 standard deviations of the product laws.

    A false alarm has probability below 6e-7 for each of the 6 * 6 + 6 * 9 entries with a normal limit, below 1e-4 in all.
    """
    K = 4000
    instance = small(state_sizes=(2, 3), action_sizes=(1,), transition_scopes=((0, 1), (1,)), reward_scopes=((0,), (1, 0)), K=K)
    env, transcript = opened(instance)
    for _ in range(K):
        env.begin_episode()
        for _ in range(3):
            env.step(0)
    truth, states = instance.truth, transcript.states[:, :-1].ravel()
    both = transcript.outcomes.reshape(-1, 2) @ [3, 1]
    laws = [
        part.law[instance.public.cells(scope)] for part, scope in zip(truth.parts, instance.public.reward_scopes, strict=True)
    ]
    for s in range(6):
        here = states == s
        for law, seen in ((truth.P[s], transcript.states[:, 1:].ravel()[here]), (np.kron(laws[0][s], laws[1][s]), both[here])):
            counts, n = np.bincount(seen, minlength=len(law)), here.sum()
            assert (np.abs(counts - n * law) <= 5 * np.sqrt(n * law * (1 - law)) + 1).all()


def test_rewards_and_next_states_are_drawn_apart() -> None:
    """Two fair coins, one the next state and one the reward: 4000 steps agree 2000 times, within 5 standard deviations (158)."""
    coin = np.full((2, 2), 0.5)
    instance = generators.make((2,), (1,), [((0,), coin)], [((0,), generators.bernoulli(np.full(2, 0.5)))], H=1, K=4000)
    env, transcript = opened(instance)
    for _ in range(4000):
        env.begin_episode()
        env.step(0)
    assert abs((transcript.states[:, 1] == transcript.outcomes[:, 0, 0]).sum() - 2000) < 158


def test_starts_that_vary_with_the_episode() -> None:
    instance = small(K=14, in_turn=True, anywhere=False)
    env, transcript = opened(instance)
    for _ in range(14):
        env.begin_episode()
        for _ in range(3):
            env.step(0)
    assert transcript.states[:, 0].tolist() == [k % 6 for k in range(14)]


def test_protocol() -> None:
    env, _ = opened(small(K=1))
    with pytest.raises(ContractError, match="call begin_episode"):
        env.step(0)
    env.begin_episode()
    with pytest.raises(ContractError, match=r"step\(4\) in episode 1: expected an action 0..3"):
        env.step(4)
    with pytest.raises(ContractError, match="after 0 of 3 steps"):
        env.begin_episode()
    for _ in range(3):
        env.step(0)
    with pytest.raises(ContractError, match="the run has K = 1"):
        env.begin_episode()
