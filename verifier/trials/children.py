"""Processes and threads that a plugin starts must not outlive its trial."""

from __future__ import annotations

import contextlib
import os
import signal

from verifier.base.child_processes import SET_CHILD_SUBREAPER, control

_SET_PARENT_DEATH_SIGNAL = 1


def lead_group() -> None:
    """Make this process the leader of a group that all it starts belong to."""
    if hasattr(os, "setpgid"):
        with contextlib.suppress(OSError):  # it leads a session already
            os.setpgid(0, 0)


def adopt_orphans() -> None:
    """Make this process the parent of what its descendants leave behind."""
    control(SET_CHILD_SUBREAPER, 1)


def end_with_parent(parent: int) -> None:
    """End this process when its parent, which had this id, has ended."""
    control(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(0)


def end_group(leader: int) -> None:
    """End the group a process leads or has led."""
    if hasattr(os, "killpg") and leader > 1:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def exists(pid: int) -> bool:
    """Whether there is a process with this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def still_running(left: int) -> str:
    """The message to a plugin that has left so many threads."""
    count = "a thread was" if left == 1 else f"{left} threads were"
    return f"{count} left running when the trial was over; wait in `run` for what it starts"
