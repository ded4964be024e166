"""`verifier new NAME --as ucbvi-ch --agent SHAPE`: what is written passes its own test, and fails it with one line wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .plugins import CommandLine

WRITTEN = {
    "ucb1": ("index-formula", "2 * np.log(", "np.log("),
    "ucb-hoeffding": ("q-formula", "+ 1) / (", ") / ("),
    "ucbvi-ch": ("q-formula", "np.minimum(backup, ", "np.maximum(backup, "),
    "lsvi-ucb": ("q-formula", "Q[h + 1, next_state].max()", "Q[h, next_state].max()"),
}
"""By algorithm, the claim that its first lines are about, and a part of one of them with what somebody could have written."""


def judged(claim: str, folder: Path, command: CommandLine) -> tuple[int, str]:
    """Exit code and output of the one test of a claim that the folder has at a hundredth of the width."""
    # A run within a run of pytest-xdist would take itself for a worker of that, and its verdicts for those of the run before.
    environment = {name: value for name, value in command.environment().items() if not name.startswith("PYTEST_")}
    one = ("-k", f"{claim} and 0.01", "--verifier-budget", "3s", "-p", "no:cacheprovider", "-q")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *one],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.one_in(12)
@pytest.mark.parametrize("to", WRITTEN)
@pytest.mark.parametrize("shape", ["class", "planner", "loop", "function"])
def test_an_agent_passes_its_test_and_fails_it_with_a_line_wrong(to: str, shape: str, command: CommandLine) -> None:
    written = command("new", "mine", "--as", to, "--agent", shape)
    assert written.code == 0, written.err
    agent = "mine" if shape == "function" else "Mine"
    read = "index" if to == "ucb1" else "Q"
    assert written.out.splitlines() == [
        "mine/mine.py",
        "mine/test_mine.py",
        "",
        f"Now: cd mine; pytest; verifier check mine.py:{agent} --as {to} --read Q={read} --knob c",
    ]
    folder, (claim, right, wrong) = command.folder / "mine", WRITTEN[to]
    code, out = judged(claim, folder, command)
    assert (code, "1 passed" in out) == (0, True), out
    file = folder / "mine.py"
    text = file.read_text(encoding="utf-8")
    assert text.count(right) == 1
    file.write_text(text.replace(right, wrong))
    code, out = judged(claim, folder, command)
    assert (code, "1 failed" in out) == (1, True), out


@pytest.mark.full
def test_the_command_that_is_named_works(command: CommandLine) -> None:
    command("new", "my-ucbvi", "--as", "ucbvi-ch")
    few = ("--instance", "random", "--regime", "scaled(0.01)", "--jobs", "1", "--budget", "1s")
    arguments = ("my-ucbvi/my_ucbvi.py:MyUcbvi", "--as", "ucbvi-ch", "--read", "Q=Q", "--knob", "c")
    outcome = command.check(*arguments, *few)
    assert outcome.code == 0, outcome.words
    assert outcome.verdicts("my-ucbvi")["q-formula"] == outcome.verdicts("my-ucbvi")["decisions"] == "conforms"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("mine", "--as", "ucrl2"), "no agent of 'ucrl2' is written, but of ucb1, ucb-hoeffding, ucbvi-ch, lsvi-ucb."),
        (("mine", "--agent", "loop"), "--agent is about an agent of an algorithm that is here; say which one, --as NAME"),
        (
            ("mine", "--as", "ucbvi-ch", "--verifier-source", "x"),
            "--verifier-source is about a plugin project, and --as writes none",
        ),
        (("numpy", "--as", "ucbvi-ch"), "name 'numpy' would give the package 'numpy', which is taken"),
    ],
)
def test_what_cannot_be_written_is_told(arguments: tuple[str, ...], told: str, command: CommandLine) -> None:
    outcome = command("new", *arguments)
    assert outcome.code == 2
    assert told in outcome.words
