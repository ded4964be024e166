"""Runs that end before everything was looked at: what is said first, the exit code, and how to continue."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import jsonschema
import pytest

from tests.gate.faults import midway
from tests.gate.project import generate
from verifier.record import schema

from .plugins import CommandLine

SPENT = ("--budget", "0.000001s", "--jobs", "1")


@pytest.mark.full
def test_a_check_that_is_cut_off_is_no_pass_and_says_how_to_continue(command: CommandLine) -> None:
    chosen = ("ucblvd", "lifelong-lsvi", "--regime", "oracle", "--instance", "one-*")
    outputs = ("--output", "junit=j.xml", "--output", "markdown=m.md", "--output", "html=h.html")
    outcome = command.check(*chosen, *SPENT, *outputs)
    assert outcome.code == 3
    jsonschema.Draft202012Validator(schema()).validate(outcome.record)
    first, second = (outcome.entry(name) for name in ("ucblvd", "lifelong-lsvi"))
    assert (first["trials_finished"], second["trials_finished"], second["clauses_checked"]) == (1, 0, 1), (
        "its assumption is of the instance"
    )
    assert "lifelong-lsvi unfinished: nothing violated so far" in outcome.words
    assert "had no trial: the budget of 1e-06 s of processor time is spent. Nothing violated so far" in outcome.words
    assert "To continue verifier check ucblvd lifelong-lsvi" in outcome.words
    assert "--budget 1s" in outcome.words
    ended = {name: (command.folder / name).read_text() for name in ("j.xml", "m.md", "h.html")}
    suites = ElementTree.fromstring(ended["j.xml"])
    names = {case.get("name") for case in suites.iter("testcase") if case.find("error") is not None}
    assert names == {"ucblvd:unfinished", "lifelong-lsvi:unfinished"}
    assert all("nfinished (" in text for name, text in ended.items() if name != "j.xml")

    whole = command.check(*chosen, "--jobs", "1")
    assert whole.code == 0
    assert whole.entry("ucblvd")["trials_reused"] >= 1, "what was started ahead is kept, too"
    assert whole.entry("ucblvd")["unfinished"] == ""


def test_planted_bugs_that_are_not_reached_are_not_run_and_nothing_else(command: CommandLine) -> None:
    chosen = ("power", "ucblvd", "lifelong-lsvi", "--mutant", "*-bonus", "--output", "json=p.json")
    outcome = command(*chosen, *SPENT)
    assert outcome.code == 3
    entries = json.loads((command.folder / "p.json").read_text())["algorithms"]
    outcomes = {mutant["outcome"] for entry in entries for mutant in entry["power"]["mutants"]}
    assert outcomes in ({"not run"}, {"not run", "killed"})
    for entry in entries:
        expected = {name for mutant in entry["power"]["mutants"] for name in mutant["expected"]}
        assert not expected & set(entry["power"]["idle"])
    assert "planted bugs were not run" in outcome.words


@pytest.mark.full
def test_a_gate_that_is_cut_off_is_unfinished(command: CommandLine) -> None:
    generate(command.folder)
    outcome = command("gate", "./fresh", *SPENT, "--output", "json=g.json")
    assert outcome.code == 3, outcome.words
    assert "Gate red, unfinished" in outcome.words
    assert "no claim could have failed" not in outcome.words
    findings = json.loads((command.folder / "g.json").read_text())["gate"]["findings"]
    assert {item["outcome"] for item in findings if item["stage"] == "coverage"} == {"unfinished"}
    assert {item["outcome"] for item in findings} <= {"unfinished", "passed", "warning"}


VANISHES = """import shutil, verifier.trials.trace as trace; shutil.rmtree(os.path.dirname(trace._watch[0]))"""


@pytest.mark.full
def test_a_temporary_folder_that_vanishes_is_told_beside_what_was_finished(command: CommandLine) -> None:
    command.install("cleaner", midway(VANISHES, "").named("cleaner"))
    chosen = ("--claim", "optimism", "--regime", "oracle", "--jobs", "1", "--no-store")
    outcome = command.check("cleaner", *chosen)
    assert outcome.code == 4
    assert "vanished while trials were running" in outcome.words
    assert "Traceback" not in outcome.out + outcome.err
    entry = outcome.entry("cleaner")
    assert entry["trials_finished"] > 0
    assert "vanished" in entry["unfinished"]
    assert [error["kind"] for error in entry["errors"]] == ["internal"]


@pytest.mark.full
def test_a_planted_bug_is_checked_alone(command: CommandLine) -> None:
    chosen = ("--instance", "onehot", "--regime", "oracle", "--claim", "bonus*", "--claim", "q-*", "--claim", "gram")
    outcome = command.check("ucblvd~half-bonus", *chosen)
    assert outcome.code == 1
    assert "violated" in outcome.verdicts("ucblvd~half-bonus").values()
    misspelt = command("check", "ucblvd~half-bonuss")
    assert (misspelt.code, "Did you mean 'half-bonus'" in misspelt.words) == (2, True)
    for other in ("power", "scale"):
        refused = command(other, "ucblvd~half-bonus")
        assert refused.code == 2
        assert "names a planted bug" in refused.words
