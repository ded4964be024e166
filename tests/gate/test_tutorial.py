"""The tutorial, docs/tutorial.md, in this environment: its files pass the gate, and its bug turns it red with the line named.

Only a line is added that leaves the algorithm few instances, as in the other tests of the gate, to save time. In an empty
environment, as its reader does it, the page is followed word by word by `test_fresh_environment`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ..cli.plugins import CommandLine
from . import tutorial
from .project import FEW, replace


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.mark.full
def test_the_tutorial_ends_in_a_green_gate_and_its_bug_in_a_red_one(command: CommandLine) -> None:
    _, new, gate = [line.removeprefix("verifier ").split() for line in (tutorial.START + tutorial.GATE).splitlines()]
    assert command(*new).code == 0
    project = command.folder / tutorial.PROJECT
    tutorial.write_files(project)
    replace(project / tutorial.ALGORITHM, "    yields =", f"    {FEW['episodic']}\n    yields =")
    green = command(*gate)
    assert green.code == 0, green.words
    assert "Gate green" in green.out
    tutorial.plant_bug(project)
    red = command(*gate)
    assert red.code == 1, red.words
    assert "Gate red" in red.out
    assert tutorial.first_broken(red.out) == "learning-rate"
