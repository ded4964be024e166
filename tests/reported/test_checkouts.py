"""Reported bugs in the code of others as it was: commits before and after, held by the adapters of `examples/adapters`.

A variable names a clone of the repository. Each commit is checked out beside it, so nothing in the clone changes but its list of
worktrees, and held by the command that a user types.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.outcomes import Skipped

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT, *(ROOT / name for name in ("properties", "plugins", "reports", "examples/adapters")))


@dataclass(frozen=True)
class Followed:
    """A bug, the claim of an adapter that is about it, and the commits at which the claim is violated and conforms."""

    link: str
    variable: str
    agent: str
    claim: str
    violated: str
    conforms: str
    instance: str = "random"


FOLLOWED = (
    Followed("rlberry#91", "RLBERRY", "rlberry-ucbvi", "initial-bonus", "3c656b2e", "8acd266d"),
    Followed("stale bonus, since rlberry#91", "RLBERRY", "rlberry-ucbvi", "first-bonus", "8acd266d", "3c656b2e"),
)


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


def code_of(report: Followed, place: Path, home: Path) -> tuple[int, str]:
    """Exit code of a check, as `git bisect run` takes it: 0 conforms, 1 violated, 125 cannot be run."""
    here = {report.variable: str(place), "PYTHONPATH": os.pathsep.join(map(str, FOLDERS)), "VERIFIER_HOME": str(home)}
    command = [sys.executable, "-m", "verifier", "check", report.agent, "--claim", report.claim, "--instance", report.instance]
    options = ["--budget", "2s", "--jobs", "1", "--exit-code", "bisect"]
    done = subprocess.run([*command, *options], env=os.environ | here, cwd=home, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("report", FOLLOWED, ids=lambda report: report.link)
def test_the_code_as_it_was(report: Followed, tmp_path: Path) -> None:
    """The claim that the report is about is violated at one commit, and conforms at the other."""
    repository = clone(report.variable)
    for commit, expected in ((report.violated, 1), (report.conforms, 0)):
        with at(repository, commit, tmp_path / commit) as place:
            found, told = code_of(report, place, tmp_path)
        if found == 125:
            pytest.skip(f"{report.agent} cannot be run at {commit} here: {told.strip().splitlines()[-1]}")
        assert found == expected, f"{commit}: {told}"


def test_what_is_skipped_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RLBERRY", raising=False)
    with pytest.raises(Skipped, match="RLBERRY names no clone of the repository"):
        clone("RLBERRY")
    monkeypatch.setenv("RLBERRY", str(tmp_path))
    with pytest.raises(Skipped, match="RLBERRY names no clone: "):
        clone("RLBERRY")
