"""Runs trials in worker processes, each trial under a time limit and a memory limit.

No worker runs trials of two plugins: what a plugin does to its interpreter, on purpose or by accident, happens to nobody else. So
each plugin has `Workers` of its own, and of all together no more than `jobs` are at work. Around them this module adds what a
campaign needs: results in the order of the trials, a bounded look-ahead, every way to fail turned into a `TrialResult`, and
workers that are replaced when their pool breaks or when a trial has changed what the next one would find.

The same trial gives the same bits for any number of workers: every worker runs its linear algebra on one thread
and hashes strings with the same seed.
"""

from __future__ import annotations

import contextlib
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from pebble import ProcessExpired

from verifier.base.errors import RunEndedError
from verifier.base.load import crowding
from verifier.model.result import ErrorKind, TrialError, TrialResult, TrialSpec
from verifier.plugins.failure import how_it_ended
from verifier.trials import children, fork_server, worker
from verifier.trials.agents import Isolate
from verifier.trials.slot import Slot
from verifier.trials.stored import decode
from verifier.trials.trace import FAR, frames_of_plugin, pid_in
from verifier.trials.usage import KNOWN, processes
from verifier.trials.variables import handed_down
from verifier.trials.workers import Workers

OnResult = Callable[[TrialResult], None]

PluginOf = Callable[[TrialSpec], str]

# Trials pulled but not handed out, per worker. One that takes thirty times as long as others keeps theirs waiting, as results are
# judged in order: with room for 4 a fifth of the time of two workers was lost, with 16 nearly nothing is, by the simulation of
# `tests.benchmarks.scheduler` with the durations of the benchmarks.
AHEAD = 16

# How often a trial is tried when the pool breaks under it, and for how long after the time limit a pool may be silent while no
# trial is at work (pebble needs up to 63 s to end what it can end).
ATTEMPTS = 3
STALL_GRACE = 90.0

_POLL = 0.5


class Executor:
    """Worker processes that run trials; starts those of a plugin with its first trial.

    Parameters
    ----------
    jobs : int
        Number of trials that run at a time, at least 1.
    timeout : float
        Seconds of processor time a trial may use, and seconds it may wait, see `verifier.trials.usage`. Where the system does not
        tell, seconds by the clock, more by the factor `verifier.base.load.crowding` on a busy machine.
    memory_mb : int
        Memory a worker may use, in MB (2**20 bytes); not enforced where the system has no such limit.
    task : callable
        What to run, a function importable in the workers.
    isolate : callable, optional
        Gets a worker ready for blind trials, see `verifier.trials.agents`; None where trials are not blind.
    plugin_of : callable
        Name of the plugin that a trial is of.
    store : Path, optional
        The folder of the store, which agents of blind runs cannot read.
    """

    def __init__(
        self,
        jobs: int,
        timeout: float,
        memory_mb: int,
        task: worker.Task = worker.run,
        isolate: Isolate | None = None,
        plugin_of: PluginOf = lambda spec: "",
        store: Path | None = None,
    ) -> None:
        self.jobs = jobs
        self.timeout = timeout
        self.memory_mb = memory_mb
        self.isolate = isolate
        self._task = pickle.dumps(task)
        self._plugin_of, self._store = plugin_of, store
        self._workers: dict[str, Workers] = {}
        self._looked = 0.0
        self._environment = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all workers at once, even in the middle of a trial."""
        with self._environment, contextlib.ExitStack() as each:
            for workers in self._workers.values():
                each.callback(workers.close)
            self._workers.clear()

    def map(
        self,
        specs: Iterable[TrialSpec],
        on_result: OnResult | None = None,
        known: Callable[[TrialSpec], TrialResult | None] | None = None,
    ) -> Iterator[TrialResult]:
        """Run trials and yield their results in the order of `specs`.

        `specs` is pulled only a few trials ahead of what has been yielded (how far depends on timing), so its generator
        may stop as soon as the results so far decide; it is never pulled while a result waits to be yielded, so no trial is
        started that known results make needless. Closing the returned generator ends what is still running. One `map` at a
        time.

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
        window: deque[Slot] = deque()
        pulling = iter(specs)
        try:
            while True:
                if window and (result := window[0].result) is not None:
                    window.popleft()
                    yield result
                    continue
                if self._has_room(window) and (spec := next(pulling, None)) is not None:
                    slot = Slot(spec, self._plugin_of(spec), known(spec) if known else None)
                    window.append(slot)
                    if slot.result is None:
                        self._submit(slot)
                    continue
                if not window:
                    return
                silent = self._wait(window)
                broken, spoiled = self._collect(window, on_result)
                if lost := self._lost:
                    yield from (slot.result for slot in window if slot.result is not None)
                    raise RunEndedError(
                        f"the temporary folder {lost} vanished while trials were running, so no more could be run; "
                        "set TMPDIR to a place that nothing cleans up, and run the same command again"
                    )
                for plugin in broken | silent:
                    self._count_attempt(plugin, window, on_result)
                for plugin in broken | silent | spoiled:
                    self._replace(plugin, window)
        except (GeneratorExit, KeyboardInterrupt):
            self._collect(window, on_result)  # what has finished meanwhile
            raise
        finally:
            if any(slot.result is None for slot in window):
                self.close()

    @property
    def _lost(self) -> Path | None:
        """The folder of some workers, if something has removed it."""
        return next((workers.directory for workers in self._workers.values() if workers.lost), None)

    def _has_room(self, window: deque[Slot]) -> bool:
        running = sum(slot.result is None for slot in window)
        return running < self.jobs and len(window) < AHEAD * self.jobs

    def _submit(self, slot: Slot) -> None:
        slot.last = self.timeout * (FAR if KNOWN else crowding())
        slot.start(*self._workers_of(slot.plugin).schedule(self._task, slot.spec, self.timeout, slot.last))

    def _workers_of(self, plugin: str) -> Workers:
        if not self._workers:
            self._environment.enter_context(handed_down(self._store))
        if plugin not in self._workers:
            try:
                self._workers[plugin] = Workers(self.jobs, self.memory_mb, self.isolate, plugin)
            except BaseException:
                self.close()
                raise
        return self._workers[plugin]

    def _wait(self, window: deque[Slot]) -> set[str]:
        """Wait until a trial finishes; returns the plugins whose workers do not answer any more."""
        running = [slot for slot in window if slot.result is None and slot.future is not None]
        futures = [slot.future for slot in running if slot.future is not None]
        patience = time.monotonic() + self._patience
        while True:
            done = wait(futures, _POLL, FIRST_COMPLETED).done
            if self._look_after(running):
                patience = time.monotonic() + self._patience
            if done:
                return set()
            late = time.monotonic() > patience
            silent = {slot.plugin for slot in running if late or not self._workers[slot.plugin].active}
            if silent:
                return silent - {slot.plugin for slot in running if slot.future is not None and slot.future.done()}

    @property
    def _patience(self) -> float:
        """Seconds after which a pool counts as silent that has no trial at work and no result."""
        return self.timeout * (1.0 if KNOWN else crowding()) + STALL_GRACE

    def _look_after(self, running: Sequence[Slot]) -> bool:
        """Look at the workers of trials, now and then; returns whether any of them is at work and counts its time."""
        now = time.monotonic()
        if now < self._looked + _POLL:
            return False
        self._looked = now
        fork_server.wake()
        table = processes() if KNOWN else {}
        for slot in running:
            slot.look(now, table, self.timeout)
        return any(slot.account is not None and slot.account.pid in table for slot in running)

    def _collect(self, window: deque[Slot], on_result: OnResult | None) -> tuple[set[str], set[str]]:
        """Note the results that are there; returns the plugins whose pool broke, and those whose workers are spoiled."""
        broken, spoiled = set(), set()
        for slot in window:
            if slot.result is None and slot.future is not None and slot.future.done():
                slot.result = self._outcome(slot)
                if slot.result is None:
                    broken.add(slot.plugin)
                    continue
                if slot.result.error is not None and slot.result.error.kind == "tampering":
                    spoiled.add(slot.plugin)
                if on_result is not None:
                    on_result(slot.result)
        return broken, spoiled

    def _count_attempt(self, plugin: str, window: deque[Slot], on_result: OnResult | None) -> None:
        """Give up on trials that were there each time the pool of their plugin broke."""
        for slot in window:
            if slot.result is not None or slot.plugin != plugin:
                continue
            slot.attempts += 1
            if slot.attempts < ATTEMPTS:
                continue
            message = f"the worker processes died {ATTEMPTS} times while this trial was running; expected a result; "
            slot.result = _failed(slot, "exit", message + "run it alone with --jobs 1 to see whether it is the cause")
            if on_result is not None:
                on_result(slot.result)

    def _replace(self, plugin: str, window: deque[Slot]) -> None:
        """End the workers of a plugin, and start its unfinished trials again in others."""
        self._workers.pop(plugin).close()
        for slot in window:
            if slot.result is None and slot.plugin == plugin:
                self._submit(slot)

    def _outcome(self, slot: Slot) -> TrialResult | None:
        """Result of a finished future; None when the pool broke under it, or the folder of its trace is gone."""
        assert slot.future is not None
        if slot.over:  # whatever became of it afterwards: being asked where it stands may wake it up, or crash it
            return self._late(slot, slot.over)
        try:
            return decode(slot.future.result())
        except BrokenProcessPool:
            return None
        except TimeoutError:
            return self._late(slot, f"{slot.last:.3g} s by the clock")
        except CancelledError:
            return _failed(slot, "exit", how_it_ended("the worker process", 0))
        except ProcessExpired as error:
            return _failed(slot, "exit", how_it_ended("the worker process", error.exitcode))
        except MemoryError:
            message = f"needed more than the {self.memory_mb} MB of memory a trial may have; raise it with --memory"
            return _failed(slot, "memory", message)
        except Exception as error:
            if self._lost is not None:
                return None
            message = f"the harness failed in a worker ({type(error).__name__}: {error}); expected a TrialResult; report it"
            return _failed(slot, "internal", message, getattr(error, "traceback", ""))

    def _late(self, slot: Slot, over: str) -> TrialResult:
        message = f"did not finish within {over}; expected a trial to end long before; "
        late = _failed(slot, "timeout", message + "raise the limit with --timeout, or fix the loop")
        return replace(late, seconds=self.timeout)


def _failed(slot: Slot, kind: ErrorKind, message: str, traceback: str = "") -> TrialResult:
    with contextlib.suppress(OSError):
        traceback = traceback or frames_of_plugin(slot.trace)
        children.end_group(pid_in(slot.trace))
        slot.trace.unlink()
    return TrialResult(slot.spec, error=TrialError(kind, message, traceback))
