"""Code of plugins that runs in the campaign's own process: catalogues, instances, assumptions, horizons.

Whatever it raises, prints or takes too long for becomes an error of its algorithm. Nothing can be done about code that ends
the process; runs of algorithms are elsewhere, in workers.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType

from verifier.errors import PluginError
from verifier.failure import failure_of
from verifier.result import TrialError

SECONDS = 60.0
"""The limit where no other is given, that of a trial."""

_AGAIN = 0.1
"""Code that swallows the exception gets it again after so many seconds."""


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
def guarded(where: str, seconds: float = SECONDS) -> Iterator[None]:
    """Run code of a plugin.

    Parameters
    ----------
    where : str
        What it is, for the message.
    seconds : float
        Its time limit; only the main thread can keep it, and only between steps of Python code.

    Raises
    ------
    GuardedError
        If the code raises anything, or takes longer.
    KeyboardInterrupt
        As it comes.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr), _limited(seconds):
            yield
    except KeyboardInterrupt:
        raise
    except _LateError:
        message = f"{where}: did not finish within {seconds:g} s; raise the limit with --timeout, or make it faster"
        raise GuardedError(TrialError("timeout", message)) from None
    except BaseException as error:
        failure = failure_of(error)
        raise GuardedError(replace(failure, message=f"{where}: {failure.message}")) from error


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise _LateError

    before = signal.signal(signal.SIGALRM, late)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, before)
