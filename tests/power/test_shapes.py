"""Agents that are called once for each episode: those that return its policy, and those that learn from the whole of it."""

from __future__ import annotations

import re
from typing import Any

import pytest

import verifier
from verifier.base.errors import UsageError
from verifier.record import AlgorithmEntry

from .held_agents import changed, verdict


def by_episode(**methods: Any) -> type[Any]:
    """The class of the thesis, asked for a policy and told of whole episodes; some methods may be others."""
    thesis = changed("", "")

    class Planner:
        def __init__(self, S: int, A: int, H: int, K: int, delta: float, reward: Any) -> None:
            self.inner = thesis(S, A, H, K, delta, reward, 0)

        def plan(self) -> Any:
            self.inner.plan()
            return self.inner.Q.argmax(axis=2)

        def observe(self, episode: list[tuple[int, int, float, int]]) -> None:
            for h, (s, a, r, s2) in enumerate(episode):
                self.inner.update(h, s, a, r, s2)

    return type("Planner", (Planner,), methods)


def of(agent: type[Any], **calls: Any) -> AlgorithmEntry:
    given = verifier.hold(agent, to="ucbvi-ch", read={"Q": "inner.Q"}, knob="inner.c", **calls)
    return verdict(given, ("random",), ("scaled(0.01)",))


def test_a_policy_is_played_and_what_was_played_is_told() -> None:
    entry = of(by_episode())
    assert not entry.errors
    told = {claim.name: claim.verdict for claim in entry.claims}
    assert "violated" not in told.values()
    assert told["q-formula"] == told["greedy"] == told["plays-policy"] == told["decisions"] == "conforms"


def test_the_policy_that_it_returns_is_what_is_judged() -> None:
    worst = by_episode(plan=lambda self: (self.inner.plan(), self.inner.Q.argmin(axis=2))[1])
    assert of(worst).first_broken == ("greedy",)
    late = by_episode(observe=lambda self, episode: self.inner.update(0, *episode[0]))  # the rest of the episode is forgotten
    assert of(late).first_broken == ("q-formula",)


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("None", "plan() returned None; expected the policy of the episode, an action for each step and state, of shape (n, n)"),
        ("self.inner.Q", "plan() returned an array of shape (n, n, n) and type floatn; expected the policy"),
        ("self.inner.Q.argmax(axis=2) + 9", "plan() returned actions from n to n; expected n to n"),
        ("[[0], [0, 1]]", "plan() returned rows of different lengths; expected the policy"),
    ],
)
def test_what_is_no_policy_is_told(returned: str, told: str) -> None:
    entry = of(by_episode(plan=eval(f"lambda self: {returned}")))
    assert told in re.sub(r"\d+", "n", entry.errors[0].message)


class Ending:
    """An agent of steps that plans when an episode has ended."""

    def __init__(self, S: int, A: int, H: int, K: int, delta: float, reward: Any) -> None:
        self.inner = changed("", "")(S, A, H, K, delta, reward, 0)
        self.inner.plan()

    def act(self, h: int, s: int) -> int:
        return int(self.inner.choose_action(h, s))

    def update(self, h: int, s: int, a: int, r: float, s2: int) -> None:
        self.inner.update(h, s, a, r, s2)

    def end_episode(self) -> None:
        self.inner.plan()


@pytest.mark.parametrize("after", ["", "end_episode()"])
def test_what_an_agent_does_at_the_end_of_an_episode_is_called(after: str) -> None:
    entry = of(Ending, after=after)
    assert not entry.errors
    assert "violated" not in {claim.verdict for claim in entry.claims}


def test_the_number_of_an_episode_is_no_episode() -> None:
    """A parameter `episode` beside others is a number; alone it is what was played."""
    counting = type("Counting", (Ending,), {"update": lambda self, s, a, s2, episode: self.inner.update(0, s, a, 0.0, s2)})
    told = verifier.hold(counting, to="ucbvi-ch").algorithm.held.told()  # type: ignore[attr-defined]  # it is a held one
    assert "learns by update(s=s, a=a, s2=s2, episode=k)" in told
    told = verifier.hold(by_episode(), to="ucbvi-ch").algorithm.held.told()  # type: ignore[attr-defined]  # as above
    assert "plans a policy by plan() (a guess); at its end observe(episode=steps)" in told


def test_what_an_episode_has_is_told() -> None:
    with pytest.raises(UsageError, match="names 'transitions'; known are steps, k"):
        verifier.hold(Ending, to="ucbvi-ch", after="end_episode(transitions)")
