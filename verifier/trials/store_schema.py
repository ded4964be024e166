"""The tables of a store, and how a file of an older version becomes one of this.

Formats, as the file's ``user_version`` says them:

1. results and witnesses without checksums: nothing can show that a row is as it was written, so all count as absent;
2. a checksum in each row;
3. results are compressed (`verifier.trials.stored.pack`): 15 kB of a trial become 3 kB;
4. a column says what else a result of a trial depends on (`verifier.trials.stored.variant`), so that what was replaced by a later
   result is found without reading the results themselves.

Rows of formats 2 and 3 stay as they are and are read as they are, so that nothing is rewritten. Only versions that know the
format may write or read the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verifier.base.errors import StoreError


class BusyStoreError(StoreError):
    """Another process has locked the store for longer than it is waited for."""


FILE_NAME = "results.sqlite3"
SCHEMA_VERSION = 4

ELSEWHERE = "choose another directory with --store DIR, or keep nothing with --no-store"

COLUMNS = "key, algorithm, instance, regime, trial, seed, finished, result, checksum"
NOTE_COLUMNS = "key, written, note, checksum"
WITNESS_COLUMNS = "id, algorithm, claim, found, witness, checksum"

_SCHEMA = (
    """
    CREATE TABLE results (
        key TEXT PRIMARY KEY, algorithm TEXT NOT NULL, instance TEXT NOT NULL, regime TEXT NOT NULL,
        trial INTEGER NOT NULL, seed TEXT NOT NULL, finished TEXT NOT NULL, result TEXT NOT NULL,
        checksum TEXT NOT NULL DEFAULT '', variant TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX results_by_trial ON results (algorithm, instance, regime, trial, seed)",
)
_SET_VERSION = f"PRAGMA user_version = {SCHEMA_VERSION}"
# Made when missing, in every version: older versions of verifier do not look at it.
_WITNESSES = """
    CREATE TABLE IF NOT EXISTS witnesses (
        id TEXT PRIMARY KEY, algorithm TEXT NOT NULL, claim TEXT NOT NULL, found TEXT NOT NULL, witness TEXT NOT NULL,
        checksum TEXT NOT NULL DEFAULT ''
    )
    """
_NOTES = """
    CREATE TABLE IF NOT EXISTS notes (
        key TEXT PRIMARY KEY, written TEXT NOT NULL, note TEXT NOT NULL, checksum TEXT NOT NULL DEFAULT ''
    )
    """
_ADD_COLUMN = "ALTER TABLE {} ADD COLUMN {} TEXT NOT NULL DEFAULT ''"


def columns(connection: sqlite3.Connection, *more: str) -> str:
    """`COLUMNS` and others of a file that is only looked at; what its format does not have is empty."""
    added = {"checksum": 2, "variant": 4}
    names = [*COLUMNS.split(", "), *more]
    return ", ".join(name if version(connection) >= added.get(name, 1) else "''" for name in names)


def version(connection: sqlite3.Connection) -> int:
    """The format of a file; 0 of one that is new, or of another program."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def prepare(connection: sqlite3.Connection, file: Path) -> None:
    """Make a new file, or one of an older format, a store of this one, and make sure that it can be written.

    Raises
    ------
    StoreError
        If it belongs to another program, or to a newer version of this one.
    """
    execute = connection.execute
    if version(connection) == SCHEMA_VERSION:
        execute("BEGIN IMMEDIATE")
        execute(_SET_VERSION)  # tells now, not after the first trial, that the file cannot be written
        execute("ROLLBACK")
        execute(_WITNESSES)
        execute(_NOTES)
        return
    execute("BEGIN IMMEDIATE")
    found = version(connection)  # again: another process may have been faster
    require_known(connection, file)
    if found == 0:
        for statement in _SCHEMA:
            execute(statement)
    elif found == 1:
        execute(_WITNESSES.replace(",\n        checksum TEXT NOT NULL DEFAULT ''", ""))
        for table in ("results", "witnesses"):
            execute(_ADD_COLUMN.format(table, "checksum"))
    if 0 < found < 4:
        execute(_ADD_COLUMN.format("results", "variant"))
    execute(_WITNESSES)
    execute(_NOTES)
    execute(_SET_VERSION)
    execute("COMMIT")


def require_known(connection: sqlite3.Connection, file: Path) -> None:
    """Check that a file is new, or a store of this version or an older one.

    Raises
    ------
    StoreError
        If it is not.
    """
    found = version(connection)
    if found > SCHEMA_VERSION:
        raise StoreError(
            f"{file} was written by a newer version of verifier (format {found}, known: {SCHEMA_VERSION}); "
            f"upgrade verifier, or {ELSEWHERE}"
        )
    if found < 0 or (found == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]):
        raise StoreError(f"{file} is a database of another program; move the file away, or {ELSEWHERE}")


@contextmanager
def failing(file: Path, verb: str) -> Iterator[None]:
    """Turn what SQLite raises into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # the caller's mistake, e.g. a store used after it was closed
    except UnicodeDecodeError:  # in the message of SQLite, which quotes what is damaged
        todo = f"move the file away (it is kept as it is), or {ELSEWHERE}"
        raise StoreError(f"the store {file} cannot be {verb}: it is damaged; {todo}") from None
    except sqlite3.Error as error:
        damaged = type(error) is sqlite3.DatabaseError
        todo = next((todo for words, todo in _TODO.items() if words in str(error)), "")
        todo = "move the file away (it is kept as it is), or " if damaged else todo
        kind = BusyStoreError if "locked" in str(error) else StoreError
        raise kind(f"the store {file} cannot be {verb}: {error}; {todo}{ELSEWHERE}") from error


_TODO = {
    "locked": "wait for the other process, or ",
    "full": "make room on the disk and run the same command again: what was finished is kept; or ",
    "I/O error": "make room on the disk and run the same command again: what was finished is kept; or ",
}
"""Advice by words of SQLite's messages."""
