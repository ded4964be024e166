"""Traces of trials: written to a file when one crashes or has run out of time, and read by the campaign's process.

A trial that has run out of time is asked where it stands by a signal, just before it is ended, and the handler writes that down
in the trial's own thread. Reading frames while they change crashes Python now and then: by then it is decided that the time is
over, and nothing is blamed on the trial but that. A timer of `faulthandler` does it from another thread, and while there is time
left.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

# An orphan stuck in native code, where no thread of it can act, is ended by the kernel: this many seconds of processor time after
# the limit, or where it uses none, after so many times the limit, which no trial needs that a campaign has not ended by then.
ORPHAN_GRACE = 10.0
FAR = 100.0

# The signal that asks a trial where it stands, where the system has it, and seconds in which the answer is waited for.
WHERE = getattr(signal, "SIGXCPU", None)
ANSWER = 1.0
_POLL = 0.01

# The clocks used here take no more seconds than this.
LONGEST = 1e8


@contextlib.contextmanager
def watched(timeout: float, trace: str) -> Iterator[None]:
    """Write to a file which process runs the trial, and where that stands when it crashes or is asked."""
    global _watch
    timeout = min(timeout, LONGEST)
    with open(trace, "w") as file:
        file.write(f"{os.getpid()}\n\n")
        file.flush()
        tell_where(file)
        end_by_kernel(timeout)
        _watch = trace, timeout
        try:
            yield
        finally:
            _watch = "", 0.0
            end_by_kernel(0.0)
            _answer_no_more()
            faulthandler.disable()
    with contextlib.suppress(OSError):  # what has removed it does not take the result of the trial with it
        os.unlink(trace)


_watch: tuple[str, float] = ("", 0.0)


def hand_over_watch() -> tuple[str, float]:
    """Leave it to the agent's process to write where it stands; returns the file, empty if there is none, and the time limit."""
    _answer_no_more()
    return _watch


def tell_where(file: TextIO) -> None:
    """Write to a file where this process stands, when it crashes and whenever it is asked."""
    faulthandler.enable(file, all_threads=False)
    if WHERE is not None:
        faulthandler.register(WHERE, file, all_threads=False)


def _answer_no_more() -> None:
    if WHERE is not None:
        faulthandler.unregister(WHERE)


def ignore_asking() -> None:
    """Ignore the signal that asks, in this process and those that it starts, where nothing is told: it would end them."""
    if WHERE is not None:
        signal.signal(WHERE, signal.SIG_IGN)


def ask_where(processes: Iterable[int], trace: str | Path) -> None:
    """Ask the processes of a trial where they stand, and wait until its trace has the answer, or for so long.

    One that has replaced the handler does not answer, and one that has none is ended by the signal, as it is about to be.
    """
    if WHERE is None:
        return
    size = _size(trace)
    for pid in processes:
        with contextlib.suppress(OSError):  # it has ended
            os.kill(pid, WHERE)
    before, end = size, time.monotonic() + ANSWER
    while time.monotonic() < end:
        time.sleep(_POLL)
        now = _size(trace)
        if now > size and now == before:  # it has been written, and is not growing any more
            return
        before = now


def _size(trace: str | Path) -> int:
    with contextlib.suppress(OSError):
        return os.stat(trace).st_size
    return 0


def end_by_kernel(timeout: float) -> None:
    """Let the kernel end this process if nobody does after its time limit; never, if that is zero."""
    if hasattr(signal, "setitimer"):
        for timer, number, seconds in (
            (signal.ITIMER_PROF, signal.SIGPROF, timeout + ORPHAN_GRACE),
            (signal.ITIMER_REAL, signal.SIGALRM, FAR * timeout + ORPHAN_GRACE),
        ):
            signal.signal(number, signal.SIG_DFL)
            signal.setitimer(timer, min(seconds, LONGEST) if timeout else 0.0)


def pid_in(trace: str | Path) -> int:
    """The process that runs the trial of this trace; 0 if none does."""
    with contextlib.suppress(OSError, ValueError), open(trace, errors="replace") as file:
        return int(file.readline())
    return 0


def frames_of_plugin(trace: str | Path) -> str:
    """Frames of a dump by `faulthandler` that lie in the plugin: no thread and no frame of the harness."""
    try:
        text = Path(trace).read_text(errors="replace")
    except OSError:
        return ""
    blocks = text.partition("\n\n")[2].split("\n\n")
    kept = [re.split(_HARNESS, block)[0].rstrip() for block in blocks if not block.startswith("Extension modules")]
    return "\n".join(dict.fromkeys(kept)).strip()  # copies of a process that has forked stand where it does


_HARNESS = r'  File "[^"]*verifier[/\\]trials[/\\](?:worker|blind[/\\]agent)\.py"'
