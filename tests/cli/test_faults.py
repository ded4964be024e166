"""Campaigns with faults, in full: each ends with the verdicts of the quiet run, and counts every trial once.

All are long and run with ``pytest -m deep``; what is kept of them for every run are single faults, in `test_store`, in the unit
tests of the store and in those of the cluster.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from verifier.trials.cluster.connection import connected
from verifier.trials.cluster.local import local

from .plugins import CommandLine, Outcome

pytestmark = pytest.mark.deep

CAMPAIGN = ("ucblvd", "--instance", "onehot", "--instance", "one-step", "--profile", "deep", "--budget", "5h")
LEAST = 500
"""Trials of this campaign, at least."""


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    found = CommandLine(tmp_path_factory.mktemp("quiet")).check(*CAMPAIGN, "--no-store")
    assert found.entry("ucblvd")["trials_finished"] >= LEAST
    return found


def same(found: Outcome, quiet: Outcome) -> None:
    """The same verdict sections, and every trial counted once."""
    assert found.code == quiet.code
    mine, theirs = ({**each.entry("ucblvd"), "trials_reused": 0} for each in (found, quiet))
    assert mine == theirs


def kept(command: CommandLine) -> int:
    """Results in the store; each has a key of its own."""
    with closing(sqlite3.connect(command.folder / ".verifier" / "results.sqlite3")) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(store.execute("SELECT count(*) FROM results").fetchone()[0])


def test_workers_killed_at_random(command: CommandLine, quiet: Outcome) -> None:
    killed = 0
    pick = random.Random(0)
    with (
        local(2) as address,
        connected(address) as client,
        command.start("check", *CAMPAIGN, "--cluster", address) as process,
    ):
        while process.poll() is None:
            time.sleep(pick.uniform(3.0, 6.0))
            workers: dict[str, int] = client.run(os.getpid, on_error="ignore")
            if len(workers) == 2 and process.poll() is None:  # one that is just starting would not be started again
                os.kill(pick.choice(list(workers.values())), signal.SIGKILL)
                killed += 1
        process.communicate()
    again = command.check(*CAMPAIGN)
    assert killed >= 3
    same(again, quiet)
    assert again.entry("ucblvd")["trials_reused"] == quiet.entry("ucblvd")["trials_finished"]


@pytest.mark.parametrize("where", [("--jobs", "2"), ("--cluster", "local:2")])
def test_the_command_killed_twenty_times(where: tuple[str, str], command: CommandLine, quiet: Outcome) -> None:
    pick, counts = random.Random(1), [0]
    for _ in range(20):
        with command.start("check", *CAMPAIGN, *where) as process:
            time.sleep(pick.uniform(1.0, 8.0) if where[0] == "--jobs" else pick.uniform(4.0, 14.0))
            process.kill()
        if (command.folder / ".verifier" / "results.sqlite3").exists():
            counts.append(kept(command))
    assert counts == sorted(counts)
    found = command.check(*CAMPAIGN, *where)
    same(found, quiet)
    assert found.entry("ucblvd")["trials_reused"] == counts[-1]


def test_a_disk_that_is_full(command: CommandLine, quiet: Outcome) -> None:
    """Of the file that grows first: no process may write files of more than 300 kB."""
    limit = 300_000
    full = command.start(
        "check", *CAMPAIGN, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )  # fmt: skip
    with full as process:
        err = process.communicate(timeout=600)[1]
    assert process.returncode == 2, err
    assert "cannot be written" in err
    assert "make room on the disk and run the same command again" in err
    assert kept(command) > 0
    same(command.check(*CAMPAIGN), quiet)


@pytest.mark.parametrize("seed", range(10))
def test_a_store_in_which_bytes_have_changed(seed: int, command: CommandLine, quiet: Outcome) -> None:
    """Either it is refused, with what to do, or what is damaged is run again."""
    command.check("ucblvd", "--instance", "onehot", "--budget", "2h")
    file = command.folder / ".verifier" / "results.sqlite3"
    content, pick = bytearray(file.read_bytes()), random.Random(seed)
    for _ in range(20):
        content[pick.randrange(100, len(content))] ^= 1 << pick.randrange(8)
    file.write_bytes(bytes(content))
    found = command.check(*CAMPAIGN)
    if found.code == 2:
        assert "move the file away" in found.err
        file.unlink()
        found = command.check(*CAMPAIGN)
    same(found, quiet)


def test_two_campaigns_on_one_store(command: CommandLine, quiet: Outcome) -> None:
    first = command.start("check", *CAMPAIGN, "--output", "json=a.json")
    second = command.check(*CAMPAIGN)
    first.communicate(timeout=900)
    same(second, quiet)
    same(command.check(*CAMPAIGN, file="a.json"), quiet)
    assert kept(command) == len(keys(command.folder))


def keys(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / ".verifier" / "results.sqlite3")) as store:
        return {key for (key,) in store.execute("SELECT key FROM results")}


def test_a_scheduler_that_is_lost_and_started_again(command: CommandLine, quiet: Outcome) -> None:
    with (
        local(2) as address,
        connected(address) as client,
        command.start("check", *CAMPAIGN, "--cluster", address) as process,
    ):
        time.sleep(20)
        os.kill(client.run_on_scheduler(os.getpid), signal.SIGKILL)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 4
    assert "is gone; finished trials are kept" in " ".join(out.split())
    before = kept(command)
    assert before > 0
    found = command.check(*CAMPAIGN, "--cluster", "local:2")
    same(found, quiet)
    assert found.entry("ucblvd")["trials_reused"] == before
