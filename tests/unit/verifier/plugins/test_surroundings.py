"""What a plugin does to the process it is imported by is put back and told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from verifier.base import threads
from verifier.base.errors import ContractError
from verifier.plugins.surroundings import Surroundings, nothing_disturbed

unix = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs the signals of POSIX")


def handle(number: int, frame: object) -> None:
    """Does nothing, and is not what was there."""


CHANGES: dict[str, tuple[Callable[[], Any], str]] = {
    "moves": (lambda: os.chdir("/"), "the working directory"),
    "handles": (lambda: signal.signal(signal.SIGCHLD, handle), f"what signal {int(signal.SIGCHLD)} does"),
    "sets-a-timer": (lambda: signal.setitimer(signal.ITIMER_PROF, 1000.0), "a timer"),
    "replaces-a-stream": (lambda: setattr(sys, "__stdout__", object()), "sys.__stdout__"),
    "replaces-the-end": (lambda: setattr(sys, "exit", print), "sys.exit"),
}


@pytest.fixture(autouse=True)
def restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Not even a failure of what is tested here disturbs other tests."""
    monkeypatch.chdir(tmp_path)
    around = Surroundings()
    yield
    around.restored()


@unix
@pytest.mark.parametrize("name", CHANGES)
def test_what_was_changed_is_put_back_and_told(name: str, tmp_path: Path) -> None:
    change, told = CHANGES[name]
    streams = sys.__stdout__, sys.exit
    with pytest.raises(ContractError, match=told), nothing_disturbed():
        change()
    assert Path.cwd() == tmp_path
    assert signal.getsignal(signal.SIGCHLD) is not handle
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert (sys.__stdout__, sys.exit) == streams


LEFT = """
import os, time
if os.fork() == 0:
    if {daemon} and os.fork():
        os._exit(0)
    open({path!r}, "w").write(str(os.getpid()))
    time.sleep(901.5)
    os._exit(0)
while not (os.path.exists({path!r}) and open({path!r}).read()):
    time.sleep(0.01)
"""


@unix
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the children of a process are read from /proc")
@pytest.mark.parametrize("daemon", [False, True])
def test_processes_that_are_left_are_ended_and_told(daemon: bool, tmp_path: Path) -> None:
    script, pid = tmp_path / "left.py", tmp_path / "pid"
    script.write_text(
        "from verifier.base.errors import ContractError\n"
        "from verifier.plugins.surroundings import nothing_disturbed\n"
        "try:\n"
        "    with nothing_disturbed(alone=True):\n"
        f"        exec({LEFT.format(daemon=daemon, path=str(pid))!r})\n"
        "except ContractError as error:\n"
        "    print(error)\n"
    )
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=60).stdout
    assert "a process was left running" in told
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_thread_that_is_left_is_told_where_nobody_else_starts_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "THREADS_END", 0.05)
    over = threading.Event()
    try:
        with pytest.raises(ContractError, match="a thread is left running"), nothing_disturbed(alone=True):
            threading.Thread(target=over.wait).start()
        with nothing_disturbed():
            threading.Thread(target=over.wait).start()
    finally:
        over.set()


def test_what_ends_before_the_code_is_over_is_no_change(tmp_path: Path) -> None:
    with nothing_disturbed(alone=True):
        worker = threading.Thread(target=int)
        worker.start()
        worker.join()
        os.chdir("/")
        os.chdir(tmp_path)


ENDS = """
import sys, posix
from verifier.base.leaving import leave_with

class Evil:
    def flush(self):
        posix._exit(0)

def program():
    sys.__stdout__ = sys.__stderr__ = Evil()
    sys.excepthook = lambda *error: posix._exit(0)
    {end}

leave_with(program)
"""


@unix
@pytest.mark.parametrize(("end", "code"), [("sys.exit(1)", 1), ("posix._exit(0)", 4), ("raise KeyboardInterrupt", 130)])
def test_what_stands_in_for_streams_and_hooks_does_not_choose_the_exit_code(end: str, code: int) -> None:
    assert subprocess.run([sys.executable, "-c", ENDS.format(end=end)], capture_output=True, check=False).returncode == code
