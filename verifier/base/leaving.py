"""How processes end: the command with the exit code of its record, whatever plugins have registered, replaced or left running."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from verifier.base.plain import harmless

_exit = os._exit


class ExitError(BaseException):
    """Raised in code that would have ended the process."""


@contextlib.contextmanager
def exit_refused(threads: bool = False) -> Iterator[None]:
    """Inside, `os._exit` raises `ExitError`; copies of the process that plugins fork end it as usual.

    Parameters
    ----------
    threads : bool
        Whether other threads are refused it too.
    """
    original, process, thread = os._exit, os.getpid(), threading.get_ident()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != process or not (threads or threading.get_ident() == thread):
            original(status)
        raise ExitError(f"the plugin called os._exit({status!r}), which would end the command; a plugin must return instead")

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = original


def leave_with(program: Callable[[], object]) -> NoReturn:
    """Run a program that ends with `SystemExit`, and end the process with its code, at once.

    Nothing is called that was registered for the end of the process, and no thread is waited for: both could change the code,
    or keep the process from ending. What the harness has to clean up, it does before.
    """
    code = 1
    try:
        with exit_refused(threads=True):
            program()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if isinstance(error.code, str):
            print(harmless(error.code), file=sys.stderr)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        with contextlib.suppress(ValueError):  # not in the main thread, where Ctrl-C would arrive
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _release_semaphores()
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            with contextlib.suppress(Exception):
                if stream is not None:
                    stream.flush()
        _exit(code & 0xFF)


def _release_semaphores() -> None:
    """Remove the semaphores of pools that have not ended in peace; else what cleans up after this process tells the user."""
    used = sys.modules.get("multiprocessing.synchronize")
    if used is None:
        return
    from multiprocessing import util

    registry: Any = util._finalizer_registry  # type: ignore[attr-defined]  # there is no other way to find them
    for finalizer in list(registry.values()):
        if finalizer._callback is used.SemLock._cleanup:
            with contextlib.suppress(Exception):
                finalizer()
