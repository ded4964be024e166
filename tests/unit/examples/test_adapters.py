"""The examples of adapters for code that exists only as a repository, on checkouts that are made here."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from verifier.base.errors import MissingExtraError
from verifier.campaign.entry import _libraries
from verifier.model.result import TrialResult, TrialSpec
from verifier.model.validation import validate
from verifier.plugins.source import source_hash
from verifier.trials.trial import run
from verifier_settings.episodic import EPISODIC

from . import stand_ins

RESEARCH: dict[str, set[str]] = {
    "research-ucbvi": {"bonus-formula"},
    "research-optql": set(),
    "research-psrl": set(),
    "research-rlsvi": set(),
}
"""Agents of rlberry-research, with what is violated in one trial, whatever is drawn."""

FOLDER = Path(__file__).parents[3] / "examples" / "adapters"
OWN = ("verifier_checkouts", "TabulaRL", "ExplorationInRL", "rlberry_checkout", "rlberry_research")
VARIABLES = ("TABULARL", "EXPLORATION_IN_RL", "RLBERRY", "RLBERRY_RESEARCH")
SET = {variable: os.environ.get(variable, "") for variable in VARIABLES}


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The package of the examples, without a checkout."""
    monkeypatch.syspath_prepend(FOLDER)
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    yield importlib.import_module("verifier_checkouts")
    for name in [name for name in sys.modules if name.partition(".")[0] in OWN]:
        del sys.modules[name]


def trial(plugin: Any, instance: str = "random", name: str = "") -> TrialResult:
    guarantees = next(each for each in plugin.verifier_algorithms() if name in ("", each.name))
    validate(guarantees)
    result = run(TrialSpec(guarantees.name, instance, "published", 0, 0), guarantees, EPISODIC)
    assert result.error is None, result.error
    return result


def broken(result: TrialResult) -> set[str]:
    return {name for name, found in result.measurements.items() if not found.holds}


def test_without_a_checkout_it_is_said_what_to_set(plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = "TabulaRL or ExplorationInRL or rlberry_checkout or rlberry_research"
    with pytest.raises(MissingExtraError, match=f"needs {needed}, which is not there"):
        plugin.verifier_algorithms()
    monkeypatch.setenv("TABULARL", str(tmp_path))  # no folder `src` in it
    with pytest.raises(MissingExtraError) as caught:
        plugin.verifier_algorithms()
    assert caught.value.names == ("tabularl-ucbvi", "exploration-lsvi-ucb", "rlberry-ucbvi", *RESEARCH)


@pytest.mark.parametrize("bug", [False, True])
def test_tabularl(bug: bool, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABULARL", str(stand_ins.tabularl(tmp_path, bug)))
    result = trial(plugin)
    assert plugin.verifier_algorithms()[0].theorem == "REGRET"
    assert broken(result) == ({"visits"} if bug else set())
    assert trial(plugin).digest == result.digest, "what it draws comes from the run's own generator"
    assert "agent" not in sys.modules


@pytest.mark.parametrize("bug", [False, True])
def test_exploration_in_rl(bug: bool, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPLORATION_IN_RL", str(stand_ins.testbed(tmp_path, bug)))
    result = trial(plugin)
    assert plugin.verifier_algorithms()[0].theorem == "REGRET"
    assert broken(result) == ({"regression"} if bug else set())
    assert {"gram", "regression", "value-function", "plays-policy", "value-cap", "optimism"} <= set(result.measurements)
    assert not {"environments", "tqdm"} & {name for name, module in sys.modules.items() if not hasattr(module, "__file__")}
    assert _libraries(plugin.verifier_algorithms()[0].algorithm) == {"libraries": {"ExplorationInRL": "0123456789"}}


def test_a_checkout_has_a_source_that_stored_results_depend_on(
    plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that is made without a specification has files, too."""
    monkeypatch.setenv("TABULARL", str(stand_ins.tabularl(tmp_path, False)))
    (guarantees,) = plugin.verifier_algorithms()
    before = source_hash(guarantees, EPISODIC)
    monkeypatch.setattr(sys.modules["TabulaRL"], "__spec__", None)
    assert source_hash(guarantees, EPISODIC) == before


@pytest.mark.parametrize("bug", [False, True])
def test_rlberry(bug: bool, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkout's package is run, whatever else is imported under its name, and leaves no trace of it."""
    monkeypatch.setenv("RLBERRY", str(stand_ins.rlberry(tmp_path, bug)))
    installed = ModuleType("rlberry")
    monkeypatch.setitem(sys.modules, "rlberry", installed)
    result = trial(plugin, "random")
    assert broken(result) == ({"first-bonus"} if bug else set())
    assert result.measurements["first-bonus"].powered > 0
    assert sys.modules["rlberry"] is installed
    assert "rlberry.spaces" not in sys.modules
    assert _libraries(plugin.verifier_algorithms()[0].algorithm) == {"libraries": {"rlberry_checkout": "fedcba9876"}}


@pytest.mark.parametrize("name", RESEARCH)
def test_rlberry_research(name: str, plugin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of commit 4b1c8ba: what docs/published-code.md says; skipped where no checkout is."""
    pytest.importorskip("rlberry_scool", reason="its code imports this library")
    if not SET["RLBERRY_RESEARCH"]:
        pytest.skip("no checkout of rlberry-research: RLBERRY_RESEARCH is not set")
    monkeypatch.setenv("RLBERRY_RESEARCH", SET["RLBERRY_RESEARCH"])
    result = trial(plugin, "random", name)
    assert broken(result) >= RESEARCH[name]
    if name != "research-ucbvi":
        assert broken(result) - {"noise-law"} == set()
    law = result.measurements.get("noise-law")
    assert (law is not None and law.value > 1e6) == (name == "research-rlsvi")


def test_the_examples_hold_no_code_of_others() -> None:
    """Beside the adapters there is the file that describes the project, and its page."""
    names = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*") if file.is_file() and file.suffix != ".pyc"}
    modules = ("__init__", "agent", "checkout", "exploration_in_rl", "rlberry", "rlberry_research", "tabularl")
    package = {f"verifier_checkouts/{name}.py" for name in modules}
    assert names == {"README.md", "pyproject.toml"} | package
