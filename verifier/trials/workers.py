"""Worker processes for the trials of one plugin: a pebble pool, its temporary folder, and what ends it.

On Linux workers are forked from a server that has imported the harness once; elsewhere, and in blind mode, they are spawned.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pebble import ProcessPool

from verifier.base import folders
from verifier.base.errors import InternalError
from verifier.model.result import TrialSpec
from verifier.trials import children, processes, worker
from verifier.trials.agents import Isolate
from verifier.trials.trace import pid_in

START_METHOD = "forkserver" if sys.platform == "linux" else "spawn"

_PRELOADED = ["verifier.trials.worker", "verifier.trials.trial", "verifier_settings.built_in", "pebble.pool.process"]


class Workers:
    """Workers that run the trials of one plugin and of no other; started at once.

    Parameters
    ----------
    number : int
    memory_mb : int
        Memory a worker may use, in MB (2**20 bytes).
    isolate : callable, optional
        Of blind trials, see `verifier.trials.agents`.
    plugin : str
        Name of the plugin; empty where it is not known.

    Attributes
    ----------
    directory : Path
        Where trials tell where they stand.

    Raises
    ------
    InternalError
        If none can be started.
    """

    def __init__(self, number: int, memory_mb: int, isolate: Isolate | None, plugin: str) -> None:
        self.directory: Path
        self._lifeline: Connection
        self._resources = contextlib.ExitStack()
        self._initial = (memory_mb, isolate, plugin)
        self._scheduled = 0
        self._pool = self._start(number)

    @property
    def active(self) -> bool:
        """Whether the pool is at work."""
        return bool(self._pool.active)

    @property
    def lost(self) -> bool:
        """Whether something has removed the folder in which trials tell where they stand."""
        return not self.directory.is_dir()

    def schedule(self, task: bytes, spec: TrialSpec, limit: float, last: float) -> tuple[Future[str], Path]:
        """Hand a trial to the next worker that is free; its result to come, and the file that tells where it stands.

        Where nobody has ended it by its time limit, the pool does after ``last`` seconds by the clock.
        """
        self._scheduled += 1
        trace = self.directory / str(self._scheduled)
        try:
            with _interrupts_held():  # Ctrl-C while a queue wakes its reader would leave the queue without one, for good
                future: Future[str] = self._pool.schedule(worker.execute, args=(task, spec, limit, str(trace)), timeout=last)
        except RuntimeError as error:  # the pool has broken; it is replaced when that is noticed
            future = Future()
            future.set_exception(BrokenProcessPool(str(error)))
        return future, trace

    def close(self) -> None:
        """End all workers at once, even in the middle of a trial; who is impatient does not interrupt that."""
        with _interrupts_held():
            self._end(self._pool)

    def _end(self, pool: Any) -> None:
        try:
            running = [pid_in(trace) for trace in self.directory.glob("*")]  # nothing if the folder is gone
            pool.stop()
            self._lifeline.close()
            pool.join()
            for pid in running:
                children.end_group(pid)
        finally:
            self._resources.close()

    def _start(self, number: int) -> ProcessPool:
        """Start a pool, by spawning where a fork server does not start (its socket needs a short temporary path)."""
        cause: BaseException | None = None
        wake_fork_server()
        blind = self._initial[1] is not None
        if blind:
            _end_fork_server()
        for method in dict.fromkeys(("spawn" if blind else START_METHOD, "spawn")):
            pool = self._new_pool(method, number)
            try:
                resource_tracker.ensure_running()  # its start would let interrupts through
                with _interrupts_held():
                    if pool.active:  # pebble starts the workers when first asked
                        return pool
            except (OSError, EOFError, BrokenProcessPool) as error:
                cause = error.__cause__ or error
            self._end(pool)
        raise InternalError(
            f"no worker process can be started ({type(cause).__name__}: {cause}); expected {sys.executable} to "
            "start and import verifier; check the installation and the limits on processes"
        ) from cause

    def _new_pool(self, method: str, number: int) -> ProcessPool:
        with contextlib.ExitStack() as resources:
            self.directory = resources.enter_context(folders.temporary())
            context = processes.context(method)
            if method == "forkserver":
                context.set_forkserver_preload(_PRELOADED)
            reader, self._lifeline = context.Pipe(duplex=False)
            resources.callback(reader.close)
            resources.callback(self._lifeline.close)
            self._resources = resources.pop_all()
        initial = (reader, str(self.directory), *self._initial)
        return ProcessPool(number, initializer=worker.prepare, initargs=initial, context=context)


def wake_fork_server() -> None:
    """Let the server that workers are forked from continue, if a plugin has stopped it: each new worker would wait for it."""
    server: Any = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    pid = getattr(server, "_forkserver_pid", None)
    if pid is not None:
        with contextlib.suppress(OSError):  # it has ended
            os.kill(pid, signal.SIGCONT)


def _end_fork_server() -> None:
    """End the server that workers of other runs were forked from.

    It forks a process for whoever finds its socket, of which agents that run as the same user could have theirs: one that is not
    confined, and beside the truth. So blind workers are spawned, and no server is there.
    """
    server: Any = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    if server is not None:
        wake_fork_server()  # its end is waited for
        with contextlib.suppress(OSError):  # it has ended by itself
            server._stop()


_ENDING = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
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
