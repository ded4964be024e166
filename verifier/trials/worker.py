"""Worker process: its set-up, and one trial at a time, whose failures become results.

A worker gets a trial and answers with JSON text. Nothing a plugin raises or defines crosses the process boundary, so
nothing a plugin does can make the campaign's process fail while it reads the answer.

What a plugin prints in a worker is thrown away: both standard streams go to the null device, because the terminal
belongs to the report. What is kept is where a trial stood when it crashed or ran out of time, in a small file per
trial.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from multiprocessing.connection import Connection

from verifier.base import folders
from verifier.base.child_processes import end_children
from verifier.base.machine import machine
from verifier.base.threads import threads, threads_left
from verifier.model.result import TrialError, TrialResult, TrialSpec
from verifier.plugins.failure import failure_of, left_behind
from verifier.plugins.registry import prefer, with_settings
from verifier.plugins.shared import Shared, replaced
from verifier.trials import agents, children
from verifier.trials.agents import Isolate
from verifier.trials.stored import encode
from verifier.trials.trace import ignore_asking, watched

Task = Callable[[TrialSpec], TrialResult]

LONG = 1.0
"""Seconds of processor time of a trial after which its memory is given back at once: sessions are in cycles, and the transcript
of a run of a million episodes would still be there in the next one."""

_SWEEPS = 5


def run(spec: TrialSpec) -> TrialResult:
    """Run one trial; an exception of the plugin becomes an error of the result.

    Raises
    ------
    KeyboardInterrupt
        Only where Ctrl-C can reach the process, which is not so in a worker.
    """
    return result_of(_trial, spec)


def result_of(task: Task, spec: TrialSpec) -> TrialResult:
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
        failure = failure_of(error)
    return TrialResult(spec, seconds=time.process_time() - started, error=failure)


def undisturbed(result: TrialResult, before: int, shared: Shared | None) -> TrialResult:
    """The result of a task, or that it has left threads, or changed what others share with it; that is put back.

    Parameters
    ----------
    result : TrialResult
    before : int
        How many threads there were.
    shared : Shared, optional
        State of the harness and of libraries as it was before, where that is compared.
    """
    left = threads_left(before)  # first: it could go on changing things
    names = shared.changes() if shared else []
    if not left and not names:
        return result
    error = TrialError("tampering", f"{result.spec.label}: {replaced(names) if names else children.still_running(left)}")
    return TrialResult(result.spec, seconds=result.seconds, error=error)


def prepare(lifeline: Connection, directory: str, memory_mb: int, isolate: Isolate | None, plugin: str) -> None:
    """Set up a worker before its first trial.

    Parameters
    ----------
    lifeline : Connection
        End of a pipe whose other end is held by the campaign's process alone; the worker ends when that one is closed.
    directory : str
        Where the campaign's process has its temporary files; removed when that process is gone.
    memory_mb : int
        Limit of its memory, in MB (2**20 bytes).
    isolate : callable, optional
        Gets processes ready for the agents of blind trials, here, where it takes nothing of their time.
    plugin : str
        Name of the plugin whose trials it will run; empty where that is not known.
    """
    children.lead_group()
    children.adopt_orphans()
    ignore_asking()
    threading.Thread(target=_end_with, args=(lifeline, directory), daemon=True).start()
    _limit(memory_mb)
    _silence()
    gc.freeze()  # what is imported by now stays: searching it for garbage again and again was a tenth of a campaign
    prefer(plugin)
    if isolate is not None:
        isolate(plugin)


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
        The result, see `verifier.trials.stored.decode`.
    """
    function: Task = pickle.loads(task)
    process, unseen, before = os.getpid(), _shared(), threads()
    with watched(timeout, trace):
        result = result_of(function, spec)
        if os.getpid() != process:  # a copy of the worker that the plugin has made: only the original answers
            os._exit(0)
        # After the first trial alone: comparing takes up to a quarter of a trial, no other plugin's trials come here, and one
        # that hides what it does is not found by it anyway.
        result = undisturbed(result, before, unseen.pop() if unseen else None)
        left = end_children(agents.needed())
    if result.seconds > LONG:
        gc.collect()
    if left and result.error is None:
        result = replace(result, measurements={}, error=left_behind(left))
    return encode(replace(result, machine=machine()))


def _trial(spec: TrialSpec) -> TrialResult:
    from verifier.trials.trial import run_trial

    return run_trial(spec)


@cache
def _shared() -> list[Shared]:
    """State that this worker shares with plugins, before the first of them is imported; taken out when it has been compared."""
    import verifier.trials.trial  # noqa: F401  # so that it is looked at

    with_settings()
    return [Shared()]


def _end_with(lifeline: Connection, directory: str) -> None:
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv_bytes()
    for _ in range(_SWEEPS):  # another worker may be at it, and be ended before it is done
        folders.sweep()
        if not os.path.exists(directory):
            break
        time.sleep(0.1)
    children.end_group(os.getpid())
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
