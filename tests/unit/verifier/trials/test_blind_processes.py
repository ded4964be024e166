"""What agents do to files and processes in blind mode: their own run may fail, nothing else does."""

from __future__ import annotations

import contextlib
import ctypes
import json
import multiprocessing.forkserver
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.commands.keys import Keys
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials.blind import confine, system_calls
from verifier.trials.blind import run as blind
from verifier.trials.fork_server import START_METHOD
from verifier.trials.runner import isolate_agents
from verifier.trials.store import Store
from verifier.trials.workers import Workers

from .blind_agents import Base, blindly


class WritesFiles(Base):
    """Writes to a file of its own, which is right, and tells what else it can change."""

    def misbehave(self, env: Any) -> None:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("mine")
        os.close(os.open(os.devnull, os.O_WRONLY))
        place = Path(os.environ["PLACE_OF_A_STORE"])
        changes = (
            lambda: (place / "results.sqlite3").write_bytes(b"forged"),
            lambda: os.truncate(place / "results.sqlite3", 0),
            lambda: (place / "new").touch(),
            lambda: os.replace(place / "results.sqlite3", place / "other"),
            lambda: os.unlink(place / "results.sqlite3"),
            lambda: os.link(place / "results.sqlite3", place / "linked"),
            lambda: subprocess.run(["tee", place / "results.sqlite3"], input=b"forged", check=True, capture_output=True),
        )
        for change in changes:
            with pytest.raises((PermissionError, subprocess.CalledProcessError)):
                change()


@pytest.mark.skipif(not confine.version(), reason="the system cannot take the right to write from a process")
def test_an_agent_changes_no_file_but_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "results.sqlite3"
    kept.write_bytes(b"kept")
    monkeypatch.setenv("PLACE_OF_A_STORE", str(tmp_path))
    blind.nursery().close()  # the next one knows the variable
    assert blindly(WritesFiles).error is None
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [(kept.name, b"kept")]
    blind.nursery().close()


def test_where_agents_could_have_written_them_stored_results_are_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = TrialSpec("lifelong-lsvi", "one-step", "oracle", 0, 0, blind=True)
    chosen = Selection(("lifelong-lsvi",), instances=("one-step",))
    (subject,) = Campaign(registry(), chosen, PROFILES["quick"], Config()).subjects
    for version, filtered, blind_again, plain_again in ((1, True, True, True), (0, True, False, True), (1, False, False, True)):
        monkeypatch.setattr(confine, "version", lambda version=version: version)
        monkeypatch.setattr(system_calls, "known", lambda filtered=filtered: filtered)
        keys = Keys()
        assert (keys.key(subject, spec) == keys.key(subject, spec)) is blind_again
        seeing = replace(spec, blind=False)
        assert (keys.key(subject, seeing) == keys.key(subject, seeing)) is plain_again


@pytest.mark.full
def test_blind_runs_use_no_stored_result_of_plain_ones(tmp_path: Path) -> None:
    """Results of one mode are unknown to the other: an agent that is not blind can write any result into the store they share."""
    chosen: Any = {"claims": ["gram"], "instances": ["one-step", "drawn"], "regimes": ["oracle"], "store": tmp_path, "jobs": 1}

    def reused(**mode: bool) -> tuple[int, int]:
        """Trials taken from the store, of those that there are, and how many are kept there."""
        (entry,) = verifier.check("lifelong-lsvi", **chosen, **mode).record.algorithms
        with Store(tmp_path) as store, contextlib.closing(sqlite3.connect(store.file)) as opened:
            (kept,) = opened.execute("SELECT count(*) FROM results").fetchone()
        assert entry.trials_finished > 0
        return entry.trials_reused, kept

    plain = reused()
    assert plain[0] == 0
    assert reused()[1] == plain[1], "the same rows"
    blindly = reused(blind=True)
    assert blindly == (0, 2 * plain[1]), "neither trials nor searches"
    assert reused() == (plain[1] - 1, 2 * plain[1]), "nor the other way round; a search is no trial"


REFUSED = """
import ctypes, errno, os, socket, sys
from verifier.trials.blind import system_calls
libc = ctypes.CDLL(None, use_errno=True)
mine, other = socket.socketpair()
assert system_calls.refuse()
place = system_calls._MACHINES[os.uname().machine][1]
for name, numbers in (system_calls._REFUSED | system_calls._OF_OTHERS).items():
    if numbers[place] is not None:
        ctypes.set_errno(0)
        found = libc.syscall(ctypes.c_long(numbers[place]), *[ctypes.c_long(-1)] * 6)
        assert (found, ctypes.get_errno()) == (-1, errno.EPERM), name
assert os.uname().machine != "x86_64" or libc.syscall(ctypes.c_long(0x40000000 + 39)) == -1
mine.send(b"x")
assert other.recv(1) == b"x"
assert os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], os.environ), 0)[1]) == 0
"""


@pytest.mark.skipif(not system_calls.known(), reason="the system has no filter of system calls")
def test_every_refused_call_is_refused_and_no_other() -> None:
    """Arguments that no call takes: without the filter each fails with another error, or does nothing."""
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


MARKS = """
import os, resource, subprocess, sys
from verifier.trials.blind import system_calls
other = int(sys.argv[1])
assert system_calls.refuse()

def refused(deed, *arguments):
    try:
        deed(*arguments)
    except PermissionError:
        return True

assert refused(os.setpriority, os.PRIO_PROCESS, other, 7)
assert refused(os.setpriority, os.PRIO_USER, 0, 19)
assert refused(os.sched_setaffinity, other, os.sched_getaffinity(0))
assert refused(os.sched_setscheduler, other, os.SCHED_BATCH, os.sched_param(0))
assert refused(resource.prlimit, other, resource.RLIMIT_CORE, (0, 0))
limits = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, limits)
resource.prlimit(0, resource.RLIMIT_NOFILE, limits)
os.sched_setaffinity(0, os.sched_getaffinity(0))
"""


@pytest.mark.skipif(not system_calls.known(), reason="the system has no filter of system calls")
def test_no_marks_are_left_on_other_processes() -> None:
    """By priorities, processors and limits, which the next run would have from the process that it is forked from."""
    program = [sys.executable, "-c", MARKS, str(os.getpid())]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(START_METHOD != "forkserver", reason="the system has no fork server")
def test_no_fork_server_is_there_while_workers_are_blind() -> None:
    def server() -> int | None:
        found: Any = multiprocessing.forkserver._forkserver  # type: ignore[attr-defined]  # nothing public tells
        pid: int | None = found._forkserver_pid
        return pid

    seeing = Workers(1, 1024, None, "")
    seeing.close()
    assert server() is not None
    blindfolded = Workers(1, 1024, isolate_agents, "")
    try:
        assert server() is None
    finally:
        blindfolded.close()


class TellsItsFolder(Base):
    def misbehave(self, env: Any) -> None:
        Path(tempfile.gettempdir(), "kept").touch()
        raise LookupError(f"<{tempfile.gettempdir()}>")


class Remembers(Base):
    """Leaves what it can to the next run: variables, modules, attributes of classes, files of its own."""

    def misbehave(self, env: Any) -> None:
        left = (os.environ.get("LEFT"), sys.modules.get("left"), getattr(Base, "left", None), os.listdir(tempfile.gettempdir()))
        assert left == (None, None, None, [])
        os.environ["LEFT"], sys.modules["left"] = "yes", sys
        Base.left = "yes"  # type: ignore[attr-defined]  # an offence
        Path(tempfile.gettempdir(), "left").touch()


class Traces(Base):
    def misbehave(self, env: Any) -> None:
        attach = 16
        for pid in (os.getppid(), int(os.environ["PID_OF_A_WORKER"])):
            assert ctypes.CDLL(None).ptrace(attach, pid, 0, 0) == -1
            with pytest.raises(PermissionError):
                os.open(f"/proc/{pid}/mem", os.O_RDWR)


@pytest.mark.full
@pytest.mark.skipif(not confine.version(), reason="the system cannot take the right to write from a process")
def test_runs_leave_one_another_nothing_and_see_no_other_process_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PID_OF_A_WORKER", str(os.getpid()))
    blind.nursery().close()  # the next one knows the variable
    told = blindly(TellsItsFolder).error
    assert told is not None
    folder = Path(told.message.partition("<")[2].partition(">")[0])
    assert (folder.name.startswith("verifier-agent-"), folder.exists()) == (True, False)
    assert [blindly(agent).error for agent in (Remembers, Remembers, Traces)] == [None] * 3
    blind.nursery().close()


class Exits(Base):
    def misbehave(self, env: Any) -> None:
        os._exit(0)


class Killed(Base):
    def misbehave(self, env: Any) -> None:
        os.kill(os.getpid(), 9)


class KillsTheNursery(Base):
    def misbehave(self, env: Any) -> None:
        os.kill(os.getppid(), 9)
        time.sleep(30)


class WritesGarbage(Base):
    def misbehave(self, env: Any) -> None:
        for descriptor in range(3, 64):
            try:
                socket.socket(fileno=os.dup(descriptor)).send(b"\x03\0\0\0\0\0\0\0abc")
            except OSError:
                continue


class Forks(Base):
    def misbehave(self, env: Any) -> None:
        if os.fork() == 0:
            time.sleep(30)


class Threads(Base):
    def misbehave(self, env: Any) -> None:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()


class Prints(Base):
    def misbehave(self, env: Any) -> None:
        print("NOISE" * 10000, flush=True)
        os.write(1, b"NOISE")
        os.write(2, b"NOISE")


class Unplannable(Base):
    def run(self, env: Any) -> Iterator[Any]:
        yield self


class Draws(Base):
    def misbehave(self, env: Any) -> None:
        np.random.rand()  # noqa: NPY002  # the offence


class Seeds(Base):
    def misbehave(self, env: Any) -> None:
        np.random.default_rng = None  # type: ignore[assignment]  # the offence


ODD = {
    Exits: ("exit", "the agent's process ended with exit code 0"),
    Killed: ("exit", "the agent's process was killed by SIGKILL"),
    KillsTheNursery: ("exit", "the agent's process was killed by SIGKILL"),
    WritesGarbage: ("contract", "what the agent's process sent is no message"),
    Forks: ("exit", "a process was left running"),
    Threads: ("tampering", "a thread was left running when the trial was over"),
    Unplannable: ("contract", "cannot be handed to the harness in blind mode"),
    Draws: ("global-rng", "draw from env.rng"),
    Seeds: ("tampering", "replaced numpy.random.default_rng"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("odd", ODD)
def test_odd_agents_end_in_an_error_and_the_next_run_is_fine(odd: type[Base]) -> None:
    kind, words = ODD[odd]
    before = time.monotonic()
    error = blindly(odd).error
    assert error is not None
    assert error.kind == kind
    assert words in error.message
    assert error.message.startswith("odd on few-episodes, oracle, trial 0: ")
    assert time.monotonic() - before < 25, "it waited for the sleep"
    assert blindly(Base).error is None


def test_what_an_agent_prints_reaches_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    assert blindly(Prints).error is None
    assert capfd.readouterr() == ("", "")


READS = """
import json, os, sys
from pathlib import Path
from verifier.trials.blind.confine import hide
folder = Path(sys.argv[1])
assert hide(folder, "results.sqlite3")

def reads(path):
    try:
        return open(path).read()
    except PermissionError:
        return "refused"

(folder / "results.sqlite3-wal").write_text("later")
(folder.parent / "new").mkdir()
places = [*sys.argv[2:], f"/proc/self/root{folder}/results.sqlite3", str(folder / "results.sqlite3-wal")]
import xmlrpc.client  # a module that was not read before
print(json.dumps([[reads(place) for place in places], sorted(os.listdir(folder))]))
"""


@pytest.mark.skipif(not confine.version(), reason="the system cannot take the right to read from a process")
def test_a_process_from_which_the_store_is_hidden_reads_everything_else(tmp_path: Path) -> None:
    folder, beside = tmp_path / "store", tmp_path / "beside"
    for place in (folder, beside):
        place.mkdir()
    (tmp_path / "linked").symlink_to(folder)
    (tmp_path / "around").symlink_to(tmp_path)
    hidden, others = folder / "results.sqlite3", [folder / "readme", beside / "file", tmp_path / "file"]
    for file in (hidden, *others):
        file.write_text("here")
    ways = [hidden, tmp_path / "linked" / hidden.name, tmp_path / "around" / "store" / hidden.name]
    program = [sys.executable, "-c", READS, tmp_path / "linked", *others, *ways]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    found, names = json.loads(done.stdout)
    assert found == ["here"] * 3 + ["refused"] * 5
    assert names == ["readme", "results.sqlite3", "results.sqlite3-wal"]
