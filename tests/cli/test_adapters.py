"""The examples of adapters, run by the command that their page tells, on checkouts that are made here."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from tests.unit.examples import stand_ins

from .plugins import CommandLine

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "adapters"
CHECKOUTS = {
    "tabularl-ucbvi": ("TABULARL", stand_ins.tabularl, "visits"),
    "exploration-lsvi-ucb": ("EXPLORATION_IN_RL", stand_ins.testbed, "regression"),
    "rlberry-ucbvi": ("RLBERRY", stand_ins.rlberry, "first-bonus"),
}
"""By algorithm, the variable that names its checkout, what makes one, and the claim that its bug violates."""


@pytest.fixture
def adapted(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A command line beside which the examples are installed, without any checkout."""
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = command.site / "verifier_checkouts-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = [f"{name} = {module}\n" for name, module in project["entry-points"]["verifier"].items()]
    (metadata / "entry_points.txt").write_text("".join(["[verifier]\n", *lines]))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")])))
    for variable in ("TABULARL", "EXPLORATION_IN_RL", "RLBERRY", "RLBERRY_RESEARCH"):
        monkeypatch.delenv(variable, raising=False)
    return command


@pytest.mark.parametrize("bug", [False, True])
@pytest.mark.parametrize("name", CHECKOUTS)
def test_an_adapter_is_checked_by_the_command(
    name: str, bug: bool, adapted: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable, make, claim = CHECKOUTS[name]
    monkeypatch.setenv(variable, str(make(adapted.folder, bug)))
    outcome = adapted.check(name, "--claim", claim, "--instance", "random", "--budget", "1s", "--jobs", "1")
    assert outcome.code == int(bug), outcome.words
    assert outcome.verdicts(name)[claim] == ("violated" if bug else "conforms")


def test_without_a_checkout_the_command_says_what_to_set(adapted: CommandLine) -> None:
    outcome = adapted("check", "tabularl-ucbvi")
    assert (outcome.code, "set TABULARL=" in outcome.words) == (4, True), outcome.words


def test_the_page_names_the_commits_that_were_run() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    known = (ROOT / "docs" / "published-code.md").read_text(encoding="utf-8")
    rows = [row.split("|") for row in page.splitlines() if row.startswith("| `")]
    assert len(rows) == 4
    for row in rows:
        (repository,) = re.findall(r"\[[\w-]+/([\w-]+)\]", row[2])
        (commit,) = re.findall(r"\b[0-9a-f]{7,8}\b", row[3])
        assert any(repository in line and commit in line for line in known.splitlines()), f"{repository} {commit}"
