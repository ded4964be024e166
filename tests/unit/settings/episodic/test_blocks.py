"""Episodes in blocks are the episodes that are played step by step, bit for bit: rewards that are drawn, too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.algorithm import Algorithm
from verifier.model.fork import arrays_of
from verifier.model.result import TrialSpec
from verifier.trials.trial import run
from verifier_reference.empirical import EmpiricalPlanning
from verifier_reference.episodes import StepByStep
from verifier_reference.mvp.algorithm import MVP
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_settings import blocks
from verifier_settings.episodic import EPISODIC, EpisodicEnvironment, Instance, RewardLaw, generators, make

from ....installed import guaranteed
from ..lifelong.runs import generator
from ..playing import played_at_the_wrong_time_is_refused
from .runs import play, session

LENGTHS = ((1, 1), (3, 3), (1, 4), (64, 64))
"""Of the first block of a call and of the largest one."""

ONE_BY_ONE: dict[type[Algorithm], type[Algorithm]] = {
    UCRL2: type("Plain", (UCRL2,), {"play": EmpiricalPlanning.play}),
    MVP: type("Plain", (MVP,), {"play": StepByStep.play}),
}
"""With an episode played by `step`, and looked at whether a plan is due, at a time."""


def drawn(kind: str, K: int, seed: int, H: int = 3) -> Instance:
    """Three states, two actions; rewards known, drawn from {-1, 1/2, 2}, or from laws and kernels of each step."""
    rng = generator(seed)
    if kind == "plain":
        return generators.random(rng, S=3, A=2, H=H, K=K)
    axes = (H, 6) if kind == "by step" else (6,)
    P, law = rng.dirichlet(np.ones(3), size=axes), rng.dirichlet(np.ones(3), size=axes)
    return make(P, RewardLaw(np.array([-1.0, 0.5, 2.0]) / 3, law), H=H, K=K, start=np.array([0.2, 0.5, 0.3]))


def played(algorithm: type[Algorithm], instance: Instance, regime: str, seed: int) -> tuple[Any, ...]:
    """What of a run can be told from another one: transcript, rewards, when plans came, plans and widths."""
    (view,), whole = play(algorithm, instance, regime, seed)
    plans = [arrays_of(plan) for plan in view.plans]
    seen = (whole.states, whole.actions, whole.rewards, whole.plans, view.width)
    return *seen, *[array for plan in plans for array in plan.values()]


def same(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return len(left) == len(right) and all(a.tobytes() == b.tobytes() for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("algorithm", list(ONE_BY_ONE))
@settings(max_examples=15, deadline=None)
@given(
    noisy=st.booleans(), regime=st.sampled_from(["published", "scaled(0.01)"]), K=st.integers(1, 90), seed=st.integers(0, 10**6),
)  # fmt: skip
def test_runs_in_blocks_are_those_one_by_one(algorithm: type[Algorithm], noisy: bool, regime: str, K: int, seed: int) -> None:
    instance = drawn("noisy" if noisy else "plain", K, seed)
    plain = played(ONE_BY_ONE[algorithm], instance, regime, seed)
    for first, largest in LENGTHS:
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(blocks, "FIRST", first)
            changed.setattr(blocks, "LARGEST", largest)
            assert same(played(algorithm, instance, regime, seed), plain)


@pytest.mark.parametrize(("algorithm", "instance"), [(UCRL2, "random"), (MVP, "coins")])
def test_verdicts_in_blocks_are_those_one_by_one(algorithm: type[Algorithm], instance: str) -> None:
    plain = replace(guaranteed(algorithm), algorithm=ONE_BY_ONE[algorithm])
    spec = TrialSpec(algorithm.name, instance, "published", 0, 0)
    left, right = run(spec, guaranteed(algorithm), EPISODIC), run(spec, plain, EPISODIC)
    assert (left.error, left.unmeasured, right.error) == (None, {}, None)
    assert left.digest == right.digest
    assert left.measurements.keys() == right.measurements.keys()
    for claim, found in left.measurements.items():
        if not claim.startswith("no-foresight"):  # which compares calls of the environment, and there are fewer
            assert found == right.measurements[claim], claim


@pytest.mark.parametrize("algorithm", list(ONE_BY_ONE))
def test_each_plan_is_played_in_one_call(algorithm: type[Algorithm]) -> None:
    """What is given as visits is the rule itself: neither does a plan come late, nor is a call in vain."""
    calls: list[int] = []

    class Counted(algorithm):  # type: ignore[misc, valid-type]  # one of a list
        def play(self, env: EpisodicEnvironment, plan: Any, state: int) -> None:
            calls.append(env.episode)
            super().play(env, plan, state)

    _, whole = play(Counted, drawn("plain", 3000, 0), "published")
    assert calls == whole.plans.tolist()
    assert len(calls) < 150


# What a limit says ------------------------------------------------------------------------------------------------


def begun(kind: str = "plain", K: int = 40, seed: int = 0) -> EpisodicEnvironment:
    env = session(drawn(kind, K, 1), UCRL2, seed).environment
    env.begin_episode()
    return env


def stepped(env: EpisodicEnvironment, policy: IntArray, weight: Array, visits: Array) -> tuple[Array, ...]:
    """The same as `play`, with the numbers of visits by step, from the definition: one step after the other, in plain numbers."""
    H, spent, left = len(policy), [0.0] * len(policy), visits.copy()
    paths: list[tuple[list[int], list[int], list[float]]] = []
    state = int(env._state)
    while True:
        states, actions, rewards = [state], list[int](), list[float]()
        for h in range(H):
            actions.append(int(policy[h, states[-1]]))
            pair = states[-1] * env.public.A + actions[-1]
            spent[h] += weight[h, pair]
            left[h, pair] -= 1
            following, reward = env.step(actions[-1])
            states.append(following)
            rewards.append(reward)
        paths.append((states, actions, rewards))
        if max(spent) > 1.0 or (left <= 0).any() or env.episode == env.public.K:
            return tuple(map(np.array, zip(*paths, strict=True)))
        state = env.begin_episode()


@settings(max_examples=40, deadline=None)
@given(kind=st.sampled_from(["plain", "noisy", "by step"]), seed=st.integers(0, 10**6), calls=st.integers(1, 4))
def test_calls_are_what_steps_would_have_been(kind: str, seed: int, calls: int) -> None:
    rng, env, plain = generator(seed), begun(kind, 60, seed), begun(kind, 60, seed)
    for call in range(calls):
        policy = rng.integers(2, size=(3, 3))
        weight, visits = rng.choice([0.0, 0.03, 0.2, 1.0], size=(3, 6)), rng.choice([2.0, 8.0, 30.0, np.inf], size=(3, 6))
        if call:
            env.begin_episode()
            plain.begin_episode()
        for left, right in zip(env.play(policy, weight, visits), stepped(plain, policy, weight, visits), strict=True):
            assert left.dtype == right.dtype
            assert left.tobytes() == right.tobytes()
        assert env._transcript.digest() == plain._transcript.digest()
        if env.episode == 60:
            break


POLICY = np.zeros((3, 3), dtype=np.int64)


@pytest.mark.parametrize(("visits", "episodes"), [(1, 1), (7, None), (np.inf, 40), (10**6, 40)])
def test_visits_count_over_all_steps(visits: float, episodes: int | None) -> None:
    states, actions, _ = begun().play(POLICY, visits=visits)
    count = np.bincount((states[:, :-1] * 2 + actions).ravel())
    before = np.bincount((states[:-1, :-1] * 2 + actions[:-1]).ravel(), minlength=1)
    assert len(states) == episodes if episodes else count.max() >= visits > before.max()


def test_visits_of_a_pair_and_of_a_pair_at_a_step() -> None:
    for seed in range(20):
        pair, step = np.full(6, np.inf), np.full((3, 6), np.inf)
        pair[2 * 2], step[1, 2 * 2] = 3, 2
        states, _, _ = begun(seed=seed).play(POLICY, visits=pair)
        met = (states[:, :-1] == 2).sum(axis=1).cumsum()
        assert met[-1] >= 3 > (met[-2] if len(met) > 1 else 0)
        states, _, _ = begun(seed=seed).play(POLICY, visits=step)
        assert (states[:, 1] == 2).cumsum().tolist().index(2) == len(states) - 1


def test_what_was_played_ahead_and_not_kept_is_nowhere() -> None:
    env = begun("noisy")
    n = len(env.play(POLICY, visits=9)[0])
    t = env._transcript
    assert 0 < n < 40
    assert not any(array[n:].any() for array in t._arrays())


def test_what_is_returned_is_no_part_of_the_transcript() -> None:
    env = begun("noisy")
    found = env.play(POLICY, visits=9)
    before = env._transcript.digest()
    for array in found:
        array[...] = 0
    assert env._transcript.digest() == before


@pytest.mark.parametrize(
    ("policy", "limits", "message"),
    [
        (POLICY[..., None], {}, r"policy of shape \(3, 3, 1\) .* integers of shape \(H, S\) = \(3, 3\)$"),
        (POLICY[:2], {}, r"policy of shape \(2, 3\)"),
        (POLICY + 2, {}, "expected actions 0..1"),
        (POLICY - 1, {}, "expected actions 0..1"),
        (POLICY / 2, {}, "type float64"),
        (POLICY, {"weight": -1.0}, "weights of shape .*; expected numbers >= 0"),
        (POLICY, {"weight": np.nan}, "expected numbers >= 0"),
        (POLICY, {"weight": "much"}, "expected numbers >= 0"),
        (POLICY, {"weight": np.ones((3, 3, 2))}, r"shape \(3, 3, 2\); expected .* broadcast to \(H, S\*A\) = \(3, 6\)"),
        (POLICY, {"visits": np.ones((3, 2))}, r"visits of shape \(3, 2\); expected .* \(H, S\*A\) = \(3, 6\)"),
        (POLICY, {"visits": np.ones(5)}, r"visits of shape \(5,\); expected .* \(S\*A,\) = \(6,\)"),
        (POLICY, {"visits": 0}, "expected numbers >= 1"),
        (POLICY, {"visits": np.nan}, "expected numbers >= 1"),
    ],
)
def test_what_cannot_be_played_is_refused(policy: Any, limits: Any, message: str) -> None:
    env = begun()
    with pytest.raises(ContractError, match=message):
        env.play(policy, **limits)
    assert env.episode == 0
    assert env.at_start


def test_play_needs_an_episode_that_has_just_begun() -> None:
    played_at_the_wrong_time_is_refused(begun(), POLICY)
