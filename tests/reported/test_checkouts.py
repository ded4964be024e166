"""Reported bugs in the code of others as it was, at commits of clones that variables name.

Each commit is checked out beside the clone, so nothing in the clone changes but its list of worktrees. A claim is held by the
command that a user types; a script has the repository alone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from _pytest.outcomes import Skipped

from tests.reported.checkouts import FOLLOWED, PRINTED, Followed, Printed

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "adapters"
FOLDERS = (ROOT, *(ROOT / name for name in ("properties", "plugins", "reports")), EXAMPLES)
PAGE = ROOT / "docs" / "published-code.md"


def clone(variable: str) -> Path:
    """The clone that a variable names; the test is skipped where there is none."""
    given = os.environ.get(variable)
    if not given:
        pytest.skip(f"{variable} names no clone of the repository")
    found = Path(given).expanduser().resolve()
    if subprocess.run(["git", "-C", found, "rev-parse", "--git-dir"], capture_output=True, check=False).returncode:
        pytest.skip(f"{variable} names no clone: {found}")
    return found


@contextmanager
def at(repository: Path, commit: str, place: Path) -> Iterator[Path]:
    """A worktree of a commit, which is removed again."""
    known = subprocess.run(["git", "-C", repository, "cat-file", "-e", f"{commit}^{{commit}}"], capture_output=True, check=False)
    if known.returncode:
        pytest.skip(f"{repository} does not have {commit}")
    subprocess.run(["git", "-C", repository, "worktree", "add", "--detach", place, commit], capture_output=True, check=True)
    try:
        yield place
    finally:
        subprocess.run(["git", "-C", repository, "worktree", "remove", "--force", place], capture_output=True, check=True)


def run(command: list[str], home: Path, *path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command in an empty folder, with an import path of its own."""
    here = {"PYTHONPATH": os.pathsep.join(map(str, path)), "VERIFIER_HOME": str(home), **variables}
    return subprocess.run(
        [sys.executable, *command], env=os.environ | here, cwd=home, capture_output=True, text=True, check=False
    )


def code_of(report: Followed, place: Path, home: Path) -> tuple[int, str]:
    """Exit code of a check, as `git bisect run` takes it: 0 conforms, 1 violated, 125 cannot be run."""
    (home / "mine.py").write_text(report.file)
    words = ["-m", "verifier", "check", report.agent, *report.options, "--claim", report.claim, "--instance", report.instance]
    options = ["--budget", "2s", "--jobs", "1", "--exit-code", "bisect"]
    path = (place, *FOLDERS) if report.file else (site(home), *FOLDERS)
    done = run([*words, *options], home, *path, **{report.variable: str(place)})
    return done.returncode, done.stdout + done.stderr


def site(home: Path) -> Path:
    """A folder in which the examples are installed."""
    project = tomllib.loads((EXAMPLES / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = home / "site" / "verifier_checkouts-0.1.0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = [f"{name} = {module}\n" for name, module in project["entry-points"]["verifier"].items()]
    (metadata / "entry_points.txt").write_text("".join(["[verifier]\n", *lines]))
    return metadata.parent


def names(report: Followed | Printed) -> str:
    """Name of a case."""
    return report.link


@pytest.mark.parametrize("report", FOLLOWED, ids=names)
def test_the_code_as_it_was(report: Followed, tmp_path: Path) -> None:
    """The claim that the report is about is violated at one commit, and conforms at the other."""
    repository = clone(report.variable)
    for commit, expected in ((report.violated, 1), (report.conforms, 0)):
        with at(repository, commit, tmp_path / commit) as place:
            found, told = code_of(report, place, tmp_path)
        if found == 125:
            pytest.skip(f"{report.agent} cannot be run at {commit} here: {told.strip().splitlines()[-1]}")
        assert found == expected, f"{commit}: {told}"


@pytest.mark.parametrize("report", PRINTED, ids=names)
def test_what_the_code_as_it_was_prints(report: Printed, tmp_path: Path) -> None:
    repository = clone(report.variable)
    for commit, expected in report.lines.items():
        with at(repository, commit, tmp_path / commit) as place:
            done = run(["-W", "ignore", "-c", report.script], tmp_path, place)
        if done.returncode:
            pytest.skip(f"it cannot be run at {commit} here: {done.stderr.strip().splitlines()[-1]}")
        assert done.stdout.splitlines()[-1] == expected, commit


def test_what_is_skipped_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RLBERRY", raising=False)
    with pytest.raises(Skipped, match="RLBERRY names no clone of the repository"):
        clone("RLBERRY")
    monkeypatch.setenv("RLBERRY", str(tmp_path))
    with pytest.raises(Skipped, match="RLBERRY names no clone: "):
        clone("RLBERRY")


def test_the_page_says_which_are_kept() -> None:
    """Each with its variable; of all others in the table the page says that nothing is kept."""
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    (kept,) = re.findall(r"Of these runs (\w+) are kept, as `tests/reported/test_checkouts\.py` has them: (.*?)\. ", text)
    reports = {(report.link, report.variable) for report in (*FOLLOWED, *PRINTED) if "since" not in report.link}
    assert set(re.findall(r"([\w#]+) \(`(\w+)`\)", kept[1])) == reports
    assert kept[0] == {7: "seven"}[len(reports)]
