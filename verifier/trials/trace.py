"""Where a trial stands: written to a file when it crashes or is about to run out of time, and read by the campaign's process."""

from __future__ import annotations

import contextlib
import faulthandler
import math
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

# An orphan stuck in native code, where no thread of it can act, is ended by the kernel this long after the limit.
ORPHAN_GRACE = 10.0

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
        if hasattr(signal, "alarm"):
            signal.alarm(math.ceil(timeout + ORPHAN_GRACE))
        _watch = trace, time.monotonic() + timeout
        try:
            yield
        finally:
            _watch = "", 0.0
            if hasattr(signal, "alarm"):
                signal.alarm(0)
            faulthandler.cancel_dump_traceback_later()
            faulthandler.disable()
    with contextlib.suppress(OSError):  # what has removed it does not take the result of the trial with it
        os.unlink(trace)


_watch: tuple[str, float] = ("", 0.0)


def hand_over_watch() -> tuple[str, float]:
    """Leave it to the agent's process to write where it stands; returns the file (empty if none) and the seconds left."""
    trace, end = _watch
    if trace:
        faulthandler.cancel_dump_traceback_later()
    return trace, max(end - time.monotonic(), 0.1)


def pid_in(trace: str | Path) -> int:
    """The process that runs the trial of this trace; 0 if none does."""
    with contextlib.suppress(OSError, ValueError), open(trace, errors="replace") as file:
        return int(file.readline())
    return 0


def frames_of_plugin(trace: str | Path) -> str:
    """What of a dump by `faulthandler` lies in the trial: no thread and no frame of the harness."""
    try:
        text = Path(trace).read_text(errors="replace")
    except OSError:
        return ""
    blocks = text.partition("\n\n")[2].split("\n\n")
    kept = [re.split(_HARNESS, block)[0] for block in blocks if "in _end_with" not in block]
    return "\n".join(block.rstrip() for block in kept if not block.startswith("Extension modules")).strip()


_HARNESS = r'  File "[^"]*verifier[/\\]trials[/\\](?:worker|blind[/\\]agent)\.py"'
