"""Runs trials in worker processes, each trial under a time limit and a memory limit.

The workers are a pebble pool. Around it this module adds what a campaign needs: results in the order of the trials, a
bounded look-ahead, every way to fail turned into a `TrialResult`, and a pool that is rebuilt when it breaks.

The same trial gives the same bits for any number of workers: every worker runs its linear algebra on one thread
and hashes strings with the same seed. On Linux workers are forked from a server that has imported the harness once;
elsewhere they are spawned.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pebble import ProcessExpired, ProcessPool

from verifier.base import folders
from verifier.base.errors import InternalError, RunEndedError
from verifier.base.load import crowding
from verifier.model.result import ErrorKind, TrialError, TrialResult, TrialSpec
from verifier.plugins.failure import how_it_ended
from verifier.trials import children, processes, worker
from verifier.trials.store import decode
from verifier.trials.trace import frames_of_plugin, pid_in
from verifier.trials.variables import process_variables

OnResult = Callable[[TrialResult], None]

START_METHOD = "forkserver" if sys.platform == "linux" else "spawn"

# Trials started but not finished, and trials pulled but not handed out, both per worker.
IN_FLIGHT = 2
AHEAD = 4

# How often a trial is tried when the pool breaks under it, and how long after the time limit a silent pool counts as
# broken (pebble needs up to 63 s to end what it can end).
ATTEMPTS = 3
STALL_GRACE = 90.0

_POLL = 0.5

# A worker that is gone and has not answered is given up after so many looks at it: pebble tells how workers died, but takes
# one that ended with exit code 0 for one that is still at work.
GONE = 3


@dataclass
class _Slot:
    """A trial between being pulled and being handed out."""

    spec: TrialSpec
    result: TrialResult | None = None
    future: Future[str] | None = None
    trace: Path = Path()
    limit: float = 0.0
    attempts: int = 0
    gone: int = 0


class Executor:
    """Worker processes that run trials; starts them with the first trial.

    Parameters
    ----------
    jobs : int
        Number of workers, at least 1.
    timeout : float
        Seconds a trial may take; longer by the factor `verifier.base.load.crowding` on a busy machine.
    memory_mb : int
        Memory a worker may use, in MB (2**20 bytes); not enforced where the system has no such limit.
    task : callable
        What to run, a function importable in the workers.
    blind : bool
        Whether the trials will be blind, for which workers get ready beforehand.
    """

    def __init__(self, jobs: int, timeout: float, memory_mb: int, task: worker.Task = worker.run, blind: bool = False) -> None:
        self.jobs = jobs
        self.timeout = timeout
        self.memory_mb = memory_mb
        self.blind = blind
        self._task = pickle.dumps(task)
        self._submitted = 0
        self._pool: ProcessPool | None = None
        self._resources = contextlib.ExitStack()
        self._lifeline: Connection
        self._directory: Path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all workers at once, even in the middle of a trial."""
        pool: Any = self._pool
        self._pool = None
        if pool is None:
            return
        try:
            running = [pid_in(trace) for trace in self._directory.glob("*")]  # nothing if the folder is gone
            pool.stop()
            self._lifeline.close()
            pool.join()
            for pid in running:
                children.end_group(pid)
        finally:
            self._resources.close()

    def map(
        self,
        specs: Iterable[TrialSpec],
        on_result: OnResult | None = None,
        known: Callable[[TrialSpec], TrialResult | None] | None = None,
    ) -> Iterator[TrialResult]:
        """Run trials and yield their results in the order of `specs`.

        `specs` is pulled only a few trials ahead of what has been yielded (how far depends on timing), so its generator
        may stop as soon as the results so far decide. Closing the returned generator ends what is still running. One
        `map` at a time.

        Parameters
        ----------
        specs : iterable of TrialSpec
            The trials.
        on_result : callable, optional
            Called with each new result as soon as it is there, before earlier trials have finished; by the thread that
            iterates.
        known : callable, optional
            Gives the result of a trial that need not be run (from a store), or None.

        Yields
        ------
        TrialResult
            Exactly one per trial. A trial that ran out of time or memory or whose worker died has an `error`.

        Raises
        ------
        InternalError
            If no worker can be started.
        RunEndedError
            If the temporary folder of the workers is gone, after the results that are there.
        """
        window: deque[_Slot] = deque()
        pulling = iter(specs)
        more = True
        try:
            while True:
                while more and self._has_room(window):
                    spec = next(pulling, None)
                    if spec is None:
                        more = False
                        break
                    slot = _Slot(spec, result=known(spec) if known else None)
                    window.append(slot)
                    if slot.result is None:
                        self._submit(slot)
                if not window:
                    return
                if (result := window[0].result) is not None:
                    window.popleft()
                    yield result
                    continue
                answers = self._wait(window)
                sound = self._collect(window, on_result)
                if self._lost:
                    yield from (slot.result for slot in window if slot.result is not None)
                    raise RunEndedError(
                        f"the temporary folder {self._directory} vanished while trials were running, so no more could be run; "
                        "set TMPDIR to a place that nothing cleans up, and run the same command again"
                    )
                if not (sound and answers):
                    self._rebuild(window, on_result)
        except (GeneratorExit, KeyboardInterrupt):
            self._collect(window, on_result)  # what has finished meanwhile
            raise
        finally:
            if any(slot.result is None for slot in window):
                self.close()

    @property
    def _lost(self) -> bool:
        """Whether something has removed the folder in which trials tell where they stand."""
        return self._pool is not None and not self._directory.is_dir()

    def _has_room(self, window: deque[_Slot]) -> bool:
        running = sum(slot.result is None for slot in window)
        return running < IN_FLIGHT * self.jobs and len(window) < AHEAD * self.jobs

    def _submit(self, slot: _Slot) -> None:
        pool = self._pool or self._start()
        self._submitted += 1
        slot.trace = self._directory / str(self._submitted)
        slot.limit = self.timeout * crowding()
        arguments = (self._task, slot.spec, slot.limit, str(slot.trace))
        try:
            with _interrupts_held():  # Ctrl-C while a queue wakes its reader would leave the queue without one, for good
                slot.future = pool.schedule(worker.execute, args=arguments, timeout=slot.limit)
        except RuntimeError as error:  # the pool has broken; it is rebuilt when that is noticed
            slot.future = Future()
            slot.future.set_exception(BrokenProcessPool(str(error)))

    def _start(self) -> ProcessPool:
        """Start a pool, by spawning where a fork server does not start (its socket needs a short temporary path)."""
        cause: BaseException | None = None
        for method in dict.fromkeys((START_METHOD, "spawn")):
            self._pool = pool = self._new_pool(method)
            try:
                with _interrupts_held():
                    if pool.active:  # pebble starts the workers when first asked
                        return pool
            except (OSError, EOFError, BrokenProcessPool) as error:
                cause = error.__cause__ or error
            self.close()
        raise InternalError(
            f"no worker process can be started ({type(cause).__name__}: {cause}); expected {sys.executable} to "
            "start and import verifier; check the installation and the limits on processes"
        ) from cause

    def _new_pool(self, method: str) -> ProcessPool:
        with contextlib.ExitStack() as resources:
            resources.enter_context(_environment())
            self._directory = resources.enter_context(folders.temporary())
            context = processes.context(method)
            if method == "forkserver":
                context.set_forkserver_preload(["verifier.trials.worker", "pebble.pool.process"])
            reader, self._lifeline = context.Pipe(duplex=False)
            resources.callback(reader.close)
            resources.callback(self._lifeline.close)
            self._resources = resources.pop_all()
        initial = (self.memory_mb, reader, str(self._directory), self.blind)
        return ProcessPool(self.jobs, initializer=worker.prepare, initargs=initial, context=context)

    def _wait(self, window: deque[_Slot]) -> bool:
        """Wait until a trial finishes; False when the pool does not answer any more."""
        futures = [slot.future for slot in window if slot.result is None and slot.future is not None]
        longest = max((slot.limit for slot in window if slot.result is None), default=self.timeout)
        patience = time.monotonic() + longest + STALL_GRACE
        while not wait(futures, _POLL, FIRST_COMPLETED).done:
            for slot in window:
                self._look_after(slot)
            if self._pool is None or not self._pool.active or time.monotonic() > patience:
                return any(future.done() for future in futures)
        return True

    def _look_after(self, slot: _Slot) -> None:
        """Give up on a trial whose worker has left without a word."""
        pid = pid_in(slot.trace) if slot.result is None and slot.future is not None else 0
        slot.gone = slot.gone + 1 if pid and not children.exists(pid) else 0
        if slot.gone >= GONE and slot.future is not None and not slot.future.done():
            slot.future.cancel()

    def _collect(self, window: deque[_Slot], on_result: OnResult | None) -> bool:
        """Note the results that are there; False when a trial has none because the pool broke."""
        sound = True
        for slot in window:
            if slot.result is None and slot.future is not None and slot.future.done():
                slot.result = self._outcome(slot)
                if slot.result is None:
                    sound = False
                elif on_result is not None:
                    on_result(slot.result)
        return sound

    def _rebuild(self, window: deque[_Slot], on_result: OnResult | None) -> None:
        """Start the unfinished trials again in a new pool; give up on one that was there each time the pool broke."""
        self.close()
        for slot in window:
            if slot.result is not None:
                continue
            slot.attempts += 1
            if slot.attempts < ATTEMPTS:
                self._submit(slot)
                continue
            message = f"the worker processes died {ATTEMPTS} times while this trial was running; expected a result; "
            slot.result = _failed(slot, "exit", message + "run it alone with --jobs 1 to see whether it is the cause")
            if on_result is not None:
                on_result(slot.result)

    def _outcome(self, slot: _Slot) -> TrialResult | None:
        """What a finished future stands for; None when the pool broke under it, or the folder of its trace is gone."""
        assert slot.future is not None
        try:
            return decode(slot.future.result())
        except BrokenProcessPool:
            return None
        except TimeoutError:
            busy = f" ({slot.limit:.0f} s, since the machine is busy)" if slot.limit > self.timeout else ""
            message = f"did not finish within {self.timeout:g} s{busy}; expected a trial to end long before; "
            late = _failed(slot, "timeout", message + "raise the limit with --timeout, or fix the loop")
            return replace(late, seconds=self.timeout)
        except CancelledError:
            return _failed(slot, "exit", how_it_ended("the worker process", 0))
        except ProcessExpired as error:
            return _failed(slot, "exit", how_it_ended("the worker process", error.exitcode))
        except MemoryError:
            message = f"needed more than the {self.memory_mb} MB of memory a trial may have; raise it with --memory"
            return _failed(slot, "memory", message)
        except Exception as error:
            if self._lost:
                return None
            message = f"the harness failed in a worker ({type(error).__name__}: {error}); expected a TrialResult; report it"
            return _failed(slot, "internal", message, getattr(error, "traceback", ""))


def _failed(slot: _Slot, kind: ErrorKind, message: str, traceback: str = "") -> TrialResult:
    with contextlib.suppress(OSError):
        traceback = traceback or frames_of_plugin(slot.trace)
        children.end_group(pid_in(slot.trace))
        slot.trace.unlink()
    return TrialResult(slot.spec, error=TrialError(kind, message, traceback))


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """The environment that workers inherit; this process has its own back afterwards.

    The import path is handed down too: the fork server has to find this very harness before a worker tells it anything.
    """
    wanted = process_variables()
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


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
