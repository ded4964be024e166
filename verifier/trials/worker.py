"""What happens inside a worker process: its set-up, and one trial at a time, whose failures become results.

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
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from verifier.base.errors import UsageError
from verifier.model.result import TrialResult, TrialSpec
from verifier.plugins.failure import failure_of, left_behind
from verifier.trials import children
from verifier.trials.store import encode

Task = Callable[[TrialSpec], TrialResult]

# An orphan stuck in native code, where no thread of it can act, is ended by the kernel this long after the limit.
ORPHAN_GRACE = 10.0

# The agents' interpreter is waited for so long before the first trial; after that the trial waits on its own account.
LONGEST_START = 60.0

# The clocks used here take no more seconds than this.
LONGEST = 1e8


def environment() -> dict[str, str]:
    """Variables of all processes of a campaign: the same trial gives the same bits, and this very harness is found."""
    return {
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
    }


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


def prepare(memory_mb: int, lifeline: Connection, directory: str, blind: bool) -> None:
    """Set up a worker before its first trial.

    Parameters
    ----------
    memory_mb : int
        Limit of its memory, in MB (2**20 bytes).
    lifeline : Connection
        End of a pipe whose other end is held by the campaign's process alone; the worker ends when that one is closed.
    directory : str
        Where the campaign's process has its temporary files; removed when that process is gone.
    blind : bool
        Whether trials will be blind: what these need is started here, where it takes nothing of their time.
    """
    children.lead_group()
    children.adopt_orphans()
    threading.Thread(target=_end_with, args=(lifeline, directory), daemon=True).start()
    _limit(memory_mb)
    _silence()
    if blind:
        from verifier.trials.blind.run import nursery

        with contextlib.suppress(UsageError, OSError, EOFError):  # the first trial will say so
            nursery().wait(LONGEST_START)


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
        The result, see `verifier.trials.store.decode`.
    """
    function: Task = pickle.loads(task)
    process = os.getpid()
    with _watched(timeout, trace):
        result = result_of(function, spec)
        if os.getpid() != process:  # a copy of the worker that the plugin has made: only the original answers
            os._exit(0)
        left = children.end_children(_needed())
    if left and result.error is None:
        result = replace(result, measurements={}, error=left_behind(left))
    return encode(result)


def _trial(spec: TrialSpec) -> TrialResult:
    from verifier.trials.trial import run_trial

    return run_trial(spec)


def _needed() -> set[int]:
    """Processes that the harness itself has started here."""
    blind = sys.modules.get("verifier.trials.blind.run")
    return blind.needed() if blind is not None else set()


def _end_with(lifeline: Connection, directory: str) -> None:
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv_bytes()
    shutil.rmtree(directory, ignore_errors=True)
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


@contextlib.contextmanager
def _watched(timeout: float, trace: str) -> Iterator[None]:
    """Write to a file which process runs the trial, and where that stands when it crashes or is about to run out of time."""
    global _watch
    timeout = min(timeout, LONGEST)
    with open(trace, "w") as file:
        file.write(f"{os.getpid()}\n\n")
        file.flush()
        faulthandler.enable(file, all_threads=False)
        faulthandler.dump_traceback_later(0.9 * timeout, file=file)
        if hasattr(signal, "alarm"):
            signal.alarm(math.ceil(timeout + ORPHAN_GRACE))
        _watch = trace, time.monotonic() + timeout
        try:
            yield
        finally:
            _watch = "", 0.0
            if hasattr(signal, "alarm"):
                signal.alarm(0)
            faulthandler.cancel_dump_traceback_later()
            faulthandler.disable()
    os.unlink(trace)


_watch: tuple[str, float] = ("", 0.0)


def hand_over_watch() -> tuple[str, float]:
    """Leave it to the agent's process to write where it stands; returns the file (empty if none) and the seconds left."""
    trace, end = _watch
    if trace:
        faulthandler.cancel_dump_traceback_later()
    return trace, max(end - time.monotonic(), 0.1)


def pid_in(trace: str | Path) -> int:
    """The process that runs the trial of this trace; 0 if none does."""
    with contextlib.suppress(OSError, ValueError), open(trace, errors="replace") as file:
        return int(file.readline())
    return 0


def frames_of_plugin(trace: str | Path) -> str:
    """What of a dump by `faulthandler` lies in the trial: no thread and no frame of the harness."""
    try:
        text = Path(trace).read_text(errors="replace")
    except OSError:
        return ""
    blocks = text.partition("\n\n")[2].split("\n\n")
    kept = [re.split(_HARNESS, block)[0] for block in blocks if "in _end_with" not in block]
    return "\n".join(block.rstrip() for block in kept if not block.startswith("Extension modules")).strip()


_HARNESS = r'  File "[^"]*verifier[/\\]trials[/\\](?:worker|blind[/\\]agent)\.py"'
