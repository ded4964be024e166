"""The action, a project's workflow, the hook and the container, run where `verifier` was installed by pip.

`test_action` runs the steps of the action in this environment, which takes seconds; what is long is here.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from .fresh import NEEDS_INDEX, Fresh
from .project import FEW, replace
from .test_action import action
from .workflow import Runner

pytestmark = [*NEEDS_INDEX, pytest.mark.deep]

BUG = ("return beta / np.sqrt(visits)", "return 0.5 * beta / np.sqrt(visits)")
BROKEN = "fresh/bonus-formula"
GIT = "git -c user.name=me -c user.email=me@example.org"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    made = Fresh(tmp_path_factory.mktemp("fresh"))
    made.shell("pip install --quiet .")
    return made


@pytest.fixture
def project(fresh: Fresh, tmp_path: Path) -> Iterator[Path]:
    """A project in a repository of its own, which is the workspace of a workflow."""
    folder = tmp_path / "work"
    fresh.shell(f"verifier new fresh --into {folder}\ngit -C {folder} init -q")
    replace(folder / "src" / "fresh" / "algorithm.py", 'instances = ("*",)', FEW["episodic"])
    yield folder
    fresh.shell("pip uninstall --quiet --yes fresh")


def plant(project: Path) -> None:
    replace(project / "src" / "fresh" / "algorithm.py", *BUG)


def test_the_action_installs_the_project_and_runs_its_gate(fresh: Fresh, project: Path) -> None:
    _, used, (install, gate, shown) = action(project, fresh.environment)
    assert [step.code for step in (install, gate, shown)] == [0, 0, 0], install.out + gate.out + shown.out
    assert "::error" not in shown.out
    assert "github/codeql-action/upload-sarif" in used
    plant(project)
    runner, _, (_, gate, shown) = action(project, fresh.environment)
    assert gate.code == 1, gate.out
    assert f"title={BROKEN}::" in shown.out
    assert "Gate green" in runner.summary.read_text(), "each run appends to it"
    assert "Gate red" in runner.summary.read_text()


def test_the_workflow_of_a_project_runs_as_it_is_written(fresh: Fresh, project: Path) -> None:
    workflow = yaml.safe_load((project / ".github" / "workflows" / "verifier.yml").read_text())
    steps = workflow["jobs"]["gate"]["steps"]
    *_, restored, install, gate, tested, saved, upload, _ = Runner(project, fresh.environment).run(steps)
    assert (install.code, gate.code, tested.code) == (0, 0, 0), install.out + gate.out + tested.out
    assert saved.given["path"] == restored.given["path"]
    assert (project / saved.given["path"]).is_dir()
    assert saved.given["key"].startswith(restored.given["restore-keys"])
    assert (project / upload.given["sarif_file"]).is_file()
    plant(project)
    *_, install, gate, tested, _, upload, kept = Runner(project, fresh.environment).run(steps)
    assert (install.code, gate.code, tested.code) == (0, 1, 1), install.out + gate.out + tested.out
    assert "codeql" in upload.uses
    assert list(project.glob(kept.given["path"]))


def test_the_hook_lets_a_push_pass_and_stops_one(fresh: Fresh, project: Path) -> None:
    """As `pre-commit` runs it, from a commit of this repository."""
    hooks = fresh.folder / "hooks"
    shutil.copytree(fresh.checkout, hooks, ignore=shutil.ignore_patterns("tests", "docs"))
    commit = fresh.shell(f"git init -q\ngit add -A\n{GIT} commit -qm all\ngit rev-parse HEAD", where=hooks).strip()
    entry = {"repo": str(hooks), "rev": commit, "hooks": [{"id": "verifier-gate"}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [entry]}))
    fresh.shell("pip install --quiet pre-commit\ngit init -q --bare ../there\npre-commit install -t pre-push", where=project)
    fresh.shell(f"git add -A\n{GIT} commit -qm first\ngit push ../there HEAD:main", where=project)
    plant(project)
    stopped = fresh.shell(f"{GIT} commit -qam second\ngit push ../there HEAD:main", code=1, where=project)
    assert "Gate red" in stopped
    assert f"✗ {BROKEN}" in stopped
    assert fresh.shell("git log --format=%s main", where=project.parent / "there") == "first\n"


def test_the_container_is_made_and_starts(fresh: Fresh) -> None:
    """Its RUN, ENTRYPOINT and CMD with folders of the test in place of the container's; no image is built."""
    text = (fresh.checkout / "Dockerfile").read_text()
    context, campaign = fresh.folder / "context", fresh.folder / "campaign"
    left_out = [line.removeprefix("**/") for line in (fresh.checkout / ".dockerignore").read_text().splitlines()]
    shutil.copytree(fresh.checkout, context, ignore=shutil.ignore_patterns(*left_out))
    for there, here in (("/opt/verifier", context), ("/campaign", campaign)):
        assert there in text
        text = text.replace(there, str(here))
    listed = re.search(r'^RUN (python -c ".+")', text, re.M)
    assert listed is not None
    assert "numpy" in fresh.shell(listed[1].replace("/opt/dependencies", str(context)))
    said = dict(re.findall(r"^(RUN|ENTRYPOINT|CMD|WORKDIR) (.+)$", text, re.M))
    fresh.shell(said["RUN"])
    entry, usual = (" ".join(yaml.safe_load(said[word])) for word in ("ENTRYPOINT", "CMD"))
    assert "Usage: verifier" in fresh.shell(f"{entry} {usual}", where=Path(said["WORKDIR"]))
    first = re.search(r" verifier (check .+)$", text, re.M)
    assert first is not None
    few = "--claim optimism --instance one-step --output html=report.html"
    assert "Nothing violated" in fresh.shell(f"{entry} {first[1]} {few}", where=campaign)
    assert {item.name for item in campaign.iterdir()} == {".verifier", "report.html"}
