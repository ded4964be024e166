"""The commands as Python functions."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import verifier
from verifier.base.errors import ContractError, NothingSelectedError, UsageError
from verifier.model.algorithm import Algorithm
from verifier.model.mutant import planted
from verifier.plugins.registry import registry
from verifier.record.verdict import Verdict

FAST: dict[str, Any] = {"instances": ["few-episodes"], "regimes": ["oracle"], "keep": False, "jobs": 1}
"""One trial: the instance has no share of the trials of the profile."""

LIFELONG_LSVI = registry().guarantees_of("lifelong-lsvi")

NOTEBOOK = """
class Cell(base):
    name = "cell"
    factor = 0.5

    @classmethod
    def multiplier(cls, public):
        return cls.factor * super().multiplier(public)
"""
"""A class as a cell of a notebook defines it, with half the bonus."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cell(**attributes: Any) -> type[Any]:
    """A class of a module that no other process can import."""
    module = ModuleType("cell_of_a_notebook")
    vars(module)["base"] = LIFELONG_LSVI.algorithm
    exec(NOTEBOOK, vars(module))
    found: type[Any] = module.Cell
    for name, value in attributes.items():
        setattr(found, name, value)
    return found


def test_a_check_returns_verdicts() -> None:
    report = verifier.check("lifelong-lsvi", claims=["gram", "optimism"], **FAST)
    assert report.verdicts == {"lifelong-lsvi/gram": Verdict.CONFORMS, "lifelong-lsvi/optimism": Verdict.CONFORMS}
    assert (report.violated, report.errors, report.exit_code) == ((), (), 0)
    assert repr(report) == "lifelong-lsvi: 2 conforms"
    assert report.to_json()["command"] == ["verifier.check"]
    assert list(Path.cwd().iterdir()) == []


def test_a_class_stands_for_what_is_declared_of_it() -> None:
    report = verifier.check(LIFELONG_LSVI.algorithm, claims=["gram"], **FAST)
    assert list(report.verdicts) == ["lifelong-lsvi/gram"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("travels", [True, False])
def test_a_class_of_a_notebook_is_checked(travels: bool) -> None:
    attributes = {} if travels else {"lock": threading.Lock()}  # which no pickle can hold
    mine = replace(LIFELONG_LSVI, algorithm=cell(**attributes), errata=(), mutants=())
    report = verifier.check(mine, claims=["q-formula", "gram"], **FAST)
    assert report.violated == ("cell/q-formula",)
    assert report.verdicts["cell/gram"] is Verdict.CONFORMS
    assert "cell/q-formula violated: Q_h = " in repr(report)
    (claim,) = (claim for claim in report.record.algorithms[0].claims if claim.id == "cell/q-formula")
    entry = claim.regimes[0]  # the others are of the search
    again = verifier.replay(entry.replay, given=[mine])
    assert again.measurement is not None
    assert (again.measurement.value, again.exit_code) == (entry.value, 1)
    assert repr(again) == again.text.rstrip()
    assert again.violated == ("cell/q-formula",)
    assert again.to_json()["measurement"]["value"] == entry.value
    assert json.loads(again.save("again.json").read_text()) == again.to_json()


def test_the_text_of_a_replay_names_no_command_that_cannot_find_what_it_is_of() -> None:
    mine = replace(LIFELONG_LSVI, algorithm=cell(), errata=(), mutants=())
    report = verifier.check(mine, claims=["q-formula"], **FAST)
    (found,) = report.record.algorithms
    assert found.drawn
    for entry in found.drawn:
        told = report.replay(entry.replay).text
        assert "on a drawn instance" in told
        assert "verifier replay" not in told


def test_a_cause_is_told_once_however_many_runs_it_ends() -> None:
    def stops(self: Any, env: Any) -> Any:
        yield dict[int, int]()[0]

    mine = replace(LIFELONG_LSVI, algorithm=cell(run=stops), errata=(), mutants=())
    report = verifier.check(mine, claims=["gram"], **{**FAST, "regimes": ["oracle", "published"]})
    assert len(report.record.algorithms[0].errors) > 1
    (told,) = report.errors
    assert told.count("KeyError: 0") == told.count("cell on few-episodes") == 1
    assert repr(report).count("KeyError: 0") == 1


def test_results_of_what_is_not_installed_are_not_kept(tmp_path: Path) -> None:
    mine = replace(LIFELONG_LSVI, algorithm=cell(), mutants=())
    verifier.check(mine, claims=["gram"], **FAST | {"keep": True})
    assert list(tmp_path.iterdir()) == []
    verifier.check("lifelong-lsvi", claims=["gram"], **FAST | {"keep": True, "store": tmp_path / "kept"})
    assert (tmp_path / "kept").is_dir()


def test_bugs_planted_in_what_is_not_installed() -> None:
    right = cell(factor=1.0)
    bug = LIFELONG_LSVI.mutant("squared-bonus")
    mine = replace(LIFELONG_LSVI, algorithm=right, mutants=(replace(bug, algorithm=planted(bug.algorithm, right)),))
    report = verifier.power(mine, mutants=["squared-bonus"], budget="60s", keep=False)
    power = report.record.algorithms[0].power
    assert power is not None
    assert [mutant.outcome for mutant in power.mutants] == ["killed"]
    assert repr(report) == "cell: 1 killed"


def test_what_cannot_be_checked_is_told() -> None:
    with pytest.raises(UsageError, match=r"nothing is declared of the class Cell; give verifier\.Guarantees\(Cell, claims="):
        verifier.check(cell())
    with pytest.raises(UsageError, match="3 is no target"):
        verifier.check([3])  # type: ignore[list-item]  # on purpose
    with pytest.raises(UsageError, match="'ucblvdd' is no algorithm"):
        verifier.check("ucblvdd")
    with pytest.raises(UsageError, match="profile = 'fast'; expected one of"):
        verifier.check("ucblvd", profile="fast")
    with pytest.raises(UsageError, match="there is no argument 'sead'"):
        verifier.check("ucblvd", sead=1)  # type: ignore[call-arg]  # on purpose
    with pytest.raises(UsageError, match=r"there is no argument 'keeps'\. Did you mean 'keep'"):
        verifier.check("ucblvd", keeps=False)  # type: ignore[call-arg]  # on purpose
    with pytest.raises(UsageError, match="there is no argument 'instance'"):
        verifier.check("ucblvd", instance=["onehot"])  # type: ignore[call-arg]  # on purpose
    with pytest.raises(ContractError, match="the class Nameless has no name that could be printed; give it one, say name = "):
        verifier.check(replace(LIFELONG_LSVI, algorithm=type("Nameless", (Algorithm,), {}), mutants=()))
    with pytest.raises(NothingSelectedError):
        verifier.check("ucblvd", claims=["x*"])
    with pytest.raises(UsageError, match="blind mode needs an installed plugin"):
        verifier.check(replace(LIFELONG_LSVI, algorithm=cell(), mutants=()), blind=True, **FAST)


@pytest.mark.full
def test_what_a_report_prints_can_be_run_again() -> None:
    """Of a class that nothing is installed of, too; and one name needs no list."""
    report = verifier.check(replace(LIFELONG_LSVI, algorithm=cell(), mutants=()), **{**FAST, "instances": "few-episodes"})
    claim = next(iter(report.violated))
    assert f'report.replay("{claim}")' in repr(report)
    again = report.replay(claim)
    assert again.exit_code == 1
    assert claim in again.text
    with pytest.raises(UsageError, match="the report has no claim 'cell/optimsm'"):
        report.replay("cell/optimsm")


def test_reports_are_saved_by_the_ending_of_the_path(tmp_path: Path) -> None:
    report = verifier.check("lifelong-lsvi", claims=["gram"], **FAST)
    assert json.loads(report.save("record.json").read_text())["schema"] == "verifier.record/1"
    assert report.save(tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert report.save("page.htm").read_text() == Path("page.html").read_text()
    endings = {"md": "#", "xml": "<?xml", "sarif": "{", "txt": "verifier "}
    assert {ending: report.save(f"report.{ending}").read_text()[: len(start)] for ending, start in endings.items()} == endings
    assert report.save("again.txt", format="json").read_text() == Path("record.json").read_text()
    with pytest.raises(UsageError, match="has no ending that names a format"):
        report.save("report.docx")
    with pytest.raises(UsageError, match="output format 'docx' is not known"):
        report.save("report.docx", format="docx")
    with pytest.raises(UsageError, match="the folder 'missing' does not exist"):
        report.save("missing/record.json")


def test_a_notebook_shows_a_report_as_html() -> None:
    shown = verifier.check("lifelong-lsvi", claims=["optimism"], **FAST)._repr_html_()
    assert '<pre style="white-space: pre-wrap">lifelong-lsvi: 1 conforms</pre>' in shown
    assert "Q_h^k(s,a,w_k) ≥ Q*_h(s,a,w_k)" in shown


def test_scaling() -> None:
    report = verifier.scale("ucblvd", claims=["planning-horizon"], keep=False, budget="120s")
    assert report.verdicts == {"ucblvd/planning-horizon": Verdict.CONFORMS}


def test_errata() -> None:
    found = verifier.errata("lifelong", only="potential-index")
    assert found.confirmed
    assert [item.name for errata in found.papers.values() for item in errata] == ["potential-index"]
    assert "potential-index" in repr(found)
    assert found._repr_html_().startswith("<pre>Provably Efficient Lifelong RL")
    [paper] = found.to_json()["papers"]
    assert [(item["name"], item["refutation"]["printed_holds"]) for item in paper["errata"]] == [("potential-index", False)]
    assert json.loads(found.save("errata.json").read_text()) == found.to_json()
    assert found.save(Path("errata.txt")).read_text() == found.text
    with pytest.raises(UsageError, match=r"errata\.html has no ending that names a format; expected \.json or \.txt"):
        found.save("errata.html")
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        found.save("missing/errata.json")


def test_errata_of_names_classes_and_guarantees() -> None:
    named = verifier.errata("lifelong-lsvi", only="potential-index")
    assert verifier.errata(LIFELONG_LSVI.algorithm, only="potential-index") == named
    assert verifier.errata(["lifelong-lsvi", LIFELONG_LSVI], only="potential-index") == named
    mine = replace(LIFELONG_LSVI, algorithm=cell(), errata=named.papers[LIFELONG_LSVI.algorithm.paper], mutants=())
    assert verifier.errata(mine) == named
    assert verifier.errata(replace(mine, errata=())).text == "No errata are declared for cell.\n"
    with pytest.raises(UsageError, match="nothing is declared of the class Cell"):
        verifier.errata(cell())


SCRIPT = """
import verifier
report = verifier.check("lifelong-lsvi", claims=["gram"], instances=["few-episodes"], regimes=["oracle"], keep=False, jobs=2)
print(report)
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("way", ["file", "input"])
def test_a_program_without_a_guard_runs_once(way: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    command, given = ([sys.executable, "script.py"], None) if way == "file" else ([sys.executable, "-"], SCRIPT)
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("lifelong-lsvi: 1 conforms\n", 0), done.stderr
