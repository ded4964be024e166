"""The steps of action.yml, run as a runner of GitHub runs them, in a project below the top of a repository."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
import yaml

from .project import BUGS, generate, replace
from .workflow import Runner, Step

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
DEFAULTS = {name: item["default"] for name, item in ACTION["inputs"].items()}
STEPS = ACTION["runs"]["steps"]


def action(workspace: Path, environment: dict[str, str], **inputs: str) -> tuple[Runner, dict[str, Step], list[Step]]:
    """Run it: the runner, what was used (by name), and what bash ran."""
    runner = Runner(workspace, environment, {**DEFAULTS, **inputs})
    steps = runner.run(STEPS)
    used = {step.uses.partition("@")[0]: step for step in steps if step.uses}
    return runner, used, [step for step in steps if not step.uses]


@pytest.mark.full
def test_a_red_gate_is_told_in_summary_annotations_and_code_scanning(tmp_path: Path) -> None:
    workspace = tmp_path / "repository"
    (workspace / ".git").mkdir(parents=True)
    project = generate(workspace)
    bug = BUGS["half the bonus"]
    replace(project / "src" / "fresh" / "algorithm.py", bug.old, bug.new)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)
    (tmp_path / "summary.md").write_text("before\n")
    arguments = "--jobs 1 --seed 3"
    runner, used, (gate, shown) = action(workspace, environment, project="fresh", install="", arguments=arguments)
    assert gate.code == 1, gate.out
    assert "seed 3" in gate.out, "its further arguments are taken one by one"
    assert "Gate red" in gate.out
    assert runner.summary.read_text().startswith("before\n## verifier gate")
    assert "Gate red" in runner.summary.read_text()
    file = "fresh/src/fresh/algorithm.py"
    (broken,) = [line for line in shown.out.splitlines() if f"title=fresh/{bug.claim}::" in line]
    assert broken.startswith(f"::error file={file},line="), "as the repository names it, not the folder of the gate"
    (results,) = [run["results"] for run in json.loads((project / "gate.sarif").read_text())["runs"]]
    (found,) = [item for item in results if item["ruleId"] == f"fresh/{bug.claim}"]
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == file
    assert (workspace / used["github/codeql-action/upload-sarif"].given["sarif_file"]).is_file()
    assert (workspace / used["actions/cache/save"].given["path"]).is_dir(), "a red gate keeps its trials, too"
    kept, wanted = used["actions/cache/save"].given["key"], used["actions/cache/restore"].given["restore-keys"]
    assert kept.startswith(wanted), "the next run finds them"


@pytest.mark.full
def test_a_project_that_cannot_be_installed_ends_the_action_without_a_second_error(tmp_path: Path) -> None:
    runner, used, (install, shown) = action(tmp_path, {**os.environ, "PIP_NO_INDEX": "1"}, install="--no-such-option")
    assert install.code != 0
    assert (shown.code, shown.out) == (0, "")
    assert "github/codeql-action/upload-sarif" not in used
    assert not runner.summary.exists()


@pytest.mark.full
def test_a_pull_request_is_told_which_verdicts_it_changes(tmp_path: Path) -> None:
    workspace = tmp_path / "repository"
    (workspace / ".git").mkdir(parents=True)
    project = generate(workspace)
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "gh").write_text('#!/bin/sh\necho "$GH_REPO $*" > "$TOLD"\ncat "$5" >> "$TOLD"\n')
    (commands / "gh").chmod(0o755)
    path = os.pathsep.join([str(commands), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "TOLD": str(tmp_path / "told")}
    environment.pop("PYTHONPATH", None)
    given = {"project": "fresh", "install": "", "arguments": "--jobs 1", "comment": "true"}
    _, used, _ = action(workspace, environment, **given)
    kept = used["actions/cache/save"].given
    assert kept["path"] == "fresh/gate.json"
    bug = BUGS["half the bonus"]
    replace(project / "src" / "fresh" / "algorithm.py", bug.old, bug.new)
    event = {"event_name": "pull_request", "event.pull_request.number": "7", "event.pull_request.base.sha": "0" * 40}
    record = (project / "gate.json").read_text()
    runner = Runner(workspace, environment, {**DEFAULTS, **given}, event)
    steps = [
        {**step, "run": f"cp before.json gate.json\n{step['run']}"} if "gh pr" in step.get("run", "") else step for step in STEPS
    ]
    (project / "before.json").write_text(record)  # what the cache would bring back, at the step before
    used = {step.uses.partition("@")[0]: step for step in runner.run(steps) if step.uses}
    assert used["actions/cache/restore"].given["key"] == kept["key"]
    told = (tmp_path / "told").read_text()
    assert told.startswith(
        "somebody/fresh pr comment 7 --body-file gate-comment.md --edit-last --create-if-none\n## verifier gate"
    )
    assert "Gate red" in told
    assert f"  {bug.claim}: conforms -> violated\n" in told
