"""Files are replaced in one step; what a killed process has left beside them is removed, and nothing that is in use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from verifier.base import replacing

pytest.importorskip("fcntl", reason="the locks are those of POSIX")

KILLED = """
import os, signal, sys
from pathlib import Path
from verifier.base import replacing
os.replace = lambda *given: (print(flush=True), sys.stdin.read())
replacing.replace(Path(sys.argv[1]), b"new")
"""


def test_what_a_killed_process_has_left_is_removed_by_the_next_one_and_not_before(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_bytes(b"old")
    (tmp_path / ".verifier-mine.tmp").write_bytes(b"of the user")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", KILLED, str(target)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment) as writing:
        assert writing.stdout is not None
        writing.stdout.readline()
        (beside,) = tmp_path.glob(".verifier-????????.tmp")
        replacing.replace(target, b"newer")
        assert beside.read_bytes() == b"new", "it is in use"
        writing.kill()
    assert beside.exists()
    replacing.replace(target, b"newest")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".verifier-mine.tmp", "report.json"]
    assert target.read_bytes() == b"newest"


def test_a_file_that_was_swept_away_before_it_was_locked_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, swept = replacing.fcntl.flock, []

    def late(descriptor: int, operation: int) -> None:
        if not swept:
            swept.extend(path.unlink() for path in list(tmp_path.glob(".verifier-*")))
        lock(descriptor, operation)

    monkeypatch.setattr(replacing.fcntl, "flock", late)
    replacing.replace(tmp_path / "report.json", b"new")
    assert swept == [None]
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("report.json", b"new")]


def test_trying_touches_nothing(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    replacing.try_to_replace(target)
    assert list(tmp_path.iterdir()) == []
    target.write_bytes(b"of another command")
    replacing.try_to_replace(target)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("report.json", b"of another command")]
    for impossible in (tmp_path / "none" / "report.json", tmp_path / ("x" * 300), target / "inside"):
        with pytest.raises(OSError, match=r"."):
            replacing.try_to_replace(impossible)
