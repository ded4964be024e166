"""Trial errors that the exceptions of plugins are turned into."""

from __future__ import annotations

import signal
import sys
import traceback

from verifier.base.errors import ContractError, InternalError, MisuseError
from verifier.base.memory import system_limit
from verifier.base.place import BY_VALUE, place
from verifier.model.result import ErrorKind, TrialError
from verifier.plugins.entry_points import top

_HARNESS = frozenset({"verifier", "verifier_settings", "verifier_properties"})
_READ_ONLY = "; what the harness hands over is not to be changed: change a copy of it, `array.copy()`"
"""Remedy where code has tried to change an array that is read-only, of which numpy says no more than that."""

_CALLED = "'numpy.ndarray' object is not callable"
_AS_FUNCTION = (
    "; what is known of each pair is an array here; where your code expects a function, write `lambda s, a: phi[s * A + a]`"
)
"""Remedy where features or rewards are called."""


class AgentError(Exception):
    """The run of an agent in another process failed.

    Attributes
    ----------
    failure : TrialError
    """

    def __init__(self, failure: TrialError) -> None:
        super().__init__(failure.message)
        self.failure = failure


def failure_of(error: BaseException) -> TrialError:
    """The error of a trial in which a plugin raised something; to be called while it is handled."""
    kind, message = _cause(error)
    return TrialError(kind, message, "" if isinstance(error, ContractError) else traceback.format_exc(limit=-6))


def _cause(error: BaseException) -> tuple[ErrorKind, str]:
    match error:
        case MisuseError():
            return "contract", f"{_words(error)}{line_of(error)}"
        case ContractError():
            return "contract", _words(error)
        case MemoryError():
            return "memory", f"needed more memory than {_what_it_may_have()}, or make the plugin allocate less"
        case SystemExit():
            message = f"the plugin raised SystemExit({_shown(error.code)}); a plugin must return from `run`, not end the process"
            return "exit", message
        case KeyboardInterrupt():
            return "crash", "the plugin raised KeyboardInterrupt; a plugin must leave that to the user, remove it"
        case InternalError():
            return "internal", _words(error)
    words = _words(error)
    remedy = _READ_ONLY if isinstance(error, ValueError) and "read-only" in words else ""
    remedy = _AS_FUNCTION if isinstance(error, TypeError) and words == _CALLED else remedy
    return "crash", f"{type(error).__name__}: {words}{line_of(error)}{remedy}"


def line_of(error: BaseException) -> str:
    """Line of the plugin in which it was raised, or from which it called what raised it; empty where there is none."""
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        file, module = frame.f_code.co_filename, frame.f_globals.get("__name__") or ""
        theirs = file == BY_VALUE or not ("site-packages" in file or file.startswith(("<", sys.base_prefix)))
        if theirs and top(module) not in _HARNESS:
            found = place(file, line, frame.f_code.co_name, module)
    return found


def _what_it_may_have() -> str:
    """Sentence on the limit of this process's memory, and how to raise it."""
    if (mb := system_limit()) is None:
        return "a trial may have; raise it with --memory"
    return f"the {mb} MB that the system lets a process have (`ulimit -v` or `ulimit -d`), less than --memory; raise that limit"


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, (int, str, type(None))) else type(value).__name__


def _words(error: BaseException) -> str:
    """The message of an exception, whose class may be the plugin's own."""
    try:
        return str(error)
    except Exception as other:
        return f"its message cannot be read ({type(other).__name__})"


def how_it_ended(who: str, code: int) -> str:
    """Sentence on the end of a plugin's process: its exit code, or minus the number of the signal that killed it."""
    if code >= 0:
        how = f"ended with exit code {code}"
    else:
        try:
            how = f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            how = f"was killed by signal {-code}"
    hint = ""
    if code == -9:
        hint = "; so does a machine that runs out of memory: lower --jobs (of a cluster, start fewer workers) or --memory"
    return f"{who} {how}; expected the plugin to return from `run`, not to end its process{hint}"


def left_behind(processes: int) -> TrialError:
    """The error of a trial that leaves processes running."""
    what = "a process was" if processes == 1 else f"{processes} processes were"
    return TrialError("exit", f"{what} left running when the trial was over, and ended; wait in `run` for what it starts")
