"""The README's way to a project of one's own, and the tutorial, in an empty virtual environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import tutorial
from .fresh import NEEDS_INDEX, ROOT, Fresh
from .project import FEW, replace

pytestmark = [*NEEDS_INDEX, pytest.mark.full]


def test_a_project_written_in_an_empty_environment_passes_its_gate(tmp_path: Path) -> None:
    """The commands of the README; a line is added that leaves the algorithm few instances, to save time."""
    fresh = Fresh(tmp_path)
    install, new, gate = _block("**Write an algorithm together with its claims.**").splitlines()
    told = fresh.shell(f"{install}\n{new}")
    assert f"from {fresh.checkout.as_uri()}, which only this machine has" in " ".join(told.split())
    replace(fresh.checkout / "my-algorithm" / "src" / "my_algorithm" / "algorithm.py", 'instances = ("*",)', FEW["episodic"])
    assert "Gate green" in fresh.shell(gate)
    tests = fresh.shell("pip install --quiet -e './my-algorithm[test]'\npython -m pytest -q my-algorithm")
    assert " passed" in tests
    assert "failed" not in tests


@pytest.mark.deep
def test_the_tutorial_followed_word_by_word_in_an_empty_environment(tmp_path: Path) -> None:
    fresh = Fresh(tmp_path)
    fresh.shell(tutorial.START)
    project = fresh.checkout / tutorial.PROJECT
    tutorial.write_files(project)
    assert "Gate green" in fresh.shell(tutorial.GATE)
    tutorial.plant_bug(project)
    red = fresh.shell(tutorial.GATE, code=1)
    assert "Gate red" in red
    assert tutorial.first_broken(red) == "learning-rate"


def _block(title: str) -> str:
    """The first indented block of the README behind some words."""
    _, found, rest = (ROOT / "README.md").read_text(encoding="utf-8").partition(title)
    assert found, f"README.md has no {title}"
    lines = rest.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("    "))
    last = next(number for number, line in enumerate(lines[first:], first) if not line.strip())
    return "\n".join(line.strip() for line in lines[first:last])
