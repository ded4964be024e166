"""Worker processes for the trials of one plugin: a pebble pool, its temporary folder, and what ends it.

On Linux workers are forked from a server that has imported the harness once; elsewhere, and in blind mode, they are spawned.
"""

from __future__ import annotations

import contextlib
import sys
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
from verifier.trials import children, fork_server, processes, worker
from verifier.trials.agents import Isolate
from verifier.trials.fork_server import interrupts_held
from verifier.trials.trace import pid_in


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
            with interrupts_held():  # Ctrl-C while a queue wakes its reader would leave the queue without one, for good
                future: Future[str] = self._pool.schedule(worker.execute, args=(task, spec, limit, str(trace)), timeout=last)
        except RuntimeError as error:  # the pool has broken; it is replaced when that is noticed
            future = Future()
            future.set_exception(BrokenProcessPool(str(error)))
        return future, trace

    def close(self) -> None:
        """End all workers at once, even in the middle of a trial; who is impatient does not interrupt that."""
        with interrupts_held():
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
        fork_server.wake()
        blind = self._initial[1] is not None
        if blind:
            fork_server.end()
        for method in dict.fromkeys(("spawn" if blind else fork_server.START_METHOD, "spawn")):
            pool = self._new_pool(method, number)
            try:
                resource_tracker.ensure_running()  # its start would let interrupts through
                with interrupts_held():
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
            context = fork_server.context() if method == "forkserver" else processes.context(method)
            reader, self._lifeline = context.Pipe(duplex=False)
            resources.callback(reader.close)
            resources.callback(self._lifeline.close)
            self._resources = resources.pop_all()
        initial = (reader, str(self.directory), *self._initial)
        return ProcessPool(number, initializer=worker.prepare, initargs=initial, context=context)
