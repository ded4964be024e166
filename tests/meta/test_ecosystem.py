"""What other tools read of the repository says what the code does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from verifier.base.version import __version__
from verifier.cli.main import main

ROOT = Path(__file__).parents[2]


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def commands() -> list[str]:
    """The lines in which the action, the hook and the container call the command."""
    steps = read("action.yml")["runs"]["steps"]
    lines = [line for step in steps for line in step.get("run", "").splitlines() if line.startswith("verifier ")]
    lines += [hook["entry"] for hook in read(".pre-commit-hooks.yaml")]
    return lines + re.findall(r"\bverifier (verifier .+|check .+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("line", commands())
def test_commands_are_understood(line: str) -> None:
    words = shlex.split(re.sub(r"\$\{\{.*?\}\}|\$\w+", "", line).removeprefix("verifier "))
    command = main.commands[words[0]]
    # click keeps the options for help of the first context: it has to be one like those of the command line
    with click.Context(command, parent=click.Context(main, **main.context_settings)) as context:
        command.parse_args(context, words[1:])


def test_the_action_uses_the_inputs_it_has() -> None:
    action = read("action.yml")
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(action["inputs"])
    assert all("description" in item for item in action["inputs"].values())
    assert all("shell" in step for step in action["runs"]["steps"] if "run" in step), "composite steps need one"


def test_the_citation_is_of_this_version() -> None:
    citation = read("CITATION.cff")
    assert citation["version"] == __version__
    assert citation["license"] == "MIT"
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
