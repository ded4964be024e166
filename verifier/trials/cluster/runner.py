"""The runner that has trials run by the workers of a cluster.

It hands out as many as the cluster has threads, takes in each result as soon as it is there, and yields them in the order of the
trials. What a worker is lost with is started again elsewhere, by Dask and after that from here; a result is taken in once.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from verifier.base.errors import RunEndedError, UsageError
from verifier.base.version import __version__
from verifier.model.result import TrialError, TrialResult, TrialSpec
from verifier.trials import worker
from verifier.trials.agents import Isolate
from verifier.trials.cluster import host
from verifier.trials.cluster.connection import connected
from verifier.trials.executor import AHEAD, ATTEMPTS, OnResult, PluginOf
from verifier.trials.stored import decode

if TYPE_CHECKING:
    from distributed import Client, Future

COMPARING_SECONDS = 60.0
"""For the workers to say what they are. One that is busy for longer is asked before its first trial."""

LONELY_SECONDS = 60.0
"""Seconds that a cluster may be without workers before the run ends."""

FETCHING_SECONDS = 60.0
"""For a result that is there to come here."""

_LOOK_SECONDS = 2.0
_DIED = (
    "every worker of the cluster that ran this trial died; expected a result; if their machines ran out of memory, lower "
    "--memory or start fewer workers on each; run it without --cluster to see if it is the cause"
)
_KEPT = "finished trials are kept unless --no-store was given"
_SAME = (
    "results there would not be the same bit for bit; install the same there (a plugin that is used from the folder of its "
    "project with `pip install -e FOLDER`, as all files of the project count) and start the worker again"
)


@dataclass(eq=False)
class _Entry:
    """A trial that was pulled and not yielded yet."""

    spec: TrialSpec
    result: TrialResult | None
    future: Future | None = None
    attempts: int = 0


class ClusterRunner:
    """Runs trials on a cluster; see `verifier.trials.runner.Runner`.

    Parameters
    ----------
    where : str
        ``tcp://HOST:PORT`` or ``local:N``.
    task : callable
        Maps a trial to its result; importable by the workers.
    timeout : float
        Limit of a trial in seconds, as in `verifier.trials.executor.Executor`.
    memory_mb : int
        MB (2**20 bytes) a trial may use.
    isolate : callable, optional
        Of blind trials, see `verifier.trials.agents`.
    plugin_of : callable
        Name of the plugin that a trial is of.
    algorithms : tuple of str
        The installed algorithms it will run.

    Raises
    ------
    UsageError
        On entering, if the cluster cannot be used, or a worker has other versions or sources than this process.
    RunEndedError
        On entering, if the scheduler has gone since another runner used it.
    """

    def __init__(
        self,
        where: str,
        task: worker.Task,
        timeout: float,
        memory_mb: int,
        isolate: Isolate | None,
        plugin_of: PluginOf,
        algorithms: tuple[str, ...],
    ) -> None:
        self._where, self._plugin_of = where, plugin_of
        self._work = host.Work(secrets.token_hex(8), pickle.dumps(task), timeout, memory_mb, isolate, algorithms)
        self._resources = contextlib.ExitStack()
        self._done: queue.SimpleQueue[tuple[_Entry, Future]] = queue.SimpleQueue()
        self._client: Client
        self._threads = 1
        self._looked = self._populated = 0.0
        self._started = 0

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            self._client = stack.enter_context(connected(self._where))
            stack.callback(self._release)
            self._work = replace(self._work, expected=host.fingerprint(self._work.algorithms))
            try:
                self._compare()
            except OSError as error:  # the scheduler has gone since the connection was made
                raise RunEndedError(self._lost()) from error
            self._resources = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._resources.close()

    def map(
        self,
        specs: Iterable[TrialSpec],
        on_result: OnResult | None = None,
        known: Callable[[TrialSpec], TrialResult | None] | None = None,
    ) -> Iterator[TrialResult]:
        """See `verifier.trials.runner.Runner.map`.

        Raises
        ------
        RunEndedError
            If the scheduler or all workers are gone, or a worker that has come later has other versions or sources.
        """
        window: deque[_Entry] = deque()
        pulling = iter(specs)
        try:
            while True:
                if window and (result := window[0].result) is not None:
                    window.popleft()
                    yield result
                elif self._has_room(window) and (spec := next(pulling, None)) is not None:
                    entry = _Entry(spec, known(spec) if known else None)
                    window.append(entry)
                    if entry.result is None:
                        self._submit(entry)
                elif window:
                    self._wait(on_result)
                else:
                    return
        except (GeneratorExit, KeyboardInterrupt):
            with contextlib.suppress(RunEndedError):
                while not self._done.empty():  # what has finished meanwhile
                    self._take(*self._done.get(), on_result)
            raise
        finally:
            left = [entry.future for entry in window if entry.result is None and entry.future is not None]
            if left and self._client.status == "running":
                with contextlib.suppress(Exception):  # the scheduler may be gone, and the connection not know it yet
                    self._client.cancel(left)

    def _has_room(self, window: deque[_Entry]) -> bool:
        """Whether fewer trials wait at the scheduler than run, so that no worker waits for this process."""
        self._look()
        running = sum(entry.result is None for entry in window)
        return running < 2 * self._threads and len(window) < AHEAD * self._threads

    def _submit(self, entry: _Entry) -> None:
        self._started += 1
        key = f"verifier-{self._work.key}-{self._started}"
        entry.attempts += 1
        plugin = self._plugin_of(entry.spec)
        try:
            entry.future = self._client.submit(host.run, self._work, entry.spec, plugin, key=key, pure=False)
        except Exception as error:  # of many kinds, where the connection has just broken
            raise RunEndedError(self._lost()) from error
        entry.future.add_done_callback(lambda future: self._done.put((entry, future)))

    def _wait(self, on_result: OnResult | None) -> None:
        """Take in the next result, if one comes soon."""
        with contextlib.suppress(queue.Empty):
            self._take(*self._done.get(timeout=_LOOK_SECONDS), on_result)

    def _take(self, entry: _Entry, future: Future, on_result: OnResult | None) -> None:
        if future is not entry.future or entry.result is not None:
            return
        entry.result = self._outcome(entry, future)
        if entry.result is None:
            self._submit(entry)
        elif on_result is not None:
            on_result(entry.result)

    def _outcome(self, entry: _Entry, future: Future) -> TrialResult | None:
        """Result of a finished future; None if its trial is to be started again."""
        from distributed import KilledWorker

        if future.status not in ("finished", "error"):
            raise RunEndedError(self._lost())
        try:
            kind, text = future.result(timeout=FETCHING_SECONDS)
        except KilledWorker:
            error = TrialError("exit", _DIED)
        except Exception as failure:
            if self._client.status != "running":
                raise RunEndedError(self._lost()) from failure
            message = f"its result did not come from the cluster ({type(failure).__name__}: {failure}); expected one; report it"
            error = TrialError("internal", message)
        else:
            if kind == "other":
                raise RunEndedError(f"a worker that has come to the cluster differs: {text}; {_SAME}")
            return decode(text)
        return None if entry.attempts < ATTEMPTS else TrialResult(entry.spec, error=error)

    def _look(self) -> None:
        """Ask now and then how many threads there are.

        Raises
        ------
        RunEndedError
            If the scheduler is gone, or there have been no workers for long.
        """
        now = time.monotonic()
        if now < self._looked + _LOOK_SECONDS:
            return
        self._looked = now
        try:
            threads = sum(self._client.nthreads().values())
        except Exception as error:  # of many kinds, as the connection breaks here or there
            raise RunEndedError(self._lost()) from error
        if threads:
            self._threads, self._populated = threads, now
        elif now > self._populated + LONELY_SECONDS:
            raise RunEndedError(
                f"the cluster {self._where} has had no workers for {LONELY_SECONDS:g} s; {_KEPT}: start workers, and run the "
                "same command again"
            )

    def _lost(self) -> str:
        return (
            f"the scheduler of the cluster {self._where} is gone; {_KEPT}: start it again, with workers, and run the same "
            "command again"
        )

    def _compare(self) -> None:
        """Refuse workers that would not give the same results, before any trial is run."""
        addresses = list(self._client.nthreads())
        asked = {
            address: self._client.submit(
                host.compare,
                self._work,
                workers=[address],
                allow_other_workers=False,
                pure=False,
                key=f"verifier-{self._work.key}-{address}",
            )
            for address in addresses
        }
        end = time.monotonic() + COMPARING_SECONDS
        for address, future in asked.items():
            try:
                differing = future.result(timeout=max(end - time.monotonic(), 0.1))
            except TimeoutError:
                continue
            except Exception as error:
                raise UsageError(
                    f"worker {address} of the cluster cannot run trials ({type(error).__name__}: {error}); install verifier "
                    f"{__version__} and the plugins there and start the worker again"
                ) from None
            if differing:
                raise UsageError(f"worker {address} of the cluster differs: {differing}; {_SAME}")

    def _release(self) -> None:
        """Have workers end the processes of this runner."""
        if self._client.status != "running":  # the scheduler is gone; without it workers end, and their processes with them
            return
        with contextlib.suppress(Exception):  # workers that are gone have ended them
            self._client.run(host.release, self._work.key, on_error="ignore")
