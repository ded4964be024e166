"""What a plugin does to the process it is imported by is put back and told."""

from __future__ import annotations

import importlib.metadata
import importlib.util
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


def limit_open_files() -> None:
    """Lower the soft limit by one."""
    resource = pytest.importorskip("resource", reason="limits are those of POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))


CHANGES: dict[str, tuple[Callable[[], Any], str]] = {
    "moves": (lambda: os.chdir("/"), "the working directory"),
    "handles": (lambda: signal.signal(signal.SIGCHLD, handle), f"what signal {int(signal.SIGCHLD)} does"),
    "sets-a-timer": (lambda: signal.setitimer(signal.ITIMER_PROF, 1000.0), "a timer"),
    "replaces-a-stream": (lambda: setattr(sys, "__stdout__", object()), "sys.__stdout__"),
    "traces": (lambda: sys.settrace(lambda *event: None), "the trace function"),
    "limits": (limit_open_files, "limit [0-9]+ of the system"),
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


def test_hooks_that_libraries_replace_are_put_back_and_nothing_is_told() -> None:
    before = sys.excepthook, threading.excepthook, sys.getrecursionlimit()
    with nothing_disturbed():
        sys.excepthook = threading.excepthook = handle  # type: ignore[assignment]  # an offence
        sys.setrecursionlimit(before[2] + 1)
    assert (sys.excepthook, threading.excepthook, sys.getrecursionlimit()) == before


class Finder:
    """Finds nothing, and says so loudly."""

    def find_spec(self, *arguments: object) -> None:
        raise RuntimeError("not mine")

    def find_distributions(self, *arguments: object) -> None:
        raise RuntimeError("none")


def test_finders_that_are_added_are_asked_last_and_end_no_import() -> None:
    first, hooks = list(sys.meta_path), list(sys.path_hooks)
    with nothing_disturbed():
        finder = Finder()
        sys.meta_path.insert(0, finder)  # type: ignore[arg-type]  # what plugins may do
        sys.meta_path.remove(first[-1])
        sys.path_hooks.insert(0, lambda path: 1 / 0)  # type: ignore[arg-type, return-value]  # as above
    try:
        assert sys.meta_path[:-1] == first
        assert sys.path_hooks[:-1] == hooks
        assert importlib.util.find_spec("no_such_module_anywhere") is None
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("no_such_module_anywhere")
        assert next(iter(importlib.metadata.distributions()), None) is not None
        sys.meta_path.remove(finder)  # type: ignore[arg-type]  # its owner can
        assert sys.meta_path == first
    finally:
        sys.meta_path[:], sys.path_hooks[:] = first, hooks


@pytest.mark.parametrize("how", ["setrlimit", "prlimit"])
@pytest.mark.parametrize("name", ["RLIMIT_NOFILE", "RLIMIT_CPU", "RLIMIT_NPROC"])
def test_a_hard_limit_is_not_lowered_for_good(name: str, how: str) -> None:
    resource: Any = pytest.importorskip("resource", reason="limits are those of POSIX")
    if not hasattr(resource, how) or not hasattr(resource, name):
        pytest.skip("the system has no such call or limit")
    which = getattr(resource, name)
    before = resource.getrlimit(which)
    function, start = getattr(resource, how), ((0,) if how == "prlimit" else ())
    with pytest.raises(ContractError, match=f"limit {which} of the system"), nothing_disturbed():
        inside = (getattr(resource, how)(*start, which, (0, 0)), resource.getrlimit(which))
    assert inside[1] == before, "it could not be raised again"
    assert resource.getrlimit(which) == before
    assert getattr(resource, how) is function
    with nothing_disturbed():
        getattr(resource, how)(*start, which, before)
        seen = subprocess.run(
            [sys.executable, "-c", f"import resource; print(resource.getrlimit({int(resource.RLIMIT_CORE)}))"],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
            capture_output=True,
            text=True,
            check=True,
        )
    assert seen.stdout == "(0, 0)\n", "processes that it starts may have other limits"


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
