"""Replacing a file in one step, so that nobody ever sees half of it: written beside it, then renamed.

A process that is killed in between leaves the file beside it behind; the next one that writes into the folder removes it. As
with temporary folders, who uses such a file holds a lock on it, which the system releases however its process ends.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover  # no such locks here: what is left behind stays
    fcntl = None  # type: ignore[assignment]  # a module elsewhere

_NAME = ".verifier-{}.tmp"


def replace(target: Path, content: bytes) -> None:
    """Replace the content of a file, or make it; its folder must exist.

    Raises
    ------
    OSError
        If it cannot be written; then it is as it was.
    """
    _sweep(target.parent)
    temporary, descriptor = _made(target.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if fcntl is not None:
                os.replace(temporary, target)  # while it is locked
        if fcntl is None:
            os.replace(temporary, target)  # not while it is open
    finally:
        temporary.unlink(missing_ok=True)


def try_to_replace(target: Path) -> None:
    """Check that a file could be replaced, or made, without touching it: others may be writing it.

    Raises
    ------
    OSError
        If it could not.
    """
    with contextlib.suppress(FileNotFoundError):
        os.close(os.open(target, os.O_WRONLY | os.O_APPEND))
    temporary, descriptor = _made(target.resolve().parent)
    os.close(descriptor)
    temporary.unlink(missing_ok=True)


def _made(folder: Path) -> tuple[Path, int]:
    """A new file, which is locked, and its descriptor."""
    while True:
        path = folder / _NAME.format(secrets.token_hex(4))
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0), 0o666)
        if fcntl is None:
            return path, descriptor
        with contextlib.suppress(OSError):  # a file system without locks, on which nobody sweeps either
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        if path.exists():
            return path, descriptor
        os.close(descriptor)  # swept away before it was locked: once more


def _sweep(folder: Path) -> None:
    """Remove the files of this user that processes which have ended have left in a folder."""
    for path in folder.glob(_NAME.format("????????")) if fcntl is not None else ():
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                if os.fstat(descriptor).st_uid == os.geteuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
            finally:
                os.close(descriptor)
