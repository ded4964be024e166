"""The children of this process, with what their descendants leave behind."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

SET_CHILD_SUBREAPER = 36
_GET_CHILD_SUBREAPER = 37


def end_children(keep: Collection[int] = ()) -> int:
    """End all children of this process but some, and on Linux their descendants too.

    Returns
    -------
    int
        How many were still running.
    """
    ended = 0
    while found := [pid for pid in children() if pid not in keep]:
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in found:
            with contextlib.suppress(OSError):
                _, status = os.waitpid(pid, 0)
                ended += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return ended


def children() -> Iterator[int]:
    """The children of this process; nothing where the system does not tell."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (ChildProcessError, AttributeError):  # none at all, or no such question
        return
    me = str(os.getpid())
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            if entry.read_text(errors="replace").rpartition(")")[2].split()[1] == me:
                yield int(entry.parent.name)


@contextlib.contextmanager
def orphans_adopted() -> Iterator[None]:
    """Inside, this process becomes the parent of what its descendants leave behind (Linux)."""
    if _adopts():
        yield
        return
    control(SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        control(SET_CHILD_SUBREAPER, 0)


def _adopts() -> bool:
    import ctypes

    found = ctypes.c_int(0)
    control(_GET_CHILD_SUBREAPER, ctypes.byref(found))
    return bool(found.value)


def control(option: int, value: Any) -> None:
    """Set, or ask for, an attribute of this process; nothing where the system has no such call (`prctl` of Linux)."""
    if sys.platform != "linux":
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
