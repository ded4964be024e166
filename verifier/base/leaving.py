"""End of processes: the command with the exit code of its record, whatever plugins have registered, replaced or left running."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from verifier.base.errors import ExitCode
from verifier.base.plain import harmless

_exit = os._exit
_MODULES: tuple[Any, ...] = (os, sys.modules[os.name])
"""Modules where `_exit` can be called: `os` has it from the module of its system."""


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

    for module in _MODULES:
        module._exit = refuse
    try:
        yield
    finally:
        for module in _MODULES:
            module._exit = original


def leave_with(program: Callable[[], object]) -> NoReturn:
    """Run a program that ends with `SystemExit`, and end the process with its code, at once.

    Nothing is called that was registered for the end of the process, and no thread is waited for: both could change the code,
    or keep the process from ending. What the harness has to clean up, it does before.
    """
    code = int(ExitCode.ERROR)
    try:
        with exit_refused(threads=True):
            code = _code_of(program)
    finally:
        with contextlib.suppress(ValueError):  # not in the main thread, where Ctrl-C would arrive
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        with contextlib.suppress(BaseException), exit_refused(threads=True):
            _release_semaphores()
            _flush()
        _exit(code & 0xFF)


def _code_of(program: Callable[[], object]) -> int:
    try:
        program()
        return 0
    except SystemExit as error:
        if isinstance(error.code, str):
            print(harmless(error.code), file=sys.stderr)
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException as error:
        print(harmless("".join(traceback.format_exception(error))), file=sys.stderr)
        return int(ExitCode.INTERRUPTED if isinstance(error, KeyboardInterrupt) else ExitCode.ERROR)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(BaseException):  # a plugin may have put its own there
            if stream is not None:
                stream.flush()


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
