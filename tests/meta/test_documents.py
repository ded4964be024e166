"""Documents say what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from verifier.base.version import __version__
from verifier.cli.main import main
from verifier.plugins.registry import registry

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", *(f"docs/{path.name}" for path in (ROOT / "docs").iterdir()))


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere() -> None:
    assert tomllib.loads(text_of("pyproject.toml"))["project"]["version"] == __version__


@pytest.mark.parametrize("name", DOCUMENTS)
def test_files_named_in_a_document_exist(name: str) -> None:
    for path in re.findall(r"`((?:tests|verifier|plugins|properties|reports)/[\w./-]+\.\w+)`", text_of(name)):
        assert (ROOT / path).exists(), path


def test_commands_named_in_the_readme_exist() -> None:
    named = set(re.findall(r"verifier (list|check|explain|replay|report|power|errata|scale|new|gate)\b", text_of("README.md")))
    assert {"list", "check", "explain", "replay", "report"} <= named
    assert named <= set(main.commands)


def test_options_named_in_the_readme_exist() -> None:
    known = {option for command in main.commands.values() for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", text_of("README.md"))) <= known | {
        "--help",
        "--verifier",
    }  # the last of pytest


def test_replay_ids_in_the_readme_name_real_claims() -> None:
    for algorithm, claim in re.findall(r"\b([a-z-]+)/([a-z-]+):[a-z]", text_of("README.md")):
        if algorithm != "my-algorithm":  # what `verifier new` writes
            assert claim in {item.name for item in registry().guarantees[algorithm].claims}


def test_the_readme_runs_the_test_command_of_ci() -> None:
    command = next(line for line in text_of(".ci/run").splitlines() if "pytest -n auto" in line)
    assert command.strip().replace("--quiet ", "").replace("'", "") in text_of("README.md").replace("'", "")


@pytest.mark.parametrize("name", sorted(registry().guarantees))
def test_every_built_in_algorithm_says_what_it_does_not_check(name: str) -> None:
    guarantees = registry().guarantees[name]
    covered = {claim.clause for claim in guarantees.claims}
    assert {clause.key for clause in guarantees.clauses if not clause.unchecked} == covered
    assert all(len(clause.unchecked) > 10 for clause in guarantees.clauses if clause.unchecked)


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_has_help_that_stands_alone(command: str) -> None:
    text = main.commands[command].help or ""
    assert len(text) > 80


def test_nothing_installed_is_broken() -> None:
    assert [item for item in registry().broken if not item.optional] == []
