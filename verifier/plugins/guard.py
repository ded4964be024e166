"""Code of plugins that runs in the campaign's own process: catalogues, instances, assumptions, horizons, rates, counterexamples.

An exception, too long a time and `os._exit` become an error of its algorithm; what it prints goes to standard error. Code that
ends the process in any other way cannot be held back. Runs of algorithms are elsewhere, in workers.
"""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import FrameType
from typing import Any, TextIO

from verifier.base.errors import PluginError
from verifier.base.leaving import ExitError, exit_refused
from verifier.base.load import crowding, delayed
from verifier.base.plain import harmless
from verifier.model.result import TrialError
from verifier.plugins.failure import failure_of
from verifier.plugins.surroundings import nothing_disturbed

SECONDS = 60.0
"""The limit where no other is given, that of a trial."""

PRINTED = 10_000
"""Characters that guarded code may print."""

_AGAIN = 0.1
"""Seconds between looks at the clocks from the limit on; code that swallows the exception gets it again."""


class GuardedError(PluginError):
    """Guarded code failed.

    Attributes
    ----------
    failure : TrialError
    """

    def __init__(self, failure: TrialError) -> None:
        super().__init__(failure.message)
        self.failure = failure


class _LateError(BaseException):
    """Raised in code whose time is over."""


@contextlib.contextmanager
def guarded(where: str, seconds: float | None = None, passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Run code of a plugin.

    Parameters
    ----------
    where : str
        What it is, for the message.
    seconds : float, optional
        Its time limit, where that is the user's to choose; like that of a trial it counts processor time, and apart from that
        waiting, but not what other programs took. Only the main thread can keep it, and only between steps of Python code.
    passing : tuple of type
        Exceptions that are left as they are: `UsageError` where the code looks up what the user has typed.

    Raises
    ------
    GuardedError
        If the code raises anything, takes longer, or would end the process.
    KeyboardInterrupt
        As it comes.
    """
    limit = SECONDS if seconds is None else seconds
    untouched: tuple[type[BaseException], ...] = (KeyboardInterrupt, *passing)
    try:
        with prints_told(), exit_refused(), _limited(limit), nothing_disturbed():
            yield
    except untouched:
        raise
    except _LateError:
        remedy = "make it faster" if seconds is None else "raise the limit with --timeout, or make it faster"
        raise GuardedError(TrialError("timeout", f"{where}: did not finish within {limit:g} s; {remedy}")) from None
    except ExitError as error:
        raise GuardedError(TrialError("exit", f"{where}: {error}")) from error
    except BaseException as error:
        failure = failure_of(error)
        raise GuardedError(replace(failure, message=f"{where}: {failure.message}")) from error


class _Harmless:
    """A stream on which nothing that is written can act on a terminal, and not much is.

    Attributes
    ----------
    left_out : int
        Characters that were too many.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._left, self.left_out = stream, PRINTED, 0

    def write(self, text: str) -> int:
        shown = text[: self._left]
        self._left -= len(shown)
        self.left_out += len(text) - len(shown)
        if shown:
            self._stream.write(harmless(shown))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """Leave it open: it is the command's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def prints_told() -> Iterator[None]:
    """Inside, what is printed goes to standard error: standard output belongs to the command, and the terminal to the user.

    The beginning of it is enough: an agent may print in each of a million steps.
    """
    told, stream = sys.stderr, _Harmless(sys.stderr)
    instead: Any = stream
    try:
        with contextlib.redirect_stdout(instead), contextlib.redirect_stderr(instead):
            yield
    finally:
        if stream.left_out:
            told.write(f"\n[{stream.left_out} more characters were printed, and left out; the first {PRINTED} are shown]\n")


class _Clocks:
    """Clocks of this process, read at some time."""

    def __init__(self) -> None:
        self.wall, self.used, self.delayed = time.monotonic(), time.process_time(), delayed()

    def over(self, limit: float) -> bool:
        """Whether more than a limit has been used since, or was spent in waiting."""
        now = _Clocks()
        used, lost = now.used - self.used, now.delayed - self.delayed
        waited = now.wall - self.wall - used
        return used >= limit or (waited >= limit * crowding() if math.isnan(lost) else waited - lost >= limit)


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    started = _Clocks()

    def late(number: int, frame: FrameType | None) -> None:
        if started.over(seconds):
            raise _LateError

    before = signal.signal(signal.SIGALRM, late)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, before)
