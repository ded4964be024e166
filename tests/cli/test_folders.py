"""Folders of plugin projects in place of names: what is printed can be typed as it stands."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.gate.project import generate, replace

from .conftest import Invoke
from .plugins import CommandLine

FEW = ("--claim", "bonus-formula", "--regime", "published", "--jobs", "1")


@pytest.fixture
def broken(command: CommandLine) -> CommandLine:
    """Beside a project, in a folder with a blank, whose algorithm has half the bonus."""
    project = generate(command.folder / "my work", setting="episodic")
    replace(project / "src" / "fresh" / "algorithm.py", "return beta / np.sqrt(visits)", "return 0.5 * beta / np.sqrt(visits)")
    return command


def replays(text: str) -> list[str]:
    """The commands that a report tells to type, their line breaks undone."""
    return [" ".join(found.split()) for found in re.findall(r"verifier (replay (?:.|\n)+?:\d+:\d+'?)", text)]


@pytest.mark.full
def test_what_a_check_of_a_folder_prints_can_be_typed(broken: CommandLine) -> None:
    outcome = broken.check("./my work/fresh", *FEW)
    assert outcome.code == 1, outcome.words
    (drawn,) = replays(outcome.out)
    assert shlex.split(drawn)[:3] == ["replay", "--project", "my work/fresh"]
    again = broken(*shlex.split(drawn))
    assert again.code == 1, again.words
    assert replays(again.out) == [drawn], "it says of itself how it is seen again"


@pytest.mark.full
def test_power_and_scale_take_folders(command: CommandLine) -> None:
    generate(command.folder, setting="episodic")
    outcome = command("power", "./fresh", "--mutant", "half-bonus", "--regime", "published", "--output", "json=p.json")
    assert outcome.code == 0, outcome.words
    (entry,) = json.loads((command.folder / "p.json").read_text())["algorithms"]
    (half,) = (mutant for mutant in entry["power"]["mutants"] if mutant["name"] == "half-bonus")
    assert half["kills"][0]["project"] == "fresh"
    none = command("scale", "fresh/")
    assert (none.code, "fresh: no scaling claims" in none.words) == (5, True), none.words


@pytest.mark.parametrize("command", ["check", "power", "scale", "gate", "replay"])
def test_a_folder_that_is_no_project_is_refused(command: str, invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    arguments = ("a/b:c:oracle:0:0", "--project", "empty") if command == "replay" else ("./empty",)
    outcome = invoke(command, *arguments)
    assert outcome.code == 2
    assert "empty/pyproject.toml cannot be read: No such file or directory; give the folder of a plugin project" in outcome.words
