"""Runs with the same past and other futures: agents that look ahead are found, others are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pytest

from verifier.base.seeds import stream
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim, Kind
from verifier.model.fork import Fork, Forks, arrays_of, fingerprint
from verifier.model.measurement import Measurement, measure
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials.fork import CALLS, LONGEST, Beginning, Parting
from verifier.trials.trial import run
from verifier_properties.any_setting import measurability

CLAIM = Claim("foresight", measurability.foresight, source="", theorem="", statement="", kind=Kind.ALWAYS)


def measured(name: str, instance: str, regime: str, *bases: type[Any], index: int = 0, blind: bool = False) -> Measurement:
    """The claim on a trial of an algorithm, or of one with a class before it."""
    guarantees = registry().guarantees[name]
    algorithm = type("Planted", (*bases, guarantees.algorithm), {}) if bases else guarantees.algorithm
    shown = replace(guarantees, algorithm=algorithm, claims=(CLAIM,), mutants=())
    found = run(TrialSpec(name, instance, regime, index, 0, blind), shown, registry().setting(algorithm.setting))
    assert found.error is None, found.error
    return found.measurements["foresight"]


# Agents that look ahead, one for each setting: they add to an action what they find among numbers not used yet


def ahead(peek: Callable[[Any], float], actions: Callable[[Any], int]) -> type[Any]:
    class Ahead(Algorithm):
        def run(self, env: Any) -> Iterator[Any]:
            step = env.step
            env.step = lambda action: step(int(action + (peek(env) < 0.5)) % actions(self.public))
            yield from super().run(env)  # type: ignore[safe-super]  # it comes before an algorithm

    return Ahead


def ahead_in_blocks(peek: Callable[[Any], Any]) -> type[Any]:
    """The same of an agent that plays many episodes at a time."""

    class Ahead(Algorithm):
        def run(self, env: Any) -> Iterator[Any]:
            play = env.play
            env.play = lambda policy, weight: play((policy + peek(env)) % self.public.A, weight)
            yield from super().run(env)  # type: ignore[safe-super]  # it comes before an algorithm

    return Ahead


def of_each_step(env: Any) -> Any:
    """Where the number from which the simulator will make the next state is small, (H, 1, 1)."""
    return (env._draws < 0.5)[:, None, None]


def of_the_block(env: Any) -> int:
    """Something of the episodes that the simulator has drawn the numbers of already, and which may not be played now."""
    return int(1e6 * env._rows.ahead(20).sum()) % 2


def of_the_episode(env: Any) -> float:
    """The number from which an episodic simulator will make the next state."""
    return float(env._draws[env._step])


def of_the_stream(env: Any) -> float:
    """The same of a stream of numbers: one is taken from it, and put back."""
    found = next(env._uniform)
    env._uniform = chain([found], env._uniform)
    return float(found)


def of_the_trajectory(env: Any) -> float:
    """The same where each step has a number for the reward, too."""
    return float(env._draws[2 * env._h + 1])


PEEKING = {
    "ucbvi-bf": ("random", of_the_episode),
    "lsvi-ucb": ("random", of_the_episode),
    "ravi-ucb-tabular": ("random", of_the_stream),
    "ela": ("low-rank", of_the_trajectory),
}

HONEST = {
    **{name: instance for name, (instance, _) in PEEKING.items()},
    "cvar-lsvi": "plain-model",
    "ravi-ucb-mixture": "mixture-base",
    "lifelong-lsvi": "onehot",
    "ucblvd": "onehot",
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("regime", ["published", "oracle"])
@pytest.mark.parametrize("name", PEEKING)
def test_an_agent_that_reads_numbers_not_yet_used_is_found(name: str, regime: str) -> None:
    instance, peek = PEEKING[name]
    found = [measured(name, instance, regime, ahead(peek, lambda public: public.A), index=index) for index in range(4)]
    assert sum(one.violations for one in found) >= 3
    assert all(one.value == 1.0 for one in found if one.violations)


@pytest.mark.parametrize(("name", "peek"), [("lifelong-lsvi", of_each_step), ("ucblvd", of_the_block)])
def test_an_agent_that_plays_blocks_and_reads_what_is_drawn_for_them_is_found(name: str, peek: Callable[[Any], Any]) -> None:
    found = [measured(name, "onehot", "published", ahead_in_blocks(peek), index=index) for index in range(4)]
    assert sum(one.violations for one in found) >= 3


@pytest.mark.one_in(4)
@pytest.mark.parametrize("regime", ["published", "oracle"])
@pytest.mark.parametrize("name", HONEST)
def test_an_agent_that_does_not_is_not(name: str, regime: str) -> None:
    instance = HONEST[name]
    for index in range(2):
        found = measured(name, instance, regime, index=index)
        assert (found.comparisons, found.powered, found.violations) == (2, 2, 0)


def test_an_agent_whose_own_generator_decides_is_not() -> None:
    class AtRandom(Algorithm):
        def run(self, env: Any) -> Iterator[Any]:
            step = env.step
            env.step = lambda action: step(int(env.rng.integers(self.public.A)))
            yield from super().run(env)  # type: ignore[safe-super]  # it comes before an algorithm

    assert measured("ucbvi-bf", "random", "oracle", AtRandom).violations == 0


def test_a_plan_made_of_what_comes_next_is_found() -> None:
    class Foretold(Algorithm):
        def run(self, env: Any) -> Iterator[Any]:
            for plan in super().run(env):  # type: ignore[safe-super]  # it comes before an algorithm
                yield replace(plan, Q=plan.Q + 1e-9 * env._draws[-1])

    assert measured("ucbvi-bf", "random", "published", Foretold).violations > 0


def test_in_blind_mode_there_is_nothing_to_look_at() -> None:
    found = measured("ucbvi-bf", "random", "published", blind=True)
    assert (found.comparisons, found.violations) == (2, 0)


def test_the_run_itself_is_what_it_is_without_forks() -> None:
    guarantees = registry().guarantees["lsvi-ucb"]
    setting, spec = registry().setting("episodic"), TrialSpec("lsvi-ucb", "random", "oracle", 0, 0)
    digests = {run(spec, replace(guarantees, claims=claims), setting).digest for claims in ((CLAIM,), ())}
    assert len(digests) == 1


@pytest.mark.parametrize("replaced", [False, True])
def test_after_the_beginning_an_agent_calls_the_environment_itself(replaced: bool) -> None:
    class Counting:
        def step(self, action: int) -> int:
            return action + 1

    env, beginning = Counting(), Beginning()
    beginning.watch(env)
    noted = env.step
    own = (lambda action: noted(action)) if replaced else noted
    env.step = own  # type: ignore[method-assign]  # as agents do that wrap an environment
    for action in range(CALLS):
        assert env.step(action) == action + 1
    assert len(beginning.methods) == CALLS
    assert not beginning.plan("the plan that ends it")
    assert env.step(1) == 2
    assert len(beginning.methods) == CALLS
    assert env.step is own if replaced else env.step == Counting.step.__get__(env)


# Generators that part


@pytest.mark.parametrize("sizes", [[None] * 12, [5, 5, 2], [3, None, 8], [12]])
@pytest.mark.parametrize("after", [0, 4, 11, 12])
def test_numbers_of_one_stream_and_then_of_another(sizes: list[int | None], after: int) -> None:
    parting = Parting(stream(0, "first"), stream(0, "second"), after)
    drawn = np.concatenate([np.ravel(parting.random(size)) for size in sizes])
    first, second = stream(0, "first").random(12), stream(0, "second").random(12)
    assert (drawn[:after] == first[:after]).all()
    assert (drawn[after:] == second[after:]).all()


def test_a_future_begins_where_it_can_still_be_seen() -> None:
    assert CALLS < LONGEST


# What is the same bit for bit


@dataclass(frozen=True)
class Plan:
    Q: Any
    note: Any = None


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (np.arange(3.0), np.arange(3.0), True),
        (np.arange(3.0), np.arange(3), False),
        (np.zeros(2), -np.zeros(2), False),
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.zeros((2, 3)), np.zeros((3, 2)), False),
        (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), True),
        (Plan(np.ones(2)), Plan(np.ones(2)), True),
        (Plan(np.ones(2)), Plan(np.nextafter(np.ones(2), 2)), False),
        (Plan(np.ones(2), "a"), Plan(np.ones(2), "b"), False),
        ({"a": (1, 2.0)}, {"a": (1, 2.0)}, True),
        ({"a": 1}, {"b": 1}, False),
        ((1, (2, 3)), (1, 2, 3), False),
        (None, 0, False),
        (object(), object(), True),
    ],
)
def test_fingerprints(left: Any, right: Any, same: bool) -> None:
    assert (fingerprint(left) == fingerprint(right)) is same


def test_arrays_of_a_plan_are_copies() -> None:
    Q = np.ones(2)
    kept = arrays_of(Plan(Q))
    Q[0] = 5
    assert kept.keys() == {"Q"}
    assert kept["Q"].tolist() == [1.0, 1.0]


# What plans say of the steps played


@dataclass(frozen=True)
class Sizes:
    H: int


def forked(left: list[float], right: list[float], *, steps: int, played: int, parted: str = "step") -> Forks:
    plans = ({"weight": np.array(left)}, {"weight": np.array(right)})
    return Forks(Sizes(H=3), [Fork(5, 0, parted, steps, plans, played)])


@pytest.mark.parametrize(
    ("right", "steps", "comparisons", "violations"),
    [
        ([1.0, 2.0, 9.0], 5, 2, 0),  # the second step of an episode leads elsewhere: the third may be another one
        ([1.0, 9.0, 9.0], 5, 2, 1),
        ([9.0, 9.0, 9.0], 5, 2, 2),
        ([1.0, 2.0, 9.0], 6, 3, 1),
        ([1.0, 9.0, 9.0], 4, 1, 0),
    ],
)
def test_weights_do_not_depend_on_where_their_step_leads(
    right: list[float], steps: int, comparisons: int, violations: int
) -> None:
    view = forked([1.0, 2.0, 3.0], right, steps=steps, played=-steps % 3)
    found = measure(measurability.played_steps("weight")(view))
    assert (found.comparisons, found.violations) == (comparisons, violations)


@pytest.mark.parametrize(("steps", "played", "parted"), [(5, 0, "step"), (5, 4, "step"), (6, 3, "begin_episode"), (6, 0, "")])
def test_plans_that_are_not_those_after_the_episode_say_nothing(steps: int, played: int, parted: str) -> None:
    view = forked([1.0, 2.0, 3.0], [9.0, 9.0, 9.0], steps=steps, played=played, parted=parted)
    assert measure(measurability.played_steps("weight")(view)).comparisons == 0


@pytest.mark.parametrize(
    ("right", "parted", "played", "comparisons", "violations"),
    [
        (1.0, "begin_episode", 0, 1, 0),
        (9.0, "begin_episode", 0, 1, 1),
        (9.0, "begin_episode", 3, 0, 0),  # a plan for another episode may depend on all of this one
        (9.0, "step", 0, 0, 0),
    ],
)
def test_plans_do_not_depend_on_where_their_episode_starts(
    right: float, parted: str, played: int, comparisons: int, violations: int
) -> None:
    found = measure(measurability.planned_before_start(forked([1.0], [right], steps=6, played=played, parted=parted)))
    assert (found.comparisons, found.violations) == (comparisons, violations)
