"""Surroundings of a plugin in the command's own process: working directory, signals, timers, streams, the way to end.

A plugin that changes these when it is imported would change where reports are written, or end the command before its report.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from verifier.base.child_processes import children, end_children, orphans_adopted
from verifier.base.errors import ContractError
from verifier.base.threads import threads, threads_left

_NAMES: tuple[tuple[Any, str], ...] = ((sys, "exit"), (sys, "__stdin__"), (sys, "__stdout__"), (sys, "__stderr__"))
_HOOKS: tuple[tuple[Any, str], ...] = (
    (sys, "excepthook"),
    (sys, "unraisablehook"),
    (sys, "displayhook"),
    (threading, "excepthook"),
)
"""Hooks that libraries replace when they are imported, in good faith: put back, and nothing is told."""

_resource: Any = import_module("resource") if find_spec("resource") else None  # not on Windows
_LIMITS = [getattr(_resource, name) for name in dir(_resource) if name.startswith("RLIMIT_")]
_SIGNALS = tuple(signal.valid_signals())
_handler: Any = getattr(sys.modules.get("_signal"), "getsignal", signal.getsignal)
"""Handler of a signal, from the module beneath `signal`, which makes an enumeration of each answer: twenty times as long, and all
signals are asked for twice at each call of a plugin."""
_TIMERS = tuple(getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name))


class Surroundings:
    """The surroundings as they are when this object is made."""

    def __init__(self) -> None:
        self._folder = _folder()
        main = threading.current_thread() is threading.main_thread()  # the only one that can set them
        self._handlers = {number: _handler(number) for number in (_SIGNALS if main else ())}
        self._idle = [timer for timer in _TIMERS if not signal.getitimer(timer)[0]]
        self._limits = {which: _resource.getrlimit(which) for which in _LIMITS}
        self._finders, self._path_hooks = list(sys.meta_path), list(sys.path_hooks)
        self._trace, self._profile = sys.gettrace(), sys.getprofile()
        self._recursion = sys.getrecursionlimit()
        self._hooks = [(owner, name, getattr(owner, name)) for owner, name in _HOOKS]
        self._held = [(owner, name, getattr(owner, name)) for owner, name in _NAMES]

    def restored(self) -> list[str]:
        """Put back what was changed; returns what that was."""
        self._importing()
        return [*self._watchers(), *self._bounds(), *self._timers(), *self._signals(), *self._names(), *self._place()]

    def _importing(self) -> None:
        """Put what finds modules back in its order; what was added in good faith, as `six` does, is asked last from now on."""
        new = [finder for finder in sys.meta_path if not any(finder is known for known in self._finders)]
        sys.meta_path[:] = [*self._finders, *map(QuietFinder, new)]
        added = [hook for hook in sys.path_hooks if not any(hook is known for known in self._path_hooks)]
        sys.path_hooks[:] = [*self._path_hooks, *added]

    def _watchers(self) -> Iterator[str]:
        if sys.gettrace() is not self._trace:
            sys.settrace(self._trace)
            yield "the trace function of the interpreter"
        if sys.getprofile() is not self._profile:
            sys.setprofile(self._profile)
            yield "the profile function of the interpreter"

    def _bounds(self) -> Iterator[str]:
        for owner, name, value in self._hooks:
            setattr(owner, name, value)
        if sys.getrecursionlimit() != self._recursion:  # as libraries do, too
            sys.setrecursionlimit(self._recursion)
        for which, limits in self._limits.items():
            if _resource.getrlimit(which) != limits:
                with contextlib.suppress(OSError, ValueError):  # a hard limit that was lowered stays so
                    _resource.setrlimit(which, limits)
                yield f"limit {which} of the system"

    def _timers(self) -> Iterator[str]:
        for timer in self._idle:
            if signal.getitimer(timer)[0]:
                signal.setitimer(timer, 0.0)
                yield "a timer"

    def _signals(self) -> Iterator[str]:
        for number, handler in self._handlers.items():
            if _handler(number) is not handler:
                signal.signal(number, signal.SIG_DFL if handler is None else handler)  # none: it was not set from Python
                yield f"what signal {int(number)} does"

    def _names(self) -> Iterator[str]:
        for owner, name, value in self._held:
            if getattr(owner, name, None) is not value:
                setattr(owner, name, value)
                yield f"{owner.__name__}.{name}"

    def _place(self) -> Iterator[str]:
        if self._folder is not None and _folder() != self._folder:
            with contextlib.suppress(OSError):
                os.chdir(self._folder)
            yield "the working directory"


class QuietFinder:
    """A finder of modules that a plugin has added: what it raises counts as having found nothing.

    All imports of the command that fail, those of optional libraries too, come to it.
    """

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def find_spec(self, *arguments: Any) -> Any:
        """Answer of the finder; None if it fails."""
        try:
            return self._finder.find_spec(*arguments)
        except Exception:
            return None

    def find_distributions(self, *arguments: Any) -> Any:
        """Distributions of the finder, if it knows any."""
        try:
            return list(self._finder.find_distributions(*arguments))
        except Exception:
            return []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)

    def __eq__(self, other: object) -> bool:
        return self is other or self._finder is other  # so that its owner can remove it

    def __hash__(self) -> int:
        return id(self._finder)


class _Limits:
    """Limits of the system that code of a plugin asks for in this process: noted, and not set.

    A hard limit that was lowered cannot be raised again without special rights, and one of processor time can end the process at
    once.
    """

    def __init__(self) -> None:
        self._wanted = dict[int, tuple[int, int]]()
        self._owner = os.getpid()

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Inside, nothing is set."""
        if _resource is None:
            yield
            return
        before = {name: getattr(_resource, name) for name in ("setrlimit", "prlimit") if hasattr(_resource, name)}
        active = True

        def setrlimit(which: int, limits: tuple[int, int]) -> None:
            if not active or os.getpid() != self._owner:  # kept by the plugin for later; or in a process that it has started
                before["setrlimit"](which, limits)
            else:
                self._wanted[which] = tuple(limits)  # type: ignore[assignment]  # two numbers

        def prlimit(pid: int, which: int, limits: tuple[int, int] | None = None) -> Any:
            if limits is None or pid not in (0, self._owner) or not active or os.getpid() != self._owner:
                return before["prlimit"](pid, which, *(() if limits is None else (limits,)))
            self._wanted[which] = tuple(limits)  # type: ignore[assignment]  # two numbers
            return _resource.getrlimit(which)

        replaced = {"setrlimit": setrlimit, "prlimit": prlimit}
        for name in before:
            setattr(_resource, name, replaced[name])
        try:
            yield
        finally:
            active = False
            for name, function in before.items():
                setattr(_resource, name, function)

    def changed(self) -> list[str]:
        """The limits that would be others now."""
        return [f"limit {which} of the system" for which, limits in self._wanted.items() if limits != _resource.getrlimit(which)]


@contextlib.contextmanager
def nothing_disturbed(alone: bool = False) -> Iterator[None]:
    """Run code of a plugin, and put back what it has changed of its surroundings.

    Parameters
    ----------
    alone : bool
        Whether nothing else in this process starts threads or processes meanwhile: those that are still running were started by
        the plugin.

    Raises
    ------
    ContractError
        If it has changed anything, or left threads or processes running, whatever else it has raised.
    """
    around, before, limits = Surroundings(), threads(), _Limits()
    known = set(children()) if alone else set()
    try:
        with limits.noted(), orphans_adopted() if alone else contextlib.nullcontext():
            try:
                yield
            finally:
                ended = end_children(known | _helpers()) if alone else 0
    finally:
        left = threads_left(before) if alone else 0
        changed = [*around.restored(), *limits.changed()]
        if ended:
            changed.append("a process was left running" if ended == 1 else f"{ended} processes were left running")
        if left:
            changed.append("a thread is left running" if left == 1 else f"{left} threads are left running")
        if changed:
            raise ContractError(f"the plugin has changed what belongs to the command: {', '.join(dict.fromkeys(changed))}")


def _helpers() -> set[int]:
    """Processes that the standard library starts for all of this one."""
    tracker = getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None)
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    found = getattr(tracker, "_pid", None), getattr(server, "_forkserver_pid", None)
    return {pid for pid in found if pid is not None}


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None
