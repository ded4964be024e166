"""Machines that run out of memory, for real: the system ends a process, of a trial or of Dask, in a group of 900 MB.

Both are long and need root; of every run of the tests, stand-ins are left in the unit tests of clusters and of the executor.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from .plugins import CommandLine, algorithm

pytestmark = pytest.mark.deep

GROUPS = Path("/sys/fs/cgroup/memory")
ENDED = {
    "trial": ("", "the worker process was killed by SIGKILL; .*so does a machine that runs out of memory: lower --jobs"),
    "worker": ("Path(f'/proc/{HOST}/oom_score_adj').write_text('1000')", "every worker of the cluster that ran this trial died"),
}
"""Whose process the system prefers to end, and what is told: it is the largest one, unless it was told of another."""

GREEDY = """
def __init__(self, public, width, **options):
    if public.H == 1:
        HOST = Path(f"/proc/{{os.getppid()}}/stat").read_text().rpartition(")")[2].split()[1]
        {prefer}
        self.kept = np.ones(2**31, np.uint8)
    super().__init__(public, width, **options)
"""
"""2 GB in every trial on an instance with one step. The process of Dask is two above that of a trial."""


@contextmanager
def group_of_processes(mb: int) -> Iterator[Path]:
    """A group whose processes have so many MB together; what goes into its file `tasks` belongs to it, with its children."""
    folder = GROUPS / f"verifier-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / "memory.limit_in_bytes").write_text(str(mb * 2**20))
    except OSError:
        pytest.skip("only root may make groups of processes, where the system has them (version 1)")
    try:
        yield folder
    finally:
        while (folder / "tasks").read_text():  # processes that are still ending
            time.sleep(0.1)
        folder.rmdir()


@contextmanager
def programs(command: CommandLine, group: Path) -> Iterator[str]:
    """A scheduler, and two workers in a group; the address."""
    file = command.folder / "scheduler.json"

    def start(*words: str, inside: Path | None = None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", *words, "--no-dashboard"],
            env=command.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=(lambda: (inside / "tasks").write_text(str(os.getpid())) and None) if inside else None,
        )

    scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
    while not file.exists() or not file.read_text().endswith("}"):
        time.sleep(0.05)
    address = json.loads(file.read_text())["address"]
    workers = start("distributed.cli.dask_worker", address, "--nworkers", "2", "--nthreads", "1", inside=group)
    try:
        yield address
    finally:
        for process in (workers, scheduler):
            process.terminate()
            process.wait()


@pytest.mark.parametrize("whose", ENDED)
def test_a_machine_that_runs_out_of_memory_loses_nothing_else(whose: str, tmp_path: Path) -> None:
    prefer, told = ENDED[whose]
    command = CommandLine(tmp_path, patience=300.0)
    command.install("greedy", algorithm("greedy", body=GREEDY.format(prefer=prefer or "pass"), top="from pathlib import Path"))
    narrow = ("--claim", "optimism", "--regime", "oracle", "--memory", "20000")
    instances = ("one-step", "onehot", "lock")
    words = [*narrow, *(word for name in instances for word in ("--instance", name))]
    with group_of_processes(900) as group, programs(command, group) as address:
        found = command.check("greedy", *words, "--cluster", address)
        ended = re.search(r"oom_kill (\d+)", (group / "memory.oom_control").read_text())
        assert ended is not None
        assert int(ended[1]) >= (1 if whose == "trial" else 10)
    assert re.search(told, found.words), found
    assert "on one-step, oracle, trial 0" in found.words
    regimes = {entry["instance"]: entry["verdict"] for entry in found.entry("greedy")["claims"][0]["regimes"]}
    assert regimes.pop("one-step") == "error"
    assert set(regimes.values()) == {"conforms"}
    with closing(sqlite3.connect(command.folder / ".verifier" / "results.sqlite3")) as store:
        kept = store.execute("SELECT instance, regime, trial, seed FROM results").fetchall()
    assert len(kept) == len(set(kept)) == found.entry("greedy")["trials_finished"] - 1, "each once, but the one that was ended"
