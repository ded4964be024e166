"""Campaigns that are interrupted or killed: no process stays behind, and nothing that was finished is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.trials.store import Store

from .waiting import linux, wait_for

HERE = Path(__file__).parent


def members(session: int) -> list[int]:
    """Processes of a session that are not zombies."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, _, owner = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(owner) == session and state != "Z":
                found.append(int(entry.name))
    return found


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A directory for temporary files, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory() as directory:
        yield Path(directory)


@pytest.fixture
def campaign(tmp_path: Path, temporary: Path) -> Iterator[subprocess.Popen[str]]:
    """A campaign in a session of its own; three trials are in the store and one hangs."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "executor_tasks.py"), str(tmp_path)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, sys.path)]),
            "TMPDIR": str(temporary),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert wait_for((tmp_path / "hanging").exists)
        assert wait_for(lambda: (tmp_path / "store" / "results.sqlite3").exists())
        with Store(tmp_path / "store") as store:
            assert wait_for(lambda: all(store.get(key) for key in "023"))
        yield process
    finally:
        for pid in members(process.pid):
            os.kill(pid, signal.SIGKILL)
        process.communicate()


@linux
def test_ctrl_c_stops_the_campaign_and_all_workers(campaign: subprocess.Popen[str]) -> None:
    assert len(members(campaign.pid)) >= 4
    started = time.monotonic()
    os.killpg(campaign.pid, signal.SIGINT)  # as a terminal does: the whole group
    output, errors = campaign.communicate(timeout=20)
    assert time.monotonic() - started < 5
    assert (campaign.returncode, output, errors) == (0, "interrupted\n", "")
    assert wait_for(lambda: not members(campaign.pid), 5)


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_campaign_leaves_no_process_and_keeps_its_results(
    campaign: subprocess.Popen[str], tmp_path: Path, temporary: Path, number: signal.Signals
) -> None:
    assert len(members(campaign.pid)) >= 4
    os.kill(campaign.pid, number)
    campaign.wait(timeout=10)
    assert wait_for(lambda: not members(campaign.pid), 5)
    assert not list(temporary.glob("verifier-*"))
    with Store(tmp_path / "store") as store:
        assert [key for key in "0123" if store.get(key)] == ["0", "2", "3"]
