"""`verifier power`, `verifier errata` and the search of `verifier check`, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from verifier.record import schema

from .conftest import Invoke
from .plugins import CommandLine, algorithm

FAST = ("--jobs", "2")
BUGS = """
from verifier.model.mutant import planted
class NoOp(UCBlvd):
    pass
class Never(UCBlvd):
    def left(self, growth):
        return np.full_like(growth, np.inf)
class Boom(UCBlvd):
    def plan(self):
        raise RuntimeError("planted crash")
"""
MUTANTS = """
mutants=(
    Mutant("never", "never replans", planted(Never, Mine), ("trigger",)),
    Mutant("no-op", "nothing", planted(NoOp, Mine), ("optimism",)),
    Mutant("boom", "crashes", planted(Boom, Mine), ("gram",)),
)
"""
FEW = 'instances = ("one-feature", "few-episodes", "onehot")'


def test_power_kills_and_writes_the_matrix(invoke: Invoke, tmp_path: Path) -> None:
    outcome = invoke("power", "ucblvd", "--mutant", "trigger-*", *FAST, "--output", "json=p.json", "--output", "markdown=p.md")
    assert outcome.code == 0, outcome.err
    assert "11 of 11 planted bugs found" in outcome.words
    data = json.loads((tmp_path / "p.json").read_text())
    jsonschema.validate(data, schema())
    (entry,) = data["algorithms"]
    assert {mutant["outcome"] for mutant in entry["power"]["mutants"]} == {"killed"}
    assert "Kill matrix" in (tmp_path / "p.md").read_text()
    replay = entry["power"]["mutants"][0]["kills"][0]["replay"]
    assert invoke("replay", replay).code == 1


@pytest.mark.full
def test_survivors_and_crashes_are_told_apart(command: CommandLine) -> None:
    command.install("mine", algorithm("mine", FEW, BUGS, declares=MUTANTS))
    everything = command("power", "mine", *FAST)
    assert everything.code == 1
    assert "5 of 7 planted bugs found, 1 survived, 1 error" in everything.words  # four of them garbage agents
    assert "Garbage agents, which learn nothing, and the claims that found them" in everything.words
    assert "planted crash" in everything.words
    only_error = command("power", "mine", "--mutant", "boom", *FAST)
    assert only_error.code == 4
    only_killed = command("power", "mine", "--mutant", "never", *FAST)
    assert only_killed.code == 0


def test_misspelt_mutants_regimes_and_papers(invoke: Invoke) -> None:
    outcome = invoke("power", "ucblvd", "--mutant", "triger-sum")
    assert outcome.code == 2
    assert "Did you mean 'trigger-sum'" in outcome.err
    outcome = invoke("power", "ucblvd", "--regime", "orakle")
    assert outcome.code == 2
    assert "Did you mean 'oracle'" in outcome.err
    outcome = invoke("errata", "lifelong", "--only", "potential-idnex")
    assert outcome.code == 2
    assert "potential-index" in outcome.err


def test_errata_refute_what_is_printed(invoke: Invoke) -> None:
    outcome = invoke("errata", "lifelong")
    assert outcome.code == 0
    assert "12 of 12 counterexamples refute what is printed and satisfy what is corrected" in outcome.words
    assert all(len(line) <= 100 for line in outcome.out.splitlines())


@pytest.mark.full
def test_the_search_prints_a_witness_that_can_be_replayed(command: CommandLine) -> None:
    body = """
    instances = ("few-episodes",)
    def left(self, growth):
        return np.append(1 - growth[:1], np.full_like(growth[1:], np.inf))
    def target(self, V, h):
        return V[min(h + 2, len(V) - 1)]
    """
    command.install("mine", algorithm("mine", body))
    outcome = command(
        "check", "mine", "--claim", "regression", "--regime", "oracle", "--verbose", "--output", "json=r.json", *FAST
    )
    assert outcome.code == 1
    assert "the smallest instance found" in outcome.words
    claim = json.loads((command.folder / "r.json").read_text())["algorithms"][0]["claims"][0]
    drawn = next(entry for entry in claim["regimes"] if entry["instance"] == "drawn")
    assert drawn["verdict"] == "violated"
    assert "S = 1, A = 1, H = 2" in claim["counterexample"]
    again = command("replay", "r.json", drawn["replay"])
    assert again.code == 1
    sides = [line for line in again.out.splitlines() if "the algorithm has" in line]
    assert len(sides) == 1, "both sides of the equality, which the witness of a report is too short for"
    kept = "\n".join(line for line in again.out.splitlines() if line not in sides)
    assert claim["counterexample"].split() == kept.split()
    assert command("replay", "r.json", drawn["replay"], "--show").out == again.out
    in_store = command("replay", drawn["replay"])
    assert in_store.code == 1
    assert in_store.out == again.out.replace("replay r.json ", "replay ")


def test_a_drawn_instance_that_is_not_in_the_store(invoke: Invoke) -> None:
    outcome = invoke("replay", "ucblvd/optimism:drawn-0123456789ab:oracle:0:0")
    assert outcome.code == 2
    assert "has no drawn instance '0123456789ab'" in outcome.err


@pytest.mark.full
def test_a_search_leaves_nothing_but_the_store(command: CommandLine) -> None:
    command.install("mine", algorithm("mine", 'instances = ("one-feature",)'))
    outcome = command("check", "mine", "--claim", "gram", "--regime", "oracle", "--jobs", "1", "--budget", "300s", "--table")
    assert outcome.code == 0
    assert "small drawn ones" in outcome.words
    assert {path.name for path in command.folder.iterdir()} == {"pyproject.toml", ".verifier"}
