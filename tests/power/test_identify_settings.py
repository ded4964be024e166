"""Agents with tasks, or with rewards in parts, are identified by what they do, as those of the episodic setting are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.errors import ExitCode, UsageError

from .held_agents import verdict
from .identified import outcome
from .tasked import FACTORED, LIFELONG, agent

PLACES = {"lifelong-lsvi": ("one-state", "other-constants"), "fmdp-ch": ("full-scopes",)}
"""Instances of the sample: small ones."""
SAME = {
    "lifelong-lsvi": {"no-positive-part", "boastful", "wishful-width", "plans-in-secret"},
}
"""Planted bugs that change no decision on any problem that is looked at."""
BUGS = {
    "lifelong-lsvi": {
        "no-clip": ("np.minimum(self.Q[h].max(axis=1), self.H)", "self.Q[h].max(axis=1)"),
        "previous-task": ("self.reward[h, :, :, w]", "self.reward[h, :, :, 0]"),
        "state-for-successor": ("self.moved[h, :, s2]", "self.moved[h, :, s]"),
    },
    "fmdp-ch": {
        "no-clip": ("np.minimum(H, reward + bonus + P @ V)", "reward + bonus + P @ V"),
    },
}
"""Lines of an agent that make a planted bug of it."""
TEXTS = {"lifelong-lsvi": LIFELONG, "fmdp-ch": FACTORED}
KNOBS = {"lifelong-lsvi": "beta", "fmdp-ch": "share"}


@pytest.mark.parametrize("bug", ["no-clip", "half-the-data", "unit-ridge-width", "previous-policy"])
def test_a_planted_bug_is_named(bug: str) -> None:
    assert outcome(verifier.identify(f"lifelong-lsvi~{bug}", ["lifelong-lsvi"], instances=PLACES["lifelong-lsvi"])) == "named"


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "bug"), [("lifelong-lsvi", ""), *((name, bug) for name, bugs in BUGS.items() for bug in bugs)])
def test_a_class_is_named(name: str, bug: str) -> None:
    mine = agent(TEXTS[name], *(BUGS[name][bug] if bug else ()))
    told = {each.name for each in verifier.identify(mine, [name], instances=PLACES[name], knob=KNOBS[name]).answer}
    if bug:
        assert told == {f"{name}~{bug}"}
    else:
        assert name in told
        assert told <= {name, *(f"{name}~{same}" for same in SAME[name])}


class Wanderer:
    """Plays what nobody here would."""

    def __init__(self, A: int, seed: int) -> None:
        self.A, self.rng = A, np.random.default_rng(seed)

    def act(self, s: int) -> int:
        """Any action."""
        return int(self.rng.integers(self.A))


@pytest.mark.parametrize("name", PLACES)
def test_an_agent_that_is_none_of_these_is_not_named(name: str) -> None:
    found = verifier.identify(Wanderer, [name], instances=PLACES[name], update="none")
    assert (found.answer, found.exit_code) == ((), ExitCode.VIOLATED)
    assert "None of these: each is refuted." in found.text()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "bug"), [(name, bug) for name, bugs in BUGS.items() for bug in ("", *bugs)])
def test_a_bug_is_found_by_actions_alone(name: str, bug: str) -> None:
    mine = agent(TEXTS[name], *(BUGS[name][bug] if bug else ()))
    entry = verdict(verifier.hold(mine, to=name, knob=KNOBS[name]), PLACES[name])
    assert not entry.errors
    assert entry.first_broken == (("decisions",) if bug else ())
    assert {claim.name: claim.verdict for claim in entry.claims}["decisions"] == ("violated" if bug else "conforms")


def _loop(env: Any, episodes: int) -> None:
    env.reset()


@pytest.mark.parametrize(
    ("name", "calls", "told"),
    [
        ("lifelong-lsvi", {"read": {"Q": "Q"}}, "tables cannot be held against lifelong-lsvi yet"),
        ("lifelong-lsvi", {"fit": "act(env)"}, "has to be told the task of each episode"),
    ],
)
def test_what_cannot_be_asked_is_told(name: str, calls: dict[str, Any], told: str) -> None:
    mine = _loop if "fit" in calls else Wanderer
    with pytest.raises(UsageError, match=told):
        verifier.hold(mine, to=name, **({} if "fit" in calls else calls))


class Arms:
    """UCB1 of somebody, with the number of rounds so far as the time."""

    def __init__(self, n_arms: int) -> None:
        self.counts, self.sums = np.zeros(n_arms), np.zeros(n_arms)

    def time(self) -> float:
        return float(self.counts.sum())

    def select_arm(self) -> int:
        if (self.counts == 0).any():
            return int(np.argmin(self.counts))
        return int(np.argmax(self.sums / self.counts + np.sqrt(2 * np.log(self.time()) / self.counts)))

    def update(self, arm: int, reward: float) -> None:
        self.counts[arm] += 1
        self.sums[arm] += reward


class Twice(Arms):
    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        super().update(arm, reward)


BANDITS = ("bandit-two", "bandit-few-rounds", "bandit-graded")


@pytest.mark.parametrize(("agent", "name"), [(Arms, "ucb1"), (Twice, "ucb1~counts-twice")])
def test_a_bandit_is_named(agent: type[Arms], name: str) -> None:
    """They run on no instance that tells agents of several states apart, and are looked at on their own."""
    found = verifier.identify(agent, ["ucb1", "moss"], instances=BANDITS, update="update(a, r)")
    told = {each.name for each in found.answer}
    assert name in told
    assert ("ucb1" in told) is (name == "ucb1")
    assert "moss" not in told
    assert "ucb1" not in {each.name for each in found.candidates if each.lost}


def test_algorithms_that_have_no_instance_in_common_are_not_compared() -> None:
    with pytest.raises(UsageError, match="no instance on which all of ucb1, mvp run"):
        verifier.identify(Arms, ["ucb1", "mvp"], update="update(a, r)")
