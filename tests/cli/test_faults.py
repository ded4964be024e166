"""Campaigns with faults, in full: each ends with the verdicts of the quiet run, and counts every trial once.

All are long and run with ``pytest -m deep``; what is kept of them for every run are single faults, in `test_store`, in the unit
tests of the store and in those of the cluster.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from verifier.trials.cluster.connection import connected
from verifier.trials.cluster.local import local
from verifier.trials.executor import AHEAD

from .plugins import CommandLine, Outcome

pytestmark = pytest.mark.deep

CAMPAIGN = (
    "ucblvd", "--instance", "onehot", "--regime", "oracle", "--regime", "published", "--profile", "deep", "--budget", "5h",
)  # fmt: skip
LEAST = 500
"""Trials of this campaign, at least."""
EXTRA = 2 * 3 * AHEAD
"""Trials, at most, that were started before it was decided that no more are needed, and are kept and not counted: a window of a
runner with up to three workers, for each of the two regimes."""


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, patience=900.0)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    """The campaign to which nothing happens, on this machine, and its store."""
    command = CommandLine(tmp_path_factory.mktemp("quiet"), patience=900.0)
    found = command.check(*CAMPAIGN)
    assert found.entry("ucblvd")["trials_finished"] >= LEAST
    return found, command.folder / ".verifier" / "results.sqlite3"


def same(found: Outcome, quiet: tuple[Outcome, Path]) -> None:
    """The same verdict sections, to the byte, and every trial counted once."""
    mine, theirs = ({**each.entry("ucblvd"), "trials_reused": 0} for each in (found, quiet[0]))
    assert json.dumps(mine) == json.dumps(theirs)
    assert found.code == quiet[0].code


def continued(command: CommandLine, found: Outcome, before: int, quiet: tuple[Outcome, Path], store: str = ".verifier") -> None:
    """The same verdicts; what had been finished was taken from the store, and the rest was run once."""
    same(found, quiet)
    assert before - EXTRA <= reused(found) <= before
    assert all_of(quiet) <= kept(command, store) <= all_of(quiet) + EXTRA


def store_of(command: CommandLine) -> Path:
    return command.folder / ".verifier" / "results.sqlite3"


def reused(found: Outcome) -> int:
    return int(found.entry("ucblvd")["trials_reused"])


def all_of(quiet: tuple[Outcome, Path]) -> int:
    return int(quiet[0].entry("ucblvd")["trials_finished"])


def kept(command: CommandLine, store: str = ".verifier") -> int:
    """Results in the store; each has a key of its own, and is of a trial of its own."""
    with closing(sqlite3.connect(command.folder / store / "results.sqlite3")) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        results = opened.execute("SELECT count(*), count(DISTINCT key) FROM results").fetchone()
        trials = opened.execute("SELECT count(*) FROM (SELECT DISTINCT algorithm, instance, regime, trial, seed FROM results)")
        assert results == (*trials.fetchone(), results[0])
        return int(results[0])


# Workers and the command ---------------------------------------------------------------------------------------------


def test_the_same_campaign_here_on_a_cluster_and_with_workers_killed_at_random(
    command: CommandLine, quiet: tuple[Outcome, Path]
) -> None:
    there = command.check(*CAMPAIGN, "--cluster", "local:2", "--no-store")
    same(there, quiet)
    killed, pick = 0, random.Random(0)
    with (
        local(3) as address,
        connected(address) as client,
        command.start("check", *CAMPAIGN, "--cluster", address, "--output", "json=killed.json") as process,
    ):
        while process.poll() is None:
            time.sleep(pick.uniform(1.0, 3.0))
            workers: dict[str, int] = client.run(os.getpid, on_error="ignore")
            if len(workers) == 3 and process.poll() is None:  # one that is just starting would not be started again
                os.kill(pick.choice(list(workers.values())), signal.SIGKILL)
                killed += 1
        out, err = process.communicate()
    assert killed >= 3, (out, err)
    found = Outcome(process.returncode, out, err, json.loads((command.folder / "killed.json").read_text()))
    continued(command, found, 0, quiet)
    again = command.check(*CAMPAIGN)
    same(again, quiet)
    assert reused(again) == all_of(quiet)


@pytest.mark.parametrize(("where", "seconds"), [(("--jobs", "2"), (0.8, 4.0)), (("--cluster", "local:2"), (4.0, 9.0))])
def test_the_command_killed_twenty_times(
    where: tuple[str, str], seconds: tuple[float, float], command: CommandLine, quiet: tuple[Outcome, Path]
) -> None:
    pick, counts = random.Random(1), [0]
    for _ in range(20):
        with command.start("check", *CAMPAIGN, *where) as process:
            time.sleep(pick.uniform(*seconds))
            process.kill()
        if (command.folder / ".verifier" / "results.sqlite3").exists():
            counts.append(kept(command))
    assert counts == sorted(counts)
    assert counts[-1] > 0
    found = command.check(*CAMPAIGN, *where)
    continued(command, found, counts[-1], quiet)


# The store -----------------------------------------------------------------------------------------------------------


@contextmanager
def small_disk(folder: Path) -> Iterator[Callable[[], None]]:
    """A disk of 600 kB in a folder; what makes room on it."""
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", folder], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("only root may mount a disk")
    try:
        yield lambda: subprocess.run(["mount", "-o", "remount,size=100m", folder], check=True) and None
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_full(command: CommandLine, quiet: tuple[Outcome, Path]) -> None:
    with small_disk(command.folder / "disk") as make_room:
        told = command("check", *CAMPAIGN, "--store", "disk/store")
        assert told.code == 2, told
        assert "cannot be written: database or disk is full; make room on the disk and run the same command again" in told.words
        make_room()
        before = kept(command, "disk/store")
        found = command.check(*CAMPAIGN, "--store", "disk/store")
        continued(command, found, before, quiet, "disk/store")
    assert before > 0


def test_files_that_may_grow_no_more(command: CommandLine, quiet: tuple[Outcome, Path]) -> None:
    """No process may write files of more than 300 kB."""
    limit = 300_000
    full = command.start(
        "check", *CAMPAIGN, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )  # fmt: skip
    with full as process:
        err = process.communicate(timeout=600)[1]
    assert process.returncode == 2, err
    assert "cannot be written" in err
    assert "make room on the disk and run the same command again" in err
    before = kept(command)
    found = command.check(*CAMPAIGN)
    assert before > 0
    continued(command, found, before, quiet)


def flipped(content: bytearray, pick: random.Random) -> bytearray:
    for _ in range(20):
        content[pick.randrange(100, len(content))] ^= 1 << pick.randrange(8)
    return content


def without_a_page(content: bytearray, pick: random.Random) -> bytearray:
    start = 4096 * pick.randrange(1, len(content) // 4096)
    return content[:start] + bytes(4096) + content[start + 4096 :]


def head_changed(content: bytearray, pick: random.Random) -> bytearray:
    content[pick.randrange(100)] ^= 1 << pick.randrange(8)
    return content


DAMAGE = {
    "bytes": flipped,
    "page": without_a_page,
    "head": head_changed,
    "cut": lambda content, pick: content[: pick.randrange(len(content))],
    "rest": lambda content, pick: content + pick.randbytes(5000),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_store_in_which_bytes_have_changed(damage: str, seed: int, command: CommandLine, quiet: tuple[Outcome, Path]) -> None:
    """Either it is refused, with what to do, or what is damaged is run again."""
    file = command.folder / ".verifier" / "results.sqlite3"
    file.parent.mkdir()
    file.write_bytes(bytes(DAMAGE[damage](bytearray(quiet[1].read_bytes()), random.Random(seed))))
    found = command.check(*CAMPAIGN)
    if found.code == 2:
        assert "move the file away" in found.words or "newer version of verifier" in found.words, found
        shutil.copy(quiet[1], file)
        found = command.check(*CAMPAIGN)
    same(found, quiet)


def test_two_campaigns_on_one_store(command: CommandLine, quiet: tuple[Outcome, Path]) -> None:
    first = command.start("check", *CAMPAIGN, "--output", "json=a.json")
    second = command.check(*CAMPAIGN)
    first.communicate(timeout=900)
    same(second, quiet)
    assert kept(command) <= all_of(quiet) + EXTRA
    read = json.loads((command.folder / "a.json").read_text())
    same(Outcome(first.returncode, "", "", read), quiet)


CLOCK = """
import datetime, time

real = time.time
time.time = lambda: real() + float(open({clock!r}).read() or 0)


class Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)


datetime.datetime = Shifted
"""
"""Clocks of all processes, as a file says. (What libfaketime does to Python's `time.sleep` ends every program.)"""

DAY = 86400


def test_a_clock_that_goes_backwards(command: CommandLine, quiet: tuple[Outcome, Path]) -> None:
    """By a day while the campaign runs, and by a year; then it is killed, and goes on ten years before."""
    clock = command.folder / "clock"
    clock.write_text("0")
    (command.site / "sitecustomize.py").write_text(CLOCK.format(clock=str(clock)))
    with command.start("check", *CAMPAIGN) as process:
        for days in (1, 365):
            time.sleep(4.0)
            clock.write_text(str(-days * DAY))
        time.sleep(2.0)
        process.kill()
    before = kept(command)
    clock.write_text(str(-3653 * DAY))
    continued(command, command.check(*CAMPAIGN), before, quiet)
    with closing(sqlite3.connect(command.folder / ".verifier" / "results.sqlite3")) as store:
        times = [when for (when,) in store.execute("SELECT finished FROM results ORDER BY rowid")]
    assert times != sorted(times)
    assert len({when[:4] for when in times}) >= 3, "the clock was set back twice while trials ran"


# The scheduler -------------------------------------------------------------------------------------------------------


@contextmanager
def programs(port: int) -> Iterator[subprocess.Popen[Any]]:
    """A scheduler at this port, with two workers, as one starts them by hand."""
    dask, address = (sys.executable, "-m"), f"tcp://127.0.0.1:{port}"
    options: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    scheduler = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    worker = ("distributed.cli.dask_worker", address, "--nworkers", "2", "--nthreads", "1", "--no-dashboard")
    started = [subprocess.Popen([*dask, *words], **options) for words in (scheduler, worker)]
    try:
        yield started[0]
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_a_scheduler_that_is_lost_and_started_again(command: CommandLine, quiet: tuple[Outcome, Path]) -> None:
    """At the same address, so that the same command continues."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = (*CAMPAIGN, "--cluster", f"tcp://127.0.0.1:{port}")
    with programs(port) as scheduler, command.start("check", *words) as process:
        while process.poll() is None and not (store_of(command).exists() and kept(command)):
            time.sleep(0.5)
        scheduler.kill()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 4, (out, err)
    assert "is gone; finished trials are kept" in " ".join((out + err).split()), (out, err)
    before = kept(command)
    assert before > 0
    with programs(port):
        found = command.check(*words)
    continued(command, found, before, quiet)
