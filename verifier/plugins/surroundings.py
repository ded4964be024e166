"""Surroundings of a plugin in the command's own process: working directory, signals, timers, streams, the way to end.

A plugin that changes these when it is imported would change where reports are written, or end the command before its report.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

from verifier.base.child_processes import children, end_children, orphans_adopted
from verifier.base.errors import ContractError
from verifier.base.threads import threads, threads_left

_NAMES: tuple[tuple[Any, str], ...] = ((sys, "exit"), (sys, "__stdin__"), (sys, "__stdout__"), (sys, "__stderr__"))
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGCHLD") if hasattr(signal, name))
"""Signals by which the command is ended, and those that it uses itself."""

_TIMERS = tuple(getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name))


class Surroundings:
    """The surroundings as they are when this object is made."""

    def __init__(self) -> None:
        self._folder = _folder()
        main = threading.current_thread() is threading.main_thread()  # the only one that can set them
        self._handlers = {number: signal.getsignal(number) for number in (_SIGNALS if main else ())}
        self._idle = [timer for timer in _TIMERS if not signal.getitimer(timer)[0]]
        self._held = [(owner, name, getattr(owner, name)) for owner, name in _NAMES]

    def restored(self) -> list[str]:
        """Put back what was changed; returns what that was."""
        return [*self._timers(), *self._signals(), *self._names(), *self._place()]

    def _timers(self) -> Iterator[str]:
        for timer in self._idle:
            if signal.getitimer(timer)[0]:
                signal.setitimer(timer, 0.0)
                yield "a timer"

    def _signals(self) -> Iterator[str]:
        for number, handler in self._handlers.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, signal.SIG_DFL if handler is None else handler)  # none: it was not set from Python
                yield f"what signal {int(number)} does"

    def _names(self) -> Iterator[str]:
        for owner, name, value in self._held:
            if getattr(owner, name, None) is not value:
                setattr(owner, name, value)
                yield f"{owner.__name__}.{name}"

    def _place(self) -> Iterator[str]:
        if self._folder is not None and _folder() != self._folder:
            with contextlib.suppress(OSError):
                os.chdir(self._folder)
            yield "the working directory"


@contextlib.contextmanager
def nothing_disturbed(alone: bool = False) -> Iterator[None]:
    """Run code of a plugin, and put back what it has changed of its surroundings.

    Parameters
    ----------
    alone : bool
        Whether nothing else in this process starts threads or processes meanwhile: those that are still running were started by
        the plugin.

    Raises
    ------
    ContractError
        If it has changed anything, or left threads or processes running, whatever else it has raised.
    """
    around, before = Surroundings(), threads()
    known = set(children()) if alone else set()
    try:
        with orphans_adopted() if alone else contextlib.nullcontext():
            try:
                yield
            finally:
                ended = end_children(known | _helpers()) if alone else 0
    finally:
        left = threads_left(before) if alone else 0
        changed = around.restored()
        if ended:
            changed.append("a process was left running" if ended == 1 else f"{ended} processes were left running")
        if left:
            changed.append("a thread is left running" if left == 1 else f"{left} threads are left running")
        if changed:
            raise ContractError(f"the plugin has changed what belongs to the command: {', '.join(dict.fromkeys(changed))}")


def _helpers() -> set[int]:
    """Processes that the standard library starts for all of this one."""
    tracker = getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None)
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    found = getattr(tracker, "_pid", None), getattr(server, "_forkserver_pid", None)
    return {pid for pid in found if pid is not None}


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None
