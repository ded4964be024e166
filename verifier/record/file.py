"""Records in files of the user."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from verifier.base.errors import UsageError

if TYPE_CHECKING:
    from verifier.record.entries import Record


def read_record(path: Path) -> Record:
    """The record in a JSON file, compressed or not.

    Raises
    ------
    UsageError
        If there is none, or it is of another schema or damaged.
    """
    from verifier.base import documents
    from verifier.record.entries import SCHEMA, Record

    absent = f"write one with `verifier check NAME --output json={path}`"
    data = documents.load(path, "JSON", f"record {path}", absent, "give a file written with --output json=PATH")
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        given = data.get("schema") if isinstance(data, dict) else type(data).__name__
        raise UsageError(f"record {path} has schema {given!r}, expected {SCHEMA!r}; write it again with this version")
    try:
        return Record.from_json(data)
    except UsageError as error:
        raise UsageError(
            f"record {path} is incomplete or damaged: {error}; give a file written with --output json=PATH and not changed since"
        ) from None
