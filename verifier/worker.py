"""What happens inside a worker process: its set-up, and one guarded trial at a time.

A worker gets a trial and answers with JSON text. Nothing a plugin raises or defines crosses the process boundary, so
nothing a plugin does can make the campaign's process fail while it reads the answer.

What a plugin prints in a worker is thrown away: both standard streams go to the null device, because the terminal
belongs to the report. What is kept is where a trial stood when it crashed or ran out of time, in a small file per
trial.
"""

from __future__ import annotations

import contextlib
import faulthandler
import math
import os
import pickle
import shutil
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

from verifier.errors import InternalError
from verifier.result import ErrorKind, TrialError, TrialResult, TrialSpec
from verifier.store import encode

Task = Callable[[TrialSpec], TrialResult]

# An orphan stuck in native code, where no thread of it can act, is ended by the kernel this long after the limit.
ORPHAN_GRACE = 10.0

# The clocks used here take no more seconds than this.
LONGEST = 1e8


def run(spec: TrialSpec) -> TrialResult:
    """Run one trial; whatever the plugin raises becomes an error of the result.

    Raises
    ------
    KeyboardInterrupt
        Only where Ctrl-C can reach the process, which is not so in a worker.
    """
    return guarded(_trial, spec)


def guarded(task: Task, spec: TrialSpec) -> TrialResult:
    """The result of a task, or a result that says how it failed.

    Raises
    ------
    KeyboardInterrupt
        As in `run`.
    """
    started = time.process_time()
    try:
        return task(spec)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            raise
        failure = TrialError(*_cause(error), traceback.format_exc())
    return TrialResult(spec, seconds=time.process_time() - started, error=failure)


def prepare(memory_mb: int, lifeline: Connection, directory: str) -> None:
    """Set up a worker before its first trial.

    Parameters
    ----------
    memory_mb : int
        Limit of its memory, in MB (2**20 bytes).
    lifeline : Connection
        End of a pipe whose other end is held by the campaign's process alone; the worker ends when that one is closed.
    directory : str
        Where the campaign's process has its temporary files; removed when that process is gone.
    """
    threading.Thread(target=_end_with, args=(lifeline, directory), daemon=True).start()
    _limit(memory_mb)
    _silence()


def execute(task: bytes, spec: TrialSpec, timeout: float, trace: str) -> str:
    """Run one trial in a worker.

    Parameters
    ----------
    task : bytes
        The pickled task; unpickled here, where failing to import it ends one trial and not the worker.
    spec : TrialSpec
        The trial.
    timeout : float
        Seconds after which the campaign's process will end this one.
    trace : str
        File that tells where the trial stands if this process dies or runs out of time; removed otherwise.

    Returns
    -------
    str
        The result, see `verifier.store.decode`.
    """
    function: Task = pickle.loads(task)
    with _watched(timeout, trace):
        return encode(guarded(function, spec))


def _cause(error: BaseException) -> tuple[ErrorKind, str]:
    match error:
        case MemoryError():
            return (
                "memory",
                "needed more memory than a trial may have; raise it with --memory, or make the plugin allocate less",
            )
        case SystemExit():
            message = f"the plugin raised SystemExit({error.code!r}); a plugin must return from `run`, not end the process"
            return "exit", message
        case KeyboardInterrupt():
            return "crash", "the plugin raised KeyboardInterrupt; a plugin must leave that to the user, remove it"
        case InternalError():
            return "internal", str(error)
    return "crash", f"{type(error).__name__}: {error}"


def _trial(spec: TrialSpec) -> TrialResult:
    from verifier.trial import run_trial

    return run_trial(spec)


def _end_with(lifeline: Connection, directory: str) -> None:
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv_bytes()
    shutil.rmtree(directory, ignore_errors=True)
    os._exit(0)


def _limit(memory_mb: int) -> None:
    """Limit the memory, where the system has such limits, and leave no core files behind."""
    try:
        import resource
    except ImportError:
        return
    for which, wanted in ((resource.RLIMIT_DATA, memory_mb * 2**20), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(which)
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(which, (soft, hard))


def _silence() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    os.close(null)


@contextlib.contextmanager
def _watched(timeout: float, trace: str) -> Iterator[None]:
    """Write where the trial stands to a file when it crashes or is about to run out of time."""
    timeout = min(timeout, LONGEST)
    with open(trace, "w") as file:
        faulthandler.enable(file, all_threads=False)
        faulthandler.dump_traceback_later(0.9 * timeout, file=file)
        if hasattr(signal, "alarm"):
            signal.alarm(math.ceil(timeout + ORPHAN_GRACE))
        try:
            yield
        finally:
            if hasattr(signal, "alarm"):
                signal.alarm(0)
            faulthandler.cancel_dump_traceback_later()
            faulthandler.disable()
    os.unlink(trace)
