"""The examples of bandits of packages that can be installed, on packages that are made here."""

from __future__ import annotations

import importlib
import importlib.metadata
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from verifier import Guarantees
from verifier.base.errors import MissingExtraError
from verifier.commands.board import adapters
from verifier.model.result import TrialSpec
from verifier.model.validation import validate
from verifier.plugins.provided import Broken
from verifier.plugins.registry import Registry, registry
from verifier.record.file import read_record
from verifier.trials.trial import run
from verifier_reports.board import DOCUMENTED, LABELS, BoardWriter, deviations, findings_of, label, libraries
from verifier_reports.summary import with_verdict
from verifier_settings.episodic import EPISODIC

from . import bandit_stand_ins

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "bandits"
MODULES = tuple(bandit_stand_ins.PACKAGES)
DEVIATES = {"smpy-moss"}
"""Agents that do not know the number of rounds, and so cannot be the algorithm even where they are right."""


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of the examples can be imported; what a test imports is forgotten, an installed package is out of the way."""
    for name in [name for name in sys.modules if name.partition(".")[0] in bandit_stand_ins.TOP]:
        monkeypatch.delitem(sys.modules, name)
    known = set(sys.modules)
    monkeypatch.syspath_prepend(FOLDER)
    yield
    for name in sys.modules.keys() - known:
        if name.startswith("verifier_published") or "/site-packages/" not in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


def offered(module: str) -> list[Guarantees]:
    found: list[Guarantees] = importlib.import_module(f"verifier_published.{module}").verifier_algorithms()
    return found


def broken(guarantees: Guarantees) -> set[str]:
    result = run(TrialSpec(guarantees.name, "bandit-ties", "published", 0, 0), guarantees, EPISODIC)
    assert result.error is None, result.error
    return {name for name, found in result.measurements.items() if not found.holds}


@pytest.mark.parametrize("bug", [False, True])
@pytest.mark.parametrize("module", MODULES)
def test_a_package_is_held(module: str, bug: bool, prepared: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(bandit_stand_ins.write(tmp_path, module, bug))
    for guarantees in offered(module):
        validate(guarantees)
        wrong = {"failures"} if guarantees.algorithm.draws else {"decisions"}
        found = broken(guarantees)
        assert found - {"draws", "beta-law"} == (wrong if bug or guarantees.name in DEVIATES else set()), guarantees.name
        (own,) = guarantees.algorithm.libraries
        assert own in sys.modules or module == "baytune"


@pytest.mark.parametrize("module", MODULES)
def test_a_package_that_is_missing_is_told(module: str, prepared: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    with pytest.raises(MissingExtraError, match=f"; pip install {bandit_stand_ins.PACKAGES[module][0]}") as caught:
        offered(module)
    item = Broken(module, "", str(caught.value), "", caught.value.names, caught.value.groups, optional=True)
    assert adapters(Registry({}, registry().settings, broken=[item])) == caught.value.names


def test_every_module_is_a_plugin_of_the_project() -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {value.partition(".")[2] for value in project["entry-points"]["verifier"].values()} == {*MODULES}


def test_the_pages_have_every_agent(prepared: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the verdict of the page; a deviation is one only if the package documents it."""
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    for module in MODULES:
        monkeypatch.syspath_prepend(bandit_stand_ins.write(tmp_path / module, module, False))
        for guarantees in offered(module):
            (row,) = (line for line in table.splitlines() if f"| `{guarantees.name}` |" in line)
            why = {claim.why for claim in guarantees.claims if claim.name in ("decisions", "failures")}
            documented = any(text.startswith(DOCUMENTED) for text in why)
            script = guarantees.algorithm.script
            assert script is not None
            told = "deviation" if documented else "violated" if script.lines_of else "conforms"
            assert f"| {told} |" in row, row


def test_the_board_is_that_of_its_record_and_agrees_with_the_page() -> None:
    record = read_record(ROOT / "docs" / "board.json.gz")
    assert BoardWriter().render(record) == (ROOT / "docs" / "board.md").read_text(encoding="utf-8")
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    of_packages = [algorithm for algorithm in record.algorithms if f"| `{algorithm.name}` |" in table]
    assert len(of_packages) == table.count("\n| `")
    for algorithm in of_packages:
        violated, apart = with_verdict(algorithm, "violated"), deviations(algorithm)
        told = "violated" if len(violated) > len(apart) else "deviation" if apart else "conforms"
        assert not with_verdict(algorithm, "inconclusive")
        (row,) = (line for line in table.splitlines() if f"| `{algorithm.name}` |" in line)
        assert row.endswith(f"| {told} |")
        assert f"| {libraries(algorithm)} |" in row


def test_every_finding_of_the_board_says_what_is_broken_and_that_of_a_package_has_a_script() -> None:
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    for algorithm in read_record(ROOT / "docs" / "board.json.gz").algorithms:
        for claim, _ in findings_of(algorithm):
            assert label(claim)[0] in LABELS, claim.id
            assert all(label(claim)), claim.id
            assert claim.script or f"| `{algorithm.name}` |" not in table, claim.id


@pytest.mark.parametrize("module", MODULES)
def test_a_script_prints_what_the_board_says(module: str, prepared: Any) -> None:
    """In a process of its own, with the package as it is installed."""
    distribution = bandit_stand_ins.PACKAGES[module][0]
    try:
        importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"needs {distribution}")
    for guarantees in offered(module):
        script = guarantees.algorithm.script
        assert script is not None
        for told in script.written.values():
            assert "verifier" not in told.text
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", told.text], capture_output=True, text=True, check=True)
            assert done.stdout.splitlines()[-1] == told.prints


def test_a_violation_has_a_script(prepared: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in MODULES:
        monkeypatch.syspath_prepend(bandit_stand_ins.write(tmp_path / module, module, False))
        for guarantees in offered(module):
            script = guarantees.algorithm.script
            assert script is not None
            why = {name: guarantees.claim(name).why for name in script.lines_of}
            assert {name for name, text in why.items() if not text.startswith(DOCUMENTED)} == set(script.written)
