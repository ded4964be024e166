"""Temporary folders: gone with their process, or with the next one where it was killed, and never while somebody uses them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from verifier.base import folders

pytest.importorskip("fcntl", reason="the locks are those of POSIX")

USES = "import sys; from verifier.base import folders; print(folders.own(), flush=True); sys.stdin.read()"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    folders.leave()


@contextmanager
def process(folder: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that uses its temporary folder until its standard input is closed, and that folder."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", USES], stdin=pipe, stdout=pipe, env=environment, text=True) as started:
        assert started.stdout is not None
        yield started, Path(started.stdout.readline().strip())


def test_the_folder_is_gone_when_its_process_has_ended(tmp_path: Path) -> None:
    with process(tmp_path) as (_, folder):
        assert folder.parent == tmp_path
        assert folder.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_the_next_process_removes_what_a_killed_one_has_left(tmp_path: Path) -> None:
    with process(tmp_path) as (running, left):
        (left / "deep").mkdir()
        (left / "deep" / "file").write_text("left behind")
        folders.sweep()
        assert left.is_dir(), "it is in use"
        running.kill()
        running.wait()
        assert left.is_dir()
        mine = folders.own()
    assert not left.exists()
    folders.sweep()
    assert mine.is_dir()


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    for name in ("verifier-of-the-user", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "verifier-file").write_text("")
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "lock").write_text("")
    (tmp_path / "verifier-link").symlink_to(tmp_path / "target")
    before = sorted(tmp_path.rglob("*"))
    folders.sweep()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path) -> None:
    first = folders.own()
    assert folders.own() == first
    for path in first.iterdir():
        path.unlink()
    first.rmdir()
    assert folders.own().is_dir()
    with folders.temporary() as inner:
        assert inner.parent == folders.own()
    assert not inner.exists()


def test_a_folder_of_several_processes_is_removed_when_the_last_has_ended(tmp_path: Path) -> None:
    shared = tmp_path / "verifier-shared"
    holds = f"from pathlib import Path; from verifier.base import folders; folders.hold(Path({str(shared)!r})); input()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", f"{holds}"], stdin=subprocess.PIPE, env=environment, text=True) as other:
        while not (shared / "lock").exists():
            pass
        folders.hold(shared)
        other.communicate("\n")
    folders.sweep()
    assert shared.is_dir()
    os.close(folders._held.pop(shared))
    folders.sweep()
    assert not shared.exists()


def test_a_copy_of_the_process_leaves_the_folder_alone(tmp_path: Path) -> None:
    mine = folders.own()
    pid = os.fork()
    if pid == 0:
        folders.leave()
        os._exit(0)
    os.waitpid(pid, 0)
    assert mine.is_dir()
