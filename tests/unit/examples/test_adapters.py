"""The examples of adapters for code that exists only as a repository, on checkouts that are made here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from verifier.base.errors import MissingExtraError
from verifier.campaign.entry import _libraries
from verifier.model.result import TrialResult, TrialSpec
from verifier.model.validation import validate
from verifier.trials.trial import run
from verifier_settings.episodic import EPISODIC

from . import stand_ins

FOLDER = Path(__file__).parents[3] / "examples" / "adapters"
OWN = ("verifier_checkouts", "TabulaRL", "ExplorationInRL")


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The package of the examples, without a checkout."""
    monkeypatch.syspath_prepend(FOLDER)
    for variable in ("TABULARL", "EXPLORATION_IN_RL"):
        monkeypatch.delenv(variable, raising=False)
    yield importlib.import_module("verifier_checkouts")
    for name in [name for name in sys.modules if name.partition(".")[0] in OWN]:
        del sys.modules[name]


def trial(plugin: Any, instance: str = "random") -> TrialResult:
    (guarantees,) = plugin.verifier_algorithms()
    validate(guarantees)
    result = run(TrialSpec(guarantees.name, instance, "published", 0, 0), guarantees, EPISODIC)
    assert result.error is None, result.error
    return result


def broken(result: TrialResult) -> set[str]:
    return {name for name, found in result.measurements.items() if not found.holds}


def test_without_a_checkout_it_is_said_what_to_set(plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingExtraError, match=r"needs TabulaRL or ExplorationInRL, which is not there; set TABULARL=FOLDER or"):
        plugin.verifier_algorithms()
    monkeypatch.setenv("TABULARL", str(tmp_path))  # no folder `src` in it
    with pytest.raises(MissingExtraError) as caught:
        plugin.verifier_algorithms()
    assert caught.value.names == ("tabularl-ucbvi", "exploration-lsvi-ucb")


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


def test_the_examples_hold_no_code_of_others() -> None:
    """Beside the adapters there is the file that describes the project, and its page."""
    names = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*") if file.is_file() and file.suffix != ".pyc"}
    package = {f"verifier_checkouts/{name}.py" for name in ("__init__", "checkout", "exploration_in_rl", "tabularl")}
    assert names == {"README.md", "pyproject.toml"} | package
