"""Record of the last command that ran trials, which `verifier report --last` shows again; a file in the store's folder."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from shlex import quote

from verifier.base.errors import UsageError, VerifierError
from verifier.plugins.registry import with_formats
from verifier.record.entries import Record

FILE = "last-record.json.gz"


def keep(folder: Path, found: Record) -> None:
    """Keep a record in place of the one before; a folder that cannot be written is no reason to lose a verdict."""
    with suppress(OSError, VerifierError):
        folder.mkdir(parents=True, exist_ok=True)
        with_formats("json").writer("json").write(found, folder / FILE)


def kept(folder: Path) -> Path:
    """File of the last record.

    Raises
    ------
    UsageError
        If there is none.
    """
    file = folder / FILE
    if not file.is_file():
        raise UsageError(
            f"--last: no record is kept in the store {folder}; `verifier check NAME --store {quote(str(folder))}` keeps one there"
        )
    return file
