"""Replacing a file in one step, so that nobody ever sees half of it: written beside it, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def replace(target: Path, content: bytes) -> None:
    """Replace the content of a file, or make it; its folder must exist.

    Raises
    ------
    OSError
        If it cannot be written; then it is as it was.
    """
    temporary = _made(target.parent)
    try:
        temporary.write_bytes(content)
        os.replace(temporary, target)
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
    _made(target.resolve().parent).unlink(missing_ok=True)


def _made(folder: Path) -> Path:
    """A new file, which others may read as far as other files of this process: those of `tempfile` are private."""
    path = folder / f".verifier-{secrets.token_hex(8)}.tmp"
    path.touch(exist_ok=False)
    return path
