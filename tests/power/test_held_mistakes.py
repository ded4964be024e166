"""Mistakes of agents that are held: one message, with what was given, what was expected, and the line of the user's file."""

from __future__ import annotations

from pathlib import Path

import pytest

import verifier
from verifier.base.errors import UsageError
from verifier.commands.agent_file import agent_in

from .held_agents import verdict

FILE = Path(__file__).with_name("mistakes.py")
TOLD = {
    "resets_twice": "env.reset was called after 1 of the H = 4 steps of episode 1; expected all of them",
    "never_steps": "never_steps(env=env, episodes=K) ended after 0 of K = 150 episodes, and 0 of 4 steps of the next",
    "too_few": "too_few(env=env, episodes=K) ended after 147 of K = 150 episodes; expected all of them",
    "too_many": "env.reset was called for episode 151; expected the K = 150 episodes of this run: end the loop after them",
    "plays_on": "env.step was called after the last of the H = 4 steps of episode 1, which returned `truncated` as True; "
    "expected env.reset: end the loop over steps where `terminated or truncated` is True",
    "plays_on_in_gym": "which returned `done` as True; expected env.reset: end the loop over steps where `done` is True",
    "no_reset": "env.step was called before env.reset; expected env.reset at the start of each episode",
    "no_action": "env.step was given None; expected an action, a whole number from 0 to 1",
    "out_of_range": "env.step was given 2; expected an action, a whole number from 0 to 1",
    "Changes": "ValueError: output array is read-only",
    "Plays": "env.step was called by an agent that is asked for its actions; expected no call of it, because the harness plays",
    "Plans": "plan() returned actions from 2 to 2; expected 0 to 1",
}


@pytest.mark.parametrize("name", TOLD)
def test_a_mistake_is_told_in_the_words_of_the_agent_with_its_line(name: str) -> None:
    lines = FILE.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if f" {name}(" in line or f" {name}:" in line)
    line = 1 + next(number for number in range(start, len(lines)) if lines[number].endswith("# here"))
    entry = verdict(verifier.hold(agent_in(f"{FILE}:{name}"), to="ucbvi-ch", read={"Q": "Q"}), ("random",), ("published",))
    (told,) = {error.message for error in entry.errors}
    assert TOLD[name] in told
    assert f"(mistakes.py:{line}, in " in told
    assert not any(word in told for word in ("begin_episode", "run()"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\ny = x / 0\n", "ZeroDivisionError: division by zero (mine.py:2); expected a file that can be imported"),
        ("class A:\n    from math import nothing\n", "(mine.py:2, in A); expected a file"),
        ("class A:\n    x = (\n", "SyntaxError: '(' was never closed (mine.py, line 2)"),
    ],
)
def test_the_line_is_named_that_ends_an_import(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(UsageError, match="cannot be imported") as caught:
        agent_in(f"{tmp_path / 'mine.py'}:A")
    assert told in str(caught.value)
