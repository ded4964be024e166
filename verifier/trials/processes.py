"""Worker processes that do not import the main module of the program that starts them.

Python's own start methods other than fork import it in every new process. A script that starts a campaign without an
``if __name__ == "__main__"`` would then start one in each of its workers. Workers need nothing of it: they import the harness,
and find plugins through entry points.

The exit code of a forked worker is told once, by a byte stream from the server that forked it. Python's own ``poll`` lets two
threads read it at a time (each process that is started polls all others), and who comes second takes the end of the stream for
exit code 255. Here one thread reads at a time.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import BaseContext, SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Inside, the main module is one that was loaded from no file."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class _Spawned(SpawnProcess):
    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        with _main_hidden():
            return SpawnProcess._Popen(process_obj)


class Spawn(SpawnContext):
    """The start method ``spawn``."""

    Process = _Spawned


if sys.platform != "win32":
    from multiprocessing import connection
    from multiprocessing.context import ForkServerContext, ForkServerProcess
    from multiprocessing.popen_forkserver import Popen

    class _OneReader(Popen):
        """A forked process whose exit code is read by one thread at a time."""

        def __init__(self, process_obj: Any) -> None:
            self._reading = threading.Lock()
            super().__init__(process_obj)

        def poll(self, flag: int = os.WNOHANG) -> int | None:
            if flag != os.WNOHANG and self.returncode is None:
                connection.wait([self.sentinel])  # without the lock, so that threads that only look need not wait
            with self._reading:
                return super().poll(os.WNOHANG)

    class _Forked(ForkServerProcess):
        @staticmethod
        def _Popen(process_obj: Any) -> Any:
            with _main_hidden():
                return _OneReader(process_obj)

    class ForkServer(ForkServerContext):
        """The start method ``forkserver``."""

        Process = _Forked


def context(method: str) -> BaseContext:
    """The multiprocessing context of a start method."""
    if method == "spawn":
        return Spawn()
    if method == "forkserver" and sys.platform != "win32":
        return ForkServer()
    return multiprocessing.get_context(method)
