"""Bugs that are written once: what they do to the class they are planted in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.errors import ContractError
from verifier.model import bugs
from verifier.model.mutant import Mutant, planted, telling


class Victim:
    """Keeps what it is given, and answers with it."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.public = SimpleNamespace(A=3)

    def learn(self, *arguments: Any) -> Any:
        self.seen.append(arguments)
        return arguments[-1]

    def greedy(self, Q: Any) -> Any:
        return Q.argmax(axis=-1)

    def play(self, env: Any, plan: Any, state: int, column: int = 0) -> None:
        self.seen.append((plan.policy.tolist(), state, column))

    def run(self, env: Any) -> Any:
        yield Plan(np.array([1.0]), np.array([2]))


class Planner:
    """Plans in every episode for the context at hand."""

    def run(self, contexts: Any) -> Any:
        self.plans: list[Any] = []
        for context in contexts:
            plan = self.plan(context)
            yield plan
            self.plans.append(plan)

    def plan(self, context: int) -> Any:
        return [context]


class Regression:
    def __init__(self, public: Any, scale: float = 1.0) -> None:
        self.gram = scale * public.ridge * np.eye(2)


@dataclass(frozen=True)
class Plan:
    Q: Any
    policy: Any


def with_bug(bug: type[Any]) -> Victim:
    return planted(bug, Victim)()


def test_what_is_returned_or_given_is_changed() -> None:
    assert with_bug(bugs.scaled("learn", 0.5)).learn(4.0) == 2.0
    assert with_bug(bugs.squared("learn")).learn(3.0) == 9.0
    assert with_bug(bugs.returns("learn", str)).learn(3.0) == "3.0"
    victim = with_bug(bugs.takes("learn", lambda a, b: (b, a)))
    assert victim.learn(1, 2) == 1
    assert victim.seen == [(2, 1)]
    assert with_bug(bugs.no_bonus("learn")).learn(1.0, 5.0) == 0.0


def test_values_are_cut_too_low_or_not_at_all() -> None:
    assert with_bug(bugs.clipped("learn", 1.0)).learn(np.array([0.5, 3.0])).tolist() == [0.5, 1.0]
    assert with_bug(bugs.unclipped("learn")).learn("step", np.array([-3.0, 1.0]), np.array([1.0, 2.0])).tolist() == [-2.0, 3.0]


def test_values_of_the_wrong_step_are_taken() -> None:
    victim = with_bug(bugs.wrong_step("learn"))
    V = np.zeros((4, 5))  # three steps, and after them
    for h in range(3):
        victim.learn(V, h)
    assert [h for _, h in victim.seen] == [1, 2, 2]


def test_a_gram_matrix_of_norm_one_stands_for_its_inverse() -> None:
    gram = np.array([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 4.0]]])
    found = with_bug(bugs.gram_for_inverse("learn")).learn(np.linalg.inv(gram))
    np.testing.assert_allclose(found, gram / np.linalg.norm(gram, axis=(1, 2), keepdims=True), rtol=1e-12)


def test_the_worst_action_is_taken_in_the_first_state() -> None:
    Q = np.array([[[1.0, 2.0], [3.0, 4.0]], [[6.0, 5.0], [8.0, 7.0]]])  # (H, S, A)
    assert with_bug(bugs.worst_action("greedy", axis=1)).greedy(Q).tolist() == [[0, 1], [1, 0]]


def test_data_are_doubled_lost_or_late() -> None:
    for bug, kept in ((bugs.twice, [1, 1, 2, 2, 3, 3]), (bugs.every_other, [1, 3]), (bugs.one_late, [1, 2])):
        victim = with_bug(bug("learn"))
        for number in (1, 2, 3):
            victim.learn(number)
        assert [arguments[0] for arguments in victim.seen] == kept, bug


def test_matrices_start_without_their_regulariser() -> None:
    public = SimpleNamespace(ridge=0.3)
    assert planted(bugs.no_ridge(), Regression)(public).gram.tolist() == [[1e-6 * 0.3, 0.0], [0.0, 1e-6 * 0.3]]
    assert planted(bugs.unit_ridge(), Regression)(public).gram.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert planted(bugs.unit_ridge(), Regression)(public, scale=2.0).gram.tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_a_plan_is_kept_for_an_episode_but_not_for_another_problem() -> None:
    planner = planted(bugs.plans_every_other(), Planner)()
    assert list(planner.run([0, 0, 0, 1, 1, 1])) == [[0], [0], [1], [1]]
    assert planner.plans == [[0], [0], [0], [1], [1], [1]]


def test_what_is_played_or_reported_is_not_what_was_planned() -> None:
    victim, plan = with_bug(bugs.disobedient()), Plan(np.zeros(1), np.array([0, 2]))
    for episode in (2, 3, 4, 10):
        victim.play(SimpleNamespace(episode=episode), plan, episode, column=1)
    assert victim.seen == [([0, 2], 2, 1), ([1, 0], 3, 1), ([0, 2], 4, 1), ([1, 0], 10, 1)]
    (reported,) = with_bug(bugs.reports(Q=lambda Q: Q + 0.25)).run(None)
    assert (reported.Q.tolist(), reported.policy.tolist()) == ([1.25], [2])


def test_a_number_drawn_in_advance_is_looked_at() -> None:
    class Walker:
        public = SimpleNamespace(A=3)

        def run(self, env: Any) -> Iterator[Any]:
            yield [env.step(2) for env._step in range(3)]

    env = SimpleNamespace(step=lambda action: action, _draws=[0.4, 0.6, 0.1], _step=0)
    assert list(planted(bugs.looks_ahead(), Walker)().run(env)) == [[0, 2, 0]]


def test_numbers_drawn_in_advance_are_looked_at_in_a_block() -> None:
    class Blocks:
        public = SimpleNamespace(A=3)

        def run(self, env: Any) -> Iterator[Any]:
            yield env.play(np.array([[0, 1], [1, 1], [2, 2]]), visits=9)

    env = SimpleNamespace(step=None, play=lambda policy: policy.tolist(), _draws=np.array([0.4, 0.6, 0.1]))
    assert list(planted(bugs.looks_ahead(), Blocks)().run(env)) == [[[1, 2], [1, 1], [0, 0]]]


def test_what_bugs_have_to_say_is_of_bugs_that_exist() -> None:
    """By name; one that is not mentioned keeps what it has."""
    one, two = Mutant("one", "", Algorithm, differs="kept"), Mutant("two", "", Algorithm)
    assert [mutant.differs for mutant in telling((one, two), {"two": "said"})] == ["kept", "said"]
    with pytest.raises(ContractError, match=r"'tow', which is none of these\. Did you mean 'two'"):
        telling((one, two), {"tow": "said"})
