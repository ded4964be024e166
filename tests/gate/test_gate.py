"""`verifier gate` end to end, on projects that `verifier new` writes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.plugins import CommandLine
from verifier.commands.new.write import settings, write
from verifier.record import schema

from .project import BUGS, FEW, UNTOLD, generate, replace

FAST = ("--jobs", "1")

FIRST = tuple(BUGS)[:2]
"""Bugs that go through the gate in every run of the suite."""

PLAYS = "action = int(plan.policy[h, state, 0])"
"""The line of the generated algorithm that plays."""


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


USUAL = ("episodic", "lifelong")
"""Settings whose skeleton goes through the gate in every run of the suite; the others do in ``pytest -m deep``."""


@pytest.mark.parametrize("setting", [pytest.param(name, marks=() if name in USUAL else pytest.mark.deep) for name in FEW])
def test_a_generated_project_passes(command: CommandLine, setting: str) -> None:
    generate(command.folder, setting=setting)
    outcome = command("gate", "./fresh", *FAST, "--output", "json=g.json", "--output", "junit=g.xml", "--output", "sarif=g.sarif")
    assert outcome.code == 0, outcome.words
    assert "Gate green" in outcome.words
    record = json.loads((command.folder / "g.json").read_text())
    jsonschema.Draft202012Validator(schema()).validate(record)
    outcomes = {finding["id"]: finding["outcome"] for finding in record["gate"]["findings"]}
    passed = ("fresh:contract", "fresh:determinism", "fresh:isolation", "fresh:coverage", "fresh~half-bonus")
    assert {outcomes[name] for name in passed} == {"passed"}
    assert record["gate"]["sources"]["fresh"]["file"] == "fresh/src/fresh/algorithm.py"


@pytest.mark.parametrize("setting", [pytest.param(name, marks=() if name == "episodic" else pytest.mark.deep) for name in FEW])
def test_another_constant_in_the_width_of_a_generated_project_is_found(command: CommandLine, setting: str) -> None:
    """Each skeleton asks for a width, and writes its formula a second time among the claims."""
    file = generate(command.folder, setting=setting) / "src" / "fresh" / "algorithm.py"
    head, name, body = file.read_text().partition("def published_width")
    file.write_text(head + name + body.replace("        return ", "        return 0.5 * ", 1))
    outcome = command("check", "./fresh", "--claim", "*width", "--regime", "published", "--quiet", "--no-store", *FAST)
    assert outcome.code == 1, outcome.words
    assert " width (" in outcome.words


@pytest.mark.full
@pytest.mark.parametrize("setting", [pytest.param(name, marks=() if name == "episodic" else pytest.mark.deep) for name in FEW])
def test_a_generated_project_that_plays_what_its_plan_does_not_prefer_is_found(command: CommandLine, setting: str) -> None:
    bug = UNTOLD[setting]
    replace(generate(command.folder, setting=setting) / "src" / "fresh" / "algorithm.py", bug.old, bug.new)
    regime = "oracle[bonus=error]" if setting == "knapsack" else "oracle"
    outcome = command("check", "./fresh", "--claim", bug.claim, "--regime", regime, "--quiet", "--no-store", *FAST)
    assert outcome.code == 1, outcome.words
    assert f"fresh {bug.claim} (" in outcome.words


def test_every_skeleton_is_tested() -> None:
    assert set(settings()) == set(FEW)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in FIRST else pytest.mark.deep) for name in BUGS])
def test_a_bug_in_a_generated_project_turns_the_gate_red_and_the_broken_inequality_is_named(
    command: CommandLine, name: str
) -> None:
    bug = BUGS[name]
    project = generate(command.folder)
    replace(project / "src" / "fresh" / "algorithm.py", bug.old, bug.new)
    claims = (project / "src" / "fresh" / "claims.py").read_text()
    outcome = command("gate", "./fresh", *FAST, "--output", "json=g.json")
    assert outcome.code == 1, outcome.words
    record = json.loads((command.folder / "g.json").read_text())
    findings, sources = record["gate"]["findings"], record["gate"]["sources"]
    (found,) = (finding for finding in findings if finding["id"] == f"fresh/{bug.claim}")
    assert {place["file"] for place in sources.values()} == {"fresh/src/fresh/algorithm.py"}
    assert sources.keys() == {"fresh"} | {claim["id"] for claim in record["algorithms"][0]["claims"] if claim["code"]}
    assert found["outcome"] == "failed"
    assert "is false" in found["message"]
    statement = claims.split(f'"{bug.claim}",')[1].split('statement="')[1].split('"')[0]
    assert statement in found["message"]
    assert "is false" in outcome.words
    again = command("replay", found["replay"])
    assert again.code == 2  # outside the gate a project is known only where it is installed
    assert "'fresh'" in again.words


UNSTABLE = {
    "set order": ("action = int(hash(str(state)) % self.public.A)", "determinism"),
    "process": ("action = (__import__('os').getpid() >> _k) % self.public.A", "determinism"),
    "module state": ("SEEN.append(1); action = len(SEEN) // 7 % self.public.A", "isolation"),
}
"""What plays instead, and the finding that names it. The number of a process is played digit by digit, in 40 episodes."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", UNSTABLE)
def test_runs_that_depend_on_more_than_the_seed_are_found(command: CommandLine, name: str) -> None:
    new, finding = UNSTABLE[name]
    project = generate(command.folder)
    file = project / "src" / "fresh" / "algorithm.py"
    replace(file, FEW["lifelong"], 'instances = ("one-feature",)')
    replace(file, PLAYS, new)
    replace(file, TOP, TOP + "\nSEEN: list[int] = []\n")
    outcome = command("gate", "./fresh", *FAST, "--output", "json=g.json")
    assert outcome.code == 1, outcome.words
    findings = json.loads((command.folder / "g.json").read_text())["gate"]["findings"]
    failed = {item["id"] for item in findings if item["outcome"] == "failed"}
    assert f"fresh:{finding}" in failed
    assert "differs" in outcome.words


TOP = "from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan, Public\n"


def test_without_planted_bugs_clauses_or_evidence_the_gate_is_red(command: CommandLine) -> None:
    declared = generate(command.folder) / "src" / "fresh" / "guarantees.py"
    claims = "tuple(dataclasses.replace(claim, clause='') for claim in CLAIMS[:2])"
    replace(declared, "claims=CLAIMS, clauses=CLAUSES, mutants=MUTANTS", f"claims={claims}")
    replace(declared, "from verifier import Guarantees", "import dataclasses\n\nfrom verifier import Guarantees")
    outcome = command("gate", "./fresh", *FAST)
    assert outcome.code == 1, outcome.words
    for message in ("plants no bug", "declares no clauses", "no claim could have failed anywhere"):
        assert message in outcome.words


@pytest.mark.full
def test_the_baseline_of_a_project_is_written_compared_and_accepts_for_a_while(command: CommandLine) -> None:
    project = generate(command.folder)
    replace(project / "src" / "fresh" / "algorithm.py", FEW["lifelong"], 'instances = ("one-feature",)')
    wrote = command("gate", "./fresh", *FAST, "--update-baseline")
    assert wrote.code == 0, wrote.words
    path = project / "verifier-baseline.json"
    baseline = json.loads(path.read_text())
    assert baseline["algorithms"]["fresh"]["claims"]["optimism"] == "conforms"

    same = command("gate", "./fresh", *FAST)
    assert same.code == 0, same.words
    assert "nothing of the baseline is lost: 1 passed" in same.words

    replace(project / "src" / "fresh" / "algorithm.py", BUGS["half the bonus"].old, BUGS["half the bonus"].new)
    worse = command("gate", "./fresh", *FAST)
    assert worse.code == 1
    assert "new: in the baseline it was conforms" in worse.words

    entry = {"reason": "being mended", "owner": "me", "expires": "2999-12-31"}
    baseline["accepted"] = [{"id": f"fresh/{claim}", **entry} for claim in ("q-formula", "optimism", "gram", "no-such")]
    path.write_text(json.dumps(baseline))
    accepted = command("gate", "./fresh", *FAST)
    assert accepted.code == 0, accepted.words
    assert "2 failures accepted by the baseline" in accepted.words
    assert "does not fail any more" in accepted.words
    assert "which is no finding. Did you mean" in accepted.words

    updated = command("gate", "./fresh", *FAST, "--update-baseline")
    assert updated.code == 0, updated.words
    assert "2 failures accepted by the baseline" in updated.words
    new = json.loads(path.read_text())
    assert new["accepted"] == baseline["accepted"]
    assert new["algorithms"]["fresh"]["claims"]["optimism"] == "violated"


SLOW = f"sum(range(60_000)); {PLAYS}"
"""Some ten times the time of an episode of this algorithm: measurements may differ by half, and twice is accepted."""


@pytest.mark.full
def test_an_algorithm_that_became_slower_than_its_baseline_turns_the_gate_red(command: CommandLine) -> None:
    project = generate(command.folder)
    assert command("gate", "./fresh", *FAST, "--update-baseline").code == 0
    replace(project / "src" / "fresh" / "algorithm.py", PLAYS, SLOW)
    outcome = command("gate", "./fresh", *FAST, "--output", "json=g.json")
    assert outcome.code == 1, outcome.words
    findings = json.loads((command.folder / "g.json").read_text())["gate"]["findings"]
    assert {item["id"] for item in findings if item["outcome"] == "failed"} == {"fresh:speed"}


def test_an_installed_plugin_is_given_by_its_name(command: CommandLine) -> None:
    write("fresh", "lifelong", command.folder / "fresh")
    outcome = command("gate", "fresh", *FAST)
    assert outcome.code == 2
    assert "for the project in this folder give './fresh'" in outcome.words


WRONG = {
    "no folder": ("./nowhere", None, "is no folder; give the name of an installed plugin"),
    "no project": ("./there", "", "there/pyproject.toml has no [project] with a name"),
    "bad toml": ("./there", "[", "is not valid TOML"),
    "no entry point": ("./there", '[project]\nname = "x"\n', "has no entry point in the group 'verifier'"),
    "odd entry points": ("./there", '[project]\nname = "x"\nentry-points = "verifier"\n', "has no entry point in the group"),
    "odd group": ("./there", '[project]\nname = "x"\n[project.entry-points]\nverifier = "x"\n', "has no entry point in"),
    "no module": (
        "./there",
        '[project]\nname = "x"\n[project.entry-points.verifier]\nx = "not_there"\n',
        "names the module 'not_there', which is neither in there/src nor in there",
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_plugin_project_is_refused(command: CommandLine, name: str) -> None:
    target, text, message = WRONG[name]
    if text is not None:
        (command.folder / "there").mkdir()
        (command.folder / "there" / "pyproject.toml").write_text(text)
    outcome = command("gate", target)
    assert outcome.code == 2, outcome.words
    assert message in outcome.words
    assert "Traceback" not in outcome.words


def test_a_project_that_does_not_load_is_an_error(command: CommandLine) -> None:
    project = generate(command.folder)
    replace(project / "pyproject.toml", 'name = "fresh"', 'name = "fresh/odd"')
    (project / "src" / "fresh" / "claims.py").write_text("raise RuntimeError('not today')\n")
    outcome = command("gate", "./fresh", *FAST, "--output", "junit=g.xml")
    assert outcome.code == 4, outcome.words
    assert "RuntimeError: not today" in outcome.words
    assert "Gate red: 1 error" in outcome.words
    assert "not today" in (command.folder / "g.xml").read_text()


BUSY = """
import os, sys, time

_clock = time.monotonic


def _busy() -> float:
    caller = sys._getframe(1).f_globals.get("__name__", "")
    return _clock() * (60.0 if caller.startswith(("verifier.campaign", "verifier.commands", "verifier.trials.search")) else 1.0)


time.monotonic = _busy
os.getloadavg = lambda: (15.0, 15.0, 15.0)
"""
"""A machine on which sixty times as much time goes by as a process gets, as far as what decides about verdicts can see."""


@pytest.mark.full
def test_an_untouched_project_is_green_on_a_busy_machine(command: CommandLine) -> None:
    project = generate(command.folder)
    package = project / "src" / "fresh" / "__init__.py"
    package.write_text(f"{package.read_text()}\n{BUSY}")
    outcome = command("gate", "./fresh", *FAST, "--no-store")
    assert outcome.code == 0, outcome.words
    assert "Gate green" in outcome.words
