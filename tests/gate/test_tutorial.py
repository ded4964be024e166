"""The tutorial, followed word by word: its files pass the gate, and its bug turns the gate red with the line named.

Only a line is added that leaves the algorithm few instances, as in the other tests of the gate, to save time.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ..cli.plugins import CommandLine
from .project import FEW

TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TUTORIAL, re.M | re.S)
FILES = re.findall(r"`(src/my_q_learning/\w+\.py)`", TUTORIAL)


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def test_the_tutorial_ends_in_a_green_gate_and_its_bug_in_a_red_one(command: CommandLine) -> None:
    _, new, gate = [
        line.removeprefix("verifier ").split() for kind, text in BLOCKS if kind == "bash" for line in text.splitlines()
    ]
    *sources, right, wrong = [text for kind, text in BLOCKS if kind == "python"]
    assert len(sources) == len(FILES) == 4
    assert command(*new).code == 0
    project = command.folder / "my-q-learning"
    for name, text in zip(FILES, sources, strict=True):
        assert (project / name).exists(), "it is a file of the project that is replaced"
        (project / name).write_text(text)
    algorithm = project / FILES[0]
    algorithm.write_text(algorithm.read_text().replace("    yields =", f"    {FEW['episodic']}\n    yields ="))
    green = command(*gate)
    assert green.code == 0, green.words
    assert "Gate green" in green.out
    assert algorithm.read_text().count(right) == 1
    algorithm.write_text(algorithm.read_text().replace(right, wrong))
    red = command(*gate)
    assert red.code == 1, red.words
    assert "Gate red" in red.out
    first = re.search(r"✗ my-q-learning/(\S+)", red.out)
    assert first is not None
    assert first[1] == "learning-rate"
