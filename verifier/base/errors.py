"""Errors, each with its exit code. Every message says what was given, what was expected and what to do next.

Every message says what was given, what was expected and what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from verifier.base.extras import install

NOTHING_KEPT = "what was computed is not kept in the store"
"""The note on an exception, of whatever class, that ends a command whose store keeps nothing, or was given up."""


def is_kept(error: BaseException) -> bool:
    """Whether finished trials are in the store, as far as the exception that ended the command says."""
    return NOTHING_KEPT not in getattr(error, "__notes__", ())


class ExitCode(IntEnum):
    """Exit codes of every `verifier` command."""

    OK = 0
    VIOLATED = 1
    USAGE = 2
    INCONCLUSIVE = 3
    ERROR = 4
    NOTHING_SELECTED = 5
    INTERRUPTED = 130


class VerifierError(Exception):
    """Root of all errors raised on purpose by `verifier`."""

    exit_code = ExitCode.ERROR


class UsageError(VerifierError):
    """The user asked for something that does not exist or cannot be done."""

    exit_code = ExitCode.USAGE


def not_installed(what: str, library: str, extra: str) -> UsageError:
    """The error of an option that needs a library which an extra of this distribution installs."""
    return UsageError(f"{what} needs {library}, which is not installed; run: pip install 'rl-verifier[{extra}]'")


class NothingSelectedError(UsageError):
    """The filters of a command left nothing to do."""

    exit_code = ExitCode.NOTHING_SELECTED


class StoreError(UsageError):
    """The result store cannot be opened, read or written."""


class PluginError(VerifierError):
    """A plugin failed to load, broke its contract or crashed."""


class MissingExtraError(PluginError):
    """A plugin needs a library that is not installed; it is listed with what to install and takes nothing down.

    Parameters
    ----------
    library : str
        The distribution that is missing.
    extra : str
        The extra of this one that installs it.
    names, groups : tuple of str
        The algorithms that are not usable without it, and the groups they belong to.
    remedy : str
        What to do, in words, where no extra and no index has it.
    """

    def __init__(
        self, library: str, extra: str = "", names: tuple[str, ...] = (), groups: tuple[str, ...] = (), remedy: str = ""
    ) -> None:
        todo = f"which is not there; {remedy}" if remedy else f"which is not installed; run `{install(extra)}`"
        super().__init__(f"needs {library}, {todo}")
        self.names, self.groups = names, groups


class ContractError(PluginError):
    """A plugin declared or yielded something the harness cannot accept."""


class MisuseError(ContractError):
    """Code calls what it was handed in a way that it is not meant for; the line of the call completes the message."""


class RunEndedError(VerifierError):
    """The processes that run trials are lost; finished trials are kept."""


class InternalError(VerifierError):
    """The harness broke one of its own rules; never the fault of the user."""


def nearest(given: str, known: Iterable[str], otherwise: str = "") -> str:
    """A sentence that names the closest known names, for messages about misspelt ones.

    Parameters
    ----------
    given : str
        What the user wrote.
    known : iterable of str
        What would have been accepted.
    otherwise : str
        What is said when nothing is close and a list of what exists would help nobody.

    Returns
    -------
    str
        ``"Did you mean 'x'?"``, or the list of what exists when nothing is close.
    """
    import difflib

    names = sorted(set(known))
    close = difflib.get_close_matches(given, names, n=3, cutoff=0.5)
    if close:
        return "Did you mean " + " or ".join(repr(name) for name in close) + "?"
    if otherwise:
        return otherwise
    if not names:
        return "There are none."
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return f"Known: {shown}."
