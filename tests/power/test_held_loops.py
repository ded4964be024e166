"""Code that drives its environment, held against an algorithm: in a function and in a class, right and with one mistake each."""

from __future__ import annotations

import inspect
import linecache
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.errors import UsageError
from verifier.campaign.code import code_of
from verifier.commands.agent_file import agent_in
from verifier.model.setting import Scenario
from verifier.plugins.registry import Registry, registry
from verifier_settings.episodic import EPISODIC, generators

from .harness import checked
from .held_agents import FILE, verdict

LOOPS = Path(__file__).with_name("loops.py")
LOOP_BUGS = {
    "q_learning": {
        "right": ("", ""),
        "rate 1/t": ("alpha = (H + 1) / (H + t)", "alpha = 1 / t"),
        "half the bonus": ("V[h + 1, s2] + c *", "V[h + 1, s2] + 0.5 * c *"),
        "state for successor": ("V[h + 1, s2]", "V[h + 1, s]"),
        "K for T": ("np.log(S * A * K * H / p)", "np.log(S * A * K / p)"),
        "counted over steps": ("N[h, s, a] += 1", "N[:, s, a] += 1"),
    },
    "Tabular": {
        "right": ("", ""),
        "half the bonus": ("b = self.c", "b = 0.5 * self.c"),
        "one episode late": (
            "            self.solve()\n            s, _info = self.env.reset()",
            "            s, _info = self.env.reset()",
        ),
        "reward forgotten": ("self.r + self.N", "self.N"),
    },
}
"""Code that drives its environment, an older gym's in a function and gymnasium's in a class, right and with one mistake each."""

TO = {"q_learning": "ucb-hoeffding", "Tabular": "ucbvi-ch"}
PUBLISHED = FILE.with_name("published.py")


@pytest.mark.one_in(10)
@pytest.mark.parametrize(("shape", "name"), [(shape, name) for shape, bugs in LOOP_BUGS.items() for name in bugs])
def test_code_that_drives_its_environment_is_held(shape: str, name: str) -> None:
    old, new = LOOP_BUGS[shape][name]
    text = LOOPS.read_text()
    assert old in text
    space: dict[str, Any] = {"__name__": "loops"}
    exec(compile(text.replace(old, new, 1), str(LOOPS), "exec"), space)
    # the paper has "for some constant c": half the bonus is no mistake where nobody says which one is meant
    constant = 1.0 if TO[shape] == "ucb-hoeffding" and name != "right" else None
    given = verifier.hold(space[shape], to=TO[shape], read={"Q": "Q"}, knob="c", constant=constant)
    entry = verdict(given, ("random",), ("published", "scaled(0.01)"))
    assert not entry.errors
    assert ("q-formula" in entry.first_broken) is (name != "right"), entry.first_broken
    if name == "right":
        assert {claim.name: claim.verdict for claim in entry.claims}["q-formula"] == "conforms"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "place", "broken"), [("half the bonus", "random", False), ("K for T", "gamble", True)])
def test_a_constant_that_depends_on_the_problem_is_none(name: str, place: str, broken: bool) -> None:
    """The constant that is found on one problem is that of all: a logarithm that is wrong differs by another factor on each."""
    space: dict[str, Any] = {"__name__": "loops"}
    exec(compile(LOOPS.read_text().replace(*LOOP_BUGS["q_learning"][name], 1), str(LOOPS), "exec"), space)
    given = verifier.hold(space["q_learning"], to="ucb-hoeffding", read={"Q": "Q"}, knob="c")
    assert given.algorithm.held.constant is not None
    assert ("q-formula" in verdict(given, (place,), ("scaled(0.01)",)).first_broken) is broken


@pytest.mark.parametrize("bug", [False, True])
def test_code_is_held_that_asserts_copies_and_resets_what_it_is_given(bug: bool) -> None:
    """As published agents do: of a copy nothing would be in a transcript, and a reset that nobody plays on is no episode."""
    text = PUBLISHED.read_text()
    space: dict[str, Any] = {"__name__": "published"}
    exec(compile(text.replace("self.H * self.L", "0.5 * self.H * self.L") if bug else text, str(PUBLISHED), "exec"), space)
    given = verifier.hold(space["Published"], to="ucbvi-ch", read={"Q": "Q", "V": "V"}, knob="c")
    entry = verdict(given, ("random",), ("published", "scaled(0.01)"))
    assert not entry.errors, entry.errors
    assert ("q-formula" in entry.first_broken) is bug, entry.first_broken
    assert {claim.name: claim.verdict for claim in entry.claims}["value-function"] == "conforms" or bug


FOUR_VALUES, NO_INFO = "s2, r, done, _ = env.step(a)", "s2, r, done = env.step(a)"


def test_step_may_have_three_values() -> None:
    """Environments of one's own often return the state, the reward, and whether the episode is over."""
    space: dict[str, Any] = {"__name__": "loops"}
    text = LOOPS.read_text().replace(FOUR_VALUES, NO_INFO)
    code = LOOPS.with_name("three.py")
    linecache.cache[str(code)] = (len(text), None, text.splitlines(keepends=True), str(code))
    exec(compile(text, str(code), "exec"), space)
    given = verifier.hold(space["q_learning"], to="ucb-hoeffding", read={"Q": "Q"}, knob="c")
    assert "takes 3 values from step and 1 from reset (a guess)" in given.algorithm.held.told()
    entry = verdict(given, ("random",), ("scaled(0.01)",))
    assert not entry.errors
    assert {claim.name: claim.verdict for claim in entry.claims}["q-formula"] == "conforms"


@pytest.mark.parametrize("wrapped", ["RecordEpisodeStatistics(env)", "TimeLimit(env, env.horizon)"])
def test_wrappers_of_gymnasium_take_the_environment(wrapped: str) -> None:
    pytest.importorskip("gymnasium", reason="its wrappers need gymnasium")
    text = LOOPS.read_text().replace("self.env, self.K = env,", f"self.env, self.K = wrappers.{wrapped},")
    space: dict[str, Any] = {"__name__": "loops"}
    exec(compile(f"from gymnasium import wrappers\n{text}", "loops.py", "exec"), space)
    given = verifier.hold(space["Tabular"], to="ucbvi-ch", read={"Q": "Q"}, knob="c")
    entry = verdict(given, ("random",), ("scaled(0.01)",))
    assert not entry.errors, entry.errors
    assert {claim.name: claim.verdict for claim in entry.claims}["q-formula"] == "conforms"


class Tutorial:
    """As the tutorials of gymnasium have it: it sees the spaces of its environment, and something else plays."""

    def __init__(self, env: Any, c: float = 2**0.5) -> None:
        self.env, self.c, self.h = env, c, 0
        self.q_values = np.full((env.H, env.observation_space.n, env.action_space.n), float(env.H))

    def get_action(self, obs: int) -> int:
        """The best action, or any."""
        assert self.env.action_space.contains(self.env.action_space.sample())
        return int(self.q_values[self.h, obs].argmax())

    def update(self, obs: int, action: int, reward: float, terminated: bool, next_obs: int) -> None:
        """Learn from a step."""
        self.q_values[self.h, obs, action] -= 0.1
        self.h = 0 if terminated else self.h + 1


@pytest.mark.parametrize(("to", "place"), [("ucbvi-ch", "random"), ("lifelong-lsvi", "onehot")])
def test_an_agent_that_is_asked_for_actions_may_look_at_an_environment(to: str, place: str) -> None:
    """Its spaces tell sizes. There is an environment in every setting; that it plays nothing is in `test_held_mistakes`."""
    given = verifier.hold(Tutorial, to=to)
    assert given.algorithm.held.new.text == "Tutorial(env=env)"
    entries = [verdict(given, (place,), ("published",)) for _ in range(2)]
    assert not entries[0].errors, entries[0].errors
    assert entries[0].claims == entries[1].claims


def test_a_loop_of_one_step_can_be_followed() -> None:
    """The width of an update is asked for after the last step, too, though nothing follows."""
    space: dict[str, Any] = {"__name__": "loops"}
    exec(compile(LOOPS.read_text(), str(LOOPS), "exec"), space)
    given = verifier.hold(space["q_learning"], to="ucb-hoeffding", read={"Q": "Q"}, knob="c")
    short = Scenario("random", "one step of one episode", partial(generators.random, S=2, A=2, H=1, K=1))
    known = Registry({given.name: given}, {**registry().settings, "episodic": replace(EPISODIC, catalogue=(short,))})
    entry = checked(known, given.name, ("random",), ("published",), 0, 1)
    assert not entry.errors, entry.errors


def test_the_line_of_a_function_is_named() -> None:
    loop = agent_in(f"{LOOPS}:q_learning")
    source, first = inspect.getsourcelines(loop)
    line = first + next(n for n, text in enumerate(source) if "Q[h, s, a] = " in text)
    claims = registry().guarantees["ucb-hoeffding"].claims
    given = verifier.hold(loop, to="ucb-hoeffding", read={"Q": "Q"})
    place = code_of(given.algorithm, next(claim for claim in claims if claim.name == "q-formula"))
    assert str(place) == f"q_learning() in loops.py:{line}"


def test_the_knob_of_a_function_is_a_parameter_with_a_number() -> None:
    loop = agent_in(f"{LOOPS}:q_learning")
    wrong = "has to be a parameter with a number as its default"
    for knob, told in (("alpha", wrong), ("p", wrong), (("c", lambda width, public: width), "is multiplied, and has no formula")):
        with pytest.raises(UsageError, match=told):
            verifier.hold(loop, to="ucb-hoeffding", read={"Q": "Q"}, knob=knob)
