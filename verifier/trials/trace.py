"""Traces of trials: written to a file when one crashes or is about to run out of time, and read by the campaign's process."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

# An orphan stuck in native code, where no thread of it can act, is ended by the kernel: this many seconds of processor time after
# the limit, or where it uses none, after so many times the limit, which no trial needs that a campaign has not ended by then.
ORPHAN_GRACE = 10.0
FAR = 100.0

# The clocks used here take no more seconds than this.
LONGEST = 1e8


@contextlib.contextmanager
def watched(timeout: float, trace: str) -> Iterator[None]:
    """Write to a file which process runs the trial, and where that stands when it crashes or is about to run out of time."""
    global _watch
    timeout = min(timeout, LONGEST)
    with open(trace, "w") as file:
        file.write(f"{os.getpid()}\n\n")
        file.flush()
        faulthandler.enable(file, all_threads=False)
        faulthandler.dump_traceback_later(0.9 * timeout, file=file)
        end_by_kernel(timeout)
        _watch = trace, timeout, time.monotonic() + timeout
        try:
            yield
        finally:
            _watch = "", 0.0, 0.0
            end_by_kernel(0.0)
            faulthandler.cancel_dump_traceback_later()
            faulthandler.disable()
    with contextlib.suppress(OSError):  # what has removed it does not take the result of the trial with it
        os.unlink(trace)


_watch: tuple[str, float, float] = ("", 0.0, 0.0)


def hand_over_watch() -> tuple[str, float, float]:
    """Leave it to the agent's process to write where it stands.

    Returns
    -------
    tuple of str, float and float
        The file, empty if there is none; the time limit; and what is left of it by the clock.
    """
    trace, timeout, end = _watch
    if trace:
        faulthandler.cancel_dump_traceback_later()
    return trace, timeout, max(end - time.monotonic(), 0.1)


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
    kept = [re.split(_HARNESS, block)[0] for block in blocks if "in _end_with" not in block]
    return "\n".join(block.rstrip() for block in kept if not block.startswith("Extension modules")).strip()


_HARNESS = r'  File "[^"]*verifier[/\\]trials[/\\](?:worker|blind[/\\]agent)\.py"'
