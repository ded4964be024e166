"""The server that workers are forked from on Linux; it has imported the harness once."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing.context import BaseContext
from typing import Any

from verifier.trials import processes
from verifier.trials.variables import handed_down

START_METHOD = "forkserver" if sys.platform == "linux" else "spawn"

_PRELOADED = ["verifier.trials.worker", "verifier.trials.trial", "verifier_settings.built_in", "pebble.pool.process"]

_ENDING = (signal.SIGINT, signal.SIGTERM)


def context() -> BaseContext:
    """The multiprocessing context of the server, told what to import before it forks."""
    made = processes.context("forkserver")
    made.set_forkserver_preload(_PRELOADED)
    return made


def start() -> None:
    """Start the server where there is one, and do not wait for it: it imports while this process does.

    A command calls this before it imports plugins. Where workers turn out not to be needed, a process has lived in vain. Whatever
    goes wrong is left to `Workers`, which start it again, or do without.
    """
    if START_METHOD != "forkserver":
        return
    context()
    from multiprocessing import forkserver, resource_tracker

    with contextlib.suppress(OSError), handed_down(), interrupts_held():
        resource_tracker.ensure_running()
        forkserver.ensure_running()


def wake() -> None:
    """Let the server continue, if a plugin has stopped it: each new worker would wait for it."""
    server = _server()
    pid = getattr(server, "_forkserver_pid", None)
    if pid is not None:
        with contextlib.suppress(OSError):  # it has ended
            os.kill(pid, signal.SIGCONT)


def end() -> None:
    """End the server that workers of other runs were forked from.

    It forks a process for whoever finds its socket, of which agents that run as the same user could have theirs: one that is not
    confined, and beside the truth. So blind workers are spawned, and no server is there.
    """
    server = _server()
    if server is not None:
        wake()  # its end is waited for
        with contextlib.suppress(OSError):  # it has ended by itself
            server._stop()


def _server() -> Any:
    return getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Processes and threads started inside never see Ctrl-C, from their first instruction on; this one sees it afterwards.

    Blocking it is not enough for that: the system then gives it to another thread (a library's), and Python to the main one.
    SIGTERM comes afterwards, too, but is not blocked: workers are ended with it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in _ENDING if main}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if came:
            signal.raise_signal(came[0])
