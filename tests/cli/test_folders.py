"""Folders of plugin projects in place of names: what is printed can be typed as it stands."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.gate.project import generate, replace
from verifier.plugins.registry import registry

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
    return [" ".join(found.replace("\\\n", " ").split()) for found in re.findall(r"verifier (replay (?:.|\n)+?:\d+:\d+'?)", text)]


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


def test_a_planted_bug_of_a_folder_is_checked_and_explained(invoke: Invoke, tmp_path: Path) -> None:
    generate(tmp_path, setting="episodic")
    few = ("--claim", "bonus-formula", "--instance", "one-step", "--regime", "published", "--jobs", "1", "--no-store")
    outcome = invoke("check", "./fresh~half-bonus", *few)
    assert outcome.code == 1, outcome.words
    assert "fresh~half-bonus" in outcome.words
    told = invoke("explain", "./fresh~half-bonus")
    assert told.code == 0, told.words
    assert told.words.startswith("bug planted in fresh: ")
    assert "`verifier power ./fresh --mutant half-bonus` runs it" in told.words
    whole = invoke("explain", "./fresh")
    assert (whole.code, whole.words.startswith("fresh: ")) == (0, True), whole.words


def test_a_folder_is_read_again_in_the_same_process(invoke: Invoke, tmp_path: Path) -> None:
    """A notebook checks, its owner edits, the notebook checks again; no module of the folder stays behind."""
    file = generate(tmp_path, setting="episodic") / "src" / "fresh" / "algorithm.py"
    few = ("--claim", "bonus-formula", "--instance", "one-step", "--regime", "published", "--jobs", "1", "--no-store")
    assert invoke("check", "./fresh", *few).code == 0
    replace(file, "return beta / np.sqrt(visits)", "return 0.5 * beta / np.sqrt(visits)")
    assert invoke("check", "./fresh", *few).code == 1
    assert "fresh" not in sys.modules


def test_a_planted_bug_that_a_folder_does_not_have(invoke: Invoke, tmp_path: Path) -> None:
    generate(tmp_path, name="other", setting="episodic")
    for command in ("check", "explain"):
        outcome = invoke(command, "./other~half-bonsu")
        assert (outcome.code, "half-bonus" in outcome.words) == (2, True), outcome.words


def test_a_planted_bug_of_a_plugin_is_that_of_each_of_its_algorithms(invoke: Invoke) -> None:
    names, broken = registry("bandits").resolve("bandits~half-bonus")
    assert (names, broken) == (("ucb1~half-bonus", "moss~half-bonus", "oful~half-bonus"), ())
    told = invoke("explain", "bandits~half-bonus")
    assert told.code == 0, told.words
    assert [line[:25] for line in told.out.split("\n") if "planted" in line] == [
        "bug planted in ucb1: half",
        "bug planted in moss: half",
        "bug planted in oful: half",
    ]
    wrong = invoke("check", "bandits~half-bonsu")
    assert "no algorithm of plugin 'bandits' has a planted bug 'half-bonsu'. Did you mean 'half-bonus'" in wrong.words
